// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Facts.h - What must hold before a launch ---------------------------===//
//
// Binding of the caller's arguments to the contract and all checks that may refuse a launch. Each
// refusal is one line that names argument, dimension, the number demanded and the number found.

#ifndef TESSERA_RUNTIME_FACTS_H
#define TESSERA_RUNTIME_FACTS_H

#include "tessera/Runtime/Contract.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::rt {

/// The caller's arguments with strides made explicit. Not movable: `args` points into `numbers`.
struct BoundArgs {
  BoundArgs() = default;
  BoundArgs(const BoundArgs &) = delete;
  BoundArgs &operator=(const BoundArgs &) = delete;

  std::vector<BoundArg> args;
  std::vector<int64_t> numbers; ///< sizes and strides
};

/// Whether so many values are given as the kernel has arguments.
bool checkCount(const KernelContract &kernel, size_t count, std::string &error);

/// Checks count and kinds, copies sizes, computes or checks strides.
bool bindArguments(const KernelContract &kernel, const tessera_rt_arg *given, size_t count,
                   BoundArgs &bound, std::string &error);

/// The bits of a scalar without those that do not belong to it.
uint64_t scalarBits(const Argument &arg, uint64_t bits);
/// What differs between launches that are alike otherwise: an address, or the bits of a scalar.
uint64_t valueOf(const Argument &arg, const tessera_rt_arg &given);

/// Addresses are compared as signed 64-bit numbers, so they must be so small that no sum of them
/// overflows.
inline bool isBeyond(uint64_t address) { return address >= uint64_t{1} << 62; }

/// Shapes, strides, alignment, divisibility, pointers, overlap and assumes, in this order.
bool checkFacts(const KernelContract &kernel, const std::vector<BoundArg> &args, int64_t cores,
                std::string &error);

/// False if TMA has no descriptor for an argument of these strides: one is negative, or 2^40 bytes
/// or more. (With a stride of 0 TMA reads the same row again.) Guards are only about divisors of
/// strides, so this is a separate check. `failed` gets the first descriptor that does not exist.
bool mapsExist(const Variant &variant, const std::vector<BoundArg> &args,
               const Descriptor **failed = nullptr);

/// Whether all guards hold; `failed` gets the first that does not. A condition that cannot be
/// evaluated does not hold.
bool guardsHold(const Variant &variant, const std::vector<BoundArg> &args, int64_t cores,
                const Guard **failed = nullptr);

/// "A.stride[0] divisible by 8".
std::string printGuard(const Guard &guard, const std::vector<std::string> &names);

/// The number of bytes that the address of an array must be a multiple of.
int64_t alignmentOf(const Argument &arg);
/// The stride that every array must have there, if the contract fixes it.
std::optional<int64_t> fixedStride(const Argument &arg, size_t dim);

/// "argument 1 'B'".
std::string describeArg(const KernelContract &kernel, size_t index);

/// The half-open range of bytes that an array touches, relative to its pointer; empty arrays have
/// low == high. False on 64-bit overflow.
bool byteRange(Element element, const int64_t *sizes, const int64_t *strides, size_t rank,
               int64_t &low, int64_t &high);

/// The bytes that an array touches, relative to its address.
struct ByteRange {
  int64_t low = 0, high = 0;
};
/// Those of all arrays whose facts have been checked; of scalars an empty one.
std::vector<ByteRange> byteRanges(const KernelContract &kernel, const std::vector<BoundArg> &args);

/// The pairs of arguments that must not share a byte, because the kernel writes one of them.
using ArgPairs = std::vector<std::pair<uint32_t, uint32_t>>;
ArgPairs exclusivePairs(const KernelContract &kernel);
/// Whether none of the pairs have ranges that meet, with arrays at these addresses. If some do, the
/// elements of one may still lie between those of the other.
bool liesApart(const ArgPairs &pairs, const std::vector<ByteRange> &ranges,
               const std::vector<uint64_t> &addresses);
/// The exact check. The error names the arguments.
bool checkOverlap(const KernelContract &kernel, const ArgPairs &pairs,
                  const std::vector<BoundArg> &args, std::string &error);

enum class Overlap { No, Yes, Unknown };
/// Whether two arrays share a byte: exact unless the search exceeds its budget.
Overlap overlaps(const Argument &a, const BoundArg &boundA, const Argument &b,
                 const BoundArg &boundB);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_FACTS_H
