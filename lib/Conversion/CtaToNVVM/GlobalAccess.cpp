// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.load, cta.store, cta.gather and cta.scatter. An address is one pointer for each thread and
// row plus a constant. Bounds become one range for each tile dimension; an index tile gives each of
// its registers a bound and a part of the address. A tile that lies completely inside takes a path
// without predicates. Any other tile takes predicated accesses (inline PTX, so that there are no
// branches), by whole vectors if no bound cuts a vector.
#include "GlobalAccess.h"

#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using arith::CmpIPredicate;

bool tessera::nvvm::isTrue(Value condition) {
  return !condition || getConstantIntValue(condition).value_or(0) != 0;
}

std::vector<int64_t> Access::registersOver(Operation *op, Value other, ArrayRef<int64_t> on,
                                           StringRef what) {
  auto otherType = cast<RankedTensorType>(other.getType());
  auto match =
      matchRegisters(cta::FragAttr::of(otherType).layout(), cta::coordOf(otherType.getShape()),
                     index.layout, index.shape, [&](const layout::Coord &c) {
                       layout::Coord at;
                       for (int64_t d : on)
                         at.push_back(c[d]);
                       return at;
                     });
  if (mlir::succeeded(match))
    return std::move(*match);
  f.error(op, "the layout of " + what + " is not that of the tile without the other dimensions");
  failed = true;
  return {};
}

void Access::readMask(Operation *op, Value maskTile, ArrayRef<int64_t> maskDims) {
  maskRegs = registersOver(op, maskTile, maskDims, "the mask");
  mask = &f.registers(maskTile);
}

void Access::readIndex(Operation *op, Value tile, int64_t dim, ArrayRef<int64_t> on) {
  Index from{dim, &f.registers(tile), registersOver(op, tile, on, "an index tile"), {}, {}, {}, {}};
  from.bound = f.sizeOf(memref, static_cast<unsigned>(dim));
  const auto *at = llvm::find(dims, dim);
  if (at != dims.end())
    if (Value limit = limits[at - dims.begin()])
      from.bound = f.max(f.min(from.bound, f.toI64(f.scalar(limit))), f.i64(0));
  const Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  // No index of i32 is beyond 2^31 - 1. A comparison of 32 bits is one instruction.
  if (element.isInteger() && element.getIntOrFloatBitWidth() <= 32)
    from.bound = arith::TruncIOp::create(f.b, f.loc, f.b.getI32Type(),
                                         f.min(from.bound, f.i64(int64_t(1) << 31)));
  indices.push_back(std::move(from));
}

void Access::redirect(Image to) { image = std::move(to); }

/// The coordinate that an index tile gives to a register, as an i32 or an i64.
Value Access::indexAt(Index &from, int64_t reg) {
  Value &at = from.plain[from.regs[reg]];
  if (at)
    return at;
  at = (*from.values)[from.regs[reg]];
  if (at.getType().isInteger(8) || at.getType().isInteger(16))
    return at = arith::ExtSIOp::create(f.b, f.loc, f.b.getI32Type(), at);
  return at = at.getType().isIndex() ? f.toI64(at) : at;
}

/// The same as an i64, if it is in bounds: then it is not negative.
Value Access::wideIndexAt(Index &from, int64_t reg) {
  Value &wide = from.wide[from.regs[reg]];
  if (wide)
    return wide;
  wide = indexAt(from, reg);
  if (wide.getType().isInteger(32))
    wide = arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), wide);
  return wide;
}

void Access::chooseVector(int64_t wanted, ArrayRef<int64_t> maskDims) {
  contiguous = dims.empty() ? -1 : cta::contiguousTileDim(memrefType, dims);
  if (contiguous < 0)
    return;
  if (!coords[dims[contiguous]]) {
    contiguous = -1; // an index tile gives these coordinates
    return;
  }
  vector = std::min(wanted, index.layout.contiguousRegisters(index.shape, contiguous));
  vector = std::min(vector, 16 / bytes);
  // A vector is dead or live as a whole, and has one mask.
  if (mask && llvm::is_contained(maskDims, contiguous))
    vector = 1;
  while (index.shape[contiguous] % vector)
    vector /= 2;
}

void Access::prepareBounds() {
  perRegister = llvm::is_contained(index.separable, false);
  for (int64_t m = 0; m < memrefType.getRank(); ++m) {
    if (llvm::is_contained(dims, m) || !coords[m])
      continue;
    Value c = f.toI64(f.scalar(coords[m]));
    if (!(f.facts.range(coords[m]).min >= 0))
      outer = f.both(outer, f.compare(CmpIPredicate::sge, c, f.i64(0)));
    outer = f.both(outer, f.compare(CmpIPredicate::slt, c, f.sizeOf(memref, m)));
  }
  inside = outer;
  for (auto [d, m] : llvm::enumerate(dims)) {
    int64_t extent = index.shape[d];
    if (!coords[m]) {
      ranges.push_back({{}, f.i32(extent)});
      continue;
    }
    Value start = f.toI64(f.scalar(coords[m])), end = f.sizeOf(memref, m);
    if (limits[d])
      end = f.min(end, f.toI64(f.scalar(limits[d])));
    Range range;
    auto clamp = [&](Value x) { return f.toI32(f.min(f.max(x, f.i64(0)), f.i64(extent))); };
    range.high = clamp(f.sub(end, start));
    inside = f.both(inside, f.compare(CmpIPredicate::eq, range.high, f.i32(extent)));
    if (!(f.facts.range(coords[m]).min >= 0)) {
      range.low = clamp(f.sub(f.i64(0), start));
      inside = f.both(inside, f.compare(CmpIPredicate::eq, range.low, f.i32(0)));
    }
    ranges.push_back(range);
    if (static_cast<int>(d) != contiguous || vector == 1)
      continue;
    Value cut = range.high;
    if (range.low)
      cut = arith::OrIOp::create(f.b, f.loc, cut, range.low);
    auto divides = [&](int64_t known) { return known % vector == 0; };
    if (divides(f.facts.divisibility(coords[m])) &&
        divides(f.facts.sizeDivisibility(memref, static_cast<unsigned>(m))) &&
        (!limits[d] || divides(f.facts.divisibility(limits[d]))))
      continue;
    aligned = f.compare(CmpIPredicate::eq, f.bitAnd(cut, f.i32(vector - 1)), f.i32(0));
  }
}

/// The bound of a register along a dimension; null if there is none, a constant if it is known.
Value Access::bound(int64_t reg, int d) {
  RegCoord c = index.at(reg, d);
  Value &bound = bounds[{d, index.first(reg)[d]}];
  if (bound)
    return bound;
  Value at = c.thread ? c.thread : f.i32(0);
  std::optional<int64_t> high = getConstantIntValue(ranges[d].high);
  bool below = high && c.constant + index.maxThread[d] < *high;
  bound = below ? f.boolean(true)
                : f.compare(CmpIPredicate::slt, at, f.sub(ranges[d].high, f.i32(c.constant)));
  if (ranges[d].low)
    bound =
        f.both(bound, f.compare(CmpIPredicate::sge, at, f.sub(ranges[d].low, f.i32(c.constant))));
  return bound;
}

/// The condition that a register is in bounds; null if it always is.
Value Access::inRange(int64_t reg) {
  Value result = outer;
  for (int d = 0, boxed = static_cast<int>(ranges.size()); d < boxed; ++d)
    result = f.both(result, bound(reg, d));
  for (Index &from : indices) {
    Value &below = from.below[from.regs[reg]];
    // Unsigned, so that a negative coordinate is beyond every bound.
    if (!below)
      below = f.compare(CmpIPredicate::ult, indexAt(from, reg), from.bound);
    result = f.both(result, below);
  }
  return ranges.empty() ? f.both(result, index.live(reg)) : result;
}

Access::Inside Access::indicesInsideOf(int64_t reg) {
  Inside result;
  for (Index &from : indices)
    result.indices.push_back({indexAt(from, reg), from.bound});
  return result;
}

Access::Inside Access::insideOf(int64_t reg) {
  Inside result = indicesInsideOf(reg);
  result.outer = outer;
  for (int d = 0; d < index.rank(); ++d) {
    RegCoord c = index.at(reg, d);
    const Range &range = ranges[d];
    const bool advances = d == advanced.dim;
    const int64_t width = d == contiguous ? vector : 1;
    std::optional<int64_t> end = getConstantIntValue(range.high);
    const int64_t last = c.constant + index.maxThread[d] + (advances ? advanced.most : 0);
    const bool cut = !end || last + width > *end;
    Value at = c.thread;
    if (advances)
      at = at ? f.add(at, advanced.by) : advanced.by;
    Value high = at ? f.sub(range.high, at) : range.high;
    Value low = range.low && at ? f.sub(range.low, at) : range.low;
    if (d != contiguous) {
      if (cut)
        result.bounds.push_back({high, c.constant, true});
      if (low)
        result.bounds.push_back({low, c.constant, false});
      continue;
    }
    if (cut) {
      Value left = f.mul(f.sub(high, f.i32(c.constant)), f.i32(bytes));
      result.bytes = f.max(f.min(left, f.i32(vector * bytes)), f.i32(0));
    }
    if (low) {
      Value all = result.bytes ? result.bytes : f.i32(vector * bytes);
      Value above = f.compare(CmpIPredicate::sge, f.i32(c.constant), low);
      result.bytes = f.select(above, all, f.i32(0));
    }
  }
  return result;
}

Value Access::strideOf(int64_t m) {
  Value stride = f.strideOf(memref, static_cast<unsigned>(m));
  if (!hidden || getConstantIntValue(stride))
    return stride;
  Value &mine = hiddenStrides[m];
  if (!mine)
    mine = f.opaque(stride);
  return mine;
}

/// The bytes to a coordinate from the first one.
Value Access::scaled(Value coord, int64_t m) {
  if (image)
    return f.mul(f.toI32(coord), image->strides[m]);
  return f.mul(f.toI64(coord), f.mul(strideOf(m), f.i64(bytes)));
}

/// The bytes from one coordinate to the next, if they are known.
std::optional<int64_t> Access::constantStride(int64_t m) {
  if (image)
    return getConstantIntValue(image->strides[m]);
  std::optional<int64_t> stride = getConstantIntValue(strideOf(m));
  return stride ? std::optional(*stride * bytes) : std::nullopt;
}

std::pair<Value, int64_t> Access::address(int64_t reg) {
  auto wide = [&](Value i32Value) -> Value {
    if (image)
      return i32Value;
    return arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), i32Value);
  };
  if (!threadPointer) {
    Value offset = image ? f.i32(0) : f.i64(0);
    for (auto [m, coord] : llvm::enumerate(coords))
      if (coord && isAddressed(static_cast<int64_t>(m)))
        offset = f.add(offset, scaled(f.scalar(coord), static_cast<int64_t>(m)));
    if (advanced.by)
      offset = f.add(offset, scaled(advanced.by, dims[advanced.dim]));
    threadPointer = f.gep(image ? image->base : f.pointerOf(memref), offset);
    if (!perRegister)
      for (auto [d, m] : llvm::enumerate(dims))
        if (Value thread = index.at(0, static_cast<int>(d)).thread; thread && coords[m])
          threadPointer = f.gep(threadPointer, scaled(wide(thread), m));
    if (hidden)
      threadPointer = f.opaque(threadPointer);
  }
  std::vector<int64_t> key;
  int64_t constant = 0;
  for (auto [d, m] : llvm::enumerate(dims)) {
    if (!coords[m])
      continue;
    RegCoord c = index.at(reg, static_cast<int>(d));
    if (std::optional<int64_t> s = constantStride(m))
      constant += c.constant * *s;
    else
      key.push_back(c.constant);
    if (perRegister)
      key.push_back(index.first(reg)[d]);
  }
  Value &row = rows[key];
  if (!row) {
    // Rows one after the other: the same increment leads from each row to the next.
    const bool steps = hidden && !perRegister && lastRow;
    row = steps ? lastPointer : threadPointer;
    for (auto [d, m] : llvm::enumerate(dims)) {
      if (!coords[m])
        continue;
      RegCoord c = index.at(reg, static_cast<int>(d));
      const int64_t from = steps ? index.at(*lastRow, static_cast<int>(d)).constant : 0;
      if (!constantStride(m) && c.constant != from)
        row = f.gep(row, scaled(f.i64(c.constant - from), m));
      if (perRegister && c.thread)
        row = f.gep(row, scaled(wide(c.thread), m));
    }
    lastRow = reg;
    lastPointer = row;
  }
  if (indices.empty())
    return {row, constant};
  for (const Index &from : indices)
    key.push_back(from.regs[reg]);
  Value &place = places[key];
  if (!place) {
    place = row;
    for (Index &from : indices)
      place = f.gep(place, scaled(image ? indexAt(from, reg) : wideIndexAt(from, reg), from.dim));
  }
  return {place, constant};
}

Access::Bytes Access::arrayBytes() {
  Value begin = LLVM::PtrToIntOp::create(f.b, f.loc, f.b.getI64Type(), f.pointerOf(memref));
  Value last = f.i64(0);
  for (unsigned m = 0, rank = memrefType.getRank(); m < rank; ++m)
    last = f.add(last, f.mul(f.sub(f.sizeOf(memref, m), f.i64(1)), f.strideOf(memref, m)));
  return {begin, f.add(begin, f.mul(f.add(last, f.i64(1)), f.i64(bytes)))};
}

Value Access::isInsideAlongRows() {
  const Range &range = ranges[contiguous];
  Value result = f.compare(CmpIPredicate::eq, range.high, f.i32(index.shape[contiguous]));
  return range.low ? f.both(result, f.compare(CmpIPredicate::eq, range.low, f.i32(0))) : result;
}

Value Access::hasChunksIn(Bytes array, int64_t chunk, bool allRows, bool allAlong) {
  const int64_t inner = dims[contiguous];
  // The first and the last row of the tile, from the first element of the array.
  Value first = f.i64(0);
  for (auto [m, coord] : llvm::enumerate(coords))
    if (static_cast<int64_t>(m) != inner)
      first = f.add(first,
                    f.mul(f.toI64(f.scalar(coord)), f.strideOf(memref, static_cast<unsigned>(m))));
  Value last = first;
  for (auto [d, m] : llvm::enumerate(dims)) {
    if (m == inner)
      continue;
    Value stride = f.strideOf(memref, static_cast<unsigned>(m));
    Value steps = f.i64(index.shape[d] - 1);
    if (!allRows)
      steps = f.max(f.sub(f.toI64(ranges[d].high), f.i64(1)), f.i64(0));
    first = f.add(first, f.mul(steps, f.min(stride, f.i64(0))));
    last = f.add(last, f.mul(steps, f.max(stride, f.i64(0))));
  }
  auto inBytes = [&](Value elements) { return f.mul(elements, f.i64(bytes)); };
  Value along = inBytes(f.toI64(f.scalar(coords[inner])));
  // The chunk of the first element begins so many bytes before it.
  Value before =
      f.bitAnd(f.toI32(f.add(f.add(array.begin, inBytes(first)), along)), f.i32(chunk - 1));
  before = arith::ExtUIOp::create(f.b, f.loc, f.b.getI64Type(), before);
  Value least = f.sub(f.i64(0), inBytes(first));
  Value most = f.sub(f.sub(f.sub(array.end, array.begin), inBytes(last)), f.i64(2 * chunk));
  Value extent = allAlong ? f.i64(index.shape[contiguous]) : f.toI64(ranges[contiguous].high);
  return f.both(f.compare(CmpIPredicate::sge, f.sub(along, before), least),
                f.compare(CmpIPredicate::sle, f.add(along, inBytes(extent)), most));
}

void Access::beginPath() {
  rows.clear();
  places.clear();
  bounds.clear();
  for (Index &from : indices) {
    from.plain.clear();
    from.wide.clear();
    from.below.clear();
  }
  threadPointer = lastPointer = {};
  lastRow.reset();
  advanced = {};
  hiddenStrides.clear();
}

void Access::accesses(int64_t width, bool bounded,
                      llvm::function_ref<void(int64_t, int64_t, Value, Value, int64_t)> one) {
  beginPath();
  for (int64_t r = 0; r < index.size(); r += width) {
    if (index.deadEverywhere(r))
      continue;
    Value predicate = bounded ? inRange(r) : index.live(r);
    if (mask)
      predicate = f.both(predicate, (*mask)[maskRegs[r]]);
    auto [pointer, offset] = address(r);
    one(r, width, predicate, pointer, offset);
  }
}

Values Access::emit(TypeRange results, llvm::function_ref<void()> begin,
                    llvm::function_ref<void(int64_t, int64_t, Value, Value, int64_t)> one,
                    llvm::function_ref<Values()> finish) {
  auto path = [&](int64_t width, bool bounded) {
    begin();
    accesses(width, bounded, one);
    return finish();
  };
  auto branch = [&](Value condition, auto yes, auto no) -> Values {
    if (isTrue(condition))
      return yes();
    if (isConstantIntValue(condition, 0))
      return no();
    auto op = scf::IfOp::create(f.b, f.loc, results, condition, /*addThenBlock=*/true,
                                /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToEnd(op.thenBlock());
    scf::YieldOp::create(f.b, f.loc, yes());
    f.b.setInsertionPointToEnd(op.elseBlock());
    scf::YieldOp::create(f.b, f.loc, no());
    return Values(op.getResults());
  };
  auto bounded = [&] {
    auto wide = [&] { return path(vector, true); };
    auto single = [&] { return path(1, true); };
    return branch(aligned, wide, single);
  };
  // One path is half the code to compile. It is enough if there is a mask, which needs predicates
  // anyhow; for a single access, which is as fast with a predicate; and for many accesses of single
  // elements, which are slow in any case.
  constexpr int64_t kManySingles = 16;
  if (mask || !indices.empty() ||
      (!isTrue(inside) &&
       (index.size() <= vector || (vector == 1 && index.size() >= kManySingles))))
    return bounded();
  auto unbounded = [&] { return path(vector, false); };
  return branch(inside, unbounded, bounded);
}

//===--- load --------------------------------------------------------------------------------===//

std::string tessera::nvvm::wordList(StringRef prefix, size_t first, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return count > 1 ? "{" + list + "}" : list;
}

std::string tessera::nvvm::accessSuffix(int64_t bytes) {
  if (bytes <= 4)
    return ".b" + std::to_string(bytes * 8);
  return ".v" + std::to_string(bytes / 4) + ".b32";
}

StringRef tessera::nvvm::wordConstraint(Type word) { return word.isInteger(32) ? "r" : "h"; }

Values tessera::nvvm::predicatedLoad(Lowering &f, Value pointer, int64_t offset, int64_t bytes,
                                     Value predicate, ValueRange pads, bool invariant) {
  bool narrow = bytes == 1;
  SmallVector<std::pair<Type, StringRef>> outputs;
  SmallVector<Lowering::AsmInput> inputs;
  size_t n = pads.size();
  inputs.push_back({pointer, "l"});
  inputs.push_back({predicate, "b"});
  for (auto [i, pad] : llvm::enumerate(pads)) {
    Type type = narrow ? f.b.getI16Type() : pad.getType();
    outputs.push_back({type, wordConstraint(type)});
    Value in = narrow ? Value(arith::ExtUIOp::create(f.b, f.loc, type, pad)) : pad;
    inputs.push_back({in, std::to_string(i)});
  }
  std::string text = "@$" + std::to_string(n + 1) + " ld.global" + (invariant ? ".nc" : "") +
                     (narrow ? ".u8" : accessSuffix(bytes)) + " " + wordList("", 0, n) + ", [$" +
                     std::to_string(n) + "+" + std::to_string(offset) + "];";
  Values words = f.inlineAsm(text, outputs, inputs, !invariant, !invariant);
  if (narrow)
    words[0] = arith::TruncIOp::create(f.b, f.loc, f.b.getI8Type(), words[0]);
  return words;
}

/// A cta.load or cta.gather.
template <typename Op>
static LogicalResult lowerLoad(Lowering &f, Op op) {
  Access access(f, op, op.getSource(), op.getTileType());
  if (access.failed)
    return failure();
  Type element = access.type.getElementType();
  TypedAttr padAttr = tile::padValue(op.getPadAttr(), element);
  Value pad = padAttr ? f.constant(padAttr) : f.zero(element);
  Value storedPad = f.toMemory(pad);
  bool invariant = f.isInvariant(tile::rootOf(op.getSource()));
  int64_t size = access.index.size(), vector = access.vectorElements(), bytes = access.bytes;

  // Paths yield the words of whole vectors; or elements, if a vector has less than a word.
  bool byWords = vector * bytes >= 4;
  SmallVector<Type> types;
  for (int64_t r = 0; r < size; r += vector)
    if (!access.isDead(r)) {
      if (byWords)
        llvm::append_range(types, f.wordTypes(vector * bytes));
      else
        types.append(vector, access.element);
    }
  Values yielded, pending;
  auto one = [&](int64_t reg, int64_t count, Value predicate, Value pointer, int64_t offset) {
    Values words;
    if (isTrue(predicate)) {
      words = f.loadWords(pointer, offset, count * bytes, invariant);
    } else {
      Values pads = f.pack(Values(count, storedPad));
      words = predicatedLoad(f, pointer, offset, count * bytes, predicate, pads, invariant);
    }
    if (byWords && count == vector) {
      yielded.append(words);
      return;
    }
    // Element by element: collect what one vector would have loaded.
    pending.append(f.unpack(words, access.element, count));
    if (static_cast<int64_t>(pending.size()) < vector)
      return;
    yielded.append(byWords ? f.pack(pending) : pending);
    pending.clear();
  };
  auto begin = [&] { yielded.clear(); };
  auto finish = [&] { return yielded; };
  Values words = access.emit(types, begin, one, finish);

  Values regs;
  ValueRange rest = words;
  Value dead = f.zero(element);
  for (int64_t r = 0; r < size; r += vector) {
    if (access.isDead(r)) {
      regs.append(vector, dead);
      continue;
    }
    size_t n = byWords ? f.wordTypes(vector * bytes).size() : vector;
    Values elements =
        byWords ? f.unpack(rest.take_front(n), access.element, vector) : Values(rest.take_front(n));
    for (Value e : elements)
      regs.push_back(f.fromMemory(e, element));
    rest = rest.drop_front(n);
  }
  f.set(op.getResult(), std::move(regs));
  return success();
}

//===--- store -------------------------------------------------------------------------------===//

static void predicatedStore(Lowering &f, Value pointer, int64_t offset, int64_t bytes,
                            Value predicate, ValueRange words) {
  bool narrow = bytes == 1;
  SmallVector<Lowering::AsmInput> inputs{{pointer, "l"}, {predicate, "b"}};
  for (Value word : words) {
    if (narrow)
      word = arith::ExtUIOp::create(f.b, f.loc, f.b.getI16Type(), word);
    inputs.push_back({word, wordConstraint(word.getType()).str()});
  }
  std::string text = std::string("@$1 st.global") + (narrow ? ".u8" : accessSuffix(bytes)) +
                     " [$0+" + std::to_string(offset) + "], " + wordList("", 2, words.size()) + ";";
  f.inlineAsm(text, {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// A cta.store or cta.scatter.
template <typename Op>
static LogicalResult lowerStore(Lowering &f, Op op) {
  Access access(f, op, op.getDest(), op.getTileType());
  if (access.failed)
    return failure();
  Values elements;
  for (Value reg : f.registers(op.getValue()))
    elements.push_back(f.toMemory(reg));
  Value owner = f.isOwner(access.index.layout);
  auto one = [&](int64_t reg, int64_t count, Value predicate, Value pointer, int64_t offset) {
    Values words = f.pack(ValueRange(elements).slice(reg, count));
    predicate = f.both(predicate, owner);
    if (isTrue(predicate))
      f.storeWords(words, pointer, offset, count * access.bytes);
    else
      predicatedStore(f, pointer, offset, count * access.bytes, predicate, words);
  };
  auto nothing = [] {};
  auto none = [] { return Values(); };
  access.emit({}, nothing, one, none);
  return success();
}

void tessera::nvvm::populateGlobalAccessLowerings(LoweringSet &set) {
  addLowering(set, lowerLoad<cta::LoadOp>);
  addLowering(set, lowerLoad<cta::GatherOp>);
  addLowering(set, lowerStore<cta::StoreOp>);
  addLowering(set, lowerStore<cta::ScatterOp>);
}
