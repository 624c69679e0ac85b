// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The part of the contract that is the same for both targets: arguments and their facts,
// assumptions, workspaces, variants.
#include "tessera/Contract/Contract.h"
#include "tessera/Dialect/Tile/ElementTypes.h"
#include "tessera/Dialect/Tile/Params/Members.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

#include <numeric>

using namespace mlir;
using namespace tessera;
using namespace tessera::contract;
using tile::TileDialect;

//===--- accesses ---------------------------------------------------------------------------===//

Access tessera::contract::accessOf(Value memref) {
  Access access;
  SmallVector<Value> worklist{memref};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<ViewLikeOpInterface>(user)) {
        worklist.append(user->result_begin(), user->result_end());
        continue;
      }
      if (isa<memref::DimOp, memref::ExtractStridedMetadataOp>(user))
        continue;
      auto effects = dyn_cast<MemoryEffectOpInterface>(user);
      if (!effects || isa<RegionBranchOpInterface>(user)) {
        access = {true, true};
        continue;
      }
      access.reads |= effects.getEffectOnValue<MemoryEffects::Read>(value).has_value();
      access.writes |= effects.getEffectOnValue<MemoryEffects::Write>(value).has_value();
      // The op is pure and makes a memref, but is no view (arith.select). Its operands and its
      // result are followed.
      if (isa<tile::ArrayAtOp>(user)) // reads an address; the array is elsewhere
        continue;
      for (Value result : user->getResults())
        if (isa<MemRefType>(result.getType()))
          worklist.push_back(result);
    }
  }
  return access;
}

static std::string accessText(Access access) {
  return access.reads ? (access.writes ? "readwrite" : "read") : access.writes ? "write" : "none";
}

/// The access of two kernels together.
static std::string eitherAccess(StringRef a, StringRef b) {
  auto does = [&](StringRef what) { return a.contains(what) || b.contains(what); };
  return accessText({does("read"), does("write")});
}

//===--- arguments --------------------------------------------------------------------------===//

static std::vector<int64_t> listFact(tile::KernelOp kernel, unsigned index, StringRef name) {
  if (auto list = kernel.getArgAttrOfType<DenseI64ArrayAttr>(index, name))
    return list.asArrayRef().vec();
  return {};
}

static std::optional<int64_t> staticOr(int64_t value) {
  return ShapedType::isDynamic(value) ? std::nullopt : std::optional<int64_t>(value);
}

static Argument describeArgument(tile::KernelOp kernel, unsigned index) {
  Argument arg;
  arg.name = kernel.getArgName(index);
  Type type = kernel.getArgumentTypes()[index];
  auto memref = dyn_cast<MemRefType>(type);
  auto number = [&](StringRef name) -> int64_t {
    auto fact = kernel.getArgAttrOfType<IntegerAttr>(index, name);
    return fact ? fact.getInt() : 0;
  };
  if (!memref) {
    arg.type = tile::contractTypeName(type);
    arg.divisible = number(TileDialect::kDivisible);
    return arg;
  }
  arg.isMemref = true;
  arg.type = tile::contractTypeName(memref.getElementType());
  auto shape = kernel.getArgAttrOfType<ArrayAttr>(index, TileDialect::kShape);
  for (int64_t d = 0; d < memref.getRank(); ++d) {
    Argument::Extent extent{staticOr(memref.getDimSize(d)), ""};
    if (auto symbol = shape ? dyn_cast<StringAttr>(shape[d]) : StringAttr(); symbol && !extent.size)
      extent.symbol = symbol.str();
    if (auto size = shape ? dyn_cast<IntegerAttr>(shape[d]) : IntegerAttr())
      extent.size = size.getInt();
    arg.shape.push_back(extent);
  }
  arg.strided = !memref.getLayout().isIdentity();
  if (arg.strided) {
    auto [strides, offset] = memref.getStridesAndOffset();
    for (int64_t stride : strides)
      arg.strides.push_back(staticOr(stride));
    arg.offset = staticOr(offset);
  }
  arg.access = accessText(accessOf(kernel.getBody().getArgument(index)));
  if (auto alias = kernel.getArgAttrOfType<StringAttr>(index, TileDialect::kAlias))
    arg.alias = alias.str();
  arg.align = number(TileDialect::kAlign);
  arg.sizeDivisible = listFact(kernel, index, TileDialect::kSizeDivisible);
  arg.strideDivisible = listFact(kernel, index, TileDialect::kStrideDivisible);
  arg.sizeMax = listFact(kernel, index, TileDialect::kSizeMax);
  return arg;
}

/// Gives the static size of a dimension with a name to all other dimensions of that name, so that
/// the launcher compares them with it.
static void unifyNamedSizes(tile::KernelOp kernel, std::vector<Argument> &args) {
  llvm::StringMap<int64_t> sizes;
  auto forEach = [&](auto visit) {
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      if (auto shape = kernel.getArgAttrOfType<ArrayAttr>(i, TileDialect::kShape))
        for (auto [d, entry] : llvm::enumerate(shape))
          if (auto name = dyn_cast<StringAttr>(entry))
            visit(name.getValue(), args[i].shape[d]);
  };
  forEach([&](StringRef name, Argument::Extent &extent) {
    if (extent.size)
      sizes.try_emplace(name, *extent.size);
  });
  forEach([&](StringRef name, Argument::Extent &extent) {
    if (auto it = sizes.find(name); it != sizes.end() && !extent.size)
      extent = {it->second, ""};
  });
}

//===--- the kernel -------------------------------------------------------------------------===//

SmallVector<memref::AllocOp> tessera::contract::collectWorkspaces(tile::KernelOp kernel) {
  return llvm::to_vector(kernel.getBody().front().getOps<memref::AllocOp>());
}

FailureOr<Workspace> tessera::contract::describeWorkspace(memref::AllocOp alloc) {
  Workspace workspace;
  MemRefType type = alloc.getType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0 || type.getMemorySpace())
    return alloc.emitOpError(
               "is workspace of the kernel: it needs the identity layout or strides without an "
               "offset, and the default memory space, got ")
           << type;
  if (!tile::isMemoryElementType(type.getElementType()))
    return alloc.emitOpError("holds ")
           << type.getElementType() << "; the element types are " << tile::tileElementTypesText();
  workspace.element = tile::contractTypeName(type.getElementType());
  auto dynamic = alloc.getDynamicSizes().begin();
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      workspace.sizes.push_back(Expr::constant(size));
      continue;
    }
    FailureOr<Expr> expr = buildExpr(*dynamic++, alloc);
    if (failed(expr))
      return failure();
    workspace.sizes.push_back(*expr);
  }
  auto symbol = alloc.getSymbolOperands().begin();
  if (!type.getLayout().isIdentity())
    for (int64_t stride : strides) {
      FailureOr<Expr> expr = Expr::constant(stride);
      if (ShapedType::isDynamic(stride))
        expr = buildExpr(*symbol++, alloc);
      if (failed(expr))
        return failure();
      workspace.strides.push_back(*expr);
    }
  Attribute init = alloc->getAttr("tile.init");
  workspace.restored = alloc->hasAttr("tile.restored");
  if (workspace.restored && !init)
    return alloc.emitOpError("has tile.restored, which says that the kernel leaves it filled with "
                             "tile.init, but no tile.init");
  if (!init)
    return workspace;
  auto typed = dyn_cast<TypedAttr>(init);
  if (!typed || typed.getType() != type.getElementType())
    return alloc.emitOpError("tile.init must be a number of type ")
           << type.getElementType() << ", got " << init;
  if (auto integer = dyn_cast<IntegerAttr>(init)) {
    bool isBool = integer.getType().isInteger(1);
    workspace.init =
        isBool ? int64_t(integer.getValue().getZExtValue()) : integer.getValue().getSExtValue();
    return workspace;
  }
  APFloat value = cast<FloatAttr>(init).getValue();
  if (value.isNaN())
    workspace.init = "nan";
  else if (value.isInfinity())
    workspace.init = value.isNegative() ? "-inf" : "inf";
  else
    workspace.init = cast<FloatAttr>(init).getValueAsDouble();
  return workspace;
}

/// Names that users choose must be UTF-8, because the contract is JSON.
static LogicalResult checkText(tile::KernelOp kernel, StringRef text, const char *what) {
  if (llvm::json::isUTF8(text))
    return success();
  return kernel.emitOpError("has ")
         << what << " that is no UTF-8 text: '" << llvm::json::fixUTF8(text) << "'";
}

static FailureOr<std::vector<Workspace>> describeWorkspaces(tile::KernelOp kernel) {
  std::vector<Workspace> workspaces;
  for (memref::AllocOp alloc : collectWorkspaces(kernel)) {
    FailureOr<Workspace> workspace = describeWorkspace(alloc);
    if (failed(workspace))
      return failure();
    workspaces.push_back(std::move(*workspace));
  }
  return workspaces;
}

/// Describes the conditions under which a kernel may be launched.
static LogicalResult describeAssumes(tile::KernelOp kernel, std::vector<Assume> &assumes) {
  for (auto assume : kernel.getBody().front().getOps<tile::AssumeOp>()) {
    if (assume.getGuard())
      continue;
    FailureOr<Expr> value = buildExpr(assume.getValue(), assume);
    if (failed(value))
      return failure();
    if (assume.getMessage() &&
        failed(checkText(kernel, *assume.getMessage(), "a message of tile.assume")))
      return failure();
    auto add = [&](StringRef op, int64_t bound, const Twine &what) {
      Expr cond = op == "mod"
                      ? Expr::apply("cmp_eq", {Expr::apply("mod", {*value, Expr::constant(bound)}),
                                               Expr::constant(0)})
                      : Expr::apply(op, {*value, Expr::constant(bound)});
      assumes.push_back({cond, assume.getMessage() ? assume.getMessage()->str() : what.str()});
    };
    if (assume.getValue().getType().isInteger(1))
      assumes.push_back({*value, assume.getMessage()->str()});
    if (auto min = assume.getMin())
      add("cmp_sge", *min,
          "a promise of the kernel does not hold: a value must be at least " +
              Twine(int64_t(*min)));
    if (auto max = assume.getMax())
      add("cmp_sle", *max,
          "a promise of the kernel does not hold: a value must be at most " + Twine(int64_t(*max)));
    if (auto divisor = assume.getDivisible())
      add("mod", *divisor,
          "a promise of the kernel does not hold: a value must be a multiple of " +
              Twine(int64_t(*divisor)));
  }
  return success();
}

/// Describes the conditions under which a variant is chosen.
static LogicalResult describeGuards(tile::KernelOp kernel, std::vector<Guard> &guards) {
  if (auto list = kernel.getGuards())
    for (auto guard : list->getAsRange<tile::GuardAttr>()) {
      Guard g;
      g.fact = tile::stringifyFactKind(guard.getFact()).str();
      g.arg = guard.getArg();
      if (guard.getDim() >= 0)
        g.dim = guard.getDim();
      g.value = guard.getValue();
      guards.push_back(std::move(g));
    }
  for (auto assume : kernel.getBody().front().getOps<tile::AssumeOp>()) {
    if (!assume.getGuard())
      continue;
    FailureOr<Expr> cond = buildExpr(assume.getValue(), assume);
    if (failed(cond) || failed(checkText(kernel, *assume.getMessage(), "a message of tile.assume")))
      return failure();
    Guard g;
    g.fact = "cond";
    g.cond = {std::move(*cond), assume.getMessage()->str()};
    guards.push_back(std::move(g));
  }
  return success();
}

std::vector<Argument> tessera::contract::describeArguments(tile::KernelOp kernel) {
  std::vector<Argument> args;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    args.push_back(describeArgument(kernel, i));
  unifyNamedSizes(kernel, args);
  return args;
}

FailureOr<Kernel> tessera::contract::describeKernel(tile::KernelOp kernel) {
  Kernel description;
  description.name = tile::launchedName(kernel).str();
  description.args = describeArguments(kernel);
  if (failed(describeAssumes(kernel, description.assumes)))
    return failure();
  FailureOr<std::vector<Workspace>> workspaces = describeWorkspaces(kernel);
  if (failed(workspaces))
    return failure();
  description.workspaces = std::move(*workspaces);
  return description;
}

/// Weakens `fact` to what `other` implies, too. An empty list states nothing.
static void meet(std::vector<int64_t> &fact, const std::vector<int64_t> &other,
                 function_ref<int64_t(int64_t, int64_t)> weaker) {
  if (other.empty())
    fact.clear();
  for (size_t d = 0; d < fact.size(); ++d)
    fact[d] = weaker(fact[d], other[d]);
}

static LogicalResult checkTexts(tile::KernelOp kernel, const Kernel &description) {
  if (failed(checkText(kernel, description.name, "a name")))
    return failure();
  for (const Argument &arg : description.args) {
    if (failed(checkText(kernel, arg.name, "an argument's name")) ||
        failed(checkText(kernel, arg.alias, "a tile.alias")))
      return failure();
    for (const Argument::Extent &extent : arg.shape)
      if (failed(checkText(kernel, extent.symbol, "a name in tile.shape")))
        return failure();
  }
  return success();
}

static bool isSame(const Assume &a, const Assume &b) {
  return a.cond == b.cond && a.message == b.message;
}

static void addGuard(Variant &variant, Assume assume) {
  Guard guard;
  guard.fact = "cond";
  guard.cond = std::move(assume);
  variant.guards.push_back(std::move(guard));
}

/// The conditions of one more variant. A pass may demand something of a launch in one variant only:
/// a launch is refused if it does not hold. A condition that all variants have is written once. But
/// members of a family stand for each other, so what only some of them demand guards these.
static void mergeAssumes(Kernel &known, Variant &variant, std::vector<Assume> assumes) {
  auto isIn = [](const std::vector<Assume> &list) {
    return [&list](const Assume &a) {
      return llvm::any_of(list, [&](const Assume &b) { return isSame(a, b); });
    };
  };
  if (!variant.member.empty()) {
    auto common = std::stable_partition(known.assumes.begin(), known.assumes.end(), isIn(assumes));
    for (const Assume &assume : llvm::make_range(common, known.assumes.end()))
      for (Variant &other : known.variants)
        addGuard(other, assume);
    known.assumes.erase(common, known.assumes.end());
  }
  auto isKnown = isIn(known.assumes);
  for (Assume &assume : assumes) {
    if (isKnown(assume))
      continue;
    if (variant.member.empty())
      known.assumes.push_back(std::move(assume));
    else
      addGuard(variant, std::move(assume));
  }
}

std::optional<Expr> tessera::contract::predictedTime(tile::KernelOp kernel) {
  auto costs = kernel.getBody().getOps<tile::CostOp>();
  if (costs.empty())
    return std::nullopt;
  ScopedDiagnosticHandler quiet(kernel.getContext(), [](Diagnostic &) { return success(); });
  FailureOr<Expr> nanoseconds = buildExpr((*costs.begin()).getNanoseconds(), *costs.begin());
  if (failed(nanoseconds) || nanoseconds->depth() > kMaxDepth || numNodes(*nanoseconds) > kMaxNodes)
    return std::nullopt;
  return *nanoseconds;
}

/// The name of the variant, its member and its predicted time.
static LogicalResult describeVariant(tile::KernelOp kernel, Variant &variant) {
  if (kernel.getVariant())
    variant.name = kernel.getVariant()->str();
  variant.member = tile::memberText(kernel).str();
  auto isPlain = [](char c) { return llvm::isPrint(c) && c != '/'; };
  if (!llvm::all_of(variant.member, isPlain))
    return kernel.emitOpError("has tile.member = \"")
           << variant.member << "\"; a launcher reads printable characters without '/'";
  if (!variant.member.empty())
    variant.name = variant.member + "/" + variant.name;
  variant.cost = predictedTime(kernel); // a member without one is taken last
  return checkText(kernel, variant.name, "a variant's name");
}

/// What a source that is in a late phase may get wrong: `variant` must fit those that are there.
static LogicalResult checkMember(tile::KernelOp kernel, const Kernel &known,
                                 const Variant &variant) {
  auto error = [&] {
    return kernel.emitOpError("is the member '")
           << variant.member << "' of '" << known.name << "', ";
  };
  if (variant.member.empty() != known.variants.front().member.empty())
    return kernel.emitOpError("is ")
           << (variant.member.empty() ? "no member" : "a member") << " of '" << known.name
           << "', unlike other kernels of that name: all have tile.member, or none";
  if (variant.member.empty())
    return success();
  if (known.args.size() != kernel.getNumArguments())
    return error() << "but has " << kernel.getNumArguments() << " arguments, and another member "
                   << known.args.size();
  for (auto [i, arg] : llvm::enumerate(known.args)) {
    const Argument other = describeArgument(kernel, i);
    if (arg.isMemref != other.isMemref || arg.type != other.type ||
        arg.shape.size() != other.shape.size() || arg.strided != other.strided ||
        arg.strides != other.strides || arg.offset != other.offset)
      return error() << "but its argument " << other.name
                     << " is of another type than that of another member";
  }
  if (llvm::is_contained(llvm::map_range(known.variants, [](const Variant &v) { return v.name; }),
                         variant.name))
    return error() << "but there is one with the variant '" << variant.name << "' already";
  auto isSameMember = [&](const Variant &v) { return v.member == variant.member; };
  if (known.variants.back().member != variant.member && llvm::any_of(known.variants, isSameMember))
    return error() << "but there are others between its variants: put them beside each other";
  return success();
}

LogicalResult tessera::contract::addVariant(Contract &contract, tile::KernelOp kernel,
                                            std::vector<Launch> launches) {
  Variant variant;
  if (failed(describeVariant(kernel, variant)))
    return failure();
  variant.launches = std::move(launches);
  for (const Launch &launch : variant.launches)
    if (failed(checkText(kernel, launch.symbol, "a launch's name")))
      return failure();
  if (failed(describeGuards(kernel, variant.guards)))
    return failure();
  StringRef name = tile::launchedName(kernel);
  auto it = llvm::find_if(contract.kernels, [&](const Kernel &k) { return k.name == name; });
  if (it == contract.kernels.end()) {
    FailureOr<Kernel> description = describeKernel(kernel);
    if (failed(description) || failed(checkTexts(kernel, *description)))
      return failure();
    contract.kernels.push_back(std::move(*description));
    it = std::prev(contract.kernels.end());
  } else {
    if (!kernel.getVariantOf() && variant.member.empty())
      return kernel.emitOpError("has the name of a kernel that other kernels are variants of");
    if (failed(checkMember(kernel, *it, variant)))
      return failure();
    std::vector<Assume> assumes;
    if (failed(describeAssumes(kernel, assumes)))
      return failure();
    mergeAssumes(*it, variant, std::move(assumes));
    // A pass may give one variant workspace that the others do not have.
    FailureOr<std::vector<Workspace>> workspaces = describeWorkspaces(kernel);
    if (failed(workspaces))
      return failure();
    if (*workspaces != it->workspaces)
      variant.workspaces = std::move(*workspaces);
    // Facts that only one variant has become its guards. Facts that all variants have belong to the
    // kernel.
    for (auto [i, arg] : llvm::enumerate(it->args)) {
      Argument other = describeArgument(kernel, i);
      arg.access = eitherAccess(arg.access, other.access);
      arg.align = std::min(arg.align, other.align);
      arg.divisible =
          arg.divisible && other.divisible ? std::gcd(arg.divisible, other.divisible) : 0;
      meet(arg.sizeDivisible, other.sizeDivisible, std::gcd<int64_t, int64_t>);
      meet(arg.strideDivisible, other.strideDivisible, std::gcd<int64_t, int64_t>);
      meet(arg.sizeMax, other.sizeMax, [](int64_t x, int64_t y) { return std::max(x, y); });
    }
  }
  it->variants.push_back(std::move(variant));
  return checkLimits(contract, *it, kernel);
}
