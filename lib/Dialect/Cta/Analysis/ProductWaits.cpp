// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/ProductWaits.h"
#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
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
  void issue(WgmmaOp product);
  void release(ReleaseOp release);
  void retire(size_t count);
  void retireAll() { retire(flights.size()); }
  template <typename Predicate>
  void retireThrough(Predicate predicate);
  void emit(Operation *op) { steps.push_back({op}); }

  bool isWaiting(Value tile) { return llvm::is_contained(waiting, tile.getDefiningOp()); }
  bool isStaged(Value tile);
  bool reads(WgmmaOp product, ReleaseOp release);
  bool reads(const Flight &flight, ReleaseOp release);

  Block &body;
  const bool hasChannels; ///< otherwise loads stand for them
  /// Ops that write registers of some `a`, and the conversions among them that serve nothing else.
  DenseSet<Operation *> makers, onlyMakers;
  SmallVector<Flight> flights;      ///< in the order in which they will have retired
  SmallVector<Operation *> waiting; ///< of `onlyMakers`, until nothing is in flight
  SmallVector<ReleaseOp> held;
  SmallVector<FlightStep> steps;
};
} // namespace

/// True if the op gives registers another name only.
static bool isRenaming(Operation *op) {
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

/// Waits for the first `count` flights. Then come the releases and conversions that waited for it.
void Ordering::retire(size_t count) {
  if (count == 0)
    return;
  // The youngest first: the others have retired then.
  for (const Flight &flight : llvm::reverse(ArrayRef(flights).take_front(count)))
    steps.push_back({flight.products.back(), /*completes=*/true});
  flights.erase(flights.begin(), flights.begin() + count);
  llvm::erase_if(held, [&](ReleaseOp release) {
    const bool isRead =
        llvm::any_of(flights, [&](const Flight &flight) { return reads(flight, release); });
    if (!isRead)
      emit(release);
    return !isRead;
  });
  if (!flights.empty())
    return;
  for (Operation *maker : waiting)
    emit(maker);
  waiting.clear();
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

void Ordering::release(ReleaseOp release) {
  if (llvm::any_of(flights, [&](const Flight &flight) { return reads(flight, release); }))
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

/// True if the op, or one in it, writes a tile in shared memory that is no slot.
static bool writesShared(Operation *op, bool hasChannels) {
  return op
      ->walk([&](Operation *inner) {
        const bool isLoad =
            isa<CopyOp>(inner) &&
            (!hasChannels || llvm::any_of(inner->getUsers(), llvm::IsaPred<CommitOp>));
        const bool writes = llvm::any_of(accessesOf(inner), [](const MemoryAccess &access) {
          return access.write && !access.isGlobal();
        });
        return writes && !isLoad ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void Ordering::visit(Operation *op) {
  if (auto product = dyn_cast<WgmmaOp>(op))
    return issue(product);
  if (auto releaseOp = dyn_cast<ReleaseOp>(op))
    return release(releaseOp);
  if (onlyMakers.contains(op) && !flights.empty() &&
      (!isRenaming(op) || isWaiting(op->getOperand(0)))) {
    waiting.push_back(op);
    return;
  }
  const bool waitsForAll = (makers.contains(op) && !isRenaming(op)) || isa<MmaOp>(op) ||
                           (op->getNumRegions() > 0 && !isPlainBranch(op));
  if (waitsForAll)
    retireAll();
  // The producer waits for the release of an earlier slot.
  if (auto acquire = dyn_cast<AcquireOp>(op))
    for (ReleaseOp release : SmallVector<ReleaseOp>(held))
      if (release.getChannel() == acquire.getChannel())
        retireThrough([&](const Flight &flight) { return reads(flight, release); });
  if (llvm::any_of(flights, [](const Flight &flight) { return flight.readsStaged; }) &&
      writesShared(op, hasChannels))
    retireThrough([](const Flight &flight) { return flight.readsStaged; });
  SmallVector<Value> inputs = inputsOf(op);
  retireThrough([&](const Flight &flight) { return llvm::is_contained(inputs, flight.result()); });
  emit(op);
}

SmallVector<FlightStep> Ordering::run() {
  findMakers();
  for (Operation &op : body)
    if (!op.hasTrait<OpTrait::IsTerminator>())
      visit(&op);
  retireAll();
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

//===--- registers ---------------------------------------------------------------------------===//

namespace {
/// Live ranges of tiles in the new order. Places count the steps.
class Lives {
public:
  Lives(CountedLoop loop, ArrayRef<FlightStep> steps) : body(*loop.getBody()), steps(steps) {}
  int64_t most();

private:
  void add(Value value, int64_t birth, int64_t death);
  int64_t deathOf(Value value);

  Block &body;
  ArrayRef<FlightStep> steps;
  DenseMap<Operation *, int64_t> places, retired;
  struct Life {
    int64_t birth, death, registers;
    Operation *takenBy; ///< the product that adds to these accumulators
  };
  SmallVector<Life> lives;
};
} // namespace

/// The place of the last op that reads the value, under this name or another one.
int64_t Lives::deathOf(Value value) {
  int64_t death = -1;
  for (OpOperand &use : value.getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    if (!user)
      continue;
    auto product = dyn_cast<WgmmaOp>(use.getOwner());
    int64_t end = places.lookup(user);
    if (user == body.getTerminator())
      end = static_cast<int64_t>(steps.size());
    else if (product && product.aInRegisters() && product.getA() == value)
      end = retired.lookup(product);
    else if (isRenaming(user))
      end = deathOf(user->getResult(0));
    death = std::max(death, end);
  }
  return death;
}

void Lives::add(Value value, int64_t birth, int64_t death) {
  Operation *made = value.getDefiningOp();
  if (!isa<RankedTensorType>(value.getType()) || isa_and_nonnull<BroadcastOp, IotaOp>(made) ||
      (made && (matchPattern(made, m_Constant()) || isRenaming(made))))
    return;
  auto product = value.hasOneUse() ? dyn_cast<WgmmaOp>(*value.user_begin()) : WgmmaOp();
  lives.push_back({birth, death, registersOf(value),
                   product && product.getC() == value ? product.getOperation() : nullptr});
}

int64_t Lives::most() {
  SmallVector<Operation *> inFlight;
  for (auto [i, step] : llvm::enumerate(steps)) {
    const auto place = static_cast<int64_t>(i);
    if (!step.completes) {
      places[step.op] = place;
      if (isa<WgmmaOp>(step.op))
        inFlight.push_back(step.op);
      continue;
    }
    for (Operation *product : inFlight)
      if (places.lookup(product) <= places.lookup(step.op))
        retired.try_emplace(product, place);
  }
  llvm::SetVector<Value> outside;
  for (Operation &op : body)
    for (Value input : inputsOf(&op))
      if (!body.getParentOp()->isAncestor(input.getParentBlock()->getParentOp()))
        outside.insert(input);
  // What other iterations need, too, is live throughout.
  for (Value value : outside)
    add(value, -1, static_cast<int64_t>(steps.size()));
  for (BlockArgument argument : body.getArguments())
    add(argument, -1, deathOf(argument));
  for (Operation &op : body.without_terminator())
    for (Value value : op.getResults())
      add(value, places.lookup(&op), deathOf(value));
  int64_t most = 0;
  for (FlightStep step : steps) {
    auto product = dyn_cast<WgmmaOp>(step.op);
    if (!product || step.completes)
      continue;
    const int64_t at = places.lookup(product);
    int64_t sum = kOtherRegisters;
    for (const Life &life : lives)
      if (life.birth <= at && life.death > at && life.takenBy != product)
        sum += life.registers;
    most = std::max(most, sum);
  }
  return most;
}

int64_t tessera::cta::registersOf(CountedLoop loop, ArrayRef<FlightStep> steps) {
  return Lives(loop, steps).most();
}
