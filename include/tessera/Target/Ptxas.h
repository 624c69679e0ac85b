// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PTX text to a cubin by NVIDIA's ptxas, and what its log says.
#ifndef TESSERA_TARGET_PTXAS_H
#define TESSERA_TARGET_PTXAS_H

#include "tessera/Machine/Hopper.h"
#include "tessera/Target/ExternalTool.h"

#include <map>
#include <optional>

namespace tessera {

struct PtxasOptions {
  ToolSearch search;
  std::string tempDir;            // parent of the temporary directory; empty: the system's
  Leftovers *leftovers = nullptr; // knows that directory, and ptxas
  std::string chip = hopper::kChip;
  unsigned optLevel = 3;
  bool lineInfo = false;
  unsigned threads = 0; // 0: as many as the machine runs at once
};

/// What ptxas says about one entry function.
struct PtxasFunction {
  std::string name;
  int64_t registers = 0, barriers = 0;
  int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0, constantBytes = 0;
};

struct PtxasMessage {
  enum class Severity { Info, Warning, Error };
  Severity severity = Severity::Info;
  std::string code;     // "C7510", or empty
  std::string function; // if it names one
  unsigned line = 0;    // of the PTX text; 0: none
  std::string text;
  /// C75xx: wgmma serialised, setmaxnreg ignored and the like. ptxas calls them information and
  /// exits with 0; they are failures here.
  bool isPerformanceLoss() const { return code.size() == 5 && code.compare(0, 3, "C75") == 0; }
};

struct PtxasLog {
  std::vector<PtxasFunction> functions;
  std::vector<PtxasMessage> messages; // but those that fill `functions`
  const PtxasFunction *lookup(llvm::StringRef name) const;
};

/// Reads the output of `ptxas -v`.
PtxasLog parsePtxasLog(llvm::StringRef text);

struct PtxasResult {
  std::string cubin, logText, program;
  PtxasLog log;
};

/// Finds ptxas.
mlir::FailureOr<std::string> findPtxas(const ToolSearch &search, mlir::Location loc);

/// "13.0.88"; empty if the program does not say.
std::string ptxasVersion(llvm::StringRef program, const TemporaryDirectory &directory);

/// Assembles; errors of ptxas become diagnostics with the line of PTX. Messages in the log are the
/// caller's to judge
/// (`judgePtxas`).
mlir::FailureOr<PtxasResult> runPtxas(llvm::StringRef ptx, const PtxasOptions &options,
                                      mlir::Location loc);

/// What is made of code that ptxas serialises, or that spills on the tensor path.
enum class PtxasLosses {
  Errors,   ///< the plan has failed
  Warnings, ///< no other plan is left
  Expected, ///< nobody asked for speed: ptxas serialises all products of a build without
            ///< optimisation, or with checks (C7510)
};

/// What a function is held to.
struct PtxasPolicy {
  PtxasLosses losses = PtxasLosses::Errors;
  std::string kernel; // that the function is a launch of; of variants the kernel of the text
  bool onTensorPath = false;
  bool isFallback = false; // another variant is the fast one
  bool requireNoSpills = false;
  int64_t plannedBlocks = 0; // on an SM, if a plan says it: the number of blocks follows from it
  std::optional<mlir::Location> loc;
};

/// What the spills of a function are: an error wherever the kernel demands none; nothing where
/// losses are expected, and in a fallback variant, whose spills the report has; else on the tensor
/// path an error of whatever size, or a warning where no other plan is left; off the tensor path a
/// warning where they are more than a few registers.
enum class SpillVerdict { None, Warning, Error };
SpillVerdict judgeSpill(const PtxasFunction &function, const PtxasPolicy &policy);

/// Reports performance losses and spills as the policy of their function says. ptxas warnings
/// become warnings.
mlir::LogicalResult judgePtxas(const PtxasLog &log,
                               const std::map<std::string, PtxasPolicy> &policies,
                               mlir::Location loc);

} // namespace tessera

#endif
