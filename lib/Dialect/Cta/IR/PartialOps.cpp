// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

/// The constraints that both ops have on a tile, its slots and its flags.
static LogicalResult verifyPartial(Operation *op, StringRef constraint, Value value, Value slots,
                                   Value flags) {
  auto refuse = [&](int number, const Twine &what) {
    return op->emitOpError() << constraint << number << ": " << what;
  };
  auto tile = cast<RankedTensorType>(value.getType());
  auto memory = cast<MemRefType>(slots.getType());
  Type element = tile.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() != 32)
    return refuse(1, "partial sums have elements of 32 bits, got ") << element;
  if (memory.getRank() != tile.getRank() + 1 || memory.getElementType() != element ||
      memory.getShape().drop_front() != tile.getShape() || !memory.getLayout().isIdentity())
    return refuse(1, "the slots must be a contiguous memref of one dimension more than the tile ")
           << tile << ", got " << memory;
  auto words = cast<MemRefType>(flags.getType());
  FragAttr frag = FragAttr::of(tile);
  if (words.getRank() != 2 || !words.getElementType().isInteger(32) || words.isDynamicDim(1) ||
      !words.getLayout().isIdentity())
    return refuse(2, "the flags must be a contiguous memref<?xWxi32>, got ") << words;
  if (!frag)
    return success();
  if (words.getDimSize(1) != 4 * frag.getWgCount())
    return refuse(2, "the tile is computed by ")
           << 4 * frag.getWgCount() << " warps, but there are flags for " << words.getDimSize(1);
  if (auto role = op->getParentOfType<RoleOp>(); role && role.getReplicas())
    return refuse(4, "replicas of a role would share a slot");
  int64_t held = registersOf(Type(tile)) * 128 * frag.getWgCount();
  if (held != tile.getNumElements())
    return refuse(3, "the threads hold ")
           << held << " elements of a tile that has " << tile.getNumElements();
  return success();
}

LogicalResult PutPartialOp::verify() {
  return verifyPartial(*this, "put_partial_c", getValue(), getSlots(), getFlags());
}
LogicalResult AddPartialOp::verify() {
  return verifyPartial(*this, "add_partial_c", getValue(), getSlots(), getFlags());
}
