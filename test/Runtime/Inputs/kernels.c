// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A CPU artifact as the compiler would make it, with one kernel for everything that the launcher does.
#include "contract.h"

// clang-format off
CONTRACT({
  "version": 1, "compiler": "by hand", "target": "cpu",
  "kernels": [
    {"name": "axpy",
     "args": [
       {"name": "x", "kind": "memref", "element": "f32", "shape": ["N"], "access": "read"},
       {"name": "y", "kind": "memref", "element": "f32", "shape": ["N"], "access": "readwrite"},
       {"name": "alpha", "kind": "scalar", "type": "f32"}],
     "variants": [
       {"name": "whole",
        "guards": [{"fact": "size_divisible", "arg": 0, "dim": 0, "value": 64},
                   {"fact": "align", "arg": 1, "value": 64}],
        "launches": [{"symbol": "axpy_whole",
                      "grid": [{"op": "divsi", "args": [{"size": [0, 0]}, 64]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2}]}]},
       {"name": "ragged",
        "launches": [{"symbol": "axpy_ragged",
                      "grid": [{"op": "ceildivs", "args": [{"size": [0, 0]}, 64]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "scalar", "arg": 2},
                                 {"kind": "size", "arg": 0, "dim": 0}]}]}]},
    {"name": "transpose",
     "args": [
       {"name": "A", "kind": "memref", "element": "i32", "shape": ["M", "N"],
        "layout": "strided", "strides": [null, null], "offset": null, "access": "read"},
       {"name": "B", "kind": "memref", "element": "i32", "shape": ["N", "M"],
        "layout": "strided", "strides": [null, 1], "access": "write",
        "size_divisible": [2, 1], "stride_divisible": [4, 1], "align": 16}],
     "assumes": [{"cond": {"op": "cmp_sle", "args": [{"size": [0, 0]}, 100]},
                  "message": "at most 100 rows"}],
     "variants": [
       {"name": "only",
        "launches": [{"symbol": "transpose",
                      "grid": [{"size": [0, 0]}, {"size": [0, 1]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "stride", "arg": 0, "dim": 0},
                                 {"kind": "stride", "arg": 0, "dim": 1},
                                 {"kind": "stride", "arg": 1, "dim": 0},
                                 {"kind": "expr", "value": {"size": [0, 1]}}]}]}]},
    {"name": "rowsum",
     "args": [
       {"name": "A", "kind": "memref", "element": "f32", "shape": ["M", "N"], "access": "read"},
       {"name": "S", "kind": "memref", "element": "f32", "shape": ["M"], "access": "write"}],
     "workspaces": [{"element": "f32", "sizes": [{"size": [0, 0]}], "init": 100.0}],
     "variants": [
       {"name": "only",
        "launches": [{"symbol": "rowsum_add",
                      "grid": [{"size": [0, 0]}],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "workspace", "index": 0},
                                 {"kind": "size", "arg": 0, "dim": 1}]},
                     {"symbol": "rowsum_store",
                      "grid": [],
                      "params": [{"kind": "workspace", "index": 0}, {"kind": "pointer", "arg": 1},
                                 {"kind": "size", "arg": 0, "dim": 0}]}]}]},
    {"name": "bad",
     "args": [
       {"name": "y", "kind": "memref", "element": "f32", "shape": [null], "access": "write"},
       {"name": "how", "kind": "scalar", "type": "i32"}],
     "variants": [
       {"name": "only",
        "launches": [{"symbol": "bad", "grid": [],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "size", "arg": 0, "dim": 0},
                                 {"kind": "scalar", "arg": 1}]}]}]},
    {"name": "copy",
     "args": [
       {"name": "x", "kind": "memref", "element": "bf16", "shape": [4], "access": "read"},
       {"name": "y", "kind": "memref", "element": "bf16", "shape": [4], "access": "write"}],
     "variants": [
       {"name": "only",
        "launches": [{"symbol": "copy", "grid": [],
                      "params": [{"kind": "pointer", "arg": 0}, {"kind": "pointer", "arg": 1}]}]}]}
  ]
})
// clang-format on

void axpy_whole(void **params, int64_t block) {
  for (int64_t i = 64 * block; i < 64 * block + 64; ++i)
    POINTER(float, 1)[i] += FLOAT(2) * POINTER(float, 0)[i];
}

void axpy_ragged(void **params, int64_t block) {
  for (int64_t i = 64 * block; i < 64 * block + 64 && i < INT(3); ++i)
    POINTER(float, 1)[i] += FLOAT(2) * POINTER(float, 0)[i];
}

void transpose(void **params, int64_t block) {
  int64_t i = block / INT(5), j = block % INT(5);
  POINTER(int32_t, 1)[j * INT(4) + i] = POINTER(int32_t, 0)[i * INT(2) + j * INT(3)];
}

void rowsum_add(void **params, int64_t block) {
  for (int64_t j = 0; j < INT(2); ++j)
    POINTER(float, 1)[block] += POINTER(float, 0)[block * INT(2) + j];
}

void rowsum_store(void **params, int64_t block) {
  for (int64_t i = 0; i < INT(2); ++i)
    POINTER(float, 1)[i] = POINTER(float, 0)[i];
}

// how = 0: hangs; 1: writes past the end; 2: writes before the start; 3: different results each time.
void bad(void **params, int64_t block) {
  static volatile int forever = 1, count = 0;
  float *y = POINTER(float, 0);
  switch (*(int32_t *)params[2]) {
  case 0:
    while (forever)
      ;
    break;
  case 1:
    y[INT(1)] = 1;
    break;
  case 2:
    y[-1] = 1;
    break;
  case 3:
    y[0] = ++count;
    break;
  }
}

void copy(void **params, int64_t block) {
  for (int i = 0; i < 4; ++i)
    POINTER(uint16_t, 1)[i] = POINTER(uint16_t, 0)[i];
}
