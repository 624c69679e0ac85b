// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Launcher.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tessera::rt {

namespace {
/// The number of prepared launches that are kept for each kernel. When there are more, all of them
/// are dropped: a program that changes its pointers so often has no use for a cache.
constexpr size_t cacheLimit = 1024;

uint64_t hash(const std::vector<uint64_t> &words) {
  uint64_t state = 0x9e3779b97f4a7c15;
  for (uint64_t word : words) {
    state = (state ^ word) * 0xff51afd7ed558ccd;
    state ^= state >> 32;
  }
  return state;
}
} // namespace

Kernel::~Kernel() {
  for (auto &[key, list] : buffers)
    for (Buffer &buffer : list)
      if (buffer.address) // otherwise the buffer is among `restored`
        module.getBackend().free(key.first, buffer.address);
  for (auto &[key, buffer] : restored)
    module.getBackend().free(std::get<0>(key), buffer.address);
}

bool Kernel::makeKey(const tessera_rt_arg *args, size_t count, void *context, void *stream,
                     Error &error) {
  if (count != contract.args.size())
    return error.set(TESSERA_RT_INVALID, "kernel '" + contract.name + "' takes " +
                                             std::to_string(contract.args.size()) + " arguments, " +
                                             std::to_string(count) + " were given");
  key.clear();
  key.push_back(reinterpret_cast<uint64_t>(context));
  key.push_back(contract.usesWorkspaces ? reinterpret_cast<uint64_t>(stream) : 0);
  key.push_back(static_cast<uint64_t>(forced));
  for (size_t i = 0; i < count; ++i) {
    const Argument &arg = contract.args[i];
    if (!arg.isMemref) {
      key.push_back(args[i].bits);
      continue;
    }
    key.push_back(reinterpret_cast<uint64_t>(args[i].pointer));
    key.push_back((args[i].sizes != nullptr) | (args[i].strides ? 2 : 0));
    for (const int64_t *list : {args[i].sizes, args[i].strides})
      if (list)
        key.insert(key.end(), list, list + arg.rank());
  }
  return true;
}

bool Kernel::askCores(Error &error) {
  return !contract.usesCores || module.getBackend().numCores(cores, error);
}

bool Kernel::bindAndCheck(const tessera_rt_arg *args, size_t count, BoundArgs &bound,
                          size_t &variant, Error &error) {
  if (!bindArguments(contract, args, count, bound, error.message) ||
      !checkFacts(contract, bound.args, cores, error.message))
    return error.set(TESSERA_RT_INVALID, std::move(error.message));
  if (forced < 0) {
    // The last variant usually has no guards. If the kernel was compiled for one variant only, it
    // may have some.
    const Guard *broken = nullptr;
    for (variant = 0; variant < contract.variants.size(); ++variant)
      if (guardsHold(contract.variants[variant], bound.args, cores, &broken) &&
          (variant + 1 == contract.variants.size() ||
           mapsExist(contract.variants[variant], bound.args)))
        return true;
    return error.set(TESSERA_RT_INVALID,
                     "no variant of kernel '" + contract.name +
                         "' takes these arguments: its last, '" + contract.variants.back().name +
                         "', needs " + printGuard(*broken, contract.argNames()) +
                         "; compile it with all variants (tilec --variants=auto)");
  }
  variant = static_cast<size_t>(forced);
  const Guard *failed = nullptr;
  if (guardsHold(contract.variants[variant], bound.args, cores, &failed))
    return true;
  return error.set(TESSERA_RT_INVALID, "variant '" + contract.variants[variant].name +
                                           "' cannot take these arguments: it needs " +
                                           printGuard(*failed, contract.argNames()));
}

bool Kernel::measureSpace(const Workspace &workspace, const std::vector<BoundArg> &args,
                          Space &space, std::string &reason) {
  auto evaluate = [&](const Expr &expr, const char *what, std::vector<int64_t> &list) {
    int64_t value;
    if (!expr.evaluate(args, cores, value, reason))
      return false;
    if (value < 0) {
      reason = std::string("negative ") + what + " " + std::to_string(value);
      return false;
    }
    list.push_back(value);
    return true;
  };
  for (const Expr &expr : workspace.sizes)
    if (!evaluate(expr, "size", space.sizes))
      return false;
  for (const Expr &expr : workspace.strides)
    if (!evaluate(expr, "stride", space.strides))
      return false;
  bool overflow = false;
  if (workspace.strides.empty()) {
    space.strides.assign(space.sizes.size(), 1);
    for (size_t d = space.sizes.size(); d-- > 1;)
      overflow |= __builtin_mul_overflow(space.strides[d], space.sizes[d], &space.strides[d - 1]);
  }
  // Counts whole rows, the last one included, with everything that lies between them.
  int64_t elements = 1, last = 1;
  bool empty = false;
  for (size_t d = 0; d < space.sizes.size(); ++d) {
    int64_t whole, span;
    empty |= space.sizes[d] == 0;
    overflow |= __builtin_mul_overflow(space.sizes[d], space.strides[d], &whole) ||
                __builtin_mul_overflow(space.sizes[d] - 1, space.strides[d], &span) ||
                __builtin_add_overflow(last, span, &last);
    elements = std::max(elements, whole);
  }
  elements = std::max(elements, last);
  if (empty)
    elements = 0;
  else if (overflow || elements > INT64_MAX / 16) {
    reason = "its size overflows 64 bits";
    return false;
  }
  space.count = static_cast<size_t>(elements);
  return true;
}

bool Kernel::prepareSpaces(const std::vector<Workspace> &workspaces,
                           const std::vector<BoundArg> &args, void *context, void *stream,
                           std::vector<Space> &spaces, Prepared &prepared, Error &error) {
  spaces.resize(workspaces.size());
  if (spaces.empty())
    return true;
  std::vector<Buffer> &list = buffers[{context, stream}];
  // The variants share the buffers, and each may use another number of them.
  list.resize(std::max(list.size(), spaces.size()));
  for (size_t i = 0; i < spaces.size(); ++i) {
    const Workspace &workspace = workspaces[i];
    Space &space = spaces[i];
    std::string what = "kernel '" + contract.name + "', workspace " + std::to_string(i) + ": ";
    std::string reason;
    if (!measureSpace(workspace, args, space, reason))
      return error.set(TESSERA_RT_INVALID, what + reason);
    size_t elementBytes = elementSize(workspace.element);
    size_t bytes = space.count * elementBytes;
    Buffer &buffer = workspace.restored ? restored[{context, stream, &workspace}] : list[i];
    if (buffer.bytes < bytes || !buffer.address) {
      // Earlier launches may still use the old buffer.
      Backend &backend = module.getBackend();
      if (buffer.address) {
        if (!backend.synchronize(stream, error))
          return false;
        backend.free(context, buffer.address);
      }
      buffer = Buffer();
      ++generation;
      if (!backend.allocate(bytes, buffer.address, error))
        return error.set(error.status, what + error.message);
      if (workspace.restored && !backend.fill(buffer.address, workspace.pattern, elementBytes,
                                              space.count, stream, error)) {
        // The buffer has not been filled, so the next launch must not find it.
        backend.free(context, buffer.address);
        buffer = Buffer();
        return error.set(error.status, what + error.message);
      }
      buffer.bytes = bytes;
    }
    space.address = buffer.address;
    if (workspace.initialized && !workspace.restored)
      prepared.fills.push_back({space.address, workspace.pattern, elementBytes, space.count});
  }
  return true;
}

bool Kernel::prepareMap(const Descriptor &descriptor, const std::vector<BoundArg> &args,
                        const Capacity &capacity, const std::vector<Space> &spaces, void *map,
                        Error &error) {
  std::string what = descriptor.ofWorkspace ? "workspace " + std::to_string(descriptor.arg)
                                            : describeArg(contract, descriptor.arg);
  TensorMapRequest request;
  request.element = descriptor.element;
  request.rank = static_cast<unsigned>(descriptor.box.size());
  request.swizzle = descriptor.swizzle;
  request.nanFill = descriptor.nanFill;
  request.address =
      descriptor.ofWorkspace ? spaces[descriptor.arg].address : args[descriptor.arg].pointer;
  const int64_t *sizes, *strides;
  if (descriptor.ofWorkspace) {
    sizes = spaces[descriptor.arg].sizes.data();
    strides = spaces[descriptor.arg].strides.data();
  } else {
    sizes = args[descriptor.arg].sizes;
    strides = args[descriptor.arg].strides;
  }
  for (unsigned d = 0; d < request.rank; ++d) {
    request.box[d] = descriptor.box[d];
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
  TensorMapFields fields;
  std::string reason;
  if (!layoutTensorMap(request, fields, reason))
    return error.set(TESSERA_RT_INVALID, what + ": " + reason);
  if (fields.empty)
    return true; // an empty array has a descriptor of zeros
  return module.getBackend().encode(fields, map, error) ||
         error.set(error.status, what + ": " + error.message);
}

/// Says whether a dependent launch fills all SMs evenly. The device places its blocks on the SMs
/// that become free first, as many on each as fit. If the launch has too few blocks to fill all
/// SMs, some SMs would have several blocks while others have none.
bool Kernel::placesEvenly(const ReadyLaunch &launch, bool &evenly, Error &error) {
  Backend &backend = module.getBackend();
  int64_t available, fitting;
  if (!backend.numCores(available, error) || !backend.occupancy(launch, fitting, error))
    return false;
  evenly = fitting <= (int64_t{launch.blocks} + available - 1) / available;
  return true;
}

bool Kernel::prepareLaunch(const Launch &launch, const std::vector<BoundArg> &args,
                           const std::vector<Space> &spaces, void *stream, Prepared &prepared,
                           size_t &slot, size_t &map, size_t &param, Error &error) {
  std::string what = "kernel '" + contract.name + "', launch '" + launch.symbol + "': ";
  Backend &backend = module.getBackend();
  ReadyLaunch ready;
  ready.threads = static_cast<uint32_t>(launch.block);
  ready.shared = static_cast<uint32_t>(launch.shared);
  ready.cluster = static_cast<uint32_t>(launch.cluster);
  ready.params = prepared.params.data() + param;
  Capacity capacity(cores);
  const bool asksFirst = contract.usesClusters && launch.cluster > 1;
  if (asksFirst) {
    if (!backend.function(launch.symbol, ready.shared, ready.function, error))
      return false;
    // If the device does not answer, the launch is still correct.
    Error unknown;
    if (!backend.maxClusters(ready, capacity.clusters, unknown))
      capacity.clusters = Capacity::unknown;
  }

  int64_t blocks = 1;
  std::string extents, reason;
  bool empty = false, overflow = false;
  for (const Expr &expr : launch.grid) {
    int64_t extent;
    if (!expr.evaluate(args, capacity, extent, reason))
      return error.set(TESSERA_RT_INVALID, what + "grid: " + reason);
    empty |= extent <= 0;
    overflow |= __builtin_mul_overflow(blocks, extent, &blocks);
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  }
  if (empty)
    return true;
  if (!asksFirst && !backend.function(launch.symbol, ready.shared, ready.function, error))
    return false;
  if (overflow || blocks > INT32_MAX)
    return error.set(TESSERA_RT_INVALID,
                     what + "a grid of [" + extents + "] has more than 2147483647 blocks");
  if (blocks % launch.cluster)
    return error.set(TESSERA_RT_INVALID, what + std::to_string(blocks) +
                                             " blocks are no multiple of the cluster size " +
                                             std::to_string(launch.cluster));
  ready.blocks = static_cast<uint32_t>(blocks);
  if (launch.dependent) {
    // If the device does not answer, the launch is still correct, but not dependent.
    Error unknown;
    bool evenly = false;
    ready.dependent = placesEvenly(ready, evenly, unknown) && evenly;
  }

  char *maps = prepared.maps.get() + map * tensorMapBytes;
  map += launch.descriptors.size();
  for (size_t i = 0; i < launch.descriptors.size(); ++i)
    if (!prepareMap(launch.descriptors[i], args, capacity, spaces, maps + i * tensorMapBytes,
                    error))
      return false;

  for (const Param &recipe : launch.params) {
    if (recipe.kind == Param::Kind::Descriptor) {
      prepared.params[param++] = maps + recipe.arg * tensorMapBytes;
      continue;
    }
    uint64_t &value = prepared.slots[slot++];
    prepared.params[param++] = &value;
    switch (recipe.kind) {
    case Param::Kind::Pointer:
      value = args[recipe.arg].pointer;
      break;
    case Param::Kind::Size:
      value = static_cast<uint64_t>(args[recipe.arg].sizes[recipe.dim]);
      break;
    case Param::Kind::Stride:
      value = static_cast<uint64_t>(args[recipe.arg].strides[recipe.dim]);
      break;
    case Param::Kind::Scalar:
      value = args[recipe.arg].bits;
      break;
    case Param::Kind::Workspace:
      value = spaces[recipe.arg].address;
      break;
    case Param::Kind::Expr: {
      int64_t result;
      if (!recipe.value.evaluate(args, capacity, result, reason))
        return error.set(TESSERA_RT_INVALID, what + "parameter: " + reason);
      value = static_cast<uint64_t>(result);
      break;
    }
    case Param::Kind::Places: {
      int64_t wanted;
      if (!launch.places->evaluate(args, capacity, wanted, reason))
        return error.set(TESSERA_RT_INVALID, what + "places: " + reason);
      bool isFinal = true;
      value = wanted ? backend.places(ready, stream, isFinal) : 0;
      prepared.isFinal &= isFinal;
      // The table is right only if the launch has the device for itself.
      ready.byPlace = value != 0;
      if (value)
        ready.dependent = false;
      break;
    }
    case Param::Kind::Descriptor:
      break;
    }
  }
  prepared.launches.push_back(ready);
  return true;
}

bool Kernel::prepare(const tessera_rt_arg *args, size_t count, void *context, void *stream,
                     Prepared &prepared, Error &error) {
  BoundArgs bound;
  size_t variant;
  std::vector<Space> spaces;
  if (!bindAndCheck(args, count, bound, variant, error))
    return false;
  const Variant &chosen = contract.variants[variant];
  if (!prepareSpaces(chosen.workspaces, bound.args, context, stream, spaces, prepared, error))
    return false;
  prepared.generation = generation;
  size_t slots = 0, maps = 0, params = 0;
  for (const Launch &launch : chosen.launches) {
    slots += launch.params.size();
    params += launch.params.size();
    maps += launch.descriptors.size();
  }
  prepared.slots.assign(slots, 0);
  prepared.params.assign(params + 1, nullptr);
  if (maps) {
    prepared.maps.reset(static_cast<char *>(std::aligned_alloc(128, maps * tensorMapBytes)));
    if (!prepared.maps)
      return error.set(TESSERA_RT_MEMORY, "out of memory");
    std::memset(prepared.maps.get(), 0, maps * tensorMapBytes);
  }
  size_t slot = 0, map = 0, param = 0;
  for (const Launch &launch : chosen.launches)
    if (!prepareLaunch(launch, bound.args, spaces, stream, prepared, slot, map, param, error))
      return false;
  // Only kernels can run concurrently with the launch before them in the stream. After a fill the
  // launch begins as usual.
  if (!prepared.fills.empty() && !prepared.launches.empty())
    prepared.launches.front().dependent = false;
  return true;
}

bool Kernel::launch(const tessera_rt_arg *args, size_t count, void *stream, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Backend &backend = module.getBackend();
  BackendScope scope(backend);
  if (!makeKey(args, count, nullptr, stream, error) || !scope.enter(error) || !askCores(error))
    return false;
  key.push_back(static_cast<uint64_t>(cores));
  key[0] = reinterpret_cast<uint64_t>(scope.context);
  uint64_t code = hash(key);
  auto found = cache.find(code);
  Prepared *prepared = found == cache.end() ? nullptr : found->second.get();
  bool moved = prepared && contract.usesWorkspaces && prepared->generation != generation;
  if (!prepared || moved || !prepared->isFinal || prepared->key != key) {
    auto fresh = std::make_unique<Prepared>();
    fresh->key = key;
    if (!prepare(args, count, scope.context, stream, *fresh, error))
      return false;
    if (cache.size() >= cacheLimit)
      cache.clear();
    prepared = (cache[code] = std::move(fresh)).get();
  }
  for (const Fill &fill : prepared->fills)
    if (!backend.fill(fill.address, fill.pattern, fill.elementSize, fill.count, stream, error))
      return false;
  byPlace = 0;
  for (const ReadyLaunch &ready : prepared->launches) {
    if (!backend.launch(ready, stream, error))
      return error.set(error.status, "kernel '" + contract.name + "': " + error.message);
    byPlace += ready.byPlace;
  }
  return true;
}

bool Kernel::check(const tessera_rt_arg *args, size_t count, size_t &variant, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  BackendScope scope(module.getBackend());
  if (contract.usesCores && (!scope.enter(error) || !askCores(error)))
    return false;
  BoundArgs bound;
  return bindAndCheck(args, count, bound, variant, error);
}

bool Kernel::forceVariant(const std::string &name, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (name.empty()) {
    forced = -1;
    return true;
  }
  std::string known;
  for (size_t i = 0; i < contract.variants.size(); ++i) {
    if (contract.variants[i].name == name) {
      forced = static_cast<int64_t>(i);
      return true;
    }
    known += (known.empty() ? "" : ", ") + contract.variants[i].name;
  }
  return error.set(TESSERA_RT_INVALID,
                   "kernel '" + contract.name + "' has no variant '" + name + "' (" + known + ")");
}

bool Kernel::launchInfo(size_t variant, size_t launch, FunctionInfo &info, Error &error) {
  const Launch &recipe = contract.variants[variant].launches[launch];
  Backend &backend = module.getBackend();
  BackendScope scope(backend);
  void *function;
  return scope.enter(error) &&
         backend.function(recipe.symbol, static_cast<uint32_t>(recipe.shared), function, error) &&
         backend.functionInfo(function, info, error);
}

size_t Kernel::numByPlace() {
  std::lock_guard<std::mutex> lock(mutex);
  return byPlace;
}

static bool wantsPlaces(const Contract &contract) {
  for (const KernelContract &kernel : contract.kernels)
    for (const Variant &variant : kernel.variants)
      for (const Launch &launch : variant.launches)
        if (launch.places)
          return true;
  return false;
}

std::unique_ptr<Module> Module::load(std::string bytes, const std::string &path, Error &error) {
  std::unique_ptr<Module> module(new Module());
  module->bytes = std::move(bytes);
  ArtifactKind kind;
  if (!readArtifact(module->bytes, kind, module->contract, error.message)) {
    error.status = TESSERA_RT_ARTIFACT;
    if (!path.empty())
      error.message = "'" + path + "': " + error.message;
    return nullptr;
  }
  module->backend =
      kind == ArtifactKind::Cubin
          ? createCudaBackend(module->bytes, module->contract.target, wantsPlaces(module->contract))
          : createCpuBackend(module->bytes, path);
  module->makeKernels();
  return module;
}

std::unique_ptr<Module> Module::create(Contract contract, std::unique_ptr<Backend> backend) {
  std::unique_ptr<Module> module(new Module());
  module->contract = std::move(contract);
  module->backend = std::move(backend);
  module->makeKernels();
  return module;
}

void Module::makeKernels() {
  for (const KernelContract &kernel : contract.kernels)
    kernels.push_back(std::make_unique<Kernel>(*this, kernel));
}

Kernel *Module::find(const std::string &name, Error &error) {
  std::string known;
  for (auto &kernel : kernels) {
    if (name.empty() ? kernels.size() == 1 : kernel->getContract().name == name)
      return kernel.get();
    known += (known.empty() ? "" : ", ") + kernel->getContract().name;
  }
  error.set(TESSERA_RT_INVALID,
            kernels.empty() ? "the artifact has no kernels"
            : name.empty()  ? "the artifact has several kernels, choose one: " + known
                            : "there is no kernel '" + name + "', the artifact has: " + known);
  return nullptr;
}

} // namespace tessera::rt
