// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cta-form-tables: lets blocks make atomics in private tables (tessera/Dialect/Tile/PrivateTables.h
// says which atomics, docs/design/Atomics.md why).
#include "tessera/Dialect/Cta/Analysis/Phase.h"
#include "tessera/Dialect/Cta/Analysis/Pressure.h"
#include "tessera/Dialect/Cta/Analysis/Products.h"
#include "tessera/Dialect/Cta/Analysis/SharedTiles.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Plan/Passes.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
#include "tessera/Machine/Hopper.h"

#include "llvm/Support/MathExtras.h"

namespace tessera::cta {
#define GEN_PASS_DEF_FORMTABLES
#include "tessera/Dialect/Cta/Plan/Passes.h.inc"
} // namespace tessera::cta

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;
using tile::PrivateTable;

namespace {
class TableFormer {
public:
  TableFormer(tile::GridOp grid, tile::Facts &facts)
      : grid(grid), kernel(grid->getParentOfType<tile::KernelOp>()), machine(machineOf(grid)),
        facts(facts) {}
  LogicalResult run();

private:
  std::optional<std::string> whyNot(const PrivateTable &table);
  void form(const PrivateTable &table);
  Value copies(OpBuilder &b, const PrivateTable &table, int64_t places);
  int64_t blocks(int64_t bytesOfOutputTile);

  tile::GridOp grid;
  tile::KernelOp kernel;
  const Machine &machine;
  tile::Facts &facts;
  /// The bytes of shared memory that other tiles and the chosen tables take.
  int64_t taken = 0;
};
} // namespace

static std::optional<tile::AtomicAccess> findAtomic(Operation *op) {
  auto atomic = dyn_cast<AtomicOp>(op);
  if (!atomic || atomic.getInto())
    return std::nullopt;
  return tile::atomicAccessOf(atomic);
}

static void refuse(Operation *atomic, StringRef why) {
  auto op = cast<AtomicOp>(atomic);
  const std::string before = op.getWhy() ? op.getWhy()->str() + "; " : "";
  op.setWhy(before + "not counted in shared memory: " + why.str());
}

static int64_t elementBytes(const PrivateTable &table) {
  return tile::elementBytes(table.elementType());
}

/// The bytes of a table with so many places: whole vectors, of which there is at least one.
static int64_t bytesOf(const PrivateTable &table, int64_t places) {
  return llvm::alignTo(std::max<int64_t>(places, 1) * elementBytes(table), 16);
}

/// What keeps a table that is possible from being worth it.
std::optional<std::string> TableFormer::whyNot(const PrivateTable &table) {
  if (!tile::mostWorthwhile(table))
    return tile::whyNotWorthwhile(table);
  const std::string name = tile::nameOfRoot(table.memref);
  const int64_t room = (tile::mostTableBytes(machine, table) - taken) / elementBytes(table);
  std::optional<int64_t> most = tile::mostElements(facts, table);
  if (!most)
    return "it is not known that the steps meet few elements of " + name +
           ": a static size or tile.size_max says so";
  if (*most > tile::mostWorthwhile(table))
    return tile::whyNotWorthwhile(table) + ", among " + std::to_string(*most) + " elements";
  if (*most > room)
    return "the steps meet up to " + std::to_string(*most) + " elements of " + name +
           ", but a block has room for " + std::to_string(std::max<int64_t>(room, 0));
  if (!kernel->hasAttr(tile::kTables) && !tile::alwaysPays(table, *most))
    return std::to_string(table.elements) + " steps " +
           (table.block ? "are few for " : "of an output tile are few for ") +
           std::to_string(*most) + " elements of " + name +
           ", each of which a block clears and adds";
  return std::nullopt;
}

/// The number of copies of a table that has room for so many places: the most for which there is
/// room, up to one for each lane. Null if that is one.
Value TableFormer::copies(OpBuilder &b, const PrivateTable &table, int64_t places) {
  Location loc = grid.getLoc();
  auto index = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(b, loc, number);
  };
  auto type = cast<MemRefType>(table.memref.getType());
  int64_t known = 1;
  for (int64_t dim : table.dims)
    if (!type.isDynamicDim(static_cast<unsigned>(dim)))
      known = std::min<int64_t>(llvm::SaturatingMultiply<uint64_t>(known, type.getDimSize(dim)),
                                places + 1);
  if (!known)
    return {};
  Value size;
  for (int64_t dim : table.dims)
    if (type.isDynamicDim(static_cast<unsigned>(dim))) {
      Value extent = b.createOrFold<memref::DimOp>(loc, table.memref, dim);
      size = size ? b.createOrFold<arith::MulIOp>(loc, size, extent) : extent;
    }
  Value copies;
  int64_t best = 1;
  for (int64_t count = 2; count <= TableOp::kMostCopies && count * known <= places; count *= 2) {
    best = count;
    if (!size)
      continue;
    Value fits = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, size,
                                               index(places / (count * known)));
    copies = arith::SelectOp::create(b, loc, fits, index(count), copies ? copies : index(1));
  }
  if (!size && best > 1)
    copies = index(best);
  return copies;
}

/// Where the table is made: after the last coordinate of which it is the part.
static void setInsertionPoint(OpBuilder &b, const PrivateTable &table) {
  b.setInsertionPointToStart(table.block);
  for (Value coord : table.coords) {
    Operation *op = coord.getDefiningOp();
    if (op && op->getBlock() == table.block &&
        (b.getInsertionPoint() == table.block->end() ||
         !op->isBeforeInBlock(&*b.getInsertionPoint())))
      b.setInsertionPointAfter(op);
  }
}

void TableFormer::form(const PrivateTable &table) {
  Location loc = table.atomics.front()->getLoc();
  const Type element = table.elementType();
  const int64_t most = *tile::mostElements(facts, table);
  int64_t bytes = bytesOf(table, most);
  OpBuilder b(grid), outside(grid);
  Value copies;
  // Elements of one tile that do not meet need no copies.
  if (table.meets) {
    const int64_t left = machine.sharedOfBlock(tile::kGuardedBlocks) - taken +
                         tile::roomOfTable(bytes),
                  room = std::max<int64_t>(left, 0) / elementBytes(table);
    // Copies are cleared and added, too: in no more places than an output tile has atomics.
    const int64_t ofCopies = std::min({table.elements, room, most * TableOp::kMostCopies});
    copies = this->copies(b, table, ofCopies);
    taken -= tile::roomOfTable(bytes);
    bytes = std::max(bytes, bytesOf(table, ofCopies));
    taken += tile::roomOfTable(bytes);
  }
  PrivateTable placed = table;
  if (!placed.block)
    placed.block = &grid.getBody().front();
  if (table.block)
    setInsertionPoint(b, placed);
  else
    b.setInsertionPointToStart(placed.block);
  auto type = SmemType::get(b.getContext(), {bytes / elementBytes(table)}, element,
                            SwizzleAttr::linear(b.getContext()));
  auto made = TableOp::create(b, loc, type, table.kind, table.memref, table.dims, copies,
                              /*offset=*/IntegerAttr());
  SmallVector<Value> coords(table.coords);
  for (Value &coord : coords)
    if (std::optional<int64_t> constant = getConstantIntValue(coord))
      coord = arith::ConstantIndexOp::create(outside, loc, *constant);
  b.setInsertionPoint(placed.block->getTerminator());
  FlushOp::create(b, loc, made, table.memref, coords);
  for (Operation *op : table.atomics) {
    auto atomic = cast<AtomicOp>(op);
    atomic.getIntoMutable().assign(made);
    atomic.removeVectorAttr();
    atomic.removeWhyAttr();
  }
}

/// How many blocks shall share an SM.
int64_t TableFormer::blocks(int64_t bytesOfOutputTile) {
  const int64_t threads = hopper::kWarpgroupSize * kernel.getWarpgroups().value_or(1);
  const int64_t each = estimatedRegisters(machine, grid);
  const int64_t fit = std::min(tile::blocksWithTables(machine, taken, bytesOfOutputTile, threads),
                               machine.occupancy(threads, each, taken).blocks());
  return std::max<int64_t>(fit, 1);
}

LogicalResult TableFormer::run() {
  SmallVector<AtomicOp> atomics;
  const bool multiplies = multipliesMatrices(grid);
  grid.walk([&](Operation *op) {
    if (findAtomic(op))
      atomics.push_back(cast<AtomicOp>(op));
  });
  if (atomics.empty())
    return success();
  const tile::PrivateTables found = tile::findPrivateTables(grid, findAtomic);
  for (const auto &[atomic, why] : found.refused)
    if (auto op = cast<AtomicOp>(atomic); !op.isOrdered() && !op.getOld())
      refuse(atomic, why);
  if (found.choices.empty())
    return success();
  FailureOr<StagedBytes> staged = stagedBytes(grid, nullptr);
  if (failed(staged))
    return failure();
  taken = tile::roomOfTable(staged->least);
  SmallVector<const PrivateTable *> chosen;
  for (const tile::TableChoices &choices : found.choices) {
    std::optional<std::string> why;
    const PrivateTable *best = nullptr;
    if (multiplies)
      why = "the grid has matrix products, which want the shared memory for their operands";
    else
      for (const PrivateTable &table : choices.tables)
        if (!best && !(why = whyNot(table)))
          best = &table;
    if (!best) {
      for (Operation *atomic : choices.atomics)
        refuse(atomic, *why);
      continue;
    }
    chosen.push_back(best);
    taken += tile::roomOfTable(bytesOf(*best, *tile::mostElements(facts, *best)));
  }
  // What all of them leave is for copies.
  int64_t bytesOfOutputTile = 0;
  bool isPersistent = false;
  for (const PrivateTable *table : chosen) {
    form(*table);
    isPersistent |= !table->block;
    bytesOfOutputTile = std::max(bytesOfOutputTile, table->block ? 0 : table->bytes);
  }
  if (isPersistent)
    grid->setAttr(kPersistentAttr, Builder(grid).getI64IntegerAttr(blocks(bytesOfOutputTile)));
  return success();
}

namespace {
struct FormTables : cta::impl::FormTablesBase<FormTables> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(requirePhase(kernel, tile::Phase::Placed, getArgument())))
      return signalPassFailure();
    tile::Facts facts(kernel);
    for (auto grid : kernel.getBody().getOps<tile::GridOp>())
      if (failed(TableFormer(grid, facts).run()))
        return signalPassFailure();
  }
};
} // namespace
