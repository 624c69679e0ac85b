// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the caller gives a kernel: which object is which argument, where arrays are, and their
// views.

#include "call.h"

PyObject *outName, *streamName;

//===--- places -----------------------------------------------------------------------------===//

static Place place_of(const DLTensor *tensor, Place managed) {
  switch (tensor->device.type) {
  case kDLCPU:
  case kDLCUDAHost:
    return ON_CPU;
  case kDLCUDA:
    return ON_GPU;
  case kDLCUDAManaged:
    return managed == NOWHERE ? ON_GPU : managed;
  default:
    return NOWHERE;
  }
}

Bound *bound_for(Kernel *self, Place place) {
  if (self->bound[place])
    return self->bound[place];
  PyObject *artifact =
      PyObject_CallMethod(self->owner, "_artifact_for", "s", place == ON_GPU ? "cuda" : "cpu");
  if (!artifact)
    return NULL;
  Bound *bound = NULL;
  PyObject *name = PyUnicode_AsUTF8String(self->name);
  if (!PyObject_TypeCheck(artifact, ArtifactType))
    PyErr_SetString(PyExc_TypeError, "_artifact_for must give an Artifact");
  else if (name)
    bound = bind_kernel(artifact, PyBytes_AsString(name));
  Py_XDECREF(name);
  Py_DECREF(artifact);
  // Another thread may have been faster while the compiler ran.
  if (bound && self->bound[place]) {
    free_bound(bound);
    return self->bound[place];
  }
  return self->bound[place] = bound;
}

//===--- arguments --------------------------------------------------------------------------===//

static int no_such_place(const DLTensor *tensor) {
  PyErr_Format(ArgumentError,
               "the array is on a device of DLPack's type %d; CPU and CUDA are known",
               (int)tensor->device.type);
  return -1;
}

Place find_place(PyObject *args, PyObject *kwargs) {
  Py_ssize_t count = PyTuple_Size(args), at = 0;
  Place scalars = NOWHERE;
  PyObject *key, *value;
  for (;;) {
    if (count) {
      value = PyTuple_GetItem(args, PyTuple_Size(args) - count--);
    } else {
      if (!kwargs || !PyDict_Next(kwargs, &at, &key, &value))
        break;
      if (PyTuple_Check(value) && PyTuple_Size(value))
        value = PyTuple_GetItem(value, 0);
      else if (PyList_Check(value) && PyList_Size(value))
        value = PyList_GetItem(value, 0);
      if (PyUnicode_Compare(key, streamName) == 0)
        continue;
    }
    if (!may_be_array(value))
      continue;
    View view;
    Stream stream = {NULL, false, true};
    int failed = view_array(value, &view, &stream);
    Place place = failed ? NOWHERE : place_of(&view.tensor, NOWHERE);
    if (!failed && place == NOWHERE)
      no_such_place(&view.tensor);
    release_view(&view);
    // Numbers of NumPy and the like are arrays without dimensions: better one that has some.
    if (place == NOWHERE || view.tensor.ndim > 0)
      return place;
    if (scalars == NOWHERE)
      scalars = place;
  }
  if (scalars != NOWHERE)
    return scalars;
  PyErr_SetString(ArgumentError, "a kernel needs an array at least, which says where it runs");
  return NOWHERE;
}

static int parse_stream(PyObject *object, Stream *stream) {
  if (object == Py_None)
    return 0;
  PyObject *number = NULL;
  if (PyLong_Check(object)) {
    Py_INCREF(object);
    number = object;
  } else if (PyObject_HasAttrString(object, "__cuda_stream__")) {
    PyObject *pair = PyObject_CallMethod(object, "__cuda_stream__", NULL);
    number = pair ? PySequence_GetItem(pair, 1) : NULL;
    Py_XDECREF(pair);
  } else if (PyObject_HasAttrString(object, "cuda_stream")) {
    number = PyObject_GetAttrString(object, "cuda_stream");
  } else if (PyObject_HasAttrString(object, "ptr")) {
    number = PyObject_GetAttrString(object, "ptr");
  } else {
    PyErr_Format(PyExc_TypeError,
                 "stream= takes a stream of PyTorch or CuPy, or its address, not %R",
                 (PyObject *)Py_TYPE(object));
  }
  if (!number)
    return -1;
  stream->stream = PyLong_AsVoidPtr(number);
  // One is another name of the default stream.
  if (stream->stream == (void *)1)
    stream->stream = NULL;
  stream->known = true;
  Py_DECREF(number);
  return PyErr_Occurred() ? -1 : 0;
}

static int wrong_count(const Call *call, size_t given) {
  const Bound *bound = call->bound;
  if (bound->num_outputs)
    PyErr_Format(ArgumentError,
                 "kernel '%U' takes %zu arguments, or %zu without its outputs; %zu were given",
                 call->kernel->name, bound->num_args, bound->num_args - bound->num_outputs, given);
  else
    PyErr_Format(ArgumentError, "kernel '%U' takes %zu arguments; %zu were given",
                 call->kernel->name, bound->num_args, given);
  return -1;
}

static int take_out(Call *call, PyObject *out) {
  const Bound *bound = call->bound;
  const bool several = PyTuple_Check(out) || PyList_Check(out);
  const size_t given = several ? (size_t)PySequence_Size(out) : 1;
  if (given != bound->num_outputs) {
    PyErr_Format(ArgumentError, "kernel '%U' has %zu outputs, out= has %zu", call->kernel->name,
                 bound->num_outputs, given);
    return -1;
  }
  size_t next = 0;
  for (size_t i = 0; i < bound->num_args; ++i) {
    if (!bound->args[i].is_output)
      continue;
    if (call->slots[i]) {
      PyErr_Format(ArgumentError, "kernel '%U': output '%s' is given twice", call->kernel->name,
                   bound->args[i].name);
      return -1;
    }
    PyObject *array = out;
    if (several)
      array = PyTuple_Check(out) ? PyTuple_GetItem(out, (Py_ssize_t)next)
                                 : PyList_GetItem(out, (Py_ssize_t)next);
    ++next;
    call->slots[i] = array;
  }
  return 0;
}

static int take_named(Call *call, PyObject *kwargs, PyObject **out) {
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(kwargs, &at, &key, &value)) {
    if (PyUnicode_Compare(key, outName) == 0) {
      *out = value == Py_None ? NULL : value;
      continue;
    }
    if (PyUnicode_Compare(key, streamName) == 0) {
      if (parse_stream(value, &call->stream))
        return -1;
      call->isExplicit = call->stream.known;
      continue;
    }
    size_t i = 0;
    while (i < call->count && PyUnicode_CompareWithASCIIString(key, call->bound->args[i].name) != 0)
      ++i;
    if (i == call->count) {
      PyErr_Format(PyExc_TypeError, "kernel '%U' has no argument '%U'", call->kernel->name, key);
      return -1;
    }
    call->slots[i] = value;
  }
  return 0;
}

int take_arguments(Call *call, PyObject *args, PyObject *kwargs) {
  const Bound *bound = call->bound;
  PyObject *out = NULL;
  if (kwargs && take_named(call, kwargs, &out))
    return -1;
  size_t named = 0, namedOutputs = 0;
  if (kwargs)
    for (size_t i = 0; i < call->count; ++i)
      if (call->slots[i]) {
        ++named;
        namedOutputs += bound->args[i].is_output;
      }
  const size_t given = (size_t)PyTuple_Size(args);
  const bool all = given + named == bound->num_args;
  if (!all && given + named - namedOutputs != bound->num_args - bound->num_outputs)
    return wrong_count(call, given + named);
  // Positions are those of all arguments, or those of the inputs.
  const bool outputsToo = all && namedOutputs < bound->num_outputs;
  Py_ssize_t next = 0;
  for (size_t i = 0; i < call->count && (size_t)next < given; ++i) {
    if (bound->args[i].is_output && !outputsToo)
      continue;
    if (call->slots[i]) {
      PyErr_Format(PyExc_TypeError, "kernel '%U' got multiple values for argument '%s'",
                   call->kernel->name, bound->args[i].name);
      return -1;
    }
    call->slots[i] = PyTuple_GetItem(args, next++);
  }
  return out ? take_out(call, out) : 0;
}

//===--- views ------------------------------------------------------------------------------===//

static int check_place(Call *call, size_t i) {
  const DLTensor *tensor = &call->views[i].tensor;
  Place place = place_of(tensor, call->place);
  if (place == NOWHERE)
    return no_such_place(tensor);
  if (place == call->place) {
    if (call->first == SIZE_MAX)
      call->first = i;
    return 0;
  }
  if (call->first != SIZE_MAX) {
    PyErr_Format(ArgumentError, "the array is on %s, and argument '%s' is not",
                 place == ON_GPU ? "a GPU" : "the CPU", call->bound->args[call->first].name);
    return -1;
  }
  // The first array decides, and the kernel has been used in the other place before.
  const size_t count = call->count;
  call->bound = bound_for(call->kernel, place);
  if (!call->bound)
    return -1;
  if (call->bound->num_args != count) {
    PyErr_SetString(ArtifactError, "the kernel has other arguments in another artifact");
    call->bound = NULL;
    return -1;
  }
  call->place = place;
  call->stream.managed = place == ON_GPU;
  call->first = i;
  return 0;
}

// Whether the library of array `i` may work on another stream than that of the first array.
static bool is_of_another_library(const Call *call, size_t i) {
  const View *view = &call->views[i], *first = &call->views[call->first];
  if (view->foreign || !is_cuda(&view->tensor, &call->stream) ||
      view->tensor.device.id != first->tensor.device.id)
    return false;
  return view->exchange || first->exchange ? view->exchange != first->exchange
                                           : Py_TYPE(call->slots[i]) !=
                                                 Py_TYPE(call->slots[call->first]);
}

// Notes the stream on which that library works, if it is not that of the call.
static int note_other_stream(Call *call, size_t i) {
  Stream other = {NULL, false, true};
  const View *view = &call->views[i];
  if (current_stream(call->slots[i], view->exchange, &view->tensor, &other))
    return -1;
  if (other.stream == call->stream.stream)
    return 0;
  for (size_t k = 0; k < call->numOthers; ++k)
    if (call->others[k] == other.stream)
      return 0;
  call->others[call->numOthers++] = other.stream;
  return 0;
}

static int view_argument(Call *call, size_t i) {
  const Argument *arg = &call->bound->args[i];
  View *view = &call->views[i];
  if (!arg->is_array)
    return scalar_bits(call->slots[i], arg->element, &call->values[i].bits);
  call->viewed[i] = true;
  if (view_array(call->slots[i], view, &call->stream) || check_place(call, i))
    return -1;
  // The stream of the call is that on which the library of the first array works. A stream that the
  // caller gives has the order that the caller wants.
  if (call->place == ON_GPU && call->first != SIZE_MAX &&
      (call->first == i
           ? current_stream(call->slots[i], view->exchange, &view->tensor, &call->stream)
       : !call->isExplicit && is_of_another_library(call, i) ? note_other_stream(call, i)
                                                             : 0))
    return -1;
  if (view->read_only && arg->writes) {
    PyErr_SetString(ArgumentError, "the kernel writes it, and the array is read-only");
    return -1;
  }
  call->values[i].tensor = &view->tensor;
  call->byArg[i] = view;
  return 0;
}

static int make_output(Call *call, size_t i) {
  if (call->first == SIZE_MAX) {
    PyErr_SetString(ArgumentError, "no input says where it belongs; pass out=");
    return -1;
  }
  View *view = &call->views[i];
  call->slots[i] = allocate_output(call->bound, i, call->slots[call->first],
                                   &call->views[call->first], call->byArg, &call->stream,
                                   call->isExplicit, view);
  if (!call->slots[i])
    return -1;
  call->viewed[i] = call->owned[i] = true;
  call->values[i].tensor = &view->tensor;
  call->byArg[i] = view;
  return 0;
}

int view_arguments(Call *call) {
  for (size_t i = 0; i < call->count; ++i)
    if (call->slots[i] && view_argument(call, i)) {
      // What the compiler says of the program is no matter of an argument.
      if (call->bound)
        raise_about_argument(call->kernel->name, call->bound->args[i].name, true);
      return -1;
    }
  for (size_t i = 0; i < call->count; ++i)
    if (!call->slots[i] && make_output(call, i)) {
      raise_about_argument(call->kernel->name, call->bound->args[i].name, false);
      return -1;
    }
  return 0;
}
