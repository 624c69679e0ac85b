// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Machine/Hopper.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

layout::SharedLayout tessera::cta::sharedLayout(SmemType type) {
  SwizzleAttr swizzle = type.getSwizzle();
  layout::Coord shape = type.getRank() ? coordOf(type.getShape()) : layout::Coord{1};
  int bits = static_cast<int>(tile::elementBytes(type.getElementType())) * 8;
  if (swizzle.isLinear())
    return layout::SharedLayout::makeLinear(shape, bits, static_cast<int>(shape.size()) - 1,
                                            swizzle.getPad());
  return layout::SharedLayout::swizzled(shape, bits, static_cast<int>(swizzle.getDim()),
                                        static_cast<int>(swizzle.getSpan()));
}

/// Parts of `rows` along `dim` that begin at multiples of `alignment`, if TMA can move them.
static std::optional<TileParts> partsOf(SmemType type, int dim, int64_t rows, int64_t alignment) {
  layout::SharedLayout shared = sharedLayout(type);
  if (dim == shared.contiguousDim)
    return std::nullopt;
  // A part must be contiguous, so dimensions outside of `dim` have extent 1.
  for (int d = 0; d < dim; ++d)
    if (d != shared.contiguousDim && type.getShape()[d] != 1)
      return std::nullopt;
  TileParts parts{dim, rows, 0, shared};
  layout::Coord second(type.getShape().size(), 0);
  second[dim] = rows;
  parts.bytes = shared.linearOffset(second);
  parts.part.shape[dim] = rows;
  if (shared.validateTma() || parts.part.validateTma() || parts.bytes % alignment)
    return std::nullopt;
  return parts;
}

std::optional<TileParts> tessera::cta::warpgroupParts(StageOp stage) {
  if (!stage || stage.getInputs().size() != 1)
    return std::nullopt;
  Type input = stage.getInputs().front().getType();
  FragAttr frag = FragAttr::of(input);
  SmemType type = stage.getType();
  if (!frag || frag.getWgCount() < 2 || frag.getWgDim() < 0 || type.getSwizzle().isUnknown())
    return std::nullopt;
  layout::RegisterLayout registers = frag.layout();
  layout::Coord shape = coordOf(type.getShape());
  const int dim = registers.wgDim;
  const int64_t rows = registers.baseShape()[dim] * registers.repeats(shape)[dim];
  if (rows * registers.wgCount != shape[dim])
    return std::nullopt;
  return partsOf(type, dim, rows, sharedLayout(type).alignment());
}

std::optional<TileParts> tessera::cta::warpgroupParts(Value tile) {
  auto stage = dyn_cast_or_null<StageOp>(bufferOf(tile));
  std::optional<TileParts> written = warpgroupParts(stage);
  if (!written || tile == stage.getResult())
    return written;
  // The same bytes, as rows of the view.
  const auto type = cast<SmemType>(tile.getType());
  const int64_t count = stage.getType().getShape()[written->dim] / written->rows;
  for (int d = 0; d < type.getRank(); ++d)
    if (const int64_t extent = type.getShape()[d]; extent % count == 0) {
      std::optional<TileParts> parts =
          partsOf(type, d, extent / count, sharedLayout(type).alignment());
      if (parts && parts->bytes == written->bytes)
        return parts;
    }
  return std::nullopt;
}

bool tessera::cta::sameWarpgroupParts(StageOp a, StageOp b) {
  return a == b || (a.getOffset() == b.getOffset() && a.getType() == b.getType() &&
                    a.getInputs().getTypes() == b.getInputs().getTypes());
}

std::optional<TileParts> tessera::cta::equalParts(SmemType type, int64_t count) {
  if (type.getRank() < 2 || type.getSwizzle().isUnknown() || count < 2)
    return std::nullopt;
  const int contiguous = sharedLayout(type).contiguousDim;
  int longest = -1;
  for (int d = 0; d < type.getRank(); ++d)
    if (d != contiguous && (longest < 0 || type.getShape()[d] > type.getShape()[longest]))
      longest = d;
  const int64_t extent = type.getShape()[longest];
  if (extent % count)
    return std::nullopt;
  // TMA swizzles by address bits, so a part may begin inside the swizzle pattern (CUDA C++
  // Programming Guide, "Shared memory swizzle").
  return partsOf(type, longest, extent / count, hopper::kTmaSharedAlignment);
}

int64_t tessera::cta::blockThreads(LaunchOp launch) {
  int64_t warps = 0;
  for (auto role : launch.getBody().getOps<RoleOp>())
    warps += role.totalWarps();
  if (warps)
    return 32 * warps;
  return 128 * static_cast<int64_t>(
                   launch->getParentOfType<tile::KernelOp>().getWarpgroups().value_or(1));
}

std::optional<int64_t> tessera::cta::wantedRegisters(LaunchOp launch, int64_t entry) {
  int64_t sum = 0;
  bool redistributes = false;
  for (auto role : launch.getBody().getOps<RoleOp>()) {
    redistributes |= role.getRegisters().has_value();
    sum += role.totalWarps() * 32 * static_cast<int64_t>(role.getRegisters().value_or(entry));
  }
  return redistributes ? std::optional(sum) : std::nullopt;
}

SmemType tessera::cta::scalarSlotType(Type scalar) {
  MLIRContext *context = scalar.getContext();
  return SmemType::get(context, {1}, scalar, SwizzleAttr::linear(context));
}

int64_t tessera::cta::queueBytes(MLIRContext *context) {
  const SmemType slot = scalarSlotType(IntegerType::get(context, 32));
  return kQueueDepth * (ringSlotBytes(slot) + 2 * hopper::kMbarrierBytes);
}

bool tessera::cta::hasQueue(LaunchOp launch) {
  return launch.walk([](QueuedOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

int64_t tessera::cta::ringSlotBytes(SmemType tile) {
  layout::SharedLayout layout = sharedLayout(tile);
  return static_cast<int64_t>(llvm::alignTo(layout.sizeBytes(), layout.alignment()));
}

SlotOp tessera::cta::slotOf(Value tile) {
  while (auto view = tile.getDefiningOp<ViewOp>())
    tile = view.getSource();
  return tile.getDefiningOp<SlotOp>();
}

Operation *tessera::cta::bufferOf(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (auto view = dyn_cast_or_null<ViewOp>(op))
    op = view.getSource().getDefiningOp();
  return isa_and_nonnull<SharedBufferOpInterface>(op) ? op : nullptr;
}

std::optional<int64_t> tessera::cta::offsetOf(Operation *buffer) {
  auto made = dyn_cast_or_null<SharedBufferOpInterface>(buffer);
  return made ? made.getByteOffset() : std::nullopt;
}

std::optional<int64_t> tessera::cta::offsetOf(Value tile) { return offsetOf(bufferOf(tile)); }
