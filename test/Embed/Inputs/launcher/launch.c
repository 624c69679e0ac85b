/* Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads an artifact, or says why it cannot. */
#include "tessera/Runtime/tessera_runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  char *error = NULL;
  tessera_rt_module *module = tessera_rt_load_file(argc > 1 ? argv[1] : "/nonexistent", &error);
  printf("version %s: %s\n", tessera_rt_version(), module ? "loaded" : error);
  tessera_rt_free_error(error);
  tessera_rt_unload(module);
  return !module;
}
