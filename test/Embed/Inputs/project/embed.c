/* Compiles the kernel of a file with the C interface: embed-c FILE OPTION=VALUE... */
#include "tessera-c/Compiler.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
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
