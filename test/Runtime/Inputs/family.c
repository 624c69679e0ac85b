// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A family of kernels for the CPU: y = alpha * x in blocks of 64, 16 and 4 elements.
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
       {"name": "B=64/whole", "member": "B=64",
        "cost": {"op": "mul", "args": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 64]}, 1500]},
        "guards": [{"fact": "size_divisible", "arg": 0, "dim": 0, "value": 64}],
        "launches": [{"symbol": "scale64", "grid": [{"op": "divsi", "args": [{"size": [0, 0]}, 64]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}, {"kind": "size", "arg": 0, "dim": 0}]}]},
       {"name": "B=64/any", "member": "B=64",
        "cost": {"op": "mul", "args": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 64]}, 4000]},
        "launches": [{"symbol": "scale64", "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 64]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}, {"kind": "size", "arg": 0, "dim": 0}]}]},
       {"name": "B=16/any", "member": "B=16",
        "cost": {"op": "mul", "args": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 16]}, 500]},
        "launches": [{"symbol": "scale16", "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 16]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}, {"kind": "size", "arg": 0, "dim": 0}]}]},
       {"name": "B=4/small", "member": "B=4",
        "guards": [{"fact": "size_max", "arg": 0, "dim": 0, "value": 8}],
        "launches": [{"symbol": "scale4", "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 4]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}, {"kind": "size", "arg": 0, "dim": 0}]}]}]}
  ]
})
// clang-format on

static void scale(void **params, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count && i < INT(3); ++i)
    POINTER(float, 1)[i] = FLOAT(2) * POINTER(float, 0)[i];
}
void scale64(void **params, int64_t block) { scale(params, 64 * block, 64); }
void scale16(void **params, int64_t block) { scale(params, 16 * block, 16); }
void scale4(void **params, int64_t block) { scale(params, 4 * block, 4); }
