// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// PTX text to a cubin by NVIDIA's ptxas, and what its log says.
#ifndef TESSERA_TARGET_PTXAS_H
#define TESSERA_TARGET_PTXAS_H

#include "tessera/Machine/Machines.h"
#include "tessera/Target/ExternalTool.h"

#include <map>
#include <optional>

namespace tessera {

struct PtxasPolicy;

struct PtxasOptions {
  ToolSearch search;
  ToolEnvironment environment;
  std::string chip = kDefaultMachine.chip;
  unsigned optLevel = 3;
  bool lineInfo = false;
  unsigned threads = 0; // 0: as many as the machine runs at once
  /// By function; may be null. An error about a function then is one about its kernel.
  const std::map<std::string, PtxasPolicy> *policies = nullptr;
};

/// What ptxas says about one entry function.
struct PtxasFunction {
  std::string name;
  int64_t registers = 0, barriers = 0;
  int64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  int64_t staticSharedBytes = 0, constantBytes = 0;
  /// False if what is spilled is stored and loaded outside the innermost loops with products.
  bool spillsInProductLoops = true;
};

struct PtxasMessage {
  enum class Severity { Info, Warning, Error };
  Severity severity = Severity::Info;
  std::string code;     // "C7510", or empty
  std::string function; // if it names one
  unsigned line = 0;    // of the PTX text; 0: none
  std::string text;
  /// True for C75xx: wgmma serialised, setmaxnreg ignored and the like. ptxas reports them as
  /// information and exits with 0; they are failures here.
  bool isPerformanceLoss() const { return code.size() == 5 && code.compare(0, 3, "C75") == 0; }
};

struct PtxasLog {
  std::vector<PtxasFunction> functions;
  std::vector<PtxasMessage> messages; // all but those from which `functions` is filled
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

/// How code that ptxas serialises, or that spills between matrix products, is reported.
enum class PtxasLosses {
  Errors,   ///< as errors: the plan has failed
  Warnings, ///< as warnings: no other plan is left
  Expected, ///< nobody asked for speed: ptxas serialises all products of a build without
            ///< optimisation, or with checks (C7510)
};

/// The rules that apply to a function.
struct PtxasPolicy {
  PtxasLosses losses = PtxasLosses::Errors;
  std::string kernel; // whose launch the function is; for a variant, the kernel of the source
  bool onTensorPath = false;
  bool isFallback = false; // another variant is the fast one
  bool requireNoSpills = false;
  int64_t plannedBlocks = 0;       // blocks on an SM, if a plan gives them
  bool mayHaveFewerBlocks = false; // on an SM: nobody gave their number, and no spill is worth it
  std::optional<mlir::Location> loc;
};

/// The verdict on the spills of a function. Where the kernel demands no spills, they are always an
/// error. Otherwise they are nothing where losses are expected, and in a fallback variant, whose
/// spills are in the report. With matrix products on the tensor cores, spills of any size are an
/// error, or a warning where no other plan is left. In other code they are a warning if they are
/// more than a few registers.
enum class SpillVerdict { None, Warning, Error };
SpillVerdict judgeSpill(const PtxasFunction &function, const PtxasPolicy &policy);

/// Runs ptxas. Its errors become diagnostics with the line of PTX. The caller judges the messages
/// in the log (`judgePtxas`).
mlir::FailureOr<PtxasResult> runPtxas(llvm::StringRef ptx, const PtxasOptions &options,
                                      mlir::Location loc);

/// Reports performance losses and spills as the policy of their function says. ptxas warnings
/// become warnings. The errors know the kernel that they are about (DiagnosedKernel.h).
mlir::LogicalResult judgePtxas(const PtxasLog &log,
                               const std::map<std::string, PtxasPolicy> &policies,
                               mlir::Location loc);

} // namespace tessera

#endif
