// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The compiler as a function of Python. What its options and its answer mean is in _compiler.py.

#include "native.h"

static bool is_open(void) {
  if (compiler.tessera_compile)
    return true;
  PyErr_SetString(PyExc_RuntimeError, "the compiler's library is not open");
  return false;
}

static PyObject *text(const char *bytes) {
  return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)strlen(bytes), "replace");
}

// Python: accepts_option(name, value) -> bool.
PyObject *accepts_option(PyObject *self, PyObject *args) {
  const char *name, *value;
  if (!PyArg_ParseTuple(args, "ss", &name, &value) || !is_open())
    return NULL;
  tessera_options *options = compiler.tessera_options_create();
  int refused = compiler.tessera_options_set(options, name, value);
  compiler.tessera_options_destroy(options);
  return PyBool_FromLong(!refused);
}

// Lets Ctrl-C end a compilation: Python notes signals only when it is asked, in the main thread.
static int check_signals(void *user, const tessera_progress *progress) {
  PyGILState_STATE state = PyGILState_Ensure();
  // The exception stays set until the compilation has ended.
  const int stop = PyErr_Occurred() || PyErr_CheckSignals();
  PyGILState_Release(state);
  return stop;
}

// Python: compile(source: bytes, options: [(name, value)]) -> (status, artifact, diagnostics,
// report, report as JSON, reproducer); status is a tessera_status. ValueError(name, value, why) for
// an option that the compiler refuses.
PyObject *compile_source(PyObject *self, PyObject *args) {
  PyObject *source, *list, *answer = NULL;
  if (!PyArg_ParseTuple(args, "SO!", &source, &PyList_Type, &list) || !is_open())
    return NULL;
  tessera_options *options = compiler.tessera_options_create();
  tessera_result *result = NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    const char *name, *value;
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ss", &name, &value))
      goto done;
    if (compiler.tessera_options_set(options, name, value)) {
      PyObject *refusal =
          Py_BuildValue("(ssN)", name, value, text(compiler.tessera_options_error(options)));
      if (refusal)
        PyErr_SetObject(PyExc_ValueError, refusal);
      Py_XDECREF(refusal);
      goto done;
    }
  }
  compiler.tessera_options_set_progress(options, check_signals, NULL);
  char *bytes;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(source, &bytes, &size))
    goto done;
  Py_BEGIN_ALLOW_THREADS;
  result = compiler.tessera_compile(bytes, (size_t)size, options);
  Py_END_ALLOW_THREADS;
  if (PyErr_Occurred())
    goto done;
  answer = Py_BuildValue(
      "(iNNNNN)", (int)compiler.tessera_result_status(result),
      PyBytes_FromStringAndSize(compiler.tessera_result_artifact(result),
                                (Py_ssize_t)compiler.tessera_result_artifact_size(result)),
      text(compiler.tessera_result_diagnostics(result)),
      text(compiler.tessera_result_report(result)),
      text(compiler.tessera_result_report_json(result)),
      text(compiler.tessera_result_reproducer(result)));
done:
  if (result)
    compiler.tessera_result_destroy(result);
  compiler.tessera_options_destroy(options);
  return answer;
}
