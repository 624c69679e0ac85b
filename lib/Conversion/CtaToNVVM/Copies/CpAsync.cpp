// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cp.async moves pieces of 4, 8 or 16 bytes that are aligned in both memories. The source size of a
// piece says how much of it is inside the array; the rest is filled with zeros. A variable source
// size costs seven instructions for a piece (the machine instruction has it in the address), so a
// tile that lies completely inside takes a path without it. All or nothing is a predicate of the
// machine instruction: so each index of an index tile costs a comparison.
#include "ThreadCopy.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

/// Issues one piece. Bounds are compared inside the instruction's asm: LLVM would compute
/// comparisons of its own for all pieces before a loop, and a thread has no registers for that. If
/// `live` is false nothing is written; that is the case of elements that the tile does not have. 16
/// bytes bypass L1; PTX cannot bypass it for fewer.
///
/// The L2 hint of the copy is not passed on: ptxas (12.8, 13.0) makes an instruction of
/// `.L2::cache_hint` that the GPU takes for an illegal one where it finds that the address in
/// shared memory has a uniform part (LDGSTS [R+UR0], desc[UR1]).
static void issue(Lowering &f, std::pair<Value, int64_t> to, std::pair<Value, int64_t> from,
                  int64_t bytes, const Access::Inside &inside, Value live) {
  SmallVector<Lowering::AsmInput> inputs;
  auto input = [&](Value value, StringRef constraint) {
    inputs.push_back({value, constraint.str()});
    return "$" + std::to_string(inputs.size() - 1);
  };
  std::string copy = "cp.async." + std::string(bytes == 16 ? "cg" : "ca") + ".shared.global [" +
                     input(to.first, "r") + "+" + std::to_string(to.second) + "], [" +
                     input(from.first, "l") + "+" + std::to_string(from.second) + "], " +
                     std::to_string(bytes);
  if (!isTrue(live))
    copy = "@" + input(live, "b") + " " + copy;
  std::string test;
  for (const Access::Inside::Bound &bound : inside.bounds)
    test += std::string("setp.") + (bound.below ? "gt" : "le") + (test.empty() ? "" : ".and") +
            ".s32 in, " + input(bound.number, "r") + ", " + std::to_string(bound.constant) +
            (test.empty() ? ";\n\t" : ", in;\n\t");
  for (const Access::Inside::Index &at : inside.indices) {
    const bool wide = at.index.getType().isInteger(64);
    const std::string constraint = wide ? "l" : "r";
    test += std::string("setp.lt") + (test.empty() ? "" : ".and") + (wide ? ".u64" : ".u32") +
            " in, " + input(at.index, constraint) + ", " + input(at.bound, constraint) +
            (test.empty() ? ";\n\t" : ", in;\n\t");
  }
  if (!isTrue(inside.outer)) {
    std::string outer = input(inside.outer, "b");
    test +=
        test.empty() ? "mov.pred in, " + outer + ";\n\t" : "and.pred in, in, " + outer + ";\n\t";
  }
  std::string all = inside.bytes ? input(inside.bytes, "r") : std::to_string(bytes);
  std::string text = copy + ";";
  if (!test.empty())
    text = "{\n\t.reg .pred in;\n\t.reg .b32 size;\n\t" + test + "selp.b32 size, " + all +
           ", 0, in;\n\t" + copy + ", size;\n\t}";
  else if (inside.bytes)
    text = copy + ", " + all + ";";
  f.inlineAsm(text, {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
}

static LogicalResult lowerCpAsync(Lowering &f, cta::CopyOp op) {
  FailureOr<std::unique_ptr<ThreadCopy>> made = ThreadCopy::make(f, op);
  if (failed(made))
    return failure();
  ThreadCopy &copy = **made;
  auto path = [&](bool bounded) {
    copy.access.beginPath();
    SharedTile to = copy.makeTile();
    for (int64_t r : copy.pieces)
      issue(f, to.address(r), copy.access.address(r), copy.pieceBytes(),
            bounded ? copy.access.insideOf(r) : copy.access.indicesInsideOf(r), copy.isMine(r));
  };
  branchOn(
      f, copy.access.isInside(), [&] { path(/*bounded=*/false); }, [&] { path(/*bounded=*/true); });
  return success();
}

LogicalResult tessera::nvvm::lowerCopyByThreads(Lowering &f, cta::CopyOp op) {
  return op.isShifted() ? lowerShiftedCopies(f, op) : lowerCpAsync(f, op);
}

static LogicalResult lowerCommitCopies(Lowering &f, cta::CommitCopiesOp op) {
  NVVM::CpAsyncCommitGroupOp::create(f.b, op.getLoc());
  return success();
}

static LogicalResult lowerAwaitCopies(Lowering &f, cta::AwaitCopiesOp op) {
  // Inline asm for its memory clobber: reads of what is copied must not move before it.
  std::string text = "cp.async.wait_all;";
  if (op.getPending())
    text = "cp.async.wait_group " + std::to_string(*op.getPending()) + ";";
  f.inlineAsm(text, {}, {}, /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

void tessera::nvvm::populateCopyByThreadsLowerings(LoweringSet &set) {
  addLowering(set, lowerCommitCopies);
  addLowering(set, lowerAwaitCopies);
}
