// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: the sizes of launches that a host names (CompileOptions::sizes), for
// which the members of families are chosen.
#ifndef TESSERA_LIB_COMPILER_INPUT_GIVENSIZES_H
#define TESSERA_LIB_COMPILER_INPUT_GIVENSIZES_H

#include "tessera/Compiler.h"
#include "tessera/Contract/Contract.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace tessera {

/// All numbers from `least` to `most`.
struct SizeRange {
  int64_t least = 1, most = 1;
};

/// A size with its name, of all kernels that have it or of one.
struct GivenSize {
  std::string kernel; ///< empty: all
  std::string name;   ///< in tile.shape, or "ARGUMENT.DIMENSION"
  SizeRange range;
};

/// Launches of which some sizes are known: an entry of CompileOptions::sizes.
struct GivenLaunches {
  std::string text;
  std::vector<GivenSize> sizes;
};

/// What an entry says of the launches of one kernel, by nameOfSize.
struct KnownSizes {
  std::string text;
  std::map<std::string, SizeRange> ranges;
};

/// Reads CompileOptions::sizes. An error if an entry cannot be read, names a size that no kernel of
/// the module has, or has numbers that the facts of all kernels exclude that have these sizes and
/// are compiled.
mlir::FailureOr<std::vector<GivenLaunches>> readSizes(mlir::ModuleOp module,
                                                      const CompileOptions &options);

/// The name of a dimension in tile.shape, which others of the same size have, too; of one without a
/// name "A.0".
std::string nameOfSize(const contract::Argument &arg, size_t dim);

/// What the entries say of a kernel with these arguments. Those that say nothing of it, or of which
/// it has no launch, are left out.
std::vector<KnownSizes> knownSizes(llvm::ArrayRef<GivenLaunches> given, llvm::StringRef kernel,
                                   llvm::ArrayRef<contract::Argument> args);

} // namespace tessera

#endif
