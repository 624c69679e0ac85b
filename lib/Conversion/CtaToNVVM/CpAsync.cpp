// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies by cp.async: every thread of the scope moves pieces of 4, 8 or 16 bytes, distributed as in
// a coalesced register tile. The source size of a piece says how much of it is inside the array;
// the rest is filled with zeros. A variable source size costs seven instructions for a piece (the
// machine instruction has it in the address), so a tile that lies completely inside takes a path
// without it. All or nothing is a predicate of the machine instruction: so each index of an index
// tile costs a comparison.
#include "GlobalAccess.h"
#include "SharedTile.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"

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

LogicalResult tessera::nvvm::lowerCpAsync(Lowering &f, cta::CopyOp op) {
  std::optional<SharedPlace> place = f.placeOf(op.getInto() ? op.getInto() : op.getResult());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared");
  if (!op.getVector())
    return f.error(op, "a copy by cp.async needs 'vector', the elements of one access, which "
                       "cta-select-copies chooses from the facts");
  const Scope &scope = f.currentScope();
  const int64_t groups = scope.warps / 4;
  if (scope.elected || scope.warps % 4 || scope.firstWarp % 4 || (scope.firstWarp && groups > 1))
    return f.error(op,
                   "cp.async is divided among the threads of all warpgroups of the block, or of "
                   "one warpgroup that is a role; put the copy into such a role");
  cta::SmemType smem = op.getSmemType();
  layout::SharedLayout shared = cta::sharedLayout(smem);
  if (auto reason = shared.validate())
    return f.error(op, "invalid shared tile: ") << *reason;
  const auto vector = static_cast<int64_t>(*op.getVector());
  if (cta::contiguousTileDim(op.getMemRefType(), op.getDims()) != shared.contiguousDim)
    return f.error(op, "the shared tile is contiguous along dimension ")
           << shared.contiguousDim << ", which has no stride of 1 in memory; cp.async copies runs "
           << "of bytes";
  layout::RegisterLayout layout = cta::cpAsyncLayout(smem, vector, groups);
  auto type = RankedTensorType::get(smem.getShape(), smem.getElementType(),
                                    cta::FragAttr::get(f.context, layout));
  Access access(f, op, op.getSource(), type);
  const layout::Coord start(shared.shape.size(), 0);
  const auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (access.vectorElements() != vector ||
      SharedTile(f, access.index, shared, *place, start, dims).vectorElements() < vector)
    return f.error(op, "pieces of ")
           << vector << " elements are not contiguous or not aligned in " << smem;
  // All pieces of a row come together, so that its address is dead afterwards.
  SmallVector<int64_t> pieces;
  for (int64_t r = 0; r < access.index.size(); r += vector)
    if (!access.isDead(r))
      pieces.push_back(r);
  auto row = [&](int64_t r) {
    layout::Coord c = access.index.first(r);
    c[shared.contiguousDim] = 0;
    return c;
  };
  llvm::stable_sort(pieces, [&](int64_t x, int64_t y) { return row(x) < row(y); });
  access.hideAddresses();
  Value owner = f.isOwner(layout);
  auto path = [&](bool bounded) {
    access.beginPath();
    SharedTile to(f, access.index, shared, *place, start, dims);
    for (int64_t r : pieces)
      issue(f, to.address(r), access.address(r), vector * access.bytes,
            bounded ? access.insideOf(r) : access.indicesInsideOf(r),
            f.both(access.index.live(r), owner));
  };
  if (isTrue(access.isInside())) {
    path(/*bounded=*/false);
    return success();
  }
  auto branch = scf::IfOp::create(f.b, f.loc, access.isInside(), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  path(/*bounded=*/false);
  f.b.setInsertionPointToStart(branch.elseBlock());
  path(/*bounded=*/true);
  return success();
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

void tessera::nvvm::populateCpAsyncLowerings(LoweringSet &set) {
  addLowering(set, lowerCommitCopies);
  addLowering(set, lowerAwaitCopies);
}
