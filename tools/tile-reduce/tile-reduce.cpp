// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-reduce for Tessera: makes a program smaller as long as a script finds it interesting.
// Upstream's reduction-tree is not among its passes, because it erases ops that still have users,
// which makes nearly all of our programs invalid. The pass drop-ops replaces the results of an op
// by simpler values.
#include "../Version.h"

#include "mlir/Reducer/Passes.h"
#include "mlir/Reducer/Tester.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "tessera/InitAll.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

namespace {
/// A value of the type of `result` that does not need the op: one of its operands, or zero.
Value findSimpler(Value result, Operation *op, OpBuilder &builder) {
  for (Value operand : op->getOperands())
    if (operand.getType() == result.getType())
      return operand;
  if (TypedAttr zero = builder.getZeroAttr(result.getType()))
    return arith::ConstantOp::create(builder, op->getLoc(), zero);
  return {};
}

/// Erases the op, after its users have got simpler values. Returns false if there are none.
bool dropOp(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() ||
      (op->hasTrait<OpTrait::ConstantLike>() && !op->use_empty()))
    return false;
  OpBuilder builder(op);
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value value = findSimpler(result, op, builder);
    if (!value)
      return false;
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return true;
}

struct DropOps : PassWrapper<DropOps, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropOps)
  DropOps() = default;
  DropOps(const DropOps &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "drop-ops"; }
  StringRef getDescription() const final {
    return "Drop one op after the other while the program stays interesting";
  }

  void runOnOperation() override {
    const Tester tester(script, scriptArguments);
    // Candidates may be invalid, so their errors are not printed.
    ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
    const auto isInteresting = [&](ModuleOp module) {
      return tester.isInteresting(module).first == Tester::Interestingness::True;
    };
    if (!isInteresting(getOperation())) {
      llvm::errs() << "tile-reduce: error: the script does not find the program interesting\n";
      return signalPassFailure();
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t index = 0;;) {
        OwningOpRef<ModuleOp> smaller = getOperation().clone();
        // From the end of this list, users come before what they use, and an op comes before the
        // ops in its regions.
        SmallVector<Operation *> ops;
        smaller->getBody()->walk([&](Operation *op) { ops.push_back(op); });
        if (index >= ops.size())
          break;
        if (dropOp(ops[ops.size() - 1 - index]) && isInteresting(*smaller)) {
          getOperation().getBodyRegion().takeBody(smaller->getBodyRegion());
          changed = true;
        } else {
          ++index;
        }
      }
    }
  }

  Option<std::string> script{*this, "test",
                             llvm::cl::desc("A script that exits with 1 on interesting programs")};
  ListOption<std::string> scriptArguments{*this, "test-arg",
                                          llvm::cl::desc("Arguments of the script")};
};
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tessera::registerVersion();
  PassRegistration<DropOps>();
  registerOptReductionPass();
  // opt-reduction-pass needs these.
  registerTransformsPasses();
  tessera::registerTesseraPasses();
  DialectRegistry registry;
  tessera::registerTesseraDialects(registry);
  MLIRContext context(registry);
  return failed(mlirReduceMain(argc, argv, context));
}
