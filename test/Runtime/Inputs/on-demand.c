/* Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * on-demand FAMILY.so OTHER.so CODE BEHAVIOUR: launches the kernel of family.c by its contract alone, with a code source that behaves
 * in one of several ways, and prints what it is asked for and what comes of it. CODE64.so, CODE16.so and CODE4.so are the code of the
 * members (on-demand-code.c), OTHER.so another program. */
#include "tessera/Runtime/tessera_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *bytes;
  size_t size;
} File;

static File read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  File result = {NULL, 0};
  if (!file)
    exit(2);
  fseek(file, 0, SEEK_END);
  result.size = (size_t)ftell(file);
  rewind(file);
  result.bytes = malloc(result.size);
  if (fread(result.bytes, 1, result.size, file) != result.size)
    exit(2);
  fclose(file);
  return result;
}

typedef struct {
  const char *family, *other, *code, *behaviour;
  int asked;
  tessera_rt_kernel *kernel;
} Source;

static void launch(tessera_rt_kernel *kernel, int64_t n);

static tessera_rt_code_status compile(void *user, const tessera_rt_wanted *wanted, tessera_rt_code *code) {
  Source *source = user;
  const char *how = source->behaviour;
  printf("compile %s, %s, %s\n", wanted->kernel, wanted->member ? wanted->member : "no member", wanted->variant);
  ++source->asked;
  if (!strcmp(how, "stops") && source->asked == 1) {
    tessera_rt_code_explain(code, "somebody pressed Ctrl-C");
    return TESSERA_RT_CODE_STOPPED;
  }
  if (!strcmp(how, "none") || (!strcmp(how, "not-64") && !strcmp(wanted->member, "B=64"))) {
    tessera_rt_code_explain(code, "it spills");
    return TESSERA_RT_CODE_NONE;
  }
  if (!strcmp(how, "empty"))
    return TESSERA_RT_CODE_READY;
  if (!strcmp(how, "reenters"))
    launch(source->kernel, 128);
  char path[512];
  snprintf(path, sizeof path, "%s%s.so", source->code, wanted->member + 2);
  const char *which = !strcmp(how, "foreign") ? source->other : !strcmp(how, "several") ? source->family : path;
  File file = read_file(which);
  tessera_rt_code_set(code, file.bytes, !strcmp(how, "damaged") ? 100 : file.size);
  free(file.bytes);
  return TESSERA_RT_CODE_READY;
}

static void release(void *user) { printf("released after %d\n", ((Source *)user)->asked); }

static void launch(tessera_rt_kernel *kernel, int64_t n) {
  float x[256], y[256];
  for (int i = 0; i < n; ++i) {
    x[i] = (float)i;
    y[i] = -1;
  }
  float two = 2;
  tessera_rt_arg args[3] = {{x, &n, NULL, 0}, {y, &n, NULL, 0}, {NULL, NULL, NULL, 0}};
  memcpy(&args[2].bits, &two, sizeof two);
  char *error = NULL;
  tessera_rt_status status = tessera_rt_launch(kernel, args, 3, NULL, &error);
  /* Which member has run. */
  const int tag = (int)y[0];
  int right = status == TESSERA_RT_OK;
  for (int i = 0; right && i < n; ++i)
    right = y[i] == 2 * x[i] + (float)tag;
  if (error)
    printf("launch of %d: status %d, %s\n", (int)n, (int)status, error);
  else
    printf("launch of %d: %s, by %d\n", (int)n, right ? "right" : "WRONG", tag);
  tessera_rt_free_error(error);
  tessera_rt_ranking *ranking = NULL;
  if (tessera_rt_rank(kernel, args, 3, &ranking, NULL) != TESSERA_RT_OK)
    return;
  for (size_t i = 0; i < tessera_rt_ranking_size(ranking); ++i) {
    tessera_rt_ranked ranked = {.struct_size = sizeof ranked};
    tessera_rt_ranking_at(ranking, i, &ranked);
    printf("  %s %s%s\n", ranked.member, ranked.variant_name ? ranked.variant_name : ranked.reason, ranked.is_chosen ? ", taken" : "");
  }
  tessera_rt_free_ranking(ranking);
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  Source source = {argv[1], argv[2], argv[3], argv[4], 0, NULL};
  tessera_rt_module *whole = tessera_rt_load_file(source.family, NULL);
  const char *contract = tessera_rt_contract(whole);
  tessera_rt_code_source functions = {sizeof functions, &source, compile, release};
  char *error = NULL;
  /* What is wrong with the call. */
  functions.struct_size = 8;
  if (!tessera_rt_load_on_demand(contract, strlen(contract), &functions, &error))
    printf("error: %s\n", error);
  tessera_rt_free_error(error);
  functions.struct_size = sizeof functions;
  error = NULL;
  if (!tessera_rt_load_on_demand("{}", 2, &functions, &error))
    printf("error: %s\n", error);
  tessera_rt_free_error(error);

  tessera_rt_module *module = tessera_rt_load_on_demand(contract, strlen(contract), &functions, &error);
  if (!module)
    return 1;
  tessera_rt_set_threads(module, 1);
  tessera_rt_kernel *kernel = tessera_rt_find_kernel(module, NULL, NULL);
  source.kernel = kernel;
  launch(kernel, 128);
  launch(kernel, 64);
  launch(kernel, 100);
  tessera_rt_force_member(kernel, "B=4", NULL);
  launch(kernel, 5);
  tessera_rt_force_variant(kernel, "B=64/any", NULL);
  launch(kernel, 3);
  tessera_rt_launch_info info = {.struct_size = sizeof info};
  error = NULL;
  tessera_rt_status status = tessera_rt_launch_at(kernel, 0, 0, &info, &error);
  printf("info: status %d, %s\n", (int)status, error ? error : info.symbol);
  tessera_rt_free_error(error);
  tessera_rt_unload(module);
  tessera_rt_unload(whole);
  return 0;
}
