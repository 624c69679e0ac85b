// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Contracts that a launcher would refuse to read (docs/Contract.md, "Limits") are errors of the
// compilation, at the op that needs too much. Otherwise the user would see the error only when the
// artifact is loaded.
#include "tessera/Contract/Contract.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::contract;

namespace {

class LimitChecker {
public:
  explicit LimitChecker(Operation *op) : op(op) {}

  /// Returns false after the first error.
  bool isAtMost(size_t count, size_t limit, const Twine &what) {
    if (count <= limit)
      return true;
    (void)(op->emitError("there are ")
           << count << " " << what << "; launchers read at most " << limit);
    return false;
  }
  /// LaunchExpr.cpp keeps each expression below the limits, but one that is composed of several may
  /// exceed them.
  bool check(const Expr &expr) {
    return isAtMost(expr.depth(), kMaxDepth, "levels of an expression that launchers evaluate") &&
           isAtMost(numNodes(expr), kMaxNodes, "nodes of an expression that launchers evaluate");
  }
  bool check(const std::vector<Expr> &exprs) {
    return llvm::all_of(exprs, [&](const Expr &expr) { return check(expr); });
  }
  bool check(const std::vector<Assume> &assumes) {
    return isAtMost(assumes.size(), kMaxList, "conditions (tile.assume) of a kernel") &&
           llvm::all_of(assumes, [&](const Assume &assume) { return check(assume.cond); });
  }
  bool check(const Argument &arg) {
    if (!isAtMost(arg.shape.size(), kMaxRank, "dimensions of argument '" + arg.name + "'"))
      return false;
    if (arg.align <= kMaxAlign)
      return true;
    (void)(op->emitError("argument '") << arg.name << "' has an alignment of " << arg.align
                                       << " bytes; launchers know at most " << kMaxAlign);
    return false;
  }
  bool check(const std::vector<Workspace> &workspaces) {
    if (!isAtMost(workspaces.size(), kMaxWorkspaces, "workspaces of a kernel"))
      return false;
    return llvm::all_of(workspaces, [&](const Workspace &workspace) {
      return isAtMost(workspace.sizes.size(), kMaxRank, "dimensions of a workspace") &&
             check(workspace.sizes) && check(workspace.strides);
    });
  }
  bool check(const Launch &launch) {
    return isAtMost(launch.grid.size(), kMaxRank, "dimensions of a grid") && check(launch.grid) &&
           isAtMost(launch.params.size(), kMaxList, "parameters of a launch") &&
           llvm::all_of(launch.params, [&](const Param &param) { return check(param.value); }) &&
           isAtMost(launch.descriptors.size(), kMaxDescriptors, "TMA descriptors of a launch") &&
           (!launch.gpu || !launch.gpu->places || check(*launch.gpu->places));
  }
  bool check(const Variant &variant) {
    return isAtMost(variant.guards.size(), kMaxList, "guards of a variant") &&
           llvm::all_of(
               variant.guards,
               [&](const Guard &guard) { return !guard.cond || check(guard.cond->cond); }) &&
           isAtMost(variant.launches.size(), kMaxList, "launches of a kernel") &&
           (!variant.workspaces || check(*variant.workspaces)) &&
           llvm::all_of(variant.launches, [&](const Launch &launch) { return check(launch); });
  }

private:
  Operation *op;
};

} // namespace

/// Variants of one member are beside each other.
static size_t numMembers(const Kernel &kernel) {
  size_t count = 0;
  for (auto [i, variant] : llvm::enumerate(kernel.variants))
    count += !variant.member.empty() && (!i || kernel.variants[i - 1].member != variant.member);
  return count;
}

LogicalResult tessera::contract::checkLimits(const Contract &contract, const Kernel &kernel,
                                             Operation *op) {
  LimitChecker checker(op);
  return success(
      checker.isAtMost(contract.kernels.size(), kMaxKernels, "kernels in one artifact") &&
      checker.isAtMost(kernel.args.size(), kMaxArgs, "arguments of a kernel") &&
      llvm::all_of(kernel.args, [&](const Argument &arg) { return checker.check(arg); }) &&
      checker.check(kernel.assumes) && checker.check(kernel.workspaces) &&
      checker.isAtMost(kernel.variants.size(), kMaxList, "variants of a kernel") &&
      checker.isAtMost(numMembers(kernel), kMaxMembers, "members of a kernel") &&
      checker.check(kernel.variants.back()));
}

LogicalResult tessera::contract::checkLimits(StringRef json, Operation *op) {
  if (json.size() <= kMaxJsonBytes)
    return success();
  return op->emitError("the launch contract is ")
         << json.size() << " bytes of JSON; launchers read at most " << kMaxJsonBytes
         << ": compile fewer kernels at a time";
}
