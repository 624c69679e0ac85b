// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Launcher.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <cstring>

#ifndef TESSERA_VERSION
#define TESSERA_VERSION "0.1.0"
#endif

using namespace tessera::rt;

namespace {
Module &unwrap(tessera_rt_module *module) { return *reinterpret_cast<Module *>(module); }
const Module &unwrap(const tessera_rt_module *module) {
  return *reinterpret_cast<const Module *>(module);
}
Kernel &unwrap(tessera_rt_kernel *kernel) { return *reinterpret_cast<Kernel *>(kernel); }
const KernelContract &contractOf(const tessera_rt_kernel *kernel) {
  return reinterpret_cast<const Kernel *>(kernel)->getContract();
}
tessera_rt_kernel *wrap(Kernel *kernel) { return reinterpret_cast<tessera_rt_kernel *>(kernel); }

tessera_rt_status report(const Error &error, char **out) {
  if (out)
    *out = strdup(error.message.c_str());
  return error.status == TESSERA_RT_OK ? TESSERA_RT_INVALID : error.status;
}

/// Returns false, with an error, if the host has passed NULL for the pointer.
bool isGiven(const void *pointer, const char *what, char **out) {
  if (pointer)
    return true;
  Error error;
  error.set(TESSERA_RT_INVALID, std::string("the ") + what + " is NULL");
  report(error, out);
  return false;
}
bool areGiven(const tessera_rt_arg *args, size_t count, char **out) {
  return count == 0 || isGiven(args, "array of arguments", out);
}

/// Runs `body(backend, error)` with the module's context current.
template <typename Body>
tessera_rt_status inContext(tessera_rt_module *module, char **out, Body &&body) {
  if (!isGiven(module, "module", out))
    return TESSERA_RT_INVALID;
  Backend &backend = unwrap(module).getBackend();
  Error error;
  BackendScope scope(backend);
  if (scope.enter(error) && body(backend, error))
    return TESSERA_RT_OK;
  return report(error, out);
}

tessera_rt_module *loadBytes(std::string bytes, const std::string &path, char **out) {
  Error error;
  std::unique_ptr<Module> module = Module::load(std::move(bytes), path, error);
  if (!module)
    report(error, out);
  return reinterpret_cast<tessera_rt_module *>(module.release());
}
} // namespace

extern "C" {

const char *tessera_rt_version(void) { return TESSERA_VERSION; }
void tessera_rt_free_error(char *error) { std::free(error); }

tessera_rt_module *tessera_rt_load_file(const char *path, char **error) {
  if (!isGiven(path, "path", error))
    return nullptr;
  std::string bytes;
  Error failure;
  if (!readFile(path, bytes, failure.message)) {
    failure.status = TESSERA_RT_ARTIFACT;
    report(failure, error);
    return nullptr;
  }
  return loadBytes(std::move(bytes), path, error);
}

tessera_rt_module *tessera_rt_load_bytes(const void *bytes, size_t size, char **error) {
  if (!isGiven(bytes, "artifact", error))
    return nullptr;
  return loadBytes(std::string(static_cast<const char *>(bytes), size), "", error);
}

void tessera_rt_unload(tessera_rt_module *module) { delete reinterpret_cast<Module *>(module); }

const char *tessera_rt_target(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().target.c_str() : "";
}
const char *tessera_rt_compiler(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().compiler.c_str() : "";
}
void tessera_rt_set_threads(tessera_rt_module *module, unsigned threads) {
  if (module)
    unwrap(module).getBackend().setThreads(threads);
}
void tessera_rt_set_device(tessera_rt_module *module, int device) {
  if (module)
    unwrap(module).getBackend().setDevice(device);
}
void tessera_rt_set_dependent_launch(tessera_rt_module *module, int allowed) {
  if (module)
    unwrap(module).getBackend().setDependentLaunch(allowed != 0);
}
void tessera_rt_set_places(tessera_rt_module *module, int allowed) {
  if (module)
    unwrap(module).getBackend().setPlaces(allowed != 0);
}
tessera_rt_status tessera_rt_prepare(tessera_rt_module *module, char **error) {
  return inContext(module, error, [](Backend &, Error &) { return true; });
}

size_t tessera_rt_num_kernels(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().kernels.size() : 0;
}
tessera_rt_kernel *tessera_rt_kernel_at(tessera_rt_module *module, size_t index) {
  if (!module)
    return nullptr;
  auto &kernels = unwrap(module).getKernels();
  return index < kernels.size() ? wrap(kernels[index].get()) : nullptr;
}
tessera_rt_kernel *tessera_rt_find_kernel(tessera_rt_module *module, const char *name,
                                          char **error) {
  if (!isGiven(module, "module", error))
    return nullptr;
  Error failure;
  Kernel *kernel = unwrap(module).find(name ? name : "", failure);
  if (!kernel)
    report(failure, error);
  return wrap(kernel);
}

const char *tessera_rt_kernel_name(const tessera_rt_kernel *kernel) {
  return kernel ? contractOf(kernel).name.c_str() : "";
}
size_t tessera_rt_num_args(const tessera_rt_kernel *kernel) {
  return kernel ? contractOf(kernel).args.size() : 0;
}
tessera_rt_status tessera_rt_arg_at(const tessera_rt_kernel *kernel, size_t index,
                                    tessera_rt_arg_info *info) {
  if (index >= tessera_rt_num_args(kernel) || !info)
    return TESSERA_RT_INVALID;
  const auto &args = contractOf(kernel).args;
  const Argument &arg = args[index];
  *info = tessera_rt_arg_info();
  info->name = arg.name.c_str();
  // Names are string literals, so they end with NUL.
  info->element = elementName(arg.element).data();
  info->element_size = elementSize(arg.element);
  info->is_array = arg.isMemref;
  if (arg.isMemref) {
    info->rank = arg.rank();
    info->reads = reads(arg.access);
    info->writes = writes(arg.access);
    info->strided = arg.strided;
  }
  return TESSERA_RT_OK;
}

size_t tessera_rt_num_variants(const tessera_rt_kernel *kernel) {
  return kernel ? contractOf(kernel).variants.size() : 0;
}
const char *tessera_rt_variant_name(const tessera_rt_kernel *kernel, size_t variant) {
  return variant < tessera_rt_num_variants(kernel)
             ? contractOf(kernel).variants[variant].name.c_str()
             : nullptr;
}
size_t tessera_rt_num_launches(const tessera_rt_kernel *kernel, size_t variant) {
  return variant < tessera_rt_num_variants(kernel)
             ? contractOf(kernel).variants[variant].launches.size()
             : 0;
}
tessera_rt_status tessera_rt_launch_at(tessera_rt_kernel *kernel, size_t variant, size_t launch,
                                       tessera_rt_launch_info *info, char **error) {
  if (!isGiven(kernel, "kernel", error) || !isGiven(info, "place of the answer", error))
    return TESSERA_RT_INVALID;
  Error failure;
  if (launch >= tessera_rt_num_launches(kernel, variant)) {
    failure.set(TESSERA_RT_INVALID, "there is no such launch");
    return report(failure, error);
  }
  FunctionInfo known;
  if (!unwrap(kernel).launchInfo(variant, launch, known, failure))
    return report(failure, error);
  const Launch &recipe = contractOf(kernel).variants[variant].launches[launch];
  info->symbol = recipe.symbol.c_str();
  info->registers = known.registers;
  info->local_bytes = known.localBytes;
  info->static_shared = known.staticShared;
  bool gpu = unwrap(kernel).getModule().getBackend().isGpu();
  info->dynamic_shared = gpu ? static_cast<int>(recipe.shared) : -1;
  info->threads = gpu ? static_cast<int>(recipe.block) : -1;
  return TESSERA_RT_OK;
}

tessera_rt_status tessera_rt_force_variant(tessera_rt_kernel *kernel, const char *name,
                                           char **error) {
  if (!isGiven(kernel, "kernel", error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).forceVariant(name ? name : "", failure) ? TESSERA_RT_OK
                                                                : report(failure, error);
}
tessera_rt_status tessera_rt_check(tessera_rt_kernel *kernel, const tessera_rt_arg *args,
                                   size_t num_args, size_t *variant, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(args, num_args, error))
    return TESSERA_RT_INVALID;
  Error failure;
  size_t chosen;
  if (!unwrap(kernel).check(args, num_args, chosen, failure))
    return report(failure, error);
  if (variant)
    *variant = chosen;
  return TESSERA_RT_OK;
}
tessera_rt_status tessera_rt_launch(tessera_rt_kernel *kernel, const tessera_rt_arg *args,
                                    size_t num_args, void *stream, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(args, num_args, error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).launch(args, num_args, stream, failure) ? TESSERA_RT_OK
                                                                : report(failure, error);
}

void *tessera_rt_alloc(tessera_rt_module *module, size_t bytes, char **error) {
  uint64_t address = 0;
  inContext(module, error, [&](Backend &backend, Error &failure) {
    return backend.allocate(bytes, address, failure);
  });
  return reinterpret_cast<void *>(address);
}
void tessera_rt_free(tessera_rt_module *module, void *pointer) {
  if (!module || !pointer)
    return;
  Backend &backend = unwrap(module).getBackend();
  Error ignored;
  BackendScope scope(backend);
  if (scope.enter(ignored))
    backend.free(scope.context, reinterpret_cast<uint64_t>(pointer));
}
tessera_rt_status tessera_rt_copy_in(tessera_rt_module *module, void *to, const void *host,
                                     size_t bytes, char **error) {
  if (bytes &&
      (!isGiven(to, "target of the copy", error) || !isGiven(host, "source of the copy", error)))
    return TESSERA_RT_INVALID;
  return inContext(module, error, [&](Backend &backend, Error &failure) {
    return backend.copyIn(reinterpret_cast<uint64_t>(to), host, bytes, failure);
  });
}
tessera_rt_status tessera_rt_copy_out(tessera_rt_module *module, void *host, const void *from,
                                      size_t bytes, char **error) {
  if (bytes &&
      (!isGiven(host, "target of the copy", error) || !isGiven(from, "source of the copy", error)))
    return TESSERA_RT_INVALID;
  return inContext(module, error, [&](Backend &backend, Error &failure) {
    return backend.copyOut(host, reinterpret_cast<uint64_t>(from), bytes, failure);
  });
}
tessera_rt_status tessera_rt_synchronize(tessera_rt_module *module, void *stream, char **error) {
  return inContext(module, error, [&](Backend &backend, Error &failure) {
    return backend.synchronize(stream, failure);
  });
}

} // extern "C"
