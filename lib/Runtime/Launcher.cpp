// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Launcher.h"

#include "tessera/Runtime/DLPack.h"

#include <algorithm>

namespace tessera::rt {

Kernel::Kernel(Module &module, const KernelContract &contract)
    : module(module), contract(contract), exclusive(exclusivePairs(contract)), cache(contract),
      codes(module, contract), workspaces(module.getBackend(), contract.name) {}

bool Kernel::needsCores() const {
  // The code of a module on demand has a contract of its own.
  return contract.usesCores || module.isOnDemand();
}

bool Kernel::askCores(Error &error) {
  return !needsCores() || module.getBackend().numCores(cores, error);
}

bool Kernel::askCoresOf(int device, Error &error) {
  BackendScope scope(module.getBackend());
  return !needsCores() || (scope.enter(error, device) && askCores(error));
}

bool Kernel::bindAndCheck(const tessera_rt_arg *args, size_t count, BoundArgs &bound,
                          Error &error) {
  return (bindArguments(contract, args, count, bound, error.message) &&
          checkFacts(contract, bound.args, cores, error.message)) ||
         error.set(TESSERA_RT_INVALID, std::move(error.message));
}

bool Kernel::choose(const BoundArgs &bound, size_t &variant, Error &error) {
  if (chooseVariant(contract, bound.args, cores, forced, codes.getMissing(), variant,
                    error.message))
    return true;
  // Are the arguments wrong, or is there no code?
  std::string ignored;
  const bool fits = chooseVariant(contract, bound.args, cores, forced, {}, variant, ignored);
  return error.set(fits ? TESSERA_RT_ARTIFACT : TESSERA_RT_INVALID, std::move(error.message));
}

bool Kernel::chooseCode(const BoundArgs &bound, Code &code, Error &error) {
  code = {this, 0};
  if (!module.isOnDemand())
    return choose(bound, code.variant, error);
  for (size_t chosen; choose(bound, chosen, error);) {
    code.kernel = codes.find(chosen);
    if (!code.kernel) {
      wanted = chosen;
      return false;
    }
    // What guards say of a variant is a demand on the arguments of one that is alone.
    std::string reason;
    const KernelContract &alone = code.kernel->contract;
    if (checkFacts(alone, bound.args, cores, reason) &&
        chooseVariant(alone, bound.args, cores, {}, {}, code.variant, reason))
      return true;
    codes.leaveOut(chosen, "its code takes less than the contract says: " + reason);
  }
  return false;
}

template <typename Body>
bool Kernel::withCode(Error &error, Body &&body) {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wanted.reset();
    if (body())
      return true;
    if (!wanted)
      return false;
    const size_t variant = *wanted;
    if (!codes.compile(variant, lock, error))
      return false;
  }
}

bool Kernel::checkMoved(const tessera_rt_arg *args, PreparedLaunch &prepared, Error &error) {
  if (prepared.checked == values)
    return true;
  if (!liesApart(exclusive, prepared.getRanges(), values)) {
    BoundArgs bound;
    if (!bindArguments(contract, args, contract.args.size(), bound, error.message) ||
        !checkOverlap(contract, exclusive, bound.args, error.message))
      return error.set(TESSERA_RT_INVALID, std::move(error.message));
  }
  prepared.checked = values;
  return true;
}

PreparedLaunch *Kernel::prepare(const tessera_rt_arg *args, const BackendScope &scope, void *stream,
                                Error &error) {
  if (!askCores(error))
    return nullptr;
  values.resize(contract.args.size());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = valueOf(contract.args[i], args[i]);
  workspaces.setAllocator(module.useAllocator());
  cache.setKey(args, scope.context, forced, cores);
  PreparedLaunch *found = cache.find();
  if (found && found->isFinal())
    return checkMoved(args, *found, error) ? found : nullptr;
  BoundArgs bound;
  Code code;
  if (!bindAndCheck(args, contract.args.size(), bound, error) || !chooseCode(bound, code, error))
    return nullptr;
  if (code.kernel != this && cache.add(code.kernel->contract))
    cache.setKey(args, scope.context, forced, cores);
  // Loads the code into the current context.
  BackendScope ofCode(code.kernel->module.getBackend());
  if (code.kernel != this && !ofCode.enter(error))
    return nullptr;
  std::unique_ptr<PreparedLaunch> fresh =
      PreparedLaunch::make(code.kernel->contract, code.kernel->contract.variants[code.variant],
                           bound.args, code.kernel->module.getBackend(), cores, stream, error);
  if (!fresh)
    return nullptr;
  fresh->checked = values;
  return cache.insert(std::move(fresh));
}

bool Kernel::launchOn(int device, const tessera_rt_arg *args, void *stream, Error &error) {
  BackendScope scope(module.getBackend());
  if (!scope.enter(error, device))
    return false;
  PreparedLaunch *prepared = prepare(args, scope, stream, error);
  if (!prepared)
    return false;
  const size_t count = values.size();
  values.resize(count + prepared->getSpaces().size());
  uint64_t *addresses = values.data() + count;
  bool good = workspaces.acquire(prepared->getSpaces(), scope.context, stream, addresses, error);
  if (good && !prepared->patch(values.data(), error)) {
    cache.erase();
    prepared = nullptr;
    good = false;
  }
  good = good && prepared->submit(addresses, stream, error);
  workspaces.release();
  byPlace = good ? prepared->numByPlace() : 0;
  return good;
}

bool Kernel::launch(const tessera_rt_arg *args, size_t count, void *stream, Error &error) {
  if (!checkCount(contract, count, error.message))
    return error.set(TESSERA_RT_INVALID, std::move(error.message));
  return withCode(error, [&] { return launchOn(anyDevice, args, stream, error); });
}

bool Kernel::take(const tessera_rt_value *given, size_t count, int &device, Error &error) {
  return takeTensors(contract, module.getBackend().isGpu(), given, count, taken, device,
                     error.message) ||
         error.set(TESSERA_RT_INVALID, std::move(error.message));
}

bool Kernel::launchTensors(const tessera_rt_value *given, size_t count, void *stream,
                           Error &error) {
  return withCode(error, [&] {
    int device;
    return take(given, count, device, error) && launchOn(device, taken.data(), stream, error);
  });
}

bool Kernel::prepareTensors(const tessera_rt_value *given, size_t count, void *stream,
                            Error &error) {
  return withCode(error, [&] {
    BackendScope scope(module.getBackend());
    int device;
    if (!take(given, count, device, error) || !scope.enter(error, device))
      return false;
    const PreparedLaunch *prepared = prepare(taken.data(), scope, stream, error);
    return prepared && workspaces.prepare(prepared->getSpaces(), scope.context, stream, error);
  });
}

bool Kernel::check(const tessera_rt_arg *args, size_t count, size_t &variant, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  return checkOn(anyDevice, args, count, variant, error);
}

bool Kernel::checkTensors(const tessera_rt_value *given, size_t count, size_t &variant,
                          Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  int device;
  return take(given, count, device, error) &&
         checkOn(device, taken.data(), taken.size(), variant, error);
}

bool Kernel::checkOn(int device, const tessera_rt_arg *args, size_t count, size_t &variant,
                     Error &error) {
  BoundArgs bound;
  return askCoresOf(device, error) && bindAndCheck(args, count, bound, error) &&
         choose(bound, variant, error);
}

bool Kernel::rank(const tessera_rt_arg *args, size_t count, std::vector<Ranked> &ranking,
                  Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  return rankOn(anyDevice, args, count, ranking, error);
}

bool Kernel::rankTensors(const tessera_rt_value *given, size_t count, std::vector<Ranked> &ranking,
                         Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  int device;
  return take(given, count, device, error) &&
         rankOn(device, taken.data(), taken.size(), ranking, error);
}

bool Kernel::rankOn(int device, const tessera_rt_arg *args, size_t count,
                    std::vector<Ranked> &ranking, Error &error) {
  BoundArgs bound;
  if (!askCoresOf(device, error) || !bindAndCheck(args, count, bound, error))
    return false;
  ranking = rankMembers(contract, bound.args, cores, forced, codes.getMissing());
  return true;
}

/// Finds the index of the entry of that name, or else the names that there are.
template <typename Named>
static bool findNamed(const std::vector<Named> &list, const std::string &name, size_t &index,
                      std::string &known) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Named &entry) { return entry.name == name; });
  index = static_cast<size_t>(found - list.begin());
  if (found != list.end())
    return true;
  for (const Named &entry : list)
    known += (known.empty() ? "" : ", ") + entry.name;
  return false;
}

bool Kernel::forceVariant(const std::string &name, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Forced wanted;
  std::string known;
  if (!name.empty()) {
    wanted.kind = Forced::Kind::Variant;
    if (!findNamed(contract.variants, name, wanted.index, known))
      return error.set(TESSERA_RT_INVALID, "kernel '" + contract.name + "' has no variant '" +
                                               name + "' (" + known + ")");
  }
  forced = wanted;
  return true;
}

bool Kernel::forceMember(const std::string &name, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  Forced wanted;
  std::string known;
  if (!name.empty()) {
    wanted.kind = Forced::Kind::Member;
    if (!contract.isFamily())
      return error.set(TESSERA_RT_INVALID, "kernel '" + contract.name +
                                               "' is no family: it has no member '" + name + "'");
    if (!findNamed(contract.members, name, wanted.index, known))
      return error.set(TESSERA_RT_INVALID, "kernel '" + contract.name + "' has no member '" + name +
                                               "' (its members: " + known + ")");
  }
  forced = wanted;
  return true;
}

bool Kernel::launchInfo(size_t variant, size_t launch, const Launch *&recipe, FunctionInfo &info,
                        Error &error) {
  return withCode(error, [&] {
    Code code{this, variant};
    if (module.isOnDemand()) {
      code = {codes.find(variant), 0};
      const std::string &missing = codes.getMissing()[variant];
      const std::string what = "variant '" + contract.variants[variant].name + "' ";
      if (!code.kernel && missing.empty()) {
        wanted = variant;
        return false;
      }
      if (!code.kernel)
        return error.set(TESSERA_RT_ARTIFACT, what + "has no code: " + missing);
      if (launch >= code.kernel->contract.variants.front().launches.size())
        return error.set(TESSERA_RT_ARTIFACT,
                         what + "has code without launch " + std::to_string(launch));
    }
    recipe = &code.kernel->contract.variants[code.variant].launches[launch];
    Backend &backend = code.kernel->module.getBackend();
    BackendScope scope(backend);
    void *function;
    return scope.enter(error) &&
           backend.function(recipe->symbol, static_cast<uint32_t>(recipe->shared), function,
                            error) &&
           backend.functionInfo(function, info, error);
  });
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

bool Module::setAllocator(const tessera_rt_allocator &functions, Error &error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (allocatorInUse)
    return error.set(TESSERA_RT_INVALID,
                     "the allocator of a module must be set before its first launch");
  allocator = functions;
  return true;
}

const tessera_rt_allocator *Module::useAllocator() {
  if (!allocatorInUse) {
    std::lock_guard<std::mutex> lock(mutex);
    allocatorInUse = true;
  }
  return allocator ? &*allocator : nullptr;
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
