// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The type tessera._native.Kernel: a kernel that is called with arrays. It has an artifact for the
// CPU and one for the GPU, made when arrays of that place first come. A call with PyTorch's tensors
// makes no Python objects but the outputs.

#include "call.h"

PyTypeObject *KernelType;

// Arguments for which a call has room on the stack.
enum { INLINE_ARGS = 12 };

//===--- calls ------------------------------------------------------------------------------===//

// The launcher's module and the device of the call.
static tessera_rt_module *module_of(const Call *call) {
  return ((Artifact *)call->bound->artifact)->module;
}
static int device_of(const Call *call) { return call->views[call->first].tensor.device.id; }

static int order(const Call *call, void *earlier, void *later) {
  tessera_rt_module *module = module_of(call);
  const int device = device_of(call);
  char *message = NULL;
  tessera_rt_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = runtime.tessera_rt_order(module, device, earlier, later, &message);
  Py_END_ALLOW_THREADS;
  if (status != TESSERA_RT_OK)
    raise_status(status, message);
  return status != TESSERA_RT_OK ? -1 : 0;
}

// What other libraries have queued comes before the kernel.
static int wait_for_others(const Call *call) {
  for (size_t i = 0; i < call->numOthers; ++i)
    if (order(call, call->others[i], call->stream.stream))
      return -1;
  return 0;
}

static int wait_for_kernel(const Call *call) {
  tessera_rt_module *module = module_of(call);
  const int device = device_of(call);
  void *stream = call->stream.stream;
  char *message = NULL;
  tessera_rt_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = runtime.tessera_rt_synchronize_on(module, device, stream, &message);
  Py_END_ALLOW_THREADS;
  if (status != TESSERA_RT_OK)
    raise_status(status, message);
  return status != TESSERA_RT_OK ? -1 : 0;
}

// Tells the library of an array that the kernel uses it on a stream that the caller gave.
static int record_stream(const Call *call, size_t i) {
  const View *view = &call->views[i];
  if (!is_cuda(&view->tensor, &call->stream))
    return 0;
  if (view->exchange && !view->is_torch) {
    // Its memory goes round on the library's own stream.
    Stream own = {NULL, false, true};
    if (current_stream(call->slots[i], view->exchange, &view->tensor, &own))
      return -1;
    return own.stream == call->stream.stream ? 0 : order(call, call->stream.stream, own.stream);
  }
  PyObject *function = arrays_function("record_stream");
  PyObject *answer =
      function ? PyObject_CallFunction(function, "ONi", call->slots[i],
                                       PyLong_FromVoidPtr(call->stream.stream),
                                       (int)view->tensor.device.id)
               : NULL;
  Py_XDECREF(answer);
  return answer ? 0 : -1;
}

// Memory that libraries may give away is kept until the launch no longer needs it, and what other
// libraries queue from now on comes after the kernel.
static int keep_alive(const Call *call) {
  if (call->place != ON_GPU || call->first == SIZE_MAX)
    return 0;
  for (size_t i = 0; i < call->numOthers; ++i)
    if (order(call, call->stream.stream, call->others[i]))
      return -1;
  for (size_t i = 0; i < call->count; ++i)
    if (call->viewed[i] && call->views[i].foreign)
      return wait_for_kernel(call);
  for (size_t i = 0; call->isExplicit && i < call->count; ++i)
    if (call->viewed[i] && record_stream(call, i))
      return -1;
  return 0;
}


// What the launcher answers where nothing runs.
typedef struct {
  size_t variant;
  tessera_rt_ranking *ranking;
} Answer;

static int start(Call *call, Mode mode, Answer *answer) {
  tessera_rt_kernel *kernel = call->bound->kernel;
  const tessera_rt_value *values = call->values;
  const size_t count = call->count;
  void *stream = call->stream.stream;
  char *message = NULL;
  tessera_rt_status status;
  if (mode == LAUNCH && call->numOthers && wait_for_others(call))
    return -1;
  Py_BEGIN_ALLOW_THREADS;
  if (mode == LAUNCH)
    status = runtime.tessera_rt_launch_tensors(kernel, values, count, stream, &message);
  else if (mode == CHECK)
    status = runtime.tessera_rt_check_tensors(kernel, values, count, &answer->variant, &message);
  else if (mode == RANK)
    status =
        runtime.tessera_rt_rank_tensors(kernel, values, count, &answer->ranking, &message);
  else
    status = runtime.tessera_rt_prepare_tensors(kernel, values, count, stream, &message);
  Py_END_ALLOW_THREADS;
  if (status != TESSERA_RT_OK) {
    const bool isOurs = !PyErr_Occurred();
    raise_status(status, message);
    if (status == TESSERA_RT_ARTIFACT && isOurs)
      raise_what_lacks(call->bound->artifact, runtime.tessera_rt_kernel_name(kernel));
    // A part of it may have been queued, unless the arguments were refused.
    if (mode == LAUNCH && status != TESSERA_RT_INVALID) {
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      if (keep_alive(call))
        PyErr_Clear();
      PyErr_Restore(type, value, trace);
    }
    return -1;
  }
  if (mode == LAUNCH && keep_alive(call))
    return -1;
  return say_what_lacks(call->bound->artifact);
}

// The outputs: one, a tuple, or None.
static PyObject *outputs_of(const Call *call) {
  PyObject *tuple = NULL;
  if (call->bound->num_outputs == 0)
    Py_RETURN_NONE;
  if (call->bound->num_outputs > 1 && !(tuple = PyTuple_New((Py_ssize_t)call->bound->num_outputs)))
    return NULL;
  Py_ssize_t next = 0;
  for (size_t i = 0; i < call->count; ++i) {
    if (!call->bound->args[i].is_output)
      continue;
    Py_INCREF(call->slots[i]);
    if (!tuple)
      return call->slots[i];
    if (PyTuple_SetItem(tuple, next++, call->slots[i])) {
      Py_DECREF(tuple);
      return NULL;
    }
  }
  return tuple;
}

// A list of dicts.
static PyObject *list_of(const tessera_rt_ranking *ranking) {
  const size_t count = runtime.tessera_rt_ranking_size(ranking);
  PyObject *list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    tessera_rt_ranked ranked = {.struct_size = sizeof(ranked)};
    runtime.tessera_rt_ranking_at(ranking, i, &ranked);
    PyObject *nanoseconds = Py_None;
    if (ranked.nanoseconds < 0)
      Py_INCREF(nanoseconds);
    else
      nanoseconds = PyLong_FromLongLong(ranked.nanoseconds);
    // `z` makes None of NULL; `N` takes the reference, also if it fails.
    PyObject *entry = Py_BuildValue("{s:s,s:z,s:N,s:O,s:z}", "member", ranked.member, "variant",
                                    ranked.variant_name, "nanoseconds", nanoseconds, "chosen",
                                    ranked.is_chosen ? Py_True : Py_False, "reason",
                                    ranked.reason);
    if (!entry || PyList_SetItem(list, (Py_ssize_t)i, entry))
      Py_CLEAR(list);
  }
  return list;
}

static PyObject *finish(Call *call, Mode mode, const Answer *answer) {
  if (mode == LAUNCH)
    return outputs_of(call);
  if (mode == CHECK)
    return PyUnicode_FromString(
        runtime.tessera_rt_variant_name(call->bound->kernel, answer->variant));
  if (mode == RANK)
    return list_of(answer->ranking);
  Py_RETURN_NONE;
}

typedef struct {
  PyObject *slots[INLINE_ARGS];
  bool owned[INLINE_ARGS], viewed[INLINE_ARGS];
  View views[INLINE_ARGS];
  const View *byArg[INLINE_ARGS];
  tessera_rt_value values[INLINE_ARGS];
  void *others[INLINE_ARGS];
} Room;

// Room for the arguments: on the caller's stack if they are few.
static int make_room(Call *call, Room *room) {
  const size_t n = call->count;
  if (n <= INLINE_ARGS) {
    call->slots = room->slots;
    call->owned = room->owned;
    call->viewed = room->viewed;
    call->views = room->views;
    call->byArg = room->byArg;
    call->values = room->values;
    call->others = room->others;
  } else {
    char *memory = PyMem_Malloc(
        n * (sizeof(View) + sizeof(tessera_rt_value) + 3 * sizeof(void *) + 2 * sizeof(bool)));
    if (!memory) {
      PyErr_NoMemory();
      return -1;
    }
    call->heap = memory;
    call->views = (View *)memory;
    call->values = (tessera_rt_value *)(call->views + n);
    call->slots = (PyObject **)(call->values + n);
    call->byArg = (const View **)(call->slots + n);
    call->others = (void **)(call->byArg + n);
    call->owned = (bool *)(call->others + n);
    call->viewed = call->owned + n;
  }
  for (size_t i = 0; i < n; ++i) {
    call->slots[i] = NULL;
    call->owned[i] = call->viewed[i] = false;
    call->byArg[i] = NULL;
    call->values[i] = (tessera_rt_value){NULL, 0};
  }
  return 0;
}

static PyObject *run(Kernel *self, PyObject *args, PyObject *kwargs, Mode mode) {
  Room room;
  Call call;
  call.kernel = self;
  call.heap = NULL;
  call.first = SIZE_MAX;
  call.isExplicit = false;
  call.numOthers = 0;
  call.count = 0;
  if (kwargs && PyDict_Size(kwargs) == 0)
    kwargs = NULL;
  call.place = self->last != NOWHERE ? self->last : find_place(args, kwargs);
  if (call.place == NOWHERE || !(call.bound = bound_for(self, call.place)))
    return NULL;
  call.stream = (Stream){NULL, false, call.place == ON_GPU};
  call.count = call.bound->num_args;
  if (make_room(&call, &room))
    return NULL;
  PyObject *result = NULL;
  Answer answer = {0, NULL};
  if (!take_arguments(&call, args, kwargs) && !view_arguments(&call)) {
    self->last = call.place;
    if (!start(&call, mode, &answer))
      result = finish(&call, mode, &answer);
    runtime.tessera_rt_free_ranking(answer.ranking);
  }
  for (size_t i = 0; i < call.count; ++i) {
    if (call.viewed[i])
      release_view(&call.views[i]);
    if (call.owned[i])
      Py_DECREF(call.slots[i]);
  }
  PyMem_Free(call.heap);
  return result;
}

static PyObject *kernel_call(PyObject *self, PyObject *args, PyObject *kwargs) {
  return run((Kernel *)self, args, kwargs, LAUNCH);
}
static PyObject *kernel_variant(PyObject *self, PyObject *args, PyObject *kwargs) {
  return run((Kernel *)self, args, kwargs, CHECK);
}
static PyObject *kernel_ranking(PyObject *self, PyObject *args, PyObject *kwargs) {
  return run((Kernel *)self, args, kwargs, RANK);
}
static PyObject *kernel_prepare(PyObject *self, PyObject *args, PyObject *kwargs) {
  return run((Kernel *)self, args, kwargs, PREPARE);
}

//===--- the type ---------------------------------------------------------------------------===//

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  static char *names[] = {"owner", "name", NULL};
  PyObject *owner, *name;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OU", names, &owner, &name))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Kernel *self = (Kernel *)allocate(type, 0);
  if (!self)
    return NULL;
  Py_INCREF(owner);
  Py_INCREF(name);
  self->owner = owner;
  self->name = name;
  self->last = NOWHERE;
  return (PyObject *)self;
}

static int kernel_traverse(PyObject *object, visitproc visit, void *arg) {
  Kernel *self = (Kernel *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  return 0;
}
static int kernel_clear(PyObject *object) {
  Py_CLEAR(((Kernel *)object)->owner);
  return 0;
}
static void kernel_dealloc(PyObject *object) {
  Kernel *self = (Kernel *)object;
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->owner);
  Py_CLEAR(self->name);
  for (int place = 0; place < NUM_PLACES; ++place)
    free_bound(self->bound[place]);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *kernel_name(PyObject *self, void *unused) {
  Py_INCREF(((Kernel *)self)->name);
  return ((Kernel *)self)->name;
}
static PyObject *kernel_module(PyObject *self, void *unused) {
  Py_INCREF(((Kernel *)self)->owner);
  return ((Kernel *)self)->owner;
}

static PyGetSetDef properties[] = {{"name", kernel_name, NULL, "The kernel's name.", NULL},
                                   {"module", kernel_module, NULL, "The module it is in.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef methods[] = {
    {"variant", (PyCFunction)(void (*)(void))kernel_variant, METH_VARARGS | METH_KEYWORDS,
     "The name of the variant that a call with these arguments would take. Nothing runs."},
    {"ranking", (PyCFunction)(void (*)(void))kernel_ranking, METH_VARARGS | METH_KEYWORDS,
     "What a call with these arguments chooses from: for each member of the kernel a dict of "
     "'member', 'variant' (None: it cannot take the arguments), 'nanoseconds' as predicted (None: "
     "no prediction), 'chosen' and 'reason' (why it cannot). The best is first. Nothing runs."},
    {"prepare", (PyCFunction)(void (*)(void))kernel_prepare, METH_VARARGS | METH_KEYWORDS,
     "Does what a call with such arguments needs once, so that calls can be captured into a CUDA "
     "graph. Nothing runs."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_new, kernel_new},
                              {Py_tp_dealloc, kernel_dealloc},
                              {Py_tp_traverse, kernel_traverse},
                              {Py_tp_clear, kernel_clear},
                              {Py_tp_call, kernel_call},
                              {Py_tp_getset, properties},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, "A kernel: Kernel(owner, name)."},
                              {0, NULL}};
static PyType_Spec spec = {"tessera._native.Kernel", sizeof(Kernel), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

int add_kernel_type(PyObject *module) {
  outName = PyUnicode_InternFromString("out");
  streamName = PyUnicode_InternFromString("stream");
  KernelType = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!outName || !streamName || !KernelType)
    return -1;
  Py_INCREF(KernelType);
  return PyModule_AddObject(module, "Kernel", (PyObject *)KernelType);
}
