// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-verify: checks that replicas of a role read a channel in turn, and that warpgroups which
// issue products in turn do not meet while one has its turn.
//
// Each replica follows the positions of all: where one waits for slots, the others skip as many.
// Both regions of an `scf.if` on the turn are interpreted with random numbers for what the program
// does not fix (sizes, coordinates). If the regions disagree in every case they are wrong. If they
// agree in some cases they may still be wrong; only cta-simulate, which knows the sizes, finds
// that.
#include "VerifyAsync.h"

#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/ScalarFolder.h"
#include "tessera/Dialect/Tile/Access.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using tile::Phase;

//===--- turns -------------------------------------------------------------------------------===//

namespace {
/// Checks that replicas wait for slots only in their turn, and pass it on on every path.
class Turns {
public:
  explicit Turns(Phase phase) : phase(phase) {}
  LogicalResult run(RoleOp role) {
    SmallVector<Value> mine;
    if (failed(flow(role.getBody().front(), mine)))
      return failure();
    return mine.empty() ? success() : left(role, mine.front());
  }

private:
  LogicalResult left(Operation *op, Value channel) {
    InFlightDiagnostic problem =
        error(op) << "a turn is taken and not passed on on every path, so that "
                     "the next replica would wait for ever; put a cta.pass_turn at its end";
    problem.attachNote(channel.getLoc()) << "the turn to read this channel";
    return problem;
  }
  LogicalResult flow(Block &block, SmallVector<Value> &mine) {
    for (Operation &op : block)
      if (failed(flowOp(&op, mine)))
        return failure();
    return success();
  }
  LogicalResult flowOp(Operation *op, SmallVector<Value> &mine);

  InFlightDiagnostic error(Operation *op) { return breaksPhase(op, phase); }

  Phase phase;
};
} // namespace

LogicalResult Turns::flowOp(Operation *op, SmallVector<Value> &mine) {
  auto has = [&] { return llvm::is_contained(mine, op->getOperand(0)); };
  if (isa<TakeTurnOp, PassTurnOp, SkipOp>(op) && op->getParentOfType<ElectOp>())
    return error(op) << "all warps of a replica take part in its turn; move it out of the "
                        "cta.elect";
  if (isa<TakeTurnOp>(op)) {
    if (has())
      return error(op)
             << "takes a turn that it has already: it would wait for itself; pass it on first";
    mine.push_back(op->getOperand(0));
  } else if (isa<PassTurnOp>(op)) {
    if (!has())
      return error(op) << "passes on a turn that it has not taken; put a cta.take_turn before it";
    llvm::erase(mine, op->getOperand(0));
  } else if (isa<WaitOp>(op) && !has()) {
    return error(op) << "waits for a slot out of turn: another replica may be reading the channel; "
                        "put it between cta.take_turn and cta.pass_turn";
  } else if (isa<SkipOp>(op) && has()) {
    return error(op) << "skips slots of other replicas in its own turn; skip outside";
  } else if (isa<AcquireOp>(op)) {
    return error(op) << "every replica of the role would fill the channel; fill it in a role of "
                        "its own";
  }
  std::optional<SmallVector<Value>> end;
  const bool loops = isa<LoopLikeOpInterface>(op);
  for (Region &region : op->getRegions()) {
    SmallVector<Value> inside = mine;
    for (Block &block : region)
      if (failed(flow(block, inside)))
        return failure();
    if (loops)
      end = mine; // an iteration ends as it begins
    if (!end)
      end = inside;
    for (Value channel : *end)
      if (!llvm::is_contained(inside, channel))
        return left(op, channel);
    for (Value channel : inside)
      if (!llvm::is_contained(*end, channel))
        return left(op, channel);
  }
  if (end)
    mine = *end;
  return success();
}

//===--- slots that a region passes ----------------------------------------------------------===//

namespace {
/// By channel, in order of first use.
using Slots = llvm::MapVector<Value, int64_t>;

/// Random numbers for scalars that the program does not fix. The same op with the same operands
/// gets the same number.
class Drawing {
public:
  explicit Drawing(unsigned number) : number(number) {}

  /// Extents of arrays are often multiples of tile extents, and are not 0: a compiler may have used
  /// that in one region and not in the other.
  Attribute draw(const std::string &name, Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    if (!integer && !type.isIndex())
      return {};
    const unsigned which = names.try_emplace(name, names.size()).first->second;
    const unsigned hash = (which * 16 + number + 1) * 2654435761u;
    if (integer && integer.getWidth() == 1)
      return IntegerAttr::get(type, APInt(1, hash >> 31));
    const unsigned width = integer ? integer.getWidth() : IndexType::kInternalStorageBitWidth;
    return IntegerAttr::get(type, APInt(64, 64 * (1 + (hash >> 16) % 12)).zextOrTrunc(width));
  }

private:
  unsigned number;
  std::map<std::string, unsigned> names;
};

class SlotCounter {
public:
  /// `scope` is what is interpreted: nothing in it has a value before that.
  SlotCounter(Operation *scope, Drawing &drawing) : scope(scope), drawing(drawing) {}
  /// Nothing if the number of slots cannot be determined.
  std::optional<Slots> count(Region &region) {
    if (!region.empty() && !run(region.front()))
      return std::nullopt;
    return slots;
  }

private:
  bool run(Block &block);
  bool runOp(Operation *op);
  bool runFor(CountedLoop loop);
  bool runWhile(scf::WhileOp loop);
  bool runStraight(Operation *op, Region &region);
  Attribute valueOf(Value value);
  void compute(Operation *op);
  std::optional<int64_t> numberOf(Value value) {
    auto number = dyn_cast_or_null<IntegerAttr>(valueOf(value));
    return number ? std::optional(number.getValue().getSExtValue()) : std::nullopt;
  }
  void setAll(ValueRange values, ArrayRef<Attribute> attributes) {
    for (auto [value, attribute] : llvm::zip_equal(values, attributes))
      known[value] = attribute;
  }
  SmallVector<Attribute> valuesOf(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return valueOf(value); });
  }

  Operation *scope;
  Drawing &drawing;
  ScalarFolder folder;
  llvm::DenseMap<Value, Attribute> known; ///< null: it cannot be determined
  Slots slots;
  int64_t fuel = 20000; ///< the most ops that are interpreted
};
} // namespace

static bool movesSlots(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<WaitOp, SkipOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

Attribute SlotCounter::valueOf(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (op && op->getNumRegions() == 0) {
    compute(op);
    return known.lookup(value);
  }
  // Defined by a loop or a branch, or an argument. If it were in scope its value would be known.
  Operation *around = op ? op : value.getParentBlock()->getParentOp();
  Attribute drawn;
  if (!scope->isAncestor(around) || around == scope)
    drawn = drawing.draw(std::to_string(reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())),
                         value.getType());
  known[value] = drawn;
  return drawn;
}

/// Evaluates the op with its folder. If the folder cannot, draws a number by the op's name and
/// operands.
void SlotCounter::compute(Operation *op) {
  auto unknown = [&] { setAll(op->getResults(), SmallVector<Attribute>(op->getNumResults())); };
  if (!llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); }) ||
      !(isMemoryEffectFree(op) || isa<memref::LoadOp>(op)))
    return unknown();
  std::string name;
  llvm::raw_string_ostream os(name);
  os << op->getName() << op->getAttrDictionary().getAsOpaquePointer();
  for (Value operand : op->getOperands()) {
    const void *part = operand.getAsOpaquePointer();
    // Another address is another array.
    if (isa<MemRefType>(operand.getType()))
      if (Value root = tile::rootOf(operand))
        if (auto array = root.getDefiningOp<tile::ArrayFromOp>()) {
          Attribute address = valueOf(array.getAddress());
          if (!address)
            return unknown();
          os << " at " << address.getAsOpaquePointer();
        }
    if (operand.getType().isIntOrIndexOrFloat()) {
      Attribute value = valueOf(operand);
      if (!value)
        return unknown();
      part = value.getAsOpaquePointer();
    } else if (!isa<MemRefType>(operand.getType())) {
      return unknown();
    }
    os << " " << part;
  }
  SmallVector<Attribute> results;
  auto lookUp = [&](Value value) { return valueOf(value); };
  if (isMemoryEffectFree(op) && folder.fold(op, lookUp, results))
    return setAll(op->getResults(), results);
  for (OpResult result : op->getResults())
    known[result] =
        drawing.draw(name + "#" + std::to_string(result.getResultNumber()), result.getType());
}

bool SlotCounter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!runOp(&op))
      return false;
  return true;
}

/// Interprets the region; its terminator gives the results of the op.
bool SlotCounter::runStraight(Operation *op, Region &region) {
  if (region.empty())
    return true;
  if (!run(region.front()))
    return false;
  setAll(op->getResults(), valuesOf(region.front().getTerminator()->getOperands()));
  return true;
}

bool SlotCounter::runFor(CountedLoop loop) {
  std::optional<int64_t> at = numberOf(loop.getLowerBound()), end = numberOf(loop.getUpperBound()),
                         step = numberOf(loop.getStep());
  if (!at || !end || !step || *step <= 0 || (loop.getUnsignedCmp() && (*at < 0 || *end < 0)))
    return false;
  SmallVector<Attribute> carried = valuesOf(loop.getInitArgs());
  for (; *at < *end; *at += *step) {
    known[loop.getInductionVar()] = IntegerAttr::get(loop.getInductionVar().getType(), *at);
    setAll(loop.getRegionIterArgs(), carried);
    if (!run(*loop.getBody()) || --fuel < 0)
      return false;
    carried = valuesOf(loop.getYieldedValues());
  }
  setAll(loop.getResults(), carried);
  return true;
}

bool SlotCounter::runWhile(scf::WhileOp loop) {
  SmallVector<Attribute> carried = valuesOf(loop.getInits());
  while (true) {
    setAll(loop.getBeforeArguments(), carried);
    if (!run(*loop.getBeforeBody()) || --fuel < 0)
      return false;
    carried = valuesOf(loop.getConditionOp().getArgs());
    std::optional<int64_t> goesOn = numberOf(loop.getConditionOp().getCondition());
    if (!goesOn)
      return false;
    if (!*goesOn)
      break;
    setAll(loop.getAfterArguments(), carried);
    if (!run(*loop.getAfterBody()))
      return false;
    carried = valuesOf(loop.getYieldOp().getOperands());
  }
  setAll(loop.getResults(), carried);
  return true;
}

bool SlotCounter::runOp(Operation *op) {
  if (--fuel < 0)
    return false;
  if (auto wait = dyn_cast<WaitOp>(op))
    return ++slots[wait.getChannel()], true;
  if (auto skip = dyn_cast<SkipOp>(op)) {
    std::optional<int64_t> count = numberOf(skip.getCount());
    if (count)
      slots[skip.getChannel()] += *count;
    return count.has_value();
  }
  if (op->getNumRegions() == 0)
    return compute(op), true;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    if (std::optional<int64_t> taken = numberOf(branch.getCondition()))
      return runStraight(op, *taken ? branch.getThenRegion() : branch.getElseRegion());
  if (!movesSlots(op)) {
    setAll(op->getResults(), SmallVector<Attribute>(op->getNumResults()));
    return true;
  }
  if (auto loop = dyn_cast<CountedLoop>(op))
    return runFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return runWhile(loop);
  if (isa<StepOp>(op))
    return runStraight(op, op->getRegion(0));
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
    if (std::optional<int64_t> taken = numberOf(choice.getArg())) {
      const auto *found = llvm::find(choice.getCases(), *taken);
      return runStraight(op, found == choice.getCases().end()
                                 ? choice.getDefaultRegion()
                                 : choice.getCaseRegions()[found - choice.getCases().begin()]);
    }
  return false;
}

//===--- regions of a branch on the turn -----------------------------------------------------===//

/// True if the condition depends on the number of a replica through scalars only.
static bool dependsOnReplica(Value condition) {
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && op->getNumRegions() == 0)
      ops.insert(op);
  };
  add(condition);
  for (unsigned i = 0; i < ops.size(); ++i) {
    if (isa<ReplicaOp>(ops[i]))
      return true;
    llvm::for_each(ops[i]->getOperands(), add);
  }
  return false;
}

/// The first op of these kinds that moves the position of the channel.
template <typename... Ops>
static Operation *firstIn(Region &region, Value channel) {
  Operation *first = nullptr;
  region.walk([&](Operation *op) {
    if (!isa<Ops...>(op) || op->getOperand(0) != channel)
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

static LogicalResult verifyArms(scf::IfOp branch, Phase phase) {
  Region *arms[] = {&branch.getThenRegion(), &branch.getElseRegion()};
  llvm::SetVector<Value> channels;
  branch.walk([&](Operation *op) {
    if (isa<WaitOp, SkipOp>(op))
      channels.insert(op->getOperand(0));
  });
  for (Value channel : channels)
    for (auto [arm, other] : {std::pair(arms[0], arms[1]), std::pair(arms[1], arms[0])}) {
      Operation *moves = firstIn<WaitOp, SkipOp>(*arm, channel);
      if (!moves || firstIn<WaitOp, SkipOp>(*other, channel))
        continue;
      if (isa<SkipOp>(moves))
        return breaksPhase(moves, phase)
               << "skips slots for which no replica waits in the other arm of the scf.if on the "
                  "turn; drop it, or wait for them there";
      InFlightDiagnostic missing =
          breaksPhase(branch, phase)
          << "the replicas whose turn it is not skip no slots of a channel that the other one "
             "reads, and would read those again; put a cta.skip into the other arm";
      missing.attachNote(moves->getLoc()) << "waited for here";
      return missing;
    }

  struct Comparison {
    bool agrees = false;
    std::pair<int64_t, int64_t> example; ///< not both 0
  };
  llvm::MapVector<Value, Comparison> compared;
  constexpr unsigned kDrawings = 16;
  for (unsigned i = 0; i < kDrawings; ++i) {
    Drawing drawing(i);
    std::optional<Slots> first = SlotCounter(branch, drawing).count(*arms[0]),
                         second = SlotCounter(branch, drawing).count(*arms[1]);
    if (!first || !second)
      return success();
    for (Value channel : channels) {
      std::pair counts(first->lookup(channel), second->lookup(channel));
      if (counts == std::pair<int64_t, int64_t>())
        continue; // no case at all could be counted
      Comparison &comparison = compared[channel];
      comparison.agrees |= counts.first == counts.second;
      comparison.example = counts;
    }
  }
  for (auto &[channel, comparison] : compared) {
    if (comparison.agrees)
      continue;
    auto [mine, others] = comparison.example;
    Operation *skip = firstIn<SkipOp>(*arms[1], channel), *wait = nullptr;
    if (!skip) {
      skip = firstIn<SkipOp>(*arms[0], channel);
      std::swap(mine, others);
      wait = firstIn<WaitOp>(*arms[1], channel);
    } else {
      wait = firstIn<WaitOp>(*arms[0], channel);
    }
    InFlightDiagnostic differs =
        breaksPhase(skip ? skip : branch, phase)
        << "passes over " << others
        << " slots of a channel where the other arm of the scf.if on the "
        << "turn passes over " << mine
        << ", and the numbers agreed for no values that were tried: the replicas "
        << "would read different slots; skip what the other arm waits for";
    if (wait)
      differs.attachNote(wait->getLoc()) << "waited for here";
    return differs;
  }
  return success();
}

LogicalResult tessera::cta::verifyTurns(RoleOp role, Phase phase) {
  if (failed(Turns(phase).run(role)))
    return failure();
  WalkResult result = role.walk([&](scf::IfOp branch) {
    return movesSlots(branch) && dependsOnReplica(branch.getCondition())
               ? WalkResult(verifyArms(branch, phase))
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tessera::cta::verifyHeldTurns(RoleOp role, Phase phase) {
  WalkResult result = role.walk([&](WgmmaOp product) {
    if (!product.takesTurn())
      return WalkResult::advance();
    WgmmaOp last = product;
    for (Operation *op = product; !last.passesTurn(); op = op->getNextNode())
      if (auto next = dyn_cast<WgmmaOp>(op); next && next.getInTurn())
        last = next;
    for (Operation *op = product; op != last; op = op->getNextNode()) {
      WalkResult meets = op->walk([&](Operation *inner) {
        auto barrier = dyn_cast<BarrierOp>(inner);
        auto vote = dyn_cast<AnyOp>(inner);
        if (!(barrier && !barrier.getWarpgroup()) && !(vote && !vote.getWarp()))
          return WalkResult::advance();
        InFlightDiagnostic problem =
            breaksPhase(inner, phase)
            << "all warpgroups of the role meet here while one has its turn to issue products, "
               "which the others wait for; move it before the first product of the turn or behind "
               "the last one";
        problem.attachNote(product.getLoc()) << "the first product of the turn";
        return WalkResult::interrupt();
      });
      if (meets.wasInterrupted())
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
