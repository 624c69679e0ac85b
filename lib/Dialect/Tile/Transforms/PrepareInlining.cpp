// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-prepare-inlining: what upstream's inliner must not see. It inlines whatever it is given, and
// functions that each call the one before twice are 2^n ops.
#include "tessera/Dialect/Tile/Passes.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEPREPAREINLINING
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

namespace {

/// The size of a body after all calls are inlined.
struct Extent {
  uint64_t ops = 0; ///< saturated
  unsigned nesting = 0;
};

class Calls {
public:
  explicit Calls(ModuleOp module) : symbols(module) {}

  /// Fails if it has reported an error.
  LogicalResult check(KernelOp kernel);
  bool isReached(func::FuncOp func) const { return extents.count(func); }

private:
  FailureOr<Extent> measure(Operation *root);
  FailureOr<Extent> measureCall(Operation *call, func::FuncOp callee);
  /// The function to which an op refers; null if it refers to none with a body.
  func::FuncOp calleeOf(Operation *op);

  SymbolTable symbols;
  llvm::DenseMap<func::FuncOp, Extent> extents;
  llvm::SetVector<func::FuncOp> active;
  uint64_t largest = 0; ///< ops of the kernel's largest call
  Operation *largestCall = nullptr;
};
} // namespace

func::FuncOp Calls::calleeOf(Operation *op) {
  // Canonicalization turns an indirect call of a constant function into a call.
  FlatSymbolRefAttr name;
  if (auto call = dyn_cast<func::CallOp>(op))
    name = call.getCalleeAttr();
  else if (auto constant = dyn_cast<func::ConstantOp>(op))
    name = constant.getValueAttr();
  auto func = name ? symbols.lookup<func::FuncOp>(name.getAttr()) : func::FuncOp();
  return func && !func.isExternal() ? func : func::FuncOp();
}

FailureOr<Extent> Calls::measureCall(Operation *call, func::FuncOp callee) {
  if (auto known = extents.find(callee); known != extents.end())
    return known->second;
  if (active.contains(callee))
    return call->emitOpError("calls @")
               << callee.getSymName()
               << ", which calls itself: functions of a tile program are inlined, and may not be "
                  "recursive; write a loop",
           failure();
  if (active.size() >= kMaxNesting)
    return call->emitOpError("is the last of ")
               << kMaxNesting << " calls in each other, which is the limit; the next would be of @"
               << callee.getSymName(),
           failure();
  active.insert(callee);
  FailureOr<Extent> extent = measure(callee);
  active.pop_back();
  if (failed(extent))
    return failure();
  extents[callee] = *extent;
  return extent;
}

FailureOr<Extent> Calls::measure(Operation *root) {
  Extent total;
  // The parser bounded the nesting; it is bounded here because the stack is, too.
  SmallVector<std::pair<Operation *, unsigned>> work{{root, 0}};
  while (!work.empty()) {
    auto [op, depth] = work.pop_back_val();
    ++total.ops;
    total.nesting = std::max(total.nesting, depth);
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        work.push_back({&inner, depth + 1});
    func::FuncOp callee = calleeOf(op);
    if (!callee)
      continue;
    FailureOr<Extent> inlined = measureCall(op, callee);
    if (failed(inlined))
      return failure();
    total.ops = llvm::SaturatingAdd(total.ops, inlined->ops);
    // A location contains each call through which an op was inlined.
    total.nesting = std::max(total.nesting, depth + 1 + inlined->nesting);
    if (total.nesting > kMaxNesting)
      return op->emitOpError("calls @")
                 << callee.getSymName() << ", and with that regions and calls are nested "
                 << total.nesting << " levels deep; the limit is " << kMaxNesting,
             failure();
    if (active.empty() && inlined->ops > largest) {
      largest = inlined->ops;
      largestCall = op;
    }
  }
  return total;
}

LogicalResult Calls::check(KernelOp kernel) {
  largest = 0;
  FailureOr<Extent> extent = measure(kernel);
  if (failed(extent))
    return failure();
  // A kernel without calls is as long as the user wrote it.
  if (!largest || extent->ops <= kMaxInlinedOps)
    return success();
  InFlightDiagnostic diagnostic = largestCall->emitOpError("calls @")
                                  << calleeOf(largestCall).getSymName() << ", which is " << largest
                                  << " ops with all calls in it inlined, and makes the "
                                  << "kernel @" << kernel.getSymName() << " one of " << extent->ops
                                  << "; the limit is " << kMaxInlinedOps
                                  << ": call it less often, or in a loop";
  return diagnostic;
}

namespace {
struct TilePrepareInlining : tessera::tile::impl::TilePrepareInliningBase<TilePrepareInlining> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Calls calls(module);
    bool bad = false;
    for (auto kernel : module.getOps<KernelOp>())
      bad |= failed(calls.check(kernel));
    if (bad)
      return signalPassFailure();
    // Nothing calls the other functions, and from a module with kernels only kernels are compiled.
    if (module.getOps<KernelOp>().empty())
      return;
    for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (func.isExternal())
        continue;
      if (calls.isReached(func))
        func.setPrivate();
      else
        func.erase();
    }
  }
};
} // namespace
