// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The boxes in which TMA moves a tile.
#include "TmaBoxes.h"

#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

static int64_t bytesOf(const layout::SharedLayout &shared, const layout::TmaBox &box) {
  int64_t bytes = shared.elementBits / 8;
  for (int64_t extent : box.extents)
    bytes *= extent;
  return bytes;
}

Trim::Trim(Lowering &f, cta::CopyOp op)
    : f(f), dim(static_cast<int64_t>(*op.getTrim())),
      memrefDim(static_cast<unsigned>(op.getDims()[dim])) {
  const tile::AccessParts access = tile::partsOf(op, op.getSource());
  Value at = f.scalar(access.coordOf(memrefDim));
  OpBuilder::InsertionGuard guard(f.b);
  if (Operation *loop = outermostLoopWithout(f, at))
    f.b.setInsertionPoint(loop);
  // Sizes fit 31 bits (rule 5 of whyNotTma), and the coordinate is not negative (copy_c14).
  size = f.toI32(f.sizeOf(op.getSource(), memrefDim));
  // Asm hides that all output tiles have the same size. Else LLVM would compute what follows from
  // it for all of them at once, and keep it in registers, of which a producer has few.
  if (op.getMemRefType().isDynamicDim(memrefDim))
    size = f.inlineAsm("mov.b32 $0, $1;", {{f.b.getI32Type(), "r"}}, {{size, "r"}},
                       /*sideEffects=*/true, /*memoryClobber=*/false)
               .front();
  left = f.sub(size, f.toI32(at));
}

Value Trim::from(const layout::TmaBox &box, const cta::TileParts *parts, Value part) const {
  Value from = f.i32(box.offset[dim]);
  return parts && parts->dim == dim ? f.add(from, f.mul(part, f.i32(parts->rows))) : from;
}

Value Trim::isLeft(Value from, int64_t rows) const {
  return f.compare(arith::CmpIPredicate::sge, left, f.add(from, f.i32(rows)));
}

/// The rows of the box that is fetched for one that is cut, as the launcher computes them: what
/// the array has left behind its last whole box, or all rows if that is nothing. A box that lies
/// outside is fetched with as many rows.
Value Trim::rowsLeft(int64_t rows) const {
  Value rest = arith::RemUIOp::create(f.b, f.loc, size, f.i32(rows));
  return f.select(f.compare(arith::CmpIPredicate::eq, rest, f.i32(0)), f.i32(rows), rest);
}

Value Trim::missing(const layout::SharedLayout &boxes, const cta::TileParts *parts,
                    Value part) const {
  Value sum = f.i32(0);
  for (const layout::TmaBox &box : boxes.tmaBoxes()) {
    const cta::BoxTrim trim = cta::boxTrim(boxes, box, dim);
    if (trim == cta::BoxTrim::None)
      continue;
    const int64_t bytes = bytesOf(boxes, box);
    const int64_t rows = box.extents[dim];
    Value at = from(box, parts, part);
    const bool isCut = trim == cta::BoxTrim::Rows;
    Value lost =
        isCut ? f.mul(f.sub(f.i32(rows), rowsLeft(rows)), f.i32(bytes / rows)) : f.i32(bytes);
    sum = f.add(sum, f.select(isCut ? isWhole(at, rows) : isAny(at), f.i32(0), lost));
  }
  return sum;
}

/// The boxes of a tile. The tensor map keeps every dimension of the memref: first those that the
/// tile does not have (their box is 1), then the rows of the shared tile from the outside in, and
/// last the contiguous dimension.
///
/// With an index tile there are boxes for each index, of which the thread has all.
template <typename Op>
static LogicalResult collect(Lowering &f, Op op, Value memref, const SharedPlace &place,
                             std::vector<Box> &boxes, const std::optional<cta::TileParts> &parts,
                             Value part, const BoxRows *rows = nullptr) {
  Value root = tile::rootOf(memref);
  auto memrefType = cast<MemRefType>(memref.getType());
  if (root != memref)
    return f.error(op, "TMA needs an argument or a workspace, not a view of one");
  if (!op.getLimits().empty() && !rows)
    return f.error(op,
                   "TMA stops at the memref's size only: leave out 'limit', or copy by cp.async");
  if (op.getMechanism() != cta::Mechanism::Tma)
    return f.error(op, "cp.async copies to shared memory only; store by tma");
  layout::SharedLayout shared = cta::sharedLayout(op.getSmemType());
  int sliced = rows && rows->count == 1 ? rows->dim : -1;
  const Values *indices = nullptr;
  if constexpr (std::is_same_v<Op, cta::CopyOp>)
    if (Value tile = op.getIndexTile()) {
      sliced = static_cast<int>(op.getIndexDim());
      indices = &f.registers(tile);
      if (static_cast<int64_t>(indices->size()) != shared.shape[sliced])
        return f.error(op, "the thread that issues the boxes needs all indices: give the index "
                           "tile the layout splat");
    }
  if (auto reason = shared.validateTma(sliced))
    return f.error(op, "TMA cannot move this tile: ") << *reason;
  if (place.offset % shared.alignment())
    return f.error(op, "the tile lies at byte ")
           << place.offset << " of shared memory; its swizzle needs a multiple of "
           << shared.alignment();

  int rank = static_cast<int>(shared.shape.size());
  SmallVector<int> order; // tile dimensions, outermost first
  for (int d = 0; d < rank; ++d)
    if (d != shared.contiguousDim)
      order.push_back(d);
  order.push_back(shared.contiguousDim);
  SmallVector<int64_t> dims;
  for (int64_t m = 0; m < memrefType.getRank(); ++m)
    if (!llvm::is_contained(op.getDims(), m))
      dims.push_back(m);
  size_t outer = dims.size();
  for (int d : order)
    dims.push_back(op.getDims()[d]);

  Builder &b = f.b;
  auto number = [&](int64_t x) { return b.getI64IntegerAttr(x); };
  const tile::AccessParts access = tile::partsOf(op, memref);
  std::optional<Trim> trim;
  if constexpr (std::is_same_v<Op, cta::CopyOp>)
    if (op.getTrim())
      trim.emplace(f, op);
  for (layout::TmaBox box : parts ? parts->part.tmaBoxes() : shared.tmaBoxes(sliced)) {
    if (rows && rows->count < shared.shape[rows->dim]) {
      if (box.offset[rows->dim])
        continue;
      box.extents[rows->dim] = rows->count;
    }
    SmallVector<int64_t> extents(outer, 1);
    for (int d : order)
      extents.push_back(box.extents[d]);
    NamedAttrList recipe;
    if (auto arg = dyn_cast<BlockArgument>(root))
      recipe.append("arg", number(arg.getArgNumber()));
    else
      recipe.append("workspace", number(f.workspaceIndex(root)));
    recipe.append("element", b.getStringAttr(tile::contractTypeName(memrefType.getElementType())));
    recipe.append("box", b.getDenseI64ArrayAttr(extents));
    recipe.append("swizzle", number(shared.swizzleBytes));
    recipe.append("interleave", number(0));
    recipe.append("dims", b.getDenseI64ArrayAttr(dims));
    recipe.append("oob", b.getStringAttr("zero"));
    if (access.strides) {
      SmallVector<int64_t> steps(outer, 1);
      for (int d : order)
        steps.push_back((*access.strides)[d]);
      recipe.append("steps", b.getDenseI64ArrayAttr(steps));
    }
    Box result{place.offset + shared.linearOffset(box.offset),
               f.descriptor(recipe.getDictionary(f.context)),
               {},
               bytesOf(shared, box),
               {}};
    if constexpr (std::is_same_v<Op, cta::CopyOp>)
      if (trim) {
        const auto d = static_cast<int64_t>(*op.getTrim());
        Value from = trim->from(box, parts ? &*parts : nullptr, part);
        switch (cta::boxTrim(parts ? parts->part : shared, box, d)) {
        case cta::BoxTrim::None:
          break;
        case cta::BoxTrim::Whole:
          result.condition = trim->isAny(from);
          break;
        case cta::BoxTrim::Rows:
          recipe.append("trim", number(llvm::find(dims, op.getDims()[d]) - dims.begin()));
          result.descriptor = f.select(trim->isWhole(from, box.extents[d]), result.descriptor,
                                       f.descriptor(recipe.getDictionary(f.context)));
        }
      }
    for (size_t i = dims.size(); i-- > 0;) {
      if (access.indexOf(dims[i])) {
        result.coords.push_back((*indices)[box.offset[sliced]]);
        continue;
      }
      const bool isGiven = rows && i >= outer && order[i - outer] == rows->dim;
      Value coord = isGiven ? rows->from : f.toI32(f.scalar(access.coordOf(dims[i])));
      if (i >= outer) {
        int d = order[i - outer];
        const int64_t step = access.strides ? (*access.strides)[d] : 1;
        coord = f.add(coord, f.i32(box.offset[d] * step));
        if (parts && d == parts->dim)
          coord = f.add(coord, f.mul(part, f.i32(parts->rows * step)));
      }
      result.coords.push_back(coord);
    }
    boxes.push_back(std::move(result));
  }
  return success();
}

LogicalResult nvvm::collectBoxes(Lowering &f, cta::CopyOp op, const SharedPlace &place,
                                 std::vector<Box> &boxes,
                                 const std::optional<cta::TileParts> &parts, Value part) {
  return collect(f, op, op.getSource(), place, boxes, parts, part);
}

LogicalResult nvvm::collectBoxes(Lowering &f, cta::CopyOutOp op, const SharedPlace &place,
                                 std::vector<Box> &boxes,
                                 const std::optional<cta::TileParts> &parts, Value part) {
  return collect(f, op, op.getDest(), place, boxes, parts, part);
}

bool nvvm::isBoxPart(const layout::SharedLayout &shared, int dim, int64_t rows) {
  for (int outer = 0; outer < dim; ++outer)
    if (outer != shared.contiguousDim && shared.shape[outer] != 1)
      return false;
  const auto fits = [&](const layout::TmaBox &box) { return box.extents[dim] >= rows; };
  return shared.shape[dim] % rows == 0 && llvm::all_of(shared.tmaBoxes(), fits);
}

LogicalResult nvvm::collectBoxes(Lowering &f, cta::CopyOp op, const SharedPlace &place,
                                 std::vector<Box> &boxes, const BoxRows &rows) {
  return collect(f, op, op.getSource(), place, boxes, /*parts=*/std::nullopt, /*part=*/{}, &rows);
}
