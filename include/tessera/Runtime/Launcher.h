// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- Launcher.h - Modules and kernels: checks, preparation, launches ----===//
//
// The first launch with given facts is *prepared* (PreparedLaunch.h): facts are checked, a variant
// is chosen, grids and parameters are evaluated. The result is kept under the facts
// (LaunchCache.h). What is left of a launch like it is to compare the facts, to see that arrays
// that have moved do not overlap, to write the addresses, and the driver's call.

#ifndef TESSERA_RUNTIME_LAUNCHER_H
#define TESSERA_RUNTIME_LAUNCHER_H

#include "tessera/Runtime/Artifact.h"
#include "tessera/Runtime/Backend.h"
#include "tessera/Runtime/Choice.h"
#include "tessera/Runtime/Contract.h"
#include "tessera/Runtime/Facts.h"
#include "tessera/Runtime/LaunchCache.h"
#include "tessera/Runtime/OnDemand.h"
#include "tessera/Runtime/Workspaces.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tessera::rt {

class Module;

class Kernel {
public:
  Kernel(Module &module, const KernelContract &contract);
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const KernelContract &getContract() const { return contract; }
  Module &getModule() const { return module; }

  bool launch(const tessera_rt_arg *args, size_t count, void *stream, Error &error);
  /// The checks of a launch; says which variant it would take.
  bool check(const tessera_rt_arg *args, size_t count, size_t &variant, Error &error);
  /// The same for DLPack tensors, on the device that they are on.
  bool launchTensors(const tessera_rt_value *values, size_t count, void *stream, Error &error);
  bool checkTensors(const tessera_rt_value *values, size_t count, size_t &variant, Error &error);
  /// Prepares the launch, with everything that cannot be done while `stream` is captured.
  bool prepareTensors(const tessera_rt_value *values, size_t count, void *stream, Error &error);
  /// Restricts launches. Each replaces what was forced before; the empty name lifts it.
  bool forceVariant(const std::string &name, Error &error);
  bool forceMember(const std::string &name, Error &error);
  /// What a launch chooses from.
  bool rank(const tessera_rt_arg *args, size_t count, std::vector<Ranked> &ranking, Error &error);
  bool rankTensors(const tessera_rt_value *values, size_t count, std::vector<Ranked> &ranking,
                   Error &error);
  /// Also gives the recipe of the launch, which is that of the code.
  bool launchInfo(size_t variant, size_t launch, const Launch *&recipe, FunctionInfo &info,
                  Error &error);
  /// The number of launches of the last call of `launch` that had a table for GPC-aware cluster
  /// numbering.
  size_t numByPlace();

private:
  // What the public functions do while they hold the lock. `taken` are the arguments.
  bool launchOn(int device, const tessera_rt_arg *args, void *stream, Error &error);
  bool checkOn(int device, const tessera_rt_arg *args, size_t count, size_t &variant, Error &error);
  bool rankOn(int device, const tessera_rt_arg *args, size_t count, std::vector<Ranked> &ranking,
              Error &error);
  bool take(const tessera_rt_value *values, size_t count, int &device, Error &error);
  bool needsCores() const;
  /// The device's number of cores, if the contract asks for it.
  bool askCores(Error &error);
  /// The same on that device, whose context need not be current.
  bool askCoresOf(int device, Error &error);
  bool bindAndCheck(const tessera_rt_arg *args, size_t count, BoundArgs &bound, Error &error);
  bool choose(const BoundArgs &bound, size_t &variant, Error &error);
  /// A variant and the kernel that has its code: this one, or one of a module on demand.
  struct Code {
    Kernel *kernel = nullptr;
    size_t variant = 0;
  };
  /// The variant that a launch takes, of those whose code is there. False without an error if that
  /// of `wanted` has to be compiled first.
  bool chooseCode(const BoundArgs &bound, Code &code, Error &error);
  /// Calls `body` while it holds the lock, and again when the code is there that it wanted.
  template <typename Body>
  bool withCode(Error &error, Body &&body);
  /// Finds or makes what is launched for these arguments, in the context of `scope`. Null after an
  /// error. Sets `values`.
  PreparedLaunch *prepare(const tessera_rt_arg *args, const BackendScope &scope, void *stream,
                          Error &error);
  /// Whether arrays that have moved since the last launch lie apart.
  bool checkMoved(const tessera_rt_arg *args, PreparedLaunch &prepared, Error &error);

  Module &module;
  const KernelContract &contract;
  const ArgPairs exclusive; ///< arguments that must not overlap
  std::mutex mutex;         ///< orders launches and guards all below
  Forced forced;
  size_t byPlace = 0;
  int64_t cores = 1;
  LaunchCache cache;
  KernelCode codes;
  std::optional<size_t> wanted; ///< the variant whose code the call under way lacks
  WorkspaceMemory workspaces;
  // Scratch:
  std::vector<tessera_rt_arg> taken;
  /// The values of a launch: one for each argument, then one for each workspace.
  std::vector<uint64_t> values;
};

class Module {
public:
  static std::unique_ptr<Module> load(std::string bytes, const std::string &path, Error &error);
  /// For kernels that run elsewhere: makes a module of a contract and any back end.
  static std::unique_ptr<Module> create(Contract contract, std::unique_ptr<Backend> backend);
  /// A module without code, made of a contract in JSON (OnDemand.h).
  static std::unique_ptr<Module> loadOnDemand(std::string_view json,
                                              std::unique_ptr<CodeSource> source, Error &error);

  const Contract &getContract() const { return contract; }
  Backend &getBackend() { return *backend; }
  std::vector<std::unique_ptr<Kernel>> &getKernels() { return kernels; }
  /// The kernel of that name; with an empty name the only kernel. Null after an error.
  Kernel *find(const std::string &name, Error &error);

  bool isOnDemand() const { return source != nullptr; }
  CodeSource &getSource() { return *source; }
  /// Takes the code of a module on demand: the kernel of that name. Null after an error.
  Kernel *addCode(std::string artifact, const std::string &kernel, Error &error);
  /// Changes a setting of the back end, and of those of code that comes later. A setting replaces
  /// the one of the same name.
  void configure(const std::string &name, std::function<void(Backend &)> setting);

  /// Workspaces come from these functions from now on. Refused after the first launch.
  bool setAllocator(const tessera_rt_allocator &functions, Error &error);
  /// What a launch takes workspaces from; null without functions of the host. They cannot be set
  /// any more.
  const tessera_rt_allocator *useAllocator();

private:
  Module() = default;
  void makeKernels();

  std::string bytes;
  Contract contract;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<CodeSource> source; ///< of a module on demand
  std::mutex mutex; ///< guards `allocator` until it is in use, and what follows up to `codes`
  std::map<std::string, std::function<void(Backend &)>> settings;
  std::vector<std::unique_ptr<Module>> codes; ///< of a module on demand
  std::optional<tessera_rt_allocator> allocator;
  std::atomic<bool> allocatorInUse = false;
  std::vector<std::unique_ptr<Kernel>> kernels; ///< destroyed before all of the above
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHER_H
