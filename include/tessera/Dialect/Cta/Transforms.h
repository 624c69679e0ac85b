// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the passes of the dialect `cta` decide, as functions.
#ifndef TESSERA_DIALECT_CTA_TRANSFORMS_H
#define TESSERA_DIALECT_CTA_TRANSFORMS_H

#include "tessera/Dialect/Cta/Cta.h"
#include "tessera/Layout/RegisterForms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>
#include <string>

namespace tessera::cta {

/// The demands of a load that a copy carries on to the pass that can meet them.
constexpr llvm::StringLiteral kRequireAttr = "require";

/// On a grid that is launched as without a plan: the kernel's is for the products of another grid.
constexpr llvm::StringLiteral kUnplannedAttr = "cta.unplanned";

/// On a kernel at L0 (an integer): the width of an epilogue's parts, if cta-plan-replicas plans it.
constexpr llvm::StringLiteral kReplicaPartAttr = "cta.replica_part";
/// Of a kernel: several blocks on an SM have failed, so that a plan which leaves their number open
/// gets one. cta-plan takes it.
constexpr llvm::StringLiteral kAloneAttr = "cta.alone";

/// On a kernel (unit): its plan is one of those that the compiler tries where another has failed.
constexpr llvm::StringLiteral kTriedPlanAttr = "cta.tried_plan";

/// On a kernel whose plan has no stages (a string): why, from cta-plan to cta-pipeline-copies.
constexpr llvm::StringLiteral kUnpipelinedAttr = "cta.unpipelined";

/// Whether the kernel's plan is carried out or refused: it is nobody's guess, and the kernel no
/// variant behind the one that the plan was made for. Other kernels leave out what they cannot do.
bool demandsPlan(tile::KernelOp kernel);

/// What cta-schedule found out about a loop, on the loop: a dictionary with `ii`, `bound` and
/// `bounds` in cycles, the stages of its `products` in the order of the text, and their `order` in
/// the pipelined loop, if it is not that of stages and text.
constexpr llvm::StringLiteral kScheduleAttr = "cta.schedule";

/// On a grid whose order cta-plan has chosen and which has one loop with products: the bytes of an
/// iteration that all blocks of a row read. cta-lower-grid makes groups less high where those of
/// the whole loop are many.
constexpr llvm::StringLiteral kPanelAttr = "cta.panel";
/// So many bytes may the rows of a group read in all, but eight rows always make one. Measured with
/// 128x256 tiles: at K = 4096 16 rows are best, at 8192 12 (16 as good on squares, 0.7 % slower
/// with 28672 columns), at 16384 and 28672 8 (16 are 1.5 and 0.8 % slower).
constexpr int64_t kPanelBytes = 24ll << 20, kLeastGroup = 8;

/// On a launch whose groups may be less high than the plan says, but by this many rows.
constexpr llvm::StringLiteral kLeastGroupAttr = "cta.least_group";

/// From so many rounds of its blocks on a launch of clusters deals its points by places on the
/// device (cta.cluster_place): then it is not dependent, which is worth more to a shorter one.
constexpr int64_t kRoundsForPlaces = 8;

/// On the loop over the iterations that cta-peel-masks left over: few, if any.
constexpr llvm::StringLiteral kRestAttr = "cta.rest";

/// Why blocks of a grid, placed or at L0, cannot be clusters along a dimension: they may have
/// points beyond its end.
std::optional<std::string> whyNotCluster(tile::GridOp grid, unsigned dim);

/// A product as wgmma sees it: tiles of M x K and K x N, the result M x N (rank 3: a batch in
/// front).
struct Product {
  llvm::ArrayRef<int64_t> a, b;
  mlir::Type element, result;
  bool hasPrecision = false, hasUnsigned = false, hasAccumulateEvery = false;

  explicit Product(tile::MmaOp op);
  explicit Product(MmaOp op);
  int64_t m() const { return a[a.size() - 2]; }
  int64_t n() const { return b[b.size() - 1]; }
  int64_t k() const { return a[a.size() - 1]; }
  /// The dimension that so many warpgroups share; -1: they cannot.
  int split(int64_t warpgroups) const { return layout::wgmmaSplit(m(), n(), warpgroups); }
};

/// Why the tensor cores cannot do the product with so many warpgroups, and what to change; nothing
/// if they can.
std::optional<std::string> whyNotWgmma(const Product &product, int64_t warpgroups);

/// Whether it is, or holds, a product of the tensor cores.
bool hasProducts(mlir::Operation *op);

/// The loop over points, with products, of a persistent launch; without one an error that begins
/// with what it is for.
mlir::FailureOr<mlir::scf::ForOp> loopOverPoints(LaunchOp launch, const llvm::Twine &purpose);

/// The number of warpgroups of a block for a kernel at L0 that does not say it. With products for
/// the tensor cores: the largest of 1, 2, 3 that splits the rows of all of them into 64s, if
/// possible such that no thread has more than 128 accumulators. Without: 1, 2 or 4 so that a thread
/// has about 32 elements of the largest tile, 64 if that is reduced to less than an element a warp.
int64_t chooseWarpgroups(tile::KernelOp kernel);

/// Knows the copies whose tiles are read only behind the products of their block. It looks through
/// a block once: while it lives no op with products may come, go or move.
class EpilogueCopies {
public:
  bool contains(CopyOp copy);

private:
  llvm::DenseMap<mlir::Block *, mlir::Operation *> lastProducts; ///< null: the block has none
};

/// The plan (or, if null, one that says nothing else) with this width of an epilogue's parts.
PlanAttr withEpilogue(mlir::MLIRContext *context, PlanAttr plan, int64_t width);

} // namespace tessera::cta

#endif
