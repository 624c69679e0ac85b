// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Contract.h - The launch contract of an artifact --------------------===//
//
// docs/Contract.md as data. `parseContract` accepts any bytes: every index in the result is in
// range, every number within bounds, and a malformed text gives one line that names the place.

#ifndef TESSERA_RUNTIME_CONTRACT_H
#define TESSERA_RUNTIME_CONTRACT_H

#include "tessera/Runtime/Element.h"
#include "tessera/Runtime/Expr.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::rt {

/// What the contract says about one dimension's size.
struct Extent {
  enum class Kind : uint8_t { Any, Equal, Symbol };
  Kind kind = Kind::Any;
  int64_t value = 0; ///< Equal: the size; Symbol: index into Kernel::symbols
};

enum class Access : uint8_t { None = 0, Read = 1, Write = 2, ReadWrite = 3 };
inline bool reads(Access access) { return static_cast<uint8_t>(access) & 1; }
inline bool writes(Access access) { return static_cast<uint8_t>(access) & 2; }

struct Argument {
  std::string name;
  bool isMemref = false;
  Element element = Element::F32; ///< of a scalar: its type
  // Only of memrefs:
  std::vector<Extent> shape;
  bool strided = false;
  std::vector<std::optional<int64_t>> strides; ///< strided: one for each dimension, in elements
  std::optional<int64_t> offset = 0;
  Access access = Access::ReadWrite;
  int64_t align = 1;
  std::vector<int64_t> sizeDivisible, strideDivisible; ///< one for each dimension; 1: no demand
  std::string alias;

  unsigned rank() const { return static_cast<unsigned>(shape.size()); }
};

struct Assume {
  Expr cond;
  std::string message;
};

struct Workspace {
  Element element = Element::F32;
  std::vector<Expr> sizes;
  std::vector<Expr> strides; ///< empty: row-major and contiguous
  bool initialized = false;
  bool restored =
      false; ///< the kernel restores the contents: it is filled once, when it is allocated
  uint64_t pattern = 0; ///< bits of one element
};

struct Guard {
  enum class Fact : uint8_t {
    Align,
    StrideDivisible,
    SizeDivisible,
    SizeMax,
    SizeMin,
    ScalarDivisible,
    Cond
  };
  Fact fact = Fact::Align;
  uint32_t arg = 0, dim = 0;
  int64_t value = 1;
  Expr cond;           ///< Cond: the condition; other fields are unused
  std::string message; ///< Cond: what it means; may be empty
};

struct Param {
  enum class Kind : uint8_t { Pointer, Size, Stride, Scalar, Workspace, Expr, Descriptor, Places };
  Kind kind = Kind::Pointer;
  uint32_t arg = 0, dim = 0; ///< Workspace, Descriptor: `arg` is the index
  Expr value;
};

/// A recipe for cuTensorMapEncodeTiled; all lists outermost first.
struct Descriptor {
  bool ofWorkspace = false;
  uint32_t arg = 0; ///< or the workspace
  Element element = Element::F32;
  std::vector<int64_t> box;
  /// The entry of `box` that is the remainder of the size instead, if there is one.
  std::optional<uint32_t> trim;
  std::vector<int64_t> steps; ///< between the elements that are fetched; empty: all are 1
  std::vector<uint32_t> dims;
  int64_t swizzle = 0;
  int64_t interleave = 0;
  bool nanFill = false;
  std::vector<Expr> sizes, strides; ///< empty: the argument's own
};

struct Launch {
  std::string symbol;
  std::vector<Expr> grid;
  int64_t block = 1, shared = 0, cluster = 1;
  bool dependent = false;     ///< may begin before the launch before it in the stream has ended
  std::optional<Expr> places; ///< condition: when a parameter of this kind is passed
  std::vector<Param> params;
  std::vector<Descriptor> descriptors;
};

struct Variant {
  std::string name;
  std::vector<Guard> guards;
  std::vector<Launch> launches;
  std::vector<Workspace> workspaces; ///< its own, or the kernel's
  std::optional<Expr> cost;          ///< of a member: the predicted nanoseconds
};

/// The same kernel with tiles of certain extents: adjacent variants of a family. A kernel that is
/// no family has one member without a name.
struct Member {
  std::string name; ///< "BM=128,BN=256"
  size_t first = 0, count = 0;
};

struct KernelContract {
  std::string name;
  std::vector<Argument> args;
  std::vector<std::string> symbols; ///< names of symbolic sizes
  std::vector<Assume> assumes;
  std::vector<Workspace> workspaces;
  std::vector<Variant> variants;
  std::vector<Member> members; ///< they cover all variants, in order
  bool usesCores = false;      ///< some expression uses the number of cores
  bool usesClusters = false;   ///< some expression uses the number of clusters that run at a time
  bool usesWorkspaces = false; ///< some variant has workspaces

  std::vector<std::string> argNames() const;
  bool isFamily() const { return !members.empty() && !members.front().name.empty(); }
  /// The member that a variant belongs to.
  size_t memberOf(size_t variant) const;
};

struct Contract {
  std::string text; ///< the JSON that it was read from
  std::string compiler, target;
  std::vector<KernelContract> kernels;

  bool isCpu() const { return target == "cpu"; }
};

/// Reads the global's bytes (header, JSON, NUL; anything may follow). Returns false with one line
/// in `error` if they are not a contract of this version.
bool parseContract(std::string_view bytes, Contract &contract, std::string &error);

/// The bytes of a contract around `json`, as the compiler writes them.
std::string wrapContract(std::string_view json);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_CONTRACT_H
