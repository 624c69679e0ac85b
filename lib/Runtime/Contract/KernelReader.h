// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads one kernel of a contract from its JSON (docs/Contract.md).
#ifndef TESSERA_LIB_RUNTIME_CONTRACT_KERNELREADER_H
#define TESSERA_LIB_RUNTIME_CONTRACT_KERNELREADER_H

#include "tessera/Runtime/Contract.h"

#include "JsonReader.h"

#include <limits>

namespace tessera::rt {

// Limits that are generous for any kernel, and so small that no text can make the reader run out of
// time or memory. They stand in docs/Contract.md and in the compiler's Contract.h, too.
constexpr uint64_t maxJsonBytes = uint64_t{16} << 20;
constexpr size_t maxKernels = 4096, maxArgs = 1024, maxRank = 16, maxList = 4096;
constexpr size_t maxNodes = 65536, maxWorkspaces = 256, maxDescriptors = 64, maxMembers = 256;
constexpr unsigned maxDepth = 256;
constexpr int64_t maxAlign = int64_t{1} << 30;
constexpr int64_t maxSize = std::numeric_limits<int64_t>::max();

/// The versions of a contract: 2 has expressions with a list, 3 has families, 4 has launches with a
/// list, 5 has descriptors with boxes that end where the array does, 6 descriptors with steps
/// between the elements of a box.
constexpr int64_t newestVersion = 6, versionOfMembers = 3, versionOfNumbers = 4, versionOfTrim = 5,
                  versionOfSteps = 6;

/// The type of elements that a name stands for, or of a scalar. No scalar is an f8.
Element readElement(const JsonReader &reader, bool scalar);

class KernelReader {
public:
  KernelReader(KernelContract &kernel, int64_t version) : kernel(kernel), version(version) {}
  bool read(const JsonReader &reader);

private:
  void readArgument(const JsonReader &reader);
  void readMemref(const JsonReader &reader, Argument &arg);
  void readVariant(const JsonReader &reader);
  void readMember(const JsonReader &reader, Variant &variant);
  void readGuard(const JsonReader &reader, Guard &guard);
  void readLaunch(const JsonReader &reader, const Variant &variant, Launch &launch);
  struct Graph;
  void readParam(const JsonReader &reader, const Variant &variant, const Launch &launch,
                 Graph &numbers, Param &param);
  void readDescriptor(const JsonReader &reader, const Variant &variant, Descriptor &descriptor);
  void readWorkspace(const JsonReader &reader, std::vector<Workspace> &workspaces);
  Expr readExpr(const JsonReader &reader);
  Graph readNumbers(const JsonReader &reader);
  Expr readNumber(const JsonReader &reader, Graph &numbers);
  uint32_t readNode(const JsonReader &reader, Graph &graph, unsigned level);
  void readExprs(const JsonReader &reader, size_t limit, std::vector<Expr> &exprs);
  std::vector<int64_t> readDivisors(const JsonReader &reader, std::string_view key, size_t rank);

  uint32_t readMemrefIndex(const JsonReader &reader);
  uint32_t readScalarIndex(const JsonReader &reader, bool integerOnly);
  uint32_t readDim(const JsonReader &reader, uint32_t arg);

  KernelContract &kernel;
  const int64_t version; ///< of the contract
};

/// The state while an expression is read, or the expressions of a launch that share parts.
struct KernelReader::Graph {
  Expr expr = {};
  std::vector<uint32_t> named = {};  ///< the nodes that "ref" may name
  std::vector<unsigned> depths = {}; ///< of each node: the length of the longest path to a leaf
  size_t copied = 0;                 ///< nodes that parameters have of a launch's list
  Graph() { expr.nodes.clear(); }
};

} // namespace tessera::rt

#endif
