// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: results of compilations as bytes, for the cache.
#ifndef TESSERA_LIB_COMPILER_CACHE_RESULTBYTES_H
#define TESSERA_LIB_COMPILER_CACHE_RESULTBYTES_H

#include "tessera/Compiler.h"

#include <optional>

namespace tessera {

/// The artifact, the report and the diagnostics of a result. Times and reproducers are left out.
std::string writeResult(const CompileResult &result);

/// Reads what writeResult has written, by the same build of the compiler; nothing if the bytes are
/// something else. It accepts any bytes.
std::optional<CompileResult> readResult(std::string_view bytes);

} // namespace tessera

#endif
