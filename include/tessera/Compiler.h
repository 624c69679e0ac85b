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
// call changes no global state but LLVM's registry of targets, once. It reads two environment
// variables: PATH, to find programs for which the options give no path, and TMPDIR, unless they
// name a directory for temporary files. It writes nothing to standard output or standard error,
// installs no signal handlers and does not exit the process.
//
// A host may bound a call: by a timeout, by cancelling it from another thread, and by the limits on
// tiles (CompileLimits). A call that is stopped ends ptxas, removes its temporary files, and
// returns soon: within one pass over one function.
#ifndef TESSERA_COMPILER_H
#define TESSERA_COMPILER_H

#include "tessera/Report.h"
#include "tessera/StopCondition.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class OpPassManager;
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
  Json,            // the launch contract
  Contract,        // that of all members, for tessera_rt_load_on_demand
  Members          // the bindings of parameters that go together, one a line; nothing is compiled
};

/// The most threads that are accepted. More would only wait for each other.
constexpr unsigned kMaxThreads = 1024;

/// Where a compilation stands.
struct CompileProgress {
  std::string_view phase;           // "parse", "ptxas" and so on: those of the timings
  std::string_view kernel, variant; // empty: all of them
  double seconds = 0;               // since the call began
};

/// What would take a compiler hours is refused with the number. 0 means no limit.
struct CompileLimits {
  /// Bytes of one tile.
  uint64_t tileBytes = uint64_t{1} << 24;
  /// 32-bit registers that one tile takes in each thread of its kernel (GPU). A thread has 255; the
  /// rest is spilled, and the time of ptxas grows faster than their number
  /// (docs/performance/experiments.md).
  uint64_t threadRegisters = 1024;
};

struct CompileOptions {
  Target target = Target::Sm90a;
  /// Default: a cubin, or a shared object for the CPU.
  std::optional<Emit> emit;
  /// Stop after this phase (Pipelines.h) and return the module as text; empty: don't.
  std::string stopAfter;
  /// Variants of a kernel: auto, any, lines, aligned, operands, cp_async, repack, tables or
  /// tables_any.
  std::string variants = "auto";
  /// "auto": cta-plan chooses what the plans of kernels leave open. "given": plans are what the
  /// source IR says. Otherwise it is a `#cta.plan<...>` for all kernels without one, or several
  /// with the kernel or the variant that each is for, `gemm=#cta.plan<...>` and
  /// `gemm/aligned=#cta.plan<...>`; what they leave open is chosen.
  std::string plan = "auto";
  /// The name by which errors in the text of `plan` refer to it, with line and column.
  std::string planName = "--plan";
  /// Values of parameters (`tile.param`), as "BM=128" for all kernels that have it and
  /// "KERNEL/BM=128" for one; an entry may have several, separated by commas. Parameters that are
  /// not bound make a family of kernels (`members`); where one kernel is wanted, they have the
  /// first of their choices that go together; the report says so.
  std::vector<std::string> bindings;
  /// How many members of a family (a kernel with parameters that are not bound) the result holds at
  /// most. The launcher takes the one that is predicted to be the fastest for the sizes at hand. 0:
  /// 8 in a cubin (of kernels without products 20), all (of more than 96 bindings a sample) in
  /// Emit::Contract, and 1 in everything else. If this is 2 or more, a kernel without parameters,
  /// or with all of them bound, is a family of two where its sums can be cut: as it stands, and
  /// with its last wave divided among blocks (stream-K).
  unsigned members = 0;
  /// The members themselves, as `tilec --list-members` and `tile-tune` print them:
  /// "gemm_nt: BM=128,BN=256,BK=64", or with ",stream-k" behind it. A kernel of which some are
  /// named has these, and all of them have to compile; of the other kernels `members` are chosen.
  std::vector<std::string> memberList;
  /// Sizes of launches, for which the members of families are then chosen: "M=64,N=4096,K=4096", an
  /// entry for each launch. A name is one of `tile.shape`, or "ARGUMENT.DIMENSION" of a size
  /// without one; "M=1..128" is a range, "KERNEL/M=64" is for one kernel, and a size that is not
  /// named may be any. Empty: members are chosen for all sizes. Launches of other sizes stay right,
  /// or are refused with the condition that they break, but may be slow. Where one kernel is
  /// wanted, it is the fastest member for these sizes. No times are predicted for the CPU, and a
  /// contract (Emit::Contract) has all members.
  std::vector<std::string> sizes;
  /// The names of the kernels that are compiled; empty: all. A name that no kernel has is an error.
  std::vector<std::string> kernels;
  /// Overrides `fp_contract` of all kernels.
  std::optional<bool> fpContract;
  /// Demands on the whole module: tma, wgmma, pipelined, peeled, no_spills, deterministic.
  std::vector<std::string> require;
  /// LLVM's and ptxas' optimisation level, 0 to 3. On the CPU, level 1 has vectors, but nothing is
  /// unrolled or interleaved.
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
  /// Give every kernel its predicted time in the launch contract, and not members of families
  /// alone (`predicted` in docs/Contract.md): to compare with what is measured.
  bool predict = false;
  /// Line tables in the cubin.
  bool lineInfo = false;
  /// A directory to which all intermediate texts are written as they are made; empty: none.
  std::string saveTemps;
  /// Where temporary files go; empty: the system's directory.
  std::string tempDir;
  /// Seconds after which the call gives up; 0: never.
  double timeout = 0;
  /// With this the host ends the call from another thread. It may be null, and may serve several
  /// compilations.
  const Cancellation *cancellation = nullptr;
  CompileLimits limits;
  /// Called when a phase begins, and when its passes come to another kernel: in the thread of the
  /// call, often, and with texts that live no longer than it. If it returns false the compilation
  /// is cancelled.
  std::function<bool(const CompileProgress &)> progress;
  /// A directory that keeps results and finds them again; empty: none. The key is the source, the
  /// options, this build of the compiler, and ptxas (or the linker). Several processes may use it.
  /// A value is verified by its SHA-256, which finds damage and no malice: who can write there can
  /// choose the code that hosts run. Errors, listings (Emit::Sass) and compilations that write
  /// intermediate files are not kept.
  std::string cacheDir;
  /// Its size in bytes at most: what was used longest ago is removed. 0: no limit.
  uint64_t cacheLimit = uint64_t{1} << 30;
  /// With `registerDialects` or `addPasses`, a text that changes when they do: it becomes a part of
  /// the key. If it is empty, such compilations are not kept.
  std::string cacheKey;
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
  /// Adds passes of the host, which run on the module before anything else does. After them it
  /// needs to hold kernels; what else it holds is left alone.
  std::function<void(mlir::OpPassManager &)> addPasses;
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
  /// Whether the host cancelled the call or its time was over. Then it is not `ok`, and the only
  /// error says so.
  StopCondition::Reason stopped = StopCondition::Reason::None;
  Emit kind = Emit::Cubin;
  /// Bytes or text, as `kind` says.
  std::string artifact;
  Report report;
  std::vector<CompileDiagnostic> diagnostics;
  /// If a pass failed: the module on which it ran, as text for `tile-opt --run-reproducer`.
  std::string reproducer;
  /// Whether it was found in the cache, with all its diagnostics.
  bool cached = false;
  /// Name and wall-clock seconds of the phases and tools, in order.
  std::vector<std::pair<std::string, double>> timings;
};

/// Whether CompileOptions::variants or an entry of CompileOptions::require may have that value.
bool isVariantChoice(std::string_view value);
bool isRequirement(std::string_view value);

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
