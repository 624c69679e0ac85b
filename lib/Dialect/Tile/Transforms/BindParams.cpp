// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile-bind-params: kernels with parameters become kernels without. lib/Dialect/Tile/Params has
// what it does.
#include "tessera/Dialect/Tile/Params/Params.h"
#include "tessera/Dialect/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::tile {
#define GEN_PASS_DEF_TILEBINDPARAMS
#include "tessera/Dialect/Tile/Passes.h.inc"
} // namespace tessera::tile

using namespace mlir;
using namespace tessera::tile;

namespace {
struct TileBindParams : tessera::tile::impl::TileBindParamsBase<TileBindParams> {
  using TileBindParamsBase::TileBindParamsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto error = [&]() {
      return emitError(UnknownLoc::get(&getContext())) << "tile-bind-params: ";
    };
    FailureOr<std::vector<GivenValue>> given =
        parseBindings(SmallVector<std::string>(bindings.begin(), bindings.end()), error);
    if (failed(given) || failed(checkGiven(module, *given, error)))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    module.walk([&](KernelOp kernel) {
      if (hasParams(kernel))
        kernels.push_back(kernel);
    });
    for (KernelOp kernel : kernels)
      if (failed(bind(kernel, *given)))
        signalPassFailure();
  }

private:
  LogicalResult bind(KernelOp kernel, ArrayRef<GivenValue> given) {
    FailureOr<Binding> fixed = givenFor(kernel, given);
    if (failed(fixed) || failed(inlineHelpers(kernel)))
      return failure();
    FailureOr<Binding> binding = chooseBinding(kernel, *fixed);
    return failure(failed(binding) || failed(bindParams(kernel, *binding)));
  }
};
} // namespace
