// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CONTRACT({...JSON...}) defines the global that an artifact describes itself with.

#include <stdint.h>

#define CONTRACT_TEXT(...) #__VA_ARGS__
#define CONTRACT(...)                                                                              \
  const struct {                                                                                   \
    char magic[16];                                                                                \
    uint64_t length;                                                                               \
    char json[sizeof(CONTRACT_TEXT(__VA_ARGS__))];                                                 \
  } __tessera_contract = {                                                                         \
      {'T', 'E', 'S', 'S', 'E', 'R', 'A', '-', 'C', 'T', 'R', '-', '0', '0', '0', '1'},            \
      sizeof(CONTRACT_TEXT(__VA_ARGS__)) - 1,                                                      \
      CONTRACT_TEXT(__VA_ARGS__)};

#define POINTER(type, i) (*(type **)params[i])
#define INT(i) (*(int64_t *)params[i])
#define FLOAT(i) (*(float *)params[i])
