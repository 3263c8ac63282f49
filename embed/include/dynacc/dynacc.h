/* DynaCC for C, and for every language that calls C: the same as embed.h.
 *
 *   dynacc_runtime* runtime;
 *   dynacc_status* error = dynacc_runtime_start(NULL, &runtime);
 *   if (error) { fputs(dynacc_status_message(error), stderr); dynacc_status_free(error); }
 *
 * Errors: a function that can fail returns a dynacc_status*, null for success; the caller frees it.
 * Results come through the last parameter, which is set to null, or left alone where it is no
 * pointer, when the function fails. A null or foreign handle is an error, not a crash, and so is a
 * null pointer where there must be something.
 *
 * Ownership: each handle that a function gives belongs to the caller, who frees it with the _free
 * function of its type; freeing null does nothing. Handles may be freed in any order, after the
 * runtime too, and used from any thread; one handle by one thread at a time, but for functions,
 * modules and cancellations, which any number of threads may use at once.
 *
 * Text is UTF-8. Structs start with their size, `sizeof(dynacc_array)` and the like, so that later
 * versions can add fields at the end; a field that is zero has its default. The meaning of every
 * option, value and error is that of the C++ header of the same name. */
#ifndef DYNACC_DYNACC_H_
#define DYNACC_DYNACC_H_

#include <stddef.h>
#include <stdint.h>

#include "dynacc/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): C has no other way. */
typedef struct dynacc_runtime dynacc_runtime;
typedef struct dynacc_module dynacc_module;
typedef struct dynacc_function dynacc_function;
typedef struct dynacc_value dynacc_value;
typedef struct dynacc_cancellation dynacc_cancellation;
typedef struct dynacc_status dynacc_status;

/* "0.1.0". Static text. */
DYNACC_EXPORT const char* dynacc_version(void);

/* ---- Errors (errors.h) --------------------------------------------------------------------- */

/* The numbers are those of absl::StatusCode and of gRPC. */
typedef enum dynacc_code {
  DYNACC_OK = 0,
  DYNACC_CANCELLED = 1,
  DYNACC_UNKNOWN = 2,
  DYNACC_INVALID_ARGUMENT = 3,
  DYNACC_DEADLINE_EXCEEDED = 4,
  DYNACC_NOT_FOUND = 5,
  DYNACC_PERMISSION_DENIED = 7,
  DYNACC_RESOURCE_EXHAUSTED = 8,
  DYNACC_FAILED_PRECONDITION = 9,
  DYNACC_OUT_OF_RANGE = 11,
  DYNACC_UNIMPLEMENTED = 12,
  DYNACC_INTERNAL = 13
} dynacc_code;

/* A status of the caller's own, for callbacks to return. Copies `message`. */
DYNACC_EXPORT dynacc_status* dynacc_status_new(dynacc_code code, const char* message);
/* DYNACC_OK for null. */
DYNACC_EXPORT dynacc_code dynacc_status_code(const dynacc_status* status);
/* Valid until the status is freed; "" for null. */
DYNACC_EXPORT const char* dynacc_status_message(const dynacc_status* status);
/* The class, the text and the traceback of the Python exception that it stands for; null if it
 * stands for none. Valid until the status is freed. */
DYNACC_EXPORT const char* dynacc_status_python_type(const dynacc_status* status);
DYNACC_EXPORT const char* dynacc_status_python_message(const dynacc_status* status);
DYNACC_EXPORT const char* dynacc_status_python_traceback(const dynacc_status* status);
DYNACC_EXPORT void dynacc_status_free(dynacc_status* status);

/* ---- Runtime (runtime.h) -------------------------------------------------------------------- */

typedef struct dynacc_runtime_options {
  size_t struct_size;
  const char* home;
  const char* venv;
  const char* const* search_paths;
  size_t search_path_count;
  const char* const* arguments;
  size_t argument_count;
  int32_t isolated;       /* 0 or 1 */
  int32_t handle_signals; /* 0 or 1 */
  const char* policy;
  const char* target;
  int32_t threads;
  const char* cache_folder;
  const char* logs;
  /* Receives each line, `length` bytes without a newline. It must not call Python. */
  void (*log_sink)(void* context, const char* line, size_t length);
  void* log_context;
  const char* const* devices;
  size_t device_count;
  int32_t most_calls; /* inside at once; 0: by the cores */
  /* Runs asynchronous calls: must call work(work_context) once, on another thread. Null: a pool of
   * the runtime's own. `executor_context` must stay until the runtime is freed and all is run. */
  void (*executor)(void* context, void (*work)(void* work_context), void* work_context);
  void* executor_context;
} dynacc_runtime_options;

/* `options` may be null: all defaults. */
DYNACC_EXPORT dynacc_status* dynacc_runtime_start(const dynacc_runtime_options* options,
                                                  dynacc_runtime** runtime);
/* Ends the session as ~Runtime does: waits for calls, and must not be called from a callback. */
DYNACC_EXPORT void dynacc_runtime_free(dynacc_runtime* runtime);
/* A counter of docs/environment.md, since the process started. NOT_FOUND for a name that is none.
 */
DYNACC_EXPORT dynacc_status* dynacc_stat(const char* name, uint64_t* count);
/* The names that there are: that of counter `index`, from 0; null beyond the last. Static text. */
DYNACC_EXPORT const char* dynacc_stat_name(size_t index);

/* The module of that dotted name, imported. NOT_FOUND if there is none; else what it raised. */
DYNACC_EXPORT dynacc_status* dynacc_import_module(dynacc_runtime* runtime, const char* name,
                                                  dynacc_module** module);
/* A new module made by running the file at `path`. NOT_FOUND if it cannot be read; else what it
 * raised. What another load of the same path means is said at Runtime::LoadFile. */
DYNACC_EXPORT dynacc_status* dynacc_load_file(dynacc_runtime* runtime, const char* path,
                                              dynacc_module** module);

/* A new module made by running Python text, under that name. */
DYNACC_EXPORT dynacc_status* dynacc_load_source(dynacc_runtime* runtime, const char* name,
                                                const char* source, dynacc_module** module);
/* Logs these topics from now on; "" for none. */
DYNACC_EXPORT dynacc_status* dynacc_set_logs(const char* topics);
/* Begins a trace file, with every run of compiled code if `runs` is 1; "" ends the one there is. */
DYNACC_EXPORT dynacc_status* dynacc_set_trace(const char* path, int32_t runs);

/* ---- Modules (module.h) --------------------------------------------------------------------- */

/* The callable that `module` has under `name`. NOT_FOUND without one, INVALID_ARGUMENT if it cannot
 * be called. */
DYNACC_EXPORT dynacc_status* dynacc_module_get(const dynacc_module* module, const char* name,
                                               dynacc_function** function);
/* Whatever `module` has under `name`. NOT_FOUND without it. */
DYNACC_EXPORT dynacc_status* dynacc_module_get_value(const dynacc_module* module, const char* name,
                                                     dynacc_value** value);
/* Gives `name` the value, as an assignment in the module would. The caller keeps his handle. */
DYNACC_EXPORT dynacc_status* dynacc_module_set(const dynacc_module* module, const char* name,
                                               const dynacc_value* value);
DYNACC_EXPORT void dynacc_module_free(dynacc_module* module);

/* ---- Arrays (tensor.h) ----------------------------------------------------------------------- */

typedef enum dynacc_element {
  DYNACC_ELEMENT_BOOL = 0,
  DYNACC_ELEMENT_INT8 = 1,
  DYNACC_ELEMENT_UINT8 = 2,
  DYNACC_ELEMENT_INT16 = 3,
  DYNACC_ELEMENT_UINT16 = 4,
  DYNACC_ELEMENT_INT32 = 5,
  DYNACC_ELEMENT_UINT32 = 6,
  DYNACC_ELEMENT_INT64 = 7,
  DYNACC_ELEMENT_UINT64 = 8,
  DYNACC_ELEMENT_FLOAT16 = 9,
  DYNACC_ELEMENT_FLOAT32 = 10,
  DYNACC_ELEMENT_FLOAT64 = 11,
  DYNACC_ELEMENT_COMPLEX64 = 12,
  DYNACC_ELEMENT_COMPLEX128 = 13,
  /* NumPy lacks these: Python sees a dynacc.Tensor. */
  DYNACC_ELEMENT_BFLOAT16 = 14,
  DYNACC_ELEMENT_FLOAT8E4M3FN = 15,
  DYNACC_ELEMENT_FLOAT8E5M2 = 16
} dynacc_element;

/* Bytes of one element; 0 for a number that is no dynacc_element. */
DYNACC_EXPORT int64_t dynacc_element_size(int32_t element);

/* TensorView of tensor.h. */
typedef struct dynacc_array {
  size_t struct_size;
  void* data;
  int32_t element; /* a dynacc_element */
  int32_t rank;
  const int64_t* shape;   /* `rank` lengths */
  const int64_t* strides; /* `rank` steps in bytes; null: contiguous, the last axis fastest */
  int32_t read_only;      /* 1: Python may not write to it */
  int64_t device;         /* 0: host memory; n: that of CUDA device n - 1 */
} dynacc_array;

/* ---- Functions (function.h) ----------------------------------------------------------------- */

typedef struct dynacc_call_options {
  size_t struct_size;
  const char* const* keyword_names;          /* of keyword arguments: keyword_count names ... */
  const dynacc_value* const* keyword_values; /* ... and the value of each */
  size_t keyword_count;
  int64_t timeout_nanoseconds;             /* from now; 0: none */
  const dynacc_cancellation* cancellation; /* null: the call cannot be cancelled */
} dynacc_call_options;

/* Calls `function` with `argument_count` positional arguments, which stay the caller's. `options`
 * may be null. `result` may be null where it does not matter. */
DYNACC_EXPORT dynacc_status* dynacc_function_call(const dynacc_function* function,
                                                  const dynacc_value* const* arguments,
                                                  size_t argument_count,
                                                  const dynacc_call_options* options,
                                                  dynacc_value** result);
DYNACC_EXPORT void dynacc_function_free(dynacc_function* function);

/* The same with the results put into `outputs`, which hold anything after an error. */
DYNACC_EXPORT dynacc_status* dynacc_function_call_into(
    const dynacc_function* function, const dynacc_value* const* arguments, size_t argument_count,
    const dynacc_array* outputs, size_t output_count, const dynacc_call_options* options);

/* The arguments of one call among several. */
typedef struct dynacc_request {
  const dynacc_value* const* arguments;
  size_t argument_count;
} dynacc_request;
/* Calls `function` for each request, in order. statuses[i] and results[i], of which there is room
 * for `request_count` each, are what dynacc_function_call gives for that one; the caller's to free.
 * The status is a failure, and nothing is called or set, where a pointer is null. */
DYNACC_EXPORT dynacc_status* dynacc_function_call_batch(
    const dynacc_function* function, const dynacc_request* requests, size_t request_count,
    const dynacc_call_options* options, dynacc_status** statuses, dynacc_value** results);

/* Calls `function` on a thread of the runtime's executor. `done` is called once, on that thread,
 * with a status (null: success) and a result that are its to free; memory that arguments lend must
 * stay valid until then. Where the status is a failure, `done` is not called. */
DYNACC_EXPORT dynacc_status* dynacc_function_call_async(
    const dynacc_function* function, const dynacc_value* const* arguments, size_t argument_count,
    const dynacc_call_options* options,
    void (*done)(void* context, dynacc_status* status, dynacc_value* result), void* context);

/* Calls `function` with each request until compiled code serves them. */
DYNACC_EXPORT dynacc_status* dynacc_warm_up(dynacc_runtime* runtime,
                                            const dynacc_function* function,
                                            const dynacc_request* requests, size_t request_count,
                                            const dynacc_call_options* options);

/* FunctionCounters of function.h. */
typedef struct dynacc_function_counters {
  size_t struct_size;
  uint64_t calls;
  uint64_t direct;
  uint64_t failures;
} dynacc_function_counters;
/* Set counters->struct_size before. */
DYNACC_EXPORT dynacc_status* dynacc_function_get_counters(const dynacc_function* function,
                                                          dynacc_function_counters* counters);

/* What it takes, as a dict: "text", "returns", "documentation", and "parameters", a list of dicts
 * with "name", "kind", "annotation" and, where there is one, "default". */
DYNACC_EXPORT dynacc_status* dynacc_function_signature(const dynacc_function* function,
                                                       dynacc_value** signature);

/* Axis `axis` of the argument of that name may vary, between bounds unless both are 0. */
typedef struct dynacc_dynamic_axis {
  const char* argument;
  int32_t axis;
  int64_t least;
  int64_t most;
} dynacc_dynamic_axis;
typedef struct dynacc_freeze_options {
  size_t struct_size;
  const char* const* keyword_names;
  const dynacc_value* const* keyword_values;
  size_t keyword_count;
  const dynacc_dynamic_axis* dynamic;
  size_t dynamic_count;
  const char* const* targets;
  size_t target_count;
  int32_t fast_math; /* 0 or 1 */
} dynacc_freeze_options;
/* Writes a program to `path` (program_c.h), traced on example arguments. `options` may be null. */
DYNACC_EXPORT dynacc_status* dynacc_function_freeze(const dynacc_function* function,
                                                    const char* path,
                                                    const dynacc_value* const* examples,
                                                    size_t example_count,
                                                    const dynacc_freeze_options* options);

/* A C function for Python to call. `arguments` belong to the caller. On success set `*result` (left
 * null: None), which Python takes over, and return null; else return a new status. */
typedef dynacc_status* (*dynacc_host_function)(void* context, const dynacc_value* const* arguments,
                                               size_t argument_count, dynacc_value** result);
/* A Python function of that name which calls `call`. `free_context`, if not null, is called with
 * `context` once Python has no reference left, or if this fails. Keyword arguments are refused. */
DYNACC_EXPORT dynacc_status* dynacc_make_function(dynacc_runtime* runtime, const char* name,
                                                  dynacc_host_function call, void* context,
                                                  void (*free_context)(void* context),
                                                  dynacc_function** function);

/* Makes a function, such as the one above, an operator that Python calls as
 * dynacc.operators.get(name), and that is a node of graphs. `name` is "library::operator", and
 * `shapes` says what it gives, as "f64[n, k] -> f64[n]". It must be a function of its arguments
 * alone. */
DYNACC_EXPORT dynacc_status* dynacc_register_op(dynacc_runtime* runtime, const char* name,
                                                const char* shapes, const dynacc_function* body);

/* The same with keyword arguments: `keyword_count` names and values, the caller's, too. */
typedef dynacc_status* (*dynacc_keyword_function)(void* context,
                                                  const dynacc_value* const* arguments,
                                                  size_t argument_count,
                                                  const char* const* keyword_names,
                                                  const dynacc_value* const* keyword_values,
                                                  size_t keyword_count, dynacc_value** result);
DYNACC_EXPORT dynacc_status* dynacc_make_keyword_function(dynacc_runtime* runtime, const char* name,
                                                          dynacc_keyword_function call,
                                                          void* context,
                                                          void (*free_context)(void* context),
                                                          dynacc_function** function);

/* To be named in the options of calls. */
DYNACC_EXPORT dynacc_cancellation* dynacc_cancellation_new(void);
/* Stops every call that was, or will be, given this object; from any thread. */
DYNACC_EXPORT dynacc_status* dynacc_cancellation_cancel(dynacc_cancellation* cancellation);
/* 1 once it was cancelled, 0 before; 0 for a null or foreign handle. */
DYNACC_EXPORT int32_t dynacc_cancellation_cancelled(const dynacc_cancellation* cancellation);
DYNACC_EXPORT void dynacc_cancellation_free(dynacc_cancellation* cancellation);

/* ---- Values (value.h) ----------------------------------------------------------------------- */

typedef enum dynacc_kind {
  DYNACC_NONE = 0,
  DYNACC_BOOL = 1,
  DYNACC_INT = 2,
  DYNACC_FLOAT = 3,
  DYNACC_STRING = 4,
  DYNACC_ARRAY = 5,
  DYNACC_LIST = 6,
  DYNACC_DICT = 7,
  DYNACC_OBJECT = 8
} dynacc_kind;

/* Makers. They copy text and, but for the array's memory, structs. Null without memory. */
DYNACC_EXPORT dynacc_value* dynacc_value_none(void);
DYNACC_EXPORT dynacc_value* dynacc_value_bool(int32_t value);
DYNACC_EXPORT dynacc_value* dynacc_value_int(int64_t value);
DYNACC_EXPORT dynacc_value* dynacc_value_uint(uint64_t value);
DYNACC_EXPORT dynacc_value* dynacc_value_float(double value);
DYNACC_EXPORT dynacc_value* dynacc_value_string(const char* text, size_t length);
DYNACC_EXPORT dynacc_value* dynacc_value_copy(const dynacc_value* value);
/* The function as an argument. */
DYNACC_EXPORT dynacc_value* dynacc_value_function(const dynacc_function* function);
/* The items are copied; the caller keeps his. A null item is None; a null name gives null. */
DYNACC_EXPORT dynacc_value* dynacc_value_list(const dynacc_value* const* items, size_t count);
DYNACC_EXPORT dynacc_value* dynacc_value_dict(const char* const* names,
                                              const dynacc_value* const* items, size_t count);
/* Without `release` the memory must stay valid until the call that takes the value returns, and
 * longer if Python keeps the array. With it, see Tensor::Adopt. INVALID_ARGUMENT for an array that
 * describes no memory; `release` is then not called. */
DYNACC_EXPORT dynacc_status* dynacc_value_array(const dynacc_array* array,
                                                void (*release)(void* context), void* context,
                                                dynacc_value** value);
DYNACC_EXPORT void dynacc_value_free(dynacc_value* value);

/* Readers. INVALID_ARGUMENT if the value is of another kind. dynacc_value_kind is DYNACC_NONE for a
 * null or foreign handle, too. */
DYNACC_EXPORT dynacc_kind dynacc_value_kind(const dynacc_value* value);
DYNACC_EXPORT dynacc_status* dynacc_value_get_bool(const dynacc_value* value, int32_t* result);
/* OUT_OF_RANGE for an int that the type does not hold. */
DYNACC_EXPORT dynacc_status* dynacc_value_get_int(const dynacc_value* value, int64_t* result);
DYNACC_EXPORT dynacc_status* dynacc_value_get_uint(const dynacc_value* value, uint64_t* result);
DYNACC_EXPORT dynacc_status* dynacc_value_get_float(const dynacc_value* value, double* result);
/* The text, with a zero behind it; valid until the value is freed. `length` may be null. */
DYNACC_EXPORT dynacc_status* dynacc_value_get_string(const dynacc_value* value, const char** text,
                                                     size_t* length);
/* Set array->struct_size before. Shape, strides and data are valid until the value is freed. */
DYNACC_EXPORT dynacc_status* dynacc_value_get_array(const dynacc_value* value, dynacc_array* array);
/* Items of a list or dict. */
DYNACC_EXPORT dynacc_status* dynacc_value_size(const dynacc_value* value, size_t* count);
/* A copy of item `index`. OUT_OF_RANGE beyond the end. */
DYNACC_EXPORT dynacc_status* dynacc_value_item(const dynacc_value* value, size_t index,
                                               dynacc_value** item);
/* The key of pair `index` of a dict; valid until the value is freed. */
DYNACC_EXPORT dynacc_status* dynacc_value_key(const dynacc_value* value, size_t index,
                                              const char** key);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif /* DYNACC_DYNACC_H_ */
