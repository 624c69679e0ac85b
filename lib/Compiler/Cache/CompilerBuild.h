// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: which build of the compiler runs.
#ifndef TESSERA_LIB_COMPILER_CACHE_COMPILERBUILD_H
#define TESSERA_LIB_COMPILER_CACHE_COMPILERBUILD_H

#include <optional>
#include <string>

namespace tessera {

/// Bytes that differ between builds of what makes code: Tessera, MLIR and LLVM, be they in one file
/// or in several. A build is known by its GNU build ID, which depends on the contents of the file,
/// and without one by the file's path, size and time. Nothing if a file cannot be found.
std::optional<std::string> compilerBuild();

} // namespace tessera

#endif
