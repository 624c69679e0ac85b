// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- PreparedLaunch.h - A launch with everything but its addresses ------===//
//
// What a launch needs follows from facts about its arguments: sizes, strides, alignments and those
// scalars on which something depends. A prepared launch is the result, a template: the functions
// with their grids, and the parameters with places for the *values* of one launch. A value is the
// address of an array, the bits of a scalar, or the address of a workspace. Before each launch the
// values are written to their slots, and a tensor map whose array has moved gets the new address.

#ifndef TESSERA_RUNTIME_PREPAREDLAUNCH_H
#define TESSERA_RUNTIME_PREPAREDLAUNCH_H

#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/Facts.h"
#include "tessera/Runtime/Workspaces.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace tessera::rt {

class PreparedLaunch {
public:
  /// Evaluates everything of `variant` that does not depend on values. Returns null after an error.
  static std::unique_ptr<PreparedLaunch> make(const KernelContract &kernel, const Variant &variant,
                                              const std::vector<BoundArg> &args, Backend &backend,
                                              int64_t cores, void *stream, Error &error);
  PreparedLaunch(const PreparedLaunch &) = delete;
  PreparedLaunch &operator=(const PreparedLaunch &) = delete;

  /// Writes the values: one for each argument, then one for each workspace. After a failure some
  /// maps have old addresses, and the launch must be prepared again.
  bool patch(const uint64_t *values, Error &error);
  /// Fills the workspaces, whose values are `addresses`, and launches.
  bool submit(const uint64_t *addresses, void *stream, Error &error) const;

  const std::vector<Space> &getSpaces() const { return spaces; }
  const std::vector<ByteRange> &getRanges() const { return ranges; }
  size_t numByPlace() const;
  /// False if preparing it again may give a better one.
  bool isFinal() const { return final; }

  /// The values of the last launch whose arrays were found not to overlap.
  std::vector<uint64_t> checked;

private:
  struct SlotPatch {
    uint32_t slot, value;
  };
  struct MapPatch {
    uint32_t map, value;
    bool encoded;
    TensorMapFields fields;
  };
  struct FreeDeleter {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  /// How much of each vector the launches so far have used.
  struct Used {
    size_t slots = 0, maps = 0, params = 0;
  };

  PreparedLaunch(const KernelContract &kernel, Backend &backend, int64_t cores, void *stream)
      : kernel(kernel), backend(backend), cores(cores), stream(stream) {}

  bool prepareSpaces(const Variant &variant, const std::vector<BoundArg> &args, Error &error);
  bool allocateParams(const Variant &variant, Error &error);
  bool prepareLaunch(const Launch &launch, const std::vector<BoundArg> &args, Used &used,
                     Error &error);
  /// The number of blocks; 0 if nothing is to be launched.
  bool evaluateGrid(const Launch &launch, const std::vector<BoundArg> &args,
                    const Capacity &capacity, int64_t &blocks, Error &error) const;
  bool prepareMap(const Descriptor &descriptor, const std::vector<BoundArg> &args,
                  const Capacity &capacity, size_t map, Error &error);
  bool prepareParam(const Param &recipe, const Launch &launch, const std::vector<BoundArg> &args,
                    const Capacity &capacity, size_t slot, ReadyLaunch &ready, Error &error);
  bool placesEvenly(const ReadyLaunch &launch, bool &evenly, Error &error);
  std::string describe(const Launch &launch) const;
  /// The number of the value that is the address of a workspace.
  uint32_t valueOfSpace(uint32_t space) const {
    return static_cast<uint32_t>(kernel.args.size()) + space;
  }

  const KernelContract &kernel;
  Backend &backend;
  const int64_t cores;
  void *const stream; ///< for which it is prepared; any other stream may use it
  bool final = true;
  std::vector<ReadyLaunch> launches;
  std::vector<Space> spaces;
  std::vector<ByteRange> ranges; ///< of the arrays
  std::vector<SlotPatch> slotPatches;
  std::vector<MapPatch> mapPatches;
  // What the parameters point at:
  std::vector<uint64_t> slots;
  std::unique_ptr<char, FreeDeleter> maps; ///< tensor maps, 128 bytes each
  std::vector<void *> params;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_PREPAREDLAUNCH_H
