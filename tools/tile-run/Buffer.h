// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Buffer.h - An array in the memory of the device --------------------===//
//
// The image of an array is what lies in memory: `offset` elements of poison, then the elements at
// their strides with poison between them. With --guard, it also has 256 bytes of a pattern on both
// sides.

#ifndef TESSERA_TOOLS_TILE_RUN_BUFFER_H
#define TESSERA_TOOLS_TILE_RUN_BUFFER_H

#include "Input.h"
#include "tessera/Runtime/Backend.h"

#include <functional>

namespace tile_run {

class Buffer {
public:
  static constexpr size_t guardBytes = 256;

  /// Lays out `array` as `spec` demands. The first element is aligned to `align` bytes if `spec`
  /// has no offset.
  Buffer(const HostArray &array, const ArgSpec &spec, bool guard, size_t align,
         const std::string &what);

  /// Allocates device memory for an image with the alignment that this buffer needs. `base` is what
  /// must be freed.
  bool allocate(tessera::rt::Backend &backend, uint64_t &base, uint64_t &address,
                tessera::rt::Error &error) const;

  Element getElement() const { return element; }
  const std::vector<int64_t> &getShape() const { return shape; }
  const std::vector<int64_t> &getStrides() const { return strides; }
  int64_t count() const { return elements; }
  size_t imageBytes() const { return image.size(); }
  /// The bytes of distinct elements. A dimension of stride 0 counts as one element.
  double distinctBytes() const;

  /// The argument for an image at `address`.
  tessera_rt_arg argument(uint64_t address) const;
  /// Where an element of an image at `address` is; elements are counted from the first one.
  uint64_t place(uint64_t address, int64_t element) const;
  /// Changes element `i` of a contiguous array of 64-bit numbers before the launch.
  void setElement(int64_t i, uint64_t bits);
  /// The bytes before the launch.
  const std::string &getImage() const { return image; }
  /// The elements of an image, row-major.
  std::string gather(const std::string &from) const;
  /// Compares an image with the one before the launch, outside of the elements, and also in them
  /// unless `written`. Returns false and a description if something differs.
  bool checkUntouched(const std::string &after, bool written, std::string &difference) const;

private:
  /// Calls body(row-major number, byte position in the image) for each element.
  void forEach(const std::function<void(int64_t, size_t)> &body) const;
  bool isContiguous() const;

  Element element;
  std::vector<int64_t> shape, strides;
  int64_t elements = 0;
  size_t first = 0; ///< the byte position of the first element
  size_t guarded = 0, align = 1;
  std::string image;
};

} // namespace tile_run

#endif // TESSERA_TOOLS_TILE_RUN_BUFFER_H
