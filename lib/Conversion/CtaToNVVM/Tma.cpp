// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies by TMA: one thread announces the bytes and issues one instruction for each box.
#include "Copies/TmaBoxes.h"

#include "tessera/Dialect/Tile/Access.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::nvvm;

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
  if (failed(collectBoxes(f, op, place, boxes, parts, rank)))
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
    status = collectBoxes(f, op, place, boxes);
    issueLoads(f, boxes, place.base, barrier, policy);
  });
  return status;
}

namespace {
/// A copy with a limit that may end inside the array, along the rows of the tile. TMA knows the
/// array's end only. So a tile that the limit cuts is fetched in parts: those before the limit in
/// boxes of their own, those behind it from outside of the array, from where zeros come, and the
/// one that is cut row by row. The bytes are those of a whole tile. Few tiles are cut (rule 2 of
/// whyNotTma).
class LimitedCopy {
public:
  LimitedCopy(Lowering &f, cta::CopyOp op, const SharedPlace &place, Value barrier, Value policy)
      : f(f), op(op), place(place), barrier(barrier), policy(policy),
        dim(static_cast<int>(llvm::find(op.getLimited(), true) - op.getLimited().begin())),
        shared(cta::sharedLayout(op.getSmemType())) {
    layout::Coord next(shared.shape.size());
    next[dim] = 1;
    pitch = shared.linearOffset(next);
    // Nothing counts of a limit but what lies between 0 and the largest size.
    limit = f.scalar(op.getLimits().front());
    auto number = [&](int64_t value) {
      return f.constant(f.b.getIntegerAttr(limit.getType(), value));
    };
    limit = arith::MaxSIOp::create(f.b, f.loc, limit, number(0));
    limit = f.toI32(arith::MinSIOp::create(f.b, f.loc, limit, number(INT32_MAX)));
  }
  LogicalResult lower() {
    const tile::AccessParts access = tile::partsOf(op, op.getSource());
    Value at = f.toI32(f.scalar(access.coordOf(op.getDims()[dim])));
    return fetch(at, f.i32(0), shared.shape[dim]);
  }

private:
  /// Fetches `count` rows from coordinate `at` on to row `row` of the tile.
  LogicalResult fetch(Value at, Value row, int64_t count) {
    OpBuilder::InsertionGuard guard(f.b);
    Value isWhole = f.compare(arith::CmpIPredicate::sle, at, f.sub(limit, f.i32(count)));
    if (count == 1)
      return issue(f.select(isWhole, at, f.i32(-1)), row, 1);
    Value isOutside = f.compare(arith::CmpIPredicate::sge, at, limit);
    auto branch =
        scf::IfOp::create(f.b, f.loc, arith::OrIOp::create(f.b, f.loc, isWhole, isOutside),
                          /*withElseRegion=*/true);
    f.b.setInsertionPointToStart(branch.thenBlock());
    if (failed(issue(f.select(isWhole, at, f.i32(-count)), row, count)))
      return failure();
    f.b.setInsertionPointToStart(branch.elseBlock());
    // Parts of so many rows that there are about as many of them as rows in one.
    int64_t step = 1;
    for (int64_t part : {4, 8, 16})
      if (part < count && count == shared.shape[dim] && isBoxPart(shared, dim, part))
        step = part;
    // The condition is at the end, and opaque to LLVM: it would unroll the loop, and of another one
    // it would not know that bytes come on every path (PtxBytes.cpp).
    const Type number = f.b.getI32Type();
    Value end = f.opaque(f.i32(count));
    auto loop = scf::WhileOp::create(f.b, f.loc, TypeRange(number), ValueRange(f.i32(0)));
    Block *body = f.b.createBlock(&loop.getBefore(), {}, {number}, {f.loc});
    Value next = body->getArgument(0);
    if (failed(fetch(f.add(at, next), f.add(row, next), step)))
      return failure();
    Value following = f.add(next, f.i32(step));
    scf::ConditionOp::create(f.b, f.loc, f.compare(arith::CmpIPredicate::slt, following, end),
                             following);
    Block *after = f.b.createBlock(&loop.getAfter(), {}, {number}, {f.loc});
    scf::YieldOp::create(f.b, f.loc, after->getArguments());
    return success();
  }
  LogicalResult issue(Value from, Value row, int64_t count) {
    std::vector<Box> boxes;
    if (failed(collectBoxes(f, op, place, boxes, BoxRows{dim, from, count})))
      return failure();
    issueLoads(f, boxes, f.gep(place.base, f.mul(row, f.i32(pitch))), barrier, policy);
    return success();
  }

  Lowering &f;
  cta::CopyOp op;
  const SharedPlace &place;
  Value barrier, policy, limit;
  int dim;
  layout::SharedLayout shared;
  int64_t pitch; // bytes from row to row
};
} // namespace

static int64_t bytesOf(const layout::SharedLayout &shared) {
  int64_t bytes = shared.elementBits / 8;
  for (int64_t extent : shared.shape)
    bytes *= extent;
  return bytes;
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
  if (op.getLimits().empty() && failed(collectBoxes(f, op, *place, boxes)))
    return failure();
  auto number = static_cast<int64_t>(*op.getMbarrier());
  LogicalResult status = success();
  f.inFirstThread([&] {
    Value policy = cachePolicy(f, op.getCache(), op.getSource(),
                               op.getCacheIf() ? f.scalar(op.getCacheIf()) : Value());
    Value barrier;
    if (op.getInto()) {
      // A cta.expect announced the bytes of the whole slot.
      barrier = f.mbarrier(number, f.scalar(op.getSlot()));
    } else {
      barrier = f.mbarrier(number);
      expect(f, barrier, bytesThatCome(f, bytesOf(cta::sharedLayout(op.getSmemType())), op));
    }
    if (op.getLimits().empty())
      issueLoads(f, boxes, place->base, barrier, policy);
    else
      status = LimitedCopy(f, op, *place, barrier, policy).lower();
    if (op.getInto())
      completeMissing(f, op, barrier);
  });
  return status;
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
  if (failed(collectBoxes(f, op, *place, boxes, parts, f.warpgroup())))
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
