// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The extension module tessera._native.

#include "native.h"

static PyObject *compiler_version(PyObject *self, PyObject *unused) {
  if (!compiler.tessera_version) {
    PyErr_SetString(PyExc_RuntimeError, "the compiler's library is not open");
    return NULL;
  }
  return PyUnicode_FromString(compiler.tessera_version());
}

static PyObject *runtime_version(PyObject *self, PyObject *unused) {
  return PyUnicode_FromString(runtime.tessera_rt_version());
}

static PyMethodDef functions[] = {
    {"open_runtime", open_runtime, METH_O, "Opens libtessera_runtime.so at a path."},
    {"open_compiler", open_compiler, METH_O, "Opens libtessera.so at a path."},
    {"compile", compile_source, METH_VARARGS,
     "compile(source, [(option, value)]) -> (status, artifact, diagnostics, report, JSON, "
     "reproducer)"},
    {"accepts_option", accepts_option, METH_VARARGS,
     "Whether the compiler takes an option with a value."},
    {"compiler_version", compiler_version, METH_NOARGS, "The compiler's version."},
    {"runtime_version", runtime_version, METH_NOARGS, "The launcher's version."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "tessera._native",
                                        "The two C libraries of Tessera for Python.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  if (module && (import_errors() || add_artifact_type(module) || add_kernel_type(module))) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
