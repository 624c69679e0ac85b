// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the lists of events of a cluster from a kernel in phase allocated.
#include "Interpreter.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::simulate;

//===--- the interpreter ---------------------------------------------------------------------===//

std::optional<int64_t> tessera::simulate::givenSize(tile::KernelOp kernel, const Inputs &inputs,
                                                    unsigned arg, unsigned dim) {
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
  } else if (auto array = dyn_cast<tile::ArrayFromOp>(op)) {
    size = dyn_cast<Value>(array.getMixedSizes()[dim]);
  }
  if (!size || !*size)
    return error(user) << "the sizes of the result of " << op->getName() << " are not known";
  FailureOr<APInt> value = integer(user, *size);
  if (failed(value))
    return failure();
  return value->getSExtValue();
}

/// A hash that is the same in every run, unlike LLVM's.
static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Draws a small number. What memory holds is not known, but control flow may depend on it.
Attribute Unroller::Impl::draw(Type type, uint64_t key) {
  uint64_t bits = mix(key, inputs.seed);
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
        binding.scalar = draw(arg.getType(), arg.getArgNumber());
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

LogicalResult Unroller::Impl::runFor(cta::CountedLoop op) {
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
  const bool overOutputTiles = op.isOverOutputTiles();
  BlockArgument drawn =
      overOutputTiles ? cast<cta::ForOutputTilesOp>(*op).getDrawnNumber() : BlockArgument();
  auto leave = llvm::make_scope_exit([this, outer = outputTile] { outputTile = outer; });
  for (APInt i = *lower; below(i);) {
    if (overOutputTiles)
      ++outputTile;
    Binding binding;
    binding.scalar = builder.getIntegerAttr(type, i);
    environment[op.getInductionVar()] = binding;
    if (drawn)
      environment[drawn] = binding;
    if (failed(runBlock(*op.getBody())))
      return failure();
    bind(op.getRegionIterArgs(), op.getBody()->getTerminator()->getOperands());
    if (--fuel < 0)
      return error(op) << "the program of one block is too long; choose smaller sizes or more fuel";
    bool overflow = false;
    i = op.getUnsignedCmp() ? i.uadd_ov(*step, overflow) : i.sadd_ov(*step, overflow);
    if (overflow)
      break;
    if (drawn && failed(checkDrawn(op, lookup(drawn), i.getSExtValue())))
      return failure();
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
    fromData |= binding.event >= 0 || binding.drawn;
  }
  SmallVector<Attribute> results;
  auto scalarOf = [&](Value value) { return lookup(value).scalar; };
  if (!folder.fold(op, scalarOf, results)) {
    bool unknowable = drawn || llvm::any_of(op->getResultTypes(), llvm::IsaPred<FloatType>);
    if (!unknowable)
      return error(op) << "its value is not defined for these operands";
    // A trace has the op itself, also where its operands are constants.
    drawn = fromData = true;
    for (Type type : op->getResultTypes())
      results.push_back(draw(type, static_cast<uint64_t>(executions[op]++)));
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

/// Runs any other op. Tensors are opaque. Scalars that come out of memory or out of tiles are
/// drawn; a load of the same element has the same result in every role.
LogicalResult Unroller::Impl::runOther(Operation *op) {
  auto key = static_cast<uint64_t>(executions[op]++);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    auto arg = dyn_cast<BlockArgument>(load.getMemref());
    key = arg ? arg.getArgNumber() : ~0u;
    for (Value index : load.getIndices())
      key = mix(key, lookup(index).scalar ? cast<IntegerAttr>(lookup(index).scalar).getInt() : 0);
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
      .Case([&](cta::CountedLoop o) { return runFor(o); })
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
        if (o.getMessage() && !o.getGuard() && value && value.getValue().isZero())
          return error(o) << "the launcher refuses these arguments: " << *o.getMessage();
        return success();
      })
      .Case([](tile::CostOp) { return success(); })
      .Case([&](tile::NumCoresOp o) -> LogicalResult {
        FailureOr<int64_t> cores = coresOf(kernel, inputs);
        if (succeeded(cores))
          bindInteger(o.getResult(), *cores);
        return cores;
      })
      .Case([&](cta::MaxClustersOp o) {
        bindInteger(o.getResult(), std::numeric_limits<int32_t>::max());
        return success();
      })
      .Case([&](cta::BlockIdOp o) {
        bindInteger(o.getResult(), program->block + block);
        return success();
      })
      // Clusters keep their numbers, as in a launch without the launcher's table. The table only
      // permutes them.
      .Case([&](cta::ClusterPlaceOp o) {
        auto launch = o->getParentOfType<cta::LaunchOp>();
        bindInteger(o.getResult(), (program->block + block) /
                                       static_cast<int64_t>(launch.getCluster().value_or(1)));
        return success();
      })
      .Case([&](cta::AnyOp o) -> LogicalResult {
        if (!o.getRare() || !inputs.takeRareBranches)
          return runOther(o);
        bindInteger(o.getResult(), 1);
        return success();
      })
      .Case([&](cta::TakeNumberOp o) { return takeNumber(o); })
      .Case([&](cta::CloseQueueOp o) { return closeQueue(o); })
      .Case([&](cta::NumBlocksOp o) {
        bindInteger(o.getResult(), program->numBlocks);
        return success();
      })
      .Case([&](cta::ReplicaOp o) {
        bindInteger(o.getResult(), replica);
        return success();
      })
      .Case<cta::TakeTurnOp, cta::PassTurnOp, cta::SkipOp>(
          [&](auto o) { return error(o) << "run cta-lower-channels first"; })
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
      .Case<cta::PutScalarOp, cta::GetScalarOp, cta::BarrierOp, cta::FenceAsyncOp, cta::AwaitOp,
            cta::TestWaitOp, cta::AwaitStoresOp, cta::ExpectOp, cta::CommitCopiesOp,
            cta::AwaitCopiesOp, cta::ArriveOp, cta::CopyOp, cta::CopyOutOp, cta::WgmmaOp,
            cta::WgmmaWaitOp, cta::CompleteOp, cta::PutPartialOp, cta::AddPartialOp>(
          [&](auto o) { return runProtocol(o); })
      .Case([&](cta::ReadyOp o) {
        environment[o.getResult()] = lookup(o.getSource());
        return success();
      })
      .Case<cta::ChannelOp, cta::AcquireOp, cta::CommitOp, cta::WaitOp, cta::ReleaseOp>(
          [&](auto o) { return error(o) << "run cta-lower-channels first"; })
      .Case([&](cta::StepOp o) { return error(o) << "run cta-expand-loops first"; })
      .Default([&](Operation *o) {
        if (cta::usesSharedTile(o))
          return accessesTiles(o)
                     ? runProtocol(o)
                     : LogicalResult(error(o) << "it uses a shared tile, but does not say by "
                                                 "MemoryAccessOpInterface that all threads "
                                                 "access it and are done when the op is");
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

//===--- programs ----------------------------------------------------------------------------===//

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

std::optional<APInt> Unroller::scalar(Value value) const {
  auto known = dyn_cast_or_null<IntegerAttr>(impl->lookup(value).scalar);
  return known ? std::optional(known.getValue()) : std::nullopt;
}

namespace {
/// Something that runs in a block: one replica of a role.
struct Instance {
  cta::RoleOp role;
  int replica = 0, replicas = 1;
};
} // namespace

static SmallVector<Instance> instancesOf(cta::LaunchOp launch) {
  SmallVector<Instance> instances;
  for (auto role : launch.getBody().getOps<cta::RoleOp>()) {
    const int replicas = static_cast<int>(role.numReplicas());
    for (int replica = 0; replica < replicas; ++replica)
      instances.push_back({role, replica, replicas});
  }
  return instances;
}

/// Makes the events of the current block of the cluster.
LogicalResult Unroller::Impl::unrollBlock() {
  cta::LaunchOp launch = program->launch;
  const bool alone = program->cluster == 1 && !program->handsOn;
  const std::string ofBlock = alone ? "" : " of " + program->describeBlock(block);
  const int whole = static_cast<int>(program->groups.size()), firstWarp = program->warps;
  SmallVector<Instance> instances = instancesOf(launch);
  program->groups.push_back({program->describeBlock(block), launch, firstWarp, 0, block, 0, {}});
  auto addWarps = [&](int of, int warps) {
    program->warps += warps;
    program->groupOfWarp.resize(program->warps, of);
  };
  for (Instance &instance : instances) {
    std::string name = "@" + instance.role.getSymName().str() + ofBlock;
    if (instance.replicas > 1)
      name = "replica " + std::to_string(instance.replica) + " of " + name;
    const int warps = static_cast<int>(instance.role.getWarps());
    program->groups.push_back(
        {name, instance.role, program->warps, warps, block, instance.replica, {}});
    addWarps(static_cast<int>(program->groups.size()) - 1, warps);
  }
  if (instances.empty())
    addWarps(whole, static_cast<int>(launch.getThreads().value_or(cta::blockThreads(launch)) / 32));
  program->groups[whole].warps = program->warps - firstWarp;

  // All warps run what stands before the roles. So it begins the list of every role.
  std::vector<int> preamble;
  group = whole;
  list = &preamble;
  addMeet();
  executions.clear();
  if (failed(runBlock(launch.getBody().front())))
    return failure();
  if (instances.empty()) {
    addMeet();
    program->groups[whole].events = std::move(preamble);
  }
  Environment before = environment;
  for (auto [number, instance] : llvm::enumerate(instances)) {
    environment = before;
    executions.clear();
    numbersTaken = 0;
    group = whole + 1 + static_cast<int>(number);
    replica = instance.replica;
    staged = static_cast<int64_t>(instance.role.getStaged().value_or(0));
    std::vector<int> events = preamble;
    list = &events;
    LogicalResult result = runBlock(instance.role.getBody().front());
    replica = staged = 0;
    if (failed(result))
      return failure();
    if (openQueue)
      return error(openQueue) << "no cta.close_queue follows, which would set the queue back";
    addMeet();
    program->groups[group].events = std::move(events);
  }
  return success();
}

bool Unroller::handsOn(cta::LaunchOp launch) {
  return launch
      .walk([](Operation *op) {
        return isa<cta::PutPartialOp, cta::AddPartialOp>(op) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<Program> Unroller::unroll(cta::LaunchOp launch, int64_t block) {
  Program program;
  program.launch = launch;
  program.handsOn = handsOn(launch);
  if (program.handsOn && impl->inputs.numBlocks)
    return impl->error(launch)
           << "its blocks hand partial sums to each other, and which to whom depends on how "
              "many there are: leave out num-blocks and give cores";
  std::optional<int64_t> count = numBlocks(launch);
  if (!count)
    return failure();
  program.numBlocks = *count;
  program.cluster = static_cast<int64_t>(launch.getCluster().value_or(1));
  if (program.cluster < 1 || *count % program.cluster)
    return impl->error(launch) << *count << " blocks are no multiple of the cluster size "
                               << program.cluster;
  program.block = block - block % program.cluster;
  program.arrivalCounts.assign(launch.getMbarriers().value_or(ArrayRef<int64_t>()).begin(),
                               launch.getMbarriers().value_or(ArrayRef<int64_t>()).end());
  Impl &i = *impl;
  Environment saved = i.environment;
  i.program = &program;
  i.rangeNumbers.clear();
  i.ringParts.clear();
  i.baseOf.clear();
  i.elected = false;
  auto restore = llvm::make_scope_exit([&] {
    i.environment = std::move(saved);
    i.program = nullptr;
    i.list = nullptr;
  });
  launch.walk([&](cta::CopyOp copy) {
    if (!copy.getMulticast() || !copy.getInto())
      return;
    if (cta::SlotOp slot = cta::slotOf(copy.getInto()))
      i.ringParts[slot.getRing().getDefiningOp()] = static_cast<int>(program.cluster);
  });
  for (i.block = 0; i.block < program.cluster; ++i.block) {
    i.environment = saved;
    i.fuel = i.inputs.fuel;
    if (failed(i.unrollBlock()))
      return failure();
  }
  if (failed(i.finish()))
    return failure();
  return program;
}
