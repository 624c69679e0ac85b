// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Opens libtessera_runtime.so and libtessera.so, and says what went wrong with them as exceptions.

#include "native.h"

#include <dlfcn.h>
#include <string.h>

CompilerApi compiler;
RuntimeApi runtime;

static void *find(void *library, const char *name, const char *path) {
  void *function = dlsym(library, name);
  if (!function)
    PyErr_Format(PyExc_ImportError,
                 "%s has no function %s: it is of another version than this package", path, name);
  return function;
}

static void *open_library(PyObject *path, PyObject **bytes) {
  if (!PyUnicode_FSConverter(path, bytes))
    return NULL;
  void *library = dlopen(PyBytes_AsString(*bytes), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    PyErr_Format(PyExc_ImportError, "%s", dlerror());
  return library;
}

// A function goes to the table when it was found; the table is whole if none is missing.
#define TESSERA_FIND(name)                                                                         \
  if (!(table.name = (__typeof__(name) *)find(library, #name, where)))                             \
    goto failed;

PyObject *open_runtime(PyObject *self, PyObject *path) {
  PyObject *bytes = NULL;
  RuntimeApi table;
  void *library = open_library(path, &bytes);
  const char *where = bytes ? PyBytes_AsString(bytes) : "";
  if (!library)
    goto failed;
  TESSERA_RUNTIME_FUNCTIONS(TESSERA_FIND)
  if (table.tessera_rt_api_version() < TESSERA_RT_API_VERSION) {
    PyErr_Format(PyExc_ImportError, "%s has interface %d, this package needs %d", where,
                 table.tessera_rt_api_version(), TESSERA_RT_API_VERSION);
    goto failed;
  }
  runtime = table;
  Py_DECREF(bytes);
  Py_RETURN_NONE;
failed:
  Py_XDECREF(bytes);
  return NULL;
}

PyObject *open_compiler(PyObject *self, PyObject *path) {
  PyObject *bytes = NULL;
  CompilerApi table;
  void *library = open_library(path, &bytes);
  const char *where = bytes ? PyBytes_AsString(bytes) : "";
  if (!library)
    goto failed;
  TESSERA_COMPILER_FUNCTIONS(TESSERA_FIND)
  compiler = table;
  Py_DECREF(bytes);
  Py_RETURN_NONE;
failed:
  Py_XDECREF(bytes);
  return NULL;
}

//===--- errors -----------------------------------------------------------------------------===//

PyObject *ArgumentError, *ArtifactError, *DeviceError, *OutOfMemoryError;

int import_errors(void) {
  PyObject *errors = PyImport_ImportModule("tessera._errors");
  if (!errors)
    return -1;
  ArgumentError = PyObject_GetAttrString(errors, "ArgumentError");
  ArtifactError = PyObject_GetAttrString(errors, "ArtifactError");
  DeviceError = PyObject_GetAttrString(errors, "DeviceError");
  OutOfMemoryError = PyObject_GetAttrString(errors, "OutOfMemoryError");
  Py_DECREF(errors);
  return ArgumentError && ArtifactError && DeviceError && OutOfMemoryError ? 0 : -1;
}

void raise_status(tessera_rt_status status, char *message) {
  PyObject *type = status == TESSERA_RT_ARTIFACT ? ArtifactError
                   : status == TESSERA_RT_DRIVER ? DeviceError
                   : status == TESSERA_RT_MEMORY ? OutOfMemoryError
                                                 : ArgumentError;
  // A callback may have raised already: that is the reason.
  if (PyErr_Occurred()) {
    translate_out_of_memory();
  } else {
    PyObject *text = PyUnicode_DecodeUTF8(message ? message : "no reason was given",
                                          message ? (Py_ssize_t)strlen(message) : 19, "replace");
    if (text) {
      PyErr_SetObject(type, text);
      Py_DECREF(text);
    }
  }
  runtime.tessera_rt_free_error(message);
}

void translate_out_of_memory(void) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  PyObject *function = arrays_function("is_out_of_memory");
  PyObject *answer = function ? PyObject_CallFunctionObjArgs(function, value, NULL) : NULL;
  const bool replace = answer && PyObject_IsTrue(answer);
  Py_XDECREF(answer);
  PyErr_Clear();
  if (!replace) {
    PyErr_Restore(type, value, trace);
    return;
  }
  if (trace)
    PyException_SetTraceback(value, trace);
  PyErr_Format(OutOfMemoryError, "%S", value);
  PyObject *newType, *newValue, *newTrace;
  PyErr_Fetch(&newType, &newValue, &newTrace);
  PyErr_NormalizeException(&newType, &newValue, &newTrace);
  PyException_SetCause(newValue, value); // steals it
  Py_XDECREF(type);
  Py_XDECREF(trace);
  PyErr_Restore(newType, newValue, newTrace);
}

void raise_about_argument(PyObject *kernel, const char *argument, bool wasGiven) {
  translate_out_of_memory();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  // What is no fault of the argument goes on as it is.
  if (!type || !PyErr_GivenExceptionMatches(type, PyExc_Exception) ||
      PyErr_GivenExceptionMatches(type, PyExc_MemoryError) ||
      PyErr_GivenExceptionMatches(type, PyExc_ImportError) ||
      (!wasGiven && !PyErr_GivenExceptionMatches(type, ArgumentError))) {
    PyErr_Restore(type, value, trace);
    return;
  }
  if (trace)
    PyException_SetTraceback(value, trace);
  // The first line: others may be a trace of another library's C++.
  PyObject *text = PyObject_Str(value);
  PyObject *newline = PyUnicode_FromString("\n");
  PyObject *parts = text && newline ? PyUnicode_Partition(text, newline) : NULL;
  if (parts)
    PyErr_Format(ArgumentError, "kernel '%U': argument '%s': %S", kernel, argument,
                 PyTuple_GetItem(parts, 0));
  Py_XDECREF(text);
  Py_XDECREF(newline);
  Py_XDECREF(parts);
  PyObject *newType, *newValue, *newTrace;
  PyErr_Fetch(&newType, &newValue, &newTrace);
  PyErr_NormalizeException(&newType, &newValue, &newTrace);
  // The cause is stolen. An error of ours has said it all.
  if (newValue && !PyErr_GivenExceptionMatches(type, ArgumentError)) {
    PyException_SetCause(newValue, value);
    value = NULL;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_Restore(newType, newValue, newTrace);
}
