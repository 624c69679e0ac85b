// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler as a function: a tile program in; an artifact, a report and diagnostics out.
//
//   tessera::CompileOptions options;
//   tessera::CompileResult result = tessera::compile(text, options);
//   if (!result.ok)
//     std::cerr << tessera::formatDiagnostics(result.diagnostics, text);
//
// Each call works in a private, single-threaded context, so calls may run in parallel. Code
// generation may use threads of its own (`threads`); the code is the same for any number of them. A
// call changes no global state but LLVM's registry of targets, once. It reads no environment
// variable but PATH, to find programs for which the options give no path. It installs no signal
// handlers and does not exit the process.
#ifndef TESSERA_COMPILER_H
#define TESSERA_COMPILER_H

#include "tessera/Report.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tessera {

class Leftovers;

enum class Target { Sm90a, Cpu };

/// The kind of an artifact.
enum class Emit {
  Tile, // L0 after the passes on it
  Raw,  // Raw to Allocated: kernels of later phases (Pipelines.h), sm_90a only
  Placed,
  Planned,
  Scheduled,
  Specialized,
  Allocated,
  Cta = Allocated, // the last phase that still has kernels
  Nvvm,            // per-thread code: llvm.func with nvvm, arith, scf
  Llvm,            // LLVM IR, optimised
  Ptx,             // sm_90a only
  Sass,            // sm_90a only: disassembly
  Cubin,           // sm_90a only
  SharedObject,    // cpu only
  Json             // the launch contract
};

/// The most threads that are accepted. More would only wait for each other.
constexpr unsigned kMaxThreads = 1024;

struct CompileOptions {
  Target target = Target::Sm90a;
  /// Default: a cubin, or a shared object for the CPU.
  std::optional<Emit> emit;
  /// Stop after this phase (Pipelines.h) and return the module as text; empty: don't.
  std::string stopAfter;
  /// Variants of a kernel: auto, any, lines, aligned, cp_async or repack.
  std::string variants = "auto";
  /// "auto": cta-plan chooses what the plans of kernels leave open. "given": plans are what the
  /// source IR says. Otherwise it is a `#cta.plan<...>` for all kernels without one; what it leaves
  /// open is chosen.
  std::string plan = "auto";
  /// The name by which errors in the text of `plan` refer to it, with line and column.
  std::string planName = "--plan";
  /// Overrides `fp_contract` of all kernels.
  std::optional<bool> fpContract;
  /// Demands on the whole module: tma, wgmma, pipelined, peeled, no_spills, deterministic.
  std::vector<std::string> require;
  /// LLVM's and ptxas' optimisation level, 0 to 3.
  unsigned optLevel = 3;
  /// Threads for code generation and ptxas, at most kMaxThreads: 0 for as many as the machine runs
  /// at once, 1 for none but the caller's. ptxas notes the number in a cubin (`-split-compile`):
  /// the code does not depend on it, one byte of the file does.
  unsigned threads = 0;
  /// Check at run time what the language leaves undefined: a failed check names the source line and
  /// ends the program.
  bool check = false;
  /// Make dependent launches: a kernel may begin before the one before it in the stream has ended,
  /// and waits for it itself.
  bool dependentLaunch = true;
  /// Line tables in the cubin.
  bool lineInfo = false;
  /// A directory to which all intermediate texts are written as they are made; empty: none.
  std::string saveTemps;
  /// Where temporary files go; empty: the system's directory.
  std::string tempDir;
  /// Records those files, and the programs that are running, for a host that handles signals. It
  /// may be null, and may serve several compilations.
  Leftovers *leftovers = nullptr;
  /// Paths of programs (or of their directories); empty: PATH, then `toolDirectories`.
  std::string ptxas, disassembler, linker;
  /// The CPU that target cpu compiles for: an LLVM name, native for this machine; empty: a portable
  /// baseline.
  std::string cpu;
  std::vector<std::string> toolDirectories;
  /// Registers dialects of the host, whose elementwise ops may stand in kernels from phase raw on
  /// (docs/Embedding.md). Called once in each compilation; may be empty.
  std::function<void(mlir::DialectRegistry &)> registerDialects;
  /// The name of the source in locations.
  std::string sourceName = "<source>";
};

struct CompileDiagnostic {
  enum class Severity { Error, Warning, Remark, Note };
  Severity severity = Severity::Error;
  std::string file; // empty: no location
  unsigned line = 0, column = 0;
  std::string message;
  std::vector<CompileDiagnostic> notes;
};

struct CompileResult {
  bool ok = false;
  Emit kind = Emit::Cubin;
  /// Bytes or text, as `kind` says.
  std::string artifact;
  Report report;
  std::vector<CompileDiagnostic> diagnostics;
  /// If a pass failed: the module on which it ran, as text for `tile-opt --run-reproducer`.
  std::string reproducer;
  /// Name and wall-clock seconds of the phases and tools, in order.
  std::vector<std::pair<std::string, double>> timings;
};

/// Compiles MLIR text or bytecode.
CompileResult compile(std::string_view source, const CompileOptions &options = {});

/// Compiles a copy of a module of another context; the module is not touched.
CompileResult compile(mlir::ModuleOp module, const CompileOptions &options = {});

/// Diagnostics as clang prints them: with the line of `source` and a caret for those in
/// `sourceName`.
std::string formatDiagnostics(const std::vector<CompileDiagnostic> &diagnostics,
                              std::string_view source, std::string_view sourceName = "<source>");

/// "tessera 0.1.0 (LLVM 22.1.8)"
std::string versionText();

} // namespace tessera

#endif
