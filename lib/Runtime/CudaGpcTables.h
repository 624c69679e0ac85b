// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- CudaGpcTables.h - GPC-aware cluster numbering on a device -------------===//

#ifndef TESSERA_LIB_RUNTIME_CUDAGPCTABLES_H
#define TESSERA_LIB_RUNTIME_CUDAGPCTABLES_H

#include "CudaDriver.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::rt {

/// What is known of the GPCs of a context's device, and what finds it out: a small kernel, a stream
/// of its own, and memory. `open` makes all of it, and it stays until the last back end leaves the
/// context. Loading, allocating and freeing may wait for every kernel that runs in the context.
/// `find` is called before launches and must not wait for them.
class GpcTables {
public:
  /// Returns the object that all back ends of the current context share. It may wait for what runs
  /// in the context, as loading code does.
  static std::shared_ptr<GpcTables> open(const cuda::Driver &driver, cuda::Context context);
  explicit GpcTables(const cuda::Driver &driver);
  /// Requires that the context is current.
  ~GpcTables();
  GpcTables(const GpcTables &) = delete;
  GpcTables &operator=(const GpcTables &) = delete;

  /// Returns the address of the table that numbers the clusters of a launch (GpcNumbering.h), which
  /// has so many clusters and one block per SM; 0 if the table is not known. The table is found out
  /// once, by launching the small kernel with as many clusters. `isFinal` is false if asking again
  /// may help: the device was busy, or nothing else may be launched because `stream` is being
  /// captured. The call has a deadline and waits for no other stream.
  cuda::DevicePointer find(uint32_t clusters, uint32_t clusterSize, cuda::Stream stream,
                           bool &isFinal);

private:
  struct Answer {
    /// The second one: a table that is still being copied.
    cuda::DevicePointer table = 0, underWay = 0;
    int attempts = 0;
    bool isFinal = false;
  };
  struct Question;

  bool prepare();
  /// Fills in what the device says. If numbering cannot work on this device, that is final, too.
  void ask(uint32_t clusters, uint32_t clusterSize, Answer &answer);
  void copyTable(const std::vector<int32_t> &numbers, const Question &question, Answer &answer);

  const cuda::Driver &driver;
  std::mutex mutex; ///< guards everything below
  bool works = false;
  uint32_t cores = 0;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
  cuda::Stream stream = nullptr;
  bool running = false;          ///< whether the stream may still have work
  uint32_t *smOfBlock = nullptr; ///< host memory that the device writes, with one entry for each SM
  /// Host memory after `smOfBlock`, from which tables are copied to the device.
  int32_t *hostTables = nullptr;
  cuda::DevicePointer tables = 0;
  uint32_t used = 0, room = 0; ///< in entries of all tables
  /// By the number of clusters and their size.
  std::map<std::pair<uint32_t, uint32_t>, Answer> answers;
};

} // namespace tessera::rt

#endif // TESSERA_LIB_RUNTIME_CUDAGPCTABLES_H
