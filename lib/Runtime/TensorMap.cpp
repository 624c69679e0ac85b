// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/TensorMap.h"

#include "CudaDriver.h"

namespace tessera::rt {

namespace {
unsigned dataType(Element element) {
  switch (element) {
  case Element::F64:
    return cuda::TensorMapFloat64;
  case Element::F32:
    return cuda::TensorMapFloat32;
  case Element::F16:
    return cuda::TensorMapFloat16;
  case Element::BF16:
    return cuda::TensorMapBFloat16;
  case Element::I64:
  case Element::Index:
    return cuda::TensorMapInt64;
  case Element::I32:
    return cuda::TensorMapInt32;
  case Element::I16:
    return cuda::TensorMapUInt16;
  default:
    return cuda::TensorMapUInt8;
  }
}
} // namespace

bool layoutTensorMap(const TensorMapRequest &request, TensorMapFields &fields, std::string &error) {
  auto fail = [&](const std::string &message) {
    error = "TMA descriptor: " + message;
    return false;
  };
  auto number = [](int64_t value) { return std::to_string(value); };
  fields = TensorMapFields();
  fields.type = dataType(request.element);
  fields.rank = request.rank;
  fields.address = request.address;
  auto size = static_cast<int64_t>(elementSize(request.element));
  if (request.rank < 1 || request.rank > maxTensorMapRank)
    return fail("rank " + number(request.rank) + " is not in 1..5");
  for (unsigned d = 0; d < request.rank; ++d)
    if (request.sizes[d] == 0) {
      fields.empty = true;
      return true;
    }
  if (request.address % 16)
    return fail("the address must be aligned to 16 bytes");

  for (unsigned i = 0; i < request.rank; ++i) {
    unsigned d = request.rank - 1 - i;
    std::string where = "dimension " + number(d) + " of the map: ";
    if (request.sizes[d] < 0 || request.sizes[d] > (int64_t{1} << 32))
      return fail(where + "size " + number(request.sizes[d]) + " is not in 0..4294967296");
    if (request.box[d] < 1 || request.box[d] > 256)
      return fail(where + "box " + number(request.box[d]) + " is not in 1..256");
    fields.sizes[i] = static_cast<uint64_t>(request.sizes[d]);
    if (request.steps[d] < 1 || request.steps[d] > (i == 0 ? 1 : maxTensorMapStep))
      return fail(where + "step " + number(request.steps[d]) +
                  " is not in 1..8, or not 1 in the innermost dimension");
    const int64_t reach = (request.box[d] - 1) * request.steps[d] + 1;
    if (reach > 256)
      return fail(where + "with steps of " + number(request.steps[d]) + " the box reaches over " +
                  number(reach) + " elements, more than 256");
    fields.box[i] = static_cast<uint32_t>(reach);
    fields.steps[i] = static_cast<uint32_t>(request.steps[d]);
    if (i == 0) {
      if (request.strides[d] != 1 && request.sizes[d] > 1)
        return fail(where + "stride " + number(request.strides[d]) +
                    ", the innermost dimension must be contiguous");
      continue;
    }
    int64_t bytes;
    // A stride of 0 repeats what is loaded, for instance a head of keys for several of queries.
    bool legal = !__builtin_mul_overflow(request.strides[d], size, &bytes) && bytes >= 0 &&
                 bytes < (int64_t{1} << 40) && bytes % 16 == 0;
    if (!legal && request.sizes[d] == 1) {
      // The dimension has one element, so that its stride is never used. Any stride that the driver
      // accepts will do.
      bytes = 16;
      legal = true;
    }
    if (!legal)
      return fail(where + "stride " + number(request.strides[d]) + " elements of " + number(size) +
                  " bytes, it must be a multiple of 16 bytes below 2^40, and not negative");
    fields.strides[i - 1] = static_cast<uint64_t>(bytes);
  }
  int64_t inner = request.box[request.rank - 1] * size;
  if (inner % 16)
    return fail("the innermost box is " + number(inner) + " bytes, it must be a multiple of 16");
  if (request.swizzle && inner > request.swizzle)
    return fail("the innermost box is " + number(inner) + " bytes, more than the swizzle of " +
                number(request.swizzle));
  fields.swizzle = request.swizzle == 32    ? cuda::TensorMapSwizzle32B
                   : request.swizzle == 64  ? cuda::TensorMapSwizzle64B
                   : request.swizzle == 128 ? cuda::TensorMapSwizzle128B
                                            : cuda::TensorMapSwizzleNone;
  if (request.nanFill && !isFloat(request.element))
    return fail("NaN outside of an integer array");
  if (request.nanFill && elementSize(request.element) == 1)
    return fail("the hardware cannot fill f8 with NaN");
  // L2 fetches pairs of cache lines, unless rows begin in the middle of a pair: then each row of a
  // box would fetch two pairs. Source: docs/performance/constants.md.
  constexpr uint64_t kPair = 256;
  bool pairs = fields.address % kPair == 0;
  for (unsigned i = 0; i + 1 < fields.rank; ++i)
    pairs &= fields.strides[i] % kPair == 0 || fields.sizes[i + 1] == 1;
  fields.promotion = pairs ? cuda::TensorMapL2Promotion256B : cuda::TensorMapL2Promotion128B;
  fields.fill = request.nanFill ? cuda::TensorMapFillNaN : cuda::TensorMapFillNone;
  return true;
}

} // namespace tessera::rt
