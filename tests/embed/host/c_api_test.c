/* Everything that dynacc.h has, from a program in plain C. Prints the first check that fails. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynacc/dynacc.h"

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

/* `status` must be a failure of that code whose message holds `text`. Frees it. */
static void expect_failure(dynacc_status* status, dynacc_code code, const char* text) {
  if (dynacc_status_code(status) != code || strstr(dynacc_status_message(status), text) == NULL) {
    fprintf(stderr, "status %d: %s\n", dynacc_status_code(status), dynacc_status_message(status));
    exit(1);
  }
  dynacc_status_free(status);
}

static void expect_ok(dynacc_status* status) { expect_failure(status, DYNACC_OK, ""); }

static const char* model_path;

static dynacc_function* get(dynacc_module* module, const char* name) {
  dynacc_function* function = NULL;
  expect_ok(dynacc_module_get(module, name, &function));
  return function;
}

static void test_ways_to_call(dynacc_runtime* runtime, dynacc_module* module) {
  double memory[3] = {1, 2, 3}, doubles[3] = {0, 0, 0};
  const int64_t shape[] = {3};
  dynacc_array array = {sizeof(dynacc_array), memory, DYNACC_ELEMENT_FLOAT64, 1, shape, NULL, 0, 0};
  dynacc_array output = {sizeof(dynacc_array), doubles, DYNACC_ELEMENT_FLOAT64, 1, shape, NULL, 0, 0};
  dynacc_function *doubled = get(module, "doubled"), *fails = get(module, "fails");
  dynacc_value *value = NULL, *results[2] = {NULL, NULL};
  dynacc_status* statuses[2] = {NULL, NULL};
  dynacc_function_counters counters = {0, 0, 0, 0};
  expect_ok(dynacc_value_array(&array, NULL, NULL, &value));
  const dynacc_value* const* arguments = (const dynacc_value* const*)&value;
  const dynacc_request requests[] = {{arguments, 1}, {NULL, 0}};
  expect_ok(dynacc_warm_up(runtime, doubled, requests, 1, NULL));
  expect_ok(dynacc_function_call_into(doubled, arguments, 1, &output, 1, NULL));
  CHECK(doubles[0] == 2 && doubles[2] == 6);
  output.element = DYNACC_ELEMENT_INT64;
  expect_failure(dynacc_function_call_into(doubled, arguments, 1, &output, 1, NULL),
                 DYNACC_INVALID_ARGUMENT, "output 1 is i64[3]");
  expect_failure(dynacc_function_call_into(doubled, arguments, 1, NULL, 1, NULL),
                 DYNACC_INVALID_ARGUMENT, "outputs: a null pointer");
  expect_ok(dynacc_function_call_batch(doubled, requests, 2, NULL, statuses, results));
  CHECK(statuses[0] == NULL && dynacc_value_kind(results[0]) == DYNACC_ARRAY);
  expect_failure(statuses[1], DYNACC_INVALID_ARGUMENT, "missing 1 required positional argument");
  CHECK(results[1] == NULL);
  expect_failure(dynacc_function_call_batch(doubled, requests, 2, NULL, NULL, results),
                 DYNACC_INVALID_ARGUMENT, "statuses");
  expect_failure(dynacc_function_call_batch(doubled, NULL, 2, NULL, statuses, results),
                 DYNACC_INVALID_ARGUMENT, "requests");
  expect_failure(dynacc_function_get_counters(doubled, &counters), DYNACC_INVALID_ARGUMENT,
                 "struct_size");
  counters.struct_size = sizeof counters;
  expect_ok(dynacc_function_get_counters(doubled, &counters));
  CHECK(counters.calls >= 5 && counters.failures == 2 && counters.direct < counters.calls);
  expect_failure(dynacc_warm_up(runtime, fails, &requests[1], 1, NULL), DYNACC_INVALID_ARGUMENT,
                 "division by zero");
  dynacc_value_free(results[0]);
  dynacc_value_free(value);
  dynacc_function_free(doubled);
  dynacc_function_free(fails);
}

/* The host's executor: keeps the work until the test runs it. */
static void (*kept_work)(void*) = NULL;
static void* kept_context = NULL;
static void keep(void* context, void (*work)(void* work_context), void* work_context) {
  *(int*)context += 1;
  kept_work = work;
  kept_context = work_context;
}
static int works_kept = 0;

static void note_result(void* context, dynacc_status* status, dynacc_value* result) {
  CHECK(status == NULL);
  expect_ok(dynacc_value_get_int(result, context));
  dynacc_value_free(result);
}

static void test_asynchronous_calls(dynacc_module* module) {
  dynacc_function* echo = get(module, "echo");
  dynacc_value* number = dynacc_value_int(7);
  int64_t seen = 0;
  expect_ok(dynacc_function_call_async(echo, (const dynacc_value* const*)&number, 1, NULL,
                                       note_result, &seen));
  dynacc_value_free(number);
  CHECK(works_kept == 1 && seen == 0);
  kept_work(kept_context);
  CHECK(seen == 7);
  expect_failure(dynacc_function_call_async(echo, NULL, 0, NULL, NULL, NULL),
                 DYNACC_INVALID_ARGUMENT, "done: a null function");
  dynacc_function_free(echo);
}

static void test_what_a_function_is(dynacc_module* module) {
  dynacc_function *scaled = get(module, "scaled"), *doubled = get(module, "doubled");
  dynacc_value *signature = NULL, *item = NULL, *value = NULL;
  double memory[4] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  dynacc_array array = {sizeof(dynacc_array), memory, DYNACC_ELEMENT_FLOAT64, 1, shape, NULL, 0, 0};
  const dynacc_dynamic_axis dynamic[] = {{"a", 0, 1, 100}};
  const char* targets[] = {"x86-64-v3"};
  dynacc_freeze_options options = {sizeof(dynacc_freeze_options), NULL, NULL, 0, dynamic, 1, targets, 1,
                                   0};
  char path[4096];
  const char* text = NULL;
  FILE* file = NULL;
  expect_ok(dynacc_function_signature(scaled, &signature));
  expect_ok(dynacc_value_item(signature, 0, &item));
  expect_ok(dynacc_value_get_string(item, &text, NULL));
  CHECK(strcmp(text, "(scale)") == 0);
  snprintf(path, sizeof path, "%s/c_api_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  CHECK(mkstemp(path) >= 0);
  expect_ok(dynacc_value_array(&array, NULL, NULL, &value));
  expect_ok(dynacc_function_freeze(doubled, path, (const dynacc_value* const*)&value, 1, &options));
  file = fopen(path, "rb");
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 1000);
  fclose(file);
  remove(path);
  options.targets = NULL;
  expect_failure(
      dynacc_function_freeze(doubled, path, (const dynacc_value* const*)&value, 1, &options),
      DYNACC_INVALID_ARGUMENT, "targets");
  dynacc_value_free(value);
  dynacc_value_free(item);
  dynacc_value_free(signature);
  dynacc_function_free(scaled);
  dynacc_function_free(doubled);
}

static void test_source_and_switches(dynacc_runtime* runtime) {
  dynacc_module* module = NULL;
  dynacc_function* function = NULL;
  expect_ok(dynacc_load_source(runtime, "from_text", "def f(): pass\n", &module));
  function = get(module, "f");
  dynacc_function_free(function);
  dynacc_module_free(module);
  expect_failure(dynacc_load_source(runtime, "from_text", "def f(:\n", &module),
                 DYNACC_INVALID_ARGUMENT, "SyntaxError");
  expect_failure(dynacc_set_logs("no_such_topic"), DYNACC_INVALID_ARGUMENT, "no_such_topic");
  expect_ok(dynacc_set_logs("graph"));
  expect_ok(dynacc_set_trace("", 0));
  expect_failure(dynacc_set_trace(NULL, 0), DYNACC_INVALID_ARGUMENT, "path");
}

static int lines_logged = 0;
static void count_line(void* context, const char* line, size_t length) {
  (void)line;
  *(int*)context += length > 0;
}

static void test_scalars_and_containers(dynacc_module* module) {
  dynacc_function* echo = get(module, "echo");
  const char* names[] = {"k"};
  dynacc_value* number = dynacc_value_int(7);
  dynacc_value* parts[] = {dynacc_value_none(), dynacc_value_bool(1), dynacc_value_float(0.5),
                           dynacc_value_string("hi", 2),
                           dynacc_value_dict(names, (const dynacc_value* const*)&number, 1)};
  dynacc_value* list = dynacc_value_list((const dynacc_value* const*)parts, 5);
  dynacc_value *result = NULL, *item = NULL;
  size_t count = 0, length = 0;
  int32_t truth = 0;
  int64_t integer = 0;
  double real = 0;
  const char* text = NULL;
  expect_ok(dynacc_function_call(echo, (const dynacc_value* const*)&list, 1, NULL, &result));
  expect_ok(dynacc_value_size(result, &count));
  CHECK(count == 5 && dynacc_value_kind(result) == DYNACC_LIST);
  expect_ok(dynacc_value_item(result, 1, &item));
  expect_ok(dynacc_value_get_bool(item, &truth));
  expect_failure(dynacc_value_get_int(item, &integer), DYNACC_INVALID_ARGUMENT,
                 "a bool, not an int");
  dynacc_value_free(item);
  expect_ok(dynacc_value_item(result, 2, &item));
  expect_ok(dynacc_value_get_float(item, &real));
  dynacc_value_free(item);
  expect_ok(dynacc_value_item(result, 3, &item));
  expect_ok(dynacc_value_get_string(item, &text, &length));
  CHECK(truth == 1 && real == 0.5 && length == 2 && strcmp(text, "hi") == 0);
  dynacc_value_free(item);
  expect_ok(dynacc_value_item(result, 4, &item));
  expect_ok(dynacc_value_key(item, 0, &text));
  CHECK(strcmp(text, "k") == 0 && dynacc_value_kind(item) == DYNACC_DICT);
  dynacc_value_free(item);
  expect_failure(dynacc_value_item(result, 5, &item), DYNACC_OUT_OF_RANGE, "item 5 of 5");
  for (int i = 0; i < 5; ++i) dynacc_value_free(parts[i]);
  dynacc_value_free(number);
  dynacc_value_free(list);
  dynacc_value_free(result);
  dynacc_function_free(echo);
}

static void test_large_ints(dynacc_module* module) {
  dynacc_function* echo = get(module, "echo");
  dynacc_value *number = dynacc_value_uint(UINT64_MAX), *result = NULL, *small = dynacc_value_int(-1);
  uint64_t large = 0;
  int64_t integer = 0;
  expect_ok(dynacc_function_call(echo, (const dynacc_value* const*)&number, 1, NULL, &result));
  CHECK(dynacc_value_kind(result) == DYNACC_INT);
  expect_ok(dynacc_value_get_uint(result, &large));
  CHECK(large == UINT64_MAX);
  expect_failure(dynacc_value_get_int(result, &integer), DYNACC_OUT_OF_RANGE, "is no int64_t");
  expect_failure(dynacc_value_get_uint(small, &large), DYNACC_OUT_OF_RANGE, "-1 is negative");
  dynacc_value_free(number);
  dynacc_value_free(small);
  dynacc_value_free(result);
  dynacc_function_free(echo);
}

static int released = 0;
static void release(void* context) { *(int*)context += 1; }

static void test_arrays(dynacc_module* module) {
  double memory[6] = {0, 1, 2, 3, 4, 5};
  const int64_t shape[] = {2, 3};
  dynacc_array array = {sizeof(dynacc_array), memory, DYNACC_ELEMENT_FLOAT64, 2, shape, NULL, 0, 0};
  dynacc_array seen = {sizeof(dynacc_array), NULL, 0, 0, NULL, NULL, 0, 0};
  dynacc_function* doubled = get(module, "doubled");
  dynacc_value *value = NULL, *result = NULL;
  expect_ok(dynacc_value_array(&array, release, &released, &value));
  expect_ok(dynacc_function_call(doubled, (const dynacc_value* const*)&value, 1, NULL, &result));
  expect_ok(dynacc_value_get_array(result, &seen));
  CHECK(seen.rank == 2 && seen.shape[1] == 3 && seen.strides[1] == 8);
  CHECK(seen.element == DYNACC_ELEMENT_FLOAT64 && ((const double*)seen.data)[5] == 10);
  CHECK(seen.device == 0);
  /* A program that was compiled when the struct ended before `device`. */
  array.struct_size = seen.struct_size = offsetof(dynacc_array, device);
  array.device = seen.device = 99;
  dynacc_value_free(value);
  CHECK(released == 1);
  expect_ok(dynacc_value_array(&array, release, &released, &value));
  expect_ok(dynacc_value_get_array(result, &seen));
  CHECK(seen.device == 99 && ((const double*)seen.data)[5] == 10);
  dynacc_value_free(result);
  array.struct_size = sizeof(dynacc_array);
  array.device = -5;
  expect_failure(dynacc_value_array(&array, NULL, NULL, &result), DYNACC_INVALID_ARGUMENT,
                 "device -5");
  CHECK(released == 1);
  dynacc_value_free(value);
  CHECK(released == 2);
  array.rank = -1;
  expect_failure(dynacc_value_array(&array, NULL, NULL, &value), DYNACC_INVALID_ARGUMENT,
                 "no shape");
  array.struct_size = 3;
  expect_failure(dynacc_value_array(&array, NULL, NULL, &value), DYNACC_INVALID_ARGUMENT,
                 "struct_size");
  dynacc_function_free(doubled);
}

static dynacc_status* add(void* context, const dynacc_value* const* arguments, size_t count,
                          dynacc_value** result) {
  int64_t sum = *(int*)context, next = 0;
  for (size_t i = 0; i < count; ++i) {
    dynacc_status* status = dynacc_value_get_int(arguments[i], &next);
    if (status != NULL) return status;
    sum += next;
  }
  *result = dynacc_value_int(sum);
  return NULL;
}

/* arguments[0] times the keyword `factor`. */
static dynacc_status* scale(void* context, const dynacc_value* const* arguments, size_t count,
                            const char* const* names, const dynacc_value* const* values,
                            size_t keyword_count, dynacc_value** result) {
  int64_t number = 0, factor = 0;
  (void)context;
  if (count != 1 || keyword_count != 1 || strcmp(names[0], "factor") != 0) {
    return dynacc_status_new(DYNACC_OUT_OF_RANGE, "scale(number, factor=)");
  }
  expect_ok(dynacc_value_get_int(arguments[0], &number));
  expect_ok(dynacc_value_get_int(values[0], &factor));
  *result = dynacc_value_int(number * factor);
  return NULL;
}

static void test_keyword_callbacks(dynacc_runtime* runtime, dynacc_module* module) {
  dynacc_function *host = NULL, *scaled = get(module, "scaled");
  dynacc_value *value = NULL, *result = NULL;
  int64_t number = 0;
  int freed = 0;
  expect_failure(dynacc_make_keyword_function(runtime, "none", NULL, &freed, release, &host),
                 DYNACC_INVALID_ARGUMENT, "a null function");
  CHECK(freed == 1);
  expect_ok(dynacc_make_keyword_function(runtime, "scale", scale, &freed, release, &host));
  value = dynacc_value_function(host);
  expect_ok(dynacc_function_call(scaled, (const dynacc_value* const*)&value, 1, NULL, &result));
  expect_ok(dynacc_value_get_int(result, &number));
  CHECK(number == 42);
  expect_failure(dynacc_function_call(host, NULL, 0, NULL, NULL), DYNACC_OUT_OF_RANGE, "factor=");
  dynacc_value_free(value);
  dynacc_value_free(result);
  dynacc_function_free(host);
  dynacc_function_free(scaled);
}

static void test_null_pointers(dynacc_module* module) {
  dynacc_function* echo = get(module, "echo");
  dynacc_value *text = dynacc_value_string("x", 1), *list = dynacc_value_list(NULL, 0);
  dynacc_value* copy = dynacc_value_copy(text);
  dynacc_call_options options = {sizeof(dynacc_call_options), NULL, NULL, 1, 0, NULL};
  expect_failure(dynacc_function_call(echo, NULL, 1, NULL, NULL), DYNACC_INVALID_ARGUMENT,
                 "arguments: a null pointer");
  expect_failure(dynacc_function_call(echo, NULL, 0, &options, NULL), DYNACC_INVALID_ARGUMENT,
                 "keyword_names: a null pointer");
  expect_failure(dynacc_value_get_string(copy, NULL, NULL), DYNACC_INVALID_ARGUMENT, "text");
  expect_failure(dynacc_value_get_int(NULL, NULL), DYNACC_INVALID_ARGUMENT, "a null dynacc_value");
  expect_failure(dynacc_value_size(list, NULL), DYNACC_INVALID_ARGUMENT, "count");
  expect_failure(dynacc_stat("frames_seen", NULL), DYNACC_INVALID_ARGUMENT, "count");
  CHECK(dynacc_value_list(NULL, 1) == NULL && dynacc_value_dict(NULL, NULL, 1) == NULL);
  CHECK(dynacc_value_copy(NULL) == NULL && dynacc_value_function(NULL) == NULL);
  CHECK(dynacc_element_size(DYNACC_ELEMENT_COMPLEX64) == 8 && dynacc_element_size(99) == 0);
  dynacc_value_free(copy);
  dynacc_value_free(text);
  dynacc_value_free(list);
  dynacc_function_free(echo);
}

static void test_counters(void) {
  size_t i = 0, seen = 0;
  for (; dynacc_stat_name(i) != NULL; ++i) {
    uint64_t count = 0;
    expect_ok(dynacc_stat(dynacc_stat_name(i), &count));
    seen += strcmp(dynacc_stat_name(i), "kernel_launches") == 0;
  }
  CHECK(seen == 1 && dynacc_stat_name(i + 1) == NULL);
}

static void test_callbacks(dynacc_runtime* runtime, dynacc_module* module) {
  static int base = 100;
  dynacc_function *host = NULL, *apply = get(module, "apply");
  dynacc_value *value = NULL, *result = NULL;
  int64_t sum = 0;
  expect_ok(dynacc_make_function(runtime, "add", add, &base, NULL, &host));
  value = dynacc_value_function(host);
  expect_ok(dynacc_module_set(module, "add", value));
  expect_ok(dynacc_function_call(apply, (const dynacc_value* const*)&value, 1, NULL, &result));
  expect_ok(dynacc_value_get_int(result, &sum));
  CHECK(sum == 103);
  expect_ok(dynacc_register_op(runtime, "c::add", "_, _ -> i64[]", host));
  expect_failure(dynacc_register_op(runtime, "c_add", "_, _ -> i64[]", host), DYNACC_INVALID_ARGUMENT,
                 "'library::operator'");
  expect_failure(dynacc_register_op(runtime, "c::add", NULL, host), DYNACC_INVALID_ARGUMENT, "shapes");
  dynacc_value_free(value);
  dynacc_value_free(result);
  dynacc_function_free(host);
  dynacc_function_free(apply);
}

static void test_stops(dynacc_module* module) {
  dynacc_function* forever = get(module, "forever");
  dynacc_cancellation* cancellation = dynacc_cancellation_new();
  dynacc_call_options options = {sizeof(dynacc_call_options), NULL, NULL, 0, 20 * 1000000, NULL};
  expect_failure(dynacc_function_call(forever, NULL, 0, &options, NULL), DYNACC_DEADLINE_EXCEEDED,
                 "deadline");
  options.cancellation = cancellation;
  CHECK(!dynacc_cancellation_cancelled(cancellation) && !dynacc_cancellation_cancelled(NULL));
  expect_ok(dynacc_cancellation_cancel(cancellation));
  CHECK(dynacc_cancellation_cancelled(cancellation));
  expect_failure(dynacc_cancellation_cancel(NULL), DYNACC_INVALID_ARGUMENT, "a null");
  expect_failure(dynacc_function_call(forever, NULL, 0, &options, NULL), DYNACC_CANCELLED,
                 "cancelled");
  dynacc_cancellation_free(cancellation);
  dynacc_function_free(forever);
}

static void test_errors(dynacc_runtime* runtime, dynacc_module* module) {
  dynacc_function *fails = get(module, "fails"), *missing = NULL;
  dynacc_module* none = NULL;
  uint64_t count = 0;
  dynacc_status* status = dynacc_function_call(fails, NULL, 0, NULL, NULL);
  CHECK(strcmp(dynacc_status_python_type(status), "ZeroDivisionError") == 0);
  CHECK(strcmp(dynacc_status_python_message(status), "division by zero") == 0);
  CHECK(strstr(dynacc_status_python_traceback(status), "in fails") != NULL);
  dynacc_status_free(status);
  expect_failure(dynacc_module_get(module, "missing", &missing), DYNACC_NOT_FOUND, "missing");
  CHECK(missing == NULL);
  expect_failure(dynacc_module_get(NULL, "x", &missing), DYNACC_INVALID_ARGUMENT,
                 "a null dynacc_module");
  expect_failure(dynacc_module_get((dynacc_module*)fails, "x", &missing), DYNACC_INVALID_ARGUMENT,
                 "what is no dynacc_module");
  expect_failure(dynacc_load_file(runtime, "/no/such.py", &none), DYNACC_NOT_FOUND, "such.py");
  expect_failure(dynacc_stat("no_such_counter", &count), DYNACC_NOT_FOUND, "no_such_counter");
  expect_ok(dynacc_stat("frames_seen", &count));
  dynacc_function_free(fails);
  dynacc_function_free(NULL);
}

int main(int argc, char** argv) {
  dynacc_runtime *runtime = NULL, *second = NULL;
  dynacc_module *module = NULL, *math = NULL;
  dynacc_runtime_options options;
  dynacc_value* pi = NULL;
  double value = 0;
  CHECK(argc == 2);
  model_path = argv[1];
  memset(&options, 0, sizeof options);
  expect_failure(dynacc_runtime_start(&options, &runtime), DYNACC_INVALID_ARGUMENT, "struct_size");
  options.struct_size = sizeof options;
  options.argument_count = 1;
  expect_failure(dynacc_runtime_start(&options, &runtime), DYNACC_INVALID_ARGUMENT, "arguments");
  options.argument_count = 0;
  const char* devices[] = {"abacus"};
  options.devices = devices;
  options.device_count = 1;
  expect_failure(dynacc_runtime_start(&options, &runtime), DYNACC_INVALID_ARGUMENT, "abacus");
  /* A program of version 0.1 does not have what came after log_context. */
  options.struct_size = offsetof(dynacc_runtime_options, devices);
  options.policy = "always";
  options.logs = "graph";
  options.log_sink = count_line;
  options.log_context = &lines_logged;
  expect_ok(dynacc_runtime_start(&options, &runtime));
  expect_failure(dynacc_runtime_start(NULL, &second), DYNACC_FAILED_PRECONDITION, "already");
  expect_ok(dynacc_import_module(runtime, "math", &math));
  expect_ok(dynacc_module_get_value(math, "pi", &pi));
  expect_ok(dynacc_value_get_float(pi, &value));
  CHECK(value > 3.14 && value < 3.15);
  expect_ok(dynacc_load_file(runtime, model_path, &module));
  test_scalars_and_containers(module);
  test_large_ints(module);
  test_ways_to_call(runtime, module);
  test_what_a_function_is(module);
  test_source_and_switches(runtime);
  test_arrays(module);
  test_callbacks(runtime, module);
  test_keyword_callbacks(runtime, module);
  test_null_pointers(module);
  test_counters();
  test_stops(module);
  test_errors(runtime, module);
  CHECK(lines_logged > 0);
  dynacc_runtime_free(runtime);
  /* The next one has an executor of this program. */
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.most_calls = 3;
  options.executor = keep;
  options.executor_context = &works_kept;
  dynacc_module_free(module);
  expect_ok(dynacc_runtime_start(&options, &runtime));
  expect_ok(dynacc_load_file(runtime, model_path, &module));
  test_asynchronous_calls(module);
  dynacc_runtime_free(runtime);
  expect_failure(dynacc_module_get_value(math, "pi", &pi), DYNACC_FAILED_PRECONDITION, "Runtime");
  dynacc_value_free(pi);
  dynacc_module_free(math);
  dynacc_module_free(module);
  printf("dynacc %s from C: ok\n", dynacc_version());
  return 0;
}
