// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/PreparedLaunch.h"

#include <algorithm>
#include <cstring>

namespace tessera::rt {

std::unique_ptr<PreparedLaunch> PreparedLaunch::make(const KernelContract &kernel,
                                                     const Variant &variant,
                                                     const std::vector<BoundArg> &args,
                                                     Backend &backend, int64_t cores, void *stream,
                                                     Error &error) {
  std::unique_ptr<PreparedLaunch> prepared(new PreparedLaunch(kernel, backend, cores, stream));
  if (!prepared->prepareSpaces(variant, args, error) || !prepared->allocateParams(variant, error))
    return nullptr;
  Used used;
  for (const Launch &launch : variant.launches)
    if (!prepared->prepareLaunch(launch, args, used, error))
      return nullptr;
  // Only kernels can run concurrently with the launch before them in the stream. After a fill the
  // launch begins as usual.
  const bool fills =
      std::any_of(prepared->spaces.begin(), prepared->spaces.end(), [](const Space &space) {
        return space.workspace->initialized && !space.workspace->restored;
      });
  if (fills && !prepared->launches.empty())
    prepared->launches.front().dependent = false;
  prepared->ranges = byteRanges(kernel, args);
  return prepared;
}

bool PreparedLaunch::prepareSpaces(const Variant &variant, const std::vector<BoundArg> &args,
                                   Error &error) {
  spaces.resize(variant.workspaces.size());
  for (size_t i = 0; i < spaces.size(); ++i) {
    std::string reason;
    if (!measureSpace(variant.workspaces[i], args, cores, spaces[i], reason))
      return error.set(TESSERA_RT_INVALID, "kernel '" + kernel.name + "', workspace " +
                                               std::to_string(i) + ": " + reason);
  }
  return true;
}

bool PreparedLaunch::allocateParams(const Variant &variant, Error &error) {
  size_t numParams = 0, numMaps = 0;
  for (const Launch &launch : variant.launches) {
    numParams += launch.params.size();
    numMaps += launch.descriptors.size();
  }
  slots.assign(numParams, 0);
  params.assign(numParams + 1, nullptr);
  if (!numMaps)
    return true;
  maps.reset(static_cast<char *>(std::aligned_alloc(128, numMaps * tensorMapBytes)));
  if (!maps)
    return error.set(TESSERA_RT_MEMORY, "out of memory");
  std::memset(maps.get(), 0, numMaps * tensorMapBytes);
  return true;
}

std::string PreparedLaunch::describe(const Launch &launch) const {
  return "kernel '" + kernel.name + "', launch '" + launch.symbol + "': ";
}

bool PreparedLaunch::prepareMap(const Descriptor &descriptor, const std::vector<BoundArg> &args,
                                const Capacity &capacity, size_t map, Error &error) {
  const bool ofWorkspace = descriptor.ofWorkspace;
  std::string what = ofWorkspace ? "workspace " + std::to_string(descriptor.arg)
                                 : describeArg(kernel, descriptor.arg);
  TensorMapRequest request;
  request.element = descriptor.element;
  request.rank = static_cast<unsigned>(descriptor.box.size());
  request.swizzle = descriptor.swizzle;
  request.nanFill = descriptor.nanFill;
  // The address matters here for what it is divisible by. Workspaces begin at any multiple of
  // their alignment.
  request.address = ofWorkspace ? 0 : args[descriptor.arg].pointer;
  const int64_t *sizes =
      ofWorkspace ? spaces[descriptor.arg].sizes.data() : args[descriptor.arg].sizes;
  const int64_t *strides =
      ofWorkspace ? spaces[descriptor.arg].strides.data() : args[descriptor.arg].strides;
  for (unsigned d = 0; d < request.rank; ++d) {
    request.box[d] = descriptor.box[d];
    request.steps[d] = descriptor.steps.empty() ? 1 : descriptor.steps[d];
    std::string reason;
    if (descriptor.sizes.empty())
      request.sizes[d] = sizes[descriptor.dims[d]];
    else if (!descriptor.sizes[d].evaluate(args, capacity, request.sizes[d], reason))
      return error.set(TESSERA_RT_INVALID, what + ": TMA descriptor: " + reason);
    if (descriptor.strides.empty())
      request.strides[d] = strides[descriptor.dims[d]];
    else if (!descriptor.strides[d].evaluate(args, capacity, request.strides[d], reason))
      return error.set(TESSERA_RT_INVALID, what + ": TMA descriptor: " + reason);
  }
  if (descriptor.trim) {
    // What is left of the array behind the last whole box. If nothing is, no such box is fetched.
    int64_t &box = request.box[*descriptor.trim];
    const int64_t left = request.sizes[*descriptor.trim] % box;
    box = left > 0 ? left : box;
  }
  MapPatch patch = {};
  std::string reason;
  if (!layoutTensorMap(request, patch.fields, reason))
    return error.set(TESSERA_RT_INVALID, what + ": " + reason);
  if (patch.fields.empty)
    return true; // an empty array has a descriptor of zeros
  patch.map = static_cast<uint32_t>(map);
  patch.value = ofWorkspace ? valueOfSpace(descriptor.arg) : descriptor.arg;
  mapPatches.push_back(patch);
  return true;
}

/// Says whether a dependent launch fills all SMs evenly. The device places its blocks on the SMs
/// that become free first, as many on each as fit. If the launch has too few blocks to fill all
/// SMs, some SMs would have several blocks while others have none.
bool PreparedLaunch::placesEvenly(const ReadyLaunch &launch, bool &evenly, Error &error) {
  int64_t available, fitting;
  if (!backend.numCores(available, error) || !backend.occupancy(launch, fitting, error))
    return false;
  evenly = fitting <= (int64_t{launch.blocks} + available - 1) / available;
  return true;
}

bool PreparedLaunch::evaluateGrid(const Launch &launch, const std::vector<BoundArg> &args,
                                  const Capacity &capacity, int64_t &blocks, Error &error) const {
  std::string extents, reason;
  bool empty = false, overflow = false;
  blocks = 1;
  for (const Expr &expr : launch.grid) {
    int64_t extent;
    if (!expr.evaluate(args, capacity, extent, reason))
      return error.set(TESSERA_RT_INVALID, describe(launch) + "grid: " + reason);
    empty |= extent <= 0;
    overflow |= __builtin_mul_overflow(blocks, extent, &blocks);
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  }
  if (empty) {
    blocks = 0;
    return true;
  }
  if (overflow || blocks > INT32_MAX)
    return error.set(TESSERA_RT_INVALID, describe(launch) + "a grid of [" + extents +
                                             "] has more than 2147483647 blocks");
  if (blocks % launch.cluster)
    return error.set(TESSERA_RT_INVALID, describe(launch) + std::to_string(blocks) +
                                             " blocks are no multiple of the cluster size " +
                                             std::to_string(launch.cluster));
  return true;
}

bool PreparedLaunch::prepareParam(const Param &recipe, const Launch &launch,
                                  const std::vector<BoundArg> &args, const Capacity &capacity,
                                  size_t slot, ReadyLaunch &ready, Error &error) {
  std::string reason;
  uint64_t &out = slots[slot];
  const auto place = static_cast<uint32_t>(slot);
  switch (recipe.kind) {
  case Param::Kind::Pointer:
  case Param::Kind::Scalar:
    slotPatches.push_back({place, recipe.arg});
    return true;
  case Param::Kind::Workspace:
    slotPatches.push_back({place, valueOfSpace(recipe.arg)});
    return true;
  case Param::Kind::Size:
    out = static_cast<uint64_t>(args[recipe.arg].sizes[recipe.dim]);
    return true;
  case Param::Kind::Stride:
    out = static_cast<uint64_t>(args[recipe.arg].strides[recipe.dim]);
    return true;
  case Param::Kind::Expr: {
    int64_t result;
    if (!recipe.value.evaluate(args, capacity, result, reason, /*wraps=*/true))
      return error.set(TESSERA_RT_INVALID, describe(launch) + "parameter: " + reason);
    out = static_cast<uint64_t>(result);
    return true;
  }
  case Param::Kind::Places: {
    int64_t wanted;
    if (!launch.places->evaluate(args, capacity, wanted, reason))
      return error.set(TESSERA_RT_INVALID, describe(launch) + "places: " + reason);
    bool isFinalTable = true;
    out = wanted ? backend.places(ready, stream, isFinalTable) : 0;
    final &= isFinalTable;
    // The table is right only if the launch has the device for itself.
    ready.byPlace = out != 0;
    if (out)
      ready.dependent = false;
    return true;
  }
  case Param::Kind::Descriptor:
    break;
  }
  return true;
}

bool PreparedLaunch::prepareLaunch(const Launch &launch, const std::vector<BoundArg> &args,
                                   Used &used, Error &error) {
  ReadyLaunch ready;
  ready.threads = static_cast<uint32_t>(launch.block);
  ready.shared = static_cast<uint32_t>(launch.shared);
  ready.cluster = static_cast<uint32_t>(launch.cluster);
  ready.params = params.data() + used.params;
  Capacity capacity(cores);
  const bool asksFirst = kernel.usesClusters && launch.cluster > 1;
  if (asksFirst) {
    if (!backend.function(launch.symbol, ready.shared, ready.function, error))
      return false;
    // If the device does not answer, the launch is still correct.
    Error unknown;
    if (!backend.maxClusters(ready, capacity.clusters, unknown))
      capacity.clusters = Capacity::unknown;
  }
  int64_t blocks;
  if (!evaluateGrid(launch, args, capacity, blocks, error))
    return false;
  if (!blocks)
    return true;
  if (!asksFirst && !backend.function(launch.symbol, ready.shared, ready.function, error))
    return false;
  ready.blocks = static_cast<uint32_t>(blocks);
  if (launch.dependent) {
    // If the device does not answer, the launch is still correct, but not dependent.
    Error unknown;
    bool evenly = false;
    ready.dependent = placesEvenly(ready, evenly, unknown) && evenly;
  }
  const size_t firstMap = used.maps;
  used.maps += launch.descriptors.size();
  for (size_t i = 0; i < launch.descriptors.size(); ++i)
    if (!prepareMap(launch.descriptors[i], args, capacity, firstMap + i, error))
      return false;
  for (const Param &recipe : launch.params) {
    void *&param = params[used.params++];
    if (recipe.kind == Param::Kind::Descriptor) {
      param = maps.get() + (firstMap + recipe.arg) * tensorMapBytes;
      continue;
    }
    param = &slots[used.slots];
    if (!prepareParam(recipe, launch, args, capacity, used.slots++, ready, error))
      return false;
  }
  launches.push_back(ready);
  return true;
}

bool PreparedLaunch::patch(const uint64_t *values, Error &error) {
  for (const SlotPatch &patch : slotPatches)
    slots[patch.slot] = values[patch.value];
  for (MapPatch &patch : mapPatches) {
    const uint64_t address = values[patch.value];
    if (patch.encoded && patch.fields.address == address)
      continue;
    patch.fields.address = address;
    char *map = maps.get() + patch.map * tensorMapBytes;
    if (patch.encoded ? !backend.moveMap(patch.fields, map, error)
                      : !backend.encode(patch.fields, map, error)) {
      std::string what = patch.value < kernel.args.size()
                             ? describeArg(kernel, patch.value)
                             : "workspace " + std::to_string(patch.value - kernel.args.size());
      return error.set(error.status, what + ": " + error.message);
    }
    patch.encoded = true;
  }
  return true;
}

bool PreparedLaunch::submit(const uint64_t *addresses, void *on, Error &error) const {
  for (size_t i = 0; i < spaces.size(); ++i) {
    const Workspace &workspace = *spaces[i].workspace;
    if (workspace.initialized && !workspace.restored &&
        !backend.fill(addresses[i], workspace.pattern, elementSize(workspace.element),
                      spaces[i].count, on, error))
      return false;
  }
  for (const ReadyLaunch &ready : launches)
    if (!backend.launch(ready, on, error))
      return error.set(error.status, "kernel '" + kernel.name + "': " + error.message);
  return true;
}

size_t PreparedLaunch::numByPlace() const {
  return static_cast<size_t>(std::count_if(launches.begin(), launches.end(),
                                           [](const ReadyLaunch &ready) { return ready.byPlace; }));
}

} // namespace tessera::rt
