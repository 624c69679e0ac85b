// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/IR/DialectImplementation.h"
#include "tessera/Machine/Hopper.h"
#include "tessera/Plan/Plan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cta;

#define GET_ATTRDEF_CLASSES
#include "tessera/Dialect/Cta/IR/CtaAttrs.cpp.inc"

void CtaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/Dialect/Cta/IR/CtaAttrs.cpp.inc"
      >();
}

//===--- frag: between the attribute and the mathematics -------------------------------------===//

static std::vector<layout::Coord> unflatten(ArrayRef<int64_t> flat, int64_t rank, int64_t count) {
  std::vector<layout::Coord> vectors(count, layout::Coord(rank));
  for (int64_t i = 0; i < count && rank; ++i)
    vectors[i].assign(flat.begin() + i * rank, flat.begin() + (i + 1) * rank);
  return vectors;
}

static SmallVector<int64_t> flatten(const std::vector<layout::Coord> &vectors) {
  SmallVector<int64_t> flat;
  for (const layout::Coord &v : vectors)
    flat.append(v.begin(), v.end());
  return flat;
}

layout::RegisterLayout FragAttr::layout() const {
  layout::RegisterLayout l;
  l.regs = unflatten(getRegs(), getRank(), getRank() ? getRegs().size() / getRank() : 0);
  l.lanes = unflatten(getLanes(), getRank(), layout::kLaneBits);
  l.warps = unflatten(getWarps(), getRank(), getWarpBits());
  l.wgCount = getWgCount();
  l.wgDim = static_cast<int>(getWgDim());
  return l;
}

FragAttr FragAttr::get(MLIRContext *context, const layout::RegisterLayout &l) {
  return get(context, l.rank(), flatten(l.regs), flatten(l.lanes), flatten(l.warps), l.warps.size(),
             l.wgCount, l.wgDim);
}

FragAttr FragAttr::of(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<FragAttr>(tensor.getEncoding()) : FragAttr{};
}

LogicalResult FragAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rank,
                               ArrayRef<int64_t> regs, ArrayRef<int64_t> lanes,
                               ArrayRef<int64_t> warps, int64_t warpBits, int64_t wgCount,
                               int64_t wgDim) {
  if (rank < 0 || rank > layout::kMaxRank)
    return emitError() << "a register layout has rank 0 to " << layout::kMaxRank << ", got "
                       << rank;
  if (static_cast<int64_t>(lanes.size()) != layout::kLaneBits * rank)
    return emitError() << "a register layout needs " << layout::kLaneBits << " lane vectors of "
                       << rank << " numbers each";
  if (warpBits < 0 || warpBits > 5 || static_cast<int64_t>(warps.size()) != warpBits * rank ||
      (rank && regs.size() % rank) || (!rank && !regs.empty()))
    return emitError() << "the vectors of a register layout must all have " << rank << " numbers";
  layout::RegisterLayout l;
  l.regs = unflatten(regs, rank, rank ? regs.size() / rank : 0);
  l.lanes = unflatten(lanes, rank, layout::kLaneBits);
  l.warps = unflatten(warps, rank, warpBits);
  l.wgCount = wgCount;
  l.wgDim = static_cast<int>(wgDim);
  if (auto error = l.validate())
    return emitError() << "invalid register layout: " << *error;
  return success();
}

LogicalResult FragAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (static_cast<int64_t>(shape.size()) != getRank())
    return emitError() << "a register layout of rank " << getRank()
                       << " does not fit a tensor of rank " << shape.size();
  if (auto error = layout().validateFor(layout::Coord(shape.begin(), shape.end())))
    return emitError() << "the register layout does not fit the tensor: " << *error;
  return success();
}

//===--- frag: syntax ------------------------------------------------------------------------===//

static ParseResult parseVectors(AsmParser &parser, int64_t rank, SmallVectorImpl<int64_t> &flat,
                                int64_t &count) {
  count = 0;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    ++count;
    SMLoc loc = parser.getCurrentLocation();
    int64_t before = flat.size();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       [&]() { return parser.parseInteger(flat.emplace_back()); }))
      return failure();
    if (rank >= 0 && static_cast<int64_t>(flat.size()) - before != rank)
      return parser.emitError(loc) << "expected a vector of " << rank << " numbers";
    return success();
  });
}

/// Parses the `, key = N` pairs of the named forms.
static ParseResult parseNumbers(AsmParser &parser,
                                ArrayRef<std::pair<StringRef, int64_t *>> fields) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    auto *field = llvm::find_if(fields, [&](auto &f) { return f.first == key; });
    if (field == fields.end())
      return parser.emitError(loc) << "unknown parameter '" << key << "'";
    if (parser.parseInteger(*field->second))
      return failure();
  }
  return parser.parseGreater();
}

Attribute FragAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseLess() || parser.parseKeyword(&word))
    return {};
  auto checked = [&](const layout::RegisterLayout &l) -> Attribute {
    return getChecked([&] { return parser.emitError(loc); }, context, l.rank(), flatten(l.regs),
                      flatten(l.lanes), flatten(l.warps), static_cast<int64_t>(l.warps.size()),
                      l.wgCount, static_cast<int64_t>(l.wgDim));
  };
  int64_t wg = 1, bits = 16, rank = 0, warpBits = 2, dim = 0;
  if (word == "wgmma_acc") {
    if (parseNumbers(parser, {{"wg", &wg}, {"dim", &dim}}))
      return {};
    if (dim != 0 && dim != 1) {
      parser.emitError(loc) << "the warpgroups of wgmma_acc share dimension 0 or 1, got " << dim;
      return {};
    }
    return checked(layout::wgmmaAcc(wg, static_cast<int>(dim)));
  }
  if (word == "wgmma_a") {
    if (parseNumbers(parser, {{"wg", &wg}, {"bits", &bits}, {"dim", &dim}}))
      return {};
    if (dim != 0 && dim != -1) {
      parser.emitError(loc) << "the warpgroups of wgmma_a share dimension 0, or each has all (-1), "
                               "got "
                            << dim;
      return {};
    }
    if (bits != 32 && bits != 16 && bits != 8) {
      parser.emitError(loc) << "wgmma_a has elements of 32, 16 or 8 bits, got " << bits;
      return {};
    }
    return checked(layout::wgmmaA(bits, wg, static_cast<int>(dim)));
  }
  if (word == "splat") {
    if (parseNumbers(parser, {{"rank", &rank}, {"warps", &warpBits}, {"wg", &wg}}))
      return {};
    if (rank < 0 || rank > layout::kMaxRank || warpBits < 0 || warpBits > 5) {
      parser.emitError(loc) << "splat needs a rank of 0 to 4 and 0 to 5 warp bits";
      return {};
    }
    return checked(layout::splat(rank, warpBits, wg));
  }
  if (word != "regs") {
    parser.emitError(loc) << "expected wgmma_acc, wgmma_a, splat or regs, got '" << word << "'";
    return {};
  }
  SmallVector<int64_t> regs, lanes, warps;
  int64_t regCount, laneCount, warpCount, wgDim = -1;
  // The lane vectors give the rank; verify() checks the other vectors against it.
  if (parser.parseEqual() || parseVectors(parser, -1, regs, regCount) || parser.parseComma() ||
      parser.parseKeyword("lanes") || parser.parseEqual() ||
      parseVectors(parser, -1, lanes, laneCount) || parser.parseComma() ||
      parser.parseKeyword("warps") || parser.parseEqual() ||
      parseVectors(parser, -1, warps, warpCount))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("wg") || parser.parseEqual() || parser.parseInteger(wg))
      return {};
    if (succeeded(parser.parseOptionalKeyword("on")) && parser.parseInteger(wgDim))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (laneCount != layout::kLaneBits || lanes.size() % layout::kLaneBits) {
    parser.emitError(loc) << "a register layout needs " << layout::kLaneBits
                          << " lane vectors of equal length";
    return {};
  }
  rank = lanes.size() / layout::kLaneBits;
  return getChecked([&] { return parser.emitError(loc); }, context, rank, regs, lanes, warps,
                    warpCount, wg, wgDim);
}

static void printVectors(AsmPrinter &p, StringRef name, ArrayRef<int64_t> flat, int64_t rank,
                         int64_t count) {
  p << name << " = [";
  for (int64_t i = 0; i < count; ++i) {
    p << (i ? ", [" : "[");
    llvm::interleaveComma(flat.slice(i * rank, rank), p);
    p << ']';
  }
  p << ']';
}

void FragAttr::print(AsmPrinter &p) const {
  layout::RegisterLayout l = layout();
  p << '<';
  for (int dim : {0, 1})
    if (l == layout::wgmmaAcc(getWgCount(), dim)) {
      p << "wgmma_acc, wg = " << getWgCount() << (dim ? ", dim = 1>" : ">");
      return;
    }
  for (int bits : {16, 8, 32})
    for (int dim : {0, -1})
      if (l == layout::wgmmaA(bits, getWgCount(), dim)) {
        p << "wgmma_a, bits = " << bits << ", wg = " << getWgCount() << (dim ? ", dim = -1>" : ">");
        return;
      }
  if (l == layout::splat(getRank(), getWarpBits(), getWgCount())) {
    p << "splat, rank = " << getRank() << ", warps = " << getWarpBits() << ", wg = " << getWgCount()
      << '>';
    return;
  }
  printVectors(p, "regs", getRegs(), getRank(), l.regs.size());
  printVectors(p, ", lanes", getLanes(), getRank(), layout::kLaneBits);
  printVectors(p, ", warps", getWarps(), getRank(), getWarpBits());
  if (getWgCount() != 1 || getWgDim() >= 0) {
    p << ", wg = " << getWgCount();
    if (getWgDim() >= 0)
      p << " on " << getWgDim();
  }
  p << '>';
}

//===--- swizzle -----------------------------------------------------------------------------===//

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t span,
                                  int64_t dim, int64_t pad) {
  if (!llvm::is_contained({-2, -1, 0, 32, 64, 128}, span))
    return emitError() << "a swizzle spans 128, 64, 32 or 0 bytes, got " << span;
  if (dim < 0 || dim >= layout::kMaxRank)
    return emitError() << "the contiguous dimension of a shared tile is 0 to 3, got " << dim;
  if (pad < 0 || (pad && span != -2))
    return emitError() << "padding must be 0 or more bytes and needs a linear tile";
  return success();
}

Attribute SwizzleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t span = -1, dim = 0, pad = 0;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalQuestion())) {
    if (parser.parseGreater())
      return {};
  } else if (succeeded(parser.parseOptionalKeyword("linear"))) {
    span = -2;
    if (parseNumbers(parser, {{"pad", &pad}}))
      return {};
  } else if (parser.parseInteger(span) || parseNumbers(parser, {{"dim", &dim}})) {
    return {};
  } else if (span < 0) {
    parser.emitError(loc) << "a swizzle spans 128, 64, 32 or 0 bytes, got " << span;
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), span, dim, pad);
}

void SwizzleAttr::print(AsmPrinter &p) const {
  if (isUnknown()) {
    p << "<?>";
  } else if (isLinear()) {
    p << "<linear";
    if (getPad())
      p << ", pad = " << getPad();
    p << '>';
  } else {
    p << '<' << getSpan() << ", dim = " << getDim() << '>';
  }
}

//===--- schedule ----------------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<StringAttr> steps, std::optional<int64_t> ii) {
  if (steps.empty())
    return emitError() << "schedule: lists at least one step";
  llvm::SmallDenseSet<StringAttr> seen;
  for (StringAttr step : steps)
    if (!seen.insert(step).second)
      return emitError() << "schedule: lists @" << step.getValue() << " twice";
  if (ii && *ii < 1)
    return emitError() << "schedule: 'ii' is 1 or more, got " << *ii;
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> steps;
  auto step = [&]() -> ParseResult { return parser.parseSymbolName(steps.emplace_back()); };
  std::optional<int64_t> ii;
  if (parser.parseLess() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, step))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("ii") || parser.parseEqual() || parser.parseInteger(ii.emplace()))
      return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), steps, ii);
}

void ScheduleAttr::print(AsmPrinter &p) const {
  p << "<[";
  llvm::interleaveComma(getSteps(), p,
                        [&](StringAttr step) { p.printSymbolName(step.getValue()); });
  p << ']';
  if (getIi())
    p << ", ii = " << *getIi();
  p << '>';
}

//===--- plan --------------------------------------------------------------------------------===//

PlanAttr PlanAttr::get(MLIRContext *context, const plan::Plan &plan) {
  std::optional<Replicate> replicate;
  if (plan.replicate)
    replicate = *plan.replicate == plan::Replicate::Blocks ? Replicate::Blocks : Replicate::Split;
  return get(context, replicate, plan.warpgroups, plan.producers, plan.stages, plan.persistent,
             plan.group, plan.blocksPerSM, plan.cluster, plan.registers, plan.pending,
             plan.epilogue, plan.streamK, plan.clusterDim, plan.leastGroup, plan.spread);
}

plan::Plan PlanAttr::asPlan() const {
  plan::Plan plan;
  if (getReplicate())
    plan.replicate =
        *getReplicate() == Replicate::Blocks ? plan::Replicate::Blocks : plan::Replicate::Split;
  plan.warpgroups = getWarpgroups();
  plan.producers = getProducers();
  plan.stages = getStages();
  plan.persistent = getPersistent();
  plan.group = getGroup();
  plan.blocksPerSM = getBlocksPerSm();
  plan.cluster = getCluster();
  plan.registers = getRegisters();
  plan.pending = getPending();
  plan.epilogue = getEpilogue();
  plan.streamK = getStreamK();
  plan.clusterDim = getClusterDim();
  plan.leastGroup = getLeastGroup();
  plan.spread = getSpread();
  return plan;
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               std::optional<Replicate>, std::optional<int64_t> warpgroups,
                               std::optional<int64_t> producers, std::optional<int64_t> stages,
                               std::optional<int64_t> persistent, std::optional<int64_t> group,
                               std::optional<int64_t> blocksPerSM, std::optional<int64_t> cluster,
                               std::optional<int64_t> registers, std::optional<int64_t> pending,
                               std::optional<int64_t> epilogue, std::optional<int64_t> streamK,
                               std::optional<int64_t> clusterDim, std::optional<int64_t> leastGroup,
                               std::optional<int64_t> spread) {
  auto within = [&](StringRef name, std::optional<int64_t> value, int64_t low,
                    int64_t high) -> LogicalResult {
    if (!value || (*value >= low && *value <= high))
      return success();
    return emitError() << "plan: '" << name << "' is " << low << " to " << high << ", got "
                       << *value;
  };
  constexpr int64_t kMany = tile::kMaxGroup;
  if (failed(within("warpgroups", warpgroups, 1, 8)) ||
      failed(within("producers", producers, 0, 4)) || failed(within("stages", stages, 0, 64)) ||
      failed(within("persistent", persistent, 0, 1)) || failed(within("group", group, 0, kMany)) ||
      failed(within("blocks_per_sm", blocksPerSM, 1, 32)) ||
      failed(within("cluster", cluster, 1, hopper::kMaxCluster)) ||
      failed(within("registers", registers, 0, 256)) || failed(within("pending", pending, 0, 7)) ||
      failed(within("epilogue", epilogue, 0, kMany)) ||
      failed(within("stream_k", streamK, 0, kMany)) ||
      failed(within("cluster_dim", clusterDim, 0, 7)) ||
      failed(within("least_group", leastGroup, 1, kMany)) || failed(within("spread", spread, 0, 1)))
    return failure();
  if (epilogue && *epilogue % 8)
    return emitError()
           << "plan: 'epilogue' is a multiple of 8, the columns of a fragment, or 0, got "
           << *epilogue;
  if (cluster && (*cluster & (*cluster - 1)))
    return emitError() << "plan: 'cluster' is a power of two, got " << *cluster;
  if (leastGroup && group && *leastGroup > *group)
    return emitError() << "plan: 'least_group' is at most 'group' = " << *group << ", got "
                       << *leastGroup;
  if (registers && *registers && (*registers < 24 || *registers % 8))
    return emitError() << "plan: 'registers' is 0 or a multiple of 8 from 24 to 256, got "
                       << *registers;
  return success();
}
