// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/LoopStages.h"
#include "tessera/Dialect/Cta/Analysis/EpilogueCopies.h"
#include "tessera/Dialect/Cta/Analysis/HeldSlots.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

SmallVector<Value> tessera::cta::inputsOf(Operation *op) {
  llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
  return inputs.takeVector();
}

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Registers that a loop needs to carry the value.
static int64_t weightOf(Value value) { return isTile(value) ? registersOf(value) : 1; }

/// The products of the same iteration on which a value depends.
static llvm::SetVector<WgmmaOp> productsBehind(Value value, Block *body) {
  llvm::SetVector<WgmmaOp> found;
  llvm::SetVector<Operation *> seen;
  SmallVector<Value> values{value};
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != body || !seen.insert(op))
      continue;
    if (auto product = dyn_cast<WgmmaOp>(op))
      found.insert(product);
    llvm::append_range(values, inputsOf(op));
  }
  return found;
}

SmallVector<int64_t> tessera::cta::chainOfProducts(CountedLoop loop) {
  SmallVector<WgmmaOp> products(loop.getBody()->getOps<WgmmaOp>());
  SmallVector<int64_t> stages(products.size());
  for (auto [i, product] : llvm::enumerate(products))
    if (product.aInRegisters())
      for (WgmmaOp other : productsBehind(product.getA(), loop.getBody())) {
        auto at = llvm::find(products, other) - products.begin();
        stages[i] = std::max(stages[i], stages[at] + 1);
      }
  return stages;
}

SmallVector<int64_t> tessera::cta::productStages(CountedLoop loop) {
  SmallVector<int64_t> stages = chainOfProducts(loop);
  auto schedule = loop->getAttrOfType<DictionaryAttr>(kScheduleAttr);
  auto given = schedule ? schedule.getAs<DenseI64ArrayAttr>("products") : DenseI64ArrayAttr();
  if (given && given.size() == static_cast<int64_t>(stages.size()) && !given.empty()) {
    int64_t least = *llvm::min_element(given.asArrayRef());
    for (auto [stage, of] : llvm::zip_equal(stages, given.asArrayRef()))
      stage = of - least;
  }
  if (llvm::all_of(stages, [](int64_t stage) { return stage == 0; }))
    stages.clear();
  return stages;
}

/// The order of products in an iteration, if the schedule gives it.
static SmallVector<int64_t> productOrder(CountedLoop loop, size_t count) {
  auto schedule = loop->getAttrOfType<DictionaryAttr>(kScheduleAttr);
  auto given = schedule ? schedule.getAs<DenseI64ArrayAttr>("order") : DenseI64ArrayAttr();
  if (!given || given.size() != static_cast<int64_t>(count))
    return {};
  return SmallVector<int64_t>(given.asArrayRef());
}

namespace {
class Staging {
public:
  Staging(CountedLoop loop, ArrayRef<int64_t> given, bool placed = false)
      : body(loop.getBody()), given(given), placed(placed) {
    result.loop = loop;
  }
  /// Returns the reason if there are no such stages.
  std::optional<std::string> run();
  LoopStages result;

private:
  std::optional<std::string> checkOps();
  void findMakers();
  std::optional<std::string> findReaders();
  std::optional<std::string> assign();
  void sink();
  std::optional<std::string> checkCarried();
  void findOrder();
  void emit(Operation *op);
  SmallVector<Operation *> needsOf(Operation *op);
  llvm::SetVector<Operation *> allNeedsOf(Operation *op);
  void estimate();

  int64_t &stageOf(Operation *op) { return result.stageOf[op]; }
  /// True for a load that will be waited for where its tile is read, and for what says where from.
  bool isFetch(Operation *op) const {
    return placed && op && (isa<CopyOp>(op) || onlyFeedsCopies(op));
  }
  bool isHere(Operation *op) const { return op && op->getBlock() == body; }
  /// The value that the loop yields for this argument; null for other values.
  Operation *yieldOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != body || argument == result.loop.getInductionVar())
      return nullptr;
    return result.loop.getYieldedValueFor(argument).getDefiningOp();
  }

  Block *body;
  ArrayRef<int64_t> given;
  bool placed; ///< loads stand for channels, which do not exist yet
  SmallVector<WgmmaOp> products;
  llvm::SetVector<Operation *> emitted;
};
} // namespace

/// True for an op that no loop in stages may have, and for what branches of it may not.
static bool hasOtherRegions(Operation *op) {
  return op->getNumRegions() && !isa<ReduceOp, ScanOp, scf::IfOp>(op);
}

/// Why a branch is no op of a stage; nothing if it is one. It is one if each op in it would be:
/// then it uses what they use.
static std::optional<std::string> whyNotInBranch(scf::IfOp branch) {
  std::optional<std::string> why;
  branch->walk([&](Operation *op) {
    if (op == branch || isa<ReduceOp, ScanOp>(op->getParentOp()))
      return WalkResult::advance();
    StringRef name = op->getName().getStringRef();
    if (hasOtherRegions(op))
      why = ("a branch in it has loops or steps: " + name).str();
    else if (isa<WgmmaOp, ReadyOp, CompleteOp>(op))
      why = ("a branch in it has matrix products: " + name).str();
    else if (isa<CopyOp, AcquireOp, CommitOp, WaitOp, ReleaseOp>(op))
      why = ("a branch in it fills or releases slots: " + name).str();
    else if (auto vote = dyn_cast<AnyOp>(op); vote && !vote.getWarp())
      why = "a branch in it has a vote of the block";
    return why ? WalkResult::interrupt() : WalkResult::advance();
  });
  return why;
}

/// True for ops that can be repeated in a later stage without risk.
static bool isPlain(Operation *op) {
  if (!isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() || hasOtherRegions(op) ||
      isa<WgmmaOp, StageOp, CopyOp>(op))
    return false;
  // Threads of the block meet at a vote of the block.
  if (auto vote = dyn_cast<AnyOp>(op))
    return vote.getWarp();
  auto branch = dyn_cast<scf::IfOp>(op);
  return !branch || !branch
                         ->walk([](Operation *inner) {
                           return isa<StageOp>(inner) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
}

/// The tile of which this one is a view.
static Value viewed(Value tile) {
  while (auto view = tile.getDefiningOp<ViewOp>())
    tile = view.getSource();
  return tile;
}

/// The wait that a shared operand comes from, also through views; null for others.
static WaitOp waitOf(Value tile) { return viewed(tile).getDefiningOp<WaitOp>(); }

std::optional<std::string> Staging::checkOps() {
  for (Operation &op : body->without_terminator()) {
    if (hasOtherRegions(&op))
      return "its body has loops or steps";
    if (auto branch = dyn_cast<scf::IfOp>(op))
      if (auto why = whyNotInBranch(branch))
        return why;
    auto product = dyn_cast<WgmmaOp>(op);
    if (!product)
      continue;
    if (product.isAsync())
      return "products of it are in flight already";
    for (Value operand : {Value(product.getA()), Value(product.getB())}) {
      if (isTile(operand) || result.loop.isDefinedOutsideOfLoop(operand) || waitOf(operand) ||
          isFetch(viewed(operand).getDefiningOp()))
        continue;
      return "a product reads a tile that the loop stages";
    }
    products.push_back(product);
  }
  for (Value value : result.loop.getYieldedValues())
    if (!isHere(value.getDefiningOp()))
      return "it carries a value that it does not make";
  return std::nullopt;
}

/// Finds conversions that only make register operands.
void Staging::findMakers() {
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    if (!isa<arith::TruncFOp, ConvertLayoutOp>(op) || op.use_empty())
      continue;
    bool only = llvm::all_of(op.getUses(), [&](OpOperand &use) {
      auto product = dyn_cast<WgmmaOp>(use.getOwner());
      return product ? use.get() != product.getC() : result.allMakers.contains(use.getOwner());
    });
    if (only)
      result.allMakers.insert(&op);
  }
}

/// Finds the releases, and the readers of what each wait yields.
std::optional<std::string> Staging::findReaders() {
  for (auto wait : body->getOps<WaitOp>()) {
    if (!wait.getCredit().hasOneUse() || !isa<ReleaseOp>(*wait.getCredit().user_begin()) ||
        (*wait.getCredit().user_begin())->getBlock() != body)
      return "it holds a slot beyond an iteration";
    auto release = cast<ReleaseOp>(*wait.getCredit().user_begin());
    if (!release.getAfter().empty())
      return "products of it are in flight already";
    SmallVector<Value> values(wait.getValues());
    SmallVector<Operation *> &readers = result.readersOf[release];
    while (!values.empty())
      for (Operation *user : values.pop_back_val().getUsers()) {
        // A branch reads what its ops read.
        readers.push_back(body->findAncestorOpInBlock(*user));
        if (isa<ViewOp>(user))
          llvm::append_range(values, user->getResults());
      }
    result.releases.push_back(release);
  }
  return std::nullopt;
}

//===--- stages ------------------------------------------------------------------------------===//

/// Assigns the earliest possible stages: not before the stage of an op's inputs, and one stage for
/// everything in a recurrence.
std::optional<std::string> Staging::assign() {
  for (Operation &op : body->without_terminator())
    stageOf(&op) = 0;
  for (auto [product, stage] : llvm::zip_equal(products, given))
    stageOf(product) = stage;
  for (bool changed = true; changed;) {
    changed = false;
    auto raise = [&](Operation *op, int64_t stage) {
      if (stageOf(op) >= stage)
        return;
      stageOf(op) = stage;
      changed = true;
    };
    for (Operation &op : body->without_terminator())
      for (Value input : inputsOf(&op)) {
        Operation *from = yieldOf(input);
        if (!from)
          from = input.getDefiningOp();
        // A slot is waited for where it is read, in whatever stage that is.
        if (isHere(from) && !isa<WaitOp>(from))
          raise(&op, stageOf(from));
      }
    for (ReleaseOp release : result.releases) {
      auto wait = release.getCredit().getDefiningOp<WaitOp>();
      int64_t least = result.last;
      bool read = false;
      for (Operation *reader : result.readersOf[release])
        if (!isa<ViewOp>(reader)) {
          least = read ? std::min(least, stageOf(reader)) : stageOf(reader);
          read = true;
        }
      raise(wait, read ? least : 0);
      raise(release, stageOf(wait));
      for (Operation *reader : result.readersOf[release])
        raise(reader, stageOf(wait));
    }
  }
  for (auto [product, stage] : llvm::zip_equal(products, given))
    if (stageOf(product) != stage)
      return "its schedule has a product before what that needs";
  for (Operation &op : body->without_terminator()) {
    result.last = std::max(result.last, stageOf(&op));
    if (stageOf(&op) > 0 && !isPlain(&op) && !isa<WgmmaOp, WaitOp, ReleaseOp>(op))
      return ("what a " + op.getName().getStringRef() + " needs is there in a later iteration only")
          .str();
  }
  for (ReleaseOp release : result.releases) {
    auto wait = release.getCredit().getDefiningOp<WaitOp>();
    for (Operation *reader : result.readersOf[release])
      if (stageOf(reader) != stageOf(wait))
        return "a slot is read in two stages";
    if (stageOf(wait) == 0)
      continue;
    auto type = cast<ChannelType>(wait.getChannel().getType());
    if (!releaseToDefer(wait, result.loop))
      return "the slots of a product that runs later are needed by others";
    if (type.getDepth() <= stageOf(wait))
      return "a channel of depth " + std::to_string(type.getDepth()) + " is too shallow";
  }
  return std::nullopt;
}

/// Moves an op that only a later stage needs to that stage, if its inputs take fewer registers than
/// its results.
void Staging::sink() {
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    if (!(isPlain(&op) || isFetch(&op)) || op.use_empty() || result.allMakers.contains(&op))
      continue;
    int64_t stage = result.last;
    for (Operation *user : op.getUsers()) {
      Operation *here = body->findAncestorOpInBlock(*user);
      stage = std::min(stage, here == body->getTerminator() ? 0 : stageOf(here));
    }
    if (stage <= stageOf(&op))
      continue;
    int64_t made = 0, needed = 0;
    for (Value value : op.getResults())
      made += weightOf(value);
    for (Value input : inputsOf(&op))
      if (!result.loop.isDefinedOutsideOfLoop(input) &&
          !(isHere(input.getDefiningOp()) && stageOf(input.getDefiningOp()) == stage))
        needed += weightOf(input);
    bool isName = llvm::any_of(op.getResultTypes(), llvm::IsaPred<SmemType>);
    if (needed < made || isName)
      stageOf(&op) = stage;
  }
}

/// Checks that the loop carries only tensors and scalars.
std::optional<std::string> Staging::checkCarried() {
  for (Operation &op : body->without_terminator())
    for (Value input : inputsOf(&op)) {
      Operation *from = input.getDefiningOp();
      if (isHere(from) && stageOf(from) < stageOf(&op) && !isTile(input) &&
          !input.getType().isIntOrIndexOrFloat())
        return "a later stage needs more than tiles and scalars of an earlier one";
    }
  // Operand `a` must not be overwritten while its product is in flight: only conversions can be
  // moved after the wait.
  for (WgmmaOp product : products) {
    Operation *from = product.getA().getDefiningOp();
    if (product.aInRegisters() && isHere(from) && stageOf(from) < stageOf(product) &&
        !result.allMakers.contains(from))
      return "the registers of a product's a are made by no conversion, which could wait for it";
  }
  return std::nullopt;
}

//===--- order -------------------------------------------------------------------------------===//

/// The ops that must come before an op in the new body.
SmallVector<Operation *> Staging::needsOf(Operation *op) {
  SmallVector<Operation *> needs;
  for (Value input : inputsOf(op)) {
    Operation *from = input.getDefiningOp();
    if (isHere(from) && stageOf(from) == stageOf(op))
      needs.push_back(from);
  }
  // Effects of a stage keep their order; slots are released as soon as possible.
  if (isMemoryEffectFree(op) || isa<WgmmaOp>(op))
    return needs;
  for (Operation *other = op->getPrevNode(); other; other = other->getPrevNode())
    if (!isMemoryEffectFree(other) && !isa<WgmmaOp, ReleaseOp>(other) &&
        stageOf(other) == stageOf(op)) {
      needs.push_back(other);
      break;
    }
  return needs;
}

llvm::SetVector<Operation *> Staging::allNeedsOf(Operation *op) {
  llvm::SetVector<Operation *> all;
  all.insert(op);
  for (size_t i = 0; i < all.size(); ++i)
    for (Operation *need : needsOf(all[i]))
      all.insert(need);
  return all;
}

/// Emits an op after what it needs, in program order.
void Staging::emit(Operation *op) {
  SmallVector<Operation *> all = allNeedsOf(op).takeVector();
  llvm::sort(all, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *need : all)
    if (!result.makers.contains(need) && !isa<ReleaseOp>(need) && emitted.insert(need))
      result.order.push_back(need);
}

void Staging::findOrder() {
  // Conversions whose products all run in a later stage.
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    if (!result.allMakers.contains(&op))
      continue;
    if (llvm::all_of(op.getUsers(), [&](Operation *user) {
          return result.makers.contains(user) || stageOf(user) > stageOf(&op);
        }))
      result.makers.insert(&op);
  }
  SmallVector<Operation *> makers = result.makers.takeVector();
  result.makers.insert(makers.rbegin(), makers.rend());

  SmallVector<WgmmaOp> sorted(products);
  SmallVector<int64_t> order = productOrder(result.loop, products.size());
  auto numberOf = [&](WgmmaOp product) { return llvm::find(products, product) - products.begin(); };
  llvm::stable_sort(sorted, [&](WgmmaOp a, WgmmaOp b) {
    return order.empty() ? stageOf(a) < stageOf(b) : order[numberOf(a)] < order[numberOf(b)];
  });
  for (WgmmaOp product : sorted) {
    llvm::SetVector<Operation *> needs = allNeedsOf(product);
    needs.remove(product);
    if (llvm::none_of(needs, llvm::IsaPred<WgmmaOp>))
      result.together.push_back(product);
  }
  // Register operands that are made in this iteration come before any product is in flight.
  for (WgmmaOp product : result.together)
    for (Operation *need : allNeedsOf(product))
      if (result.allMakers.contains(need))
        emit(need);
  for (WgmmaOp product : result.together)
    emit(product);
  SmallVector<Operation *> rest;
  for (Operation &op : body->without_terminator())
    rest.push_back(&op);
  llvm::stable_sort(rest, [&](Operation *a, Operation *b) { return stageOf(a) < stageOf(b); });
  for (Operation *op : rest)
    if (!result.makers.contains(op) && !isa<ReleaseOp>(op))
      emit(op);
}

//===--- registers ---------------------------------------------------------------------------===//

/// Sums the registers of all tiles that are live across a product, at the product where that is
/// most.
void Staging::estimate() {
  llvm::DenseMap<Operation *, int64_t> place;
  for (auto [i, op] : llvm::enumerate(result.order))
    place[op] = static_cast<int64_t>(i);
  const auto end = static_cast<int64_t>(result.order.size());
  for (Operation *op : result.makers)
    place[op] = end;
  struct Life {
    int64_t birth, death, registers;
    Operation *takenBy; ///< the product that adds to these accumulators
  };
  SmallVector<Life> lives;
  auto addLives = [&](Value value, int64_t stage, int64_t birth, bool yielded) {
    Operation *made = value.getDefiningOp();
    if (!isTile(value) || isa_and_nonnull<BroadcastOp, IotaOp>(made) ||
        (made && onlyFeedsCopies(made)))
      return;
    // A value is live until its own stage needs it no more; and each later stage has a copy of it.
    llvm::DenseMap<int64_t, int64_t> deaths;
    int64_t later = yielded ? 1 : 0;
    for (OpOperand &use : value.getUses()) {
      Operation *here = body->findAncestorOpInBlock(*use.getOwner());
      if (here == body->getTerminator())
        continue;
      int64_t lag = stageOf(here) - stage;
      later = std::max(later, lag);
      deaths[lag] = std::max(deaths[lag], place.lookup(here));
    }
    for (int64_t lag = 0; lag <= later; ++lag) {
      int64_t death = lag < later ? end : deaths.lookup(lag);
      auto product = value.hasOneUse() ? dyn_cast<WgmmaOp>(*value.user_begin()) : WgmmaOp();
      lives.push_back({lag ? -1 : birth, death, registersOf(value),
                       product && product.getC() == value ? product.getOperation() : nullptr});
    }
  };
  for (Operation &op : body->without_terminator())
    for (Value value : op.getResults()) {
      bool yielded = llvm::is_contained(result.loop.getYieldedValues(), value);
      addLives(value, stageOf(&op), place.lookup(&op), yielded);
    }
  for (BlockArgument argument : result.loop.getRegionIterArgs())
    if (Operation *from = yieldOf(argument))
      addLives(argument, stageOf(from), -1, false);
  for (WgmmaOp product : products) {
    int64_t at = place.lookup(product), sum = kOtherRegisters;
    for (const Life &life : lives) {
      bool reads = product.aInRegisters() && life.death == at;
      if (life.birth <= at && (life.death > at || reads) && life.takenBy != product)
        sum += life.registers;
    }
    result.registers = std::max(result.registers, sum);
  }
}

std::optional<std::string> Staging::run() {
  if (auto why = checkOps())
    return why;
  if (products.size() != given.size())
    return "its schedule is that of another loop";
  findMakers();
  if (auto why = findReaders())
    return why;
  if (auto why = assign())
    return why;
  sink();
  if (auto why = checkCarried())
    return why;
  findOrder();
  estimate();
  return std::nullopt;
}

std::optional<LoopStages> tessera::cta::loopInStages(CountedLoop loop, ArrayRef<int64_t> products,
                                                     std::string &why) {
  Staging staging(loop, products);
  if (auto reason = staging.run()) {
    why = *reason;
    return std::nullopt;
  }
  return std::move(staging.result);
}

std::optional<int64_t> tessera::cta::registersOfChain(CountedLoop loop) {
  SmallVector<int64_t> chain = chainOfProducts(loop);
  if (llvm::all_of(chain, [](int64_t stage) { return stage == 0; }))
    return std::nullopt;
  Staging staging(loop, chain, /*placed=*/true);
  if (staging.run())
    return std::nullopt;
  return staging.result.registers;
}
