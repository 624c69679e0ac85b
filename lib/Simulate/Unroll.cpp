// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a kernel in phase allocated to the lists of events of a block.
#include "Scalars.h"
#include "tessera/Dialect/Cta/SharedMemory.h"
#include "tessera/Simulate/Program.h"

#include "llvm/ADT/ScopeExit.h"

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
  case Kind::CopyOut:
  case Kind::AwaitStores:
    return isLeader(event, warp);
  case Kind::Arrive:
    if (!event.elected && !cast<cta::ArriveOp>(event.op).getPerWarp())
      return (warp - group.firstWarp) % 4 == 0;
    break;
  default:
    break;
  }
  return !event.elected || isLeader(event, warp);
}

const Group &Program::groupOf(int warp) const {
  for (const Group &group : llvm::drop_begin(groups))
    if (warp >= group.firstWarp && warp < group.firstWarp + group.warps)
      return group;
  return groups.front();
}

std::string Program::describeWarp(int warp) const {
  const Group &group = groupOf(warp);
  return "warp " + std::to_string(warp - group.firstWarp) + " of " + group.name;
}

//===--- the interpreter ---------------------------------------------------------------------===//

using Environment = llvm::DenseMap<Value, Binding>;

struct Unroller::Impl {
  tile::KernelOp kernel;
  Inputs inputs;
  Builder builder;
  Folder folder;
  Environment environment;
  int64_t fuel;
  /// Of the launch at work; null outside.
  Program *program = nullptr;
  std::vector<int> *list = nullptr; ///< where events go
  int group = 0;
  bool elected = false;
  llvm::DenseMap<Operation *, int64_t> executions; ///< of ops that draw
  std::map<std::pair<int64_t, int64_t>, int> rangeNumbers;
  std::map<int, std::pair<int, Operation *>> baseOf; ///< of each mbarrier

  Impl(tile::KernelOp kernel, const Inputs &inputs)
      : kernel(kernel), inputs(inputs), builder(kernel.getContext()), fuel(inputs.fuel) {}

  LogicalResult bindArguments();
  FailureOr<int64_t> sizeOf(Operation *user, Value memref, unsigned dim);
  Attribute draw(Type type, llvm::hash_code key);

  LogicalResult runBlock(Block &block);
  LogicalResult run(Operation *op);
  LogicalResult runFor(scf::ForOp op);
  LogicalResult runIf(scf::IfOp op);
  LogicalResult runWhile(scf::WhileOp op);
  LogicalResult runSwitch(scf::IndexSwitchOp op);
  LogicalResult runDim(Operation *op, Value memref, Value index);
  LogicalResult runProtocol(Operation *op);
  LogicalResult runSlot(cta::SlotOp op);
  LogicalResult runScalar(Operation *op);
  LogicalResult runOther(Operation *op);

  Binding lookup(Value value) const { return environment.lookup(value); }
  FailureOr<APInt> integer(Operation *user, Value value, bool controls = false);
  void bind(ValueRange values, ValueRange from);
  void bindInteger(Value value, int64_t x) {
    Binding binding;
    binding.scalar = builder.getIntegerAttr(value.getType(), x);
    environment[value] = binding;
  }

  Event &addEvent(Operation *op, Kind kind);
  LogicalResult setMBarrier(Event &event, int64_t base, Value slot);
  FailureOr<int> rangeOf(Operation *op, cta::SmemType type, int64_t offset, int64_t bytes);
  LogicalResult oneThread(Operation *op);
  LogicalResult finish();
  InFlightDiagnostic error(Operation *op) { return op->emitOpError("cannot be simulated: "); }
};

/// "A.0", or the name of tile.shape.
static std::optional<int64_t> givenSize(tile::KernelOp kernel, const Inputs &inputs, unsigned arg,
                                        unsigned dim) {
  auto find = [&](const std::string &key) -> std::optional<int64_t> {
    auto it = inputs.sizes.find(key);
    return it == inputs.sizes.end() ? std::nullopt : std::optional<int64_t>(it->second);
  };
  if (auto size = find(kernel.getArgName(arg) + "." + std::to_string(dim)))
    return size;
  auto shape = kernel.getArgAttrOfType<ArrayAttr>(arg, "tile.shape");
  if (shape && dim < shape.size())
    if (auto name = dyn_cast<StringAttr>(shape[dim]))
      return find(name.str());
  return std::nullopt;
}

FailureOr<int64_t> Unroller::Impl::sizeOf(Operation *user, Value memref, unsigned dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (dim >= type.getRank())
    return error(user) << "the memref has no dimension " << dim;
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  if (auto arg = dyn_cast<BlockArgument>(memref)) {
    if (auto size = givenSize(kernel, inputs, arg.getArgNumber(), dim))
      return *size;
    std::string name = kernel.getArgName(arg.getArgNumber()) + "." + std::to_string(dim);
    auto shape = kernel.getArgAttrOfType<ArrayAttr>(arg.getArgNumber(), "tile.shape");
    if (shape && dim < shape.size())
      if (auto symbol = dyn_cast<StringAttr>(shape[dim]))
        name = symbol.str();
    return error(user) << "the size '" << name << "' is not given; say sizes=" << name
                       << "=<number>";
  }
  Operation *op = memref.getDefiningOp();
  std::optional<Value> size;
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    size = alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  } else if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    unsigned next = 0;
    for (auto [d, extent] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(d) && next++ == dim)
        size = dyn_cast<Value>(extent);
  } else if (auto cast = dyn_cast<memref::CastOp>(op)) {
    return sizeOf(user, cast.getSource(), dim);
  }
  if (!size || !*size)
    return error(user) << "the sizes of the result of " << op->getName() << " are not known";
  FailureOr<APInt> value = integer(user, *size);
  if (failed(value))
    return failure();
  return value->getSExtValue();
}

/// Small numbers: what memory holds is not known, but control flow may hang on it.
Attribute Unroller::Impl::draw(Type type, llvm::hash_code key) {
  uint64_t bits = llvm::hash_combine(key, inputs.seed);
  bits ^= bits >> 29;
  if (auto floating = dyn_cast<FloatType>(type))
    return builder.getFloatAttr(floating, static_cast<double>(bits % 4) - 1);
  if (type.isInteger(1))
    return builder.getIntegerAttr(type, bits % 2);
  return builder.getIntegerAttr(type, bits % 4);
}

LogicalResult Unroller::Impl::bindArguments() {
  for (BlockArgument arg : kernel.getArguments()) {
    Binding binding;
    binding.outside = arg;
    if (arg.getType().isIntOrIndexOrFloat()) {
      auto it = inputs.scalars.find(kernel.getArgName(arg.getArgNumber()));
      binding.drawn = it == inputs.scalars.end();
      if (binding.drawn)
        binding.scalar = draw(arg.getType(), llvm::hash_value(arg.getArgNumber()));
      else if (auto type = dyn_cast<FloatType>(arg.getType()))
        binding.scalar = builder.getFloatAttr(type, it->second);
      else
        binding.scalar = builder.getIntegerAttr(arg.getType(), static_cast<int64_t>(it->second));
    }
    environment[arg] = binding;
  }
  return success();
}

FailureOr<APInt> Unroller::Impl::integer(Operation *user, Value value, bool controls) {
  Binding binding = lookup(value);
  auto attribute = dyn_cast_or_null<IntegerAttr>(binding.scalar);
  if (!attribute)
    return error(user) << "a scalar that it needs has no known value";
  if (controls && binding.drawn && program && !program->controlledByData)
    program->controlledByData = user;
  return attribute.getValue();
}

void Unroller::Impl::bind(ValueRange values, ValueRange from) {
  SmallVector<Binding> bindings;
  for (Value value : from)
    bindings.push_back(lookup(value));
  for (auto [value, binding] : llvm::zip_equal(values, bindings))
    environment[value] = binding;
}

//===--- control flow ------------------------------------------------------------------------===//

LogicalResult Unroller::Impl::runBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (--fuel < 0)
      return error(&op) << "the program of one block is too long; choose smaller sizes or more "
                           "fuel";
    if (failed(run(&op)))
      return failure();
  }
  return success();
}

LogicalResult Unroller::Impl::runFor(scf::ForOp op) {
  FailureOr<APInt> lower = integer(op, op.getLowerBound(), true),
                   upper = integer(op, op.getUpperBound(), true),
                   step = integer(op, op.getStep(), true);
  if (failed(lower) || failed(upper) || failed(step))
    return failure();
  if (!step->isStrictlyPositive())
    return error(op) << "its step is not positive";
  bind(op.getRegionIterArgs(), op.getInitArgs());
  Type type = op.getInductionVar().getType();
  auto below = [&](const APInt &x) { return op.getUnsignedCmp() ? x.ult(*upper) : x.slt(*upper); };
  for (APInt i = *lower; below(i);) {
    Binding binding;
    binding.scalar = builder.getIntegerAttr(type, i);
    environment[op.getInductionVar()] = binding;
    if (failed(runBlock(*op.getBody())))
      return failure();
    bind(op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands());
    if (--fuel < 0)
      return error(op) << "the program of one block is too long; choose smaller sizes or more fuel";
    bool overflow = false;
    i = op.getUnsignedCmp() ? i.uadd_ov(*step, overflow) : i.sadd_ov(*step, overflow);
    if (overflow)
      break;
  }
  bind(op.getResults(), op.getRegionIterArgs());
  return success();
}

LogicalResult Unroller::Impl::runIf(scf::IfOp op) {
  FailureOr<APInt> condition = integer(op, op.getCondition(), true);
  if (failed(condition))
    return failure();
  Region &region = condition->isZero() ? op.getElseRegion() : op.getThenRegion();
  if (region.empty())
    return success();
  if (failed(runBlock(region.front())))
    return failure();
  bind(op.getResults(), region.front().getTerminator()->getOperands());
  return success();
}

LogicalResult Unroller::Impl::runWhile(scf::WhileOp op) {
  bind(op.getBeforeArguments(), op.getInits());
  while (true) {
    if (failed(runBlock(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = op.getConditionOp();
    FailureOr<APInt> value = integer(op, condition.getCondition(), true);
    if (failed(value))
      return failure();
    if (value->isZero()) {
      bind(op.getResults(), condition.getArgs());
      return success();
    }
    bind(op.getAfterArguments(), condition.getArgs());
    if (failed(runBlock(*op.getAfterBody())))
      return failure();
    bind(op.getBeforeArguments(), op.getYieldOp().getOperands());
    if (--fuel < 0)
      return error(op) << "the program of one block is too long; choose smaller sizes or more fuel";
  }
}

LogicalResult Unroller::Impl::runSwitch(scf::IndexSwitchOp op) {
  FailureOr<APInt> value = integer(op, op.getArg(), true);
  if (failed(value))
    return failure();
  Region *region = &op.getDefaultRegion();
  for (auto [i, which] : llvm::enumerate(op.getCases()))
    if (which == value->getSExtValue())
      region = &op.getCaseRegions()[i];
  if (failed(runBlock(region->front())))
    return failure();
  bind(op.getResults(), region->front().getTerminator()->getOperands());
  return success();
}

//===--- scalars and the rest ----------------------------------------------------------------===//

LogicalResult Unroller::Impl::runDim(Operation *op, Value memref, Value index) {
  FailureOr<APInt> dim = integer(op, index);
  if (failed(dim))
    return failure();
  FailureOr<int64_t> size = sizeOf(op, memref, dim->getZExtValue());
  if (failed(size))
    return failure();
  bindInteger(op->getResult(0), *size);
  return success();
}

static bool isScalarOp(Operation *op) {
  auto scalarType = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && op->getNumResults() && isMemoryEffectFree(op) &&
         !isa<cta::ExtractOp>(op) && llvm::all_of(op->getOperandTypes(), scalarType) &&
         llvm::all_of(op->getResultTypes(), scalarType);
}

LogicalResult Unroller::Impl::runScalar(Operation *op) {
  bool drawn = false, fromData = false;
  for (Value operand : op->getOperands()) {
    Binding binding = lookup(operand);
    drawn |= binding.drawn;
    fromData |= binding.event >= 0;
  }
  SmallVector<Attribute> results;
  if (!folder.fold(op, [&](Value value) { return lookup(value).scalar; }, results)) {
    bool unknowable = drawn || llvm::any_of(op->getResultTypes(), llvm::IsaPred<FloatType>);
    if (!unknowable)
      return error(op) << "its value is not defined for these operands";
    drawn = true;
    for (Type type : op->getResultTypes())
      results.push_back(draw(type, llvm::hash_value(executions[op]++)));
  }
  int event = -1;
  if (fromData && program) {
    addEvent(op, Kind::Other);
    event = static_cast<int>(program->events.size()) - 1;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Binding binding;
    binding.scalar = results[i];
    binding.drawn = drawn;
    binding.event = event;
    binding.result = static_cast<unsigned>(i);
    if (!program)
      binding.outside = result;
    environment[result] = binding;
  }
  return success();
}

/// Tensors are opaque. Scalars that come out of memory or tiles are drawn; what is loaded from the
/// same place is the same in every role.
LogicalResult Unroller::Impl::runOther(Operation *op) {
  llvm::hash_code key = llvm::hash_value(executions[op]++);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto arg = dyn_cast<BlockArgument>(load.getMemref());
    key = llvm::hash_value(arg ? arg.getArgNumber() : ~0u);
    for (Value index : load.getIndices())
      key = llvm::hash_combine(
          key, lookup(index).scalar ? cast<IntegerAttr>(lookup(index).scalar).getInt() : 0);
  }
  int event = -1;
  if (program) {
    addEvent(op, Kind::Other);
    event = static_cast<int>(program->events.size()) - 1;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Binding binding;
    binding.event = event;
    binding.result = static_cast<unsigned>(i);
    if (!program)
      binding.outside = result;
    if (result.getType().isIntOrIndexOrFloat()) {
      binding.scalar = draw(result.getType(), key);
      binding.drawn = true;
    }
    environment[result] = binding;
  }
  return success();
}

LogicalResult Unroller::Impl::run(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp o) { return runFor(o); })
      .Case([&](scf::IfOp o) { return runIf(o); })
      .Case([&](scf::WhileOp o) { return runWhile(o); })
      .Case([&](scf::IndexSwitchOp o) { return runSwitch(o); })
      .Case([&](tile::DimOp o) -> LogicalResult {
        auto where = kernel.lookupDim(o.getName());
        FailureOr<int64_t> size = sizeOf(o, kernel.getArgument(where->first), where->second);
        if (failed(size))
          return failure();
        bindInteger(o.getResult(), *size);
        return success();
      })
      .Case([&](memref::DimOp o) { return runDim(o, o.getSource(), o.getIndex()); })
      .Case([&](tile::AssumeOp o) -> LogicalResult {
        auto value = dyn_cast_or_null<IntegerAttr>(lookup(o.getValue()).scalar);
        if (o.getMessage() && value && value.getValue().isZero())
          return error(o) << "the launcher refuses these arguments: " << *o.getMessage();
        return success();
      })
      .Case([&](cta::BlockIdOp o) {
        bindInteger(o.getResult(), program->block);
        return success();
      })
      .Case([&](cta::NumBlocksOp o) {
        bindInteger(o.getResult(), program->numBlocks);
        return success();
      })
      .Case<cta::LaunchOp, cta::RoleOp, cta::RingOp>([](auto) { return success(); })
      .Case([&](cta::ElectOp o) -> LogicalResult {
        if (failed(oneThread(o)))
          return failure();
        elected = true;
        LogicalResult result = runBlock(o.getBody().front());
        elected = false;
        return result;
      })
      .Case([&](cta::ViewOp o) {
        environment[o.getResult()] = lookup(o.getSource());
        return success();
      })
      .Case([&](cta::SlotOp o) { return runSlot(o); })
      .Case<cta::BarrierOp, cta::FenceAsyncOp, cta::AwaitOp, cta::AwaitStoresOp, cta::ExpectOp,
            cta::ArriveOp, cta::CopyOp, cta::CopyOutOp, cta::StageOp, cta::ReadOp, cta::MmaOp,
            cta::WgmmaOp, cta::CompleteOp>([&](auto o) { return runProtocol(o); })
      .Case<cta::ChannelOp, cta::AcquireOp, cta::CommitOp, cta::WaitOp, cta::ReleaseOp>(
          [&](auto o) { return error(o) << "run cta-lower-channels first"; })
      .Case([&](cta::StepOp o) { return error(o) << "run cta-expand-loops first"; })
      .Default([&](Operation *o) {
        if (isScalarOp(o))
          return runScalar(o);
        bool controls = llvm::any_of(o->getRegions(), [](Region &region) {
          return llvm::any_of(region.getOps(), [](Operation &inner) {
            return isa<cta::CtaDialect>(inner.getDialect());
          });
        });
        if (controls)
          return LogicalResult(error(o) << "control flow other than scf.for, scf.while, scf.if and "
                                           "scf.index_switch");
        return runOther(o);
      });
}

//===--- the protocol ------------------------------------------------------------------------===//

Event &Unroller::Impl::addEvent(Operation *op, Kind kind) {
  Event event;
  event.op = op;
  event.kind = kind;
  event.group = group;
  event.elected = elected;
  for (Value operand : op->getOperands())
    event.operands.push_back(lookup(operand));
  list->push_back(static_cast<int>(program->events.size()));
  program->events.push_back(std::move(event));
  return program->events.back();
}

LogicalResult Unroller::Impl::oneThread(Operation *op) {
  if (elected)
    return error(op) << "it needs all threads, but cta.elect runs one";
  return success();
}

LogicalResult Unroller::Impl::setMBarrier(Event &event, int64_t base, Value slot) {
  int64_t number = base, count = static_cast<int64_t>(program->arrivalCounts.size());
  event.base = static_cast<int>(base);
  if (slot) {
    FailureOr<APInt> value = integer(event.op, slot);
    if (failed(value))
      return failure();
    event.slot = static_cast<int>(value->getSExtValue());
    number += event.slot;
  }
  if (number < 0 || number >= count)
    return error(event.op) << "it uses mbarrier " << number << ", but the launch has " << count;
  event.mbarrier = static_cast<int>(number);
  auto [it, isNew] = baseOf.try_emplace(event.mbarrier, event.base, event.op);
  if (isNew || it->second.first == event.base)
    return success();
  InFlightDiagnostic diagnostic = error(event.op);
  diagnostic << "mbarrier " << number << " is " << base << "[" << event.slot
             << "] here, but number " << number - it->second.first << " from " << it->second.first
             << " on elsewhere: a slot beyond the depth of the ring";
  diagnostic.attachNote(it->second.second->getLoc()) << "here";
  return diagnostic;
}

FailureOr<int> Unroller::Impl::rangeOf(Operation *op, cta::SmemType type, int64_t offset,
                                       int64_t bytes) {
  int64_t end = static_cast<int64_t>(program->launch.getShared().value_or(0)) -
                cta::kMBarrierBytes * static_cast<int64_t>(program->arrivalCounts.size());
  if (offset < 0 || offset + bytes > end)
    return error(op) << "the tile " << type << " lies at [" << offset << ", " << offset + bytes
                     << "), but the launch has " << end << " bytes for tiles";
  auto [it, isNew] =
      rangeNumbers.try_emplace({offset, offset + bytes}, static_cast<int>(program->ranges.size()));
  if (isNew)
    program->ranges.push_back({offset, offset + bytes, {}});
  return it->second;
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
  FailureOr<int> range = rangeOf(
      op, type.getTile(), static_cast<int64_t>(*ring.getOffset()) + binding.slot * stride, bytes);
  if (failed(range))
    return failure();
  binding.range = *range;
  environment[op.getResult()] = binding;
  return success();
}

static Kind kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](cta::BarrierOp) { return Kind::Barrier; })
      .Case([](cta::FenceAsyncOp) { return Kind::FenceAsync; })
      .Case([](cta::AwaitOp) { return Kind::Await; })
      .Case([](cta::AwaitStoresOp) { return Kind::AwaitStores; })
      .Case([](cta::ExpectOp) { return Kind::Expect; })
      .Case([](cta::ArriveOp) { return Kind::Arrive; })
      .Case([](cta::CopyOp) { return Kind::Copy; })
      .Case([](cta::CopyOutOp) { return Kind::CopyOut; })
      .Case([](cta::StageOp) { return Kind::Stage; })
      .Case<cta::ReadOp, cta::MmaOp>([](auto) { return Kind::Read; })
      .Case([](cta::WgmmaOp) { return Kind::Wgmma; })
      .Case([](cta::CompleteOp) { return Kind::Complete; })
      .Default(Kind::Other);
}

LogicalResult Unroller::Impl::runProtocol(Operation *op) {
  if (!program)
    return error(op) << "it stands outside a launch";
  Kind kind = kindOf(op);
  if (llvm::is_contained({Kind::Barrier, Kind::Stage, Kind::Read, Kind::Wgmma, Kind::Complete},
                         kind) &&
      failed(oneThread(op)))
    return failure();
  Event &event = addEvent(op, kind);
  const int number = static_cast<int>(program->events.size()) - 1;
  for (auto [operand, binding] : llvm::zip_equal(op->getOperands(), event.operands))
    if (isa<cta::SmemType>(operand.getType()) && binding.range < 0)
      return error(op) << "a shared tile that it uses was not made by cta.copy, cta.stage or "
                          "cta.slot";
  // Tiles in registers, and what else it makes.
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Binding binding;
    binding.event = number;
    binding.result = static_cast<unsigned>(i);
    environment[result] = binding;
  }

  auto place = [&](std::optional<uint64_t> offset) -> LogicalResult {
    auto type = cast<cta::SmemType>(op->getResult(0).getType());
    if (!offset)
      return error(op) << "the tile has no offset; run cta-allocate-shared first";
    FailureOr<int> range =
        rangeOf(op, type, static_cast<int64_t>(*offset), cta::sharedLayout(type).sizeBytes());
    if (failed(range))
      return failure();
    environment[op->getResult(0)].range = event.range = *range;
    return success();
  };

  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](cta::AwaitOp o) -> LogicalResult {
        if (o.getParity()) {
          FailureOr<APInt> parity = integer(o, o.getParity());
          if (failed(parity))
            return failure();
          if (parity->ugt(1))
            return error(o) << "the parity is 0 or 1, got " << parity->getSExtValue();
          event.parity = static_cast<int>(parity->getZExtValue());
        }
        return setMBarrier(event, static_cast<int64_t>(o.getMbarrier()), o.getSlot());
      })
      .Case([&](cta::ExpectOp o) {
        event.bytes = static_cast<int64_t>(o.getBytes());
        return setMBarrier(event, static_cast<int64_t>(o.getMbarrier()), o.getSlot());
      })
      .Case([&](cta::ArriveOp o) {
        return setMBarrier(event, static_cast<int64_t>(o.getMbarrier()), o.getSlot());
      })
      .Case([&](cta::StageOp o) { return place(o.getOffset()); })
      .Case([&](cta::CopyOp o) -> LogicalResult {
        if (o.getMechanism() != cta::Mechanism::Tma)
          return error(o) << "a copy by " << cta::stringifyMechanism(o.getMechanism());
        if (!o.getMbarrier())
          return error(o) << "the copy has no mbarrier; run cta-allocate-shared first";
        layout::SharedLayout layout = cta::sharedLayout(o.getSmemType());
        for (const layout::TmaBox &box : layout.tmaBoxes()) {
          int64_t bytes = layout.elementBits / 8;
          for (int64_t extent : box.extents)
            bytes *= extent;
          event.bytes += bytes;
        }
        if (o.getInto()) {
          Binding into = lookup(o.getInto());
          environment[o.getResult()].range = event.range = into.range;
          environment[o.getResult()].event = -1;
          environment[o.getResult()].slot = into.slot;
        } else if (failed(place(o.getOffset()))) {
          return failure();
        }
        return setMBarrier(event, static_cast<int64_t>(*o.getMbarrier()), o.getSlot());
      })
      .Case([&](cta::WgmmaOp o) -> LogicalResult {
        if (program->groups[group].warps % 4)
          return error(o) << "a wgmma needs whole warpgroups, but " << program->groups[group].name
                          << " has " << program->groups[group].warps << " warps";
        return success();
      })
      .Case([&](cta::CompleteOp o) {
        Binding source = lookup(o.getSource());
        bool isProduct = source.event >= 0 && program->events[source.event].kind == Kind::Wgmma;
        event.product = isProduct ? source.event : -1;
        return success();
      })
      .Default([](Operation *) { return success(); });
}

//===--- programs ----------------------------------------------------------------------------===//

LogicalResult Unroller::Impl::finish() {
  for (Range &a : program->ranges)
    for (auto [i, b] : llvm::enumerate(program->ranges))
      if (a.begin < b.end && b.begin < a.end)
        a.overlaps.push_back(static_cast<int>(i));
  // cta-lower-channels numbers D "full" mbarriers of a ring of depth D, then D "empty" ones.
  program->fullOf.assign(program->arrivalCounts.size(), -1);
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
      if (other.kind == Kind::Arrive && other.base == event.base + depth)
        program->fullOf[other.mbarrier] = event.base + other.slot;
  }
  // Where something else is numbered like that, nothing is known.
  for (const Event &event : program->events)
    if (event.kind == Kind::Expect || event.kind == Kind::Copy)
      program->fullOf[event.mbarrier] = -1;
  return success();
}

Unroller::Unroller(tile::KernelOp kernel, const Inputs &inputs)
    : impl(std::make_unique<Impl>(kernel, inputs)) {}
Unroller::~Unroller() = default;

LogicalResult Unroller::runKernel() {
  if (failed(impl->bindArguments()))
    return failure();
  return impl->runBlock(impl->kernel.getBody().front());
}

std::optional<int64_t> Unroller::numBlocks(cta::LaunchOp launch) {
  if (impl->inputs.numBlocks)
    return impl->inputs.numBlocks;
  int64_t count = 1;
  for (Value extent : launch.getBlocks()) {
    FailureOr<APInt> value = impl->integer(launch, extent);
    if (failed(value))
      return std::nullopt;
    count *= std::max<int64_t>(0, value->getSExtValue());
  }
  return count;
}

FailureOr<Program> Unroller::unroll(cta::LaunchOp launch, int64_t block) {
  Program program;
  program.launch = launch;
  program.block = block;
  std::optional<int64_t> count = numBlocks(launch);
  if (!count)
    return failure();
  program.numBlocks = *count;
  program.arrivalCounts.assign(launch.getMbarriers().value_or(ArrayRef<int64_t>()).begin(),
                               launch.getMbarriers().value_or(ArrayRef<int64_t>()).end());
  Impl &i = *impl;
  Environment saved = i.environment;
  i.program = &program;
  i.fuel = i.inputs.fuel;
  i.executions.clear();
  i.rangeNumbers.clear();
  i.baseOf.clear();
  i.elected = false;
  auto restore = llvm::make_scope_exit([&] {
    i.environment = std::move(saved);
    i.program = nullptr;
    i.list = nullptr;
  });

  SmallVector<cta::RoleOp> roles(launch.getBody().getOps<cta::RoleOp>());
  program.groups.push_back({"the block", launch, 0, 0, {}});
  for (cta::RoleOp role : roles) {
    program.groups.push_back({"@" + role.getSymName().str(),
                              role,
                              program.warps,
                              static_cast<int>(role.getWarps()),
                              {}});
    program.warps += static_cast<int>(role.getWarps());
  }
  if (roles.empty()) {
    int64_t warpgroups = i.kernel.getWarpgroups().value_or(1);
    program.warps = static_cast<int>(launch.getThreads().value_or(128 * warpgroups) / 32);
  }
  program.groups.front().warps = program.warps;

  // What stands before the roles, all warps do; it is the start of every role's list.
  std::vector<int> preamble;
  i.group = 0;
  i.list = &preamble;
  if (failed(i.runBlock(launch.getBody().front())))
    return failure();
  if (roles.empty())
    program.groups.front().events = std::move(preamble);
  Environment before = i.environment;
  for (auto [r, role] : llvm::enumerate(roles)) {
    i.environment = before;
    i.executions.clear();
    Group &group = program.groups[r + 1];
    group.events = preamble;
    i.group = static_cast<int>(r) + 1;
    i.list = &group.events;
    if (failed(i.runBlock(role.getBody().front())))
      return failure();
  }
  if (failed(i.finish()))
    return failure();
  return program;
}
