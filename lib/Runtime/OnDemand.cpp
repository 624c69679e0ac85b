// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/OnDemand.h"

#include "tessera/Runtime/Launcher.h"

#include <unistd.h>

namespace tessera::rt {

std::string plainName(const KernelContract &kernel, size_t variant) {
  const std::string &name = kernel.variants[variant].name;
  const std::string prefix = kernel.members[kernel.memberOf(variant)].name + "/";
  return kernel.isFamily() && name.compare(0, prefix.size(), prefix) == 0
             ? name.substr(prefix.size())
             : name;
}

bool haveSameArguments(const KernelContract &kernel, const KernelContract &other,
                       std::string &reason) {
  if (kernel.args.size() != other.args.size()) {
    reason = "it has " + std::to_string(other.args.size()) + " arguments, and the contract has " +
             std::to_string(kernel.args.size());
    return false;
  }
  for (size_t i = 0; i < kernel.args.size(); ++i) {
    const Argument &a = kernel.args[i], &b = other.args[i];
    if (a.isMemref != b.isMemref || a.element != b.element || a.rank() != b.rank() ||
        a.strided != b.strided || a.access != b.access) {
      reason = "its argument '" + b.name + "' is another one than '" + a.name + "' of the contract";
      return false;
    }
  }
  return true;
}

KernelCode::KernelCode(Module &module, const KernelContract &kernel)
    : module(module), kernel(kernel) {
  if (!module.isOnDemand())
    return;
  loaded.resize(kernel.variants.size());
  missing.resize(kernel.variants.size());
}

Kernel *KernelCode::load(std::string artifact, std::string &reason) {
  Error failure;
  Kernel *found = module.addCode(std::move(artifact), kernel.name, failure);
  reason = std::move(failure.message);
  if (!found || !haveSameArguments(kernel, found->getContract(), reason))
    return nullptr;
  if (found->getContract().members.size() == 1)
    return found;
  reason = "it has several members";
  return nullptr;
}

bool KernelCode::compile(size_t variant, std::unique_lock<std::mutex> &lock, Error &error) {
  const std::string what = "the code of variant '" + kernel.variants[variant].name +
                           "' of kernel '" + kernel.name + "' ";
  const int process = static_cast<int>(getpid());
  for (auto work = underWay.find(variant);
       work != underWay.end() && work->second.process == process; work = underWay.find(variant)) {
    if (work->second.thread == std::this_thread::get_id())
      return error.set(TESSERA_RT_INVALID,
                       what + "is being compiled by a function that launches it");
    ended.wait(lock);
  }
  if (loaded[variant] || !missing[variant].empty())
    return true;
  underWay[variant] = {std::this_thread::get_id(), process};
  lock.unlock();
  const std::string member = kernel.members[kernel.memberOf(variant)].name;
  std::string artifact, reason;
  const CodeSource::Outcome outcome =
      module.getSource().compile(kernel.name, member, plainName(kernel, variant), artifact, reason);
  Kernel *found = nullptr;
  if (outcome == CodeSource::Outcome::Code) {
    std::string problem;
    if (!(found = load(std::move(artifact), problem)))
      reason = "its artifact cannot be used: " + problem;
  } else if (reason.empty()) {
    reason = "no reason was given";
  }
  lock.lock();
  underWay.erase(variant);
  ended.notify_all();
  if (outcome == CodeSource::Outcome::Stopped)
    return error.set(TESSERA_RT_ARTIFACT, what + "was not compiled: " + reason);
  loaded[variant] = found;
  if (!found)
    missing[variant] = reason;
  return true;
}

std::unique_ptr<Module> Module::loadOnDemand(std::string_view json,
                                             std::unique_ptr<CodeSource> source, Error &error) {
  std::unique_ptr<Module> module(new Module());
  if (!parseContract(wrapContract(json), module->contract, error.message)) {
    error.status = TESSERA_RT_ARTIFACT;
    return nullptr;
  }
  module->source = std::move(source);
  // It has memory, streams and the number of cores; the tables for GPC-aware cluster numbering are
  // those of the code.
  module->backend = module->contract.isCpu()
                        ? createCpuBackend({}, "")
                        : createCudaBackend({}, module->contract.target, /*wantsPlaces=*/false);
  module->makeKernels();
  return module;
}

Kernel *Module::addCode(std::string artifact, const std::string &kernel, Error &error) {
  std::unique_ptr<Module> code = load(std::move(artifact), "", error);
  if (!code)
    return nullptr;
  if (code->contract.target != contract.target) {
    error.set(TESSERA_RT_ARTIFACT,
              "it is for " + code->contract.target + ", and not for " + contract.target);
    return nullptr;
  }
  Kernel *found = code->find(kernel, error);
  if (!found)
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[name, setting] : settings)
    setting(code->getBackend());
  codes.push_back(std::move(code));
  return found;
}

void Module::configure(const std::string &name, std::function<void(Backend &)> setting) {
  std::lock_guard<std::mutex> lock(mutex);
  setting(*backend);
  for (const std::unique_ptr<Module> &code : codes)
    setting(code->getBackend());
  settings[name] = std::move(setting);
}

} // namespace tessera::rt
