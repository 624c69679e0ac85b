// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The list of passes from a tile program to the LLVM dialect, cut into phases.
#ifndef TESSERA_PIPELINES_H
#define TESSERA_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace tessera {

/// The phases of a module. Their names are also what `--stop-after` takes.
enum class Phase {
  Source,      // a tile program as written: helpers may be called
  Tile,        // L0, helpers inlined, checked, variants made
  Raw,         // cta ops on unencoded tensors, products formed
  Placed,      // layouts, swizzles and copy mechanisms chosen
  Planned,     // scratch is explicit, plans are complete; still grids
  Scheduled,   // launches; loads feed channels, loops have schedules
  Specialized, // warp-specialised roles run concurrently
  Allocated,   // offsets of shared memory, barriers, registers
  Nvvm,        // llvm.func of one thread, with scf, arith and nvvm ops
  Llvm         // llvm and nvvm ops only
};

llvm::StringRef phaseName(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);
/// The names that parsePhase takes, as text: "tile, raw, …".
std::string phaseNames();

/// The phase of a module: that of its least lowered kernel. If it has no kernel its functions
/// decide.
Phase detectPhase(mlir::ModuleOp module);

struct TilePipelineOptions {
  /// auto, any, lines, aligned, operands, cp_async, repack, tables or tables_any: see
  /// tile-specialize-facts.
  std::string variants = "auto";
  /// Choose what the plans of kernels leave open (cta-plan), also for kernels without a plan, and
  /// what the algebra of a loop leaves open (tile-guard-references).
  bool derivePlans = true;
  /// Make dependent launches, which may begin before the launch before them in the stream has
  /// ended.
  bool dependentLaunch = true;
  /// Whether to make variants at all.
  bool specialize = true;
  /// Let predicted times depend on whether rows are whole cache lines apart, which the launcher
  /// finds out (cta-predict-cost). A variant that stands for all others leaves that to them.
  bool asksForLines = true;
  /// Predict the time of every kernel, and not of members of families alone (cta-predict-cost).
  bool predict = false;
  /// Check at run time what the language leaves undefined: tile-insert-checks.
  bool check = false;
};

/// Appends the passes that take a module from phase `from` to phase `to`, and verification at the
/// end of each phase. `pm` works on modules. Appends nothing if `to` is not after `from`.
void buildTilePipeline(mlir::OpPassManager &pm, Phase from, Phase to,
                       const TilePipelineOptions &options = {});

/// Registers `tessera-to-tile` … `tessera-to-llvm`.
void registerTilePipelines();

} // namespace tessera

#endif
