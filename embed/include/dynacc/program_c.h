/* Programs for C, and for every language that calls C: functions that dynacc.export has frozen to a
 * file, run without Python. The library is libdynacc_program; docs/program.md is the guide.
 *
 *   dynacc_program* program;
 *   dynacc_program_error* error = dynacc_program_load("f.dynacc", &program);
 *   if (error) { fputs(dynacc_program_error_message(error), stderr);
 * dynacc_program_error_free(error); }
 *
 * Errors: a function that can fail returns a dynacc_program_error*, null for success; the caller
 * frees it. Codes are dynacc_code's. A null pointer where there must be something is
 * DYNACC_INVALID_ARGUMENT.
 *
 * Threads: any number of them may run one program at once; nothing waits for anything. Text is
 * UTF-8. Structs start with their size, so that later versions can add fields at the end. */
#ifndef DYNACC_PROGRAM_C_H_
#define DYNACC_PROGRAM_C_H_

#include <stddef.h>
#include <stdint.h>

#include "dynacc/dynacc.h" /* dynacc_code, dynacc_element */
#include "dynacc/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): C has no other way. */
typedef struct dynacc_program dynacc_program;
typedef struct dynacc_program_error dynacc_program_error;

#define DYNACC_PROGRAM_MAX_RANK 8

/* An array: memory that the caller lends, or that a run has made. */
typedef struct dynacc_program_array {
  size_t struct_size;
  void* data;      /* the element with every index 0; may be null if there is no element */
  int32_t element; /* a dynacc_element */
  int32_t rank;
  int64_t shape[DYNACC_PROGRAM_MAX_RANK];
  int64_t strides[DYNACC_PROGRAM_MAX_RANK]; /* bytes, negative ones too */
  void* memory; /* null, or what a run has made, for dynacc_program_array_free */
} dynacc_program_array;

/* A number that a program takes besides arrays: the member of its type; a bool is 0 or 1 in `i`. */
typedef union dynacc_program_number {
  int64_t i;
  double f;
} dynacc_program_number;

typedef struct dynacc_program_options {
  size_t struct_size;
  int64_t timeout_nanoseconds; /* 0: none. DYNACC_DEADLINE_EXCEEDED some milliseconds later */
  /* Asked every few milliseconds of a long run, on the calling thread; null: nobody asks. Not 0
   * ends it with DYNACC_CANCELLED. */
  int (*stop)(void* context);
  void* context;
} dynacc_program_options;

/* "0.1.0". Static text. */
DYNACC_EXPORT const char* dynacc_program_version(void);

/* ---- Errors --------------------------------------------------------------------------------- */

DYNACC_EXPORT dynacc_code dynacc_program_error_code(const dynacc_program_error* error);
/* Valid until the error is freed; "" for null. */
DYNACC_EXPORT const char* dynacc_program_error_message(const dynacc_program_error* error);
DYNACC_EXPORT void dynacc_program_error_free(dynacc_program_error* error);

/* ---- Programs ------------------------------------------------------------------------------- */

/* Maps the file, compares its hash, and makes its code callable. Nobody may write to the file while
 * the program lives; replace it by a rename. Its code is run: load only files that you would load
 * as a shared library. */
DYNACC_EXPORT dynacc_program_error* dynacc_program_load(const char* path, dynacc_program** program);
/* The same of a program whose weights are outside of it: `weights` is the safetensors file that has
 * them, which is mapped, too. DYNACC_INVALID_ARGUMENT, naming the array, where one is missing or of
 * another type or shape, or not the one that the program was made for. An empty path is none. */
DYNACC_EXPORT dynacc_program_error* dynacc_program_load_with_weights(const char* path,
                                                                     const char* weights,
                                                                     dynacc_program** program);
/* As dynacc_program_load, of a file's bytes, which are copied. */
DYNACC_EXPORT dynacc_program_error* dynacc_program_load_bytes(const void* bytes, size_t size,
                                                              dynacc_program** program);
/* When no run of it is going on. Memory of results is not the program's. */
DYNACC_EXPORT void dynacc_program_free(dynacc_program* program);

/* What was exported: "score (model.py:12)". Texts are valid as long as the program. */
DYNACC_EXPORT const char* dynacc_program_function(const dynacc_program* program);
/* The level of CPUs whose code was loaded: "x86-64-v3"; "": loops that every machine has. */
DYNACC_EXPORT const char* dynacc_program_level(const dynacc_program* program);

/* How many arrays and numbers a run takes, and how many arrays it gives. */
DYNACC_EXPORT size_t dynacc_program_input_count(const dynacc_program* program);
DYNACC_EXPORT size_t dynacc_program_number_count(const dynacc_program* program);
DYNACC_EXPORT size_t dynacc_program_output_count(const dynacc_program* program);

/* Names as the function's author says them: "x", "params['w'][0]", "result[1]". "" beyond the
 * last. */
DYNACC_EXPORT const char* dynacc_program_input_name(const dynacc_program* program, size_t index);
DYNACC_EXPORT const char* dynacc_program_number_name(const dynacc_program* program, size_t index);
DYNACC_EXPORT const char* dynacc_program_output_name(const dynacc_program* program, size_t index);

/* Fills element, rank and shape; a size that runs tell is -1. `array->struct_size` must be set. */
DYNACC_EXPORT dynacc_program_error* dynacc_program_input(const dynacc_program* program,
                                                         size_t index, dynacc_program_array* array);
DYNACC_EXPORT dynacc_program_error* dynacc_program_output(const dynacc_program* program,
                                                          size_t index,
                                                          dynacc_program_array* array);

/* Runs it. `outputs`: one for each output. Where `data` is null and there is no memory, the run
 * makes an array and fills in all of it, to be given to dynacc_program_array_free. Otherwise it is
 * the caller's buffer, of the output's element type and shape, with any strides; it may overlap an
 * input. Nothing of it is kept. `options` may be null.
 *
 * DYNACC_INVALID_ARGUMENT, naming the input or output, if a guard refuses. DYNACC_OUT_OF_RANGE,
 * naming the function, and the input where that is known, for values that the function raises for:
 * an index beyond an array, a singular matrix. After an error no memory
 * is the caller's to free, and buffers of the caller's have any contents. Floating-point errors are
 * not reported, and the thread's flags are left as they were. */
DYNACC_EXPORT dynacc_program_error* dynacc_program_run(
    const dynacc_program* program, const dynacc_program_array* inputs, size_t input_count,
    const dynacc_program_number* numbers, size_t number_count, dynacc_program_array* outputs,
    size_t output_count, const dynacc_program_options* options);

/* Frees what a run made, if it made any; `memory` and `data` are null then. */
DYNACC_EXPORT void dynacc_program_array_free(dynacc_program_array* array);
/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif /* DYNACC_PROGRAM_C_H_ */
