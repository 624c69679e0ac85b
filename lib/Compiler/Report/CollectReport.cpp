// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/CollectReport.h"

#include "Report/BlockWork.h"
#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Cta/Analysis/GridOrder.h"
#include "tessera/Dialect/Cta/Analysis/KernelPlan.h"
#include "tessera/Dialect/Cta/IR/CountedLoop.h"
#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Cta/IR/HelperAttrs.h"
#include "tessera/Dialect/Cta/IR/LayoutRules.h"
#include "tessera/Dialect/Cta/IR/SharedMemory.h"
#include "tessera/Dialect/Cta/IR/TargetMachine.h"
#include "tessera/Dialect/Cta/Passes.h"
#include "tessera/Dialect/Tile/Transforms.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Model.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace tessera;

namespace {

//===--- verdicts ---------------------------------------------------------------------------===//

std::string shapeText(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : shape)
    os << extent << "x";
  os << element;
  return text;
}

std::string typeText(Type type) {
  if (auto smem = dyn_cast<cta::SmemType>(type))
    return shapeText(smem.getShape(), smem.getElementType());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return shapeText(tensor.getShape(), tensor.getElementType());
  return "";
}

std::string vectorText(std::optional<int64_t> vector, Type element) {
  int64_t bytes = vector.value_or(1) * elementBytes(element);
  if (vector.value_or(1) == 1)
    return "single elements";
  return "vectors of " + std::to_string(bytes) + " bytes";
}

/// Whether a thread moves 16 bytes at a time, which is the maximum.
bool isWide(std::optional<int64_t> vector, RankedTensorType tile) {
  return vector.value_or(1) * elementBytes(tile.getElementType()) >= 16;
}

std::string orEmpty(std::optional<StringRef> text) { return text.value_or("").str(); }

//===--- workspace --------------------------------------------------------------------------===//

/// The names of subexpressions.
using ExprNames = llvm::DenseMap<const void *, std::string>;

/// Prints an expression as people write it: "M * (ceildivs(K, 64) * 64)".
std::string exprText(tile::KernelOp kernel, const contract::Expr &expr, const ExprNames &names) {
  using Kind = contract::Expr::Kind;
  auto call = [](StringRef name, ArrayRef<std::string> operands) {
    return name.str() + "(" + llvm::join(operands, ", ") + ")";
  };
  switch (expr.kind()) {
  case Kind::Constant:
    return std::to_string(expr.value());
  case Kind::NumCores:
    return "num_cores";
  case Kind::MaxClusters:
    return "max_clusters";
  case Kind::Scalar:
    return kernel.getArgName(expr.arg());
  case Kind::Size:
    if (auto shape = kernel.getArgAttrOfType<ArrayAttr>(expr.arg(), tile::TileDialect::kShape))
      if (auto name = dyn_cast<StringAttr>(shape[expr.dim()]))
        return name.str();
    [[fallthrough]];
  case Kind::Stride:
    return call(expr.kind() == Kind::Size ? "size" : "stride",
                {kernel.getArgName(expr.arg()), std::to_string(expr.dim())});
  case Kind::Apply:
    break;
  }
  SmallVector<std::string> operands;
  for (const contract::Expr &operand : expr.operands()) {
    auto named = names.find(operand.identity());
    operands.push_back(named == names.end() ? exprText(kernel, operand, names) : named->second);
    if (named == names.end() && (operand.op() == "add" || operand.op() == "sub"))
      operands.back() = "(" + operands.back() + ")";
  }
  StringRef sign = expr.op() == "mul" ? " * " : expr.op() == "add" ? " + " : " - ";
  if (expr.op() == "mul" || expr.op() == "add" || expr.op() == "sub")
    return llvm::join(operands, sign);
  return call(expr.op(), operands);
}

/// The same, but long subexpressions follow under a name: "#0 * #0 where #0 = M + N".
std::string exprText(tile::KernelOp kernel, const contract::Expr &expr) {
  ExprNames names;
  std::string parts;
  for (const contract::Expr &part : contract::namedParts(expr)) {
    std::string name = "#" + std::to_string(names.size());
    parts += (parts.empty() ? " where " : ", ") + name + " = " + exprText(kernel, part, names);
    names[part.identity()] = std::move(name);
  }
  return exprText(kernel, expr, names) + parts;
}

/// Prints "8386560 bytes of bf16" or "2 * M * ceildivs(K, 64) * 64 bytes of bf16".
std::string workspaceText(tile::KernelOp kernel, memref::AllocOp alloc) {
  FailureOr<contract::Workspace> workspace = contract::describeWorkspace(alloc);
  if (failed(workspace))
    return "";
  contract::Expr bytes = contract::Expr::constant(elementBytes(alloc.getType().getElementType()));
  auto times = [&](const contract::Expr &factor) {
    bytes = contract::Expr::apply("mul", {bytes, factor});
  };
  // The number of outer rows times the distance between them, or the product of all sizes.
  for (auto [d, size] : llvm::enumerate(workspace->sizes)) {
    times(size);
    if (workspace->strides.empty() || workspace->strides[d].isConstant(1))
      continue;
    bytes = contract::Expr::constant(elementBytes(alloc.getType().getElementType()));
    times(size);
    times(workspace->strides[d]);
    break;
  }
  return exprText(kernel, bytes) + " bytes of " + workspace->element;
}

/// Says why the operand of a load was copied to workspace; empty if it was not.
std::string repackedText(Value source) {
  auto alloc = source.getDefiningOp<memref::AllocOp>();
  auto why = alloc ? alloc->getAttrOfType<StringAttr>(tile::kRepacked) : StringAttr();
  if (!why)
    return "";
  auto kernel = alloc->getParentOfType<tile::KernelOp>();
  return "repacked into workspace (" + workspaceText(kernel, alloc) + ") because " + why.str();
}

std::string cacheText(std::optional<tile::Cache> cache) {
  return cache ? ", cache = " + tile::stringifyCache(*cache).str() : "";
}

std::string copyText(cta::CopyOp copy) {
  std::string text =
      copy.isShifted() ? "shifted pieces" : cta::stringifyMechanism(copy.getMechanism()).str();
  if (copy.getVector())
    text += " of " +
            std::to_string(*copy.getVector() * elementBytes(copy.getSmemType().getElementType())) +
            " bytes";
  if (copy.isByThreads()) // Copies/CpAsync.cpp says why
    return text + (copy.getCache() ? cacheText(copy.getCache()) + " not kept" : "");
  return text + cacheText(copy.getCache()) + (copy.getCacheIf() ? " in some launches" : "");
}

/// "in a private table of 256 elements, with 16 copies of each".
std::string tableText(cta::TableOp table) {
  uint64_t elements = 1;
  bool isKnown = true;
  for (int64_t dim : table.getDims()) {
    isKnown &= !table.getMemRefType().isDynamicDim(static_cast<unsigned>(dim));
    elements *= isKnown ? table.getMemRefType().getDimSize(static_cast<unsigned>(dim)) : 1;
  }
  std::string text = "in a private table ";
  text += isKnown ? "of " + std::to_string(elements)
                  : "with room for " + std::to_string(table.getSmemType().getShape()[0]);
  text += elements == 1 && isKnown ? " element" : " elements";
  if (!table.getCopies())
    return text;
  if (std::optional<int64_t> copies = getConstantIntValue(table.getCopies()))
    return text + ", with " + std::to_string(*copies) + " copies of each";
  return text + ", or for up to " + std::to_string(cta::TableOp::kMostCopies) + " copies of fewer";
}

/// By TMA; rows that an index tile gathers, also by the widest pieces of cp.async.
bool isFast(cta::CopyOp copy) {
  return !copy.isByThreads() ||
         (copy.getIndexTile() &&
          *copy.getVector() * elementBytes(copy.getSmemType().getElementType()) >= 16);
}

std::string wgmmaText(cta::WgmmaOp mma) {
  std::string text = "wgmma";
  Type a = mma.getAElement(), b = mma.getBElement();
  llvm::raw_string_ostream stream(text);
  if (b.isF32())
    stream << " of tf32";
  else if (mma.needsKMajor())
    stream << " of " << (mma.getLhsUnsigned() ? "unsigned " : "") << a;
  if (a != b || mma.getLhsUnsigned() != mma.getRhsUnsigned())
    stream << " and " << (mma.getRhsUnsigned() ? "unsigned " : "") << b;
  return text + (mma.aInRegisters() ? ", A in registers" : "");
}

/// The verdict on an op; nothing for kinds of ops that have none.
std::optional<Verdict> verdictOf(Operation *op) {
  Verdict verdict;
  auto fill = [&](StringRef kind, Type type, std::string mechanism, std::optional<StringRef> why,
                  bool isFast, const std::string &before = "") {
    verdict.op = kind.str();
    verdict.type = typeText(type);
    verdict.mechanism = std::move(mechanism);
    verdict.why = before + (before.empty() || !why ? "" : "; ") + orEmpty(why);
    verdict.canImprove = why && (!isFast || why->contains(cta::kNotPipelined));
    return true;
  };
  bool known =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](cta::LoadOp load) {
            return fill("load", load.getTileType(),
                        vectorText(load.getVector(), load.getTileType().getElementType()),
                        load.getWhy(), isWide(load.getVector(), load.getTileType()),
                        repackedText(load.getSource()));
          })
          .Case([&](cta::StoreOp store) {
            return fill("store", store.getTileType(),
                        vectorText(store.getVector(), store.getTileType().getElementType()),
                        store.getWhy(), isWide(store.getVector(), store.getTileType()));
          })
          .Case([&](cta::GatherOp gather) {
            return fill("gather", gather.getTileType(),
                        vectorText(gather.getVector(), gather.getTileType().getElementType()),
                        gather.getWhy(), isWide(gather.getVector(), gather.getTileType()));
          })
          .Case([&](cta::ScatterOp scatter) {
            return fill("scatter", scatter.getTileType(),
                        vectorText(scatter.getVector(), scatter.getTileType().getElementType()),
                        scatter.getWhy(), isWide(scatter.getVector(), scatter.getTileType()));
          })
          .Case([&](cta::AtomicOp atomic) {
            if (cta::TableOp table = atomic.getTable())
              return fill("atomic", atomic.getTileType(), "counted in shared memory",
                          atomic.getWhy(), /*isFast=*/true, tableText(table));
            return fill("atomic", atomic.getTileType(),
                        vectorText(atomic.getVector(), atomic.getTileType().getElementType()),
                        atomic.getWhy(), /*isFast=*/true);
          })
          .Case([&](cta::CopyOp copy) {
            return fill(copy.getIndexTile() ? "gather" : "load", copy.getSmemType(), copyText(copy),
                        copy.getWhy(), isFast(copy), repackedText(copy.getSource()));
          })
          .Case([&](cta::CopyOutOp copy) {
            return fill(copy.getReduce() ? "atomic" : "store", copy.getSmemType(),
                        cta::stringifyMechanism(copy.getMechanism()).str() +
                            cacheText(copy.getCache()),
                        copy.getWhy(), /*isFast=*/true);
          })
          .Case([&](cta::WgmmaOp mma) {
            return fill("mma", mma.getResultType(), wgmmaText(mma), mma.getWhy(), /*isFast=*/true);
          })
          .Case([&](cta::MmaOp mma) {
            const bool isTensor = cta::isMmaSync(mma);
            return fill("mma", mma.getResultType(), isTensor ? "mma.sync" : "fma units",
                        mma.getWhy(), /*isFast=*/isTensor);
          })
          .Case([&](cta::AnyOp vote) {
            return vote.getRare() &&
                   fill("rare", vote.getNeed().getType(),
                        vote.getWarp() ? "skipped by warps" : "skipped by blocks", vote.getWhy(),
                        /*isFast=*/vote.getWarp());
          })
          .Default([](Operation *) { return false; });
  return known ? std::optional<Verdict>(verdict) : std::nullopt;
}

/// Passes divide an op of the source into several and make copies of them. This counts them as one
/// op in the report.
class VerdictCounter {
public:
  VerdictCounter(const SourceNames &source, std::vector<Verdict> &verdicts)
      : source(source), verdicts(verdicts) {}

  void add(Operation *op) {
    std::optional<Verdict> verdict = verdictOf(op);
    if (!verdict)
      return;
    verdict->location = source.locate(op->getLoc());
    // Without an identity it is not known which ops are copies of one.
    const void *identity = source.identify(op->getLoc());
    auto key = std::tuple(identity, verdict->op, verdict->type, verdict->mechanism, verdict->why);
    auto [it, isNew] = numbers.try_emplace(std::move(key), verdicts.size());
    if (isNew || !identity)
      verdicts.push_back(std::move(*verdict));
    else
      ++verdicts[it->second].places;
  }

private:
  const SourceNames &source;
  std::vector<Verdict> &verdicts;
  std::map<std::tuple<const void *, std::string, std::string, std::string, std::string>, size_t>
      numbers;
};

//===--- launches ---------------------------------------------------------------------------===//

void collectBound(cta::LaunchOp launch, const SourceNames &source, LaunchReport &report) {
  HotWork hot = hottestWork(launch);
  if (hot.work.seconds() == 0)
    return;
  report.tensorFlops = hot.work.tensorFlops;
  report.fmaFlops = hot.work.fmaFlops;
  report.globalBytes = hot.work.globalBytes;
  std::string where = "per block";
  if (hot.loop)
    if (std::string loop = placeText("the loop", source.locate(*hot.loop)); !loop.empty())
      where += " and iteration of " + loop;
  // If there is a prediction of the plan for the same loop, it is used, because it knows what
  // blocks share.
  report.bound =
      boundText(hot.work, where, /*withBound=*/!report.plan || report.plan->bound.empty());
}

/// The order of output tiles that do not take the same time, in words.
static std::string orderText(cta::LaunchOp launch) {
  auto order = launch->getAttrOfType<tile::OrderAttr>(cta::kOrderAttr);
  if (!order || (!order.hasSlowest() && !order.getDynamic()))
    return {};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "output tiles ";
  if (order.hasSlowest()) {
    os << "along dimension " << order.getSlowest() << " of the grid from "
       << (order.getReverse() ? "its end" : "its beginning");
    if (order.getSection())
      os << ", in sections of at most " << order.getSection();
    else if (order.getShared())
      os << ", in sections of about " << cta::kSectionWaves << " waves that read at most "
         << (cta::kSectionBytes >> 20) << " MiB";
  } else {
    os << "row by row";
  }
  os << (order.getDynamic() ? "; blocks take them from a queue"
                            : "; each of n blocks takes every n-th");
  return text;
}

std::optional<PlanReport> collectPlan(cta::LaunchOp launch) {
  auto kernel = launch->getParentOfType<tile::KernelOp>();
  if (!kernel.getPlanAttr() || launch->hasAttr(cta::kUnplannedAttr))
    return std::nullopt;
  PlanReport report;
  llvm::raw_string_ostream(report.plan) << kernel.getPlanAttr();
  cta::PlanAttr plan = cta::planOf(kernel);
  if (std::optional<int64_t> least = tile::integerOf(launch->getAttr(cta::kLeastGroupAttr));
      least && plan) {
    report.group = plan.getGroup().value_or(0);
    report.leastGroup = *least;
  }
  report.order = orderText(launch);
  if (launch.walk([](cta::ClusterPlaceOp) { return WalkResult::interrupt(); }).wasInterrupted())
    report.wavesForNumbering = cta::kWavesForNumbering;
  auto prediction = launch->getAttrOfType<DictionaryAttr>(cta::kPredictionAttr);
  if (!prediction)
    return report;
  auto number = [&](StringRef name) { return tile::integerOf(prediction.get(name)); };
  auto bound = prediction.getAs<StringAttr>("bound");
  if (!bound)
    return report;
  plan::PlanPrediction model;
  model.bound = report.bound = bound.getValue().str();
  model.launch = report.launch = number("launch").value_or(0);
  model.round = report.wave = number("round").value_or(0);
  model.iteration = report.iteration = number("iteration").value_or(0);
  model.blocksPerSM = report.blocksPerSM =
      std::max<int64_t>(number("blocks_per_sm").value_or(1), 1);
  const Machine &machine = cta::machineOf(launch);
  const int64_t sms = machine.coresInClusters(machine.sms, number("cluster").value_or(1));
  report.waveBlocks = sms * report.blocksPerSM;
  model.streamK = number("stream_k").value_or(0);
  model.handOver = static_cast<double>(number("hand_over").value_or(0));
  std::optional<int64_t> outputTiles = number("points"), iterations = number("iterations");
  if (outputTiles && iterations) {
    report.cycles = std::llround(model.cycles(*outputTiles, *iterations, sms));
    report.waveEfficiency = model.waveEfficiency(*outputTiles, sms);
  }
  return report;
}

/// Schedules of loops of the source.
using SeenLoops = std::set<
    std::tuple<const void *, int64_t, std::string, std::vector<std::pair<std::string, int64_t>>>>;

/// Reports the schedule of a loop. Loops of the producer are left out, because they are copies of
/// the same loops. So are loops around one whose number of iterations is unknown, because their
/// cycles say nothing. `seen` are those that were reported, which passes may have copied.
void collectLoop(cta::CountedLoop loop, const SourceNames &source, SeenLoops &seen,
                 LaunchReport &report) {
  auto schedule = loop->getAttrOfType<DictionaryAttr>(cta::kScheduleAttr);
  if (!schedule || loop->getParentOfType<cta::ElectOp>())
    return;
  bool unknown = loop.getBody()
                     ->walk([](Operation *inner) {
                       auto loop = dyn_cast<LoopLikeOpInterface>(inner);
                       return loop && !loop.getStaticTripCount() ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (unknown)
    return;
  std::optional<int64_t> ii = tile::integerOf(schedule.get("ii"));
  auto bound = schedule.getAs<StringAttr>("bound");
  if (!ii || !bound)
    return;
  LoopReport result{source.locate(loop.getLoc()), *ii, bound.getValue().str(), {}};
  if (auto bounds = schedule.getAs<DictionaryAttr>("bounds"))
    for (NamedAttribute entry : bounds)
      if (std::optional<int64_t> cycles = tile::integerOf(entry.getValue()))
        result.bounds.push_back({entry.getName().str(), *cycles});
  const void *identity = source.identify(loop.getLoc());
  if (seen.insert({identity, *ii, result.bound, result.bounds}).second || !identity)
    report.loops.push_back(std::move(result));
}

/// The location of the load that fills the ring. The ring itself has that of the channel, which
/// several loads may share.
Location locationOf(cta::RingOp ring) {
  for (Operation *slot : ring->getUsers())
    for (Operation *user : slot->getUsers())
      if (isa<cta::CopyOp>(user))
        return user->getLoc();
  return ring.getLoc();
}

LaunchReport collectLaunch(cta::LaunchOp launch, const SourceNames &source) {
  LaunchReport report;
  report.symbol = launch.getSymbol().str();
  report.threads = launch.getThreads().value_or(0);
  report.sharedBytes = launch.getShared().value_or(0);
  report.entryRegisters = launch.getMaxRegisters().value_or(0);
  report.plan = collectPlan(launch);
  for (auto role : launch.getBody().getOps<cta::RoleOp>())
    report.roles.push_back({role.getSymName().str(), role.totalWarps(),
                            static_cast<int64_t>(role.getRegisters().value_or(0))});
  std::set<std::tuple<int64_t, int64_t, std::string, const void *>> seenTiles;
  auto addTile = [&](int64_t offset, int64_t bytes, std::string type, Location loc) {
    const void *identity = source.identify(loc);
    if (seenTiles.insert({offset, bytes, type, identity}).second || !identity)
      report.shared.push_back({offset, bytes, std::move(type), source.locate(loc)});
  };
  SeenLoops seenLoops;
  VerdictCounter verdicts(source, report.verdicts);
  launch.walk([&](Operation *op) {
    verdicts.add(op);
    if (auto loop = dyn_cast<cta::CountedLoop>(op))
      collectLoop(loop, source, seenLoops, report);
    if (auto ring = dyn_cast<cta::RingOp>(op); ring && ring.getOffset()) {
      cta::RingType type = ring.getResult().getType();
      addTile(static_cast<int64_t>(*ring.getOffset()),
              type.getDepth() * cta::ringSlotBytes(type.getTile()),
              std::to_string(type.getDepth()) + " slots of " + typeText(type.getTile()),
              locationOf(ring));
    }
    std::optional<int64_t> offset = cta::offsetOf(op);
    auto type = op->getNumResults() == 1 ? dyn_cast<cta::SmemType>(op->getResult(0).getType())
                                         : cta::SmemType();
    if (offset && type)
      addTile(*offset, cta::sharedLayout(type).sizeBytes(),
              (isa<cta::TableOp>(op) ? "a private table, " : "") + typeText(type), op->getLoc());
  });
  llvm::stable_sort(report.shared,
                    [](const SharedTile &a, const SharedTile &b) { return a.offset < b.offset; });
  llvm::stable_sort(report.verdicts, [](const Verdict &a, const Verdict &b) {
    return std::tie(a.location.file, a.location.line) < std::tie(b.location.file, b.location.line);
  });
  if (ArrayRef<int64_t> barriers = launch.getMbarriers().value_or(ArrayRef<int64_t>());
      !barriers.empty()) {
    int64_t bytes = barriers.size() * hopper::kMbarrierBytes;
    report.shared.push_back(
        {report.sharedBytes - bytes, bytes, std::to_string(barriers.size()) + " mbarriers", {}});
  }
  collectBound(launch, source, report);
  return report;
}

std::string guardText(tile::KernelOp kernel, tile::GuardAttr guard) {
  std::string arg = kernel.getArgName(guard.getArg()), value = std::to_string(guard.getValue());
  std::string dim = "(" + arg + ", " + std::to_string(guard.getDim()) + ")";
  switch (guard.getFact()) {
  case tile::FactKind::Align:
    return "base(" + arg + ") % " + value + " == 0";
  case tile::FactKind::SizeDivisible:
    return "size" + dim + " % " + value + " == 0";
  case tile::FactKind::StrideDivisible:
    return "stride" + dim + " % " + value + " == 0";
  case tile::FactKind::SizeMax:
    return "size" + dim + " <= " + value;
  case tile::FactKind::SizeMin:
    return "size" + dim + " >= " + value;
  case tile::FactKind::ScalarDivisible:
    return arg + " % " + value + " == 0";
  }
  return "";
}

} // namespace

void tessera::collectKernels(ModuleOp module, const SourceNames &source, Report &report) {
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    std::string name = kernel.getVariantOf().value_or(kernel.getSymName()).str();
    auto it = llvm::find_if(report.kernels, [&](const KernelReport &k) { return k.name == name; });
    if (it == report.kernels.end()) {
      report.kernels.push_back({name, source.locate(kernel.getLoc()), {}, {}});
      it = std::prev(report.kernels.end());
      it->location.name.clear();
    }
    VariantReport variant;
    variant.name = kernel.getVariant().value_or(tile::kAnyVariant).str();
    if (auto other = kernel->getAttrOfType<StringAttr>(cta::kStandsForAttr))
      variant.standsFor = other.str();
    if (auto guards = kernel.getGuards())
      for (auto guard : guards->getAsRange<tile::GuardAttr>())
        variant.guards.push_back(guardText(kernel, guard));
    for (auto assume : kernel.getBody().front().getOps<tile::AssumeOp>())
      if (assume.getGuard())
        if (FailureOr<contract::Expr> cond = contract::buildExpr(assume.getValue(), assume);
            succeeded(cond))
          variant.guards.push_back(assume.getMessage()->str() + ": " + exprText(kernel, *cond));
    for (memref::AllocOp alloc : contract::collectWorkspaces(kernel))
      variant.workspaces.push_back(workspaceText(kernel, alloc));
    for (auto launch : kernel.getBody().front().getOps<cta::LaunchOp>())
      variant.launches.push_back(collectLaunch(launch, source));
    it->variants.push_back(std::move(variant));
  }
}

void tessera::collectPtxas(const PtxasLog &log, const Machine &machine, Report &report) {
  for (KernelReport &kernel : report.kernels)
    for (VariantReport &variant : kernel.variants)
      for (LaunchReport &launch : variant.launches) {
        const PtxasFunction *function = log.lookup(launch.symbol);
        if (!function)
          continue;
        launch.registers = function->registers;
        launch.stackBytes = function->stackBytes;
        launch.spillStoreBytes = function->spillStoreBytes;
        launch.spillLoadBytes = function->spillLoadBytes;
        launch.spillsInMainLoops = function->spillsInProductLoops;
        const Occupancy occupancy = machine.occupancy(
            launch.threads, function->registers, launch.sharedBytes + function->staticSharedBytes);
        launch.blocksPerSM = occupancy.blocks();
        launch.limitedBy = occupancy.limit();
      }
  for (const PtxasMessage &message : log.messages)
    report.ptxasMessages.push_back((message.code.empty() ? "" : "(" + message.code + ") ") +
                                   message.text);
}
