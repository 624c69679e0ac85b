// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Evaluates scalars by upstream's folders, so that there is no second definition of their meaning.
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

  /// The results of an op without regions, or false if its folder cannot compute them. `lookup`
  /// gives the constant that a value has (null: unknown); a folder may ask for values other than
  /// the operands.
  bool fold(mlir::Operation *op, llvm::function_ref<mlir::Attribute(mlir::Value)> lookup,
            llvm::SmallVectorImpl<mlir::Attribute> &results);

private:
  /// Folders may change the op that they fold, so they work on copies.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies;
};

} // namespace tessera::cta

#endif
