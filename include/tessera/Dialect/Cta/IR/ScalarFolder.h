// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What scalars are, by upstream's folders: there is no second semantics.
#ifndef TESSERA_DIALECT_CTA_IR_SCALARFOLDER_H
#define TESSERA_DIALECT_CTA_IR_SCALARFOLDER_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::cta {

class ScalarFolder {
public:
  ScalarFolder() = default;
  ScalarFolder(const ScalarFolder &) = delete;
  ScalarFolder &operator=(const ScalarFolder &) = delete;
  ~ScalarFolder();

  /// The results of an op without regions, or false if its folder cannot tell. `lookup` says what a
  /// value is (null: unknown); a fold may ask for others than the operands.
  bool fold(mlir::Operation *op, llvm::function_ref<mlir::Attribute(mlir::Value)> lookup,
            llvm::SmallVectorImpl<mlir::Attribute> &results);

private:
  /// ScalarFolders may change the op that they fold: they get copies.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies;
};

} // namespace tessera::cta

#endif
