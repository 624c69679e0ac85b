// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/GivenSizes.h"

#include "tessera/Dialect/Tile/Params/Members.h"
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Tile.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tessera;

static constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();

//===--- the text ----------------------------------------------------------------------------===//

static std::optional<SizeRange> readRange(StringRef text) {
  auto [least, most] = text.contains("..") ? text.split("..") : std::pair(text, text);
  SizeRange range;
  if (least.trim().getAsInteger(10, range.least) || most.trim().getAsInteger(10, range.most) ||
      range.least < 1 || range.most < range.least || range.most > kMostSize)
    return std::nullopt;
  return range;
}

static InFlightDiagnostic errorOf(StringRef entry, Location loc) {
  return emitError(loc) << "the sizes '" << entry << "': ";
}

static FailureOr<GivenLaunches> readEntry(StringRef entry, Location loc) {
  GivenLaunches given{entry.str(), {}};
  SmallVector<StringRef> parts;
  entry.split(parts, ',');
  for (StringRef part : parts) {
    std::optional<tile::NamedText> named = tile::splitNamed(part);
    if (!named) {
      errorOf(entry, loc) << "'" << part.trim()
                          << "' is not of the form NAME=NUMBER, NAME=LEAST..MOST or "
                             "KERNEL/NAME=NUMBER";
      return failure();
    }
    std::optional<SizeRange> range = readRange(named->value);
    if (!range) {
      errorOf(entry, loc) << "'" << named->value << "' is neither a number from 1 to " << kMostSize
                          << " nor two of them with '..' between, the smaller one first";
      return failure();
    }
    given.sizes.push_back({named->kernel.str(), named->name.str(), *range});
  }
  return given;
}

//===--- the kernels -------------------------------------------------------------------------===//

static std::string withoutName(const contract::Argument &arg, size_t dim) {
  return arg.name + "." + std::to_string(dim);
}

std::string tessera::nameOfSize(const contract::Argument &arg, size_t dim) {
  const std::string &symbol = arg.shape[dim].symbol;
  return symbol.empty() ? withoutName(arg, dim) : symbol;
}

/// The name of the size that somebody calls `name`: a dimension may be called by its place also
/// where it has a name. Nothing if the arguments have no such dimension.
static std::optional<std::string> resolve(ArrayRef<contract::Argument> args, StringRef name) {
  for (const contract::Argument &arg : args)
    for (auto [d, extent] : llvm::enumerate(arg.shape))
      if (extent.symbol == name || withoutName(arg, d) == name)
        return nameOfSize(arg, d);
  return std::nullopt;
}

/// What of the range a launch may have, by the facts of the dimensions with that name; and why it
/// may have none.
static std::optional<SizeRange> possible(ArrayRef<contract::Argument> args, StringRef name,
                                         SizeRange range, std::string &why) {
  int64_t divisor = 1, most = kMostSize;
  std::optional<int64_t> number;
  for (const contract::Argument &arg : args)
    for (auto [d, extent] : llvm::enumerate(arg.shape)) {
      if (nameOfSize(arg, d) != name)
        continue;
      if (extent.size)
        number = extent.size;
      if (d < arg.sizeDivisible.size())
        divisor = std::lcm(divisor, std::max<int64_t>(arg.sizeDivisible[d], 1));
      if (d < arg.sizeMax.size())
        most = std::min(most, arg.sizeMax[d]);
    }
  if (number && (*number < range.least || *number > range.most)) {
    why = "is " + std::to_string(*number);
    return std::nullopt;
  }
  if (range.least > most) {
    why = "is at most " + std::to_string(most);
    return std::nullopt;
  }
  range.most = std::min(range.most, most) / divisor * divisor;
  range.least = (range.least + divisor - 1) / divisor * divisor;
  if (range.least <= range.most)
    return range;
  why = "is a multiple of " + std::to_string(divisor);
  return std::nullopt;
}

/// What an entry says of a kernel; nothing, and why, if the kernel has no such launch. The ranges
/// are empty if it says nothing.
static std::optional<KnownSizes> knownOf(const GivenLaunches &given, StringRef kernel,
                                         ArrayRef<contract::Argument> args, std::string &why) {
  KnownSizes known{given.text, {}};
  // What is said of the kernel alone takes the place of what is said of all.
  for (const bool ofOne : {true, false}) {
    std::map<std::string, SizeRange> found;
    for (const GivenSize &size : given.sizes) {
      std::optional<std::string> name = resolve(args, size.name);
      if (!name || size.kernel.empty() == ofOne || (ofOne && size.kernel != kernel) ||
          known.ranges.count(*name))
        continue;
      auto [at, isNew] = found.try_emplace(*name, size.range);
      at->second = {std::max(at->second.least, size.range.least),
                    std::min(at->second.most, size.range.most)};
      if (at->second.least > at->second.most) {
        why = "'" + *name + "' has two numbers; launches of other sizes are another entry";
        return std::nullopt;
      }
    }
    known.ranges.insert(found.begin(), found.end());
  }
  for (auto &[name, range] : known.ranges) {
    std::string fact;
    std::optional<SizeRange> left = possible(args, name, range, fact);
    if (!left) {
      why = "the kernel @" + kernel.str() + " has no such launch: its size '" + name + "' " + fact;
      return std::nullopt;
    }
    range = *left;
  }
  return known;
}

/// The number that a size has in the source, if it has one. The contract has no name for it.
static std::optional<int64_t> staticSize(tile::KernelOp kernel, StringRef name) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto type = dyn_cast<MemRefType>(kernel.getArgumentTypes()[i]);
    auto shape = kernel.getArgAttrOfType<ArrayAttr>(i, tile::TileDialect::kShape);
    if (!type || !shape)
      continue;
    for (auto [d, entry] : llvm::enumerate(shape))
      if (auto text = dyn_cast<StringAttr>(entry);
          text && text.getValue() == name && !type.isDynamicDim(d))
        return type.getDimSize(d);
  }
  return std::nullopt;
}

/// The sizes of a kernel, for a message.
static std::string sizesOf(ArrayRef<contract::Argument> args) {
  std::vector<std::string> names;
  for (const contract::Argument &arg : args)
    for (auto [d, extent] : llvm::enumerate(arg.shape))
      if (std::string name = nameOfSize(arg, d); !extent.size && !llvm::is_contained(names, name))
        names.push_back(std::move(name));
  return names.empty() ? "none" : llvm::join(names, ", ");
}

static LogicalResult checkEntry(const GivenLaunches &given, ModuleOp module,
                                ArrayRef<std::string> compiled, Location loc) {
  std::string why;
  bool isPossible = false;
  for (const GivenSize &size : given.sizes) {
    bool isKernel = size.kernel.empty(), isFound = false;
    std::string known;
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      const StringRef name = tile::launchedName(kernel);
      if (!size.kernel.empty() && name != size.kernel)
        continue;
      isKernel = true;
      const std::vector<contract::Argument> args = contract::describeArguments(kernel);
      isFound |= staticSize(kernel, size.name) || resolve(args, size.name);
      if (known.empty() || !size.kernel.empty())
        known = "the kernel @" + name.str() + " has " + sizesOf(args);
    }
    if (!isKernel) {
      errorOf(given.text, loc) << "there is no kernel @" << size.kernel;
      return failure();
    }
    if (!isFound) {
      errorOf(given.text, loc) << "no size is called '" << size.name << "'; " << known;
      return failure();
    }
  }
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    const StringRef name = tile::launchedName(kernel);
    if (!compiled.empty() && !llvm::is_contained(compiled, name))
      continue;
    bool agrees = true; // with sizes that are numbers in the source
    for (const GivenSize &size : given.sizes)
      if (std::optional<int64_t> number = staticSize(kernel, size.name);
          number && (size.kernel.empty() || size.kernel == name) &&
          (*number < size.range.least || *number > size.range.most)) {
        why = "the kernel @" + name.str() + " has no such launch: its size '" + size.name +
              "' is " + std::to_string(*number);
        agrees = false;
      }
    isPossible |=
        agrees && knownOf(given, name, contract::describeArguments(kernel), why).has_value();
  }
  if (isPossible || why.empty())
    return success();
  errorOf(given.text, loc) << why;
  return failure();
}

FailureOr<std::vector<GivenLaunches>> tessera::readSizes(ModuleOp module,
                                                         const CompileOptions &options) {
  // Options have no location in the source.
  Location loc = UnknownLoc::get(module.getContext());
  // Of functions alone no sizes are known.
  const bool hasKernels = !module.getOps<tile::KernelOp>().empty();
  std::vector<GivenLaunches> all;
  for (StringRef entry : options.sizes) {
    FailureOr<GivenLaunches> given = readEntry(entry, loc);
    if (failed(given) || (hasKernels && failed(checkEntry(*given, module, options.kernels, loc))))
      return failure();
    all.push_back(std::move(*given));
  }
  return all;
}

std::vector<KnownSizes> tessera::knownSizes(ArrayRef<GivenLaunches> given, StringRef kernel,
                                            ArrayRef<contract::Argument> args) {
  std::vector<KnownSizes> all;
  for (const GivenLaunches &launches : given) {
    std::string why;
    std::optional<KnownSizes> known = knownOf(launches, kernel, args, why);
    if (known && !known->ranges.empty())
      all.push_back(std::move(*known));
  }
  return all;
}
