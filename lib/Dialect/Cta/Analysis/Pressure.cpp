// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/IndexTiles.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <queue>

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace {
/// Live ranges of register tiles in program order. The body of a loop counts once, and what the
/// loop carries is live throughout.
class Liveness {
public:
  explicit Liveness(Block &body) : body(body), fetches(opsThatOnlyFeedCopies(body)) {
    number(body);
  }
  /// The product with the most live registers; op is null if there is no product.
  Pressure worst();
  Value largestTile() const;
  /// The most registers that live across one load, one reduction or one access to shared memory.
  int64_t acrossLoads();

private:
  void number(Block &block);
  int64_t endOfUse(Value value, Operation *user) const;
  int64_t lastUse(Value value, Operation *at) const;
  bool isFree(Value value) const;

  Block &body;
  const DenseSet<Operation *> fetches; // these belong to the threads that copy
  int64_t next = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> positions; // first, last
  SmallVector<std::pair<Value, int64_t>> tiles; // with the position of their definition
};
} // namespace

int64_t Pressure::sum() const {
  int64_t n = 0;
  for (auto &[value, registers] : values)
    n += registers;
  return n;
}

/// True for values that take no registers, because they are computed again wherever they are
/// needed, or by the threads that copy.
bool Liveness::isFree(Value value) const {
  Operation *op = value.getDefiningOp();
  if (op && fetches.contains(op))
    return true;
  if (auto ready = dyn_cast_or_null<ReadyOp>(op))
    op = ready.getSource().getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return !isa<RankedTensorType>(broadcast.getSource().getType());
  return isa_and_nonnull<IotaOp>(op) || (op && matchPattern(op, m_Constant()));
}

/// The registers of a value while it is live. A tile that repeats another one's elements has them
/// in the same registers.
static int64_t takenBy(Value tile) {
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  return registersOf(broadcast ? broadcast.getSource() : tile);
}

void Liveness::number(Block &block) {
  int64_t start = next++;
  for (BlockArgument argument : block.getArguments())
    if (registerTile(argument.getType()))
      tiles.push_back({argument, start});
  for (Operation &op : block) {
    int64_t begin = next++;
    if (!isa<ReduceOp, ScanOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          number(inner);
    positions[&op] = {begin, next++};
    for (Value result : op.getResults())
      if (registerTile(result.getType()) && !isFree(result))
        tiles.push_back({result, op.getNumRegions() ? positions[&op].second : begin});
  }
}

/// True if one op stands in another region of a branch than the other op, so that only one of them
/// runs while a value lives that `home` defines: no iteration of a loop around the branch needs the
/// value in the other region next.
static bool areAlternatives(Operation *a, Operation *b, Region *home) {
  bool differ = false;
  for (Region *region = a->getParentRegion(); region && region != home;
       region = region->getParentRegion()) {
    Operation *around = region->getParentOp();
    if (!around)
      return false;
    if (differ && isa<CountedLoop, scf::WhileOp>(around))
      return false;
    if (!differ && around->isProperAncestor(b)) {
      differ =
          isa<scf::IfOp, scf::IndexSwitchOp>(around) && !region->isAncestor(b->getParentRegion());
      if (!differ)
        return false;
    }
  }
  return differ;
}

/// Where a use ends: with the op, or with a loop around it that the value is defined outside of.
int64_t Liveness::endOfUse(Value value, Operation *user) const {
  // A loop takes over the registers of its initial values.
  int64_t end = positions.lookup(user).first;
  for (Operation *parent = user->getParentOp();
       parent && parent != value.getParentRegion()->getParentOp(); parent = parent->getParentOp())
    if (isa<CountedLoop, scf::WhileOp>(parent))
      end = std::max(end, positions.lookup(parent).second);
  return end;
}

/// The last use on a way through op `at`.
int64_t Liveness::lastUse(Value value, Operation *at) const {
  int64_t last = 0;
  for (Operation *user : value.getUsers())
    if (!areAlternatives(at, user, value.getParentRegion()))
      last = std::max(last, endOfUse(value, user));
  return last;
}

Pressure Liveness::worst() {
  Pressure worst;
  body.walk([&](WgmmaOp wgmma) {
    int64_t at = positions.lookup(wgmma).first;
    Pressure here{wgmma, {{wgmma.getResult(), registersOf(wgmma.getResult())}}};
    for (auto [tile, birth] : tiles) {
      // The accumulators that the result replaces share its registers.
      bool operand = wgmma.aInRegisters() && tile == wgmma.getA();
      if (tile != wgmma.getResult() && birth < at && (operand || lastUse(tile, wgmma) > at))
        here.values.push_back({tile, takenBy(tile)});
    }
    if (!worst.op || here.sum() > worst.sum())
      worst = here;
  });
  return worst;
}

Value Liveness::largestTile() const {
  Value largest;
  for (auto [tile, birth] : tiles)
    if (!largest || registersOf(tile) > registersOf(largest))
      largest = tile;
  return largest;
}

/// What a thread keeps for a tile that it needs later: not the result of a conversion, which it can
/// make again, if what is converted takes fewer registers.
static Value keptFor(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (!isa<CastOpInterface, BroadcastOp>(op) || !registerTile(op->getOperand(0).getType()) ||
        registersOf(op->getOperand(0)) > registersOf(tile))
      break;
    tile = op->getOperand(0);
  }
  return tile;
}

/// The registers of a tile. One that is loaded element by element has a register for each.
static int64_t loadedRegisters(Value tile) {
  auto load = tile.getDefiningOp<LoadOp>();
  return load && load.getVector().value_or(1) == 1
             ? std::max(elementsOfThread(tile.getType()), registersOf(tile))
             : registersOf(tile);
}

int64_t Liveness::acrossLoads() {
  // By position: what begins to live there, what has ended there, and where something is crossed.
  struct Life {
    int64_t birth, end;
    Value kept;
  };
  SmallVector<Life> lives;
  for (auto [tile, birth] : tiles) {
    int64_t end = birth;
    for (Operation *user : tile.getUsers())
      end = std::max(end, endOfUse(tile, user));
    lives.push_back({birth, end, keptFor(tile)});
  }
  llvm::stable_sort(lives, [](const Life &a, const Life &b) { return a.birth < b.birth; });
  SmallVector<int64_t> crossed;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ReduceOp, ScanOp>(op)) {
      crossed.push_back(positions.lookup(op).first);
      return WalkResult::skip();
    }
    // Between two of them ptxas computes and stores a few elements at a time. A load is made at
    // once, because a branch decides whether it is within the array.
    if (!op->getNumRegions() && !isa<StoreOp>(op) &&
        (isa<StageOp, ReadOp>(op) || !isMemoryEffectFree(op)))
      crossed.push_back(positions.lookup(op).first);
    return WalkResult::advance();
  });
  auto endsLater = [](const Life *a, const Life *b) { return a->end > b->end; };
  std::priority_queue<const Life *, std::vector<const Life *>, decltype(endsLater)> alive(
      endsLater);
  DenseMap<Value, int64_t> holders; // by what is kept: how many that live need it
  int64_t most = 0, sum = 0;
  const Life *next = lives.begin();
  for (int64_t at : crossed) {
    for (; next != lives.end() && next->birth <= at; ++next) {
      if (holders[next->kept]++ == 0)
        sum += loadedRegisters(next->kept);
      alive.push(next);
    }
    for (; !alive.empty() && alive.top()->end <= at; alive.pop())
      if (--holders[alive.top()->kept] == 0)
        sum -= loadedRegisters(alive.top()->kept);
    most = std::max(most, sum);
  }
  return most;
}

int64_t tessera::cta::registersAcrossLoads(Block &body) {
  return Liveness(body).acrossLoads() + kOtherRegisters;
}

Pressure tessera::cta::worstPressure(Block &body) { return Liveness(body).worst(); }
Pressure tessera::cta::worstPressure(LaunchOp launch) {
  return worstPressure(launch.getBody().front());
}
Value tessera::cta::largestTile(LaunchOp launch) {
  return Liveness(launch.getBody().front()).largestTile();
}

int64_t tessera::cta::estimatedRegisters(const Machine &machine, tile::GridOp grid) {
  int64_t registers = 0;
  grid.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        registers = std::max(registers, registersOf(result));
  });
  return std::min(2 * registers + kOtherRegisters, machine.maxRegistersPerThread);
}

int64_t tessera::cta::blocksByRegisters(LaunchOp launch, int64_t threads) {
  const Machine &machine = machineOf(launch);
  Pressure pressure = worstPressure(launch);
  int64_t blocks = machine.maxThreadsPerSM / threads;
  while (pressure.op && blocks > 1 &&
         machine.entryRegisterCap(blocks * threads) < pressure.sum() + kOtherRegisters)
    --blocks;
  return blocks;
}
