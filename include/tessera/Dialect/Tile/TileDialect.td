// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_TILE_DIALECT
#define TESSERA_TILE_DIALECT

include "tessera/Dialect/Tile/TileFamilies.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tessera::tile";
  let summary = "L0: what one block of a grid computes on small tensors";
  let description = [{
    A *tile program* is a sequence of grids over element coordinates. The values inside a grid are tiles: builtin tensors of static shape,
    rank 0 to 4, any extent, without an encoding. Arithmetic is `arith` and `math`, control flow is `scf`. Memory is `memref` arguments,
    which `tile.load` reads and `tile.store` writes. There are no threads, no shared memory and no barriers. `docs/Language.md` defines the
    language; the pass `tile-verify` rejects everything else.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();

    // Argument facts (docs/Language.md, "Arguments").
    static constexpr llvm::StringLiteral kShape = "tile.shape";
    static constexpr llvm::StringLiteral kAlign = "tile.align";
    static constexpr llvm::StringLiteral kSizeDivisible = "tile.size_divisible";
    static constexpr llvm::StringLiteral kStrideDivisible = "tile.stride_divisible";
    static constexpr llvm::StringLiteral kSizeMax = "tile.size_max";
    static constexpr llvm::StringLiteral kAlias = "tile.alias";
    static constexpr llvm::StringLiteral kDivisible = "tile.divisible";
    static constexpr llvm::StringLiteral kName = "tile.name";
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

#endif
