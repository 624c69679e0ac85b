// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Dialect/Tile/OpHints.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tessera::tile;

static constexpr llvm::StringLiteral kPrint =
    "use tile.print, once for each block; whole arrays: 'tile-run --out x=x.npy'";

//===--- ops of other dialects ---------------------------------------------------------------===//

/// By the op, then by its dialect; empty for what may be of the language.
static StringRef findForeignOp(StringRef name) {
  StringRef own =
      llvm::StringSwitch<StringRef>(name)
          .Cases({"linalg.matmul", "linalg.batch_matmul", "linalg.matmul_transpose_a",
                  "linalg.matmul_transpose_b", "linalg.contract", "linalg.matvec", "linalg.vecmat",
                  "linalg.dot", "linalg.mmt4d"},
                 "use tile.mma")
          .Cases({"vector.contract", "vector.outerproduct", "vector.matrix_multiply"},
                 "use tile.mma")
          .Cases({"linalg.reduce", "vector.reduction", "vector.multi_reduction"}, "use tile.reduce")
          .Cases({"linalg.broadcast", "vector.broadcast"}, "use tile.broadcast")
          .Cases({"linalg.transpose", "vector.transpose"}, "use tile.transpose")
          .Cases({"linalg.index", "vector.step"}, "use tile.iota")
          .Case("linalg.fill", "use arith.constant dense<...> or tensor.splat")
          .Case("linalg.copy", "use tile.load and tile.store")
          .Cases({"vector.transfer_read", "vector.load", "vector.maskedload", "vector.gather",
                  "bufferization.to_tensor"},
                 "use tile.load")
          .Cases({"vector.transfer_write", "vector.store", "vector.maskedstore", "vector.scatter",
                  "bufferization.materialize_in_destination"},
                 "use tile.store")
          .Cases({"scf.forall", "scf.parallel"},
                 "each block is one point of a tile.grid; use scf.for for a loop")
          .Case("scf.execute_region", "inline its region")
          .Case(
              "tensor.empty",
              "use arith.constant dense<...> or tensor.splat; tiles have no uninitialised elements")
          .Case("tensor.generate", "use tile.iota and arith")
          .Case("tensor.pad", "use the 'pad' of tile.load, or arith.select with tile.iota")
          .Cases({"tensor.insert", "tensor.insert_slice", "tensor.parallel_insert_slice"},
                 "use tile.insert for a slice in place, or tensor.concat")
          .Cases({"tensor.gather", "tensor.scatter"},
                 "use tile.load and tile.store with index tiles for memory, tile.take for a tile")
          .Cases({"tensor.cast", "tensor.dim", "tensor.rank"}, "tiles have static shapes")
          .Case("tensor.reshape", "use tensor.expand_shape or tensor.collapse_shape")
          .Case("tensor.bitcast", "use arith.bitcast")
          .Case("memref.dealloc", "the launcher frees workspace")
          .Case("memref.copy", "use tile.load and tile.store in a grid")
          .Cases({"memref.get_global", "memref.global"},
                 "pass the data as an argument of the kernel")
          .Case("memref.view", "use memref.subview or memref.reinterpret_cast")
          .Cases({"memref.atomic_rmw", "memref.generic_atomic_rmw"}, "use tile.atomic")
          .Cases({"affine.for", "affine.parallel"}, "use scf.for")
          .Case("affine.if", "use scf.if")
          .Cases({"affine.load", "affine.vector_load"},
                 "use memref.load for a scalar, tile.load for a tile")
          .Cases({"affine.store", "affine.vector_store"},
                 "use memref.store for a scalar, tile.store for a tile")
          .Cases({"func.call", "call"},
                 "run the inliner first (--inline); only private helpers may be called")
          .Cases({"vector.print", "gpu.printf"}, kPrint)
          .Case("gpu.barrier", "a tile program needs no barriers: leave it out")
          .Case("builtin.unrealized_conversion_cast", "finish the conversion that left it")
          .Default("");
  if (!own.empty())
    return own;
  return llvm::StringSwitch<StringRef>(name.split('.').first)
      .Case("linalg", "use arith on tiles, tile.broadcast, tile.reduce and tile.mma")
      .Case("vector", "tiles are tensors: use arith on tensors")
      .Cases({"gpu", "nvgpu", "nvvm"},
             "a tile program says what a block computes: it has no threads, warps or shared memory")
      .Case("cf", "use scf.for, scf.if, scf.while")
      .Case("index", "use arith on index")
      .Case("complex", "complex numbers are pairs of tiles, real and imaginary")
      .Case("bufferization", "use tile.load and tile.store")
      .Case("llvm", "use arith, math, scf and memref")
      .Case("async", "grids run one after the other, blocks of a grid in any order")
      .Cases({"tosa", "stablehlo", "mhlo"}, "lower it to tile, arith and math first")
      .Default("");
}

StringRef tessera::tile::hintForForeignOp(StringRef name) {
  StringRef hint = findForeignOp(name);
  return hint.empty() ? "docs/Language.md lists the ops" : hint;
}

//===--- ops that do not exist ---------------------------------------------------------------===//

/// What other languages call an op, whatever dialect it is written with.
static StringRef hintForSynonym(StringRef mnemonic) {
  return llvm::StringSwitch<StringRef>(mnemonic)
      .Cases({"matmul", "dot", "gemm", "contract", "wgmma", "mmul", "bmm"}, "a product is tile.mma")
      .Cases({"printf", "print", "device_print"}, kPrint)
      .Cases({"program_id", "block_id", "bid", "thread_id", "threadIdx", "blockIdx"},
             "the coordinates of tile.grid say where a block is; there are no threads")
      .Cases({"cumsum", "cumprod", "associative_scan", "prefix_sum"},
             "running sums and products are tile.scan")
      .Cases({"interleave", "join"}, "use tile.zip, or tensor.concat to put one behind the other")
      .Cases({"device_assert", "check"}, "use tile.assert for a condition of a block, tile.assume "
                                         "before the grids for one of the launch")
      .Cases({"saturate", "clamp"},
             "put the attribute {tile.saturate} on arith.truncf, arith.fptosi or arith.fptoui")
      .Cases({"barrier", "syncthreads", "sync"}, "a tile program needs no barriers: leave it out")
      .Cases({"zeros", "full", "fill", "const", "zero"},
             "use arith.constant dense<0.0> : tensor<64xf32>, or tensor.splat of a scalar")
      .Cases({"empty", "alloc"}, "use arith.constant dense<0.0> : tensor<64xf32> for a tile, which "
                                 "has no uninitialised elements, or memref.alloc before the grids "
                                 "for workspace")
      .Cases({"arange", "range", "index"}, "use tile.iota")
      .Cases({"sum", "reduce_sum", "max", "reduce_max", "min", "amax", "amin"},
             "use tile.reduce, as in tile.reduce addf %x dims = [1]")
      .Cases({"argmax", "argmin"}, "use tile.argreduce")
      .Cases({"add", "sub", "mul", "div", "neg"},
             "arithmetic is that of arith, on tiles too: arith.addf for floats, arith.addi for "
             "integers")
      .Cases(
          {"cast", "convert", "astype", "to"},
          "use arith.extf, arith.truncf, arith.sitofp, arith.fptosi, arith.extsi or arith.trunci")
      .Cases({"ftz", "flush_to_zero", "round", "rounding", "round_down", "round_up"},
             "a rounding mode and flush_to_zero are clauses of tile.rounded, as in tile.rounded "
             "addf %x, %y upward flush_to_zero")
      .Cases({"where"}, "use arith.select")
      .Cases({"atomic_add", "atomic_rmw", "atomic_cas", "atomic_max", "atomic_min", "atomicAdd"},
             "atomics are tile.atomic, as in tile.atomic add %v, %x[%i]")
      .Cases({"gather", "scatter", "load_gather", "store_scatter"},
             "tile.load and tile.store take tiles of indices as coordinates")
      .Cases({"relu"}, "use arith.maximumf with a tile of zeros")
      .Cases({"gelu", "sigmoid", "silu", "softmax", "layer_norm"},
             "write it with arith, math and tile.reduce; examples/ has it")
      .Cases({"permute", "trans"}, "use tile.transpose")
      .Cases({"reshape", "view", "expand_dims", "squeeze"},
             "use tensor.expand_shape or tensor.collapse_shape")
      .Cases({"cat"}, "use tensor.concat")
      .Cases({"for", "range_constexpr"}, "use scf.for")
      .Cases({"func", "program"}, "a program is a tile.kernel")
      .Cases({"end", "ret"}, "a kernel ends with tile.return")
      .Default("");
}

/// The ops of the language whose names are next to this one: misspelled by a few letters, or with
/// the wrong dialect. The best ones come first, at most three.
static SmallVector<StringRef> nearestOps(StringRef name, MLIRContext *context) {
  const auto mnemonicOf = [](StringRef op) { return op.contains('.') ? op.split('.').second : op; };
  const StringRef mnemonic = mnemonicOf(name);
  // A third of the letters may be wrong, so that short names have no neighbours by chance.
  const unsigned most = std::min<unsigned>(3, std::max<unsigned>(1, mnemonic.size() / 3));
  SmallVector<std::pair<unsigned, StringRef>> found;
  const StringRef dialects[] = {"tile", "arith", "math", "tensor", "scf", "memref"};
  for (StringRef dialect : dialects)
    context->getOrLoadDialect(dialect);
  for (RegisteredOperationName op : context->getRegisteredOperations()) {
    const StringRef known = op.getStringRef();
    if (!llvm::is_contained(dialects, known.split('.').first) || !findForeignOp(known).empty())
      continue;
    unsigned distance = name.edit_distance(known, /*AllowReplacements=*/true, most);
    if (!mnemonic.empty() && mnemonicOf(known) == mnemonic)
      distance = 0;
    if (distance <= most)
      found.push_back({distance, known});
  }
  llvm::stable_sort(found, [](const auto &a, const auto &b) { return a.first < b.first; });
  SmallVector<StringRef> names;
  for (const auto &[distance, known] : ArrayRef(found).take_front(3))
    if (distance <= found.front().first + 1)
      names.push_back(known);
  return names;
}

std::string tessera::tile::hintForUnknownOp(StringRef name, MLIRContext *context) {
  if (StringRef instead =
          hintForSynonym(name.rsplit('.').second.empty() ? name : name.rsplit('.').second);
      !instead.empty())
    return instead.str();
  SmallVector<StringRef> nearest = nearestOps(name, context);
  if (!nearest.empty())
    return "did you mean " +
           llvm::join(llvm::map_range(nearest, [](StringRef n) { return "'" + n.str() + "'"; }),
                      " or ") +
           "?";
  const auto [dialect, mnemonic] = name.split('.');
  if (StringRef instead = findForeignOp(name); !instead.empty())
    return instead.str();
  if (!mnemonic.empty() && context->getLoadedDialect(dialect))
    return ("docs/Language.md lists the ops of a tile program, " +
            Twine(dialect == "tile" ? "docs/dialects/Tile.md those of this dialect"
                                    : "MLIR's documentation those of this dialect"))
        .str();
  return "ops of a tile program are of the dialects tile, arith, math, scf, tensor and memref: "
         "docs/Language.md lists them";
}

//===--- how ops are written -----------------------------------------------------------------===//

// They are lines of the descriptions in the .td files; a test compares them.
StringRef tessera::tile::exampleOfOp(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("tile.kernel", "tile.kernel @add(%x: memref<?xf32> {tile.shape = [\"N\"]}, %y: "
                           "memref<?xf32> {tile.shape = [\"N\"]},")
      .Case("tile.grid", "tile.grid (%i, %j) = (0, 0) to (%M, %N) step (128, 256) {")
      .Case("tile.return", "tile.return")
      .Case("tile.yield", "tile.yield %v, %i : f32, i32")
      .Case("tile.dim", "%M = tile.dim \"M\" : index")
      .Case("tile.param", "%BM = tile.param \"BM\" [64, 128, 256] : index")
      .Case("tile.num_cores", "%n = tile.num_cores : index")
      .Case("tile.cost", "tile.cost %N")
      .Case("tile.assume", "tile.assume %ok, \"K must be a multiple of 64\" : i1")
      .Case("tile.assert", "tile.assert %ok, \"an index is too large\" : tensor<64xi1>")
      .Case("tile.load", "%a = tile.load %A[%i, %k] : memref<?x?xbf16> -> tensor<128x64xbf16>")
      .Case("tile.store", "tile.store %out, %C[%i, %j] : tensor<128x256xbf16> -> memref<?x?xbf16>")
      .Case("tile.gather",
            "%e = tile.gather %E[%tokens : tensor<16xi32>, %c0] limit = [%end, _] pad = zero : "
            "memref<?x?xbf16> -> tensor<16x256xbf16>")
      .Case("tile.scatter", "tile.scatter %v, %E[%rows : tensor<16xi32>, %c0] : "
                            "tensor<16x256xbf16> -> memref<?x?xbf16>")
      .Case("tile.atomic", "tile.atomic add %ones, %H[%bins : tensor<1024xi32>] : "
                           "tensor<1024xi32> -> memref<?xi32>")
      .Case("tile.array_at", "%x = tile.array_at %pages[%b, %p] sizes [16, 128] alias = \"in\" : "
                             "memref<?x?xi64> -> memref<16x128xf32>")
      .Case("tile.array_from", "%A = tile.array_from %address sizes [%m, %k] strides [%ld, 1] "
                               "align = 16 : i64 -> memref<?x?xbf16, strided<[?, 1]>>")
      .Case("tile.mma", "%d = tile.mma %a, %b, %c : tensor<128x64xbf16>, tensor<64x256xbf16> -> "
                        "tensor<128x256xf32>")
      .Case("tile.reduce", "%m = tile.reduce maximumf %x dims = [1] : tensor<128x64xf32> -> "
                           "tensor<128xf32>")
      .Case("tile.argreduce", "%v, %i = tile.argreduce max %x dim = 1 : tensor<128x64xf32> -> "
                              "tensor<128xf32>, tensor<128xi32>")
      .Case("tile.scan", "%s, %sum = tile.scan addf %x dim = 1 : tensor<64x128xf32> -> "
                         "tensor<64x128xf32>, tensor<64xf32>")
      .Case("tile.rare", "%o1 = tile.rare %need passing(%o) superset {")
      .Case("tile.rounded", "%lower = tile.rounded addf %a, %b downward : tensor<64x32xf32>")
      .Case("tile.zip", "%z = tile.zip %x, %y : tensor<64x32xf32> -> tensor<64x64xf32>")
      .Case("tile.take", "%e = tile.take %x at %i dim = 1 : tensor<64x32xf32>, tensor<64x8xi32> -> "
                         "tensor<64x8xf32>")
      .Case("tile.extract",
            "%s = tile.extract %t[%i, %j] : tensor<128x64xf32> -> tensor<16x64xf32>")
      .Case("tile.insert",
            "%r = tile.insert %s into %t[%i, %j] : tensor<16x64xf32> -> tensor<128x64xf32>")
      .Case("tile.unpack", "%b = tile.unpack %w : tensor<16x32xi32> -> tensor<16x128xi8>")
      .Case("tile.pack", "%w = tile.pack %b : tensor<16x128xi8> -> tensor<16x32xi32>")
      .Case("tile.print", "tile.print \"row sum\" %s : tensor<4xf32>")
      .Case("tile.unzip", "%re, %im = tile.unzip %z : tensor<64x64xf32> -> tensor<64x32xf32>")
      .Case("tile.broadcast",
            "%b = tile.broadcast %v dims = [0] : tensor<128xf32> -> tensor<128x64xf32>")
      .Case("tile.iota", "%j = tile.iota dim = 1 : tensor<128x64xi32>")
      .Case("tile.transpose",
            "%t = tile.transpose %x dims = [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>")
      .Default("");
}

//===--- conversions -------------------------------------------------------------------------===//

StringRef tessera::tile::conversionOp(Type from, Type to) {
  auto width = [](Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; };
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return width(from) < width(to) ? "arith.extf" : width(from) > width(to) ? "arith.truncf" : "";
  if (from.isIndex() || to.isIndex()) {
    if (from == to || !isa<IntegerType, IndexType>(from) || !isa<IntegerType, IndexType>(to))
      return "";
    // With its sign, an i1 that is true would be -1.
    return from.isInteger(1) ? "arith.index_castui" : "arith.index_cast";
  }
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return width(from) < width(to)   ? from.isInteger(1) ? "arith.extui" : "arith.extsi"
           : width(from) > width(to) ? "arith.trunci"
                                     : "";
  if (isa<IntegerType>(from) && isa<FloatType>(to))
    return from.isInteger(1) ? "arith.uitofp" : "arith.sitofp";
  return isa<FloatType>(from) && isa<IntegerType>(to) ? "arith.fptosi" : "";
}
