// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- OnDemand.h - Code that is compiled when a launch needs it ----------===//
//
// A family may have dozens of members in several variants each, of which a program that knows few
// sizes launches two or three. The launcher chooses by guards and predicted times alone, which
// stand in the contract. So a module on demand is made of a contract (tilec --emit=contract)
// without any code, and of a source that gives the code of a variant when a launch first takes it:
// an artifact that was compiled for this variant alone (tilec --kernel, --members, --variants).
// Where that differs from the contract, because ptxas had to be given another plan, its own
// contract says how it is launched.

#ifndef TESSERA_RUNTIME_ONDEMAND_H
#define TESSERA_RUNTIME_ONDEMAND_H

#include "tessera/Runtime/Contract.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tessera::rt {

class Kernel;
class Module;
struct BoundArg;
struct Error;

/// Compiles, or finds, the code of single variants. Called by several threads at the same time, for
/// different variants.
class CodeSource {
public:
  enum class Outcome {
    Code,   ///< `artifact` has it, and no other member
    None,   ///< the variant does not compile, as `reason` says: launches take the next best one
    Stopped ///< nothing is known of the variant: the launch fails, and the next one asks again
  };

  virtual ~CodeSource() = default;
  /// `member` is empty for a kernel that is no family; `variant` is "aligned", say.
  virtual Outcome compile(const std::string &kernel, const std::string &member,
                          const std::string &variant, std::string &artifact,
                          std::string &reason) = 0;
};

/// Why variants have no code, by their numbers; empty: it is there, or was not asked for yet.
using MissingCode = std::vector<std::string>;

/// The name of a variant without that of its member: "aligned" for "BM=128,BN=256/aligned".
std::string plainName(const KernelContract &kernel, size_t variant);

/// Whether artifacts of both kernels are launched with the same arguments. If not, `reason` says
/// what differs.
bool haveSameArguments(const KernelContract &kernel, const KernelContract &other,
                       std::string &reason);

/// The code of one kernel of a module on demand. The kernel's lock guards it.
class KernelCode {
public:
  KernelCode(Module &module, const KernelContract &kernel);

  /// Why variants have no code. Empty for a module that has all of it.
  const MissingCode &getMissing() const { return missing; }
  /// The kernel with the code of that variant, in a module of its own. Null if it is missing, or
  /// was not compiled yet.
  Kernel *find(size_t variant) const { return loaded[variant]; }
  void leaveOut(size_t variant, std::string reason) { missing[variant] = std::move(reason); }
  /// Has the variant compiled, or waits for the thread that does. Meanwhile the kernel is not
  /// locked. False after an error; otherwise the code is there, or is missing.
  bool compile(size_t variant, std::unique_lock<std::mutex> &lock, Error &error);

private:
  /// Who compiles a variant. A child of a fork has none of the threads.
  struct Work {
    std::thread::id thread;
    int process = 0;
  };

  Kernel *load(std::string artifact, std::string &reason);

  Module &module;
  const KernelContract &kernel;
  std::vector<Kernel *> loaded; ///< by variant
  MissingCode missing;
  std::map<size_t, Work> underWay; ///< by variant
  std::condition_variable ended;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_ONDEMAND_H
