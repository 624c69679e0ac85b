// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- TensorMap.h - From a descriptor recipe to the driver's fields ------===//
//
// cuTensorMapEncodeTiled reports every mistake as CUDA_ERROR_INVALID_VALUE. So all of its rules are
// checked here, with names and numbers, and the driver gets only what it accepts.

#ifndef TESSERA_RUNTIME_TENSORMAP_H
#define TESSERA_RUNTIME_TENSORMAP_H

#include "tessera/Runtime/Element.h"

#include <cstdint>
#include <string>

namespace tessera::rt {

inline constexpr unsigned maxTensorMapRank = 5;
inline constexpr size_t tensorMapBytes = 128;
inline constexpr int64_t maxTensorMapStep = 8;

/// Lists are outermost first; strides in elements, the last one must be 1. `box` counts the
/// elements that are fetched, which are `steps` apart; the last step is 1.
struct TensorMapRequest {
  Element element = Element::F32;
  uint64_t address = 0;
  unsigned rank = 0;
  int64_t sizes[maxTensorMapRank], strides[maxTensorMapRank], box[maxTensorMapRank];
  int64_t steps[maxTensorMapRank] = {1, 1, 1, 1, 1};
  int64_t swizzle = 0;
  bool nanFill = false;
};

/// The driver's view: innermost first, strides in bytes without the innermost.
struct TensorMapFields {
  bool empty = false; ///< a dimension has size 0: no map exists, the slot stays zero
  unsigned type = 0;  ///< CUtensorMapDataType
  unsigned rank = 0;
  uint64_t address = 0;
  uint64_t sizes[maxTensorMapRank], strides[maxTensorMapRank];
  uint32_t box[maxTensorMapRank]; ///< all that a box reaches over
  uint32_t steps[maxTensorMapRank];
  unsigned swizzle = 0, fill = 0; ///< CUtensorMapSwizzle, CUtensorMapFloatOOBfill
  unsigned promotion = 0;         ///< CUtensorMapL2promotion
};

bool layoutTensorMap(const TensorMapRequest &request, TensorMapFields &fields, std::string &error);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TENSORMAP_H
