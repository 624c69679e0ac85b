// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays of other libraries as DLPack tensors, for the time of one call. There are three ways, and
// the type of an array decides: DLPack's table of C functions (PyTorch from 2.10 on), which costs
// no Python object; NumPy's array interface, which also knows arrays that are read-only or of
// ml_dtypes; and `__dlpack__`, which everybody has.

#include "native.h"

#include <string.h>

//===--- the ways, by type ------------------------------------------------------------------===//

typedef enum { WAY_NONE, WAY_EXCHANGE, WAY_STRUCT, WAY_DLPACK } Way;

typedef struct {
  PyTypeObject *type; // owned
  const DLExchange *exchange;
  Way way;
  bool is_torch;
} Known;

// The types seen last. A program has two or three.
enum { KNOWN = 8 };
static Known known[KNOWN];
static unsigned nextKnown;

// Whether a type has an attribute; it goes to `value` unless that is NULL.
static bool type_has(PyTypeObject *type, const char *name, PyObject **value) {
  PyObject *found = PyObject_GetAttrString((PyObject *)type, name);
  if (!found) {
    PyErr_Clear();
    return false;
  }
  if (value)
    *value = found;
  else
    Py_DECREF(found);
  return true;
}

static const DLExchange *exchange_of(PyTypeObject *type) {
  PyObject *capsule;
  if (!type_has(type, "__dlpack_c_exchange_api__", &capsule))
    return NULL;
  const DLExchange *exchange = NULL;
  if (PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
    exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  Py_DECREF(capsule);
  while (exchange && exchange->version.major != 1)
    exchange = exchange->older;
  return exchange && exchange->view && exchange->current_stream ? exchange : NULL;
}

static const Known *known_type(PyTypeObject *type) {
  for (unsigned i = 0; i < KNOWN; ++i)
    if (known[i].type == type)
      return &known[i];
  Known fresh = {type, exchange_of(type), WAY_NONE,
                 type_has(type, "is_neg", NULL) && type_has(type, "new_empty", NULL)};
  if (fresh.exchange)
    fresh.way = WAY_EXCHANGE;
  else if (type_has(type, "__array_struct__", NULL))
    fresh.way = WAY_STRUCT;
  else if (type_has(type, "__dlpack__", NULL))
    fresh.way = WAY_DLPACK;
  Known *place = &known[nextKnown];
  nextKnown = (nextKnown + 1) % KNOWN;
  PyTypeObject *before = place->type;
  Py_INCREF(type);
  *place = fresh;
  Py_XDECREF(before);
  return place;
}

bool may_be_array(PyObject *object) {
  if (PyFloat_Check(object) || PyLong_Check(object))
    return false;
  // A number of NumPy is an array of rank 0 by its interface. It is taken as a number.
  return known_type(Py_TYPE(object))->way != WAY_NONE;
}

bool is_cuda(const DLTensor *tensor, const Stream *stream) {
  return tensor->device.type == kDLCUDA ||
         (tensor->device.type == kDLCUDAManaged && stream->managed);
}

//===--- helpers of Python ------------------------------------------------------------------===//

PyObject *arrays_function(const char *name) {
  static PyObject *module;
  if (!module && !(module = PyImport_ImportModule("tessera._arrays")))
    return NULL;
  PyObject *function = PyObject_GetAttrString(module, name);
  // The module keeps it.
  Py_XDECREF(function);
  return function;
}

int current_stream(PyObject *array, const DLExchange *exchange, const DLTensor *tensor,
                   Stream *stream) {
  if (stream->known || !is_cuda(tensor, stream))
    return 0;
  if (exchange) {
    if (exchange->current_stream(kDLCUDA, tensor->device.id, &stream->stream))
      return -1;
  } else {
    PyObject *function = arrays_function("current_stream");
    PyObject *number =
        function ? PyObject_CallFunction(function, "Oi", array, (int)tensor->device.id) : NULL;
    if (!number)
      return -1;
    stream->stream = PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    if (PyErr_Occurred())
      return -1;
  }
  // One is another name of the default stream.
  if (stream->stream == (void *)1)
    stream->stream = NULL;
  stream->known = true;
  return 0;
}

//===--- NumPy's array interface ------------------------------------------------------------===//

typedef struct {
  int two, rank;
  char kind;
  int size, flags;
  Py_ssize_t *shape, *strides; // strides in bytes
  void *data;
  PyObject *description;
} ArrayInterface;
enum { NATIVE_ORDER = 0x200, WRITEABLE = 0x400 };

// Types that the interface does not know have a name in NumPy: those of ml_dtypes.
static bool named_type(PyObject *array, View *view) {
  static const struct {
    const char *name;
    uint8_t code, bits;
  } types[] = {{"bfloat16", kDLBfloat, 16},
               {"float8_e4m3fn", kDLFloat8_e4m3fn, 8},
               {"float8_e5m2", kDLFloat8_e5m2, 8}};
  PyObject *type = PyObject_GetAttrString(array, "dtype");
  PyObject *name = type ? PyObject_GetAttrString(type, "name") : NULL;
  PyObject *bytes = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
  bool found = false;
  for (unsigned i = 0; bytes && !found && i < sizeof types / sizeof *types; ++i)
    if (!strcmp(PyBytes_AsString(bytes), types[i].name)) {
      view->tensor.dtype.code = types[i].code;
      view->tensor.dtype.bits = types[i].bits;
      found = true;
    }
  Py_XDECREF(bytes);
  Py_XDECREF(name);
  Py_XDECREF(type);
  PyErr_Clear();
  return found;
}

static int unusable_type(PyObject *array) {
  PyObject *type = PyObject_GetAttrString(array, "dtype");
  if (type) {
    PyErr_Format(ArgumentError, "arrays of dtype %S cannot be passed", type);
    Py_DECREF(type);
  }
  return -1;
}

static int view_struct(PyObject *array, View *view) {
  view->keep = PyObject_GetAttrString(array, "__array_struct__");
  if (!view->keep)
    return -1;
  ArrayInterface *interface = PyCapsule_GetPointer(view->keep, NULL);
  if (!interface)
    return -1;
  if (interface->two != 2 || interface->rank > TESSERA_MAX_RANK) {
    PyErr_SetString(ArgumentError, "the array has too many dimensions");
    return -1;
  }
  DLTensor *tensor = &view->tensor;
  tensor->dtype.lanes = 1;
  tensor->dtype.bits = (uint8_t)(8 * interface->size);
  switch (interface->kind) {
  case 'f':
    tensor->dtype.code = kDLFloat;
    break;
  case 'i':
    tensor->dtype.code = kDLInt;
    break;
  case 'u':
    tensor->dtype.code = kDLUInt;
    break;
  case 'b':
    tensor->dtype.code = kDLBool;
    break;
  default:
    if (!named_type(array, view))
      return unusable_type(array);
  }
  if (!(interface->flags & NATIVE_ORDER) && interface->size > 1) {
    PyErr_SetString(ArgumentError, "the array has another byte order than this machine");
    return -1;
  }
  view->read_only = !(interface->flags & WRITEABLE);
  tensor->data = interface->data;
  tensor->device.type = kDLCPU;
  tensor->device.id = 0;
  tensor->ndim = interface->rank;
  for (int i = 0; i < interface->rank; ++i) {
    view->shape[i] = interface->shape[i];
    view->strides[i] = interface->strides[i] / interface->size;
    if (interface->strides[i] % interface->size && interface->shape[i] > 1) {
      PyErr_Format(ArgumentError,
                   "stride %zd of dimension %d is no multiple of the %d bytes of an element",
                   interface->strides[i], i, interface->size);
      return -1;
    }
  }
  tensor->shape = view->shape;
  tensor->strides = view->strides;
  return 0;
}

//===--- __dlpack__ -------------------------------------------------------------------------===//

// Calls array.__dlpack__ with what it understands: the newest version has max_version.
static PyObject *dlpack_capsule(PyObject *array, bool cuda, const Stream *stream) {
  PyObject *method = PyObject_GetAttrString(array, "__dlpack__");
  PyObject *empty = PyTuple_New(0), *options = PyDict_New(), *capsule = NULL;
  PyObject *version = Py_BuildValue("(ii)", 1, 3);
  // Zero is ambiguous for DLPack; one is CUDA's default stream.
  PyObject *number = cuda ? PyLong_FromVoidPtr(stream->stream ? stream->stream : (void *)1) : NULL;
  if (!method || !empty || !options || !version || (cuda && !number) ||
      PyDict_SetItemString(options, "max_version", version) ||
      (cuda && PyDict_SetItemString(options, "stream", number)))
    goto done;
  capsule = PyObject_Call(method, empty, options);
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    if (!PyDict_DelItemString(options, "max_version"))
      capsule = PyObject_Call(method, empty, options);
  }
done:
  Py_XDECREF(method);
  Py_XDECREF(empty);
  Py_XDECREF(options);
  Py_XDECREF(version);
  Py_XDECREF(number);
  return capsule;
}

static int view_dlpack(PyObject *array, View *view, Stream *stream) {
  int type = kDLCPU, id = 0;
  PyObject *device = PyObject_CallMethod(array, "__dlpack_device__", NULL);
  // The type may be an enumeration.
  if (!device || !PyArg_ParseTuple(device, "ii", &type, &id)) {
    Py_XDECREF(device);
    return -1;
  }
  Py_DECREF(device);
  view->tensor.device.type = type;
  view->tensor.device.id = id;
  const bool cuda = is_cuda(&view->tensor, stream);
  if (current_stream(array, NULL, &view->tensor, stream))
    return -1;
  PyObject *capsule = dlpack_capsule(array, cuda, stream);
  if (!capsule)
    return -1;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    DLManagedVersioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    view->managed = managed;
    view->versioned = true;
    if (managed->version.major != 1) {
      Py_DECREF(capsule);
      PyErr_SetString(ArgumentError, "the array speaks a version of DLPack that is not known here");
      return -1;
    }
    view->tensor = managed->tensor;
    view->read_only = managed->flags & DLPACK_READ_ONLY;
  } else if (PyCapsule_IsValid(capsule, "dltensor")) {
    DLManaged *managed = PyCapsule_GetPointer(capsule, "dltensor");
    PyCapsule_SetName(capsule, "used_dltensor");
    view->managed = managed;
    view->tensor = managed->tensor;
  } else {
    PyErr_SetString(ArgumentError, "__dlpack__ gave no DLPack tensor");
  }
  Py_DECREF(capsule);
  if (cuda && view->managed) {
    PyObject *function = arrays_function("is_stream_ordered");
    PyObject *answer = function ? PyObject_CallFunction(function, "O", array) : NULL;
    view->foreign = answer && !PyObject_IsTrue(answer);
    Py_XDECREF(answer);
  }
  return PyErr_Occurred() ? -1 : 0;
}

//===--- views ------------------------------------------------------------------------------===//

// PyTorch's lazy negation is in no DLPack tensor: the memory has the other sign. It comes from the
// imaginary part of a conjugate, whose elements are every other number, so that most tensors need
// not be asked.
static int check_negation(PyObject *array, const DLTensor *tensor) {
  for (int i = 0; i < tensor->ndim; ++i)
    if (tensor->shape[i] > 1 && (tensor->strides[i] & 1))
      return 0;
  static PyObject *name;
  if (!name && !(name = PyUnicode_InternFromString("is_neg")))
    return -1;
  PyObject *answer = PyObject_CallMethodObjArgs(array, name, NULL);
  if (!answer)
    return -1;
  const bool negative = answer == Py_True;
  Py_DECREF(answer);
  if (negative)
    PyErr_SetString(ArgumentError, "the tensor is a lazy negation; call resolve_neg() on it");
  return negative ? -1 : 0;
}

int view_array(PyObject *array, View *view, Stream *stream) {
  view->exchange = NULL;
  view->is_torch = view->read_only = view->foreign = view->versioned = false;
  view->keep = NULL;
  view->managed = NULL;
  view->tensor.byte_offset = 0;
  const Known *type = known_type(Py_TYPE(array));
  switch (type->way) {
  case WAY_EXCHANGE: {
    view->exchange = type->exchange;
    // The table of known types may change while other code runs.
    const bool isTorch = view->is_torch = type->is_torch;
    if (view->exchange->view(array, &view->tensor))
      return -1;
    return isTorch ? check_negation(array, &view->tensor) : 0;
  }
  case WAY_STRUCT:
    return view_struct(array, view);
  case WAY_DLPACK:
    return view_dlpack(array, view, stream);
  case WAY_NONE:
    break;
  }
  PyErr_Format(ArgumentError,
               "an array is needed (NumPy's, PyTorch's, CuPy's or one with __dlpack__), not %R",
               (PyObject *)Py_TYPE(array));
  return -1;
}

void release_view(View *view) {
  if (view->managed) {
    // Deleters may be Python's, which cannot run while an exception is set.
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (view->versioned) {
      DLManagedVersioned *managed = view->managed;
      if (managed->deleter)
        managed->deleter(managed);
    } else {
      DLManaged *managed = view->managed;
      if (managed->deleter)
        managed->deleter(managed);
    }
    PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(view->keep);
  view->managed = NULL;
  view->keep = NULL;
}
