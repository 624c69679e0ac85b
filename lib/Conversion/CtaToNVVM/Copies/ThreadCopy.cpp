// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadCopy.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

FailureOr<std::unique_ptr<ThreadCopy>> ThreadCopy::make(Lowering &f, cta::CopyOp op) {
  std::optional<SharedPlace> place = f.placeOf(op.getInto() ? op.getInto() : op.getResult());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared");
  if (!op.getVector())
    return f.error(op, "a copy by threads needs 'vector', the elements of one access, which "
                       "cta-select-copies chooses from the facts");
  const Scope &scope = f.currentScope();
  const int64_t groups = scope.warps / 4;
  if (scope.elected || scope.warps % 4 || scope.firstWarp % 4 || (scope.firstWarp && groups > 1))
    return f.error(op,
                   "a copy by threads is divided among the threads of all warpgroups of the block, "
                   "or of one warpgroup that is a role; put the copy into such a role");
  cta::SmemType smem = op.getSmemType();
  layout::SharedLayout shared = cta::sharedLayout(smem);
  if (auto reason = shared.validate())
    return f.error(op, "invalid shared tile: ") << *reason;
  const auto vector = static_cast<int64_t>(*op.getVector());
  if (cta::contiguousTileDim(op.getMemRefType(), op.getDims()) != shared.contiguousDim)
    return f.error(op, "the shared tile is contiguous along dimension ")
           << shared.contiguousDim << ", which has no stride of 1 in memory; threads copy runs of "
           << "bytes";
  if (op.isShifted() && !op.getFromZero()) {
    const tile::Facts::Place at(f.facts, op);
    Value coord = op.getCoords()[op.getDims()[shared.contiguousDim]];
    if (f.facts.range(coord).min < 0 && f.facts.divisibility(coord) % vector)
      return f.error(op, "the coordinate along contiguous memory may be negative, and is not known "
                         "to be a multiple of ")
             << vector << ": the begin of the array would cut a shifted piece; if it is not, say "
             << "so by 'from_zero'";
  }
  auto type =
      RankedTensorType::get(smem.getShape(), smem.getElementType(),
                            cta::FragAttr::get(f.context, cta::pieceLayout(smem, vector, groups)));
  std::unique_ptr<ThreadCopy> copy(new ThreadCopy(f, op, shared, *place, type));
  Access &access = copy->access;
  if (access.vectorElements() != vector || copy->makeTile().vectorElements() < vector)
    return f.error(op, "pieces of ")
           << vector << " elements are not contiguous or not aligned in " << smem;
  for (int64_t r = 0; r < access.index.size(); r += vector)
    if (!access.isDead(r))
      copy->pieces.push_back(r);
  auto row = [&](int64_t r) {
    layout::Coord c = access.index.first(r);
    c[shared.contiguousDim] = 0;
    return c;
  };
  llvm::stable_sort(copy->pieces, [&](int64_t x, int64_t y) { return row(x) < row(y); });
  access.hideAddresses();
  return copy;
}

/// Whether the pieces make these groups, of which `count` and `pieces` are given.
bool ThreadCopy::repeats(Groups &groups, const SharedTile &to) {
  for (size_t group = 1; group < groups.count; ++group)
    for (size_t piece = 0; piece < groups.pieces; ++piece) {
      const int64_t first = pieces[piece], reg = pieces[group * groups.pieces + piece];
      const layout::Coord from = access.index.first(first), at = access.index.first(reg);
      const std::optional<int64_t> bytes = to.distance(first, reg);
      if (group == 1 && piece == 0) {
        for (int d = 0; d < access.index.rank(); ++d)
          if (at[d] != from[d]) {
            groups.dim = d;
            groups.step = at[d] - from[d];
          }
        // `Access::advance` is told the last group's distance as the largest.
        if (groups.dim == shared.contiguousDim || groups.step <= 0 || !bytes)
          return false;
        groups.bytes = *bytes;
      }
      for (int d = 0; d < access.index.rank(); ++d)
        if (at[d] - from[d] != (d == groups.dim ? static_cast<int64_t>(group) * groups.step : 0))
          return false;
      if (bytes != static_cast<int64_t>(group) * groups.bytes)
        return false;
    }
  return true;
}

/// The groups with which there is least code; of a count of 0 if there are none. All threads have
/// their pieces.
ThreadCopy::Groups ThreadCopy::findGroups(size_t least) {
  assert(op.getIndices().empty() && "an index tile gives each piece its own coordinate");
  size_t inAll = 0;
  while (inAll < pieces.size() && isTrue(access.index.live(pieces[inAll])))
    ++inAll;
  const SharedTile to = makeTile();
  Groups best;
  size_t code = pieces.size();
  for (size_t each = least; 2 * each <= inAll; ++each) {
    Groups groups{inAll / each, each};
    const size_t once = each + pieces.size() - groups.count * each;
    if (once < code && repeats(groups, to)) {
      best = groups;
      code = once;
    }
  }
  return best;
}

void ThreadCopy::inGroups(size_t least, function_ref<void(SharedTile &, ArrayRef<int64_t>)> body) {
  ArrayRef<int64_t> left = pieces;
  if (const Groups groups = findGroups(least); groups.count) {
    // Opaque to LLVM, which would unroll the loop.
    Value count = f.opaque(f.i32(static_cast<int64_t>(groups.count)));
    auto loop = scf::ForOp::create(f.b, f.loc, f.i32(0), count, f.i32(1));
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(loop.getBody());
    Value group = loop.getInductionVar();
    access.beginPath();
    access.advance(groups.dim, f.mul(group, f.i32(groups.step)),
                   static_cast<int64_t>(groups.count - 1) * groups.step);
    SharedTile to = makeTile(f.mul(group, f.i32(groups.bytes)));
    body(to, left.take_front(groups.pieces));
    left = left.drop_front(groups.count * groups.pieces);
  }
  if (left.empty())
    return;
  access.beginPath();
  SharedTile to = makeTile();
  body(to, left);
}

void tessera::nvvm::branchOn(Lowering &f, Value condition, function_ref<void()> whole,
                             function_ref<void()> bounded) {
  if (isTrue(condition))
    return whole();
  auto branch = scf::IfOp::create(f.b, f.loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  whole();
  f.b.setInsertionPointToStart(branch.elseBlock());
  bounded();
}
