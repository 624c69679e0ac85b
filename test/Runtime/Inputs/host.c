// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host program in C: loads an artifact from a file and from memory, asks, launches, provokes
// errors.
#include "tessera/Runtime/tessera_runtime.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *where, char *error) {
  fprintf(stderr, "%s: %s\n", where, error ? error : "?");
  exit(1);
}

static void run(tessera_rt_module *module) {
  char *error = NULL;
  tessera_rt_kernel *axpy = tessera_rt_find_kernel(module, "axpy", &error);
  if (!axpy)
    fail("find", error);
  for (size_t i = 0; i < tessera_rt_num_args(axpy); ++i) {
    tessera_rt_arg_info info = {.struct_size = sizeof(info)};
    if (tessera_rt_arg_at(axpy, i, &info))
      fail("argument", NULL);
    printf("%s %s rank %zu%s\n", info.name, info.element, info.rank, info.writes ? " written" : "");
  }
  float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
  int64_t sizes[1] = {3};
  void *dx = tessera_rt_alloc(module, sizeof(x), &error);
  void *dy = tessera_rt_alloc(module, sizeof(y), &error);
  if (!dx || !dy || tessera_rt_copy_in(module, dx, x, sizeof(x), &error) ||
      tessera_rt_copy_in(module, dy, y, sizeof(y), &error))
    fail("memory", error);
  tessera_rt_arg args[3] = {{.pointer = dx, .sizes = sizes}, {.pointer = dy, .sizes = sizes}};
  float alpha = 2;
  __builtin_memcpy(&args[2].bits, &alpha, sizeof(alpha));
  size_t variant = 0;
  if (tessera_rt_check(axpy, args, 3, &variant, &error))
    fail("check", error);
  printf("variant %s\n", tessera_rt_variant_name(axpy, variant));
  for (int i = 0; i < 2; ++i)
    if (tessera_rt_launch(axpy, args, 3, NULL, &error))
      fail("launch", error);
  if (tessera_rt_synchronize(module, NULL, &error) ||
      tessera_rt_copy_out(module, y, dy, sizeof(y), &error))
    fail("results", error);
  printf("y = %g %g %g\n", y[0], y[1], y[2]);

  args[1].pointer = (char *)dx + 4;
  if (tessera_rt_launch(axpy, args, 3, NULL, &error) != TESSERA_RT_INVALID)
    fail("overlap was not noticed", error);
  printf("error: %s\n", error);
  tessera_rt_free_error(error);
  tessera_rt_free(module, dx);
  tessera_rt_free(module, dy);
  tessera_rt_unload(module);
}

// What a host of DLPack has; test/unit/Runtime/DLPackTest.cpp checks it against dlpack.h.
typedef struct DLTensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} DLTensor;

static int transpose(tessera_rt_module *module, const DLTensor *from, const DLTensor *to,
                     void *stream, char **error) {
  tessera_rt_kernel *kernel = tessera_rt_find_kernel(module, "transpose", error);
  tessera_rt_value values[2] = {{.tensor = from}, {.tensor = to}};
  return kernel && tessera_rt_launch_tensors(kernel, values, 2, stream, error) == TESSERA_RT_OK;
}

// B = transpose(A) of tensors in host memory, where A is a view that is transposed itself.
static void launchTensors(tessera_rt_module *module) {
  char *error = NULL;
  tessera_rt_kernel *kernel = tessera_rt_find_kernel(module, "transpose", &error);
  int32_t a[9] = {-1, 0, 1, 2, 3, 4, 5, 6, 7};
  _Alignas(16) int32_t b[8];
  int64_t shapeA[2] = {4, 2}, stridesA[2] = {1, 4}, shapeB[2] = {2, 4};
  DLTensor A = {a, {1, 0}, 2, {0, 32, 1}, shapeA, stridesA, 4};
  DLTensor B = {b, {1, 0}, 2, {0, 32, 1}, shapeB, NULL, 0};
  tessera_rt_value values[2] = {{.tensor = &A}, {.tensor = &B}};
  size_t variant = 9;
  if (tessera_rt_check_tensors(kernel, values, 2, &variant, &error) || variant != 0)
    fail("check of tensors", error);
  if (!transpose(module, &A, &B, NULL, &error))
    fail("launch of tensors", error);
  printf("B =");
  for (int i = 0; i < 8; ++i)
    printf(" %d", b[i]);
  A.dtype.code = 2;
  if (transpose(module, &A, &B, NULL, &error))
    fail("a float tensor", "was taken");
  printf("\nerror: %s\n", error);
  tessera_rt_free_error(error);
}

// Everything that the library says about arguments.
static void describe(tessera_rt_module *module) {
  for (size_t k = 0; k < tessera_rt_num_kernels(module); ++k) {
    tessera_rt_kernel *kernel = tessera_rt_kernel_at(module, k);
    printf("%s\n", tessera_rt_kernel_name(kernel));
    for (size_t i = 0; i < tessera_rt_num_args(kernel); ++i) {
      tessera_rt_arg_info info = {.struct_size = sizeof(info)};
      if (tessera_rt_arg_at(kernel, i, &info))
        fail("argument", NULL);
      printf("  %s %s align %lld%s\n", info.name, info.access, (long long)info.align,
             info.is_output ? " output" : "");
      for (size_t d = 0; d < info.rank; ++d) {
        tessera_rt_dim_info dim = {.struct_size = sizeof(dim)};
        if (tessera_rt_arg_dim(kernel, i, d, &dim))
          fail("dimension", NULL);
        printf("    %s %lld / %lld, stride %lld / %lld\n", dim.symbol ? dim.symbol : "-",
               (long long)dim.size, (long long)dim.size_divisible, (long long)dim.stride,
               (long long)dim.stride_divisible);
      }
      tessera_rt_dim_info beyond = {.struct_size = sizeof(beyond)};
      if (!tessera_rt_arg_dim(kernel, i, info.rank, &beyond))
        fail("dimension", "beyond the rank");
    }
  }
  const char *contract = tessera_rt_contract(module);
  printf("API %d, contract of %s\n", tessera_rt_api_version(),
         contract[0] == '{' && contract[strlen(contract) - 1] == '}' ? "a text" : "nothing");
}

// A host may be older or newer than the library.
static void otherSizes(tessera_rt_module *module) {
  char *error = NULL;
  tessera_rt_kernel *axpy = tessera_rt_kernel_at(module, 0);
  struct {
    tessera_rt_arg_info info;
    long long later;
  } newer = {{.struct_size = sizeof(newer)}, 5};
  if (tessera_rt_arg_at(axpy, 0, &newer.info) || newer.later != 0 ||
      newer.info.struct_size != sizeof(newer) || strcmp(newer.info.name, "x"))
    fail("a newer host", "gets something else");
  tessera_rt_arg_info info = {.struct_size = sizeof(info) - 1};
  tessera_rt_dim_info dim = {.struct_size = 0};
  tessera_rt_launch_info launch = {.struct_size = 8};
  if (!tessera_rt_arg_at(axpy, 0, &info) || info.name || !tessera_rt_arg_dim(axpy, 0, 0, &dim) ||
      !tessera_rt_launch_at(axpy, 0, 0, &launch, &error))
    fail("a size below that of version 1", "was taken");
  printf("error: %s\n", error);
  tessera_rt_free_error(error);
}

// Workspaces from the host's memory.
static int allocations = 0, releases = 0;
static void *allocate(void *user, size_t bytes, int device, void *stream) {
  ++allocations;
  return user == &allocations && device == 0 && !stream
             ? aligned_alloc(256, (bytes + 255) / 256 * 256)
             : NULL;
}
static void release(void *user, void *pointer, size_t bytes, int device, void *stream) {
  ++releases;
  free(pointer);
}

static void useAllocator(const char *path) {
  char *error = NULL;
  tessera_rt_module *module = tessera_rt_load_file(path, &error);
  tessera_rt_allocator functions = {offsetof(tessera_rt_allocator, is_of_graph) - 1,
                                    &allocations, allocate, release, NULL};
  if (tessera_rt_set_allocator(module, &functions, &error) != TESSERA_RT_INVALID)
    fail("a size below that of version 1", "was taken");
  printf("error: %s\n", error);
  tessera_rt_free_error(error);
  // A host of version 1, whose struct had no more fields.
  functions.struct_size = offsetof(tessera_rt_allocator, is_of_graph);
  if (tessera_rt_set_allocator(module, &functions, &error))
    fail("set_allocator", error);
  tessera_rt_kernel *rowsum = tessera_rt_find_kernel(module, "rowsum", &error);
  float a[6] = {1, 2, 3, 4, 5, 6}, s[2];
  int64_t shapeA[2] = {2, 3}, shapeS[1] = {2};
  DLTensor A = {a, {1, 0}, 2, {2, 32, 1}, shapeA, NULL, 0};
  DLTensor S = {s, {1, 0}, 1, {2, 32, 1}, shapeS, NULL, 0};
  tessera_rt_value values[2] = {{.tensor = &A}, {.tensor = &S}};
  if (tessera_rt_prepare_tensors(rowsum, values, 2, NULL, &error) || allocations)
    fail("prepare", error);
  for (int i = 0; i < 3; ++i)
    if (tessera_rt_launch_tensors(rowsum, values, 2, NULL, &error))
      fail("launch with an allocator", error);
  printf("S = %g %g, %d allocations, %d releases\n", s[0], s[1], allocations, releases);
  if (tessera_rt_set_allocator(module, &functions, &error) != TESSERA_RT_INVALID)
    fail("an allocator after a launch", "was taken");
  printf("error: %s\n", error);
  tessera_rt_free_error(error);
  tessera_rt_unload(module);
}

// NULL is an error or nothing, whatever it stands for.
static size_t errors = 0;

static void expectError(int failed, const char *call, char **error) {
  if (!failed || !*error)
    fail(call, "is no error");
  puts(*error);
  tessera_rt_free_error(*error);
  *error = NULL;
  ++errors;
}
#define EXPECT_ERROR(call) expectError(call, #call, &error)

static void passNull(tessera_rt_module *module) {
  tessera_rt_kernel *axpy = tessera_rt_kernel_at(module, 0);
  tessera_rt_arg_info info = {.struct_size = sizeof(info)};
  tessera_rt_dim_info dim = {.struct_size = sizeof(dim)};
  tessera_rt_launch_info launch = {.struct_size = sizeof(launch)};
  char *error = NULL;
  EXPECT_ERROR(!tessera_rt_load_file(NULL, &error));
  EXPECT_ERROR(!tessera_rt_load_bytes(NULL, 8, &error));
  EXPECT_ERROR(!tessera_rt_find_kernel(NULL, "axpy", &error));
  EXPECT_ERROR(tessera_rt_prepare(NULL, &error));
  EXPECT_ERROR(!tessera_rt_alloc(NULL, 8, &error));
  EXPECT_ERROR(tessera_rt_copy_in(NULL, &info, &info, 8, &error));
  EXPECT_ERROR(tessera_rt_copy_in(module, NULL, &info, 8, &error));
  EXPECT_ERROR(tessera_rt_copy_out(module, &info, NULL, 8, &error));
  EXPECT_ERROR(tessera_rt_synchronize(NULL, NULL, &error));
  EXPECT_ERROR(tessera_rt_synchronize_on(NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_order(NULL, 0, NULL, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch_at(NULL, 0, 0, &launch, &error));
  EXPECT_ERROR(tessera_rt_launch_at(axpy, 0, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_force_variant(NULL, NULL, &error));
  EXPECT_ERROR(tessera_rt_check(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_check(axpy, NULL, 3, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch(axpy, NULL, 3, NULL, &error));
  tessera_rt_allocator functions = {sizeof(functions), NULL, allocate, NULL, NULL};
  EXPECT_ERROR(tessera_rt_set_allocator(NULL, &functions, &error));
  EXPECT_ERROR(tessera_rt_set_allocator(module, NULL, &error));
  EXPECT_ERROR(tessera_rt_set_allocator(module, &functions, &error));
  EXPECT_ERROR(tessera_rt_prepare_tensors(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_prepare_tensors(axpy, NULL, 3, NULL, &error));
  EXPECT_ERROR(tessera_rt_check_tensors(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_check_tensors(axpy, NULL, 3, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch_tensors(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch_tensors(axpy, NULL, 3, NULL, &error));
  tessera_rt_ranking *ranking = NULL;
  EXPECT_ERROR(tessera_rt_force_member(NULL, NULL, &error));
  EXPECT_ERROR(tessera_rt_rank(NULL, NULL, 0, &ranking, &error));
  EXPECT_ERROR(tessera_rt_rank(axpy, NULL, 3, &ranking, &error));
  EXPECT_ERROR(tessera_rt_rank(axpy, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_rank_tensors(NULL, NULL, 0, &ranking, &error));
  EXPECT_ERROR(tessera_rt_rank_tensors(axpy, NULL, 3, &ranking, &error));
  tessera_rt_set_threads(NULL, 1);
  tessera_rt_set_device(NULL, 0);
  tessera_rt_set_dependent_launch(NULL, 1);
  tessera_rt_set_places(NULL, 1);
  tessera_rt_free(NULL, &info);
  tessera_rt_free(module, NULL);
  tessera_rt_free_error(NULL);
  tessera_rt_free_ranking(NULL);
  tessera_rt_unload(NULL);
  if (*tessera_rt_target(NULL) || *tessera_rt_compiler(NULL) || tessera_rt_num_kernels(NULL) ||
      tessera_rt_kernel_at(NULL, 0) || *tessera_rt_kernel_name(NULL) || tessera_rt_num_args(NULL) ||
      !tessera_rt_arg_at(NULL, 0, &info) || !tessera_rt_arg_at(axpy, 0, NULL) ||
      !tessera_rt_arg_dim(NULL, 0, 0, &dim) || !tessera_rt_arg_dim(axpy, 0, 0, NULL) ||
      *tessera_rt_contract(NULL) || tessera_rt_num_variants(NULL) ||
      tessera_rt_variant_name(NULL, 0) || tessera_rt_num_launches(NULL, 0) ||
      ranking || tessera_rt_num_members(NULL) || tessera_rt_member_name(NULL, 0) ||
      tessera_rt_variant_member(NULL, 0) || tessera_rt_ranking_size(NULL) ||
      !tessera_rt_ranking_at(NULL, 0, &(tessera_rt_ranked){.struct_size = sizeof(tessera_rt_ranked)}))
    fail("NULL", "is something");
  printf("%zu errors\n", errors);
}

int main(int argc, char **argv) {
  char *error = NULL;
  tessera_rt_module *module = tessera_rt_load_file(argv[1], &error);
  if (!module)
    fail("load", error);
  run(module);

  static char bytes[1 << 20];
  FILE *file = fopen(argv[1], "rb");
  size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  module = tessera_rt_load_bytes(bytes, size, &error);
  if (!module)
    fail("load", error);
  passNull(module);
  launchTensors(module);
  describe(module);
  otherSizes(module);
  useAllocator(argv[1]);
  run(module);
  return 0;
}
