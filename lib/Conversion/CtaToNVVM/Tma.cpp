// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies by TMA: one thread announces the bytes and issues one instruction for each box.
#include "Lowering.h"

#include "tessera/Dialect/Cta/IR/CopyRules.h"
#include "tessera/Dialect/Tile/Access.h"
#include "tessera/Dialect/Tile/ElementTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

namespace {
/// A box to be moved: the part of the shared tile, the descriptor, and the position in global
/// memory.
struct Box {
  int64_t offset; // from the start of the tile
  Value descriptor;
  Values coords; // innermost first
  int64_t bytes;
  Value condition; // under which the box is moved; null is always
};

int64_t bytesOf(const layout::SharedLayout &shared, const layout::TmaBox &box) {
  int64_t bytes = shared.elementBits / 8;
  for (int64_t extent : box.extents)
    bytes *= extent;
  return bytes;
}

/// What a copy with `trim` leaves out of its boxes, because it lies outside of the array.
class Trim {
public:
  Trim(Lowering &f, cta::CopyOp op)
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
  /// Where a box begins along the dimension, from the start of the tile. In a part it is the
  /// part's place in the tile, too.
  Value from(const layout::TmaBox &box, const cta::TileParts *parts, Value part) const {
    Value from = f.i32(box.offset[dim]);
    return parts && parts->dim == dim ? f.add(from, f.mul(part, f.i32(parts->rows))) : from;
  }
  /// True if all rows of the box are inside.
  Value isWhole(Value from, int64_t rows) const { return isLeft(from, rows); }
  /// True if any row of the box is inside.
  Value isAny(Value from) const { return isLeft(from, 1); }
  /// The rows of the box that is fetched for one that is cut, as the launcher computes them: what
  /// the array has left behind its last whole box, or all rows if that is nothing. A box that lies
  /// outside is fetched with as many rows.
  Value rowsLeft(int64_t rows) const {
    Value rest = arith::RemUIOp::create(f.b, f.loc, size, f.i32(rows));
    return f.select(f.compare(arith::CmpIPredicate::eq, rest, f.i32(0)), f.i32(rows), rest);
  }
  /// The bytes of `boxes` that do not come, of all of the tile or of one part of it.
  Value missing(const layout::SharedLayout &boxes, const cta::TileParts *parts, Value part) const {
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

private:
  Value isLeft(Value from, int64_t rows) const {
    return f.compare(arith::CmpIPredicate::sge, left, f.add(from, f.i32(rows)));
  }

  Lowering &f;
  int64_t dim;
  unsigned memrefDim;
  Value size, left; // of the array, and from the start of the tile to its end
};

/// The boxes of a tile. The tensor map keeps every dimension of the memref: first those that the
/// tile does not have (their box is 1), then the rows of the shared tile from the outside in, and
/// last the contiguous dimension.
///
/// With `parts`, only the boxes of the part with this number. With an index tile there are boxes
/// for each index, of which the thread has all.
template <typename Op>
LogicalResult collectBoxes(Lowering &f, Op op, Value memref, cta::SmemType type,
                           const SharedPlace &place, std::vector<Box> &boxes,
                           const std::optional<cta::TileParts> &parts = {}, Value part = {}) {
  Value root = tile::rootOf(memref);
  auto memrefType = cast<MemRefType>(memref.getType());
  if (root != memref)
    return f.error(op, "TMA needs an argument or a workspace, not a view of one");
  if (!op.getLimits().empty())
    return f.error(op,
                   "TMA stops at the memref's size only: leave out 'limit', or copy by cp.async");
  if (op.getMechanism() != cta::Mechanism::Tma)
    return f.error(op, "cp.async copies to shared memory only; store by tma");
  layout::SharedLayout shared = cta::sharedLayout(type);
  int sliced = -1;
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
  for (const layout::TmaBox &box : parts ? parts->part.tmaBoxes() : shared.tmaBoxes(sliced)) {
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
      Value coord = f.toI32(f.scalar(access.coordOf(dims[i])));
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
} // namespace

/// Issues the boxes; their bytes arrive on `barrier`.
static void issueLoads(Lowering &f, ArrayRef<Box> boxes, Value base, Value barrier, Value policy,
                       Value multicast = {}) {
  for (const Box &box : boxes) {
    OpBuilder::InsertionGuard guard(f.b);
    if (box.condition)
      f.b.setInsertionPointToStart(
          scf::IfOp::create(f.b, f.loc, box.condition, /*withElseRegion=*/false).thenBlock());
    Value to = LLVM::AddrSpaceCastOp::create(f.b, f.loc, LLVM::LLVMPointerType::get(f.context, 7),
                                             f.gep(base, box.offset));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        f.b, f.loc, to, box.descriptor, box.coords, barrier, ValueRange(), multicast, policy,
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

/// The bytes of a copy that do not come because they lie outside of the array; null if all come.
static Value missingBytes(Lowering &f, cta::CopyOp op) {
  if (!op.getTrim())
    return {};
  const Trim trim(f, op);
  const layout::SharedLayout shared = cta::sharedLayout(op.getSmemType());
  auto ofTile = [&] { return trim.missing(shared, nullptr, {}); };
  if (!op.getMulticast())
    return ofTile();
  // Each block of the cluster receives the parts that all blocks fetch.
  const auto blocks = static_cast<int64_t>(*op.getMulticast());
  const std::optional<cta::TileParts> parts = cta::equalParts(op.getSmemType(), blocks);
  Value sum = f.i32(0);
  for (int64_t block = 0; parts && block < blocks; ++block)
    sum = f.add(sum, trim.missing(parts->part, &*parts, f.i32(block)));
  return op.getMulticastIf() ? f.select(f.scalar(op.getMulticastIf()), sum, ofTile()) : sum;
}

/// True if the copy may leave out a box altogether, so that a branch goes around it.
static bool leavesBoxesOut(cta::CopyOp op) {
  const layout::SharedLayout shared = cta::sharedLayout(op.getSmemType());
  return llvm::any_of(shared.tmaBoxes(), [&](const layout::TmaBox &box) {
    return cta::boxTrim(shared, box, static_cast<int64_t>(*op.getTrim())) == cta::BoxTrim::Whole;
  });
}

/// The bytes that come of `bytes`, which all boxes of the copies have. Inline assembly keeps LLVM
/// from mixing the numbers, because tile-ptx-check compares the first one with the boxes: those of
/// every path for sub.s32, of the path with the most boxes for sub.u32 (PtxBytes.cpp).
static Value bytesThatCome(Lowering &f, int64_t bytes, ArrayRef<cta::CopyOp> copies) {
  Value missing;
  bool mayBranch = false;
  for (cta::CopyOp copy : copies)
    if (copy.getTrim()) {
      Value more = missingBytes(f, copy);
      missing = missing ? f.add(missing, more) : more;
      mayBranch |= leavesBoxesOut(copy);
    }
  if (!missing)
    return f.i32(bytes);
  return f
      .inlineAsm((mayBranch ? "sub.u32 $0, " : "sub.s32 $0, ") + std::to_string(bytes) + ", $1;",
                 {{f.b.getI32Type(), "r"}}, {{missing, "r"}}, /*sideEffects=*/false,
                 /*memoryClobber=*/false)
      .front();
}

/// The cta.expect that announces the bytes of the copy's slot, if those that will not come are
/// known there: the nearest one before the copy.
static cta::ExpectOp expectOf(cta::CopyOp copy) {
  if (!copy.getTrim() || !copy.getInto())
    return {};
  cta::ExpectOp nearest;
  for (Operation *op = copy->getPrevNode(); op && !nearest; op = op->getPrevNode())
    if (auto expect = dyn_cast<cta::ExpectOp>(op);
        expect && expect.getMbarrier() == copy.getMbarrier() && expect.getSlot() == copy.getSlot())
      nearest = expect;
  auto isBefore = [&](Value value) {
    Operation *def = value ? value.getDefiningOp() : nullptr;
    return !def || def->getBlock() != nearest->getBlock() || def->isBeforeInBlock(nearest);
  };
  return nearest && isBefore(copy.getCoords()[copy.getDims()[*copy.getTrim()]]) &&
                 isBefore(copy.getMulticastIf())
             ? nearest
             : cta::ExpectOp();
}

/// Tells the mbarrier of the bytes that will not come, unless a cta.expect has left them out.
static void completeMissing(Lowering &f, cta::CopyOp op, Value barrier) {
  if (!op.getTrim() || expectOf(op))
    return;
  f.inlineAsm("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [$0], $1;", {},
              {{barrier, "r"}, {missingBytes(f, op), "r"}}, /*sideEffects=*/true,
              /*memoryClobber=*/true);
}

static void expect(Lowering &f, Value barrier, Value bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(f.b, f.loc, /*res=*/Type(), barrier, bytes,
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

static int64_t numMbarriers(Lowering &f) {
  return static_cast<int64_t>(f.launch.getMbarriers().value_or(ArrayRef<int64_t>()).size());
}

/// A tile that the blocks of a cluster share: each block fetches its part for all. If
/// `multicast_if` is false each block fetches the whole tile for itself.
static LogicalResult lowerMulticast(Lowering &f, cta::CopyOp op, const SharedPlace &place) {
  const auto blocks = static_cast<int64_t>(*op.getMulticast());
  if (blocks != static_cast<int64_t>(f.launch.getCluster().value_or(1)) || !op.getInto())
    return f.error(op, "multicast needs a slot and a launch with as large a cluster");
  std::optional<cta::TileParts> parts = cta::equalParts(op.getSmemType(), blocks);
  if (!parts)
    return f.error(op, "the tile cannot be divided among the blocks of the cluster");
  Value rank = f.clusterRank();
  std::vector<Box> boxes;
  if (failed(collectBoxes(f, op, op.getSource(), op.getSmemType(), place, boxes, parts, rank)))
    return failure();
  LogicalResult status = success();
  f.inFirstThread([&] {
    Value policy = cachePolicy(f, op.getCache(), op.getSource(),
                               op.getCacheIf() ? f.scalar(op.getCacheIf()) : Value());
    // A cta.expect announced the bytes of the whole slot.
    Value barrier = f.mbarrier(static_cast<int64_t>(*op.getMbarrier()), f.scalar(op.getSlot()));
    auto issueForAll = [&] {
      Value mask = f.constant(f.b.getI16IntegerAttr(static_cast<int16_t>((1 << blocks) - 1)));
      issueLoads(f, boxes, f.gep(place.base, f.mul(rank, f.i32(parts->bytes))), barrier, policy,
                 mask);
    };
    completeMissing(f, op, barrier);
    if (!op.getMulticastIf())
      return issueForAll();
    auto branch = scf::IfOp::create(f.b, f.loc, f.scalar(op.getMulticastIf()),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(branch.thenBlock());
    issueForAll();
    f.b.setInsertionPointToStart(branch.elseBlock());
    boxes.clear();
    status = collectBoxes(f, op, op.getSource(), op.getSmemType(), place, boxes);
    issueLoads(f, boxes, place.base, barrier, policy);
  });
  return status;
}

static LogicalResult lowerCopy(Lowering &f, cta::CopyOp op) {
  if (op.isByThreads())
    return lowerCopyByThreads(f, op);
  std::optional<SharedPlace> place = f.placeOf(op.getInto() ? op.getInto() : op.getResult());
  if (!place || !op.getMbarrier() || static_cast<int64_t>(*op.getMbarrier()) >= numMbarriers(f))
    return f.error(op, "needs an offset and an mbarrier of the launch: run cta-allocate-shared");
  if (op.getMulticast())
    return lowerMulticast(f, op, *place);
  std::vector<Box> boxes;
  if (failed(collectBoxes(f, op, op.getSource(), op.getSmemType(), *place, boxes)))
    return failure();
  auto number = static_cast<int64_t>(*op.getMbarrier());
  f.inFirstThread([&] {
    Value policy = cachePolicy(f, op.getCache(), op.getSource(),
                               op.getCacheIf() ? f.scalar(op.getCacheIf()) : Value());
    if (op.getInto()) {
      // A cta.expect announced the bytes of the whole slot.
      Value barrier = f.mbarrier(number, f.scalar(op.getSlot()));
      issueLoads(f, boxes, place->base, barrier, policy);
      completeMissing(f, op, barrier);
      return;
    }
    int64_t bytes = 0;
    for (const Box &box : boxes)
      bytes += box.bytes;
    Value barrier = f.mbarrier(number);
    expect(f, barrier, bytesThatCome(f, bytes, op));
    issueLoads(f, boxes, place->base, barrier, policy);
  });
  return success();
}

static LogicalResult lowerExpect(Lowering &f, cta::ExpectOp op) {
  if (static_cast<int64_t>(op.getMbarrier()) >= numMbarriers(f))
    return f.error(op, "the launch has no such mbarrier");
  f.inFirstThread([&] {
    auto copies = llvm::to_vector(llvm::make_filter_range(
        op->getBlock()->getOps<cta::CopyOp>(), [&](auto copy) { return expectOf(copy) == op; }));
    Value bytes = bytesThatCome(f, static_cast<int64_t>(op.getBytes()), copies);
    expect(f, f.mbarrier(static_cast<int64_t>(op.getMbarrier()), f.scalar(op.getSlot())), bytes);
  });
  return success();
}

static LogicalResult lowerArrive(Lowering &f, cta::ArriveOp op) {
  if (static_cast<int64_t>(op.getMbarrier()) >= numMbarriers(f))
    return f.error(op, "the launch has no such mbarrier");
  Value barrier = f.mbarrier(static_cast<int64_t>(op.getMbarrier()), f.scalar(op.getSlot()));
  if (f.currentScope().elected && op.getCluster().value_or(1) > 1)
    return f.error(op,
                   "one elected thread cannot arrive in all blocks of a cluster; release the slot "
                   "outside the cta.elect");
  if (f.currentScope().elected && !op.getCopies()) {
    f.inlineAsm("mbarrier.arrive.shared::cta.b64 _, [$0];", {}, {{barrier, "r"}},
                /*sideEffects=*/true, /*memoryClobber=*/true);
    return success();
  }
  if (op.getCopies()) {
    f.inlineAsm("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];", {}, {{barrier, "r"}},
                /*sideEffects=*/true, /*memoryClobber=*/true);
    return success();
  }
  auto blocks = static_cast<int64_t>(op.getCluster().value_or(1));
  Value who = f.lane();
  if (op.getPerWarp())
    NVVM::SyncWarpOp::create(f.b, f.loc, f.i32(-1));
  else
    who = f.bitAnd(f.threadId(), f.i32(127));
  if (blocks > 1) {
    // One thread arrives for each block of the cluster. The scope stays the default, because that
    // of a cluster would cost a fence of all memory. All threads compute an address. If only some
    // did, ptxas would believe that the others keep its old value, in a register that is live over
    // the whole loop over output tiles.
    f.inlineAsm("{\n\t.reg .pred some;\n\t.reg .b32 rank, there;\n\t"
                "setp.lt.u32 some, $1, " +
                    std::to_string(blocks) +
                    ";\n\t"
                    "min.u32 rank, $1, " +
                    std::to_string(blocks - 1) +
                    ";\n\t"
                    "mapa.shared::cluster.u32 there, $0, rank;\n\t"
                    "@some mbarrier.arrive.shared::cluster.b64 _, [there];\n\t}",
                {}, {{barrier, "r"}, {who, "r"}}, /*sideEffects=*/true, /*memoryClobber=*/true);
    return success();
  }
  // Predicated instead of a branch, so that the code around stays one block for ptxas to schedule.
  f.inlineAsm("{\n\t.reg .pred first;\n\t"
              "setp.eq.u32 first, $1, 0;\n\t"
              "@first mbarrier.arrive.shared::cta.b64 _, [$0];\n\t}",
              {}, {{barrier, "r"}, {who, "r"}}, /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

/// Ends an epilogue subtile with a branch that may exit. ptxas moves arithmetic upwards across
/// barriers, but not across such a branch. Without it, ptxas computes all epilogue subtiles at
/// once, although they are stored one after the other. That takes more registers than there are,
/// and they spill. The branch is never taken: no mask of active threads is empty.
static void endPart(Lowering &f) {
  f.inlineAsm("{\n\t.reg .pred never;\n\t.reg .b32 active;\n\t"
              "activemask.b32 active;\n\t"
              "setp.eq.u32 never, active, 0;\n\t"
              "@never trap;\n\t}",
              {}, {}, /*sideEffects=*/true, /*memoryClobber=*/false);
}

static LogicalResult lowerCopyOut(Lowering &f, cta::CopyOutOp op) {
  std::optional<SharedPlace> place = f.placeOf(op.getValue());
  if (!place)
    return f.error(op, "the shared tile has no offset: run cta-allocate-shared");
  std::optional<cta::TileParts> parts;
  if (op.getPerWarpgroup())
    parts = cta::warpgroupParts(op.getValue());
  std::vector<Box> boxes;
  if (failed(
          collectBoxes(f, op, op.getDest(), op.getSmemType(), *place, boxes, parts, f.warpgroup())))
    return failure();
  auto issue = [&] {
    Value policy = cachePolicy(f, op.getCache(), op.getDest());
    Value base = place->base;
    if (parts)
      base = f.gep(base, f.mul(f.warpgroup(), f.i32(parts->bytes)));
    for (const Box &box : boxes) {
      Value from = f.gep(base, box.offset);
      if (op.getReduce()) // of the kinds only a sum is legal
        NVVM::CpAsyncBulkTensorReduceOp::create(f.b, f.loc, box.descriptor, from,
                                                NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE,
                                                box.coords, policy);
      else
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(f.b, f.loc, box.descriptor, from,
                                                           box.coords, policy,
                                                           NVVM::TMAStoreMode::TILE, Value());
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(f.b, f.loc);
  };
  if (parts)
    f.inFirstThreads(issue);
  else
    f.inFirstThread(issue);
  // With ping-pong, products of another warpgroup hide the epilogue, so ptxas need not overlap its
  // subtiles.
  auto isPart = [&](Operation &other) {
    return isa<cta::CopyOutOp>(other) && op->isBeforeInBlock(&other);
  };
  if (f.currentScope().replicas > 1 && llvm::any_of(*op->getBlock(), isPart))
    endPart(f);
  return success();
}

static LogicalResult lowerAwaitStores(Lowering &f, cta::AwaitStoresOp op) {
  f.inFirstThreads([&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(f.b, f.loc, static_cast<uint32_t>(op.getPending()),
                                         op.getRead() ? f.b.getUnitAttr() : UnitAttr());
  });
  return success();
}

static LogicalResult lowerAwait(Lowering &f, cta::AwaitOp op) {
  auto number = static_cast<int64_t>(op.getMbarrier());
  if (number >= numMbarriers(f))
    return f.error(op, "the launch has no such mbarrier");
  Value parity, barrier;
  if (op.getSlot()) {
    parity = f.scalar(op.getParity());
    barrier = f.mbarrier(number, f.scalar(op.getSlot()));
  } else {
    parity = f.nextParity(number);
    barrier = f.mbarrier(number);
  }
  // One loop in asm: as LLVM blocks it is slower.
  SmallVector<Lowering::AsmInput> inputs{{barrier, "r"}, {parity, "r"}};
  StringRef before, after;
  if (op.getUnless()) {
    inputs.push_back({f.scalar(op.getUnless()), "b"});
    // The lanes have tested each for itself.
    before = "\t@$2 bra passed_${:uid};\n";
    after = "passed_${:uid}:\n\t";
  }
  f.inlineAsm(("{\n\t.reg .pred done;\n" + before +
               "wait_${:uid}:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n\t"
               "@!done bra.uni wait_${:uid};\n" +
               after + "\t}")
                  .str(),
              {}, inputs, /*sideEffects=*/true, /*memoryClobber=*/true);
  return success();
}

static LogicalResult lowerTestWait(Lowering &f, cta::TestWaitOp op) {
  auto number = static_cast<int64_t>(op.getMbarrier());
  if (number >= numMbarriers(f))
    return f.error(op, "the launch has no such mbarrier");
  Value barrier = f.mbarrier(number, f.scalar(op.getSlot()));
  Values over =
      f.inlineAsm("mbarrier.test_wait.parity.shared::cta.b64 $0, [$1], $2;",
                  {{f.b.getI1Type(), "b"}}, {{barrier, "r"}, {f.scalar(op.getParity()), "r"}},
                  /*sideEffects=*/true, /*memoryClobber=*/true);
  f.set(op.getOver(), over);
  return success();
}

void tessera::nvvm::populateTmaLowerings(LoweringSet &set) {
  addLowering(set, lowerCopy);
  addLowering(set, lowerExpect);
  addLowering(set, lowerArrive);
  addLowering(set, lowerCopyOut);
  addLowering(set, lowerAwaitStores);
  addLowering(set, lowerAwait);
  addLowering(set, lowerTestWait);
}
