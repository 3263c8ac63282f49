// dynacc_function and dynacc_cancellation of dynacc.h.
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "embed/host/c/handles.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::StatusOr<List> ValuesOf(const dynacc_value* const* values, size_t count) {
  if (count > 0) DYNACC_RETURN_IF_ERROR(CheckThere(values, "arguments"));
  List list;
  for (size_t i = 0; i < count; ++i) {
    DYNACC_RETURN_IF_ERROR(Check(values[i]));
    list.push_back(values[i]->held);
  }
  return list;
}

absl::StatusOr<CallOptions> OptionsOf(const dynacc_call_options* given) {
  CallOptions options;
  if (given == nullptr) return options;
  DYNACC_RETURN_IF_ERROR(CheckSize(given, "dynacc_call_options"));
  if (given->keyword_count > 0) {
    DYNACC_RETURN_IF_ERROR(CheckThere(given->keyword_names, "keyword_names"));
    DYNACC_RETURN_IF_ERROR(CheckThere(given->keyword_values, "keyword_values"));
  }
  for (size_t i = 0; i < given->keyword_count; ++i) {
    DYNACC_RETURN_IF_ERROR(CheckText(given->keyword_names[i], "keyword_names"));
    DYNACC_RETURN_IF_ERROR(Check(given->keyword_values[i]));
    options.keywords.emplace_back(given->keyword_names[i], given->keyword_values[i]->held);
  }
  if (given->timeout_nanoseconds != 0) {
    options.deadline = absl::Now() + absl::Nanoseconds(given->timeout_nanoseconds);
  }
  if (given->cancellation != nullptr) {
    DYNACC_RETURN_IF_ERROR(Check(given->cancellation));
    options.cancellation = &given->cancellation->held;
  }
  return options;
}

absl::StatusOr<Value> Call(const dynacc_function* function, const dynacc_value* const* arguments,
                           size_t count, const dynacc_call_options* given) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(const List values, ValuesOf(arguments, count));
  DYNACC_ASSIGN_OR_RETURN(const CallOptions options, OptionsOf(given));
  return function->held.Call(values, options);
}

absl::Status CallInto(const dynacc_function* function, const dynacc_value* const* arguments,
                      size_t count, const dynacc_array* outputs, size_t output_count,
                      const dynacc_call_options* given) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(const List values, ValuesOf(arguments, count));
  DYNACC_ASSIGN_OR_RETURN(const CallOptions options, OptionsOf(given));
  if (output_count > 0) DYNACC_RETURN_IF_ERROR(CheckThere(outputs, "outputs"));
  std::vector<TensorView> views;
  for (size_t i = 0; i < output_count; ++i) {
    DYNACC_ASSIGN_OR_RETURN(TensorView view, ViewOf(&outputs[i]));
    views.push_back(std::move(view));
  }
  return function->held.CallInto(values, views, options);
}

absl::StatusOr<std::vector<List>> RequestsOf(const dynacc_request* requests, size_t count) {
  if (count > 0) DYNACC_RETURN_IF_ERROR(CheckThere(requests, "requests"));
  std::vector<List> lists;
  for (size_t i = 0; i < count; ++i) {
    DYNACC_ASSIGN_OR_RETURN(List values,
                            ValuesOf(requests[i].arguments, requests[i].argument_count));
    lists.push_back(std::move(values));
  }
  return lists;
}

absl::Status CallBatch(const dynacc_function* function, const dynacc_request* requests,
                       size_t count, const dynacc_call_options* given, dynacc_status** statuses,
                       dynacc_value** results) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<List> lists, RequestsOf(requests, count));
  DYNACC_ASSIGN_OR_RETURN(const CallOptions options, OptionsOf(given));
  if (count == 0) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(CheckThere(statuses, "statuses"));
  DYNACC_RETURN_IF_ERROR(CheckThere(results, "results"));
  std::vector<absl::StatusOr<Value>> all = function->held.CallBatch(lists, options);
  for (size_t i = 0; i < count; ++i) statuses[i] = Give(std::move(all[i]), &results[i]);
  return absl::OkStatus();
}

absl::Status CallAsync(const dynacc_function* function, const dynacc_value* const* arguments,
                       size_t count, const dynacc_call_options* given,
                       void (*done)(void*, dynacc_status*, dynacc_value*), void* context) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(List values, ValuesOf(arguments, count));
  DYNACC_ASSIGN_OR_RETURN(CallOptions options, OptionsOf(given));
  if (done == nullptr) return absl::InvalidArgumentError("done: a null function");
  function->held.CallAsync(std::move(values), std::move(options),
                           [done, context](absl::StatusOr<Value> result) {
                             dynacc_value* value = nullptr;
                             dynacc_status* const status = Give(std::move(result), &value);
                             done(context, status, value);
                           });
  return absl::OkStatus();
}

absl::Status WarmUp(dynacc_runtime* runtime, const dynacc_function* function,
                    const dynacc_request* requests, size_t count,
                    const dynacc_call_options* given) {
  DYNACC_RETURN_IF_ERROR(Check(runtime));
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<List> lists, RequestsOf(requests, count));
  DYNACC_ASSIGN_OR_RETURN(const CallOptions options, OptionsOf(given));
  return runtime->held->WarmUp(function->held, lists, options);
}

absl::Status GetCounters(const dynacc_function* function, dynacc_function_counters* counters) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_RETURN_IF_ERROR(CheckSize(counters, "dynacc_function_counters"));
  const FunctionCounters counted = function->held.Counters();
  *counters = {sizeof(*counters), counted.calls, counted.direct, counted.failures};
  return absl::OkStatus();
}

absl::StatusOr<Value> SignatureOf(const dynacc_function* function) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_ASSIGN_OR_RETURN(const Signature signature, function->held.Signature());
  List parameters;
  for (const Parameter& parameter : signature.parameters) {
    Dict row = {
        {"name", parameter.name}, {"kind", parameter.kind}, {"annotation", parameter.annotation}};
    if (parameter.has_default) row.emplace_back("default", parameter.default_value);
    parameters.emplace_back(std::move(row));
  }
  return Dict{{"text", signature.text},
              {"returns", signature.returns},
              {"documentation", signature.documentation},
              {"parameters", std::move(parameters)}};
}

absl::StatusOr<FreezeOptions> OptionsOf(const dynacc_freeze_options* given) {
  FreezeOptions options;
  if (given == nullptr) return options;
  DYNACC_RETURN_IF_ERROR(CheckSize(given, "dynacc_freeze_options"));
  dynacc_call_options keywords = {};
  keywords.struct_size = sizeof(keywords);
  keywords.keyword_names = given->keyword_names;
  keywords.keyword_values = given->keyword_values;
  keywords.keyword_count = given->keyword_count;
  DYNACC_ASSIGN_OR_RETURN(CallOptions call, OptionsOf(&keywords));
  options.keywords = std::move(call.keywords);
  if (given->dynamic_count > 0) DYNACC_RETURN_IF_ERROR(CheckThere(given->dynamic, "dynamic"));
  for (size_t i = 0; i < given->dynamic_count; ++i) {
    const dynacc_dynamic_axis& axis = given->dynamic[i];
    DYNACC_RETURN_IF_ERROR(CheckText(axis.argument, "dynamic"));
    options.dynamic[axis.argument].push_back({axis.axis, axis.least, axis.most});
  }
  DYNACC_ASSIGN_OR_RETURN(options.targets, TextsOf(given->targets, given->target_count, "targets"));
  options.fast_math = given->fast_math != 0;
  return options;
}

absl::Status Freeze(const dynacc_function* function, const char* path,
                    const dynacc_value* const* examples, size_t count,
                    const dynacc_freeze_options* given) {
  DYNACC_RETURN_IF_ERROR(Check(function));
  DYNACC_RETURN_IF_ERROR(CheckText(path, "path"));
  DYNACC_ASSIGN_OR_RETURN(const List values, ValuesOf(examples, count));
  DYNACC_ASSIGN_OR_RETURN(const FreezeOptions options, OptionsOf(given));
  return function->held.Freeze(path, values, options);
}

// What C returned, as a StatusOr; frees both.
absl::StatusOr<Value> Take(dynacc_status* status, dynacc_value* result) {
  const absl::Status failure = status == nullptr ? absl::OkStatus() : status->held;
  dynacc_status_free(status);
  const Value value = Check(result).ok() ? result->held : Value();
  dynacc_value_free(result);
  if (!failure.ok()) return failure;
  return value;
}

// Values as C sees them, for the extent of a call.
class Handles {
 public:
  void Add(const Value& value) {
    handles_.emplace_back().held = value;
    pointers_.push_back(&handles_.back());
  }
  const dynacc_value* const* data() const { return pointers_.data(); }
  size_t size() const { return pointers_.size(); }

 private:
  std::deque<dynacc_value> handles_;  // which stay where they are
  std::vector<const dynacc_value*> pointers_;
};

// C functions as the C++ API takes them. The context goes with the last copy.
HostFunction HostFunctionOf(std::string name, dynacc_host_function call,
                            std::shared_ptr<void> context) {
  return [name = std::move(name), call, context = std::move(context)](
             const List& arguments, const Dict& keywords) -> absl::StatusOr<Value> {
    if (!keywords.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(name, "() takes no keyword arguments"));
    }
    Handles positional;
    for (const Value& argument : arguments) positional.Add(argument);
    dynacc_value* result = nullptr;
    dynacc_status* status = call(context.get(), positional.data(), positional.size(), &result);
    return Take(status, result);
  };
}

HostFunction HostFunctionOf(std::string, dynacc_keyword_function call,
                            std::shared_ptr<void> context) {
  return [call, context = std::move(context)](const List& arguments,
                                              const Dict& keywords) -> absl::StatusOr<Value> {
    Handles positional, named;
    std::vector<const char*> names;
    for (const Value& argument : arguments) positional.Add(argument);
    for (const auto& [name, value] : keywords) {
      names.push_back(name.c_str());
      named.Add(value);
    }
    dynacc_value* result = nullptr;
    dynacc_status* status = call(context.get(), positional.data(), positional.size(), names.data(),
                                 named.data(), named.size(), &result);
    return Take(status, result);
  };
}

template <typename Call>
absl::StatusOr<Function> Make(dynacc_runtime* runtime, const char* name, Call call, void* context,
                              void (*free_context)(void*)) {
  const auto release = [free_context](void* pointer) {
    if (free_context != nullptr) free_context(pointer);
  };
  std::shared_ptr<void> owned(context, release);
  DYNACC_RETURN_IF_ERROR(Check(runtime));
  DYNACC_RETURN_IF_ERROR(CheckText(name, "name"));
  if (call == nullptr) return absl::InvalidArgumentError(absl::StrCat(name, ": a null function"));
  return runtime->held->MakeFunction(name, HostFunctionOf(name, call, std::move(owned)));
}

absl::Status Register(dynacc_runtime* runtime, const char* name, const char* shapes,
                      const dynacc_function* body) {
  DYNACC_RETURN_IF_ERROR(Check(runtime));
  DYNACC_RETURN_IF_ERROR(Check(body));
  DYNACC_RETURN_IF_ERROR(CheckText(name, "name"));
  DYNACC_RETURN_IF_ERROR(CheckText(shapes, "shapes"));
  return runtime->held->RegisterOp(name, shapes, body->held);
}

}  // namespace
}  // namespace dynacc

dynacc_status* dynacc_function_call(const dynacc_function* function,
                                    const dynacc_value* const* arguments, size_t argument_count,
                                    const dynacc_call_options* options, dynacc_value** result) {
  return dynacc::Give(dynacc::Call(function, arguments, argument_count, options), result);
}

void dynacc_function_free(dynacc_function* function) { dynacc::Free(function); }

dynacc_status* dynacc_function_call_into(const dynacc_function* function,
                                         const dynacc_value* const* arguments,
                                         size_t argument_count, const dynacc_array* outputs,
                                         size_t output_count, const dynacc_call_options* options) {
  return dynacc::NewStatus(
      dynacc::CallInto(function, arguments, argument_count, outputs, output_count, options));
}

dynacc_status* dynacc_function_call_batch(const dynacc_function* function,
                                          const dynacc_request* requests, size_t request_count,
                                          const dynacc_call_options* options,
                                          dynacc_status** statuses, dynacc_value** results) {
  return dynacc::NewStatus(
      dynacc::CallBatch(function, requests, request_count, options, statuses, results));
}

dynacc_status* dynacc_function_call_async(
    const dynacc_function* function, const dynacc_value* const* arguments, size_t argument_count,
    const dynacc_call_options* options,
    void (*done)(void* context, dynacc_status* status, dynacc_value* result), void* context) {
  return dynacc::NewStatus(
      dynacc::CallAsync(function, arguments, argument_count, options, done, context));
}

dynacc_status* dynacc_warm_up(dynacc_runtime* runtime, const dynacc_function* function,
                              const dynacc_request* requests, size_t request_count,
                              const dynacc_call_options* options) {
  return dynacc::NewStatus(dynacc::WarmUp(runtime, function, requests, request_count, options));
}

dynacc_status* dynacc_function_get_counters(const dynacc_function* function,
                                            dynacc_function_counters* counters) {
  return dynacc::NewStatus(dynacc::GetCounters(function, counters));
}

dynacc_status* dynacc_function_signature(const dynacc_function* function,
                                         dynacc_value** signature) {
  return dynacc::Give(dynacc::SignatureOf(function), signature);
}

dynacc_status* dynacc_function_freeze(const dynacc_function* function, const char* path,
                                      const dynacc_value* const* examples, size_t example_count,
                                      const dynacc_freeze_options* options) {
  return dynacc::NewStatus(dynacc::Freeze(function, path, examples, example_count, options));
}

dynacc_status* dynacc_make_function(dynacc_runtime* runtime, const char* name,
                                    dynacc_host_function call, void* context,
                                    void (*free_context)(void* context),
                                    dynacc_function** function) {
  return dynacc::Give(dynacc::Make(runtime, name, call, context, free_context), function);
}

dynacc_status* dynacc_make_keyword_function(dynacc_runtime* runtime, const char* name,
                                            dynacc_keyword_function call, void* context,
                                            void (*free_context)(void* context),
                                            dynacc_function** function) {
  return dynacc::Give(dynacc::Make(runtime, name, call, context, free_context), function);
}

dynacc_status* dynacc_register_op(dynacc_runtime* runtime, const char* name, const char* shapes,
                                  const dynacc_function* body) {
  return dynacc::NewStatus(dynacc::Register(runtime, name, shapes, body));
}

dynacc_cancellation* dynacc_cancellation_new(void) { return new dynacc_cancellation; }

dynacc_status* dynacc_cancellation_cancel(dynacc_cancellation* cancellation) {
  if (const absl::Status status = dynacc::Check(cancellation); !status.ok()) {
    return dynacc::NewStatus(status);
  }
  cancellation->held.Cancel();
  return nullptr;
}

int32_t dynacc_cancellation_cancelled(const dynacc_cancellation* cancellation) {
  return dynacc::Check(cancellation).ok() && cancellation->held.cancelled() ? 1 : 0;
}

void dynacc_cancellation_free(dynacc_cancellation* cancellation) { dynacc::Free(cancellation); }
