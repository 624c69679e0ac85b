// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Buffer.h"

#include "CommandLine.h"
#include "tessera/Runtime/Facts.h"

#include <cstring>

namespace tile_run {

using namespace tessera::rt;

namespace {
char guardByte(size_t i) { return static_cast<char>(0xc3 ^ (i * 7)); }
} // namespace

Buffer::Buffer(const HostArray &array, const ArgSpec &spec, bool guard, size_t align,
               const std::string &what)
    : element(array.element), shape(array.shape), elements(array.count()),
      guarded(guard ? (guardBytes + align - 1) / align * align : 0), align(align) {
  size_t size = elementSize(element);
  strides.assign(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  if (spec.strides) {
    if (spec.strides->size() != shape.size())
      fail(what + ": " + std::to_string(spec.strides->size()) +
           " strides were given, its rank is " + std::to_string(shape.size()));
    strides = *spec.strides;
  }
  int64_t low, high;
  if (!byteRange(element, shape.data(), strides.data(), shape.size(), low, high) ||
      high - low > (int64_t{1} << 46))
    fail(what + ": strides " + printShape(strides) + " make it too large");
  size_t lead = static_cast<size_t>(spec.offset) * size;
  size_t total = 2 * guarded + lead + static_cast<size_t>(high - low);
  first = guarded + lead + static_cast<size_t>(-low);
  image.resize(total);
  for (size_t i = 0; i < guarded; ++i)
    image[i] = image[total - 1 - i] = guardByte(i);
  if (isContiguous()) {
    uint64_t pattern = poison(element);
    for (size_t at = guarded; at < first; at += size)
      std::memcpy(&image[at], &pattern, size);
    if (!array.data.empty())
      std::memcpy(&image[first], array.data.data(), array.data.size());
    return;
  }
  uint64_t pattern = poison(element);
  for (size_t at = guarded; at + size <= total - guarded; at += size)
    std::memcpy(&image[at], &pattern, size);
  forEach([&](int64_t i, size_t at) {
    std::memcpy(&image[at], array.data.data() + static_cast<size_t>(i) * size, size);
  });
}

bool Buffer::allocate(Backend &backend, uint64_t &base, uint64_t &address, Error &error) const {
  constexpr size_t guaranteed = 256; // guaranteed by every back end
  size_t slack = guaranteed % align ? align : 0;
  if (!backend.allocate(image.size() + slack, base, error))
    return false;
  address = slack ? (base + align - 1) / align * align : base;
  return true;
}

bool Buffer::isContiguous() const {
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (strides[d] != step && shape[d] > 1)
      return false;
    step *= shape[d] ? shape[d] : 1;
  }
  return true;
}

void Buffer::forEach(const std::function<void(int64_t, size_t)> &body) const {
  auto size = static_cast<int64_t>(elementSize(element));
  std::vector<int64_t> index(shape.size(), 0);
  auto at = static_cast<int64_t>(first);
  for (int64_t i = 0; i < elements; ++i) {
    body(i, static_cast<size_t>(at));
    for (size_t d = shape.size(); d-- > 0;) {
      at += strides[d] * size;
      if (++index[d] < shape[d])
        break;
      at -= strides[d] * size * shape[d];
      index[d] = 0;
    }
  }
}

double Buffer::distinctBytes() const {
  auto bytes = static_cast<double>(elementSize(element));
  for (size_t d = 0; d < shape.size(); ++d)
    bytes *= static_cast<double>(shape[d] > 1 && strides[d] == 0 ? 1 : shape[d]);
  return bytes;
}

tessera_rt_arg Buffer::argument(uint64_t address) const {
  tessera_rt_arg arg = {};
  arg.pointer = reinterpret_cast<void *>(address + first);
  arg.sizes = shape.data();
  arg.strides = strides.data();
  return arg;
}

uint64_t Buffer::place(uint64_t address, int64_t index) const {
  return address + first + static_cast<uint64_t>(index) * elementSize(element);
}

void Buffer::setElement(int64_t i, uint64_t bits) {
  std::memcpy(&image[first + static_cast<size_t>(i) * sizeof(bits)], &bits, sizeof(bits));
}

std::string Buffer::gather(const std::string &from) const {
  size_t size = elementSize(element);
  if (isContiguous())
    return from.substr(first, static_cast<size_t>(elements) * size);
  std::string data(static_cast<size_t>(elements) * size, '\0');
  forEach([&](int64_t i, size_t at) {
    std::memcpy(&data[static_cast<size_t>(i) * size], &from[at], size);
  });
  return data;
}

bool Buffer::checkUntouched(const std::string &after, bool written, std::string &difference) const {
  std::string expected = image;
  size_t size = elementSize(element);
  if (written)
    forEach([&](int64_t, size_t at) { std::memcpy(&expected[at], &after[at], size); });
  if (expected == after)
    return true;
  size_t at = 0, count = 0;
  for (size_t i = 0; i < after.size(); ++i)
    if (expected[i] != after[i] && !count++)
      at = i;
  auto position = static_cast<int64_t>(at) - static_cast<int64_t>(first);
  int64_t low, high;
  byteRange(element, shape.data(), strides.data(), shape.size(), low, high);
  difference =
      std::to_string(count) + " bytes were changed that the kernel must not write, " + "the first ";
  if (position < low)
    difference += std::to_string(low - position) + " bytes before its start";
  else if (position >= high)
    difference += std::to_string(position - high) + " bytes after its end";
  else
    difference += std::to_string(position) + " bytes from its first element";
  return false;
}

} // namespace tile_run
