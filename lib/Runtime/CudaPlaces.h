// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- CudaPlaces.h - How a device deals clusters to its GPCs -------------===//

#ifndef TESSERA_LIB_RUNTIME_CUDAPLACES_H
#define TESSERA_LIB_RUNTIME_CUDAPLACES_H

#include "CudaDriver.h"

#include <cstdint>
#include <vector>

namespace tessera::rt {

/// The table of a launch of so many clusters with one block an SM (Places.h), found out by a small
/// kernel that is launched in this way; null if it is not known. It is remembered for the process.
/// `isFinal` is false if asking again may help: the device was busy, or it is not the time to
/// launch something else because `stream` is being captured. Takes at most about 100 ms, and
/// mostly a few.
const std::vector<int32_t> *findPlaces(const cuda::Driver &driver, uint32_t clusters,
                                       uint32_t clusterSize, cuda::Stream stream, bool &isFinal);

/// Copies the table to the device; 0 if that fails. The memory is the caller's.
cuda::DevicePointer uploadPlaces(const cuda::Driver &driver, const std::vector<int32_t> &places);

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_CUDAPLACES_H
