// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tessera/Runtime/Launcher.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#ifndef TESSERA_VERSION
#define TESSERA_VERSION "0.1.0"
#endif

using namespace tessera::rt;

/// What a code source of a host answers.
struct tessera_rt_code {
  std::string artifact, reason;
};

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
bool areGiven(const void *args, size_t count, char **out) {
  return count == 0 || isGiven(args, "array of arguments", out);
}

/// The sizes that the structs had in version 1 of the interface. Fields are only ever added at the
/// end.
constexpr size_t argInfoSize = 80, dimInfoSize = 48, launchInfoSize = 40, allocatorSize = 32,
                 rankedSize = 56;
static_assert(sizeof(tessera_rt_arg_info) == argInfoSize);
static_assert(sizeof(tessera_rt_dim_info) == dimInfoSize);
static_assert(sizeof(tessera_rt_launch_info) == launchInfoSize);
static_assert(sizeof(tessera_rt_ranked) == rankedSize);
static_assert(offsetof(tessera_rt_allocator, is_of_graph) == allocatorSize);
static_assert(sizeof(tessera_rt_arg) == 32 && sizeof(tessera_rt_value) == 16, "they are frozen");

/// Writes as much of `known` as the host's struct has room for. Fields of the host that this
/// library does not know become 0.
template <typename Struct>
void writeStruct(Struct known, Struct *out) {
  const size_t room = out->struct_size;
  known.struct_size = room;
  if (room > sizeof(Struct))
    std::memset(reinterpret_cast<char *>(out) + sizeof(Struct), 0, room - sizeof(Struct));
  std::memcpy(out, &known, std::min(room, sizeof(Struct)));
}

const char *accessName(Access access) {
  static constexpr const char *names[] = {"none", "read", "write", "readwrite"};
  return names[static_cast<size_t>(access)];
}

struct Ranking {
  const KernelContract &kernel;
  std::vector<Ranked> members;
};

/// Makes the ranking that `rank(members, error)` fills.
template <typename Rank>
tessera_rt_status makeRanking(tessera_rt_kernel *kernel, tessera_rt_ranking **ranking, char **out,
                              Rank &&rank) {
  if (!isGiven(ranking, "place of the answer", out))
    return TESSERA_RT_INVALID;
  auto made = std::make_unique<Ranking>(Ranking{contractOf(kernel), {}});
  Error error;
  if (!rank(made->members, error))
    return report(error, out);
  *ranking = reinterpret_cast<tessera_rt_ranking *>(made.release());
  return TESSERA_RT_OK;
}

/// Runs `body(backend, error)` with the module's context current.
template <typename Body>
tessera_rt_status inContext(tessera_rt_module *module, char **out, Body &&body,
                            int device = anyDevice) {
  if (!isGiven(module, "module", out))
    return TESSERA_RT_INVALID;
  Backend &backend = unwrap(module).getBackend();
  Error error;
  BackendScope scope(backend);
  if (scope.enter(error, device) && body(backend, error))
    return TESSERA_RT_OK;
  return report(error, out);
}

/// Code that functions of a host give.
class HostCodeSource : public CodeSource {
public:
  explicit HostCodeSource(const tessera_rt_code_source &functions) : functions(functions) {}
  ~HostCodeSource() override {
    if (isOwned && functions.release)
      functions.release(functions.user);
  }
  /// From now on `release` is called in the end.
  void own() { isOwned = true; }

  Outcome compile(const std::string &kernel, const std::string &member, const std::string &variant,
                  std::string &artifact, std::string &reason) override {
    const tessera_rt_wanted wanted = {sizeof(wanted), kernel.c_str(),
                                      member.empty() ? nullptr : member.c_str(), variant.c_str()};
    tessera_rt_code code;
    const tessera_rt_code_status status = functions.compile(functions.user, &wanted, &code);
    artifact = std::move(code.artifact);
    reason = std::move(code.reason);
    return status == TESSERA_RT_CODE_READY  ? Outcome::Code
           : status == TESSERA_RT_CODE_NONE ? Outcome::None
                                            : Outcome::Stopped;
  }

private:
  const tessera_rt_code_source functions;
  bool isOwned = false;
};

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
int tessera_rt_api_version(void) { return TESSERA_RT_API_VERSION; }
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

void tessera_rt_code_set(tessera_rt_code *code, const void *artifact, size_t size) {
  if (code)
    code->artifact.assign(static_cast<const char *>(artifact), artifact ? size : 0);
}
void tessera_rt_code_explain(tessera_rt_code *code, const char *reason) {
  if (code)
    code->reason = reason ? reason : "";
}
tessera_rt_module *tessera_rt_load_on_demand(const char *contract, size_t size,
                                             const tessera_rt_code_source *source, char **error) {
  if (!isGiven(contract, "contract", error) || !isGiven(source, "code source", error))
    return nullptr;
  Error failure;
  if (source->struct_size < sizeof(tessera_rt_code_source)) {
    failure.set(TESSERA_RT_INVALID, "struct_size of the code source is " +
                                        std::to_string(source->struct_size) +
                                        ": set it to sizeof(tessera_rt_code_source)");
    report(failure, error);
    return nullptr;
  }
  if (!isGiven(reinterpret_cast<const void *>(source->compile), "code source's 'compile'", error))
    return nullptr;
  auto functions = std::make_unique<HostCodeSource>(*source);
  HostCodeSource &given = *functions;
  std::unique_ptr<Module> module =
      Module::loadOnDemand({contract, size}, std::move(functions), failure);
  if (!module)
    report(failure, error);
  else
    given.own();
  return reinterpret_cast<tessera_rt_module *>(module.release());
}

void tessera_rt_unload(tessera_rt_module *module) { delete reinterpret_cast<Module *>(module); }

const char *tessera_rt_target(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().target.c_str() : "";
}
const char *tessera_rt_compiler(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().compiler.c_str() : "";
}
const char *tessera_rt_contract(const tessera_rt_module *module) {
  return module ? unwrap(module).getContract().text.c_str() : "";
}
void tessera_rt_set_threads(tessera_rt_module *module, unsigned threads) {
  if (module)
    unwrap(module).configure("threads", [=](Backend &backend) { backend.setThreads(threads); });
}
void tessera_rt_set_device(tessera_rt_module *module, int device) {
  if (module)
    unwrap(module).configure("device", [=](Backend &backend) { backend.setDevice(device); });
}
void tessera_rt_set_dependent_launch(tessera_rt_module *module, int allowed) {
  if (module)
    unwrap(module).configure("dependent_launch",
                             [=](Backend &backend) { backend.setDependentLaunch(allowed != 0); });
}
void tessera_rt_set_places(tessera_rt_module *module, int allowed) {
  if (module)
    unwrap(module).configure("places", [=](Backend &backend) { backend.setPlaces(allowed != 0); });
}
tessera_rt_status tessera_rt_set_allocator(tessera_rt_module *module,
                                           const tessera_rt_allocator *allocator, char **error) {
  if (!isGiven(module, "module", error) || !isGiven(allocator, "allocator", error))
    return TESSERA_RT_INVALID;
  Error failure;
  if (allocator->struct_size < allocatorSize) {
    failure.set(TESSERA_RT_INVALID, "struct_size of the allocator is " +
                                        std::to_string(allocator->struct_size) +
                                        ": set it to sizeof(tessera_rt_allocator)");
    return report(failure, error);
  }
  tessera_rt_allocator known = {};
  std::memcpy(&known, allocator, std::min(allocator->struct_size, sizeof(known)));
  if (!isGiven(reinterpret_cast<const void *>(known.allocate), "allocator's 'allocate'", error) ||
      !isGiven(reinterpret_cast<const void *>(known.release), "allocator's 'release'", error))
    return TESSERA_RT_INVALID;
  return unwrap(module).setAllocator(known, failure) ? TESSERA_RT_OK : report(failure, error);
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
  if (index >= tessera_rt_num_args(kernel) || !info || info->struct_size < argInfoSize)
    return TESSERA_RT_INVALID;
  const Argument &arg = contractOf(kernel).args[index];
  tessera_rt_arg_info known = {};
  known.name = arg.name.c_str();
  // Names are string literals, so they end with NUL.
  known.element = elementName(arg.element).data();
  known.element_size = elementSize(arg.element);
  known.is_array = arg.isMemref;
  known.access = accessName(Access::None);
  if (arg.isMemref) {
    known.rank = arg.rank();
    known.reads = reads(arg.access);
    known.writes = writes(arg.access);
    known.strided = arg.strided;
    known.is_output = arg.access == Access::Write;
    known.access = accessName(arg.access);
    known.align = alignmentOf(arg);
  }
  writeStruct(known, info);
  return TESSERA_RT_OK;
}
tessera_rt_status tessera_rt_arg_dim(const tessera_rt_kernel *kernel, size_t index, size_t dim,
                                     tessera_rt_dim_info *info) {
  if (index >= tessera_rt_num_args(kernel) || !info || info->struct_size < dimInfoSize)
    return TESSERA_RT_INVALID;
  const KernelContract &contract = contractOf(kernel);
  const Argument &arg = contract.args[index];
  if (dim >= arg.rank())
    return TESSERA_RT_INVALID;
  const Extent &extent = arg.shape[dim];
  tessera_rt_dim_info known = {};
  known.size = extent.kind == Extent::Kind::Equal ? extent.value : -1;
  if (extent.kind == Extent::Kind::Symbol)
    known.symbol = contract.symbols[extent.value].c_str();
  known.size_divisible = arg.sizeDivisible[dim];
  known.stride_divisible = arg.strideDivisible[dim];
  known.stride = fixedStride(arg, dim).value_or(-1);
  writeStruct(known, info);
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
  if (info->struct_size < launchInfoSize) {
    failure.set(TESSERA_RT_INVALID, "struct_size of the answer is " +
                                        std::to_string(info->struct_size) +
                                        ": set it to sizeof(tessera_rt_launch_info)");
    return report(failure, error);
  }
  if (launch >= tessera_rt_num_launches(kernel, variant)) {
    failure.set(TESSERA_RT_INVALID, "there is no such launch");
    return report(failure, error);
  }
  FunctionInfo known;
  const Launch *found = nullptr;
  if (!unwrap(kernel).launchInfo(variant, launch, found, known, failure))
    return report(failure, error);
  const Launch &recipe = *found;
  tessera_rt_launch_info answer = {};
  answer.symbol = recipe.symbol.c_str();
  answer.registers = known.registers;
  answer.local_bytes = known.localBytes;
  answer.static_shared = known.staticShared;
  bool gpu = unwrap(kernel).getModule().getBackend().isGpu();
  answer.dynamic_shared = gpu ? static_cast<int>(recipe.shared) : -1;
  answer.threads = gpu ? static_cast<int>(recipe.block) : -1;
  writeStruct(answer, info);
  return TESSERA_RT_OK;
}

size_t tessera_rt_num_members(const tessera_rt_kernel *kernel) {
  return kernel && contractOf(kernel).isFamily() ? contractOf(kernel).members.size() : 0;
}
const char *tessera_rt_member_name(const tessera_rt_kernel *kernel, size_t member) {
  return member < tessera_rt_num_members(kernel) ? contractOf(kernel).members[member].name.c_str()
                                                 : nullptr;
}
const char *tessera_rt_variant_member(const tessera_rt_kernel *kernel, size_t variant) {
  if (variant >= tessera_rt_num_variants(kernel))
    return nullptr;
  const KernelContract &contract = contractOf(kernel);
  return contract.members[contract.memberOf(variant)].name.c_str();
}

tessera_rt_status tessera_rt_force_variant(tessera_rt_kernel *kernel, const char *name,
                                           char **error) {
  if (!isGiven(kernel, "kernel", error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).forceVariant(name ? name : "", failure) ? TESSERA_RT_OK
                                                                : report(failure, error);
}
tessera_rt_status tessera_rt_force_member(tessera_rt_kernel *kernel, const char *name,
                                          char **error) {
  if (!isGiven(kernel, "kernel", error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).forceMember(name ? name : "", failure) ? TESSERA_RT_OK
                                                               : report(failure, error);
}
tessera_rt_status tessera_rt_rank(tessera_rt_kernel *kernel, const tessera_rt_arg *args,
                                  size_t num_args, tessera_rt_ranking **ranking, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(args, num_args, error))
    return TESSERA_RT_INVALID;
  return makeRanking(kernel, ranking, error, [&](std::vector<Ranked> &members, Error &failure) {
    return unwrap(kernel).rank(args, num_args, members, failure);
  });
}
tessera_rt_status tessera_rt_rank_tensors(tessera_rt_kernel *kernel, const tessera_rt_value *values,
                                          size_t count, tessera_rt_ranking **ranking,
                                          char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(values, count, error))
    return TESSERA_RT_INVALID;
  return makeRanking(kernel, ranking, error, [&](std::vector<Ranked> &members, Error &failure) {
    return unwrap(kernel).rankTensors(values, count, members, failure);
  });
}
size_t tessera_rt_ranking_size(const tessera_rt_ranking *ranking) {
  return ranking ? reinterpret_cast<const Ranking *>(ranking)->members.size() : 0;
}
tessera_rt_status tessera_rt_ranking_at(const tessera_rt_ranking *ranking, size_t index,
                                        tessera_rt_ranked *ranked) {
  if (index >= tessera_rt_ranking_size(ranking) || !ranked || ranked->struct_size < rankedSize)
    return TESSERA_RT_INVALID;
  const auto &[kernel, members] = *reinterpret_cast<const Ranking *>(ranking);
  const Ranked &entry = members[index];
  tessera_rt_ranked known = {};
  known.member = kernel.members[entry.member].name.c_str();
  if (entry.variant) {
    known.variant = *entry.variant;
    known.variant_name = kernel.variants[*entry.variant].name.c_str();
  } else {
    known.reason = entry.reason.c_str();
  }
  known.nanoseconds = entry.nanoseconds.value_or(-1);
  known.is_chosen = entry.isChosen;
  writeStruct(known, ranked);
  return TESSERA_RT_OK;
}
void tessera_rt_free_ranking(tessera_rt_ranking *ranking) {
  delete reinterpret_cast<Ranking *>(ranking);
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

tessera_rt_status tessera_rt_check_tensors(tessera_rt_kernel *kernel,
                                           const tessera_rt_value *values, size_t count,
                                           size_t *variant, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(values, count, error))
    return TESSERA_RT_INVALID;
  Error failure;
  size_t chosen;
  if (!unwrap(kernel).checkTensors(values, count, chosen, failure))
    return report(failure, error);
  if (variant)
    *variant = chosen;
  return TESSERA_RT_OK;
}
tessera_rt_status tessera_rt_launch_tensors(tessera_rt_kernel *kernel,
                                            const tessera_rt_value *values, size_t count,
                                            void *stream, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(values, count, error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).launchTensors(values, count, stream, failure) ? TESSERA_RT_OK
                                                                      : report(failure, error);
}
tessera_rt_status tessera_rt_prepare_tensors(tessera_rt_kernel *kernel,
                                             const tessera_rt_value *values, size_t count,
                                             void *stream, char **error) {
  if (!isGiven(kernel, "kernel", error) || !areGiven(values, count, error))
    return TESSERA_RT_INVALID;
  Error failure;
  return unwrap(kernel).prepareTensors(values, count, stream, failure) ? TESSERA_RT_OK
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
tessera_rt_status tessera_rt_synchronize_on(tessera_rt_module *module, int device, void *stream,
                                            char **error) {
  return inContext(
      module, error,
      [&](Backend &backend, Error &failure) {
        bool captured;
        return backend.isCapturing(stream, captured, failure) &&
               (captured || backend.synchronize(stream, failure));
      },
      device);
}
tessera_rt_status tessera_rt_order(tessera_rt_module *module, int device, void *earlier,
                                   void *later, char **error) {
  return inContext(
      module, error,
      [&](Backend &backend, Error &failure) {
        bool before, after;
        return backend.isCapturing(earlier, before, failure) &&
               backend.isCapturing(later, after, failure) &&
               (before != after || backend.order(earlier, later, failure));
      },
      device);
}

} // extern "C"
