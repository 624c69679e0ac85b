// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes events of copies, and checks where they begin.
#include "Interpreter.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/TmaRules.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

/// Checks what a shifted copy says of its coordinate. Nothing is known of drawn ones.
static LogicalResult checkFromZero(cta::CopyOp op, const Environment &environment) {
  if (!op.getFromZero())
    return success();
  const int64_t dim = op.getDims()[cta::sharedLayout(op.getSmemType()).contiguousDim];
  const Binding binding = environment.lookup(op.getCoords()[dim]);
  auto coord = dyn_cast_or_null<IntegerAttr>(binding.scalar);
  if (!coord || binding.drawn || coord.getInt() >= 0)
    return success();
  return op.emitOpError("begins at coordinate ")
         << coord.getInt() << " of dimension " << dim
         << ", though it says 'from_zero': a piece that the begin of the array cuts is wrong";
}

/// Makes the event of a copy by threads. Where it fills a slot, the slot's mbarrier is the one on
/// which the threads arrive with the copy.
LogicalResult Unroller::Impl::runCpAsync(cta::CopyOp op, Event &event) {
  if (failed(checkFromZero(op, environment)))
    return failure();
  if (!op.getInto()) {
    if (failed(placeTile(op, event)))
      return failure();
    event.targets.push_back({-1, event.range, 1});
    return success();
  }
  Binding into = lookup(op.getInto());
  Binding &result = environment[op.getResult()];
  result.range = event.range = into.range;
  result.event = -1;
  result.slot = into.slot;
  event.targets.push_back({-1, event.range, program->ranges[event.range].parts});
  if (!op.getMbarrier())
    return error(op) << "the copy has no mbarrier; run cta-lower-channels first";
  return setMBarrier(event, static_cast<int64_t>(*op.getMbarrier()), op.getSlot());
}

/// Checks the coordinates of a copy by TMA. TMA ends the launch where a box begins at a coordinate
/// that whyNotTmaPlace (TmaRules.h) refuses. Nothing is known of drawn coordinates, because what
/// the program promises of them does not hold here.
template <typename Op>
static LogicalResult checkPlace(Op op, cta::SmemType tile, const Environment &environment) {
  const layout::SharedLayout layout = cta::sharedLayout(tile);
  const auto inner = static_cast<size_t>(op.getDims()[layout.contiguousDim]);
  const tile::AccessParts parts = tile::partsOf(op, Value());
  for (size_t d = 0, rank = parts.coords.size() + parts.indices.size(); d < rank; ++d) {
    Value value = parts.coordOf(static_cast<int64_t>(d));
    if (!value) // what an index tile holds is not known here
      continue;
    const Binding binding = environment.lookup(value);
    auto coord = dyn_cast_or_null<IntegerAttr>(binding.scalar);
    if (!coord || binding.drawn)
      continue;
    const int64_t begin = coord.getInt();
    if (d == inner && begin * (layout.elementBits / 8) % tile::kTmaGranule)
      return op.emitOpError("begins at coordinate ")
             << begin << " of dimension " << d << ", byte " << begin * (layout.elementBits / 8)
             << " of a row: TMA needs multiples of " << tile::kTmaGranule
             << " bytes there, and ends the launch otherwise";
    if constexpr (std::is_same_v<Op, cta::CopyOp>)
      if (std::optional<uint64_t> trim = op.getTrim();
          trim && op.getDims()[*trim] == static_cast<int64_t>(d) &&
          (begin < 0 || begin % layout.shape[*trim]))
        return op.emitOpError("begins at coordinate ")
               << begin << " of dimension " << d << ": with 'trim' it must be a multiple of "
               << layout.shape[*trim] << " that is not negative, else the wrong rows are left out";
    if (begin < 0 && std::is_same_v<Op, cta::CopyOutOp>)
      return op.emitOpError("begins at coordinate ")
             << begin << " of dimension " << d
             << ": a store by TMA at a negative coordinate ends the launch";
  }
  return success();
}

/// Makes the event of a copy by TMA. If the blocks of a cluster share the tile, each of them
/// fetches one part for all of them, or all parts for itself.
LogicalResult Unroller::Impl::runCopy(cta::CopyOp op, Event &event) {
  if (op.isByThreads())
    return runCpAsync(op, event);
  if (!op.getMbarrier())
    return error(op) << "the copy has no mbarrier; run cta-allocate-shared first";
  if (failed(checkPlace(op, op.getSmemType(), environment)))
    return failure();
  layout::SharedLayout layout = cta::sharedLayout(op.getSmemType());
  bool isShared = op.getMulticast().has_value();
  if (isShared) {
    auto blocks = static_cast<int64_t>(*op.getMulticast());
    if (blocks != program->cluster || !op.getInto())
      return error(op) << "multicast = " << blocks << " needs a slot and a launch with as large a "
                       << "cluster; this one has cluster = " << program->cluster;
    std::optional<cta::TileParts> parts = cta::equalParts(op.getSmemType(), blocks);
    if (!parts)
      return error(op) << "the tile cannot be divided among the blocks of the cluster";
    if (op.getMulticastIf()) {
      FailureOr<APInt> condition = integer(op, op.getMulticastIf(), true);
      if (failed(condition))
        return failure();
      isShared = !condition->isZero();
    }
    if (isShared)
      layout = parts->part;
  }
  for (const layout::TmaBox &box : layout.tmaBoxes(static_cast<int>(op.getIndexDim()))) {
    int64_t bytes = layout.elementBits / 8;
    for (int64_t extent : box.extents)
      bytes *= extent;
    event.bytes += bytes;
  }
  if (op.getInto()) {
    Binding into = lookup(op.getInto());
    Binding &result = environment[op.getResult()];
    result.range = event.range = into.range;
    result.event = -1;
    result.slot = into.slot;
  } else if (failed(placeTile(op, event))) {
    return failure();
  }
  if (failed(setMBarrier(event, static_cast<int64_t>(*op.getMbarrier()), op.getSlot())))
    return failure();
  const int parts = program->ranges[event.range].parts;
  if (!isShared) {
    event.targets.push_back({event.mbarrier, event.range, parts});
    return success();
  }
  const int number = event.mbarrier - program->mbarrier(block, 0);
  for (int to = 0; to < program->cluster; ++to)
    event.targets.push_back(
        {program->mbarrier(to, number), event.range + (to - block) * parts + block, 1});
  return success();
}

LogicalResult Unroller::Impl::runCopyOut(cta::CopyOutOp op) {
  return checkPlace(op, op.getSmemType(), environment);
}
