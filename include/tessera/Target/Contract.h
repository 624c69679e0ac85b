// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launch contract as data (docs/Contract.md): what a launcher must know of an artifact. Both
// targets fill it; this file writes it. No IR in it but in the functions at the end.
#ifndef TESSERA_TARGET_CONTRACT_H
#define TESSERA_TARGET_CONTRACT_H

#include "tessera/Dialect/Tile/Tile.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::contract {

/// An integer over the sizes, strides and scalars of a kernel's arguments, and what the device
/// holds.
struct Expr {
  enum class Kind { Constant, Size, Stride, Scalar, NumCores, MaxClusters, Apply };
  Kind kind = Kind::Constant;
  int64_t value = 0;          // Constant
  unsigned arg = 0, dim = 0;  // Size, Stride, Scalar
  std::string op;             // Apply: a name of docs/Contract.md, "Expressions"
  std::vector<Expr> operands; // Apply

  static Expr constant(int64_t value);
  static Expr size(unsigned arg, unsigned dim);
  static Expr stride(unsigned arg, unsigned dim);
  static Expr scalar(unsigned arg);
  static Expr numCores();
  static Expr maxClusters();
  /// Folds constants and the neutral elements of add, sub, mul and the divisions; never an overflow
  /// or a division by zero, which the launcher reports.
  static Expr apply(llvm::StringRef op, std::vector<Expr> operands);

  bool operator==(const Expr &other) const;
  bool isConstant() const { return kind == Kind::Constant; }
  bool isConstant(int64_t v) const { return isConstant() && value == v; }
};

struct Argument {
  std::string name;
  bool isMemref = false;
  std::string type; // of the element, or of the scalar
  // Memrefs only.
  struct Extent {
    std::optional<int64_t> size; // a number,
    std::string symbol;          // or a name, or (both empty) anything
  };
  std::vector<Extent> shape;
  bool strided = false;
  std::vector<std::optional<int64_t>> strides;
  std::optional<int64_t> offset = 0;
  std::string access = "none"; // read, write, readwrite, none
  std::string alias;
  // Facts; empty or 0: none. `divisible` is that of a scalar.
  int64_t align = 0, divisible = 0;
  std::vector<int64_t> sizeDivisible, strideDivisible, sizeMax;
};

struct Assume {
  Expr cond;
  std::string message;
};

struct Workspace {
  std::string element;
  std::vector<Expr> sizes;
  std::vector<Expr> strides;        // empty: row-major and contiguous
  llvm::json::Value init = nullptr; // null: not initialised
  bool restored = false;            // the kernel leaves it as it was filled

  bool operator==(const Workspace &other) const {
    return element == other.element && sizes == other.sizes && strides == other.strides &&
           init == other.init && restored == other.restored;
  }
};

struct Guard {
  std::string fact;
  unsigned arg = 0;
  std::optional<unsigned> dim;
  int64_t value = 0;
  std::optional<Assume> cond; // instead of all others: of the fact "cond"
};

struct Param {
  enum class Kind { Pointer, Size, Stride, Scalar, Workspace, Expr, Descriptor, Places };
  Kind kind = Kind::Pointer;
  unsigned arg = 0; // Pointer, Size, Stride, Scalar; the index of a Workspace or Descriptor
  unsigned dim = 0; // Size, Stride
  contract::Expr value;
};

/// A recipe for cuTensorMapEncodeTiled.
struct Descriptor {
  bool isWorkspace = false;
  unsigned arg = 0; // or the index of a workspace
  std::string element;
  std::vector<int64_t> box;
  int64_t swizzle = 0, interleave = 0;
  std::vector<unsigned> dims;
  std::string oob = "zero";
  std::vector<Expr> sizes, strides; // empty: those of the argument
};

struct Launch {
  std::string symbol;
  std::vector<Expr> grid; // number of blocks, one a dimension
  // What only a GPU has.
  struct Gpu {
    int64_t block = 0, shared = 0, cluster = 1;
    bool dependent = false;
    std::optional<Expr> places; // when the parameter of this kind is given
  };
  std::optional<Gpu> gpu;
  std::vector<Param> params;
  std::vector<Descriptor> descriptors;
};

struct Variant {
  std::string name = "any";
  std::vector<Guard> guards;
  std::vector<Launch> launches;
  std::optional<std::vector<Workspace>> workspaces; // instead of the kernel's
};

struct Kernel {
  std::string name;
  std::vector<Argument> args;
  std::vector<Assume> assumes;
  std::vector<Workspace> workspaces;
  std::vector<Variant> variants;
};

struct Contract {
  std::string compiler, target;
  std::vector<Kernel> kernels;
};

/// The JSON of docs/Contract.md, without header, keys sorted.
std::string toJson(const Contract &contract);

/// Header, length, `json` and the final NUL: the bytes of `__tessera_contract`.
std::string encode(llvm::StringRef json);
/// The JSON in such bytes.
std::optional<llvm::StringRef> decode(llvm::StringRef bytes);

/// The name of the global that carries the contract.
constexpr llvm::StringLiteral kSymbol = "__tessera_contract";

/// The attribute of a module in which a lowering leaves the JSON for the emission of an artifact.
constexpr llvm::StringLiteral kModuleAttr = "tile.contract";

/// "tessera 0.1.0, LLVM 22.1.8": what `Contract::compiler` starts with.
std::string compilerVersion();

//===--- from IR ----------------------------------------------------------------------------===//

/// The expression of an integer or index value of a kernel's body, for `user` (named in the error).
/// Emits an error at the op that no expression can say.
mlir::FailureOr<Expr> buildExpr(mlir::Value value, mlir::Operation *user);

/// The number of blocks of a grid, one expression a dimension.
mlir::FailureOr<std::vector<Expr>> buildGrid(tile::GridOp grid);

/// Arguments, assumptions and workspaces of a kernel; no variants yet. Workspaces are numbered as
/// `collectWorkspaces` lists them.
mlir::FailureOr<Kernel> describeKernel(tile::KernelOp kernel);

/// The allocations of a kernel's body, in order.
llvm::SmallVector<mlir::memref::AllocOp> collectWorkspaces(tile::KernelOp kernel);

/// Emits an error if it is none that the contract can describe.
mlir::FailureOr<Workspace> describeWorkspace(mlir::memref::AllocOp alloc);

/// Whether a memref value (an argument or an allocation) is read and written, views followed.
struct Access {
  bool reads = false, writes = false;
};
Access accessOf(mlir::Value memref);

/// Adds what `kernel` became to the contract: a variant of the kernel that its `variant_of` names
/// (or its own name), after the variants that are there.
mlir::LogicalResult addVariant(Contract &contract, tile::KernelOp kernel,
                               std::vector<Launch> launches);

} // namespace tessera::contract

#endif
