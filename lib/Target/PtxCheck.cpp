// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Target/PtxCheck.h"

#include "PtxFlow.h"
#include "PtxValues.h"
#include "tessera/Contract/Contract.h"
#include "tessera/Machine/Hopper.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace tessera;
using namespace tessera::ptx;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

namespace {

//===--- kinds of instructions --------------------------------------------------------------===//
bool endsThread(const Instruction &inst) { return inst.is("ret") || inst.is("exit"); }
bool isProduct(const Instruction &inst) { return inst.is("wgmma.mma_async"); }
bool isTmaStore(const Instruction &inst) {
  return (inst.is("cp.async.bulk") || inst.is("cp.reduce.async.bulk")) &&
         inst.opcode.contains(".global.shared::cta");
}
/// True if it writes shared memory through the generic proxy.
bool writesShared(const Instruction &inst) {
  return ((inst.is("st") || inst.is("atom") || inst.is("red")) && inst.has("shared")) ||
         inst.is("stmatrix");
}
/// True for cp.async, which threads issue (not for TMA), and for the instructions that count it.
bool isCpAsync(const Instruction &inst) { return inst.is("cp.async.ca") || inst.is("cp.async.cg"); }

/// True if all threads of the block, or of the cluster, meet there.
bool isBarrierOfAll(const Instruction &inst) {
  return inst.is("barrier.cluster.wait") ||
         ((inst.is("bar.sync") || inst.is("barrier.sync")) && inst.operands.size() == 1);
}

/// True if it orders a dependent launch after the launch before it.
bool isGridWait(const Instruction &inst) { return inst.opcode == "griddepcontrol.wait"; }
bool isGridTrigger(const Instruction &inst) {
  return inst.opcode == "griddepcontrol.launch_dependents";
}
/// True if it reads or writes global memory, as far as the instruction says. An address without a
/// space may be global.
bool touchesGlobal(const Instruction &inst) {
  if (inst.is("cp.async") || inst.is("cp.reduce.async"))
    return inst.opcode.contains(".global");
  const bool access = inst.is("ld") || inst.is("ldu") || inst.is("st") || inst.is("atom") ||
                      inst.is("red") || inst.is("multimem");
  return access && !inst.has("shared") && !inst.has("local") && !inst.has("param") &&
         !inst.has("const");
}
/// True if it reads memory that must not change while a grid runs.
bool readsNonCoherent(const Instruction &inst) {
  return inst.is("ldu") || (inst.is("ld") && inst.has("nc"));
}

/// The registers that hold operand A of a product; none if A is in shared memory.
SmallVector<StringRef> registersOfA(const Instruction &inst) {
  if (inst.operands.size() > 1 && inst.operands[1].starts_with("{"))
    return elements(inst.operands[1]);
  return {};
}

//===--- the state along a path -------------------------------------------------------------===//

struct State {
  bool reached = false;
  bool fenced = false;       // whether there is a wgmma.fence on every path since the last wait
  bool open = false;         // whether there are products without a commit, on some path
  unsigned pending = 0;      // the most groups in flight
  bool dirty = false;        // threads have written shared memory and not fenced it, on some path
  bool barrierFresh = false; // an mbarrier was initialised and not fenced, on some path
  bool unshared = false;     // an mbarrier was initialised, and all threads have not met since
  bool expecting = false; // bytes were announced on every path since the last wait for an mbarrier
  bool storing = false;   // some TMA stores are in no group, on some path
  bool gridAwaited = false; // the launch before this one has ended, on every path
  // Copies by cp.async, on some path:
  bool ungrouped = false;   // in flight, in no group
  bool copying = false;     // in flight in a group, neither waited for nor handed to an mbarrier
  bool landed = false;      // waited for, without fence.proxy.async since
  bool unwaited = false;    // a group was committed since the last wait
  bool announced = false;   // an mbarrier that counts them was waited for, without a fence since
  std::set<int64_t> handed; // these mbarriers, by the start of their ring
  // For each register of an operand A: the commits since, the fewest of all paths.
  std::map<StringRef, unsigned> readByProducts;

  static constexpr unsigned kMostPending = 8;

  /// Returns true if anything changed.
  bool join(const State &other) {
    if (!reached) {
      *this = other;
      reached = true;
      return true;
    }
    bool changed = false;
    auto set = [&](auto &mine, auto value) {
      changed |= mine != value;
      mine = value;
    };
    set(fenced, fenced && other.fenced);
    set(open, open || other.open);
    set(pending, std::max(pending, other.pending));
    set(dirty, dirty || other.dirty);
    set(barrierFresh, barrierFresh || other.barrierFresh);
    set(unshared, unshared || other.unshared);
    set(expecting, expecting && other.expecting);
    set(storing, storing || other.storing);
    set(gridAwaited, gridAwaited && other.gridAwaited);
    set(ungrouped, ungrouped || other.ungrouped);
    set(copying, copying || other.copying);
    set(landed, landed || other.landed);
    set(unwaited, unwaited || other.unwaited);
    set(announced, announced || other.announced);
    const size_t known = handed.size();
    handed.insert(other.handed.begin(), other.handed.end());
    changed |= handed.size() != known;
    for (auto [reg, age] : other.readByProducts) {
      auto [it, inserted] = readByProducts.try_emplace(reg, age);
      changed |= inserted;
      if (!inserted)
        set(it->second, std::min(it->second, age));
    }
    return changed;
  }
};

//===--- one function -----------------------------------------------------------------------===//

class Checker {
public:
  Checker(const Function &function, const LaunchPromise *promise, std::vector<PtxProblem> &problems)
      : function(function), promise(promise), problems(problems), values(function) {
    for (const Block &block : function.blocks)
      for (const Instruction &inst : block.instructions) {
        operandsByCopies |= isTmaLoad(inst) || isCpAsync(inst) || inst.is("cp.async.wait_all");
        hasProducts |= isProduct(inst);
        waitsForGrid |= isGridWait(inst);
        triggersGrid |= isGridTrigger(inst);
      }
  }

  void run() {
    checkDependence();
    checkPaths();
    checkMbarriers();
    checkRings(function, values, problems);
    checkClusters(function, values, problems);
    checkBytes(function, values, promise, problems);
    checkSetMaxRegisters();
    checkNamedBarriers();
    checkCopyGroups();
  }

private:
  void report(unsigned line, const Twine &message) {
    problems.push_back({line, function.name, message.str()});
  }

  void step(State &state, const Instruction &inst, bool reporting) {
    auto complain = [&](const Twine &message) {
      if (reporting)
        report(inst.line, message);
    };
    if (!state.readByProducts.empty() && !inst.is("wgmma"))
      for (StringRef reg : inst.defs())
        if (state.readByProducts.count(reg))
          complain("writes " + reg + ", which a wgmma in flight may still read as its operand A");
    if (checksGrid)
      stepGrid(state, inst, complain);
    stepCopies(state, inst, complain);
    stepTma(state, inst, complain);
    if (inst.is("wgmma.fence")) {
      state.fenced = true;
    } else if (isProduct(inst)) {
      if (!state.fenced)
        complain("a wgmma that some path reaches without wgmma.fence since the last wait");
      if (state.dirty && !operandsByCopies)
        complain(
            "a wgmma that may read shared memory written by threads without fence.proxy.async");
      state.open = true;
      for (StringRef reg : registersOfA(inst))
        state.readByProducts[reg] = 0;
    } else if (inst.is("wgmma.commit_group")) {
      state.pending = std::min(state.pending + 1, State::kMostPending);
      state.open = false;
      for (auto &[reg, commits] : state.readByProducts)
        commits = std::min(commits + 1, State::kMostPending);
    } else if (inst.is("wgmma.wait_group")) {
      int64_t left = inst.operands.empty() ? 0 : literal(inst.operands[0]).value_or(0);
      if (state.open)
        complain("a wait with wgmma not committed: it does not cover them");
      state.pending = std::min<unsigned>(state.pending, left);
      state.fenced = false;
      for (auto it = state.readByProducts.begin(); it != state.readByProducts.end();)
        it = it->second > left ? state.readByProducts.erase(it) : std::next(it);
    } else if (inst.is("fence.proxy.async")) {
      state.dirty = state.barrierFresh = false;
    } else if (inst.is("fence.mbarrier_init")) {
      state.barrierFresh = false;
    } else if (inst.is("mbarrier.init")) {
      state.barrierFresh = true;
    } else if (isTmaStore(inst)) {
      if (state.dirty)
        complain(
            "a TMA store that may read shared memory written by threads without fence.proxy.async");
    } else if (isTmaLoad(inst)) {
      if (state.barrierFresh)
        complain("a TMA load after mbarrier.init without fence.mbarrier_init or fence.proxy.async");
    } else if (writesShared(inst)) {
      state.dirty = true;
    } else if (endsThread(inst) && (state.open || state.pending)) {
      complain("the function ends with wgmma in flight");
    }
  }

  /// The constant part of the address of an mbarrier.
  std::optional<int64_t> ringOf(const Instruction &inst) const {
    for (StringRef operand : inst.operands)
      if (operand.starts_with("["))
        if (std::optional<Place> place = values.placeOf(operand))
          return place->offset;
    return std::nullopt;
  }

  /// Checks copies by threads. Those by cp.async must be waited for, or handed to an mbarrier that
  /// is waited for. If the async proxy reads them, the thread that issued them must then fence
  /// them. After that they must be made known to other threads.
  void stepCopies(State &state, const Instruction &inst,
                  llvm::function_ref<void(const Twine &)> complain) {
    if (isCpAsync(inst)) {
      state.ungrouped = true;
    } else if (inst.is("cp.async.commit_group")) {
      state.unwaited |= state.ungrouped;
      state.copying |= state.ungrouped;
      state.ungrouped = false;
    } else if (inst.is("cp.async.wait_all")) {
      // Shifted copies are stores to shared memory, which this wait ends like those by cp.async.
      state.landed |= state.copying || state.ungrouped || state.dirty;
      state.copying = state.ungrouped = state.unwaited = false;
    } else if (inst.is("cp.async.wait_group")) {
      state.landed |= state.copying;
      state.unwaited = false;
      if (!inst.operands.empty() && literal(inst.operands[0]) == 0)
        state.copying = false;
    } else if (inst.is("cp.async.mbarrier.arrive")) {
      if (std::optional<int64_t> ring = ringOf(inst);
          ring && (state.copying || state.ungrouped || state.dirty))
        state.handed.insert(*ring);
      state.copying = state.ungrouped = state.unwaited = false;
    } else if (inst.is("mbarrier.try_wait") || inst.is("mbarrier.test_wait")) {
      std::optional<int64_t> ring = ringOf(inst);
      state.announced |= ring && state.handed.count(*ring);
    } else if (inst.is("fence.proxy.async")) {
      state.landed = state.announced = false;
    } else if (inst.is("mbarrier.arrive") && !inst.has("expect_tx")) {
      if (state.unwaited)
        complain("an arrival with cp.async on their way, without a wait for the older ones since "
                 "the last cp.async.commit_group");
      if (state.landed && hasProducts)
        complain("an arrival that says what threads have copied is there, without "
                 "fence.proxy.async: a wgmma may read it");
    } else if (isProduct(inst)) {
      if (state.landed || state.announced)
        complain("a wgmma that may read what threads have copied, without fence.proxy.async after "
                 "the wait");
    } else if (endsThread(inst) && (state.copying || state.ungrouped)) {
      complain("the function ends with cp.async on their way");
    }
  }

  /// Checks that all threads meet after an mbarrier is initialised, that bytes are announced, and
  /// that stores are put into groups.
  static void stepTma(State &state, const Instruction &inst,
                      llvm::function_ref<void(const Twine &)> complain) {
    const bool waits = inst.is("mbarrier.try_wait") || inst.is("mbarrier.test_wait");
    if (waits && state.unshared)
      complain("an mbarrier is waited for, but no barrier of all threads has made known that it is "
               "initialised");
    if (isTmaLoad(inst) && !state.expecting)
      complain("a TMA load whose bytes some path does not announce (mbarrier.arrive.expect_tx)");
    if (state.storing && (endsThread(inst) || inst.is("cp.async.bulk.wait_group")))
      complain("TMA stores not committed to a group: no wait covers them");
    if (inst.is("mbarrier.init"))
      state.unshared = true;
    else if (isBarrierOfAll(inst))
      state.unshared = false;
    else if (waits)
      state.expecting = false;
    else if (inst.is("mbarrier") && inst.has("expect_tx"))
      state.expecting = true;
    else if (isTmaStore(inst))
      state.storing = true;
    else if (inst.is("cp.async.bulk.commit_group"))
      state.storing = false;
  }

  /// Checks a launch that lets the next one begin early, or that may begin early itself.
  void stepGrid(State &state, const Instruction &inst,
                llvm::function_ref<void(const Twine &)> complain) {
    if (isGridWait(inst)) {
      state.gridAwaited |= inst.guard.empty();
    } else if (readsNonCoherent(inst)) {
      complain("a non-coherent load in a launch that may run concurrently with the one that writes "
               "what it "
               "reads");
    } else if (!state.gridAwaited && touchesGlobal(inst) &&
               !llvm::any_of(inst.operands, [&](StringRef operand) {
                 return operand.starts_with("[") && values.isOnStack(operand);
               })) {
      complain("global memory is accessed where griddepcontrol.wait has not been passed on every "
               "path: the launch before may still run");
    } else if (!state.gridAwaited && endsThread(inst)) {
      complain("a thread ends without griddepcontrol.wait: the grid may end before the launch "
               "before it, "
               "and the next launch would not be ordered after that one");
    }
  }

  /// Checks that the contract and the code agree. Without a contract for the function, the code is
  /// checked for itself.
  void checkDependence() {
    checksGrid = waitsForGrid || triggersGrid;
    if (!promise)
      return;
    if (promise->dependent && !waitsForGrid) {
      report(function.line, "the contract calls the launch dependent, but nothing waits for the "
                            "launch before it (griddepcontrol.wait)");
      checksGrid = false; // one complaint is enough
    }
    if (promise->dependent && !triggersGrid)
      report(function.line, "the contract calls the launch dependent, but it does not let the next "
                            "one in early (griddepcontrol.launch_dependents)");
    if (promise->dependent)
      return;
    forEach([&](const Instruction &inst) {
      if (isGridTrigger(inst))
        report(inst.line,
               "the next launch is let in early, but the contract does not call this one "
               "dependent");
      else if (isGridWait(inst))
        report(inst.line,
               "the launch before is waited for, but the contract does not call this one "
               "dependent: no launcher lets it in early");
    });
    checksGrid = false;
  }

  void checkPaths() {
    followPaths<State>(function, [&](State &state, const Instruction &inst, bool complains) {
      step(state, inst, complains);
    });
  }

  //===--- mbarriers ---===//

  struct Barrier {
    unsigned line = 0;
    std::optional<int64_t> count;
    unsigned expects = 0, arrives = 0;
  };

  void checkMbarriers() {
    std::map<std::string, Barrier> barriers;
    bool allStatic = true;
    forEach([&](const Instruction &inst) {
      if (!inst.is("mbarrier.init") || inst.operands.size() < 2)
        return;
      Value address = values.of(inst.operands[0]);
      allStatic &= address.isSymbol;
      Barrier &barrier = barriers[address.text()];
      barrier.line = inst.line;
      barrier.count = values.constant(inst.operands[1]);
      if (barrier.count && (*barrier.count < 1 || *barrier.count >= 1 << 20))
        report(inst.line, "an mbarrier with the arrival count " + Twine(*barrier.count) +
                              ": 1 to 1048575 are legal");
    });
    auto use = [&](const Instruction &inst, StringRef operand, StringRef what) -> Barrier * {
      Value address = values.of(operand);
      auto it = barriers.find(address.text());
      if (it != barriers.end())
        return &it->second;
      if (allStatic && address.isSymbol)
        report(inst.line,
               what + " on the mbarrier " + address.text() + ", which is never initialised");
      if (!address.isSymbol)
        someUnknownUse = true;
      return nullptr;
    };
    forEach([&](const Instruction &inst) {
      if (inst.is("mbarrier.arrive") || inst.is("mbarrier.arrive_drop")) {
        if (isRemoteArrival(inst)) {
          StringRef address = values.remoteArrival(inst).barrier;
          if (address.empty())
            someUnknownUse = true;
          else if (Barrier *barrier = use(inst, address, "an arrival in other blocks"))
            ++barrier->arrives;
          return;
        }
        // The form is "mbarrier.arrive… state, [address](, …)".
        for (StringRef operand : inst.operands)
          if (operand.starts_with("[")) {
            if (Barrier *barrier = use(inst, operand, "an arrival"))
              ++(inst.has("expect_tx") ? barrier->expects : barrier->arrives);
            break;
          }
      } else if (inst.is("cp.async.mbarrier.arrive")) {
        if (Barrier *barrier = use(inst, inst.operands.back(), "an arrival with copies"))
          ++barrier->arrives;
      } else if (inst.is("mbarrier.try_wait") || inst.is("mbarrier.test_wait")) {
        for (StringRef operand : inst.operands)
          if (operand.starts_with("[")) {
            use(inst, operand, "a wait");
            break;
          }
      } else if (isTmaLoad(inst)) {
        if (std::optional<StringRef> operand = mbarrierOf(inst))
          use(inst, *operand, "a TMA load");
      }
    });
    // One elected thread runs arrive.expect_tx, so each such instruction gives at most one arrival
    // to a phase.
    if (!someUnknownUse)
      for (auto &[name, barrier] : barriers)
        if (barrier.count && barrier.expects && !barrier.arrives &&
            *barrier.count > barrier.expects)
          report(barrier.line, "the mbarrier " + name + " counts " + Twine(*barrier.count) +
                                   " arrivals, but only " + Twine(barrier.expects) +
                                   " can come in a phase");
  }

  //===--- the rest ---===//

  void checkSetMaxRegisters() {
    std::set<int64_t> up, down;
    unsigned line = 0;
    forEach([&](const Instruction &inst) {
      if (!inst.is("setmaxnreg") || inst.operands.empty())
        return;
      line = inst.line;
      std::optional<int64_t> count = literal(inst.operands[0]);
      if (!count)
        return;
      (inst.has("inc") ? up : down).insert(*count);
      if (*count % hopper::kMachine.registerGranule || *count < hopper::kMinSetMaxRegisters ||
          *count > hopper::kMaxSetMaxRegisters)
        report(inst.line,
               "setmaxnreg " + Twine(*count) + ": multiples of 8 from 24 to 256 are legal");
    });
    if (!line)
      return;
    if (up.empty() != down.empty())
      report(line, up.empty()
                       ? "setmaxnreg gives registers up, but nobody takes them"
                       : "setmaxnreg takes registers that nobody gives up: it waits for ever");
    if ((function.reqntid != 0) == (function.maxntid != 0))
      return report(line, "setmaxnreg needs .reqntid or .maxntid on the function, and not both");
    int64_t threads = std::max(function.reqntid, function.maxntid);
    if (threads % hopper::kWarpgroupSize)
      return report(line, "setmaxnreg in a block of " + Twine(threads) +
                              " threads, which are not whole warpgroups");
    if (up.empty() || down.empty())
      return;
    // The least that can be asked for is that one warpgroup takes registers and all others give
    // some up.
    int64_t warpgroups = threads / hopper::kWarpgroupSize;
    int64_t asked = *up.begin() + (warpgroups - 1) * *down.begin();
    int64_t entry = hopper::kMachine.entryRegisterCap(threads) * warpgroups;
    if (asked > entry)
      report(line, "setmaxnreg asks for " + Twine(asked) +
                       " registers (sum over a lane of each warpgroup), but only " + Twine(entry) +
                       " are there at entry: give up more, or take fewer");
  }

  /// A wait that leaves groups in flight has no effect if nothing is committed to groups.
  void checkCopyGroups() {
    unsigned waits = 0;
    bool commits = false;
    forEach([&](const Instruction &inst) {
      commits |= inst.is("cp.async.commit_group");
      if (inst.is("cp.async.wait_group"))
        waits = inst.line;
    });
    if (waits && !commits)
      report(waits, "cp.async.wait_group waits for groups, but nothing is committed to one");
  }

  void checkNamedBarriers() {
    forEach([&](const Instruction &inst) {
      if (!(inst.is("bar") || inst.is("barrier")) || inst.is("barrier.cluster") ||
          inst.opcode.contains("warp") || inst.operands.empty())
        return;
      if (std::optional<int64_t> id = literal(inst.operands[0]);
          id && (*id < 0 || *id >= hopper::kNamedBarriers))
        report(inst.line, "the named barrier " + Twine(*id) + ": 0 to 15 exist");
    });
  }

  template <typename Fn>
  void forEach(Fn fn) {
    for (const Block &block : function.blocks)
      for (const Instruction &inst : block.instructions)
        fn(inst);
  }

  const Function &function;
  const LaunchPromise *promise; ///< null if there is no contract for the function
  std::vector<PtxProblem> &problems;
  Values values;
  bool operandsByCopies = false, hasProducts = false, someUnknownUse = false;
  bool waitsForGrid = false, triggersGrid = false, checksGrid = false;
};

} // namespace

std::vector<PtxProblem> tessera::checkPtx(std::string_view text, const LaunchPromises &promises) {
  std::vector<PtxProblem> problems;
  for (const Function &function : read(text)) {
    for (const auto &[line, what] : function.malformed)
      problems.push_back({line, function.name, what});
    auto it = promises.find(function.name);
    Checker(function, it == promises.end() ? nullptr : &it->second, problems).run();
  }
  return problems;
}

std::vector<PtxProblem> tessera::checkPtx(std::string_view text) {
  EmbeddedContract contract = embeddedContract(text);
  if (contract.json.empty() && contract.problem.empty())
    return checkPtx(text, LaunchPromises());
  std::optional<LaunchPromises> promises;
  if (contract.problem.empty() && !(promises = launchPromises(contract.json)))
    contract.problem = "the launch contract is not JSON";
  std::vector<PtxProblem> problems = checkPtx(text, promises.value_or(LaunchPromises()));
  if (!contract.problem.empty())
    problems.push_back({contract.line, contract::kSymbol.str(), contract.problem});
  return problems;
}
