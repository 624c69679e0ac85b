// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call of a kernel needs to know of it, for one target.
#ifndef TESSERA_PYTHON_KERNEL_H
#define TESSERA_PYTHON_KERNEL_H

#include "native.h"

// How the size of a dimension of an output is found: a number, or that of an input.
typedef struct {
  int64_t fixed;  // -1: none
  int arg, dim;   // arg -1: none
  int64_t stride; // what the contract demands of its stride; -1: nothing
  const char *symbol;
} OutputDim;

typedef struct {
  const char *name, *element; // of the artifact, which lives as long
  bool is_array, is_output, writes;
  int rank;
  int64_t align;
  uint8_t code, bits;  // DLPack's type of an array
  OutputDim *dims;     // of an output
  PyObject *torchType; // of an output that PyTorch has made; owned
} Argument;

// A kernel of an artifact.
typedef struct {
  PyObject *artifact; // owned
  tessera_rt_kernel *kernel;
  size_t num_args, num_outputs;
  Argument *args;
} Bound;

// Returns NULL with an exception.
Bound *bind_kernel(PyObject *artifact, const char *name);
void free_bound(Bound *bound);

// Allocates output `index` in the library of `like`, an array with the view `model`: gives a new
// reference and fills `view`. `views` are those of all arguments. The memory is that of `stream`,
// which is the library's current one unless `isExplicit`. NULL with an exception, which says to
// pass out= if the shape does not follow from the inputs.
PyObject *allocate_output(const Bound *bound, size_t index, PyObject *like, const View *model,
                          const View *const *views, Stream *stream, bool isExplicit, View *view);

#endif
