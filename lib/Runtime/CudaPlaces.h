// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- CudaPlaces.h - How a device deals clusters to its GPCs -------------===//

#ifndef TESSERA_LIB_RUNTIME_CUDAPLACES_H
#define TESSERA_LIB_RUNTIME_CUDAPLACES_H

#include "CudaDriver.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::rt {

/// What is known of a context's device, and what finds it out: a small kernel, a stream of its own,
/// and memory. All of it is made by `open` and stays until the last back end leaves the context:
/// loading, allocating and freeing may wait for every kernel that runs in the context, and `find`,
/// which is in the path of a launch, must not.
class ContextPlaces {
public:
  /// What all back ends of the current context share. May wait for what runs there, as loading any
  /// other code does.
  static std::shared_ptr<ContextPlaces> open(const cuda::Driver &driver, cuda::Context context);
  explicit ContextPlaces(const cuda::Driver &driver);
  /// The context is current.
  ~ContextPlaces();
  ContextPlaces(const ContextPlaces &) = delete;
  ContextPlaces &operator=(const ContextPlaces &) = delete;

  /// The address of the table of a launch of so many clusters with one block an SM (Places.h); 0 if
  /// it is not known. It is found out once, by launching the kernel in this way. `isFinal` is false
  /// if asking again may help: the device was busy, or it is not the time to launch something else
  /// because `stream` is being captured. Takes at most about 100 ms, and mostly a few; calls
  /// nothing that waits for other streams.
  cuda::DevicePointer find(uint32_t clusters, uint32_t clusterSize, cuda::Stream stream,
                           bool &isFinal);

private:
  struct Answer {
    cuda::DevicePointer table = 0, underWay = 0; ///< the second: being copied
    int attempts = 0;
    bool isFinal = false;
  };
  struct Question;

  bool prepare();
  /// Fills in what the device says; what cannot work here is final, too.
  void ask(uint32_t clusters, uint32_t clusterSize, Answer &answer);
  void copyTable(const std::vector<int32_t> &places, const Question &question, Answer &answer);

  const cuda::Driver &driver;
  std::mutex mutex; ///< guards all below
  bool works = false;
  uint32_t cores = 0;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  cuda::Stream stream = nullptr;
  bool running = false;          ///< the stream has not been seen to come to its end
  uint32_t *smOfBlock = nullptr; ///< host memory that the device writes; one entry an SM
  int32_t *hostTables = nullptr; ///< behind it; where tables are copied from, as on the device
  cuda::DevicePointer tables = 0;
  uint32_t used = 0, room = 0;                             ///< entries of all tables
  std::map<std::pair<uint32_t, uint32_t>, Answer> answers; ///< by clusters and their size
};

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_CUDAPLACES_H
