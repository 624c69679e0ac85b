// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Thread numbers, and the coordinates of the registers of a layout.
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using arith::CmpIPredicate;

Value Lowering::threadId() {
  if (!tid) {
    Preamble preamble(*this);
    auto range = LLVM::ConstantRangeAttr::get(context, APInt(32, 0),
                                              APInt(32, static_cast<uint64_t>(numThreads)));
    tid = NVVM::ThreadIdXOp::create(b, func.getLoc(), b.getI32Type(), range);
  }
  return tid;
}

Value Lowering::lane() {
  if (!laneId) {
    Preamble preamble(*this);
    laneId = bitAnd(threadId(), i32(31));
  }
  return laneId;
}

Value Lowering::warpInBlock() {
  if (!warpId) {
    Preamble preamble(*this);
    Value warp = arith::ShRUIOp::create(b, loc, threadId(), i32(5));
    warpId = shuffleIndex(warp, i32(0));
  }
  return warpId;
}

Value Lowering::clusterRank() {
  if (!rankInCluster) {
    Preamble preamble(*this);
    rankInCluster = NVVM::BlockInClusterIdXOp::create(b, func.getLoc(), b.getI32Type());
  }
  return rankInCluster;
}

Value Lowering::warpgroup() {
  if (numThreads <= 128)
    return i32(0);
  if (!groupId) {
    Preamble preamble(*this);
    groupId = arith::ShRUIOp::create(b, loc, warpInBlock(), i32(2));
  }
  return groupId;
}

Value Lowering::replica() {
  if (scope.replicas == 1)
    return {};
  Value &number = replicaNumbers[scope.key()];
  if (!number) {
    Preamble preamble(*this);
    number = warpInBlock();
    if (scope.firstWarp)
      number = sub(number, i32(scope.firstWarp));
    number = arith::DivUIOp::create(b, loc, number, i32(scope.warps));
  }
  return number;
}

Value Lowering::isFirstThread() {
  Value &first = firstThreads[scope.key()];
  if (!first) {
    Preamble preamble(*this);
    Value number = i32(32 * scope.firstWarp);
    if (Value group = replica())
      number = add(number, mul(group, i32(32 * scope.warps)));
    first = compare(CmpIPredicate::eq, threadId(), number);
  }
  return first;
}

void Lowering::inFirstThread(llvm::function_ref<void()> body) {
  if (scope.elected)
    return body();
  auto branch = scf::IfOp::create(b, loc, isFirstThread(), /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

void Lowering::inFirstThreads(llvm::function_ref<void()> body) {
  if (scope.elected || scope.warps <= 4 || scope.warps % 4)
    return inFirstThread(body);
  if (!groupFirst) {
    Preamble preamble(*this);
    groupFirst = compare(CmpIPredicate::eq, bitAnd(threadId(), i32(127)), i32(0));
  }
  auto branch = scf::IfOp::create(b, loc, groupFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

void Lowering::meet(bool ofWarpgroup) {
  if (scope.elected)
    return;
  if (ofWarpgroup && scope.warps > 4) {
    Value id = add(warpgroup(), i32(kFirstWarpgroupBarrier));
    NVVM::BarrierOp::create(b, loc, TypeRange(), id, i32(128), NVVM::BarrierReductionAttr(),
                            Value());
    return;
  }
  if (scope.barrier == 0)
    NVVM::Barrier0Op::create(b, loc);
  else {
    Value id = i32(scope.barrier);
    if (Value group = replica())
      id = add(id, group);
    NVVM::BarrierOp::create(b, loc, TypeRange(), id, i32(32 * scope.warps),
                            NVVM::BarrierReductionAttr(), Value());
  }
}

Value Lowering::vote(Value condition, bool ofWarp) {
  if (scope.elected)
    return condition;
  if (ofWarp || scope.warps == 1)
    return NVVM::VoteSyncOp::create(b, loc, b.getI1Type(), i32(-1), condition,
                                    NVVM::VoteSyncKind::any);
  if (scope.barrier == 0) {
    auto combine = NVVM::BarrierReductionAttr::get(context, NVVM::BarrierReduction::OR);
    Value number = arith::ExtUIOp::create(b, loc, b.getI32Type(), condition);
    auto barrier = NVVM::BarrierOp::create(b, loc, TypeRange{b.getI32Type()}, Value(), Value(),
                                           combine, number);
    return compare(CmpIPredicate::ne, barrier.getRes(), i32(0));
  }
  // nvvm.barrier reduces at barrier 0 only.
  Value id = i32(scope.barrier);
  if (Value group = replica())
    id = add(id, group);
  return LLVM::CallIntrinsicOp::create(
             b, loc, b.getI1Type(), b.getStringAttr("llvm.nvvm.barrier.cta.red.or.aligned.count"),
             ValueRange{id, i32(32 * scope.warps), condition})
      .getResults();
}

Value Lowering::threadSum(ArrayRef<int64_t> laneVectors, ArrayRef<int64_t> warpVectors,
                          int64_t perGroup) {
  std::vector<int64_t> vectors(laneVectors.begin(), laneVectors.end());
  vectors.insert(vectors.end(), warpVectors.begin(), warpVectors.end());
  std::vector<int64_t> key = vectors;
  key.push_back(perGroup);
  auto [it, isNew] = threadSums.try_emplace(key);
  if (!isNew)
    return it->second;

  Preamble preamble(*this);
  // Source bits that move by the same distance are moved together.
  std::map<int, int64_t> masks;
  for (auto [i, vector] : llvm::enumerate(vectors))
    for (int bit = 0; bit < 31; ++bit)
      if (vector >> bit & 1)
        masks[bit - static_cast<int>(i)] |= int64_t(1) << i;
  Value sum;
  int64_t seen = 0;
  int64_t threadMask = (int64_t(1) << vectors.size()) - 1;
  for (auto [distance, mask] : masks) {
    Value term = threadId();
    // A mask of all bits of the only warpgroup is not needed.
    if (mask != threadMask || (int64_t(1) << vectors.size()) != numThreads)
      term = bitAnd(term, i32(mask));
    if (distance > 0)
      term = arith::ShLIOp::create(b, loc, term, i32(distance));
    else if (distance < 0)
      term = arith::ShRUIOp::create(b, loc, term, i32(-distance));
    int64_t bits = distance >= 0 ? mask << distance : mask >> -distance;
    if (!sum)
      sum = term;
    else if (seen & bits)
      sum = arith::XOrIOp::create(b, loc, sum, term);
    else
      sum = arith::OrIOp::create(b, loc, sum, term);
    seen |= bits;
  }
  if (perGroup) {
    Value group =
        arith::ShRUIOp::create(b, loc, threadId(), i32(static_cast<int64_t>(vectors.size())));
    Value part = mul(group, i32(perGroup));
    sum = sum ? add(sum, part) : part;
  }
  threadSums[key] = sum;
  return sum;
}

Value Lowering::isOwner(const layout::RegisterLayout &layout) {
  layout::ThreadBits mask = layout.ownerMask();
  int64_t bits = mask.lanes | int64_t(mask.warps) << layout::kLaneBits;
  int64_t groupBit = int64_t(32) << layout.warps.size();
  if (mask.wg) // all higher bits are the number of the warpgroup
    bits |= static_cast<int32_t>(-groupBit);
  if (!bits)
    return {};
  Preamble preamble(*this);
  return compare(CmpIPredicate::eq, bitAnd(threadId(), i32(bits)), i32(0));
}

//===--- shuffles ----------------------------------------------------------------------------===//

Value Lowering::shuffle(Value x, Value by, NVVM::ShflKind kind, int64_t clamp, Value *inside) {
  Type type = x.getType();
  auto one = [&](Value word) -> Value {
    Type result = word.getType();
    if (inside)
      result = LLVM::LLVMStructType::getLiteral(context, {result, b.getI1Type()});
    Value moved = NVVM::ShflOp::create(b, loc, result, i32(-1), word, by, i32(clamp), kind,
                                       inside ? b.getUnitAttr() : UnitAttr());
    if (!inside)
      return moved;
    *inside = LLVM::ExtractValueOp::create(b, loc, moved, 1);
    return LLVM::ExtractValueOp::create(b, loc, moved, 0);
  };
  if (type.isF32() || type.isInteger(32))
    return one(x);
  if (type.isIndex())
    return toIndex(shuffle(toI64(x), by, kind, clamp, inside));
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(b, loc, type,
                                   one(arith::ExtUIOp::create(b, loc, b.getI32Type(), x)));
  if (const unsigned bits = type.getIntOrFloatBitWidth(); bits < 32)
    return bitcast(shuffle(bitcast(x, b.getIntegerType(bits)), by, kind, clamp, inside), type);
  Values words;
  for (Value word : pack({x}))
    words.push_back(one(word));
  return unpack(words, type, 1).front();
}

Value Lowering::shuffleFrom(Value x, int64_t distance, bool above, int groupBits, Value &inside) {
  // The upper byte holds the bits of the lane that name the group (PTX ISA, shfl.sync).
  const int64_t group = (32 - (int64_t(1) << groupBits)) << 8;
  return shuffle(x, i32(distance), above ? NVVM::ShflKind::down : NVVM::ShflKind::up,
                 above ? group | 31 : group, &inside);
}
Value Lowering::shuffleXor(Value x, int64_t laneMask) {
  return shuffle(x, i32(laneMask), NVVM::ShflKind::bfly);
}
Value Lowering::shuffleIndex(Value x, Value sourceLane) {
  return shuffle(x, sourceLane, NVVM::ShflKind::idx);
}

//===--- registers of a tile -----------------------------------------------------------------===//

TileIndex::TileIndex(Lowering &f, RankedTensorType type)
    : TileIndex(f, cta::FragAttr::of(type).layout(), cta::coordOf(type.getShape())) {}

TileIndex::TileIndex(Lowering &f, const layout::RegisterLayout &l, layout::Coord extents)
    : f(f), layout(l), shape(std::move(extents)), base(l.baseShape()),
      count(l.numRegisters(shape)) {
  layout::Coord reps = layout.repeats(shape);
  for (int64_t r = 0; r < count; ++r)
    coords.push_back(layout.registerCoord(shape, r));
  for (int d = 0; d < rank(); ++d) {
    int64_t regs = 0, threads = 0;
    for (const layout::Coord &v : layout.regs)
      regs |= v[d];
    for (const auto *basis : {&layout.lanes, &layout.warps})
      for (const layout::Coord &v : *basis)
        threads |= v[d];
    separable.push_back(!(regs & threads));
    perGroup.push_back(layout.wgDim == d ? base[d] * reps[d] : 0);
    maxThread.push_back((separable[d] ? threads : base[d] - 1) +
                        (layout.wgCount - 1) * perGroup[d]);
    std::vector<int64_t> lanes, warps;
    for (const layout::Coord &v : layout.lanes)
      lanes.push_back(v[d]);
    for (const layout::Coord &v : layout.warps)
      warps.push_back(v[d]);
    threadParts.push_back(f.threadSum(lanes, warps, separable[d] ? perGroup[d] : 0));
  }
}

RegCoord TileIndex::at(int64_t reg, int dim) {
  int64_t constant = coords[reg][dim];
  if (separable[dim])
    return {threadParts[dim], constant};
  int64_t inBase = constant & (base[dim] - 1);
  Value &value = mixed[{dim, inBase}];
  if (!value) {
    Lowering::Preamble preamble(f);
    value = f.bitXor(threadParts[dim] ? threadParts[dim] : f.i32(0), f.i32(inBase));
    if (perGroup[dim])
      value = f.add(value, f.threadSum(std::vector<int64_t>(layout.lanes.size()),
                                       std::vector<int64_t>(layout.warps.size()), perGroup[dim]));
  }
  return {value, constant - inBase};
}

bool TileIndex::deadEverywhere(int64_t reg) {
  for (int d = 0; d < rank(); ++d)
    if (at(reg, d).constant >= shape[d])
      return true;
  return false;
}

Value TileIndex::live(int64_t reg) {
  Value live;
  for (int d = 0; d < rank(); ++d)
    live = f.both(live, liveAlong(reg, d));
  return live;
}

Value TileIndex::liveAlong(int64_t reg, int dim) {
  RegCoord c = at(reg, dim);
  if (c.constant + maxThread[dim] < shape[dim])
    return {};
  if (!c.thread)
    return c.constant >= shape[dim] ? f.boolean(false) : Value();
  Value &cached = liveness[{dim, coords[reg][dim]}];
  if (!cached) {
    Lowering::Preamble preamble(f);
    cached = f.compare(CmpIPredicate::slt, c.thread, f.i32(shape[dim] - c.constant));
  }
  return cached;
}

Value TileIndex::value(RegCoord c) {
  return c.thread ? f.add(c.thread, f.i32(c.constant)) : f.i32(c.constant);
}

FailureOr<std::vector<int64_t>>
tessera::nvvm::matchRegisters(const layout::RegisterLayout &from, const layout::Coord &fromShape,
                              const layout::RegisterLayout &to, const layout::Coord &toShape,
                              llvm::function_ref<layout::Coord(const layout::Coord &)> map) {
  layout::RegisterTile source(from, fromShape);
  std::vector<int64_t> result;
  for (int64_t r = 0, n = to.numRegisters(toShape); r < n; ++r) {
    layout::Coord at = to.coord(toShape, r, 0, 0, 0);
    bool dead = false;
    for (size_t d = 0; d < at.size(); ++d)
      dead |= at[d] >= toShape[d];
    if (dead) {
      result.push_back(-1);
      continue;
    }
    layout::Coord c = map(at);
    layout::RegisterTile::Point p = {};
    for (size_t d = 0; d < c.size(); ++d)
      p[d] = c[d];
    layout::Location l = source.locate(p);
    if (!source.holds(l, 0, 0, 0))
      return failure();
    result.push_back(l.reg);
  }
  return result;
}
