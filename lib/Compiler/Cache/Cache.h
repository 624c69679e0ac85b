// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Private to the library: results of compilations in a directory, where later compilations of the
// same source find them.
#ifndef TESSERA_LIB_COMPILER_CACHE_CACHE_H
#define TESSERA_LIB_COMPILER_CACHE_CACHE_H

#include "tessera/Compiler.h"

#include <optional>

namespace tessera {

/// The directory holds
///
///   keys/ab/cdef…     for a key (SHA-256 of all that a result depends on) the name of its value
///   values/01/2345…   a value, under the SHA-256 of its bytes: its key, and the result
///   tmp/              files that are being written
///
/// Files are written under tmp/ and then renamed, so several processes may use a directory. A value
/// whose bytes have not its name, or which belongs to another key, is removed, and the result is
/// made again; the host is told by a warning.
class Cache {
public:
  /// A cache for one compilation; inactive if the options name no directory, or ask for what cannot
  /// be kept: intermediate files, or passes and dialects of the host without a name (cacheKey).
  Cache(std::string_view source, const CompileOptions &options);

  /// The result that the cache holds. `warnings` receives what was wrong with one that is damaged.
  std::optional<CompileResult> find(std::vector<CompileDiagnostic> &warnings) const;

  /// Keeps a result, and removes the results that were used longest ago while all are larger than
  /// the limit. A cache that cannot be written is a warning of the result.
  void keep(CompileResult &result) const;

private:
  std::string directory, key;
  uint64_t limit = 0;
};

} // namespace tessera

#endif
