// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===- TestContract.h - A contract that uses everything -------------------===//

#ifndef TESSERA_TEST_UNIT_RUNTIME_TESTCONTRACT_H
#define TESSERA_TEST_UNIT_RUNTIME_TESTCONTRACT_H

inline constexpr const char *gemmJson = R"({
  "version": 1, "compiler": "test", "target": "sm_90a",
  "kernels": [{
    "name": "gemm",
    "args": [
      {"name": "A", "kind": "memref", "element": "bf16", "shape": ["M", "K"], "layout": "identity",
       "access": "read", "align": 16, "size_divisible": [1, 8], "stride_divisible": [8, 1], "alias": ""},
      {"name": "B", "kind": "memref", "element": "bf16", "shape": ["K", "N"], "layout": "strided",
       "strides": [null, 1], "offset": null, "access": "read"},
      {"name": "C", "kind": "memref", "element": "f32", "shape": ["M", "N"], "access": "write"},
      {"name": "alpha", "kind": "scalar", "type": "f32"}
    ],
    "assumes": [{"cond": {"op": "cmp_sle", "args": [{"size": [0, 0]}, 1000000]}, "message": "M is small"}],
    "workspaces": [{"element": "f32", "sizes": [{"size": [0, 0]}, 16], "init": "-inf"}],
    "variants": [
      {"name": "aligned",
       "guards": [
         {"fact": "align", "arg": 0, "value": 16},
         {"fact": "stride_divisible", "arg": 1, "dim": 0, "value": 8},
         {"fact": "size_divisible", "arg": 0, "dim": 1, "value": 8},
         {"fact": "size_max", "arg": 0, "dim": 0, "value": 2147483647},
         {"fact": "size_min", "arg": 0, "dim": 0, "value": 1},
         {"fact": "align", "arg": 1, "value": 16}
       ],
       "launches": [{
         "symbol": "gemm_aligned_0",
         "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 128]},
                  {"op": "ceildivs", "args": [{"size": [1, 1]}, 256]}],
         "block": 256, "shared": 49152, "cluster": 1,
         "params": [
           {"kind": "pointer", "arg": 0}, {"kind": "size", "arg": 0, "dim": 1},
           {"kind": "stride", "arg": 0, "dim": 0}, {"kind": "scalar", "arg": 3},
           {"kind": "workspace", "index": 0},
           {"kind": "expr", "value": {"op": "mul", "args": [{"size": [0, 0]}, 2]}},
           {"kind": "descriptor", "index": 0}, {"kind": "descriptor", "index": 1}
         ],
         "descriptors": [
           {"arg": 0, "element": "bf16", "box": [128, 64], "swizzle": 128, "interleave": 0,
            "dims": [0, 1], "oob": "zero"},
           {"workspace": 0, "element": "f32", "box": [8, 16], "dims": [0, 1], "swizzle": 0, "oob": "nan"}
         ]
       }]},
      {"name": "any",
       "launches": [{"symbol": "gemm_any_0", "grid": [{"size": [0, 0]}], "block": 128,
                     "params": [{"kind": "pointer", "arg": 2}]}]}
    ]
  }]
})";

#endif // TESSERA_TEST_UNIT_RUNTIME_TESTCONTRACT_H
