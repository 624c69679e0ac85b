// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Conversion/Passes.h"
#include "tessera/Dialect/Tile/Rounding/Rounding.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace tessera {
#define GEN_PASS_DEF_CPUEXPANDROUNDING
#include "tessera/Conversion/Passes.h.inc"
} // namespace tessera

using namespace mlir;
namespace tile = tessera::tile;

namespace {
struct CPUExpandRounding : tessera::impl::CPUExpandRoundingBase<CPUExpandRounding> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      Value value;
      if (auto rounded = dyn_cast<tile::RoundedOp>(op)) {
        value = tile::expandRounded(b, rounded);
      } else if (auto truncate = dyn_cast<arith::TruncFOp>(op);
                 truncate && tile::modeOf(truncate) != arith::RoundingMode::to_nearest_even) {
        value = tile::narrowRounded(b, truncate.getIn(), cast<FloatType>(truncate.getType()),
                                    tile::modeOf(truncate));
      }
      if (!value)
        return;
      op->replaceAllUsesWith(ValueRange{value});
      op->erase();
    });
  }
};
} // namespace
