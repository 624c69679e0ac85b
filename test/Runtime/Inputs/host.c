// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host program in C: loads an artifact from a file and from memory, asks, launches, provokes errors.
#include "tessera/Runtime/tessera_runtime.h"

#include <stdio.h>
#include <stdlib.h>

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
    tessera_rt_arg_info info;
    tessera_rt_arg_at(axpy, i, &info);
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
  tessera_rt_arg_info info;
  tessera_rt_launch_info launch;
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
  EXPECT_ERROR(tessera_rt_launch_at(NULL, 0, 0, &launch, &error));
  EXPECT_ERROR(tessera_rt_launch_at(axpy, 0, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_force_variant(NULL, NULL, &error));
  EXPECT_ERROR(tessera_rt_check(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_check(axpy, NULL, 3, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch(NULL, NULL, 0, NULL, &error));
  EXPECT_ERROR(tessera_rt_launch(axpy, NULL, 3, NULL, &error));
  tessera_rt_set_threads(NULL, 1);
  tessera_rt_set_device(NULL, 0);
  tessera_rt_set_dependent_launch(NULL, 1);
  tessera_rt_set_places(NULL, 1);
  tessera_rt_free(NULL, &info);
  tessera_rt_free(module, NULL);
  tessera_rt_free_error(NULL);
  tessera_rt_unload(NULL);
  if (*tessera_rt_target(NULL) || *tessera_rt_compiler(NULL) || tessera_rt_num_kernels(NULL) ||
      tessera_rt_kernel_at(NULL, 0) || *tessera_rt_kernel_name(NULL) || tessera_rt_num_args(NULL) ||
      !tessera_rt_arg_at(NULL, 0, &info) || !tessera_rt_arg_at(axpy, 0, NULL) ||
      tessera_rt_num_variants(NULL) || tessera_rt_variant_name(NULL, 0) ||
      tessera_rt_num_launches(NULL, 0))
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
  run(module);
  return 0;
}
