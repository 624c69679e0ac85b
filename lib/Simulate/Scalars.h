// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalars by upstream's folders: there is no second semantics.
#ifndef TESSERA_LIB_SIMULATE_SCALARS_H
#define TESSERA_LIB_SIMULATE_SCALARS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::simulate {

class Folder {
public:
  Folder() = default;
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder();

  /// The results of an op without regions, or false if its folder cannot tell. `lookup` says what a
  /// value is (null: unknown); a fold may ask for others than the operands.
  bool fold(mlir::Operation *op, llvm::function_ref<mlir::Attribute(mlir::Value)> lookup,
            llvm::SmallVectorImpl<mlir::Attribute> &results);

private:
  /// Folders may change the op that they fold: they get copies.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> copies;
};

} // namespace tessera::simulate

#endif
