// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base of tests of a launch in textual IR.
#ifndef TESSERA_TEST_UNIT_SIMULATE_LAUNCHTEST_H
#define TESSERA_TEST_UNIT_SIMULATE_LAUNCHTEST_H

#include "tessera/Dialect/Cta/IR/Cta.h"
#include "tessera/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace tessera::simulate {

class LaunchTest : public ::testing::Test {
protected:
  explicit LaunchTest(llvm::StringRef text,
                      const mlir::DialectRegistry &others = mlir::DialectRegistry()) {
    context.appendDialectRegistry(others);
    context.loadAllAvailableDialects();
    context.loadDialect<tile::TileDialect, cta::CtaDialect, mlir::arith::ArithDialect,
                        mlir::scf::SCFDialect, mlir::memref::MemRefDialect>();
    parse(text);
  }
  /// Parses a module and takes the first launch of its first kernel.
  void parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    kernel = *module->getOps<tile::KernelOp>().begin();
    launch = *kernel.getBody().getOps<cta::LaunchOp>().begin();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  cta::LaunchOp launch;
};

} // namespace tessera::simulate

#endif
