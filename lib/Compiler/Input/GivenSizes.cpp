// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Input/GivenSizes.h"

#include "tessera/Dialect/Tile/Tile.h"

#include "llvm/ADT/SetVector.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tessera;

static constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max();

std::string tessera::nameOfSize(const contract::Argument &arg, size_t dim) {
  return arg.name + "." + std::to_string(dim);
}

//===--- the text ----------------------------------------------------------------------------===//

static std::optional<SizeRange> readRange(StringRef text) {
  auto [least, most] = text.contains("..") ? text.split("..") : std::pair(text, text);
  SizeRange range;
  if (least.trim().getAsInteger(10, range.least) || most.trim().getAsInteger(10, range.most) ||
      range.least < 1 || range.most < range.least || range.most > kMostSize)
    return std::nullopt;
  return range;
}

static FailureOr<GivenLaunches> readEntry(StringRef entry, Location loc) {
  auto error = [&] { return emitError(loc) << "the sizes '" << entry << "': "; };
  GivenLaunches given;
  SmallVector<StringRef> parts;
  entry.split(parts, ',');
  for (StringRef part : parts) {
    auto [target, number] = part.rsplit('=');
    auto [kernel, name] =
        target.contains('/') ? target.rsplit('/') : std::pair(StringRef(), target);
    GivenSize size{kernel.trim().str(), name.trim().str(), {}};
    if (size.name.empty() || !part.contains('='))
      return error() << "'" << part.trim()
                     << "' is not of the form NAME=NUMBER, NAME=LEAST..MOST or KERNEL/NAME=NUMBER",
             failure();
    std::optional<SizeRange> range = readRange(number.trim());
    if (!range)
      return error() << "'" << number.trim() << "' is neither a number from 1 to " << kMostSize
                     << " nor two of them with '..' between, the smaller one first",
             failure();
    size.range = *range;
    if (llvm::any_of(given, [&](const GivenSize &other) {
          return other.name == size.name && other.kernel == size.kernel;
        }))
      return error() << "'" << target.trim()
                     << "' has two numbers; launches of other sizes are "
                        "another entry",
             failure();
    given.push_back(std::move(size));
  }
  return given;
}

//===--- the kernels -------------------------------------------------------------------------===//

/// Calls `visit` for each dimension that has the name.
static bool forEachNamed(ArrayRef<contract::Argument> args, StringRef name,
                         function_ref<void(const contract::Argument &, size_t dim)> visit) {
  bool isFound = false;
  for (const contract::Argument &arg : args)
    for (auto [d, extent] : llvm::enumerate(arg.shape))
      if (extent.symbol == name || nameOfSize(arg, d) == name) {
        isFound = true;
        visit(arg, d);
      }
  return isFound;
}

/// An error if no launch of the kernel has such a size.
static LogicalResult checkFacts(tile::KernelOp kernel, ArrayRef<contract::Argument> args,
                                const GivenSize &size) {
  int64_t divisor = 1;
  SizeRange left = size.range;
  bool isStatic = false;
  forEachNamed(args, size.name, [&](const contract::Argument &arg, size_t d) {
    if (std::optional<int64_t> extent = arg.shape[d].size) {
      isStatic = true;
      left = {std::max(left.least, *extent), std::min(left.most, *extent)};
    }
    if (d < arg.sizeDivisible.size())
      divisor = std::lcm(divisor, arg.sizeDivisible[d]);
    if (d < arg.sizeMax.size())
      left.most = std::min(left.most, arg.sizeMax[d]);
  });
  if (left.least <= left.most && left.most / divisor * divisor >= left.least)
    return success();
  InFlightDiagnostic error = kernel.emitError("has no launch with the size ")
                             << size.name << " = " << size.range.least;
  if (size.range.most > size.range.least)
    error << ".." << size.range.most;
  error << " (--sizes): ";
  if (isStatic)
    error << "it has another number in the source";
  else if (left.most < left.least)
    error << "the source says that it is at most " << left.most;
  else
    error << "the source says that it is a multiple of " << divisor;
  return failure();
}

FailureOr<std::vector<GivenLaunches>> tessera::readSizes(ModuleOp module,
                                                         const CompileOptions &options) {
  // Options have no location in the source.
  Location loc = UnknownLoc::get(module.getContext());
  std::vector<GivenLaunches> all;
  for (StringRef entry : options.sizes) {
    FailureOr<GivenLaunches> given = readEntry(entry, loc);
    if (failed(given))
      return failure();
    // Of functions alone no sizes are known.
    const bool hasKernels = !module.getOps<tile::KernelOp>().empty();
    for (const GivenSize &size : *given) {
      if (!hasKernels)
        break;
      bool isFound = false, isKernel = size.kernel.empty(), isGood = true;
      llvm::SmallSetVector<StringRef, 8> names;
      std::vector<std::vector<contract::Argument>> described; // keep the texts of `names`
      for (auto kernel : module.getOps<tile::KernelOp>()) {
        if (!size.kernel.empty() && kernel.getSymName() != size.kernel)
          continue;
        isKernel = true;
        const auto &args = described.emplace_back(contract::describeArguments(kernel));
        for (const contract::Argument &arg : args)
          for (const contract::Argument::Extent &extent : arg.shape)
            if (!extent.symbol.empty())
              names.insert(extent.symbol);
        const bool hasSize =
            forEachNamed(args, size.name, [](const contract::Argument &, size_t) {});
        isFound |= hasSize;
        if (hasSize)
          isGood &= succeeded(checkFacts(kernel, args, size));
      }
      if (!isGood)
        return failure();
      if (isFound)
        continue;
      InFlightDiagnostic error = emitError(loc) << "the sizes '" << entry << "': ";
      if (!isKernel) {
        error << "there is no kernel @" << size.kernel;
        return failure();
      }
      error << "no size is called '" << size.name << "'; ";
      if (names.empty())
        error << "sizes without a name in tile.shape are called ARGUMENT.DIMENSION";
      else
        llvm::interleaveComma(names, error << "there are ");
      return failure();
    }
    all.push_back(std::move(*given));
  }
  return all;
}

std::vector<KnownSizes> tessera::knownSizes(ArrayRef<GivenLaunches> given, StringRef kernel,
                                            ArrayRef<contract::Argument> args) {
  std::vector<KnownSizes> all;
  for (const GivenLaunches &launches : given) {
    KnownSizes known;
    // What is said of the kernel alone is said last.
    for (const bool ofOne : {false, true})
      for (const GivenSize &size : launches)
        if (size.kernel.empty() != ofOne && (!ofOne || size.kernel == kernel) &&
            forEachNamed(args, size.name, [](const contract::Argument &, size_t) {}))
          known[size.name] = size.range;
    if (!known.empty())
      all.push_back(std::move(known));
  }
  return all;
}
