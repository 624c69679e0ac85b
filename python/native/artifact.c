// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The type tessera._native.Artifact: a module of the launcher.

#include "native.h"

PyTypeObject *ArtifactType;

static PyObject *artifact_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"artifact", NULL};
  PyObject *bytes;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "S", names, &bytes))
    return NULL;
  char *data, *message = NULL;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &data, &size))
    return NULL;
  tessera_rt_module *module = runtime.tessera_rt_load_bytes(data, (size_t)size, &message);
  if (!module) {
    raise_status(TESSERA_RT_ARTIFACT, message);
    return NULL;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Artifact *self = (Artifact *)allocate(type, 0);
  if (!self) {
    runtime.tessera_rt_unload(module);
    return NULL;
  }
  self->module = module;
  return (PyObject *)self;
}

//===--- code on demand ---------------------------------------------------------------------===//

// Called by the launcher, without the interpreter's lock. What is raised stays set, and the launch
// fails.
static tessera_rt_code_status compile_variant(void *user, const tessera_rt_wanted *wanted,
                                              tessera_rt_code *code) {
  Artifact *self = (Artifact *)user;
  tessera_rt_code_status status = TESSERA_RT_CODE_STOPPED;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *answer = PyObject_CallFunction(self->compile, "szs", wanted->kernel, wanted->member,
                                           wanted->variant);
  if (answer && PyUnicode_Check(answer)) {
    // Why the variant does not compile. The warning comes after the launch.
    PyObject *encoded = PyUnicode_AsEncodedString(answer, "utf-8", "replace");
    if (encoded) {
      runtime.tessera_rt_code_explain(code, PyBytes_AsString(encoded));
      self->lacks = true;
      status = TESSERA_RT_CODE_NONE;
    }
    Py_XDECREF(encoded);
  } else if (answer) {
    char *bytes;
    Py_ssize_t size;
    if (!PyBytes_AsStringAndSize(answer, &bytes, &size)) {
      runtime.tessera_rt_code_set(code, bytes, (size_t)size);
      status = TESSERA_RT_CODE_READY;
    }
  }
  Py_XDECREF(answer);
  PyGILState_Release(state);
  return status;
}

int say_what_lacks(PyObject *artifact) {
  Artifact *self = (Artifact *)artifact;
  if (!self->lacks)
    return 0;
  self->lacks = false;
  PyObject *answer = PyObject_CallMethod(self->compile, "warn", NULL);
  Py_XDECREF(answer);
  return answer ? 0 : -1;
}

void raise_what_lacks(PyObject *artifact, const char *kernel) {
  Artifact *self = (Artifact *)artifact;
  PyObject *type, *value, *trace;
  if (!self->compile)
    return;
  self->lacks = false;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  // Raises the CompileError of that kernel because of the other one, or gives None.
  PyObject *answer = PyObject_CallMethod(self->compile, "fail", "sO", kernel, value);
  if (!answer) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return;
  }
  Py_DECREF(answer);
  PyErr_Restore(type, value, trace);
}

// Python: Artifact.on_demand(contract, compile). `compile(kernel, member, variant)` gives the bytes of
// an artifact, or the text that says why the variant does not compile; `compile.warn()` warns of
// those, and `compile.fail(kernel, error)` raises the error of one, if there is one.
static PyObject *artifact_on_demand(PyObject *type, PyObject *args) {
  PyObject *contract, *compile;
  if (!PyArg_ParseTuple(args, "SO", &contract, &compile))
    return NULL;
  char *text, *message = NULL;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(contract, &text, &size))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
  Artifact *self = (Artifact *)allocate((PyTypeObject *)type, 0);
  if (!self)
    return NULL;
  Py_INCREF(compile);
  self->compile = compile;
  // Nothing is launched any more when the object is gone.
  tessera_rt_code_source source = {sizeof source, self, compile_variant, NULL};
  self->module = runtime.tessera_rt_load_on_demand(text, (size_t)size, &source, &message);
  if (!self->module) {
    raise_status(TESSERA_RT_ARTIFACT, message);
    Py_DECREF((PyObject *)self);
    return NULL;
  }
  return (PyObject *)self;
}

static bool runs_on_cpu(Artifact *self) {
  return !strcmp(runtime.tessera_rt_target(self->module), "cpu");
}

static void artifact_dealloc(PyObject *object) {
  Artifact *self = (Artifact *)object;
  PyTypeObject *type = Py_TYPE(object);
  // A kernel on a GPU may still be running, so its code stays loaded as long as the process lives.
  if (self->module && runs_on_cpu(self)) {
    runtime.tessera_rt_unload(self->module);
    Py_XDECREF(self->allocator);
  }
  Py_XDECREF(self->compile);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *artifact_target(PyObject *self, void *unused) {
  return PyUnicode_FromString(runtime.tessera_rt_target(((Artifact *)self)->module));
}
static PyObject *artifact_compiler(PyObject *self, void *unused) {
  return PyUnicode_FromString(runtime.tessera_rt_compiler(((Artifact *)self)->module));
}
static PyObject *artifact_contract(PyObject *self, void *unused) {
  return PyUnicode_FromString(runtime.tessera_rt_contract(((Artifact *)self)->module));
}
static PyObject *artifact_kernels(PyObject *object, void *unused) {
  tessera_rt_module *module = ((Artifact *)object)->module;
  size_t count = runtime.tessera_rt_num_kernels(module);
  PyObject *names = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; names && i < count; ++i) {
    PyObject *name = PyUnicode_FromString(
        runtime.tessera_rt_kernel_name(runtime.tessera_rt_kernel_at(module, i)));
    if (!name || PyTuple_SetItem(names, (Py_ssize_t)i, name)) {
      Py_DECREF(names);
      return NULL;
    }
  }
  return names;
}

static PyObject *artifact_prepare(PyObject *object, PyObject *unused) {
  char *message = NULL;
  tessera_rt_module *module = ((Artifact *)object)->module;
  tessera_rt_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = runtime.tessera_rt_prepare(module, &message);
  Py_END_ALLOW_THREADS;
  if (status != TESSERA_RT_OK) {
    raise_status(status, message);
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject *artifact_set_threads(PyObject *object, PyObject *number) {
  unsigned long threads = PyLong_AsUnsignedLong(number);
  if (PyErr_Occurred())
    return NULL;
  runtime.tessera_rt_set_threads(((Artifact *)object)->module, (unsigned)threads);
  Py_RETURN_NONE;
}

//===--- workspace --------------------------------------------------------------------------===//

// Called by the launcher, without the interpreter's lock. An exception stays set: the call that
// launched finds it when it has the lock back, which is in the same thread.
static void *allocate_workspace(void *user, size_t bytes, int device, void *stream) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *allocate = PyTuple_GetItem((PyObject *)user, 0);
  void *pointer = NULL;
  PyObject *number = allocate ? PyObject_CallFunction(allocate, "niN", (Py_ssize_t)bytes, device,
                                                      PyLong_FromVoidPtr(stream))
                              : NULL;
  if (number)
    pointer = PyLong_AsVoidPtr(number);
  Py_XDECREF(number);
  PyGILState_Release(state);
  return pointer;
}

static void release_workspace(void *user, void *pointer, size_t bytes, int device, void *stream) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *release = PyTuple_GetItem((PyObject *)user, 1);
  PyObject *answer =
      release ? PyObject_CallFunction(release, "N", PyLong_FromVoidPtr(pointer)) : NULL;
  if (!answer)
    PyErr_WriteUnraisable(release);
  Py_XDECREF(answer);
  PyErr_Restore(type, value, trace);
  PyGILState_Release(state);
}

static int is_of_graph(void *user, void *pointer, int device, void *stream) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *function = PyTuple_GetItem((PyObject *)user, 2);
  PyObject *answer = function ? PyObject_CallFunction(function, "NiN", PyLong_FromVoidPtr(pointer),
                                                      device, PyLong_FromVoidPtr(stream))
                              : NULL;
  const int is = answer ? PyObject_IsTrue(answer) : 0;
  if (PyErr_Occurred())
    PyErr_WriteUnraisable(function);
  Py_XDECREF(answer);
  PyGILState_Release(state);
  return is > 0;
}

// Python: set_allocator(allocate(bytes, device, stream) -> address, release(address)[,
// is_of_graph(address, device, stream) -> bool]).
static PyObject *artifact_set_allocator(PyObject *object, PyObject *args) {
  Artifact *self = (Artifact *)object;
  PyObject *allocate, *release, *isOfGraph = Py_None;
  char *message = NULL;
  if (!PyArg_ParseTuple(args, "OO|O", &allocate, &release, &isOfGraph))
    return NULL;
  PyObject *functions = Py_BuildValue("(OOO)", allocate, release, isOfGraph);
  if (!functions)
    return NULL;
  tessera_rt_allocator allocator = {sizeof allocator, functions, allocate_workspace,
                                    release_workspace, isOfGraph == Py_None ? NULL : is_of_graph};
  tessera_rt_status status = runtime.tessera_rt_set_allocator(self->module, &allocator, &message);
  if (status != TESSERA_RT_OK) {
    Py_DECREF(functions);
    raise_status(status, message);
    return NULL;
  }
  Py_XDECREF(self->allocator);
  self->allocator = functions;
  Py_RETURN_NONE;
}

//===--- the type ---------------------------------------------------------------------------===//

static PyGetSetDef properties[] = {
    {"target", artifact_target, NULL, "\"sm_90a\" or \"cpu\".", NULL},
    {"compiler", artifact_compiler, NULL, "The compiler that made it.", NULL},
    {"contract", artifact_contract, NULL, "The launch contract, a JSON text.", NULL},
    {"kernels", artifact_kernels, NULL, "The names of the kernels.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef methods[] = {
    {"on_demand", artifact_on_demand, METH_VARARGS | METH_CLASS,
     "on_demand(contract, compile): an artifact whose code is compiled when a call first takes it."},
    {"prepare", artifact_prepare, METH_NOARGS, "Loads the code now."},
    {"set_threads", artifact_set_threads, METH_O, "CPU: how many threads run blocks; 0 for all."},
    {"set_allocator", artifact_set_allocator, METH_VARARGS,
     "Workspace comes from allocate(bytes, device, stream) and goes by release(address). "
     "is_of_graph(address, device, stream) says whether a graph that is captured keeps it."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, artifact_new},
                              {Py_tp_dealloc, artifact_dealloc},
                              {Py_tp_getset, properties},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A loaded artifact: Artifact(bytes)."},
                              {0, NULL}};
static PyType_Spec spec = {"tessera._native.Artifact", sizeof(Artifact), 0, Py_TPFLAGS_DEFAULT,
                           slots};

int add_artifact_type(PyObject *module) {
  ArtifactType = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!ArtifactType)
    return -1;
  Py_INCREF(ArtifactType);
  return PyModule_AddObject(module, "Artifact", (PyObject *)ArtifactType);
}
