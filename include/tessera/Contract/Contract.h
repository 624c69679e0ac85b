// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launch contract as data (docs/Contract.md): what a launcher must know of an artifact. Both
// targets fill it, and this file writes it as JSON. Only the functions at the end need IR.
#ifndef TESSERA_CONTRACT_CONTRACT_H
#define TESSERA_CONTRACT_CONTRACT_H

#include "tessera/Dialect/Tile/Tile.h"
#include "llvm/Support/JSON.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::contract {

/// An integer expression over the sizes, strides and scalars of a kernel's arguments, and over what
/// the device can hold at a time. It is a handle of an immutable node: copies share the node, and a
/// subexpression that is used twice exists once.
class Expr {
public:
  enum class Kind { Constant, Size, Stride, Scalar, NumCores, MaxClusters, Apply };

  Expr() : Expr(constant(0)) {}
  Kind kind() const { return node->kind; }
  int64_t value() const { return node->value; }      // Constant
  unsigned arg() const { return node->arg; }         // Size, Stride, Scalar
  unsigned dim() const { return node->dim; }         // Size, Stride
  const std::string &op() const { return node->op; } // Apply: a name of docs/Contract.md
  const std::vector<Expr> &operands() const { return node->operands; } // Apply
  /// The number of nodes on the longest path to a leaf.
  unsigned depth() const { return node->depth; }
  /// The identity of the node.
  const void *identity() const { return node.get(); }

  static Expr constant(int64_t value);
  static Expr size(unsigned arg, unsigned dim);
  static Expr stride(unsigned arg, unsigned dim);
  static Expr scalar(unsigned arg);
  static Expr numCores();
  static Expr maxClusters();
  /// Folds constants, and the neutral elements of add, sub, mul and the divisions. It never folds
  /// an overflow or a division by zero, which the launcher reports.
  static Expr apply(llvm::StringRef op, std::vector<Expr> operands);

  bool operator==(const Expr &other) const;
  bool isConstant() const { return kind() == Kind::Constant; }
  bool isConstant(int64_t v) const { return isConstant() && value() == v; }

private:
  struct Node {
    Kind kind = Kind::Constant;
    int64_t value = 0;
    unsigned arg = 0, dim = 0, depth = 1;
    std::string op;
    std::vector<Expr> operands;
  };
  static Expr leaf(Kind kind, unsigned arg, unsigned dim);
  explicit Expr(Node node) : node(std::make_shared<const Node>(std::move(node))) {}

  std::shared_ptr<const Node> node;
};

/// The nodes of an expression, each after its operands and once.
std::vector<Expr> nodesInOrder(const Expr &expr);

/// The nodes of an expression as launchers count them: operations once, leaves as often as they are
/// used.
size_t numNodes(const Expr &expr);

/// What the compiler assumes of a launch when it compares kernels.
struct LaunchNumbers {
  std::function<int64_t(unsigned arg, unsigned dim)> size;
  /// Of an argument whose type does not give the stride; nothing if that is not known.
  std::function<std::optional<int64_t>(unsigned arg, unsigned dim)> stride;
  int64_t cores = 1;
};

/// An expression that is evaluated for many launches.
class Evaluator {
public:
  explicit Evaluator(const Expr &expr);
  Evaluator(Evaluator &&) noexcept;
  ~Evaluator();

  /// The value that a launcher would compute. Nothing if it depends on a stride that is not
  /// known, a scalar or clusters, overflows, divides by zero or shifts too far.
  std::optional<int64_t> at(const LaunchNumbers &numbers);

private:
  struct Step;
  std::vector<Step> steps;
  std::vector<std::optional<int64_t>> values; ///< of the steps
};

/// The value for one launch.
std::optional<int64_t> evaluate(const Expr &expr, const LaunchNumbers &numbers);

/// The operations that an expression uses more than once, operands before users. Empty if the
/// expression is small even when it is written as a tree, because then no names are needed.
std::vector<Expr> namedParts(const Expr &expr);

struct Argument {
  std::string name;
  bool isMemref = false;
  std::string type; // the type of an element, or of the scalar
  // Memrefs only.
  struct Extent {
    std::optional<int64_t> size; // a static size,
    std::string symbol;          // or a name; if both are empty, any size
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
  bool restored = false;            // the kernel restores the initial contents

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
  std::optional<Assume> cond; // for the fact "cond", instead of the fields above
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
  std::vector<Expr> grid; // numbers of blocks, one for each dimension
  // Only for GPU launches; `block` in threads, `shared` in bytes.
  struct Gpu {
    int64_t block = 0, shared = 0, cluster = 1;
    bool dependent = false;
    std::optional<Expr> places; // condition: when a parameter of this kind is passed
  };
  std::optional<Gpu> gpu;
  std::vector<Param> params;
  std::vector<Descriptor> descriptors;
};

struct Variant {
  std::string name = "any";
  // Of a family: the values of its parameters ("BM=128,BN=256"), with which `name` begins, too.
  std::string member;
  // The predicted time of a launch in nanoseconds, by which launchers choose among members.
  std::optional<Expr> cost;
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
llvm::json::Value toJson(const Expr &e);

/// Several expressions, of one launch for example. Operations that are used more than once are
/// entries of `numbers`, to which later ones and `values` refer.
struct SharedExprs {
  llvm::json::Array numbers;
  std::vector<llvm::json::Value> values;
};
SharedExprs share(llvm::ArrayRef<Expr> exprs);

/// The version of contracts with launches that have `numbers`.
constexpr int64_t kVersionOfNumbers = 4;
/// The version of contracts with descriptors that have `trim`.
constexpr int64_t kVersionOfTrim = 5;
/// The version of contracts with descriptors that have `steps`.
constexpr int64_t kVersionOfSteps = 6;

/// Parses JSON that may come from anywhere. LLVM's parser is recursive and has no limit, so depth
/// is checked before.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

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

/// The most that a launcher reads (docs/Contract.md, "Limits"); lib/Runtime/Contract.cpp has the
/// same numbers.
constexpr size_t kMaxJsonBytes = size_t{16} << 20;
constexpr size_t kMaxKernels = 4096, kMaxArgs = 1024, kMaxRank = 16, kMaxList = 4096;
constexpr size_t kMaxWorkspaces = 256, kMaxDescriptors = 64, kMaxMembers = 256;
constexpr size_t kMaxNodes = 65536;
constexpr unsigned kMaxDepth = 256;
using tile::kMaxAlign;

//===--- from IR ----------------------------------------------------------------------------===//

/// The expression of an integer or index value of a kernel's body. `user` is named in the error,
/// which is emitted at an op that no expression can describe.
mlir::FailureOr<Expr> buildExpr(mlir::Value value, mlir::Operation *user);

/// The predicted nanoseconds of a launch of the kernel (`tile.cost`). Nothing if the kernel has no
/// prediction, or one that a launcher cannot compute; that is no error, and nothing is emitted.
std::optional<Expr> predictedTime(tile::KernelOp kernel);

/// JSON of numbers, strings, lists and objects as an attribute. Numbers become i64.
mlir::Attribute toAttribute(mlir::MLIRContext *context, const llvm::json::Value &value);

/// The number of blocks of a grid, one expression for each dimension.
mlir::FailureOr<std::vector<Expr>> buildGrid(tile::GridOp grid);

/// Arguments, assumptions and workspaces of a kernel; no variants yet. Workspaces are numbered as
/// `collectWorkspaces` lists them.
mlir::FailureOr<Kernel> describeKernel(tile::KernelOp kernel);

/// Its arguments alone, also of a kernel whose parameters are not bound.
std::vector<Argument> describeArguments(tile::KernelOp kernel);

/// The allocations of a kernel's body, in order.
llvm::SmallVector<mlir::memref::AllocOp> collectWorkspaces(tile::KernelOp kernel);

/// The description of a workspace. Emits an error if the contract cannot describe it.
mlir::FailureOr<Workspace> describeWorkspace(mlir::memref::AllocOp alloc);

/// Whether a memref value (an argument or an allocation) is read and written, also through views.
struct Access {
  bool reads = false, writes = false;
};
Access accessOf(mlir::Value memref);

/// Adds a lowered kernel to the contract: as a variant of the kernel that its `variant_of` names
/// (or of its own name), after the variants that are there. A member of a family (`tile.member_of`)
/// becomes a variant of the kernel that had the parameters. What only some members demand of a
/// launch guards their variants.
mlir::LogicalResult addVariant(Contract &contract, tile::KernelOp kernel,
                               std::vector<Launch> launches);

/// Emits an error at `op` if `kernel`, whose last variant is new, exceeds what launchers read.
mlir::LogicalResult checkLimits(const Contract &contract, const Kernel &kernel,
                                mlir::Operation *op);
/// The same for the whole text.
mlir::LogicalResult checkLimits(llvm::StringRef json, mlir::Operation *op);

} // namespace tessera::contract

#endif
