// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One call of a kernel: who is called, and its arguments on the way to the launcher.
#ifndef TESSERA_PYTHON_CALL_H
#define TESSERA_PYTHON_CALL_H

#include "kernel.h"

typedef enum { ON_CPU, ON_GPU, NUM_PLACES, NOWHERE = -1 } Place;
typedef enum { LAUNCH, CHECK, PREPARE, RANK } Mode;

typedef struct {
  PyObject_HEAD PyObject *owner; // has _artifact_for(place), place "cpu" or "cuda"
  PyObject *name;
  Bound *bound[NUM_PLACES];
  Place last;
} Kernel;

typedef struct {
  Kernel *kernel;
  Bound *bound;
  Place place;
  size_t count;
  PyObject **slots; // one for each argument; NULL: not given
  bool *owned;      // outputs that this call made
  View *views;      // of the arrays
  bool *viewed;
  const View **byArg;
  tessera_rt_value *values;
  size_t first; // the first array; SIZE_MAX: none yet
  Stream stream;
  bool isExplicit; // the caller gave a stream
  // Streams on which the libraries of other arrays than the first work now.
  void **others;
  size_t numOthers;
  void *heap;
} Call;

extern PyObject *outName, *streamName; // the interned names of keywords

// Functions that fail return NULL, -1 or NOWHERE, with an exception.

// The kernel of the artifact for that place, which is compiled now if it is not there yet.
Bound *bound_for(Kernel *self, Place place);
// Where the first array among the arguments is.
Place find_place(PyObject *args, PyObject *kwargs);
// Deals the objects out to the arguments: all, or all but the outputs.
int take_arguments(Call *call, PyObject *args, PyObject *kwargs);
// Fills `values` from the objects, and makes the outputs that are not given.
int view_arguments(Call *call);

#endif
