// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Explain.h - What a launch chose from -------------------------------===//

#ifndef TESSERA_TOOLS_TILE_RUN_EXPLAIN_H
#define TESSERA_TOOLS_TILE_RUN_EXPLAIN_H

#include "tessera/Runtime/Launcher.h"

#ifndef JSON_NOEXCEPTION
#define JSON_NOEXCEPTION
#endif
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tile_run {

/// The ranking of the members of a kernel for the arguments of a run.
class Explanation {
public:
  explicit Explanation(const tessera::rt::KernelContract &kernel) : kernel(kernel) {}

  /// One line a member; with `json` nothing, since `describe` is printed then.
  void print(bool json) const;
  /// Notes the time that the chosen member took, and puts it beside the prediction.
  std::string measured(double microseconds);
  nlohmann::ordered_json describe() const;

  std::vector<tessera::rt::Ranked> ranking;

private:
  const tessera::rt::KernelContract &kernel;
  std::optional<double> microseconds;
};

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_EXPLAIN_H
