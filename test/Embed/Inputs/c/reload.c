// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Loads the library, compiles the kernel of a file, unloads the library, and all that three times:
 * reload LIBRARY FILE. */
#include "tessera-c/Compiler.h"

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  static char text[1 << 16];
  FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);
  for (int i = 0; i < 3; ++i) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      puts(dlerror());
      return 1;
    }
    int (*version)(void) = (int (*)(void))dlsym(library, "tessera_api_version");
    int (*set)(tessera_options *, const char *, const char *) =
        (int (*)(tessera_options *, const char *, const char *))dlsym(library,
                                                                      "tessera_options_set");
    tessera_options *(*create)(void) =
        (tessera_options * (*)(void)) dlsym(library, "tessera_options_create");
    void (*destroyOptions)(tessera_options *) =
        (void (*)(tessera_options *))dlsym(library, "tessera_options_destroy");
    tessera_result *(*compile)(const char *, size_t, const tessera_options *) =
        (tessera_result * (*)(const char *, size_t, const tessera_options *))
            dlsym(library, "tessera_compile");
    int (*ok)(const tessera_result *) =
        (int (*)(const tessera_result *))dlsym(library, "tessera_result_ok");
    size_t (*artifactSize)(const tessera_result *) =
        (size_t (*)(const tessera_result *))dlsym(library, "tessera_result_artifact_size");
    void (*destroy)(tessera_result *) =
        (void (*)(tessera_result *))dlsym(library, "tessera_result_destroy");
    if (version() != TESSERA_API_VERSION) {
      printf("version %d\n", version());
      return 1;
    }
    tessera_options *options = create();
    set(options, "emit", "ptx");
    tessera_result *result = compile(text, size, options);
    printf("%s\n", ok(result) && artifactSize(result) ? "compiled" : "failed");
    destroy(result);
    destroyOptions(options);
    dlclose(library);
  }
  return 0;
}
