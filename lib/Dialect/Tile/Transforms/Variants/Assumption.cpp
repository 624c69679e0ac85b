// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assumption.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Facts.h"
#include "tessera/Dialect/Tile/PrivateTables.h"
#include "tessera/Dialect/Tile/TmaRules.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace tessera::tile;

TileArguments tessera::tile::collectArguments(KernelOp kernel, bool inLoops) {
  TileArguments result;
  Operation *accessing = nullptr;
  auto add = [&](Value memref) {
    auto argument = dyn_cast_or_null<BlockArgument>(rootOf(memref));
    auto loop = accessing->getParentOfType<LoopLikeOpInterface>();
    if (!argument || (inLoops && !(loop && loop->getParentOfType<GridOp>())))
      return;
    if (!llvm::is_contained(result.indices, argument.getArgNumber()))
      result.indices.push_back(argument.getArgNumber());
    result.onlyRank1 &= cast<MemRefType>(argument.getType()).getRank() <= 1;
  };
  kernel.walk([&](Operation *op) {
    accessing = op;
    if (auto load = dyn_cast<LoadOp>(op))
      add(load.getSource());
    else if (auto store = dyn_cast<StoreOp>(op))
      add(store.getDest());
    else if (auto gather = dyn_cast<GatherOp>(op))
      add(gather.getSource());
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      add(scatter.getDest());
    else if (auto atomic = dyn_cast<AtomicOp>(op))
      add(atomic.getDest());
  });
  llvm::sort(result.indices);
  return result;
}

void Assumption::guard(FactKind fact, unsigned arg, int64_t dim, int64_t value) {
  guards.push_back(GuardAttr::get(b.getContext(), fact, arg, dim, value));
}

void Assumption::setListFact(unsigned arg, StringRef name, int64_t dim, int64_t value,
                             int64_t unsaid) {
  auto old = kernel.getArgAttrOfType<DenseI64ArrayAttr>(arg, name);
  SmallVector<int64_t> list(cast<MemRefType>(kernel.getArgumentTypes()[arg]).getRank(), unsaid);
  if (old)
    list.assign(old.asArrayRef().begin(), old.asArrayRef().end());
  list[dim] = value;
  kernel.setArgAttr(arg, name, b.getDenseI64ArrayAttr(list));
}

/// The dimension whose stride is known to be 1, or -1.
static int64_t contiguousDim(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset, inner = -1;
  if (succeeded(type.getStridesAndOffset(strides, offset)))
    for (auto [d, stride] : llvm::enumerate(strides))
      if (stride == 1)
        inner = d;
  return inner;
}

/// Assumes multiples for the base, and for all strides except that of the contiguous dimension.
void Assumption::assumeMultiples(unsigned arg, int64_t bytes) {
  Value memref = kernel.getArgument(arg);
  auto type = cast<MemRefType>(memref.getType());
  int64_t units = std::max<int64_t>(1, bytes / elementBytes(type.getElementType()));
  // Known facts grow with every assumption, so they are computed again each time.
  if (Facts(kernel).alignment(memref) % bytes) {
    guard(FactKind::Align, arg, -1, bytes);
    kernel.setArgAttr(arg, TileDialect::kAlign, b.getI64IntegerAttr(bytes));
  }
  const int64_t inner = contiguousDim(type);
  if (inner < 0)
    return;
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  for (int64_t d = type.getRank() - 1; d >= 0 && inner >= 0; --d) {
    int64_t known = Facts(kernel).strideDivisibility(memref, d);
    if (d == inner || !ShapedType::isDynamic(strides[d]) || known % units == 0)
      continue;
    guard(FactKind::StrideDivisible, arg, d, units);
    setListFact(arg, TileDialect::kStrideDivisible, d, std::lcm(known, units), 1);
  }
}

void Assumption::assumeArgument(unsigned arg, bool rank1Sizes) {
  assumeMultiples(arg, 16);
  Value memref = kernel.getArgument(arg);
  auto type = cast<MemRefType>(memref.getType());
  const int64_t units = std::max<int64_t>(1, 16 / elementBytes(type.getElementType())),
                inner = contiguousDim(type);
  if (inner >= 0 && type.isDynamicDim(inner) && (type.getRank() > 1 || rank1Sizes)) {
    int64_t known = Facts(kernel).sizeDivisibility(memref, inner);
    if (known % units) {
      guard(FactKind::SizeDivisible, arg, inner, units);
      setListFact(arg, TileDialect::kSizeDivisible, inner, std::lcm(known, units), 1);
    }
  }
  assumeSizeMax(arg);
}

void Assumption::assumeSizeMax(unsigned arg) {
  Value memref = kernel.getArgument(arg);
  auto type = cast<MemRefType>(memref.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d) && Facts(kernel).sizeRange(memref, d).max > INT32_MAX) {
      guard(FactKind::SizeMax, arg, d, INT32_MAX);
      setListFact(arg, TileDialect::kSizeMax, d, INT32_MAX, std::numeric_limits<int64_t>::max());
    }
}

/// A guard, not a fact: no launch may be refused because a tensor is empty.
void Assumption::assumeNotEmpty(unsigned arg) {
  Value memref = kernel.getArgument(arg);
  for (int64_t d = 0, rank = cast<MemRefType>(memref.getType()).getRank(); d < rank; ++d)
    (void)assumeSizeMin(arg, d, 1);
}

/// The coordinates in the order of the memref's dimensions; null where there is an index tile.
static SmallVector<Value> coordsOf(GatherOp gather) {
  const AccessParts parts = partsOf(gather, gather.getSource());
  SmallVector<Value> coords;
  for (int64_t d = 0, rank = gather.getMemRefType().getRank(); d < rank; ++d)
    coords.push_back(parts.coordOf(d));
  return coords;
}

/// True if the kernel has matrix products, and only sizes that may be 0 keep TMA from a load or
/// store.
bool Assumption::emptinessKeepsTmaFromProducts() {
  if (!kernel.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted())
    return false;
  Facts facts(kernel);
  auto keeps = [&](Value memref, ValueRange coords) {
    const int64_t inner = contiguousDim(cast<MemRefType>(memref.getType()));
    return inner >= 0 && !whyNotTmaRoot(memref) && !whyNotTmaStrides(facts, memref, inner) &&
           whyNotTmaExtents(facts, memref, coords).has_value();
  };
  return kernel
      .walk([&](Operation *op) {
        bool kept = false;
        if (auto load = dyn_cast<LoadOp>(op))
          kept = keeps(load.getSource(), load.getCoords());
        else if (auto store = dyn_cast<StoreOp>(op))
          kept = keeps(store.getDest(), store.getCoords());
        else if (auto gather = dyn_cast<GatherOp>(op))
          kept = keeps(gather.getSource(), coordsOf(gather));
        return kept ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Assumption::assumeSizeMin(unsigned arg, unsigned dim, int64_t least) {
  Value memref = kernel.getArgument(arg);
  IntRange known = Facts(kernel).sizeRange(memref, dim);
  if (known.min >= least)
    return true;
  if (known.max < least || !cast<MemRefType>(memref.getType()).isDynamicDim(dim))
    return false;
  guard(FactKind::SizeMin, arg, dim, least);
  kernel.setGuardsAttr(b.getArrayAttr(guards));
  return true;
}

bool Assumption::assumeRepacking(const TileArguments &arguments, bool alone) {
  std::vector<RepackCandidate> candidates = findRepackCandidates(kernel);
  if (candidates.empty())
    return false;
  for (unsigned arg : arguments.indices)
    assumeSizeMax(arg);
  if (!guards.empty())
    kernel.setGuardsAttr(b.getArrayAttr(guards));
  for (const RepackCandidate &candidate : candidates) {
    LoadOp load = candidate.load;
    // Sizes of views cannot occur in guards.
    auto argument = dyn_cast<BlockArgument>(load.getSource());
    if (!argument || argument.getOwner() != &kernel.getBody().front())
      continue;
    for (unsigned d = 0, rank = load.getMemRefType().getRank(); d < rank; ++d)
      if (!assumeSizeMin(argument.getArgNumber(), d, leastSizeToRepack(candidate, d)))
        return false;
  }
  return !findCopiedOperands(kernel).empty() && (alone || assumeCopiesPay());
}

/// Adds a guard; if it does not hold the launcher takes another variant. False if it never holds.
bool Assumption::assumeCondition(Value condition, StringRef message) {
  if (std::optional<int64_t> constant = getConstantIntValue(condition)) {
    condition.getDefiningOp()->erase();
    return *constant != 0;
  }
  OpBuilder at(kernel.getContext());
  at.setInsertionPointAfterValue(condition);
  AssumeOp::create(at, condition.getLoc(), condition, at.getStringAttr(message), IntegerAttr(),
                   IntegerAttr(), IntegerAttr(), at.getUnitAttr());
  return true;
}

/// For when the next variant fetches by cp.async what this one copies: assumes that copies pay.
bool Assumption::assumeCopiesPay() {
  Facts facts(kernel);
  if (kernel.getPlan() || !llvm::all_of(findCopiedOperands(kernel), [&](const auto &candidate) {
        return isFetchedInPieces(facts, candidate);
      }))
    return true;
  Value pays = makeFetchCondition(kernel, /*copy=*/true);
  return !pays || assumeCondition(
                      pays, "copying the operands takes less time than fetching them by cp.async");
}

bool Assumption::assumePieces(const TileArguments &arguments, bool alone) {
  for (unsigned arg : arguments.indices)
    assumeSizeMax(arg);
  if (!guards.empty())
    kernel.setGuardsAttr(b.getArrayAttr(guards));
  for (unsigned arg : arguments.indices)
    assumeNotEmpty(arg);
  bool isSaid = true;
  for (const RepackCandidate &candidate : findCopiedOperands(kernel)) {
    Facts facts(kernel);
    if (isFetchedInPieces(facts, candidate))
      continue;
    isSaid = false;
    LoadOp load = candidate.load;
    auto argument = dyn_cast<BlockArgument>(load.getSource());
    if (!argument || argument.getOwner() != &kernel.getBody().front())
      return false;
    assumeMultiples(argument.getArgNumber(), kCpAsyncBytes);
    kernel.setGuardsAttr(b.getArrayAttr(guards));
  }
  Facts facts(kernel);
  if (isSaid || !llvm::all_of(findCopiedOperands(kernel), [&](const auto &candidate) {
        return isFetchedInPieces(facts, candidate);
      }))
    return false;
  if (alone)
    return true;
  Value pays = makeFetchCondition(kernel, /*copy=*/false);
  return pays && assumeCondition(pays, "fetching the operands by cp.async takes no longer than "
                                       "copying them, or they are too small to be copied");
}

namespace {
/// What the places of the accesses of a kernel allow.
struct Places {
  /// The arguments of which some access can have vectors or TMA.
  llvm::SmallDenseSet<unsigned> even;
  /// For each access, in their order: the argument, and the divisors, up to a vector of 16 bytes,
  /// of its coordinates and limits, and of the contiguous size.
  std::vector<std::pair<unsigned, SmallVector<int64_t>>> divisors;
};
} // namespace

static Places lookAtPlaces(KernelOp kernel) {
  Places places;
  Facts facts(kernel);
  auto look = [&](Operation *op, const AccessParts &parts) {
    auto argument = dyn_cast_or_null<BlockArgument>(rootOf(parts.memref));
    if (!argument)
      return;
    Facts::Place place(facts, op);
    // A view may begin anywhere.
    const bool isWhole = parts.memref == argument;
    const int64_t inner = contiguousDim(cast<MemRefType>(argument.getType()));
    Value coord = isWhole && inner >= 0 ? parts.coordOf(inner) : Value();
    if (!coord || facts.divisibility(coord) % 2 == 0)
      places.even.insert(argument.getArgNumber());
    auto &[arg, divisors] = places.divisors.emplace_back(argument.getArgNumber(), 0);
    for (ValueRange values : {parts.coords, parts.limits})
      for (Value value : values)
        divisors.push_back(std::gcd(facts.divisibility(value), int64_t{16}));
    if (inner >= 0)
      divisors.push_back(std::gcd(facts.sizeDivisibility(argument, inner), int64_t{16}));
  };
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<LoadOp, GatherOp>([&](auto load) { look(op, partsOf(load, load.getSource())); })
        .Case<StoreOp, ScatterOp, AtomicOp>(
            [&](auto store) { look(op, partsOf(store, store.getDest())); });
  });
  return places;
}

/// Multiples of addresses bring an array nothing of which every access begins at an odd place of
/// the contiguous dimension, or may; then a launch must not lose a variant for them. But its sizes
/// may be coordinates or limits of other arrays: if an access of those suffers, all arguments gain.
llvm::SmallDenseSet<unsigned> Assumption::argumentsThatGain(const TileArguments &arguments) const {
  const llvm::SmallDenseSet<unsigned> every(arguments.indices.begin(), arguments.indices.end());
  if (lookAtPlaces(kernel).even.size() == every.size())
    return every;
  auto assuming = [&](llvm::function_ref<bool(unsigned)> assumed) {
    auto scratch = cast<KernelOp>(kernel->clone());
    Assumption assumption(scratch);
    for (unsigned arg : arguments.indices)
      if (assumed(arg))
        assumption.assumeArgument(arg, arguments.onlyRank1);
    Places places = lookAtPlaces(scratch);
    scratch->erase();
    return places;
  };
  const Places all = assuming([](unsigned) { return true; });
  if (all.even.size() == every.size())
    return every;
  const Places some = assuming([&](unsigned arg) { return all.even.contains(arg); });
  for (auto [with, without] : llvm::zip_equal(all.divisors, some.divisors))
    if (all.even.contains(with.first) && with.second != without.second)
      return every;
  return all.even;
}

void Assumption::assume(const TileArguments &arguments) {
  gain = argumentsThatGain(arguments);
  for (unsigned arg : arguments.indices)
    if (gain.contains(arg))
      assumeArgument(arg, arguments.onlyRank1);
    else
      assumeSizeMax(arg);
  // If the source IR states all other facts, the kernel itself serves empty tensors, too. Another
  // variant is made only if TMA gains by it.
  if (guards.empty() && !emptinessKeepsTmaFromProducts())
    return;
  if (!guards.empty())
    kernel.setGuardsAttr(b.getArrayAttr(guards));
  for (unsigned arg : arguments.indices)
    assumeNotEmpty(arg);
}

std::optional<bool> Assumption::assumeLines(const TileArguments &arguments) {
  assume(arguments);
  const size_t before = guards.size();
  std::vector<LoadOp> operands = findWidestOperands(kernel, /*withEnds=*/false);
  if (operands.empty())
    return std::nullopt;
  for (LoadOp load : operands) {
    auto argument = dyn_cast<BlockArgument>(load.getSource());
    const int64_t inner = contiguousDim(load.getMemRefType());
    if (!argument || argument.getOwner() != &kernel.getBody().front() || inner < 0 ||
        !gain.contains(argument.getArgNumber()))
      return std::nullopt;
    assumeMultiples(argument.getArgNumber(), tessera::hopper::kL2LineBytes);
    Facts facts(kernel);
    if (!beginsAtLines(facts, argument, inner))
      return std::nullopt;
  }
  if (guards.size() == before)
    return false;
  kernel.setGuardsAttr(b.getArrayAttr(guards));
  for (unsigned arg : arguments.indices)
    assumeNotEmpty(arg);
  return true;
}

bool Assumption::assumeOperands(const TileArguments &arguments) {
  const SmallVector<unsigned> operands = collectArguments(kernel, /*inLoops=*/true).indices;
  gain = argumentsThatGain(arguments);
  for (unsigned arg : arguments.indices)
    if (gain.contains(arg) && llvm::is_contained(operands, arg))
      assumeArgument(arg, arguments.onlyRank1);
    else
      assumeSizeMax(arg);
  if (!guards.empty())
    kernel.setGuardsAttr(b.getArrayAttr(guards));
  for (unsigned arg : operands)
    assumeNotEmpty(arg);
  return !findWidestOperands(kernel, /*withEnds=*/true).empty() &&
         findRepackCandidates(kernel).empty();
}

bool Assumption::assumeTables() {
  const std::vector<TableCondition> conditions = makeTableConditions(kernel);
  bool holds = !conditions.empty();
  for (const TableCondition &condition : conditions)
    holds &= assumeCondition(condition.holds, condition.message);
  if (holds)
    kernel->setAttr(kTables, b.getUnitAttr());
  return holds;
}
