// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-assign-registers: threads, the cap on registers, and how many blocks shall share an SM.
//
// The registers of an SM are dealt to all threads of its blocks when they start. A block alone
// gives each thread what `entryCap` says; two blocks halve it. ptxas does the allocation; here is
// only the estimate that matters to a plan: the accumulators and register operands of products live
// for long and cannot be spilled at speed, everything else is fused element by element. They and 26
// registers for addresses and loop state (measured on GEMM) must fit.
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Cta/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

namespace tessera::cta {
#define GEN_PASS_DEF_ASSIGNREGISTERS
#include "tessera/Dialect/Cta/Passes.h.inc"
} // namespace tessera::cta

namespace {
constexpr int64_t kOverhead = 26;
/// One tile of more registers a thread cannot be compiled in any useful time.
constexpr int64_t kMaxTileRegisters = 4096;

/// What a wgmma keeps in the registers of a thread, by value.
struct Pressure {
  WgmmaOp op;
  SmallVector<std::pair<Value, int64_t>> values;
  int64_t sum() const {
    int64_t n = 0;
    for (auto &[value, registers] : values)
      n += registers;
    return n;
  }
};

/// Tiles and where they live, in the order of the text; a loop's body counts once, and what is
/// carried around it lives throughout.
class Liveness {
public:
  explicit Liveness(LaunchOp launch) : launch(launch) { number(launch.getBody().front()); }
  /// The product that needs most; op is null if there is none.
  Pressure worst();
  Value largestTile() const;

private:
  void number(Block &block);
  int64_t lastUse(Value value) const;

  LaunchOp launch;
  int64_t next = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> positions; // begin, end
  SmallVector<std::pair<Value, int64_t>> tiles;                 // with the position of their birth
};
} // namespace

/// floor(16384 / (32 * ceil(warps / 4))), down to a multiple of 8, at most 255.
static int64_t entryCap(int64_t threads) {
  int64_t warpsOfAQuarter = llvm::divideCeil(llvm::divideCeil(threads, 32), 4);
  return std::min<int64_t>(16384 / (32 * warpsOfAQuarter) / 8 * 8, 255);
}

static int64_t registersOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  FragAttr frag = FragAttr::of(type);
  if (!frag)
    return 0;
  int64_t bytes = frag.layout().numRegisters(coordOf(type.getShape())) *
                  tile::elementBytes(type.getElementType());
  return llvm::divideCeil(bytes, 4);
}

/// Made again wherever it is needed.
static bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return !isa<RankedTensorType>(broadcast.getSource().getType());
  return isa_and_nonnull<IotaOp>(op) || (op && matchPattern(op, m_Constant()));
}

void Liveness::number(Block &block) {
  int64_t start = next++;
  for (BlockArgument argument : block.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      tiles.push_back({argument, start});
  for (Operation &op : block) {
    int64_t begin = next++;
    if (!isa<ReduceOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          number(inner);
    positions[&op] = {begin, next++};
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !isFree(result))
        tiles.push_back({result, op.getNumRegions() ? positions[&op].second : begin});
  }
}

int64_t Liveness::lastUse(Value value) const {
  int64_t last = 0;
  for (Operation *user : value.getUsers()) {
    // What a loop is given it takes over.
    last = std::max(last, positions.lookup(user).first);
    for (Operation *parent = user->getParentOp();
         parent && parent != value.getParentRegion()->getParentOp(); parent = parent->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(parent))
        last = std::max(last, positions.lookup(parent).second);
  }
  return last;
}

Pressure Liveness::worst() {
  Pressure worst;
  launch.getBody().walk([&](WgmmaOp wgmma) {
    int64_t at = positions.lookup(wgmma).first;
    Pressure here{wgmma, {{wgmma.getResult(), registersOf(wgmma.getResult())}}};
    for (auto [tile, birth] : tiles) {
      // The accumulator that the result replaces is in its registers.
      bool operand = wgmma.aInRegisters() && tile == wgmma.getA();
      if (tile != wgmma.getResult() && birth < at && (operand || lastUse(tile) > at))
        here.values.push_back({tile, registersOf(tile)});
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

static LogicalResult tooMany(const Pressure &pressure, int64_t cap, int64_t threads) {
  WgmmaOp op = pressure.op;
  InFlightDiagnostic error =
      op.emitError() << "this product and the tiles that live across it need " << pressure.sum()
                     << " registers a thread, but of the " << cap << " that a block of " << threads
                     << " threads has only " << cap - kOverhead
                     << " are left; make the tile smaller in M or N, or use more warpgroups";
  for (auto [value, registers] : pressure.values)
    error.attachNote(value.getLoc()) << registers << " registers: " << erasedType(value.getType());
  return error;
}

static LogicalResult assign(LaunchOp launch, int64_t threads) {
  if (launch.getThreads() && static_cast<int64_t>(*launch.getThreads()) != threads)
    return launch.emitOpError("has threads = ")
           << *launch.getThreads() << ", but the kernel's warpgroups make it " << threads;
  Liveness liveness(launch);
  if (Value tile = liveness.largestTile(); tile && registersOf(tile) > kMaxTileRegisters)
    return emitError(tile.getLoc())
           << "the tile " << erasedType(tile.getType()) << " takes " << registersOf(tile)
           << " registers a thread, more than " << kMaxTileRegisters
           << ": make it smaller, use more warpgroups, or loop over parts of it";

  int64_t cap = entryCap(threads), blocks = 1;
  Pressure pressure = liveness.worst();
  if (pressure.op) {
    if (pressure.sum() > cap - kOverhead)
      return tooMany(pressure, cap, threads);
    // One block computes while the other fills or drains.
    int64_t shared = launch.getShared().value_or(0) + kReservedSharedBytes;
    if (2 * shared <= kSharedBytesPerSM && 2 * threads <= kThreadsPerSM &&
        pressure.sum() <= entryCap(2 * threads) - kOverhead)
      blocks = 2;
  }
  if (std::optional<uint64_t> given = launch.getMinBlocks())
    blocks = static_cast<int64_t>(*given);
  cap = entryCap(blocks * threads);
  if (std::optional<uint64_t> given = launch.getMaxRegisters();
      given && static_cast<int64_t>(*given) > cap)
    return launch.emitOpError("has max_registers = ")
           << *given << ", but " << blocks * threads << " threads of an SM have " << cap << " each";
  launch.setThreads(threads);
  if (!launch.getMaxRegisters())
    launch.setMaxRegisters(cap);
  if (blocks > 1)
    launch.setMinBlocks(blocks);
  return success();
}

namespace {
struct AssignRegisters : cta::impl::AssignRegistersBase<AssignRegisters> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Allocated, getArgument())))
      return signalPassFailure();
    int64_t threads = 128 * kernel.getWarpgroups().value_or(1);
    for (auto launch : kernel.getBody().getOps<LaunchOp>())
      if (failed(assign(launch, threads)))
        return signalPassFailure();
  }
};
} // namespace
