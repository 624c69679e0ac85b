// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Launcher.h - Modules and kernels: checks, preparation, launches ----===//
//
// The first launch with given argument values is *prepared*: facts are checked, a variant is
// chosen, grids and parameters are evaluated, descriptors are encoded, workspaces are allocated.
// The result is stored under the argument values, so that repeating a launch costs only a look-up
// and the driver's call.

#ifndef TESSERA_RUNTIME_LAUNCHER_H
#define TESSERA_RUNTIME_LAUNCHER_H

#include "tessera/Runtime/Artifact.h"
#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/Contract.h"
#include "tessera/Runtime/Facts.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tessera::rt {

class Module;

class Kernel {
public:
  Kernel(Module &module, const KernelContract &contract) : module(module), contract(contract) {}
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const KernelContract &getContract() const { return contract; }
  Module &getModule() const { return module; }

  bool launch(const tessera_rt_arg *args, size_t count, void *stream, Error &error);
  /// The checks of a launch; says which variant it would take.
  bool check(const tessera_rt_arg *args, size_t count, size_t &variant, Error &error);
  /// The empty name lifts the restriction.
  bool forceVariant(const std::string &name, Error &error);
  bool launchInfo(size_t variant, size_t launch, FunctionInfo &info, Error &error);
  /// The number of launches of the last call of `launch` that had a table for GPC-aware cluster
  /// numbering.
  size_t numByPlace();

private:
  struct Fill {
    uint64_t address, pattern;
    size_t elementSize, count;
  };
  struct FreeDeleter {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  struct Prepared {
    std::vector<uint64_t> key;
    std::vector<ReadyLaunch> launches;
    std::vector<Fill> fills;
    uint64_t generation = 0;
    bool isFinal = true; ///< else prepared again for the next launch
    // What the parameters point at:
    std::vector<uint64_t> slots;
    std::unique_ptr<char, FreeDeleter> maps; ///< TMA descriptors, 128 bytes each
    std::vector<void *> params;
  };
  /// Memory of one workspace, on one stream of one context.
  struct Buffer {
    uint64_t address = 0;
    size_t bytes = 0;
  };
  using BufferKey = std::pair<void *, void *>;
  /// Context, stream, workspace: memory that a kernel restores is not shared with other workspaces.
  using RestoredKey = std::tuple<void *, void *, const Workspace *>;
  /// What evaluation yields for one workspace.
  struct Space {
    std::vector<int64_t> sizes, strides;
    size_t count = 0; ///< elements, those between rows included
    uint64_t address = 0;
  };

  bool makeKey(const tessera_rt_arg *args, size_t count, void *context, void *stream, Error &error);
  /// The device's number of cores, if the contract asks for it.
  bool askCores(Error &error);
  bool bindAndCheck(const tessera_rt_arg *args, size_t count, BoundArgs &bound, size_t &variant,
                    Error &error);
  bool prepare(const tessera_rt_arg *args, size_t count, void *context, void *stream,
               Prepared &prepared, Error &error);
  bool prepareSpaces(const std::vector<Workspace> &workspaces, const std::vector<BoundArg> &args,
                     void *context, void *stream, std::vector<Space> &spaces, Prepared &prepared,
                     Error &error);
  /// Sizes, strides and the number of elements.
  bool measureSpace(const Workspace &workspace, const std::vector<BoundArg> &args, Space &space,
                    std::string &reason);
  bool prepareLaunch(const Launch &launch, const std::vector<BoundArg> &args,
                     const std::vector<Space> &spaces, void *stream, Prepared &prepared,
                     size_t &slot, size_t &map, size_t &param, Error &error);
  bool placesEvenly(const ReadyLaunch &launch, bool &evenly, Error &error);
  bool prepareMap(const Descriptor &descriptor, const std::vector<BoundArg> &args,
                  const Capacity &capacity, const std::vector<Space> &spaces, void *map,
                  Error &error);

  Module &module;
  const KernelContract &contract;
  std::mutex mutex; ///< orders launches and guards all below
  int64_t forced = -1;
  size_t byPlace = 0;
  std::vector<uint64_t> key; ///< scratch
  int64_t cores = 1;
  std::unordered_map<uint64_t, std::unique_ptr<Prepared>> cache;
  std::map<BufferKey, std::vector<Buffer>> buffers;
  std::map<RestoredKey, Buffer> restored;
  uint64_t generation = 0; ///< counts reallocations of buffers
};

class Module {
public:
  static std::unique_ptr<Module> load(std::string bytes, const std::string &path, Error &error);
  /// For kernels that run elsewhere: makes a module of a contract and any back end.
  static std::unique_ptr<Module> create(Contract contract, std::unique_ptr<Backend> backend);

  const Contract &getContract() const { return contract; }
  Backend &getBackend() { return *backend; }
  std::vector<std::unique_ptr<Kernel>> &getKernels() { return kernels; }
  /// The kernel of that name; with an empty name the only kernel. Null after an error.
  Kernel *find(const std::string &name, Error &error);

private:
  Module() = default;
  void makeKernels();

  std::string bytes;
  Contract contract;
  std::unique_ptr<Backend> backend;
  std::vector<std::unique_ptr<Kernel>> kernels; ///< destroyed before the backend
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHER_H
