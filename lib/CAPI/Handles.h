// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is behind the pointers of the C interface.
#ifndef TESSERA_LIB_CAPI_HANDLES_H
#define TESSERA_LIB_CAPI_HANDLES_H

#include "tessera-c/Compiler.h"
#include "tessera/Compiler.h"

struct tessera_options {
  tessera::CompileOptions options;
  std::string error; // of the last tessera_options_set
  int (*progress)(void *, const tessera_progress *) = nullptr;
  void *progressUser = nullptr;
};

struct tessera_cancellation {
  tessera::Cancellation cancellation;
};

struct tessera_result {
  tessera::CompileResult result;
  std::string diagnostics, report, reportJson;
  std::vector<const tessera::CompileDiagnostic *> errors;
};

namespace tessera {

/// What one compilation takes; `options` may be null. It calls the progress function of `options`,
/// which must live as long.
CompileOptions optionsOf(const tessera_options *options);

/// The result of a compilation as the C interface shows it. `source` is the text whose lines
/// diagnostics print; empty: there is none. The caller owns the result.
tessera_result *makeResult(CompileResult compiled, std::string_view source,
                           std::string_view sourceName);

} // namespace tessera

#endif
