// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/PrivateTables.h"

#include "tessera/Dialect/Tile/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::tile;

//===--- steps in shared memory --------------------------------------------------------------===//

bool tessera::tile::hasSharedSteps(AtomicKind kind, Type element) {
  if (kind == AtomicKind::Exchange || kind == AtomicKind::Cas || !element.isIntOrIndex())
    return false;
  const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (bits == 64)
    return llvm::is_contained({AtomicKind::Add, AtomicKind::And, AtomicKind::Or, AtomicKind::Xor},
                              kind);
  return bits == 32;
}

TypedAttr tessera::tile::identityOfAtomic(AtomicKind kind, Type element) {
  Builder b(element.getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    switch (kind) {
    case AtomicKind::Add: // x + -0 is x for x = -0, too
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
    case AtomicKind::Min: // NaN wins, so that it stays
      return FloatAttr::get(type, APFloat::getInf(semantics));
    case AtomicKind::Max:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
    default:
      return {};
    }
  }
  const unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  switch (kind) {
  case AtomicKind::Add:
  case AtomicKind::Or:
  case AtomicKind::Xor:
  case AtomicKind::UMax:
    return b.getIntegerAttr(element, APInt::getZero(bits));
  case AtomicKind::And:
  case AtomicKind::UMin:
    return b.getIntegerAttr(element, APInt::getAllOnes(bits));
  case AtomicKind::Min:
    return b.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
  case AtomicKind::Max:
    return b.getIntegerAttr(element, APInt::getSignedMinValue(bits));
  case AtomicKind::Exchange:
  case AtomicKind::Cas:
    return {};
  }
  return {};
}

//===--- which atomics -----------------------------------------------------------------------===//

/// Of a loop whose number of iterations is not known, so many count for what speaks against tables.
static constexpr int64_t kUnknownTrips = 16;

namespace {
class TableFinder {
public:
  TableFinder(GridOp grid, FindAtomic find) : grid(grid), find(find) {}
  PrivateTables run();

private:
  using Group = SmallVector<AtomicAccess>;
  std::optional<std::string> whyNotOne(const AtomicAccess &access);
  std::optional<std::string> whyNotTogether(const Group &group);
  std::optional<std::string> whoElse(Value root);
  bool touches(Operation *op, Value memref);
  /// A constant may stand anywhere.
  bool isInside(Value value) {
    return grid.getRegion().isAncestor(value.getParentRegion()) && !getConstantIntValue(value);
  }
  PrivateTable tableOf(const Group &group, bool onlyOutside);
  void count(PrivateTable &table, const Group &group);
  int64_t runs(Operation *op, const PrivateTable &table, bool few);

  GridOp grid;
  FindAtomic find;
};
} // namespace

/// What keeps an atomic from being counted, whatever the others of its array are.
std::optional<std::string> TableFinder::whyNotOne(const AtomicAccess &access) {
  auto say = [](const Twine &text) { return std::optional<std::string>(text.str()); };
  if (access.kind == AtomicKind::Exchange || access.kind == AtomicKind::Cas)
    return say("what '" + stringifyAtomicKind(access.kind) +
               "' leaves depends on the order of all blocks");
  if (access.scope != MemoryScope::Device)
    return say("the host or other devices may look at each step");
  Value memref = access.parts.memref, root = rootOf(memref);
  if (!root)
    return say("it is not known which array this is");
  if (isArrayInMemory(root))
    return say("the array is at an address from memory, so that it may be another one each time");
  if (isInside(memref))
    return say("each block makes its view of " + nameOfRoot(memref) +
               ": use the argument, with coordinates");
  if (access.parts.strides)
    return say("it has element steps");
  auto kernel = grid->getParentOfType<KernelOp>();
  const Type element = access.tile.getElementType();
  if (isa<FloatType>(element) && access.kind == AtomicKind::Add && !kernel.reassociates())
    return say("the kernel says reassoc = off, and sums of blocks round otherwise");
  if (!access.parts.indices.empty() && !hasSharedSteps(access.kind, element)) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return say("shared memory has no '" + stringifyAtomicKind(access.kind) + "' of " + type +
               " where elements of a tile may meet, only loops of compare and swap");
  }
  return std::nullopt;
}

bool TableFinder::touches(Operation *op, Value memref) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !op->getNumRegions() && !isMemoryEffectFree(op);
  return effects.getEffectOnValue<MemoryEffects::Read>(memref) ||
         effects.getEffectOnValue<MemoryEffects::Write>(memref);
}

/// Who but atomics on the root itself may read or write its memory in the grid.
std::optional<std::string> TableFinder::whoElse(Value root) {
  std::optional<std::string> why;
  grid->walk([&](Operation *op) {
    const bool isAtomic = find(op).has_value();
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) || !touches(op, operand))
        continue;
      Value other = rootOf(operand);
      if ((isAtomic && other == root) || !rootsMayAlias(other, root))
        continue;
      why = op->getName().getStringRef().str() + " of the same grid accesses " +
            (other == root ? "it, too"
             : other       ? nameOfRoot(operand) + ", which may overlap it"
                           : std::string("memory that may be the same"));
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return why;
}

std::optional<std::string> TableFinder::whyNotTogether(const Group &group) {
  const AtomicAccess &first = group.front();
  for (const AtomicAccess &access : group) {
    if (std::optional<std::string> why = whyNotOne(access))
      return why;
    if (access.kind != first.kind)
      return "atomics of other kinds meet the same array in this grid (" +
             stringifyAtomicKind(first.kind).str() + " and " +
             stringifyAtomicKind(access.kind).str() + "), and their order matters";
    if (access.parts.memref != first.parts.memref)
      return "the grid reaches " + nameOfRoot(first.parts.memref) + " by several views";
  }
  return whoElse(rootOf(first.parts.memref));
}

//===--- what a table has --------------------------------------------------------------------===//

/// The coordinate that all atomics have in a dimension along which none of them has a tile, or
/// null.
static Value commonCoord(ArrayRef<AtomicAccess> group, int64_t dim) {
  Value common;
  for (const AtomicAccess &access : group) {
    Value coord = access.parts.coordOf(dim);
    if (!coord || llvm::is_contained(access.parts.dims, dim))
      return {};
    std::optional<int64_t> constant = getConstantIntValue(coord);
    if (common && coord != common && (!constant || constant != getConstantIntValue(common)))
      return {};
    common = coord;
  }
  return common;
}

/// How often an op runs while the table lives.
int64_t TableFinder::runs(Operation *op, const PrivateTable &table, bool few) {
  int64_t times = 1;
  Operation *end = table.block ? table.block->getParentOp() : grid.getOperation();
  for (Operation *loop = op->getParentOp(); loop != end; loop = loop->getParentOp()) {
    if (!isa<LoopLikeOpInterface>(loop))
      continue;
    std::optional<int64_t> trips;
    if (auto counted = dyn_cast<scf::ForOp>(loop))
      if (std::optional<APInt> known = counted.getStaticTripCount())
        trips = known->getLimitedValue(INT32_MAX);
    // A loop around the atomics counts once for both.
    const bool aroundAll = llvm::all_of(
        table.atomics, [&](Operation *atomic) { return loop->isProperAncestor(atomic); });
    times = llvm::SaturatingMultiply<uint64_t>(
        times, trips.value_or(few || aroundAll ? 1 : kUnknownTrips));
    times = std::min<int64_t>(times, INT32_MAX);
  }
  return times;
}

static int64_t bytesOfTile(Operation *op) {
  int64_t most = 0;
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                            llvm::to_vector(op->getResultTypes())))
    if (auto tile = dyn_cast<RankedTensorType>(type); tile && tile.hasStaticShape())
      most = std::max(most, tile.getNumElements() * elementBytes(tile.getElementType()));
  return most;
}

void TableFinder::count(PrivateTable &table, const Group &group) {
  for (const AtomicAccess &access : group)
    table.elements += runs(access.op, table, /*few=*/true) * access.tile.getNumElements();
  Region &region = table.block ? *table.block->getParent() : grid.getRegion();
  region.walk([&](Operation *op) {
    if (find(op) || op->getNumRegions())
      return;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) && touches(op, operand)) {
        table.bytes += runs(op, table, /*few=*/false) * bytesOfTile(op);
        return;
      }
  });
}

/// With `onlyOutside` coordinates that differ from block to block are dimensions of the table.
PrivateTable TableFinder::tableOf(const Group &group, bool onlyOutside) {
  PrivateTable table;
  table.memref = group.front().parts.memref;
  table.kind = group.front().kind;
  for (const AtomicAccess &access : group) {
    table.atomics.push_back(access.op);
    table.meets |= !access.parts.indices.empty();
  }
  for (int64_t m = 0, rank = cast<MemRefType>(table.memref.getType()).getRank(); m < rank; ++m) {
    Value coord = commonCoord(group, m);
    if (!coord || (onlyOutside && isInside(coord))) {
      table.dims.push_back(m);
      continue;
    }
    table.coords.push_back(coord);
    // All these coordinates dominate the atomics, so their blocks lie in each other.
    Block *block = coord.getParentBlock();
    if (isInside(coord) &&
        (!table.block || table.block->getParent()->isProperAncestor(block->getParent())))
      table.block = block;
  }
  count(table, group);
  return table;
}

PrivateTables TableFinder::run() {
  PrivateTables result;
  llvm::MapVector<Value, Group> groups;
  bool waits = false;
  grid->walk([&](Operation *op) {
    std::optional<AtomicAccess> access = find(op);
    if (!access)
      return;
    waits |= access->returns || access->order != MemoryOrder::Relaxed;
    groups[rootOf(access->parts.memref)].push_back(*access);
  });
  for (auto &[root, group] : groups) {
    std::optional<std::string> why = whyNotTogether(group);
    if (!why && waits)
      why = "an atomic of the grid orders or returns, so that blocks may wait for each other";
    if (why) {
      for (const AtomicAccess &access : group)
        result.refused.push_back({access.op, *why});
      continue;
    }
    TableChoices choices;
    PrivateTable own = tableOf(group, /*onlyOutside=*/false);
    choices.atomics = own.atomics;
    if (own.block)
      choices.tables.push_back(tableOf(group, /*onlyOutside=*/true));
    choices.tables.push_back(std::move(own));
    result.choices.push_back(std::move(choices));
  }
  return result;
}

PrivateTables tessera::tile::findPrivateTables(GridOp grid, FindAtomic find) {
  return TableFinder(grid, find).run();
}

std::optional<AtomicAccess> tessera::tile::findTileAtomic(Operation *op) {
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return atomicAccessOf(atomic);
  return std::nullopt;
}

//===--- how large a table is ----------------------------------------------------------------===//

/// Removes a size that is the value from `dims`.
static bool takeSize(Facts &facts, Value value, Value memref, SmallVectorImpl<int64_t> &dims) {
  for (int64_t &dim : dims)
    if (facts.isSize(value, memref, static_cast<unsigned>(dim))) {
      dims.erase(&dim);
      return true;
    }
  return false;
}

/// The bound of a product of sizes that a condition states, times the known bounds of the sizes
/// that are not in it.
static std::optional<int64_t> boundOf(Facts &facts, Value condition, const PrivateTable &table) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
  const bool isStrict = compare.getPredicate() == arith::CmpIPredicate::slt;
  if (!bound || (!isStrict && compare.getPredicate() != arith::CmpIPredicate::sle))
    return std::nullopt;
  SmallVector<int64_t> left(table.dims);
  SmallVector<Value> factors{compare.getLhs()};
  while (!factors.empty()) {
    Value factor = factors.pop_back_val();
    if (takeSize(facts, factor, table.memref, left))
      continue;
    auto product = factor.getDefiningOp<arith::MulIOp>();
    if (!product)
      return std::nullopt;
    factors.append({product.getLhs(), product.getRhs()});
  }
  uint64_t most = static_cast<uint64_t>(std::max<int64_t>(*bound - (isStrict ? 1 : 0), 0));
  for (int64_t dim : left)
    most = llvm::SaturatingMultiply<uint64_t>(
        most, static_cast<uint64_t>(facts.sizeRange(table.memref, static_cast<unsigned>(dim)).max));
  return most < INT32_MAX ? std::optional(static_cast<int64_t>(most)) : std::nullopt;
}

std::optional<int64_t> tessera::tile::mostElements(Facts &facts, const PrivateTable &table) {
  uint64_t product = 1;
  for (int64_t dim : table.dims)
    product = llvm::SaturatingMultiply<uint64_t>(
        product,
        static_cast<uint64_t>(facts.sizeRange(table.memref, static_cast<unsigned>(dim)).max));
  std::optional<int64_t> most;
  if (product < INT32_MAX)
    most = static_cast<int64_t>(product);
  auto kernel = table.atomics.front()->getParentOfType<KernelOp>();
  for (auto assume : kernel.getBody().getOps<AssumeOp>())
    if (assume.getMessage())
      if (std::optional<int64_t> bound = boundOf(facts, assume.getValue(), table))
        most = std::min(most.value_or(*bound), *bound);
  return most;
}

//===--- when it pays ------------------------------------------------------------------------===//

/// Memory moves this many bytes in the time of an atomic in L2, among 4096 elements. It is a half
/// of that among very many, and ten times as much among 256 (docs/performance/constants.md).
static constexpr int64_t kBytesPerAtomic = 128;
/// L2 makes one access at a time to each 32 bytes, and the neighbours of a box are one access. It
/// takes about 8 ns, in which memory moves 36 KB; half of its time is worth a table.
static constexpr int64_t kBytesPerBox = 64 * 1024;
/// So many bytes in flight on an SM keep memory busy: 4.5 TB/s, 132 SMs and about 1 us make 34 KB,
/// and half of the blocks are counting meanwhile.
static constexpr int64_t kBytesInFlight = 64 * 1024;
/// More blocks have more tables to clear and to add.
static constexpr int64_t kMostTableBlocks = 16;

int64_t tessera::tile::mostWorthwhile(const PrivateTable &table) {
  constexpr int64_t kAll = INT32_MAX;
  if (table.meets)
    return table.elements >= table.bytes / kBytesPerAtomic ? kAll : 0;
  // Each output tile accesses `elements` of n elements, so the same ones are met again after n /
  // elements output tiles, which move bytes * n / elements.
  if (!table.bytes)
    return kAll;
  const auto steps = llvm::SaturatingMultiply<uint64_t>(kBytesPerBox, table.elements);
  return static_cast<int64_t>(std::min<uint64_t>(steps / table.bytes, kAll));
}

std::string tessera::tile::whyNotWorthwhile(const PrivateTable &table) {
  return "L2 makes the " + std::to_string(table.elements) + " steps while the block moves " +
         std::to_string(table.bytes) + " bytes";
}

int64_t tessera::tile::roomOfTable(int64_t bytes) {
  return llvm::alignTo(std::max<int64_t>(bytes, 0), kTableAlignment);
}

int64_t tessera::tile::mostTableBytes(const Machine &machine, const PrivateTable &table) {
  // One block on an SM loads at half the rate of memory. That is still faster than L2 makes atomics
  // of single elements, but not faster than it makes those of boxes.
  return machine.sharedOfBlock(table.meets ? 1 : 2);
}

bool tessera::tile::alwaysPays(const PrivateTable &table, int64_t elements) {
  return table.elements / kLeastUses >= elements;
}

int64_t tessera::tile::blocksWithTables(const Machine &machine, int64_t shared,
                                        int64_t bytesOfOutputTile, int64_t threads) {
  const int64_t wanted = llvm::divideCeil(kBytesInFlight, std::max<int64_t>(bytesOfOutputTile, 1));
  const int64_t fit = std::min(machine.sharedPerSM / (shared + machine.reservedSharedPerBlock),
                               machine.maxThreadsPerSM / threads);
  return std::min(fit, std::clamp(wanted, kGuardedBlocks, kMostTableBlocks));
}
