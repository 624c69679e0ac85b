// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- NumpyFile.h - Reading and writing .npy ----------------------------===//
//
// numpy has no bf16 and no f8, so the reader decides what the bytes of a file mean: `accepts` says
// whether a dtype may hold an element type. bf16 is written as `|V2` (ml_dtypes reads it with
// `.view(ml_dtypes.bfloat16)`), f8 as `|u1`, i1 as `|b1`.

#ifndef TESSERA_RUNTIME_NUMPYFILE_H
#define TESSERA_RUNTIME_NUMPYFILE_H

#include "tessera/Runtime/Element.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::rt {

struct NumpyArray {
  std::string dtype; ///< as in the file, e.g. "<f4"
  std::vector<int64_t> shape;
  std::string data; ///< row-major

  int64_t count() const;
  /// Bytes of one element, from the dtype.
  size_t itemSize() const;
  /// Whether the file's bytes may be taken for elements of this type.
  bool accepts(Element element) const;
  /// The type the file itself speaks of, if it is one of ours ("<f4": F32; unsigned counts as
  /// signed).
  std::optional<Element> element() const;
};

/// Parses the bytes of a .npy file, versions 1 to 3. Big-endian, structured, object and
/// Fortran-order arrays are refused with a reason.
bool parseNumpy(std::string bytes, NumpyArray &array, std::string &error);
bool readNumpy(const std::string &path, NumpyArray &array, std::string &error);

/// The file's header for a row-major array.
std::string numpyHeader(Element element, const std::vector<int64_t> &shape);
bool writeNumpy(const std::string &path, Element element, const std::vector<int64_t> &shape,
                std::string_view data, std::string &error);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_NUMPYFILE_H
