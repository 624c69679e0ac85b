// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-verify: follows credits and products in flight through steps, conditions and loops.
//
// A credit is used exactly once on every path, and a product is consumed at most once. All reads of
// a slot's tiles lie between its wait and the release of its credit, and so does the end of every
// product in flight that reads them. If a loop carries a credit, the names of such products are
// carried with it: what was %d at the end of an iteration is the carried value at the beginning of
// the next.
#include "VerifyAsync.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

//===--- where values flow -------------------------------------------------------------------===//

/// The values that an operand becomes through structured control flow: an argument of the next
/// region and a result of the op. Empty if the op does not pass it on.
namespace {
struct Targets {
  Value inside, result;
};
} // namespace

static Targets targetsOf(OpOperand &use) {
  Operation *op = use.getOwner();
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  auto branch = dyn_cast_or_null<RegionBranchOpInterface>(terminator ? op->getParentOp() : op);
  if (!branch)
    return {};
  RegionBranchSuccessorMapping flow;
  branch.getSuccessorOperandInputMapping(flow, terminator ? RegionBranchPoint(terminator)
                                                          : RegionBranchPoint::parent());
  Targets targets;
  for (Value target : flow.lookup(&use))
    (isa<OpResult>(target) ? targets.result : targets.inside) = target;
  return targets;
}

static bool isCarry(OpOperand &use) {
  Targets targets = targetsOf(use);
  return targets.inside || targets.result;
}

/// The values that a value may come from through control flow: results and arguments of other ops.
static llvm::SetVector<Value> sourcesOf(Value value) {
  llvm::SetVector<Value> seen, sources;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Value v = seen[i];
    bool passed = false;
    Operation *op = v.getDefiningOp();
    if (auto branch = dyn_cast_or_null<RegionBranchOpInterface>(
            op ? op : v.getParentBlock()->getParentOp())) {
      RegionBranchInverseSuccessorMapping flow;
      branch.getSuccessorInputOperandMapping(flow);
      for (OpOperand *source : flow.lookup(v)) {
        passed = true;
        seen.insert(source->get());
      }
    }
    if (!passed)
      sources.insert(v);
  }
  return sources;
}

//===--- what comes before what --------------------------------------------------------------===//

/// True if `a` comes after `b` in program order, neither contains the other, and they are not in
/// different branches.
static bool isAfter(Operation *a, Operation *b) {
  for (; b && b->getBlock(); b = b->getParentOp())
    if (Operation *other = b->getBlock()->findAncestorOpInBlock(*a))
      return other != b && b->isBeforeInBlock(other);
  return false;
}

/// True if `a` has run whenever `b` runs, in one pass through the blocks around both. A step runs
/// whenever its block does.
static bool surelyBefore(Operation *a, Operation *b) {
  for (; a; a = a->getParentOp()) {
    if (Operation *other = a->getBlock()->findAncestorOpInBlock(*b))
      return other != a && a->isBeforeInBlock(other);
    if (!isa_and_nonnull<StepOp, ElectOp>(a->getParentOp()))
      return false;
  }
  return false;
}

/// True if `a` runs after `b` whenever `b` has run.
static bool surelyAfter(Operation *a, Operation *b) {
  for (; a; a = a->getParentOp()) {
    if (Operation *other = a->getBlock()->findAncestorOpInBlock(*b))
      return other != a && other->isBeforeInBlock(a);
    if (!isa_and_nonnull<StepOp, ElectOp>(a->getParentOp()))
      return false;
  }
  return false;
}

namespace {

/// A product that may be in flight, and the values that name it in the current region.
struct Product {
  WgmmaOp op;
  SmallVector<Value> names;
  /// Issued before the current region began.
  bool earlier = false;
};

class CreditVerifier {
public:
  explicit CreditVerifier(tile::KernelOp kernel) : kernel(kernel), phase(*kernel.getPhase()) {}
  LogicalResult run();

private:
  InFlightDiagnostic error(Operation *op) { return breaksPhase(op, phase); }
  LogicalResult checkCredit(Value credit);
  LogicalResult checkOrigin(Operation *op, Value channel, Value credit);
  LogicalResult checkAsync(Value async);
  bool isConsumed(Value async);
  bool isConsumption(OpOperand &use);
  std::optional<int> usesOnPath(Region &region, ArrayRef<OpOperand *> uses, bool exact);

  struct Held {
    Value credit;
    llvm::SetVector<Value> tiles;
    SmallVector<Product> products;
  };
  LogicalResult checkHeld(Held held, llvm::SmallDenseSet<Value> &visited);
  LogicalResult checkRegisterOperand(WgmmaOp wgmma);

  tile::KernelOp kernel;
  tile::Phase phase;
  bool hasCounts = false;
};
} // namespace

//===--- number of uses ----------------------------------------------------------------------===//

/// The number of uses on a path through the region. If `exact`, it must be the same on each path;
/// otherwise it is the largest. Nothing after an error.
std::optional<int> CreditVerifier::usesOnPath(Region &region, ArrayRef<OpOperand *> uses,
                                              bool exact) {
  llvm::MapVector<Operation *, SmallVector<OpOperand *>> inside;
  int total = 0;
  for (OpOperand *use : uses) {
    Operation *op = region.findAncestorOpInRegion(*use->getOwner());
    if (!op)
      continue; // another branch
    if (op == use->getOwner())
      ++total;
    else
      inside[op].push_back(use);
  }
  for (auto &[op, nested] : inside) {
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    const bool runsOnce = isa<ElectOp>(op) || (branch && !branch.hasLoop());
    if (!runsOnce) {
      error(nested.front()->getOwner())
          << "uses " << nested.front()->get().getType()
          << " of outside this loop or role, where it would be used more than once; carry it as "
             "an iter_arg, or use it outside";
      return std::nullopt;
    }
    std::optional<int> arms;
    for (Region &arm : op->getRegions()) {
      std::optional<int> here = arm.empty() ? 0 : usesOnPath(arm, nested, exact);
      if (!here)
        return std::nullopt;
      if (exact && arms && *arms != *here) {
        error(op) << "one arm uses a credit, the other does not; commit or release it in both, or "
                     "in none";
        return std::nullopt;
      }
      arms = std::max(arms.value_or(0), *here);
    }
    total += *arms;
  }
  return total;
}

static void noteUsers(InFlightDiagnostic &error, ArrayRef<OpOperand *> uses, StringRef text) {
  llvm::SmallSetVector<Operation *, 4> users;
  for (OpOperand *use : uses)
    users.insert(use->getOwner());
  for (Operation *user : users)
    error.attachNote(user->getLoc()) << text;
}

LogicalResult CreditVerifier::checkCredit(Value credit) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : credit.getUses()) {
    if (!isa<CommitOp, ReleaseOp>(use.getOwner()) && !isCarry(use))
      return error(use.getOwner()) << "a credit goes to cta.commit or cta.release, through loops, "
                                      "conditions and steps only";
    uses.push_back(&use);
  }
  std::optional<int> count = usesOnPath(*credit.getParentRegion(), uses, /*exact=*/true);
  if (!count)
    return failure();
  if (*count == 1)
    return success();
  Operation *op =
      credit.getDefiningOp() ? credit.getDefiningOp() : credit.getParentRegion()->getParentOp();
  InFlightDiagnostic wrong = error(op);
  wrong << "a credit is used once on every path, by cta.commit or cta.release; this one "
        << (*count ? "is used " + std::to_string(*count) + " times" : "is not used");
  noteUsers(wrong, uses, "used here");
  return wrong;
}

LogicalResult CreditVerifier::checkOrigin(Operation *op, Value channel, Value credit) {
  bool commits = isa<CommitOp>(op);
  for (Value source : sourcesOf(credit)) {
    Operation *made = source.getDefiningOp();
    Value from;
    if (auto acquire = dyn_cast_or_null<AcquireOp>(made); acquire && commits)
      from = acquire.getChannel();
    else if (auto wait = dyn_cast_or_null<WaitOp>(made); wait && !commits)
      from = wait.getChannel();
    if (from == channel)
      continue;
    InFlightDiagnostic wrong = error(op)
                               << (commits ? "takes a credit of a cta.acquire of the same channel"
                                           : "takes a credit of a cta.wait of the same channel");
    wrong.attachNote(source.getLoc()) << "this is where the credit comes from";
    return wrong;
  }
  return success();
}

bool CreditVerifier::isConsumed(Value async) {
  llvm::SetVector<Value> names;
  names.insert(async);
  for (size_t i = 0; i < names.size(); ++i)
    for (OpOperand &use : names[i].getUses()) {
      if (isa<CompleteOp, WgmmaOp, WgmmaWaitOp>(use.getOwner()))
        return true;
      Targets targets = targetsOf(use);
      for (Value target : {targets.inside, targets.result})
        if (target)
          names.insert(target);
    }
  return false;
}

/// True if the use consumes a product. Yields and releases only name it, but a yield to a consumer
/// consumes it.
bool CreditVerifier::isConsumption(OpOperand &use) {
  if (isa<CompleteOp, WgmmaOp, WgmmaWaitOp>(use.getOwner()))
    return true;
  Targets targets = targetsOf(use);
  return (targets.inside && isConsumed(targets.inside)) ||
         (targets.result && isConsumed(targets.result));
}

LogicalResult CreditVerifier::checkAsync(Value async) {
  if (async.getDefiningOp<ReadyOp>())
    return success(); // nothing is in flight
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : async.getUses())
    if (isConsumption(use))
      uses.push_back(&use);
  std::optional<int> count = usesOnPath(*async.getParentRegion(), uses, /*exact=*/false);
  if (!count)
    return failure();
  if (*count <= 1)
    return success();
  Operation *op =
      async.getDefiningOp() ? async.getDefiningOp() : async.getParentRegion()->getParentOp();
  InFlightDiagnostic wrong = error(op) << "a product in flight has at most one consumer "
                                          "(cta.complete, or the next cta.wgmma on its "
                                          "accumulators), but this one has "
                                       << *count;
  noteUsers(wrong, uses, "consumed or carried to a consumer here");
  return wrong;
}

//===--- reads of a slot ---------------------------------------------------------------------===//

/// The values that name a product in `frame`: its result, later products on the same accumulators,
/// and both after control flow. Around the frame's own loop the name changes.
static llvm::SetVector<Value> namesOf(const Product &product, Region *frame) {
  llvm::SetVector<Value> names(product.names.begin(), product.names.end());
  for (size_t i = 0; i < names.size(); ++i)
    for (OpOperand &use : names[i].getUses()) {
      Operation *op = use.getOwner();
      if (auto next = dyn_cast<WgmmaOp>(op)) {
        if (next.isAsync())
          names.insert(next.getResult());
        continue;
      }
      if (isa<WgmmaWaitOp>(op)) {
        names.insert(op->getResult(use.getOperandNumber()));
        continue;
      }
      bool leaves =
          op->hasTrait<OpTrait::IsTerminator>() && !frame->isProperAncestor(op->getParentRegion());
      if (Value result = targetsOf(use).result; result && !leaves)
        names.insert(result);
    }
  return names;
}

/// True if the product has retired after `point` has run: `point` is a release that names it, or a
/// complete or release before it does. Products retire in the order of their issue.
static bool isWaitedFor(const Product &product, Operation *point, Region *frame) {
  llvm::SetVector<Value> names = namesOf(product, frame);
  auto isNamed = [&](Value value) {
    while (auto step = value.getDefiningOp<StepOp>())
      value = step.getBody().front().getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber());
    auto later = value.getDefiningOp<WgmmaOp>();
    return names.contains(value) ||
           (later && (product.earlier ? frame->isAncestor(later->getParentRegion())
                                      : isAfter(later, product.op)));
  };
  if (auto release = dyn_cast<ReleaseOp>(point);
      release && llvm::any_of(release.getAfter(), isNamed))
    return true;
  auto waits = [&](Operation *op) {
    if (op == point ||
        !(isa<CompleteOp>(op)
              ? isNamed(op->getOperand(0))
              : isa<ReleaseOp>(op) && llvm::any_of(cast<ReleaseOp>(op).getAfter(), isNamed)))
      return false;
    return surelyBefore(op, point) ||
           (!product.earlier && surelyAfter(op, product.op) && !isAfter(op, point));
  };
  return frame
      ->walk([&](Operation *op) {
        return waits(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult CreditVerifier::checkHeld(Held held, llvm::SmallDenseSet<Value> &visited) {
  if (!visited.insert(held.credit).second)
    return success();
  Region *frame = held.credit.getParentRegion();
  SmallVector<OpOperand *> ends;
  llvm::SmallPtrSet<Operation *, 4> endOps;
  for (OpOperand &use : held.credit.getUses()) {
    ends.push_back(&use);
    endOps.insert(use.getOwner());
  }

  llvm::SetVector<Value> tiles = held.tiles;
  SmallVector<Product> products = held.products;
  for (size_t i = 0; i < tiles.size(); ++i)
    for (OpOperand &use : tiles[i].getUses()) {
      Operation *reader = use.getOwner();
      if (endOps.contains(reader))
        continue;
      for (Operation *end : endOps)
        if (isAfter(reader, end) || end->isProperAncestor(reader)) {
          InFlightDiagnostic late = error(reader)
                                    << "reads a tile whose slot has been released; release the "
                                       "credit after it, or carry the tile with the credit";
          late.attachNote(end->getLoc()) << "the credit ends here";
          return late;
        }
      if (auto wgmma = dyn_cast<WgmmaOp>(reader)) {
        if (wgmma.isAsync())
          products.push_back({wgmma, {wgmma.getResult()}, false});
      } else if (auto view = dyn_cast<ViewOp>(reader)) {
        tiles.insert(view.getResult());
      } else {
        Targets targets = targetsOf(use);
        for (Value target : {targets.inside, targets.result})
          if (target)
            tiles.insert(target);
      }
    }

  for (OpOperand *end : ends) {
    Operation *op = end->getOwner();
    if (isa<ReleaseOp>(op)) {
      if (hasCounts)
        continue; // cta-insert-waits has already run: cta-simulate checks its counts
      for (const Product &product : products) {
        bool otherArm = !product.earlier && !isAfter(op, product.op);
        if (otherArm || isWaitedFor(product, op, frame))
          continue;
        InFlightDiagnostic early = error(op)
                                   << "a product in flight may still read the slot; name it in "
                                      "'after', or complete it before";
        WgmmaOp wgmma = product.op;
        early.attachNote(wgmma.getLoc()) << "the product";
        return early;
      }
      continue;
    }
    // Carried values: tiles and products that are carried with the credit get new names.
    Targets credit = targetsOf(*end);
    auto follow = [&](Value next, Value Targets::*where) -> LogicalResult {
      if (!next)
        return success();
      Held carried{next, {}, {}};
      for (Product product : products) {
        llvm::SetVector<Value> names = namesOf(product, frame);
        // After the op the old names still mean this product; inside, they mean the product of an
        // earlier iteration.
        if (where == &Targets::inside) {
          product.names.clear();
          product.earlier = true;
        } else {
          product.earlier = false;
        }
        for (OpOperand &operand : op->getOpOperands())
          if (names.contains(operand.get()) && targetsOf(operand).*where)
            product.names.push_back(targetsOf(operand).*where);
        carried.products.push_back(product);
      }
      for (OpOperand &operand : op->getOpOperands())
        if (tiles.contains(operand.get()) && targetsOf(operand).*where)
          carried.tiles.insert(targetsOf(operand).*where);
      return checkHeld(carried, visited);
    };
    if (failed(follow(credit.inside, &Targets::inside)) ||
        failed(follow(credit.result, &Targets::result)))
      return failure();
  }
  return success();
}

//===--- operands in registers ---------------------------------------------------------------===//

/// The tensor core reads `a` from registers until the product retires. A loop that computes `a`
/// again while the product of the last iteration is in flight overwrites it.
LogicalResult CreditVerifier::checkRegisterOperand(WgmmaOp wgmma) {
  Value a = wgmma.getA();
  for (auto loop = wgmma->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto flow = dyn_cast<RegionBranchOpInterface>(loop.getOperation());
    if (flow && !flow.hasLoop())
      continue; // of one iteration
    Region *body = loop.getLoopRegions().back();
    if (!loop->isProperAncestor(a.getParentBlock()->getParentOp()) &&
        a.getParentBlock()->getParentOp() != loop)
      return success(); // the registers never change
    if (body->hasOneBlock() && !body->front().getOps<StepOp>().empty())
      return success(); // cta-expand-loops moves it
    Operation *end = body->front().getTerminator();
    Product product{wgmma, {wgmma.getResult()}, false};
    if (isWaitedFor(product, end, body))
      return success();
    Product carried{wgmma, {}, true};
    llvm::SetVector<Value> names = namesOf(product, body);
    for (OpOperand &operand : end->getOpOperands())
      if (names.contains(operand.get()) && targetsOf(operand).inside)
        carried.names.push_back(targetsOf(operand).inside);
    Operation *made = a.getDefiningOp();
    if (!made || !isWaitedFor(carried, made, body))
      return error(wgmma) << "reads a from registers and is in flight when the loop begins anew, "
                             "which overwrites them; complete it before, or unroll the loop until "
                             "it is waited for before its a is made again";
  }
  return success();
}

LogicalResult CreditVerifier::run() {
  bool ok = true;
  auto checkValue = [&](Value value) {
    if (isa<CreditType>(value.getType()))
      ok &= succeeded(checkCredit(value));
    else if (isa<AsyncType>(value.getType()))
      ok &= succeeded(checkAsync(value));
  };
  SmallVector<WaitOp> waits;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      checkValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          checkValue(argument);
    hasCounts |= isa<WgmmaWaitOp>(op);
    if (auto commit = dyn_cast<CommitOp>(op))
      ok &= succeeded(checkOrigin(op, commit.getChannel(), commit.getCredit()));
    else if (auto release = dyn_cast<ReleaseOp>(op))
      ok &= succeeded(checkOrigin(op, release.getChannel(), release.getCredit()));
    else if (auto wait = dyn_cast<WaitOp>(op))
      waits.push_back(wait);
    else if (auto wgmma = dyn_cast<WgmmaOp>(op);
             wgmma && wgmma.isAsync() && wgmma.aInRegisters() && phase == tile::Phase::Specialized)
      ok &= succeeded(checkRegisterOperand(wgmma));
  });
  if (!ok)
    return failure();
  for (WaitOp wait : waits) {
    Held held{wait.getCredit(), {}, {}};
    for (Value value : wait.getValues())
      if (isa<SmemType>(value.getType()))
        held.tiles.insert(value);
    llvm::SmallDenseSet<Value> visited;
    ok &= succeeded(checkHeld(held, visited));
  }
  return success(ok);
}

LogicalResult tessera::cta::verifyCredits(tile::KernelOp kernel) {
  return CreditVerifier(kernel).run();
}
