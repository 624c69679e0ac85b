// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes events of the ops of the protocol.
#include "Interpreter.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Machine/Hopper.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

bool Program::takesPart(const Event &event, int warp) const {
  const Group &group = groups[event.group];
  if (warp < group.firstWarp || warp >= group.firstWarp + group.warps)
    return false;
  switch (event.kind) {
  case Kind::Expect:
  case Kind::Copy:
    return isLeader(event, warp);
  case Kind::CopyOut:
    if (!cast<cta::CopyOutOp>(event.op).getPerWarpgroup())
      return isLeader(event, warp);
    [[fallthrough]];
  case Kind::AwaitStores:
    // It is run by the first thread of each warpgroup, which waits for the stores that it has
    // issued itself.
    if (event.elected || group.warps <= 4 || group.warps % 4)
      return isLeader(event, warp);
    return isFirstOfWarpgroup(warp);
  case Kind::Arrive:
    // The first warp of each warpgroup arrives, wherever the role begins. A role that begins within
    // a warpgroup may have no such warp.
    if (auto op = cast<cta::ArriveOp>(event.op);
        !event.elected && !op.getPerWarp() && !op.getCopies())
      return isFirstOfWarpgroup(warp);
    break;
  default:
    break;
  }
  return !event.elected || isLeader(event, warp);
}

/// Counts the warpgroups of the block, whichever role the warp has.
bool Program::isFirstOfWarpgroup(int warp) const {
  return (warp - firstWarp(blockOfWarp(warp))) % 4 == 0;
}

std::string Program::describeBlock(int number) const {
  return cluster > 1 || handsOn ? "block " + std::to_string(block + number) : "the block";
}

std::string Program::describeWarp(int warp) const {
  const Group &group = groupOf(warp);
  return "warp " + std::to_string(warp - group.firstWarp) + " of " + group.name;
}

std::string Program::describeMBarrier(int mbarrier) const {
  const int at = blockOfMBarrier(mbarrier);
  std::string text = "mbarrier " + std::to_string(mbarrier - this->mbarrier(at, 0));
  return cluster > 1 || handsOn ? text + " of " + describeBlock(at) : text;
}

//===--- the protocol ------------------------------------------------------------------------===//

Event &Unroller::Impl::addEvent(Operation *op, Kind kind) {
  Event event;
  event.op = op;
  event.kind = kind;
  event.group = group;
  event.elected = elected;
  event.outputTile = outputTile;
  for (Value operand : op->getOperands())
    event.operands.push_back(lookup(operand));
  if (op->getNumRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      event.captures.push_back({value, lookup(value)});
  }
  list->push_back(static_cast<int>(program->events.size()));
  program->events.push_back(std::move(event));
  return program->events.back();
}

/// Adds a meeting of the cluster. A launch without clusters has no other blocks to meet.
void Unroller::Impl::addMeet() {
  if (program->cluster == 1)
    return;
  Event event;
  event.op = program->launch;
  event.kind = Kind::Meet;
  event.group = group;
  list->push_back(static_cast<int>(program->events.size()));
  program->events.push_back(std::move(event));
}

LogicalResult Unroller::Impl::oneThread(Operation *op) {
  if (elected)
    return error(op) << "it needs all threads, but cta.elect runs one";
  return success();
}

LogicalResult Unroller::Impl::setMBarrier(Event &event, int64_t base, Value slot) {
  int64_t number = base, count = static_cast<int64_t>(program->arrivalCounts.size());
  event.base = program->mbarrier(block, base);
  if (slot) {
    FailureOr<APInt> value = integer(event.op, slot);
    if (failed(value))
      return failure();
    event.slot = static_cast<int>(value->getSExtValue());
    number += event.slot;
  } else {
    number += replica; // each replica has its own mbarrier for copies that fill no slot
  }
  if (number < 0 || number >= count)
    return error(event.op) << "it uses mbarrier " << number << ", but the launch has " << count;
  event.mbarrier = program->mbarrier(block, number);
  auto [it, isNew] = baseOf.try_emplace(static_cast<int>(number), static_cast<int>(base), event.op);
  if (isNew || it->second.first == base)
    return success();
  InFlightDiagnostic diagnostic = error(event.op);
  diagnostic << "mbarrier " << number << " is " << base << "[" << event.slot
             << "] here, but number " << number - it->second.first << " from " << it->second.first
             << " on elsewhere: a slot beyond the depth of the ring";
  diagnostic.attachNote(it->second.second->getLoc()) << "here";
  return diagnostic;
}

FailureOr<int> Unroller::Impl::rangeOf(Operation *op, cta::SmemType type, int64_t offset,
                                       int64_t bytes, int parts, Operation *whole) {
  int64_t end = static_cast<int64_t>(program->launch.getShared().value_or(0)) -
                hopper::kMbarrierBytes * static_cast<int64_t>(program->arrivalCounts.size());
  if (offset < 0 || offset + bytes > end)
    return error(op) << "the tile " << type << " lies at [" << offset << ", " << offset + bytes
                     << "), but the launch has " << end << " bytes for tiles";
  if (parts == 1)
    whole = nullptr;
  // If several cta.stage ops write tiles of the same type to the same bytes, their warpgroups write
  // the same parts.
  for (const auto &[key, number] : rangeNumbers) {
    Operation *other = std::get<2>(key);
    if (isa_and_nonnull<cta::StageOp>(whole) && isa_and_nonnull<cta::StageOp>(other) &&
        std::get<0>(key) == offset && other->getResultTypes() == op->getResultTypes() &&
        TypeRange(other->getOperandTypes()) == TypeRange(op->getOperandTypes()))
      whole = other;
  }
  auto [it, isNew] = rangeNumbers.try_emplace({offset, offset + bytes, whole},
                                              static_cast<int>(program->ranges.size()));
  for (int of = 0; isNew && of < program->cluster; ++of)
    for (int part = 0; part < parts; ++part)
      program->ranges.push_back({offset, offset + bytes, of, whole, part ? 0 : parts, {}});
  return it->second + block * parts;
}

LogicalResult Unroller::Impl::runSlot(cta::SlotOp op) {
  auto ring = op.getRing().getDefiningOp<cta::RingOp>();
  if (!ring || !ring.getOffset())
    return error(op) << "the ring has no offset; run cta-allocate-shared first";
  auto type = cast<cta::RingType>(ring.getType());
  FailureOr<APInt> index = integer(op, op.getIndex());
  if (failed(index))
    return failure();
  if (index->isNegative() || index->getSExtValue() >= type.getDepth())
    return error(op) << "slot " << index->getSExtValue() << " of a ring of depth "
                     << type.getDepth();
  layout::SharedLayout layout = cta::sharedLayout(type.getTile());
  int64_t bytes = layout.sizeBytes(),
          stride = llvm::alignTo(bytes, static_cast<uint64_t>(layout.alignment()));
  Binding binding;
  binding.slot = static_cast<int>(index->getSExtValue());
  const int parts = ringParts.contains(ring) ? ringParts.lookup(ring) : 1;
  FailureOr<int> range =
      rangeOf(op, type.getTile(), static_cast<int64_t>(*ring.getOffset()) + binding.slot * stride,
              bytes, parts, ring);
  if (failed(range))
    return failure();
  binding.range = *range;
  environment[op.getResult()] = binding;
  return success();
}

/// An op that is no part of the protocol, but may access shared tiles: what it says of its
/// accesses.
static Kind kindOfTileOp(Operation *op) {
  Kind kind = Kind::Other;
  for (const cta::MemoryAccess &access : cta::accessesOf(op)) {
    if (access.isGlobal())
      continue;
    if (access.completedBy != cta::CompletedBy::Op || access.proxy != cta::Proxy::Generic ||
        access.issuedBy != cta::IssuedBy::AllThreads)
      return Kind::Other;
    if (access.write)
      return isa<cta::SharedBufferOpInterface>(op) ? Kind::Stage : Kind::Update;
    kind = Kind::Read;
  }
  return kind;
}

bool tessera::simulate::accessesTiles(Operation *op) { return kindOfTileOp(op) != Kind::Other; }

static Kind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](cta::BarrierOp) { return Kind::Barrier; })
      .Case([](cta::FenceAsyncOp) { return Kind::FenceAsync; })
      .Case([](cta::AwaitOp) { return Kind::Await; })
      .Case([](cta::TestWaitOp) { return Kind::Test; })
      .Case([](cta::AwaitStoresOp) { return Kind::AwaitStores; })
      .Case([](cta::ExpectOp) { return Kind::Expect; })
      .Case([](cta::ArriveOp) { return Kind::Arrive; })
      .Case([](cta::CopyOp o) { return o.isByThreads() ? Kind::CpAsync : Kind::Copy; })
      .Case([](cta::CommitCopiesOp) { return Kind::CommitCopies; })
      .Case([](cta::AwaitCopiesOp) { return Kind::AwaitCopies; })
      .Case([](cta::CopyOutOp) { return Kind::CopyOut; })
      .Case([](cta::WgmmaOp) { return Kind::Wgmma; })
      .Case([](cta::WgmmaWaitOp) { return Kind::WgmmaWait; })
      .Case([](cta::CompleteOp) { return Kind::Complete; })
      .Case([](cta::PutPartialOp) { return Kind::PutPartial; })
      .Case([](cta::AddPartialOp) { return Kind::AddPartial; })
      .Case([](cta::PutScalarOp) { return Kind::Stage; })
      .Case([](cta::GetScalarOp) { return Kind::Read; })
      .Default([](Operation *other) { return kindOfTileOp(other); });
}

/// Gives a range to a tile that is no slot of a ring.
LogicalResult Unroller::Impl::placeTile(Operation *op, Event &event) {
  auto made = cast<cta::SharedBufferOpInterface>(op);
  cta::SmemType type = made.getBufferType();
  std::optional<int64_t> offset = made.getByteOffset();
  if (!offset)
    return error(op) << "the tile has no offset; run cta-allocate-shared first";
  auto stage = dyn_cast<cta::StageOp>(op);
  int parts = stage && cta::warpgroupParts(stage) ? program->groups[group].warps / 4 : 1;
  FailureOr<int> range =
      rangeOf(op, type, *offset + replica * staged, cta::sharedLayout(type).sizeBytes(), parts, op);
  if (failed(range))
    return failure();
  environment[op->getResult(0)].range = event.range = *range;
  return success();
}

LogicalResult Unroller::Impl::setParity(Event &event, Value parity) {
  FailureOr<APInt> value = integer(event.op, parity);
  if (failed(value))
    return failure();
  if (value->ugt(1))
    return error(event.op) << "the parity is 0 or 1, got " << value->getSExtValue();
  event.parity = static_cast<int>(value->getZExtValue());
  return success();
}

LogicalResult Unroller::Impl::runAwait(cta::AwaitOp op, Event &event) {
  if (op.getParity() && failed(setParity(event, op.getParity())))
    return failure();
  if (op.getUnless()) {
    const Binding token = lookup(op.getUnless());
    if (token.event < 0 || program->events[token.event].kind != Kind::Test)
      return error(op) << "what it is skipped for is no cta.test_wait";
    event.test = token.event;
  }
  return setMBarrier(event, static_cast<int64_t>(op.getMbarrier()), op.getSlot());
}

LogicalResult Unroller::Impl::runArrive(cta::ArriveOp op, Event &event) {
  if (failed(setMBarrier(event, static_cast<int64_t>(op.getMbarrier()), op.getSlot())))
    return failure();
  auto blocks = static_cast<int64_t>(op.getCluster().value_or(1));
  if (blocks == 1) {
    event.targets.push_back({event.mbarrier});
    return success();
  }
  if (blocks != program->cluster)
    return error(op) << "it arrives in " << blocks
                     << " blocks, but the launch has cluster = " << program->cluster;
  if (elected)
    return error(op) << "one elected thread cannot arrive in all blocks of a cluster";
  const int number = event.mbarrier - program->mbarrier(block, 0);
  for (int to = 0; to < blocks; ++to)
    event.targets.push_back({program->mbarrier(to, number)});
  return success();
}

/// The workspace that the value is: an array that the kernel's body allocates or is given, which
/// all blocks share.
static FailureOr<Value> workspaceOf(Value value, const Binding &binding) {
  Value memref = binding.outside;
  while (memref)
    if (auto cast = memref.getDefiningOp<memref::CastOp>())
      memref = cast.getSource();
    else
      break;
  if (!memref || !(isa<BlockArgument>(memref) || memref.getDefiningOp<memref::AllocOp>()))
    return failure();
  return memref;
}

LogicalResult Unroller::Impl::runPartial(Event &event, Value partials, Value slot, Value flags) {
  Operation *op = event.op;
  FailureOr<Value> partialsAt = workspaceOf(partials, lookup(partials)),
                   flagsAt = workspaceOf(flags, lookup(flags));
  if (failed(partialsAt) || failed(flagsAt))
    return error(op) << "its workspace must be a whole array that the kernel allocates or is "
                        "given, not a view of one";
  auto alloc = (*flagsAt).getDefiningOp<memref::AllocOp>();
  if (auto init = alloc ? alloc->getAttrOfType<IntegerAttr>("tile.init") : IntegerAttr();
      alloc && (!init || !init.getValue().isZero()))
    return error(op) << "its flags may be up when the launch begins: what allocates them does not "
                        "say tile.init = 0";
  FailureOr<APInt> number = integer(op, slot, /*controls=*/true);
  if (failed(number))
    return failure();
  FailureOr<int64_t> slots = sizeOf(op, partials, 0), words = sizeOf(op, flags, 0);
  if (failed(slots) || failed(words))
    return failure();
  event.slots = std::min(*slots, *words);
  event.partials = *partialsAt;
  event.flags = *flagsAt;
  event.slot = static_cast<int>(
      std::clamp<int64_t>(number->getSExtValue(), -1, std::numeric_limits<int>::max()));
  return success();
}

LogicalResult Unroller::Impl::runProtocol(Operation *op) {
  if (!program)
    return error(op) << "it stands outside a launch";
  Kind kind = kindOf(op);
  if (kind == Kind::Barrier && elected)
    return success(); // a single thread meets only itself
  if (llvm::is_contained({Kind::CpAsync, Kind::CommitCopies, Kind::AwaitCopies, Kind::Stage,
                          Kind::Read, Kind::Update, Kind::Wgmma, Kind::WgmmaWait, Kind::Complete,
                          Kind::PutPartial, Kind::AddPartial},
                         kind) &&
      !isa<cta::PutScalarOp>(op) && failed(oneThread(op)))
    return failure();
  Event &event = addEvent(op, kind);
  const int number = static_cast<int>(program->events.size()) - 1;
  for (auto [operand, binding] : llvm::zip_equal(op->getOperands(), event.operands))
    if (isa<cta::SmemType>(operand.getType()) && binding.range < 0)
      return error(op) << "a shared tile that it uses was not made by cta.copy, cta.stage or "
                          "cta.slot, nor by another op that implements SharedBufferOpInterface";
  // What remains makes tiles in registers and scalars.
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Binding binding;
    binding.event = number;
    binding.result = static_cast<unsigned>(i);
    environment[result] = binding;
  }

  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](cta::AwaitOp o) { return runAwait(o, event); })
      .Case([&](cta::TestWaitOp o) -> LogicalResult {
        if (auto role = dyn_cast<cta::RoleOp>(program->groups[group].op);
            role && role.getReplicas())
          return error(o) << "a replica does not know which filling of the ring it tests";
        return failure(
            failed(setParity(event, o.getParity())) ||
            failed(setMBarrier(event, static_cast<int64_t>(o.getMbarrier()), o.getSlot())));
      })
      .Case([&](cta::ExpectOp o) {
        event.bytes = static_cast<int64_t>(o.getBytes());
        return setMBarrier(event, static_cast<int64_t>(o.getMbarrier()), o.getSlot());
      })
      .Case([&](cta::ArriveOp o) { return runArrive(o, event); })
      .Case<cta::PutPartialOp, cta::AddPartialOp>(
          [&](auto o) { return runPartial(event, o.getSlots(), o.getSlot(), o.getFlags()); })
      .Case([&](cta::CopyOp o) { return runCopy(o, event); })
      .Case([&](cta::CopyOutOp o) { return runCopyOut(o); })
      .Case([&](cta::PutScalarOp o) {
        event.range = lookup(o.getSlot()).range;
        const Binding sent = lookup(o.getValue());
        if (auto number = dyn_cast_or_null<IntegerAttr>(sent.scalar); number && !sent.drawn)
          event.scalar = number.getInt();
        return success();
      })
      // If it is the number of an output tile, Unroller::runFor knows which.
      .Case([&](cta::GetScalarOp o) {
        Binding &binding = environment[o.getResult()];
        binding.scalar = draw(o.getResult().getType(), static_cast<uint64_t>(executions[o]++));
        binding.drawn = true;
        return success();
      })
      .Case([&](cta::AwaitStoresOp o) {
        event.pending = static_cast<int64_t>(o.getPending());
        return success();
      })
      .Case([&](cta::AwaitCopiesOp o) {
        event.pending = static_cast<int64_t>(o.getPending().value_or(0));
        return success();
      })
      .Case([&](cta::WgmmaOp o) -> LogicalResult {
        if (program->groups[group].warps % 4)
          return error(o) << "a wgmma needs whole warpgroups, but " << program->groups[group].name
                          << " has " << program->groups[group].warps << " warps";
        return success();
      })
      .Case([&](cta::WgmmaWaitOp o) {
        event.pending = static_cast<int64_t>(o.getPending());
        // Both name the same tiles.
        for (auto [source, result] : llvm::zip_equal(o.getSources(), o.getResults()))
          environment[result] = lookup(source);
        return success();
      })
      .Case([&](cta::CompleteOp o) {
        Binding source = lookup(o.getSource());
        bool isProduct = source.event >= 0 && program->events[source.event].kind == Kind::Wgmma;
        event.product = isProduct ? source.event : -1;
        return success();
      })
      .Default([&](Operation *other) {
        return kind == Kind::Stage ? placeTile(other, event) : success();
      });
}

/// Says what each replica of a role waits for. The replicas read a ring in the order of the output
/// tiles that they compute, so the fillings are counted over all replicas.
void Unroller::Impl::orderReplicas() {
  llvm::DenseSet<int> filled;
  for (const Event &event : program->events)
    if (event.kind == Kind::Expect || event.kind == Kind::CpAsync)
      filled.insert(event.mbarrier);
  llvm::MapVector<Operation *, std::vector<Event *>> awaits; // of each role
  for (Event &event : program->events) {
    auto role = dyn_cast<cta::RoleOp>(program->groups[event.group].op);
    if (role && role.getReplicas() && event.kind == Kind::Await && filled.contains(event.mbarrier))
      awaits[role].push_back(&event);
  }
  for (auto &[role, events] : awaits) {
    llvm::stable_sort(events, [](Event *a, Event *b) { return a->outputTile < b->outputTile; });
    llvm::DenseMap<int, int64_t> fillings, phases;
    for (Event *event : events) {
      event->filling = fillings[event->base]++;
      event->phase = phases[event->mbarrier]++;
    }
  }
}

LogicalResult Unroller::Impl::finish() {
  orderReplicas();
  for (Range &a : program->ranges)
    for (auto [i, b] : llvm::enumerate(program->ranges))
      if (a.block == b.block && a.begin < b.end && b.begin < a.end &&
          (&a == &b || !a.whole || a.whole != b.whole))
        a.overlaps.push_back(static_cast<int>(i));
  // cta-lower-channels numbers D "full" mbarriers of a ring of depth D, then D "empty" ones.
  program->fullOf.assign(program->cluster * program->arrivalCounts.size(), -1);
  llvm::DenseSet<int> seen;
  for (const Event &event : program->events) {
    auto copy = dyn_cast<cta::CopyOp>(event.op);
    if (!copy || !copy.getInto() || !seen.insert(event.base).second)
      continue;
    auto slot = copy.getInto().getDefiningOp<cta::SlotOp>();
    if (!slot)
      continue;
    int64_t depth = cast<cta::RingType>(slot.getRing().getType()).getDepth();
    for (const Event &other : program->events)
      if (other.kind == Kind::Arrive && other.base == event.base + depth &&
          program->groups[other.group].block == program->groups[event.group].block)
        program->fullOf[other.mbarrier] = event.base + other.slot;
  }
  // If another event uses an mbarrier of such a number, it is no empty mbarrier, and nothing is
  // known of it.
  for (const Event &event : program->events)
    if ((event.kind == Kind::Expect || event.kind == Kind::Copy || event.kind == Kind::CpAsync) &&
        event.mbarrier >= 0)
      program->fullOf[event.mbarrier] = -1;
  return success();
}
