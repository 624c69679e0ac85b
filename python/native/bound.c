// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of a kernel's arguments, and outputs whose shapes follow from the inputs.

#include "kernel.h"

#include <stdlib.h>
#include <string.h>

void free_bound(Bound *bound) {
  if (!bound)
    return;
  for (size_t i = 0; bound->args && i < bound->num_args; ++i) {
    free(bound->args[i].dims);
    Py_XDECREF(bound->args[i].torchType);
  }
  free(bound->args);
  Py_XDECREF(bound->artifact);
  free(bound);
}

static tessera_rt_dim_info dim_of(tessera_rt_kernel *kernel, size_t arg, size_t dim) {
  tessera_rt_dim_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  if (runtime.tessera_rt_arg_dim(kernel, arg, dim, &info) != TESSERA_RT_OK)
    info.size = info.stride = -1;
  return info;
}

// The first dimension of an input with that symbol.
static void find_symbol(const Bound *bound, const char *symbol, OutputDim *to) {
  for (size_t i = 0; i < bound->num_args; ++i) {
    const Argument *arg = &bound->args[i];
    if (!arg->is_array || arg->is_output)
      continue;
    for (int d = 0; d < arg->rank; ++d) {
      tessera_rt_dim_info info = dim_of(bound->kernel, i, (size_t)d);
      if (info.symbol && !strcmp(info.symbol, symbol)) {
        to->arg = (int)i;
        to->dim = d;
        return;
      }
    }
  }
}

static bool read_outputs(Bound *bound) {
  for (size_t i = 0; i < bound->num_args; ++i) {
    Argument *arg = &bound->args[i];
    if (!arg->is_output)
      continue;
    arg->dims = calloc((size_t)arg->rank + 1, sizeof(OutputDim));
    if (!arg->dims)
      return false;
    for (int d = 0; d < arg->rank; ++d) {
      tessera_rt_dim_info info = dim_of(bound->kernel, i, (size_t)d);
      OutputDim *dim = &arg->dims[d];
      *dim = (OutputDim){info.size, -1, -1, info.stride, info.symbol};
      if (info.size < 0 && info.symbol)
        find_symbol(bound, info.symbol, dim);
    }
  }
  return true;
}

Bound *bind_kernel(PyObject *object, const char *name) {
  Artifact *artifact = (Artifact *)object;
  char *message = NULL;
  tessera_rt_kernel *kernel = runtime.tessera_rt_find_kernel(artifact->module, name, &message);
  if (!kernel) {
    raise_status(TESSERA_RT_INVALID, message);
    return NULL;
  }
  Bound *bound = calloc(1, sizeof *bound);
  if (!bound) {
    PyErr_NoMemory();
    return NULL;
  }
  Py_INCREF(object);
  bound->artifact = object;
  bound->kernel = kernel;
  bound->num_args = runtime.tessera_rt_num_args(kernel);
  bound->args = calloc(bound->num_args + 1, sizeof(Argument));
  if (!bound->args) {
    PyErr_NoMemory();
    goto failed;
  }
  for (size_t i = 0; i < bound->num_args; ++i) {
    tessera_rt_arg_info info;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    tessera_rt_status status = runtime.tessera_rt_arg_at(kernel, i, &info);
    if (status != TESSERA_RT_OK) {
      raise_status(status, NULL);
      goto failed;
    }
    Argument *arg = &bound->args[i];
    arg->name = info.name;
    arg->element = info.element;
    arg->is_array = info.is_array;
    arg->is_output = info.is_array && info.is_output;
    arg->writes = info.is_array && info.writes;
    arg->rank = (int)info.rank;
    arg->align = info.align;
    if (arg->is_array && !dlpack_type(info.element, &arg->code, &arg->bits)) {
      PyErr_Format(ArtifactError, "argument '%s' has the unknown element type %s", info.name,
                   info.element);
      goto failed;
    }
    bound->num_outputs += arg->is_output;
  }
  if (!read_outputs(bound)) {
    PyErr_NoMemory();
    goto failed;
  }
  return bound;
failed:
  free_bound(bound);
  return NULL;
}

//===--- outputs ----------------------------------------------------------------------------===//

// The shape of an output. A size that nothing says is an error.
static int solve_shape(const Argument *arg, const View *const *views, int64_t *shape) {
  for (int d = 0; d < arg->rank; ++d) {
    const OutputDim *dim = &arg->dims[d];
    if (dim->fixed >= 0) {
      shape[d] = dim->fixed;
    } else if (dim->arg >= 0 && dim->dim < views[dim->arg]->tensor.ndim) {
      shape[d] = views[dim->arg]->tensor.shape[dim->dim];
    } else if (dim->arg >= 0) {
      // The launcher would say so too, but it is not asked before the output is there.
      PyErr_Format(ArgumentError,
                   "the size of dimension %d is '%s', which the inputs do not have; pass out=", d,
                   dim->symbol);
      return -1;
    } else {
      if (dim->symbol)
        PyErr_Format(ArgumentError,
                     "the size of dimension %d is '%s', which no input has; pass out=", d,
                     dim->symbol);
      else
        PyErr_Format(ArgumentError, "the size of dimension %d is not named; pass out=", d);
      return -1;
    }
  }
  // New arrays are row-major.
  int64_t stride = 1;
  for (int d = arg->rank - 1; d >= 0; --d) {
    if (arg->dims[d].stride >= 0 && arg->dims[d].stride != stride && shape[d] > 1) {
      PyErr_Format(ArgumentError,
                   "dimension %d must have the stride %lld, and a new array has %lld; pass out=", d,
                   (long long)arg->dims[d].stride, (long long)stride);
      return -1;
    }
    stride *= shape[d] > 1 ? shape[d] : 1;
  }
  return 0;
}

// Called by the other library's allocator where it fails.
static void allocation_failed(void *context, const char *kind, const char *message) {
  PyGILState_STATE state = PyGILState_Ensure();
  if (!PyErr_Occurred())
    PyErr_Format(OutOfMemoryError, "no memory for an output: %s: %s", kind ? kind : "error",
                 message ? message : "");
  PyGILState_Release(state);
}

static PyObject *allocate_by_exchange(const Argument *arg, const View *model, View *view) {
  const DLExchange *exchange = model->exchange;
  DLTensor *tensor = &view->tensor;
  tensor->data = NULL;
  tensor->device = model->tensor.device;
  tensor->ndim = arg->rank;
  tensor->dtype.code = arg->code;
  tensor->dtype.bits = arg->bits;
  tensor->dtype.lanes = 1;
  tensor->shape = view->shape;
  tensor->strides = NULL;
  tensor->byte_offset = 0;
  DLManagedVersioned *made = NULL;
  if (exchange->allocate(tensor, &made, NULL, allocation_failed) || !made) {
    if (!PyErr_Occurred())
      PyErr_SetString(OutOfMemoryError, "no memory for an output");
    return NULL;
  }
  void *object = NULL;
  if (exchange->to_object(made, &object))
    return NULL;
  if (exchange->view(object, tensor)) {
    Py_DECREF((PyObject *)object);
    return NULL;
  }
  return object;
}

static PyObject *tuple_of(const int64_t *numbers, int count) {
  PyObject *tuple = PyTuple_New(count);
  for (int i = 0; tuple && i < count; ++i)
    if (PyTuple_SetItem(tuple, i, PyLong_FromLongLong(numbers[i]))) {
      Py_DECREF(tuple);
      return NULL;
    }
  return tuple;
}

// A tensor of PyTorch. Its table of functions would make one whose memory is another tensor's: this
// way is faster, and record_stream works on what it gives.
static PyObject *allocate_torch(Argument *arg, bool cuda, PyObject *shape, const int64_t *sizes) {
  static PyObject *makers[2]; // None: this PyTorch has no such function
  PyObject **maker = &makers[cuda];
  if (!*maker) {
    PyObject *function = arrays_function("torch_empty_strided");
    *maker = function ? PyObject_CallFunction(function, "i", cuda) : NULL;
  }
  if (*maker && !arg->torchType) {
    PyObject *function = arrays_function("torch_type");
    arg->torchType = function ? PyObject_CallFunction(function, "s", arg->element) : NULL;
  }
  if (!*maker || !arg->torchType)
    return NULL;
  if (*maker == Py_None) {
    Py_RETURN_NONE;
  }
  int64_t strides[TESSERA_MAX_RANK], stride = 1;
  for (int d = arg->rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= sizes[d] > 1 ? sizes[d] : 1;
  }
  PyObject *tuple = tuple_of(strides, arg->rank);
  PyObject *tensor =
      tuple ? PyObject_CallFunctionObjArgs(*maker, shape, tuple, arg->torchType, NULL) : NULL;
  Py_XDECREF(tuple);
  return tensor;
}

static int view_output(PyObject *array, Stream *stream, View *view) {
  if (!view_array(array, view, stream))
    return 0;
  release_view(view);
  return -1;
}

PyObject *allocate_output(const Bound *bound, size_t index, PyObject *like, const View *model,
                          const View *const *views, Stream *stream, bool isExplicit, View *view) {
  Argument *arg = &bound->args[index];
  if (solve_shape(arg, views, view->shape))
    return NULL;
  view->exchange = model->exchange;
  view->is_torch = view->read_only = view->foreign = view->versioned = false;
  view->keep = NULL;
  view->managed = NULL;
  const bool cuda = is_cuda(&model->tensor, stream);
  // Memory of another stream could be given away while the kernel still writes it.
  Stream current = {NULL, false, stream->managed};
  if (isExplicit && cuda && current_stream(like, model->exchange, &model->tensor, &current))
    return NULL;
  const bool isElsewhere = isExplicit && cuda && current.stream != stream->stream;
  if (!isElsewhere && !model->is_torch && model->exchange && model->exchange->allocate &&
      model->exchange->to_object)
    return allocate_by_exchange(arg, model, view);
  PyObject *shape = tuple_of(view->shape, arg->rank), *array = NULL;
  if (!shape)
    return NULL;
  if (model->is_torch && !isElsewhere) {
    array = allocate_torch(arg, cuda, shape, view->shape);
    // It is on the current device, which need not be that of the inputs.
    if (array && (array == Py_None || view_output(array, stream, view) ||
                  view->tensor.device.id != model->tensor.device.id)) {
      if (array != Py_None)
        release_view(view);
      Py_DECREF(array);
      array = NULL;
    } else if (array) {
      Py_DECREF(shape);
      return array;
    }
  }
  PyObject *function = PyErr_Occurred() ? NULL : arrays_function("empty");
  if (function)
    array = isElsewhere
                ? PyObject_CallFunction(function, "OOsLNi", like, shape, arg->element,
                                        (long long)arg->align, PyLong_FromVoidPtr(stream->stream),
                                        (int)model->tensor.device.id)
                : PyObject_CallFunction(function, "OOsL", like, shape, arg->element,
                                        (long long)arg->align);
  Py_DECREF(shape);
  if (array && view_output(array, stream, view)) {
    Py_DECREF(array);
    return NULL;
  }
  return array;
}
