// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/ProductWaits.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/OpCost.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The tile of which this one is a view.
static Value viewed(Value tile) {
  while (auto view = tile.getDefiningOp<ViewOp>())
    tile = view.getSource();
  return tile;
}

//===--- what is gained ----------------------------------------------------------------------===//

/// True if the block computes with the product's result.
static bool isComputedWith(WgmmaOp product) {
  return llvm::any_of(product->getUsers(), [&](Operation *user) {
    auto next = dyn_cast<WgmmaOp>(user);
    return !user->hasTrait<OpTrait::IsTerminator>() &&
           !(next && next.getC() == product.getResult());
  });
}

/// The ops of the block on which an op depends.
static llvm::SetVector<Operation *> needsOf(Operation *op) {
  llvm::SetVector<Operation *> needs;
  needs.insert(op);
  for (size_t i = 0; i < needs.size(); ++i)
    for (Value input : inputsOf(needs[i]))
      if (Operation *from = input.getDefiningOp(); from && from->getBlock() == op->getBlock())
        needs.insert(from);
  return needs;
}

bool tessera::cta::computesWithSeveral(Block &block) {
  SmallVector<WgmmaOp> used;
  for (auto product : block.getOps<WgmmaOp>())
    if (isComputedWith(product))
      used.push_back(product);
  return llvm::any_of(used, [&](WgmmaOp product) {
    llvm::SetVector<Operation *> needs = needsOf(product);
    return llvm::any_of(used, [&](WgmmaOp other) {
      return other->isBeforeInBlock(product) && !needs.contains(other);
    });
  });
}

//===--- the new order -----------------------------------------------------------------------===//

namespace {
/// Products in flight that add to the same accumulators, one after the other.
struct Flight {
  SmallVector<WgmmaOp> products;
  bool readsStaged = false; ///< a tile that this iteration writes to shared memory

  Value result() const { return WgmmaOp(products.back()).getResult(); }
};

class Ordering {
public:
  explicit Ordering(Block &body)
      : body(body), hasChannels(body.getParentOp()->getParentOfType<LaunchOp>()) {}
  SmallVector<FlightStep> run();
  bool several = false; ///< products are in flight together

private:
  void findMakers();
  void visit(Operation *op);
  void place(Operation *op);
  void placeInputs(Operation *op);
  void issue(WgmmaOp product);
  void hoistBehind(WgmmaOp product);
  std::optional<SmallVector<Operation *>> whatGoesWith(WgmmaOp product, Operation *behind);
  bool isPostponed(WgmmaOp product);
  bool isLate(Operation *op);
  bool isReadLate(Operation *op);
  WgmmaOp readerOf(Operation *stage);
  void release(ReleaseOp release);
  void retire(size_t count);
  void retireAll() { retire(flights.size()); }
  template <typename Predicate>
  void retireThrough(Predicate predicate);
  void emit(Operation *op) { steps.push_back({op}); }

  bool isWaiting(Value tile) { return llvm::is_contained(waiting, tile.getDefiningOp()); }
  bool isStaged(Value tile);
  bool readsCarriedSums(Operation *op);
  bool isLoad(Operation *op);
  bool writesShared(Operation *op);
  bool reads(WgmmaOp product, ReleaseOp release);
  bool reads(const Flight &flight, ReleaseOp release);
  bool isRead(ReleaseOp release);

  Block &body;
  const bool hasChannels; ///< otherwise loads stand for them
  /// Ops that write registers of some `a`, and the conversions among them that serve nothing else.
  DenseSet<Operation *> makers, onlyMakers;
  SmallVector<Flight> flights;      ///< in the order in which they will have retired
  SmallVector<Operation *> waiting; ///< of `onlyMakers`, until nothing is in flight
  SmallVector<ReleaseOp> held;
  WgmmaOp postponed;                 ///< until the next product is issued
  llvm::SetVector<Operation *> late; ///< until a user comes, or a product has been issued
  DenseSet<Operation *> visited;
  SmallVector<FlightStep> steps;
};
} // namespace

bool tessera::cta::isRenaming(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  return convert && convert.getHow() == Conversion::NoOp;
}

/// Finds the ops that write registers of operands, and renamings of those. All users come after an
/// op, so it goes backwards.
void Ordering::findMakers() {
  for (Operation &op : llvm::reverse(body)) {
    bool some = false, only = isa<arith::TruncFOp, ConvertLayoutOp>(op);
    for (OpOperand &use : op.getUses()) {
      auto product = dyn_cast<WgmmaOp>(use.getOwner());
      const bool isA = product && product.aInRegisters() && product->getBlock() == &body &&
                       use.get() == product.getA();
      some |= isA || (isRenaming(use.getOwner()) && makers.contains(use.getOwner()));
      only &= isA || onlyMakers.contains(use.getOwner());
    }
    if (some)
      makers.insert(&op);
    if (some && only)
      onlyMakers.insert(&op);
  }
}

/// True if an op of this iteration has written the tile to shared memory, not to a slot.
bool Ordering::isStaged(Value tile) {
  if (!isa<SmemType>(tile.getType()))
    return false;
  Operation *made = viewed(tile).getDefiningOp();
  return made && made->getBlock() == &body && !isa<WaitOp>(made) &&
         !(isa<CopyOp>(made) && !hasChannels);
}

/// The values that an argument or a result of structured control flow may be.
static SmallVector<Value> predecessorsOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast_if_present<RegionBranchOpInterface>(op);
  SmallVector<Value> values;
  if (!branch)
    return values;
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (Region &region : branch->getRegions())
    branch.getSuccessorRegions(region, successors);
  for (RegionSuccessor successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    if (auto it = llvm::find(inputs, value); it != inputs.end()) {
      branch.getPredecessorValues(successor, std::distance(inputs.begin(), it), values);
      break;
    }
  }
  return values;
}

/// True if the value may be in the registers of a product, perhaps one of an earlier iteration.
static bool isOfProduct(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<WgmmaOp>(op))
    return true;
  if (op && (isa<CompleteOp>(op) || isRenaming(op)))
    return isOfProduct(op->getOperand(0), seen);
  return llvm::any_of(predecessorsOf(value), [&](Value from) { return isOfProduct(from, seen); });
}

/// True if the op reads accumulators of the iteration before in registers. They have retired, but
/// ptxas knows that of no registers of a product until it sees a wait behind the products that were
/// issued last, so it would wait for those, too, and say so (C7517).
bool Ordering::readsCarriedSums(Operation *op) {
  if (isa<WgmmaOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return llvm::any_of(inputsOf(op), [&](Value input) {
    auto argument = dyn_cast<BlockArgument>(input);
    DenseSet<Value> seen;
    return argument && argument.getOwner() == &body && isOfProduct(argument, seen);
  });
}

/// Waits for the first `count` flights. Then come the releases and conversions that waited for it.
void Ordering::retire(size_t count) {
  if (count == 0)
    return;
  // The youngest first: the others have retired then.
  for (const Flight &flight : llvm::reverse(ArrayRef(flights).take_front(count)))
    steps.push_back({flight.products.back(), /*completes=*/true});
  flights.erase(flights.begin(), flights.begin() + count);
  llvm::erase_if(held, [&](ReleaseOp release) {
    const bool isDone = !isRead(release);
    if (isDone)
      emit(release);
    return isDone;
  });
  if (!flights.empty())
    return;
  for (Operation *maker : std::exchange(waiting, {})) {
    placeInputs(maker);
    emit(maker);
  }
}

/// Waits for the flights up to the last one for which the predicate is true.
template <typename Predicate>
void Ordering::retireThrough(Predicate predicate) {
  size_t count = flights.size();
  while (count > 0 && !predicate(flights[count - 1]))
    --count;
  retire(count);
}

bool Ordering::reads(WgmmaOp product, ReleaseOp release) {
  auto wait = release.getCredit().getDefiningOp<WaitOp>();
  return llvm::any_of(ValueRange{product.getA(), product.getB()}, [&](Value tile) {
    return isa<SmemType>(tile.getType()) &&
           (!wait || llvm::is_contained(wait.getValues(), viewed(tile)));
  });
}

bool Ordering::reads(const Flight &flight, ReleaseOp release) {
  return llvm::any_of(flight.products, [&](WgmmaOp product) { return reads(product, release); });
}

void Ordering::issue(WgmmaOp product) {
  if (isWaiting(product.getA()))
    retireAll();
  Flight flight;
  // It goes on with the accumulators of a product in flight if nothing else needs those.
  auto *before = llvm::find_if(flights, [&](const Flight &other) {
    return product.getC() && product.getC() == other.result();
  });
  const bool goesOn = before != flights.end() && product.getC().hasOneUse();
  retireThrough([&](const Flight &other) {
    return (product.getC() == other.result() && !goesOn) || product.getA() == other.result();
  });
  if (goesOn) {
    before = llvm::find_if(flights,
                           [&](const Flight &other) { return product.getC() == other.result(); });
    if (before != flights.end()) {
      flight = std::move(*before);
      flights.erase(before);
    }
  }
  several |= goesOn || !flights.empty();
  flight.readsStaged |= isStaged(product.getA()) || isStaged(product.getB());
  flight.products.push_back(product);
  flights.push_back(std::move(flight));
  emit(product);
}

bool Ordering::isRead(ReleaseOp release) {
  return (postponed && reads(postponed, release)) ||
         llvm::any_of(flights, [&](const Flight &flight) { return reads(flight, release); });
}

void Ordering::release(ReleaseOp release) {
  for (Operation *op : SmallVector<Operation *>(late.getArrayRef()))
    if (auto read = dyn_cast<ReadOp>(op);
        read && viewed(read.getSource()).getDefiningOp() == release.getCredit().getDefiningOp())
      if (late.remove(op))
        place(op);
  if (isRead(release))
    held.push_back(release);
  else
    emit(release);
}

/// True for a branch that products in flight can pass: without products and ops of channels.
static bool isPlainBranch(Operation *op) {
  if (isa<ReduceOp, ScanOp>(op))
    return true;
  return isa<scf::IfOp>(op) &&
         !op->walk([](Operation *inner) {
              return isa<WgmmaOp, MmaOp, ReadyOp, CompleteOp, AcquireOp, CommitOp, WaitOp,
                         ReleaseOp, LoopLikeOpInterface, StepOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
}

/// True for a copy into a slot.
bool Ordering::isLoad(Operation *op) {
  return isa<CopyOp>(op) && (!hasChannels || llvm::any_of(op->getUsers(), llvm::IsaPred<CommitOp>));
}

/// True if the op, or one in it, writes a tile in shared memory that is no slot.
bool Ordering::writesShared(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        const bool writes = llvm::any_of(accessesOf(inner), [](const MemoryAccess &access) {
          return access.write && !access.isGlobal();
        });
        return writes && !isLoad(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Ordering::placeInputs(Operation *op) {
  for (Value input : inputsOf(op))
    if (Operation *made = input.getDefiningOp(); made && late.remove(made))
      place(made);
}

void Ordering::place(Operation *op) {
  if (auto product = dyn_cast<WgmmaOp>(op)) {
    placeInputs(op);
    return issue(product);
  }
  if (auto releaseOp = dyn_cast<ReleaseOp>(op))
    return release(releaseOp);
  // A branch may release the slot that a late read reads.
  if (op->getNumRegions() > 0 && !isPlainBranch(op))
    for (Operation *read : SmallVector<Operation *>(late.getArrayRef()))
      if (isa<ReadOp>(read) && late.remove(read))
        place(read);
  if (onlyMakers.contains(op) && !flights.empty() &&
      (!isRenaming(op) || isWaiting(op->getOperand(0)))) {
    waiting.push_back(op);
    return;
  }
  const bool waitsForAll = (makers.contains(op) && !isRenaming(op)) || isa<MmaOp>(op) ||
                           (op->getNumRegions() > 0 && !isPlainBranch(op)) || readsCarriedSums(op);
  if (waitsForAll)
    retireAll();
  // The producer waits for the release of an earlier slot.
  if (auto acquire = dyn_cast<AcquireOp>(op))
    for (ReleaseOp release : SmallVector<ReleaseOp>(held))
      if (release.getChannel() == acquire.getChannel())
        retireThrough([&](const Flight &flight) { return reads(flight, release); });
  if (llvm::any_of(flights, [](const Flight &flight) { return flight.readsStaged; }) &&
      writesShared(op))
    retireThrough([](const Flight &flight) { return flight.readsStaged; });
  SmallVector<Value> inputs = inputsOf(op);
  retireThrough([&](const Flight &flight) { return llvm::is_contained(inputs, flight.result()); });
  placeInputs(op);
  emit(op);
}

//===--- what changes its place --------------------------------------------------------------===//

/// The ops that must move if the product is issued behind an earlier op: pure ops, and all that
/// fills the slots that it reads. Nothing if it needs other ops, or results of other products.
std::optional<SmallVector<Operation *>> Ordering::whatGoesWith(WgmmaOp product, Operation *behind) {
  llvm::SetVector<Operation *> needs;
  SmallPtrSet<Value, 4> channels;
  needs.insert(product);
  for (size_t i = 0; i < needs.size(); ++i) {
    Operation *op = needs[i];
    if (op != product && visited.contains(op) && !late.contains(op) && !isa<WgmmaOp>(op))
      continue;
    if (isa<AcquireOp, CommitOp, WaitOp>(op)) {
      Value channel = op->getOperand(0);
      if (channels.insert(channel).second)
        for (Operation *user : channel.getUsers())
          if (user->getBlock() == &body && user->isBeforeInBlock(product) &&
              isa<AcquireOp, CommitOp, WaitOp>(user))
            needs.insert(user);
    } else if (op != product && !isLoad(op) &&
               (!isMemoryEffectFree(op) || op->getNumRegions() || makers.contains(op) ||
                isa<StageOp, WgmmaOp>(op) || readsCarriedSums(op))) {
      return std::nullopt;
    }
    for (Value input : inputsOf(op))
      if (Operation *from = input.getDefiningOp(); from && from->getBlock() == &body)
        needs.insert(from);
  }
  SmallVector<Operation *> moved;
  for (Operation *op = behind->getNextNode(); op != product; op = op->getNextNode()) {
    if (visited.contains(op))
      continue;
    if (needs.contains(op)) {
      moved.push_back(op);
      continue;
    }
    // A slot of one of these channels that is released on the way must be free before.
    const bool uses =
        op->walk([&](Operation *inner) {
            return llvm::any_of(inner->getOperands(), [&](Value v) { return channels.contains(v); })
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    if (uses)
      return std::nullopt;
  }
  moved.push_back(product);
  return moved;
}

/// Issues products behind this one that need no result of any product, if the block computes with
/// their results.
void Ordering::hoistBehind(WgmmaOp product) {
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    auto other = dyn_cast<WgmmaOp>(op);
    if (!other || visited.contains(other) || other.aInRegisters() || !isComputedWith(other))
      continue;
    if (auto moved = whatGoesWith(other, product))
      for (Operation *need : *moved)
        visit(need);
  }
}

/// True if the product is better issued behind the next one: the block computes with the result of
/// the next one only, so this one can run meanwhile; and another one is in flight up to then.
bool Ordering::isPostponed(WgmmaOp product) {
  if (postponed || flights.empty() || isWaiting(product.getA()) ||
      !llvm::all_of(product->getUsers(), [&](Operation *user) {
        return user == &body.back() && user->hasTrait<OpTrait::IsTerminator>();
      }))
    return false;
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<WgmmaOp>(op))
      return !visited.contains(next) && isComputedWith(next) && !isWaiting(next.getA());
    if ((!isMemoryEffectFree(op) && !isa<ReleaseOp>(op)) || op->getNumRegions() ||
        (makers.contains(op) && !isRenaming(op)))
      return false;
  }
  return false;
}

/// The first product that reads a staged tile; null if something else reads it, too.
WgmmaOp Ordering::readerOf(Operation *stage) {
  WgmmaOp first;
  SmallVector<Operation *> users(stage->user_begin(), stage->user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    auto product = dyn_cast<WgmmaOp>(user);
    if (isa<ViewOp>(user))
      llvm::append_range(users, user->getUsers());
    else if (!product || product->getBlock() != &body)
      return {};
    else if (!first || product->isBeforeInBlock(first))
      first = product;
  }
  return first;
}

/// True for what is read from a slot, and for little work with that: its registers need not be live
/// while a product is waited for.
bool Ordering::isReadLate(Operation *op) {
  if (flights.empty())
    return false;
  if (auto read = dyn_cast<ReadOp>(op)) {
    auto wait = viewed(read.getSource()).getDefiningOp<WaitOp>();
    return wait && wait->getBlock() == &body;
  }
  if (!isMemoryEffectFree(op) || op->getNumRegions() || makers.contains(op) ||
      !llvm::is_contained({WorkClass::Free, WorkClass::Arith, WorkClass::Convert},
                          CostModel::classOf(op)))
    return false;
  bool some = false;
  for (Value input : op->getOperands()) {
    Operation *made = input.getDefiningOp();
    if (!made || made->getBlock() != &body || !isa<RankedTensorType>(input.getType()))
      continue;
    if (!late.contains(made))
      return false;
    some = true;
  }
  return some;
}

/// True for a tile that is staged for a product, if others are issued before that.
bool Ordering::isLate(Operation *op) {
  if (isReadLate(op))
    return true;
  if (isa<ViewOp>(op))
    return late.contains(op->getOperand(0).getDefiningOp());
  WgmmaOp reader = isa<StageOp>(op) ? readerOf(op) : WgmmaOp();
  for (Operation *other = op->getNextNode(); reader && other && other != reader;
       other = other->getNextNode())
    if (isa<WgmmaOp>(other) && !visited.contains(other))
      return true;
  return false;
}

void Ordering::visit(Operation *op) {
  if (!visited.insert(op).second || op->hasTrait<OpTrait::IsTerminator>())
    return;
  auto product = dyn_cast<WgmmaOp>(op);
  if (product && isPostponed(product)) {
    postponed = product;
    return;
  }
  if (isLate(op)) {
    late.insert(op);
    return;
  }
  place(op);
  if (!product)
    return;
  if (WgmmaOp other = std::exchange(postponed, {}))
    place(other);
  // Tiles whose reader comes next.
  for (Operation *stage : SmallVector<Operation *>(late.getArrayRef()))
    if (isa<StageOp>(stage) && !isLate(stage) && late.remove(stage))
      place(stage);
  if (isComputedWith(product))
    hoistBehind(product);
}

SmallVector<FlightStep> Ordering::run() {
  findMakers();
  for (Operation &op : body)
    visit(&op);
  retireAll();
  while (!late.empty())
    place(late.pop_back_val());
  return std::move(steps);
}

SmallVector<FlightStep> tessera::cta::waitsAtUses(Block &block) {
  SmallVector<WgmmaOp> products(block.getOps<WgmmaOp>());
  if (products.size() < 2 || llvm::any_of(products, [](WgmmaOp product) {
        return product.isAsync() || product.getInTurn();
      }))
    return {};
  Ordering ordering(block);
  SmallVector<FlightStep> steps = ordering.run();
  const bool iterates = isa<LoopLikeOpInterface>(block.getParentOp());
  if (!ordering.several && !(iterates && computesWithSeveral(block)))
    return {};
  return steps;
}
