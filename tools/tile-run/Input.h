// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Input.h - The arguments on the command line, and their bytes -------===//

#ifndef TESSERA_TOOLS_TILE_RUN_INPUT_H
#define TESSERA_TOOLS_TILE_RUN_INPUT_H

#include "tessera/Runtime/Contract.h"
#include "tessera/Runtime/ThreadPool.h"

#include <optional>
#include <string>
#include <vector>

namespace tile_run {

using tessera::rt::Element;

/// An argument of the command line: a file, a generator, or a number.
struct ArgSpec {
  enum class Kind {
    File,
    Randn,
    Randint,
    Zeros,
    Ones,
    Arange,
    Nan,
    List,
    Addresses,
    Place,
    Number
  };
  Kind kind = Kind::Number;
  std::string text; ///< the text of the argument
  std::string path; ///< if it is a file; the name of an argument, if it is a place in one
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::optional<uint64_t> seed;
  double scale = 1, start = 0, step = 1;
  long long low = 0, high = 1;
  std::optional<std::vector<int64_t>> strides;
  int64_t offset = 0;
  std::vector<double> values;       ///< of a list
  std::vector<ArgSpec> arrays;      ///< whose addresses are the elements
  std::optional<double> rtol, atol; ///< for --check only
};

/// Parses an argument. If it is malformed, the message begins with `what`.
ArgSpec parseArgSpec(const std::string &text, const std::string &what);

/// The values of an array, row-major.
struct HostArray {
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::string data;

  int64_t count() const;
};

/// Loads or generates an array. `wanted` is the type of the elements. With `anyType` a file of
/// another type keeps its own one, because references may be wider than what they are compared
/// with. `index` is the seed if none is given.
HostArray makeArray(const ArgSpec &spec, Element wanted, bool anyType, size_t index,
                    const std::string &what, tessera::rt::ThreadPool &pool);

/// The bits of a scalar of this type.
uint64_t makeScalar(const ArgSpec &spec, Element type, const std::string &what);

/// An element that no kernel should read: NaN, or the bytes 0x5a (for i1: 1).
uint64_t poison(Element element);

std::string printShape(const std::vector<int64_t> &shape);
/// Prints the coordinates of the element with this row-major number: "[3, 4]".
std::string printIndex(const std::vector<int64_t> &shape, int64_t linear);
std::string printNumber(Element element, const void *data);

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_INPUT_H
