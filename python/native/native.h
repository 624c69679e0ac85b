// Part of Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the files of the extension module `tessera._native` share. The module is written against
// Python's limited API, so one build serves every Python from 3.9 on. It opens the two C libraries
// at run time: the launcher when it is imported, the compiler when something is compiled.
#ifndef TESSERA_PYTHON_NATIVE_H
#define TESSERA_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dlpack.h"
#include "tessera-c/Compiler.h"
#include "tessera/Runtime/tessera_runtime.h"

#include <stdbool.h>

//===--- the libraries ----------------------------------------------------------------------===//

#define TESSERA_COMPILER_FUNCTIONS(X)                                                              \
  X(tessera_version)                                                                               \
  X(tessera_options_create)                                                                        \
  X(tessera_options_destroy)                                                                       \
  X(tessera_options_set)                                                                           \
  X(tessera_options_error)                                                                         \
  X(tessera_options_set_progress)                                                                  \
  X(tessera_compile)                                                                               \
  X(tessera_result_destroy)                                                                        \
  X(tessera_result_status)                                                                         \
  X(tessera_result_artifact)                                                                       \
  X(tessera_result_artifact_size)                                                                  \
  X(tessera_result_diagnostics)                                                                    \
  X(tessera_result_report)                                                                         \
  X(tessera_result_report_json)                                                                    \
  X(tessera_result_reproducer)

#define TESSERA_RUNTIME_FUNCTIONS(X)                                                               \
  X(tessera_rt_version)                                                                            \
  X(tessera_rt_api_version)                                                                        \
  X(tessera_rt_free_error)                                                                         \
  X(tessera_rt_load_file)                                                                          \
  X(tessera_rt_load_bytes)                                                                         \
  X(tessera_rt_load_on_demand)                                                                     \
  X(tessera_rt_code_set)                                                                           \
  X(tessera_rt_code_explain)                                                                       \
  X(tessera_rt_unload)                                                                             \
  X(tessera_rt_target)                                                                             \
  X(tessera_rt_compiler)                                                                           \
  X(tessera_rt_contract)                                                                           \
  X(tessera_rt_set_threads)                                                                        \
  X(tessera_rt_prepare)                                                                            \
  X(tessera_rt_num_kernels)                                                                        \
  X(tessera_rt_kernel_at)                                                                          \
  X(tessera_rt_find_kernel)                                                                        \
  X(tessera_rt_kernel_name)                                                                        \
  X(tessera_rt_num_args)                                                                           \
  X(tessera_rt_arg_at)                                                                             \
  X(tessera_rt_arg_dim)                                                                            \
  X(tessera_rt_variant_name)                                                                       \
  X(tessera_rt_launch_tensors)                                                                     \
  X(tessera_rt_set_allocator)                                                                      \
  X(tessera_rt_prepare_tensors)                                                                    \
  X(tessera_rt_check_tensors)                                                                      \
  X(tessera_rt_rank_tensors)                                                                       \
  X(tessera_rt_ranking_size)                                                                       \
  X(tessera_rt_ranking_at)                                                                         \
  X(tessera_rt_free_ranking)                                                                       \
  X(tessera_rt_synchronize_on)                                                                     \
  X(tessera_rt_order)

#define TESSERA_FUNCTION_FIELD(name) __typeof__(name) *name;
typedef struct {
  TESSERA_COMPILER_FUNCTIONS(TESSERA_FUNCTION_FIELD)
} CompilerApi;
typedef struct {
  TESSERA_RUNTIME_FUNCTIONS(TESSERA_FUNCTION_FIELD)
} RuntimeApi;

extern CompilerApi compiler;
extern RuntimeApi runtime;

// Python: open_runtime(path), open_compiler(path). ImportError if the library cannot be used.
PyObject *open_runtime(PyObject *self, PyObject *path);
PyObject *open_compiler(PyObject *self, PyObject *path);

//===--- errors -----------------------------------------------------------------------------===//

// The classes of tessera._errors.
extern PyObject *ArgumentError, *ArtifactError, *DeviceError, *OutOfMemoryError;
// Imports them. Returns -1, with an exception, if that fails.
int import_errors(void);
// Raises what a function of the launcher has answered, and frees `message` (may be NULL).
void raise_status(tessera_rt_status status, char *message);
// Replaces the exception that is set by an ArgumentError "kernel 'K': argument 'A': its text". If
// the array was given, whatever its library raises is about it; if it was to be made, only what is
// an ArgumentError already.
void raise_about_argument(PyObject *kernel, const char *argument, bool wasGiven);
// Replaces an exception of another library that says that there is no memory by ours.
void translate_out_of_memory(void);

//===--- values -----------------------------------------------------------------------------===//

// Stores the bits of a Python number as a scalar of type `element` ("f32", "index", ...). Returns
// -1, with an exception, if it is no number or does not fit.
int scalar_bits(PyObject *number, const char *element, uint64_t *bits);

#define TESSERA_MAX_RANK 16

// An array of the caller, for the time of one call.
typedef struct {
  DLTensor tensor;
  const DLExchange *exchange; // of the array's type; NULL: it has none
  bool is_torch;
  bool read_only;
  bool foreign;   // a CUDA array whose memory we know nothing about
  PyObject *keep; // owns shape, strides or data; NULL: the array itself does
  void *managed;  // a DLManaged or a DLManagedVersioned; NULL: none
  bool versioned;
  int64_t shape[TESSERA_MAX_RANK], strides[TESSERA_MAX_RANK];
} View;

// Whether an object may be an array; false for numbers.
bool may_be_array(PyObject *object);
// Fills `view`. `stream` is where a CUDA array will be used; it is asked for only if the array's
// type has no exchange interface: has_stream says whether it is known. Returns -1 with an
// exception.
typedef struct {
  void *stream;
  bool known;
  bool managed; // the call runs on a GPU, so managed memory is used there, too
} Stream;
int view_array(PyObject *array, View *view, Stream *stream);
void release_view(View *view);
// Whether a kernel on a GPU uses the tensor in the order of `stream`.
bool is_cuda(const DLTensor *tensor, const Stream *stream);
// The stream on which the library of `array` works now, if it is on a GPU and not known yet.
int current_stream(PyObject *array, const DLExchange *exchange, const DLTensor *tensor,
                   Stream *stream);
// A function of tessera._arrays; borrowed. NULL with an exception.
PyObject *arrays_function(const char *name);

// DLPack's type of an element. Returns false if it has none.
bool dlpack_type(const char *element, uint8_t *code, uint8_t *bits);

//===--- types ------------------------------------------------------------------------------===//

// A loaded artifact, and the kernels in it.
typedef struct {
  PyObject_HEAD tessera_rt_module *module;
  PyObject *allocator; // three callables, the last of them or None; or NULL
  PyObject *compile;   // on demand: gives the code of variants; or NULL
  bool lacks;          // some variant does not compile, and nothing was said of it
} Artifact;
extern PyTypeObject *ArtifactType, *KernelType;
// Warns of variants of an artifact on demand that do not compile. -1 if the warning is an
// exception.
int say_what_lacks(PyObject *artifact);
// Replaces the exception that is set by the CompileError of such a variant, if the kernel has one.
void raise_what_lacks(PyObject *artifact, const char *kernel);
int add_artifact_type(PyObject *module);
int add_kernel_type(PyObject *module);

PyObject *compile_source(PyObject *self, PyObject *args);
PyObject *accepts_option(PyObject *self, PyObject *args);

#endif
