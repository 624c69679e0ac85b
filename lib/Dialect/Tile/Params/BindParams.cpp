// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a member of a family: the kernel with numbers in place of its parameters.
#include "InferExtents.h"
#include "ParamExpr.h"
#include "tessera/Dialect/Tile/Syntax/SourceLimits.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tessera::tile;

//===--- calls -------------------------------------------------------------------------------===//

/// Inlines all calls, because what a helper does depends on the extents that it is given.
static LogicalResult inlineCalls(KernelOp kernel) {
  InlinerInterface interface(kernel.getContext());
  const InlinerConfig config;
  SmallVector<std::pair<func::CallOp, unsigned>> work; // with the calls around it
  uint64_t inlined = 0;
  kernel.walk([&](func::CallOp call) { work.push_back({call, 0}); });
  while (!work.empty()) {
    auto [call, depth] = work.pop_back_val();
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return call.emitOpError("calls @")
             << call.getCallee() << ", which has no body; a kernel calls functions of its module";
    constexpr unsigned kMostCalls = 256;
    if (depth == kMostCalls)
      return call.emitOpError("calls @")
             << call.getCallee()
             << ", which calls itself, or is the last of more calls in each other than can be "
                "inlined: functions of a tile program may not be recursive; write a loop";
    llvm::SmallPtrSet<Operation *, 8> before;
    Block *block = call->getBlock();
    for (Operation &op : *block)
      before.insert(&op);
    if (failed(inlineCall(interface, config.getCloneCallback(), call, callee,
                          callee.getCallableRegion())))
      return call.emitOpError("cannot be inlined: the body of @")
             << call.getCallee() << " must be one block without side exits";
    call.erase();
    for (Operation &op : *block)
      if (!before.contains(&op))
        op.walk([&, depth = depth](Operation *inner) {
          ++inlined;
          if (auto call = dyn_cast<func::CallOp>(inner))
            work.push_back({call, depth + 1});
        });
    if (inlined > kMaxInlinedOps)
      return kernel.emitOpError("calls functions that are more than ")
             << kMaxInlinedOps
             << " ops with all calls inlined, which is the limit: call them less "
                "often, or in a loop";
  }
  return success();
}

//===--- numbers -----------------------------------------------------------------------------===//

namespace {
/// Replaces parameters by numbers, computes what depends on them, and chooses branches.
class Folding {
public:
  Folding(KernelOp kernel, const Binding &binding)
      : kernel(kernel), binding(binding), rewriter(kernel.getContext()) {}

  LogicalResult run() {
    fold(kernel.getBody().front());
    return failure(isBad);
  }

  /// Erases constants that were made for ops that are gone.
  void eraseUnused() {
    // Some are gone with a grid that had no effect, so the ops that there are are asked.
    kernel.walk([&](arith::ConstantOp op) {
      if (made.contains(op) && op->use_empty())
        rewriter.eraseOp(op);
    });
  }

private:
  bool isKnown(Value value) const { return known.contains(value); }
  bool isPromised(Operation *op) const {
    return llvm::any_of(op->getResults(), [&](Value v) { return promised.contains(v); });
  }
  void replace(Operation *op, ArrayRef<Value> values) {
    for (Value result : op->getResults())
      promised.erase(result);
    rewriter.replaceOp(op, values);
  }
  static bool isNumber(Type type) { return type.isIntOrIndexOrFloat(); }
  static bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

  Value makeConstant(Operation *at, Attribute number, Type type) {
    rewriter.setInsertionPoint(at);
    auto constant = arith::ConstantOp::materialize(rewriter, number, type, at->getLoc());
    if (!constant)
      return {};
    made.insert(constant);
    return constant;
  }

  /// The value that parameters have chosen. If it is a constant of the source, which also serves
  /// what no parameter has a part in, a known copy stands for it.
  Value chosen(Operation *at, Value value) {
    Attribute number;
    if (isKnown(value) || !isNumber(value.getType()) || !matchPattern(value, m_Constant(&number)))
      return value;
    Value constant = makeConstant(at, number, value.getType());
    if (!constant)
      return value;
    known.insert(constant);
    return constant;
  }

  void replaceParam(ParamOp param) {
    for (const auto &[name, value] : binding)
      if (name == param.getName()) {
        Value number = makeConstant(param, rewriter.getIndexAttr(value), param.getType());
        known.insert(number);
        replace(param, number);
        return;
      }
    isBad = true;
    param.emitError("the parameter ") << param.getName() << " is not bound; bound are "
                                      << (binding.empty() ? "none" : bindingText(binding));
  }

  void checkAssume(AssumeOp assume) {
    IntegerAttr value;
    matchPattern(assume.getValue(), m_Constant(&value));
    if (std::string why = whyBroken(assume, value); !why.empty()) {
      isBad = true;
      assume.emitError("an assumption about the parameters does not hold with ")
          << bindingText(binding) << ": " << why;
    }
    rewriter.eraseOp(assume);
  }

  /// Puts the branch that is taken in the place of the op. Returns its first op, or null.
  Operation *takeBranch(Operation *op) {
    IntegerAttr condition;
    matchPattern(conditionOf(op), m_Constant(&condition));
    const bool isOfParams = isKnown(conditionOf(op)) || isPromised(op);
    Region *region = chosenRegion(op, condition);
    if (!region) {
      rewriter.eraseOp(op);
      return nullptr;
    }
    Block &block = region->front();
    Operation *end = block.getTerminator(), *first = &block.front();
    SmallVector<Value> yielded(end->getOperands());
    if (first == end)
      first = nullptr;
    // What the branch still has to compute, maybe from constants alone, becomes known when its ops
    // are folded.
    if (isOfParams)
      for (Value value : yielded)
        if (value.getParentBlock() == &block && !isConstant(value))
          promised.insert(value);
    rewriter.eraseOp(end);
    rewriter.inlineBlockBefore(&block, op);
    if (isOfParams)
      for (Value &value : yielded)
        value = chosen(op, value);
    replace(op, yielded);
    return first;
  }

  void foldScalars(Operation *op) {
    const bool chooses = isa<arith::SelectOp>(op);
    // An op on constants alone may be what another one needs that depends on parameters.
    const bool isOfParams =
        isPromised(op) || llvm::any_of(op->getOperands(), [&](Value v) { return isKnown(v); });
    if (op->getNumResults() == 0 || op->getNumOperands() == 0 || op->getNumRegions() ||
        !isMemoryEffectFree(op) || (!isOfParams && !llvm::all_of(op->getOperands(), isConstant)) ||
        (!chooses && !llvm::all_of(op->getResultTypes(), isNumber)))
      return;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands())
      matchPattern(operand, m_Constant(&operands.emplace_back()));
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != op->getNumResults())
      return;
    SmallVector<Value> values;
    for (auto [result, old] : llvm::zip_equal(results, op->getResults())) {
      Value value = dyn_cast<Value>(result);
      if (!value)
        value = makeConstant(op, cast<Attribute>(result), old.getType());
      if (!value)
        return;
      values.push_back(isOfParams ? chosen(op, value) : value);
    }
    replace(op, values);
  }

  void fold(Block &block) {
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      Operation *next = op->getNextNode();
      if (auto param = dyn_cast<ParamOp>(op)) {
        replaceParam(param);
      } else if (auto assume = dyn_cast<AssumeOp>(op); assume && isKnown(assume.getValue())) {
        checkAssume(assume);
      } else if (Value condition = conditionOf(op); condition && isConstant(condition)) {
        if (Operation *first = takeBranch(op))
          next = first;
      } else {
        for (Region &region : op->getRegions())
          for (Block &inner : region)
            fold(inner);
        foldScalars(op);
      }
      op = next;
    }
  }

  KernelOp kernel;
  const Binding &binding;
  IRRewriter rewriter;
  llvm::DenseSet<Value> known;
  llvm::DenseSet<Value> promised; ///< results that parameters have chosen, not folded yet
  llvm::SmallPtrSet<Operation *, 16> made;
  bool isBad = false;
};
} // namespace

/// Steps and bounds of grids that are constants become part of the grid.
static void foldGrids(KernelOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  GridOp::getCanonicalizationPatterns(patterns, kernel.getContext());
  SmallVector<Operation *> grids;
  kernel.walk([&](GridOp grid) { grids.push_back(grid); });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  config.enableFolding(false);
  (void)applyOpPatternsGreedily(grids, std::move(patterns), config);
}

//===--- members -----------------------------------------------------------------------------===//

LogicalResult tessera::tile::inlineHelpers(KernelOp kernel) {
  if (!hasParams(kernel))
    return success();
  // The error is in a helper, which many kernels may call.
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostic.attachNote(kernel.getLoc()) << "in the kernel @" << kernel.getSymName();
    return failure(); // another handler shows it
  });
  return inlineCalls(kernel);
}

LogicalResult tessera::tile::bindParams(KernelOp kernel, const Binding &binding) {
  if (!hasParams(kernel))
    return success();
  const std::string member = bindingText(binding);
  const Location place = kernel.getLoc();
  const std::string name = kernel.getSymName().str();
  // What is wrong may be wrong with this choice only.
  ScopedDiagnosticHandler handler(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostic.attachNote(place) << "in the kernel @" << name << " with " << member;
    return failure(); // another handler shows it
  });
  Folding folding(kernel, binding);
  if (failed(inlineCalls(kernel)) || failed(folding.run()) || failed(inferExtents(kernel)))
    return failure();
  Builder b(kernel.getContext());
  NamedAttrList bound;
  for (const auto &[parameter, value] : binding)
    bound.set(parameter, b.getI64IntegerAttr(value));
  kernel->setAttr(kBound, bound.getDictionary(b.getContext()));
  // Before anything is simplified away.
  if (failed(verify(kernel)))
    return failure();
  foldGrids(kernel);
  folding.eraseUnused();
  return success();
}

FailureOr<KernelOp> tessera::tile::bindClone(KernelOp kernel, const Binding &binding,
                                             StringRef name) {
  OpBuilder b(kernel->getContext());
  b.setInsertionPointAfter(kernel);
  auto clone = cast<KernelOp>(b.clone(*kernel));
  clone.setSymName(name);
  if (succeeded(bindParams(clone, binding)))
    return clone;
  clone.erase();
  return failure();
}
