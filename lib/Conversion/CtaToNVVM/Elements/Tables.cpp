// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private tables: cta.table, cta.flush, and cta.atomic into a table.
//
// Element i of a table, in row-major order, has its copies in the places i * copies to (i + 1) *
// copies - 1. The thread of lane l uses copy l mod copies. With 32 copies each lane has a bank of
// its own, so that no two lanes ever meet, whatever the data is.
//
// Shared memory has atomics of 32 bits. A sum of 64 bits is made of two: each step adds its lower
// half, and from what was there it knows whether it carries into the upper half. Steps on the lower
// half happen one after the other, so that as many of them carry as the sum of all lower halves
// exceeds 2^32, and both halves are right in the end. Few steps of small numbers have an upper
// half.
#include "Atomics.h"

#include "tessera/Dialect/Tile/AtomicStep.h"
#include "tessera/Dialect/Tile/PrivateTables.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using arith::CmpIPredicate;
using tile::AtomicKind;

namespace {
/// A table in the code of a thread.
class Table {
public:
  Table(Lowering &f, cta::TableOp op)
      : f(f), op(op), element(op.getSmemType().getElementType()),
        bytes(tile::elementBytes(element)), copies(f.i32(1)) {
    if (op.getCopies())
      copies = f.toI32(f.scalar(op.getCopies()));
    Value product = f.i32(1);
    SmallVector<Value> sizes;
    for (int64_t dim : op.getDims())
      sizes.push_back(f.toI32(f.sizeOf(op.getOf(), static_cast<unsigned>(dim))));
    strides.resize(op.getMemRefType().getRank());
    for (auto [dim, size] : llvm::reverse(llvm::zip_equal(op.getDims(), sizes))) {
      strides[dim] = f.mul(product, f.mul(copies, f.i32(bytes)));
      product = f.mul(product, size);
    }
    count = product;
    if (std::optional<SharedPlace> place = f.placeOf(op.getResult()))
      base = f.gep(place->base, place->offset);
  }

  /// Reports an error if the table has no place.
  LogicalResult check(Operation *user) {
    if (base)
      return success();
    return f.error(user, "the table has no offset: run cta-allocate-shared before this pass");
  }
  bool hasCopies() const { return getConstantIntValue(copies) != int64_t(1); }
  /// The copy that a lane uses, or the one that is `after` behind it, as an i32.
  Value copyOfLane(Value after = {}) {
    Value lane = after ? f.add(f.lane(), after) : f.lane();
    return f.bitAnd(lane, f.sub(copies, f.i32(1)));
  }
  Value identity() { return f.constant(tile::identityOfAtomic(op.getKind(), element)); }
  Value load(Value pointer) {
    Values words = f.loadWords(pointer, 0, bytes, /*invariant=*/false);
    return f.fromMemory(f.unpack(words, f.memoryType(element), 1).front(), element);
  }
  Value combine(Value x, Value y) { return tile::combineAtomic(f.b, f.loc, op.getKind(), x, y); }

  Lowering &f;
  cta::TableOp op;
  Type element;
  int64_t bytes;
  Value copies;   ///< of each element, i32
  Values strides; ///< by dimension of the memref, in bytes; null where the table has none
  Value count;    ///< elements, i32
  Value base;
};
} // namespace

/// Calls `body` with every `steps`-th number below `end` from the one of the thread on.
static void forEachOfThread(Lowering &f, Value end, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(f.b, f.loc, f.threadId(), end, f.i32(f.threads()));
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===--- clearing ----------------------------------------------------------------------------===//

static LogicalResult lowerTable(Lowering &f, cta::TableOp op) {
  Table table(f, op);
  if (failed(table.check(op)))
    return failure();
  // Whole vectors, also of the last few elements, if there is room.
  constexpr int64_t kVectorBytes = 16;
  const int64_t room = op.getSmemType().getShape()[0] * table.bytes,
                vector = room % kVectorBytes ? table.bytes : kVectorBytes;
  const Values elements(vector / table.bytes, f.toMemory(table.identity()));
  const Values words = f.pack(elements);
  Value end = f.mul(table.count, table.copies);
  if (const auto inVector = static_cast<int64_t>(elements.size()); inVector > 1)
    end = arith::DivUIOp::create(f.b, f.loc, f.add(end, f.i32(inVector - 1)), f.i32(inVector));
  forEachOfThread(f, end, [&](Value i) {
    f.storeWords(words, f.gep(table.base, f.mul(i, f.i32(vector))), 0, vector);
  });
  return success();
}

//===--- steps -------------------------------------------------------------------------------===//

/// The instruction of shared memory on 32 bits.
static StringRef instructionOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return "add.u32";
  case AtomicKind::Min:
    return "min.s32";
  case AtomicKind::Max:
    return "max.s32";
  case AtomicKind::UMin:
    return "min.u32";
  case AtomicKind::UMax:
    return "max.u32";
  case AtomicKind::And:
    return "and.b32";
  case AtomicKind::Or:
    return "or.b32";
  case AtomicKind::Xor:
    return "xor.b32";
  case AtomicKind::Exchange:
  case AtomicKind::Cas:
    return "";
  }
  return "";
}

/// `[$0+8]`.
static std::string addressAt(int64_t offset) { return "[$0+" + std::to_string(offset) + "]"; }

namespace {
/// A step of which the lower half has been added: what was there before.
struct HalfStep {
  Value pointer;
  int64_t offset;
  Value predicate, low, high, before;
};
} // namespace

/// One step by instructions of shared memory. `words` are the halves of the value, or all of it.
static void stepByInstruction(Lowering &f, AtomicKind kind, Value pointer, int64_t offset,
                              Value predicate, ValueRange words) {
  SmallVector<Lowering::AsmInput> inputs{{pointer, "r"}};
  std::string guard, text;
  for (Value word : words)
    inputs.push_back({word, "r"});
  if (!isTrue(predicate)) {
    inputs.push_back({predicate, "b"});
    guard = "@$" + std::to_string(words.size() + 1) + " ";
  }
  for (size_t i = 0; i < words.size(); ++i)
    text += (i ? "\n\t" : "") + guard + "red.relaxed.cta.shared." + instructionOf(kind).str() +
            " " + addressAt(offset + 4 * static_cast<int64_t>(i)) + ", $" + std::to_string(i + 1) +
            ";";
  f.inlineAsm(text, {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

/// Adds the lower half of a sum.
static Value addLow(Lowering &f, Value pointer, int64_t offset, Value predicate, Value low) {
  SmallVector<Lowering::AsmInput> inputs{{pointer, "r"}, {low, "r"}, {f.i32(0), "0"}};
  std::string text = "atom.relaxed.cta.shared.add.u32 $0, [$1+" + std::to_string(offset) + "], $2;";
  if (!isTrue(predicate)) {
    inputs.push_back({predicate, "b"});
    text = "@$4 " + text;
  }
  return f
      .inlineAsm(text, {{f.b.getI32Type(), "r"}}, inputs, /*sideEffects=*/true,
                 /*memoryClobber=*/true)
      .front();
}

/// Adds the upper half and what the lower half carries, if that is anything.
static void addHigh(Lowering &f, const HalfStep &step) {
  Value sum = f.add(step.before, step.low);
  Value carries = f.compare(CmpIPredicate::ult, sum, step.low);
  Value high = f.add(step.high, arith::ExtUIOp::create(f.b, f.loc, f.b.getI32Type(), carries));
  Value changes = f.compare(CmpIPredicate::ne, high, f.i32(0));
  stepByInstruction(f, AtomicKind::Add, step.pointer, step.offset + 4,
                    f.both(changes, step.predicate), high);
}

/// One step by a load and a store: no other thread meets the element meanwhile.
static void stepByOwner(Lowering &f, Table &table, Value pointer, int64_t offset, Value predicate,
                        Value value) {
  Value address = f.gep(pointer, offset);
  auto step = [&] {
    Value next = f.toMemory(table.combine(table.load(address), value));
    f.storeWords(f.pack(next), address, 0, table.bytes);
  };
  if (isTrue(predicate))
    return step();
  auto branch = scf::IfOp::create(f.b, f.loc, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  step();
}

LogicalResult tessera::nvvm::lowerStepsInTable(Lowering &f, cta::AtomicOp op) {
  Table table(f, op.getTable());
  Access access(f, op, op.getDest(), op.getTileType());
  if (access.failed || failed(table.check(op)))
    return failure();
  Value base = table.base;
  if (table.hasCopies())
    base = f.gep(base, f.mul(table.copyOfLane(), f.i32(table.bytes)));
  access.redirect({base, table.strides});
  const Values values = f.registers(op.getValue());
  Value owner = f.isOwner(access.index.layout);
  const bool byInstruction = op.hasSharedSteps();
  SmallVector<HalfStep> halves;
  access.emitBounded(
      [&](int64_t reg, int64_t count, Value predicate, Value pointer, int64_t offset) {
        predicate = f.both(predicate, owner);
        for (int64_t i = 0; i < count; ++i) {
          Value value = values[reg + i];
          const int64_t at = offset + i * table.bytes;
          if (!byInstruction) {
            stepByOwner(f, table, pointer, at, predicate, value);
            continue;
          }
          const Values words = f.pack(f.toMemory(value));
          if (words.size() == 1 || op.getKind() != AtomicKind::Add) {
            stepByInstruction(f, op.getKind(), pointer, at, predicate, words);
            continue;
          }
          Value before = addLow(f, pointer, at, predicate, words[0]);
          halves.push_back({pointer, at, predicate, words[0], words[1], before});
        }
      });
  // All lower halves are on their way before the first one is awaited.
  for (const HalfStep &half : halves)
    addHigh(f, half);
  return success();
}

//===--- adding to global memory -------------------------------------------------------------===//

/// The address of an element of the table in global memory.
static Value addressOf(Lowering &f, Table &table, cta::FlushOp op, Value number) {
  MemRefType type = op.getMemRefType();
  const int64_t rank = type.getRank();
  ArrayRef<int64_t> dims = table.op.getDims();
  Value offset = f.i64(0);
  auto add = [&](Value coord, int64_t dim) {
    offset =
        f.add(offset, f.mul(f.toI64(coord), f.strideOf(op.getDest(), static_cast<unsigned>(dim))));
  };
  auto coords = op.getCoords().begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim))
      add(f.scalar(*coords++), dim);
  const auto first = rank - static_cast<int64_t>(dims.size());
  const bool isContiguous =
      type.getLayout().isIdentity() && llvm::equal(dims, llvm::seq<int64_t>(first, rank));
  if (isContiguous) {
    offset = f.add(offset, f.toI64(number));
  } else {
    for (int64_t dim : llvm::reverse(dims)) {
      Value coord = number;
      if (dim != dims.front()) {
        Value size = f.toI32(f.sizeOf(op.getDest(), static_cast<unsigned>(dim)));
        coord = arith::RemUIOp::create(f.b, f.loc, number, size);
        number = arith::DivUIOp::create(f.b, f.loc, number, size);
      }
      add(coord, dim);
    }
  }
  return f.gep(f.pointerOf(op.getDest()), f.mul(offset, f.i64(table.bytes)));
}

/// What all copies of an element make together. Neighbouring lanes begin with different copies, and
/// so with different banks.
static Value sumOfCopies(Lowering &f, Table &table, Value number) {
  if (!table.hasCopies())
    return table.load(f.gep(table.base, f.mul(number, f.i32(table.bytes))));
  Value first = f.gep(table.base, f.mul(number, f.mul(table.copies, f.i32(table.bytes))));
  auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), table.copies, f.i32(1), table.identity());
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(loop.getBody());
  Value copy = table.copyOfLane(loop.getInductionVar());
  Value one = table.load(f.gep(first, f.mul(copy, f.i32(table.bytes))));
  scf::YieldOp::create(f.b, f.loc, table.combine(loop.getRegionIterArg(0), one));
  return loop.getResult(0);
}

static LogicalResult lowerFlush(Lowering &f, cta::FlushOp op) {
  Table table(f, op.getTableOp());
  if (failed(table.check(op)))
    return failure();
  // All blocks end at about the same time, so they begin at different elements.
  auto range = LLVM::ConstantRangeAttr::get(f.context, APInt(32, 0), APInt(32, 0x7fffffff));
  Value block = NVVM::BlockIdXOp::create(f.b, f.loc, f.b.getI32Type(), range);
  Value begin = arith::RemUIOp::create(f.b, f.loc, f.mul(block, f.i32(f.threads())),
                                       f.max(table.count, f.i32(1)));
  const auto bits = f.b.getIntegerType(static_cast<unsigned>(table.bytes) * 8);
  auto asBits = [&](Value x) { return f.bitcast(f.toMemory(x), bits); };
  forEachOfThread(f, table.count, [&](Value i) {
    Value behind = f.add(i, begin);
    Value isOver = f.compare(CmpIPredicate::uge, behind, table.count);
    Value number = f.select(isOver, f.sub(behind, table.count), behind);
    Value sum = sumOfCopies(f, table, number);
    Value changes = f.compare(CmpIPredicate::ne, asBits(sum), asBits(table.identity()));
    makeStep(f, table.op.getKind(), table.element, addressOf(f, table, op, number), changes, sum);
  });
  return success();
}

void tessera::nvvm::populateTableLowerings(LoweringSet &set) {
  addLowering(set, lowerTable);
  addLowering(set, lowerFlush);
}
