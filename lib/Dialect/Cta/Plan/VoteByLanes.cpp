// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-vote-by-lanes: a vote about maxima of rows looks at what each lane holds.
//
// A maximum is one of the elements, so the lane that holds it finds the need of its row by itself,
// and the vote, which combines all lanes anyway, is at least what it was. It may be more: a need
// that falls while the maximum grows. That is allowed, because the region of a tile.rare may run
// although no row needs it. So the lanes need to exchange their maxima in the branch only, and the
// shuffles, which otherwise stand between a product and all that follows it, are left out with it.
#include "tessera/Dialect/Cta/Analysis/LaneParts.h"
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::cta {
#define GEN_PASS_DEF_VOTEBYLANES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
class Vote {
public:
  explicit Vote(AnyOp op) : op(op), b(op) {}
  /// Returns the reason if the vote stays as it is.
  std::optional<std::string> run();

private:
  std::optional<std::string> match();
  std::optional<std::string> findCone(Value value);
  bool isDecided(Operation *user) const;
  void rewrite(const LaneParts &parts);

  AnyOp op;
  IRRewriter b;
  scf::IfOp branch;
  ReduceOp reduce;
  llvm::SetVector<Operation *> cone; ///< from the reduction to the need
  llvm::SmallPtrSet<Operation *, 8> seen;
};
} // namespace

/// True if the result is one of the elements, or the identity.
static bool selects(ReduceOp op) {
  Block &body = op.getCombiner().front();
  Operation *combine = body.getTerminator()->getOperand(0).getDefiningOp();
  return llvm::hasNItems(body, 2) &&
         isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
                         arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(combine) &&
         llvm::all_of(combine->getOperands(), llvm::IsaPred<BlockArgument>);
}

/// Finds the elementwise ops between reductions and the value. Other inputs are no part of it.
std::optional<std::string> Vote::findCone(Value value) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != op->getBlock() || !seen.insert(maker).second)
    return std::nullopt;
  if (auto found = dyn_cast<ReduceOp>(maker)) {
    if (!selects(found))
      return std::nullopt; // an input like others
    if (reduce)
      return "it depends on two reductions";
    reduce = found;
    return std::nullopt;
  }
  if (!OpTrait::hasElementwiseMappableTraits(maker) || maker->getNumResults() != 1)
    return std::nullopt;
  bool belongs = false;
  for (Value input : maker->getOperands()) {
    if (auto why = findCone(input))
      return why;
    Operation *from = input.getDefiningOp();
    belongs |= from && (from == reduce || cone.contains(from));
  }
  if (belongs)
    cone.insert(maker);
  return std::nullopt;
}

/// True for ops of the branch that the vote decides.
bool Vote::isDecided(Operation *user) const {
  return scf::IfOp(branch).getThenRegion().isAncestor(user->getParentRegion());
}

std::optional<std::string> Vote::match() {
  if (!op.getRare())
    return "the condition is one of the whole block, not of rows";
  if (!op.getResult().hasOneUse())
    return "it decides several branches";
  branch = dyn_cast<scf::IfOp>(*op.getResult().user_begin());
  if (!branch)
    return "it decides no branch";
  if (auto why = findCone(op.getNeed()))
    return why;
  if (!reduce || cone.empty())
    return "it does not depend on a maximum or minimum of rows";
  auto stays = [&](Operation *maker) {
    return llvm::any_of(maker->getUsers(), [&](Operation *user) {
      return user != op && !cone.contains(user) && !isDecided(user);
    });
  };
  if (stays(reduce))
    return "other ops than its branch need the whole maximum";
  if (llvm::any_of(cone, stays))
    return "other ops than its branch need the condition";
  auto rows = cast<RankedTensorType>(reduce.getResult(0).getType());
  auto isOther = [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile != RankedTensorType::get(rows.getShape(), tile.getElementType(),
                                                 rows.getEncoding());
  };
  for (Operation *maker : cone)
    if (llvm::any_of(maker->getOperandTypes(), isOther) ||
        llvm::any_of(maker->getResultTypes(), isOther))
      return "the condition is not computed from tiles of the maximum's layout";
  return std::nullopt;
}

void Vote::rewrite(const LaneParts &parts) {
  // What each lane needs.
  b.setInsertionPointAfter(reduce);
  IRMapping lanes;
  lanes.map(reduce.getResult(0), reduceInLanes(b, reduce, parts));
  auto ofLanes = [&](Type type) -> Type {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile ? RankedTensorType::get(parts.part.getShape(), tile.getElementType(),
                                        parts.part.getEncoding())
                : type;
  };
  b.setInsertionPoint(op);
  for (Operation *maker : cone) {
    for (Value input : maker->getOperands())
      if (!lanes.contains(input) && isa<RankedTensorType>(input.getType()))
        lanes.map(input, BroadcastOp::create(b, maker->getLoc(), ofLanes(input.getType()), input,
                                             parts.others));
    Operation *copy = b.clone(*maker, lanes);
    copy->getResult(0).setType(ofLanes(copy->getResult(0).getType()));
  }
  op.getNeedMutable().assign(lanes.lookup(op.getNeed()));
  // The rows' maxima, and their needs, in the branch.
  b.setInsertionPointToStart(branch.thenBlock());
  Value total = reduceLike(b, reduce, reduce.getResult(0).getType(),
                           lanes.lookup(reduce.getResult(0)), parts.lanes);
  for (Operation *maker : cone)
    b.moveOpBefore(maker, branch.thenBlock(), b.getInsertionPoint());
  b.replaceAllUsesWith(reduce.getResult(0), total);
  for (Operation *maker : llvm::reverse(cone))
    if (maker->use_empty())
      b.eraseOp(maker);
  if (total.use_empty())
    b.eraseOp(total.getDefiningOp());
  b.eraseOp(reduce);
}

std::optional<std::string> Vote::run() {
  if (auto why = match())
    return why;
  std::optional<LaneParts> parts = lanePartsOf(reduce);
  if (!parts)
    return "no lanes exchange maxima";
  rewrite(*parts);
  return std::nullopt;
}

namespace {
struct VoteByLanes : cta::impl::VoteByLanesBase<VoteByLanes> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    SmallVector<AnyOp> votes;
    kernel.walk([&](AnyOp vote) {
      if (vote.getRare())
        votes.push_back(vote);
    });
    auto options = remark::RemarkOpts::name("vote").category("cta-vote-by-lanes");
    for (AnyOp vote : votes) {
      Location loc = vote.getLoc();
      if (std::optional<std::string> why = Vote(vote).run())
        remark::missed(loc, options) << "the vote is about whole rows: " << *why;
      else
        remark::passed(loc, options) << "each lane votes on what it holds";
    }
  }
};
} // namespace
