// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta.put_partial and cta.add_partial: accumulators go from one block to another through global
// memory.
//
// The blocks have the same threads and the tile has the same layout, so the thread with the same
// number reads a thread's registers. Four registers of all threads are stored next to each other
// (16 bytes a thread: whole sectors), then the next four. Warps synchronise with warps: each has a
// flag, and no barrier of the block is needed. One lane releases the flag after a barrier of the
// warp, and all lanes acquire it (PTX ISA, memory consistency model: the barrier makes the warp's
// stores part of the release).
#include "Lowering.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

using arith::CmpIPredicate;

namespace {
/// A slot of the workspace, and this warp's flag for it.
class Partial {
public:
  template <typename Op>
  Partial(Lowering &f, Op op)
      : f(f), group(cta::FragAttr::of(op.getValue().getType()).getWgCount()) {
    auto type = cast<RankedTensorType>(op.getValue().getType());
    Value slot = f.toI64(f.scalar(op.getSlot()));
    Value bytes = f.i64(4 * type.getNumElements());
    Value data = f.gep(f.pointerOf(op.getSlots()), f.mul(slot, bytes));
    mine = f.gep(data, f.mul(f.threadId(), f.i32(16)));
    Value flags = f.gep(f.pointerOf(op.getFlags()), f.mul(slot, f.i64(16 * group)));
    flag = f.gep(flags, f.mul(f.warpInBlock(), f.i32(4)));
  }

  /// The byte offset, relative to `mine`, of the access that begins with this register.
  int64_t offset(int64_t reg) const { return reg / 4 * 16 * 128 * group + reg % 4 * 4; }

  void inFirstLane(llvm::function_ref<void()> body) {
    Value first = f.compare(CmpIPredicate::eq, f.lane(), f.i32(0));
    auto branch = scf::IfOp::create(f.b, f.loc, first, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(&branch.getThenRegion().front());
    body();
  }

  Lowering &f;
  int64_t group; // warpgroups
  Value mine, flag;
};
} // namespace

/// Registers of one access: four, and at the end the remaining ones, whose number must be a power
/// of two.
static int64_t widthAt(int64_t reg, int64_t size) {
  int64_t left = size - reg;
  return left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

static LogicalResult lowerPutPartial(Lowering &f, cta::PutPartialOp op) {
  Values regs = f.registers(op.getValue());
  Partial partial(f, op);
  auto size = static_cast<int64_t>(regs.size());
  for (int64_t r = 0, width; r < size; r += width) {
    width = widthAt(r, size);
    Values words;
    for (Value reg : ValueRange(regs).slice(r, width))
      words.push_back(f.bitcast(reg, f.b.getI32Type()));
    f.storeWords(words, partial.mine, partial.offset(r), 4 * width);
  }
  NVVM::SyncWarpOp::create(f.b, f.loc, f.i32(-1));
  partial.inFirstLane([&] {
    f.inlineAsm("st.release.gpu.global.u32 [$0], 1;", {}, {{partial.flag, "l"}},
                /*sideEffects=*/true, /*memoryClobber=*/true);
  });
  return success();
}

static LogicalResult lowerAddPartial(Lowering &f, cta::AddPartialOp op) {
  Values regs = f.registers(op.getValue());
  Partial partial(f, op);
  f.inlineAsm("{\n\t.reg .pred there;\n\t.reg .b32 flag;\n"
              "partial_${:uid}:\n\t"
              "ld.acquire.gpu.global.u32 flag, [$0];\n\t"
              "setp.ne.u32 there, flag, 0;\n\t"
              "@!there bra partial_${:uid};\n\t}",
              {}, {{partial.flag, "l"}}, /*sideEffects=*/true, /*memoryClobber=*/true);
  Type element = cast<RankedTensorType>(op.getValue().getType()).getElementType();
  auto size = static_cast<int64_t>(regs.size());
  Values sums;
  for (int64_t r = 0, width; r < size; r += width) {
    width = widthAt(r, size);
    Values words = f.loadWords(partial.mine, partial.offset(r), 4 * width, /*invariant=*/false);
    for (auto [i, word] : llvm::enumerate(words)) {
      Value other = f.bitcast(word, element);
      sums.push_back(isa<FloatType>(element)
                         ? Value(arith::AddFOp::create(f.b, f.loc, regs[r + i], other))
                         : f.add(regs[r + i], other));
    }
  }
  // No other block reads or fills the slot in this launch.
  NVVM::SyncWarpOp::create(f.b, f.loc, f.i32(-1));
  partial.inFirstLane([&] {
    f.inlineAsm("st.relaxed.gpu.global.u32 [$0], 0;", {}, {{partial.flag, "l"}},
                /*sideEffects=*/true, /*memoryClobber=*/true);
  });
  f.set(op.getResult(), std::move(sums));
  return success();
}

void tessera::nvvm::populatePartialLowerings(LoweringSet &set) {
  addLowering(set, lowerPutPartial);
  addLowering(set, lowerAddPartial);
}
