// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a host gives for a variant of family.c, for the CPU: y = alpha * x + TAG, so that one sees whose code has run.
#include "contract.h"

// clang-format off
CONTRACT({
  "version": 3, "compiler": "by hand", "target": "cpu",
  "kernels": [
    {"name": "scale",
     "args": [
       {"name": "x", "kind": "memref", "element": "f32", "shape": ["N"], "access": "read"},
       {"name": "y", "kind": "memref", "element": "f32", "shape": ["N"], "access": "write"},
       {"name": "alpha", "kind": "scalar", "type": "f32"}],
     "variants": [
       {"name": "alone",
        "launches": [{"symbol": "run", "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 16]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}, {"kind": "size", "arg": 0, "dim": 0}]}]}]}
  ]
})
// clang-format on

void run(void **params, int64_t block) {
  for (int64_t i = 16 * block; i < 16 * block + 16 && i < INT(3); ++i)
    POINTER(float, 1)[i] = FLOAT(2) * POINTER(float, 0)[i] + TAG;
}
