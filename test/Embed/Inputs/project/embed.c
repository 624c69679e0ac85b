// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Compiles the kernel of a file with the C interface: embed-c FILE OPTION=VALUE...; without
 * arguments it passes NULL wherever the interface takes a pointer. */
#include "tessera-c/Compiler.h"

#include <stdio.h>
#include <string.h>

/* Whether NULL is an error or nothing, whatever it stands for. */
static int takesNull(void) {
  unsigned line = 7, column = 7;
  tessera_result *result = tessera_compile(NULL, 8, NULL);
  int good = !tessera_result_ok(result) && tessera_result_error_count(result) == 1;
  tessera_result_destroy(result);
  tessera_result_destroy(NULL);
  tessera_options_destroy(NULL);
  good &= tessera_options_set(NULL, "emit", "ptx") && !tessera_result_ok(NULL) &&
          !*(const char *)tessera_result_artifact(NULL) && !tessera_result_artifact_size(NULL) &&
          !*tessera_result_diagnostics(NULL) && !tessera_result_error_count(NULL) &&
          !*tessera_result_error(NULL, 0, &line, &column) && !line && !column &&
          !*tessera_result_error(NULL, 0, NULL, NULL) && !*tessera_result_report(NULL) &&
          !*tessera_result_report_json(NULL) && !*tessera_result_reproducer(NULL);
  puts(good ? "NULL is taken" : "NULL is not taken");
  return !good;
}

int main(int argc, char **argv) {
  if (argc == 1)
    return takesNull();
  static char text[1 << 16];
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof(text), file);
  fclose(file);

  tessera_options *options = tessera_options_create();
  for (int i = 2; i < argc; ++i) {
    char *value = strchr(argv[i], '=');
    if (value)
      *value++ = 0;
    if (!value || tessera_options_set(options, argv[i], value)) {
      fprintf(stderr, "bad option %s\n", argv[i]);
      return 2;
    }
  }
  tessera_result *result = tessera_compile(text, size, options);
  fputs(tessera_result_diagnostics(result), stderr);
  fwrite(tessera_result_artifact(result), 1, tessera_result_artifact_size(result), stdout);
  int status = !tessera_result_ok(result);
  tessera_result_destroy(result);
  tessera_options_destroy(options);
  return status;
}
