// Function and Module of dynacc/function.h and dynacc/module.h.
#include <Python.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "embed/host/call_watch.h"
#include "embed/host/errors.h"
#include "embed/host/fast_call.h"
#include "embed/host/object_handle.h"
#include "embed/host/outputs.h"
#include "embed/host/python_scope.h"
#include "embed/host/python_values.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Arguments as of the vectorcall protocol. Needs the GIL.
class PythonArguments {
 public:
  // An error names the argument by its position, from 1, or its name.
  absl::Status Set(absl::Span<const Value> positional, const Dict& keywords) {
    for (const Value& value : positional) {
      const absl::Status status = Add(value);
      if (!status.ok()) return Annotate(status, absl::StrCat("argument ", num_positional_ + 1));
      ++num_positional_;
    }
    if (keywords.empty()) return absl::OkStatus();
    List names;
    for (const auto& [name, value] : keywords) {
      const absl::Status status = Add(value);
      if (!status.ok()) return Annotate(status, absl::StrCat("argument ", name));
      names.emplace_back(name);
    }
    DYNACC_ASSIGN_OR_RETURN(names_, TupleFrom(names));
    return absl::OkStatus();
  }

  // Null with an exception set.
  Ref Call(BorrowedRef callable) {
    boost::container::small_vector<PyObject*, 9> objects = {nullptr};  // a bound method's object
    for (const Ref& object : objects_) objects.push_back(object.get());
    return Ref::Steal(PyObject_Vectorcall(callable, objects.data() + 1,
                                          num_positional_ | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                          names_.get()));
  }

 private:
  absl::Status Add(const Value& value) {
    DYNACC_ASSIGN_OR_RETURN(Ref object, ToPython(value));
    objects_.push_back(std::move(object));
    return absl::OkStatus();
  }

  boost::container::small_vector<Ref, 8> objects_;  // the positional ones, then the others
  size_t num_positional_ = 0;
  Ref names_;
};

// What the call gives, as Python has it. Needs the GIL.
absl::StatusOr<Ref> CallPlainly(BorrowedRef callable, absl::Span<const Value> arguments,
                                const CallOptions& options) {
  PythonArguments given;
  DYNACC_RETURN_IF_ERROR(given.Set(arguments, options.keywords));
  CallWatch watch(options);
  DYNACC_RETURN_IF_ERROR(CallWatch::MayRun(options));
  Ref result = given.Call(callable);
  if (result) return result;
  if (std::optional<absl::Status> stop = watch.TakeStop()) return *stop;
  return TakeException();
}

// Needs the GIL.
absl::StatusOr<Value> CallObject(BorrowedRef callable, absl::Span<const Value> arguments,
                                 const CallOptions& options) {
  DYNACC_ASSIGN_OR_RETURN(Ref result, CallPlainly(callable, arguments, options));
  return FromPython(result.get());
}

// What Python gives where compiled code cannot serve the call; nothing where it can, so that it is
// to be run without the GIL.
std::optional<absl::StatusOr<Value>> MatchOrCall(FastCall& quick, BorrowedRef callable,
                                                 absl::Span<const Value> arguments,
                                                 const CallOptions& options) {
  const GilScope gil;
  if (quick.Match(callable)) return std::nullopt;
  return CallObject(callable, arguments, options);
}

absl::StatusOr<Value> CallWithGil(BorrowedRef callable, absl::Span<const Value> arguments,
                                  const CallOptions& options) {
  const GilScope gil;
  return CallObject(callable, arguments, options);
}

absl::Status NoFunction() {
  return absl::InvalidArgumentError("a Function that holds no function");
}

// The requests of a batch, served in order: by compiled code as far as it serves them, else in
// Python. Whatever did not do for a request is tried again after more and more requests.
class Batch {
 public:
  Batch(BorrowedRef callable, absl::Span<const List> requests, const CallOptions& options)
      : callable_(callable), requests_(requests), options_(options) {
    results_.reserve(requests.size());
  }

  bool done() const { return results_.size() == requests_.size(); }
  std::vector<absl::StatusOr<Value>>& results() { return results_; }

  // Appends the results of the next requests that compiled code serves: up to the first that it
  // does not serve, whose turn is before that of those behind it. Whether there is none.
  bool ServeDirectly() {
    boost::container::small_vector<FastCall, 8> calls;
    for (const List& request : requests_.subspan(results_.size(), at_once_)) {
      calls.emplace_back(request, options_);
    }
    size_t matched = 0;
    {
      const GilScope gil;
      while (matched < calls.size() && calls[matched].Match(callable_)) ++matched;
    }
    const size_t before = results_.size();
    for (size_t i = 0; i < matched && CallWatch::MayRun(options_).ok(); ++i) {
      std::optional<absl::StatusOr<Value>> result = calls[i].Run();
      if (!result) break;
      results_.push_back(*std::move(result));
    }
    const bool all = results_.size() - before == calls.size();
    at_once_ = all ? std::min(2 * at_once_, kMostAtOnce) : 1;
    if (results_.size() > before) plainly_ = 1;
    return all;
  }

  // Those of the next ones, in Python.
  void ServePlainly() {
    const GilScope gil;
    for (const List& request : requests_.subspan(results_.size(), plainly_)) {
      const absl::Status may_run = CallWatch::MayRun(options_);
      results_.push_back(may_run.ok() ? CallObject(callable_, request, options_)
                                      : absl::StatusOr<Value>(may_run));
    }
    plainly_ = std::min(2 * plainly_, kMostAtOnce);
  }

 private:
  static constexpr size_t kMostAtOnce = 64;

  BorrowedRef callable_;
  const absl::Span<const List> requests_;
  const CallOptions& options_;
  std::vector<absl::StatusOr<Value>> results_;
  size_t at_once_ = kMostAtOnce;  // requests that are tried together ...
  size_t plainly_ = 1;            // ... and that are left to Python when one of them is not served
};

// The attribute of a module; NOT_FOUND without one.
absl::StatusOr<Ref> AttributeOf(BorrowedRef module, const std::string& name) {
  if (module == nullptr) return absl::InvalidArgumentError("a Module that holds no module");
  Ref object = Ref::Steal(PyObject_GetAttrString(module, name.c_str()));
  if (object) return object;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return TakeException();
  PyErr_Clear();
  return absl::NotFoundError(absl::StrCat("the module has no name ", name));
}

}  // namespace

struct Function::Counts {
  // Those of direct calls and of others apart, so that a call adds to one of them.
  std::atomic<uint64_t> direct = 0, plain = 0, failures = 0;

  void Note(bool is_direct, bool ok) {
    (is_direct ? direct : plain).fetch_add(1, std::memory_order_relaxed);
    if (!ok) failures.fetch_add(1, std::memory_order_relaxed);
  }
};

Function ObjectAccess::MakeFunction(Ref object) {
  auto function = Make<Function>(std::move(object));
  function.counts_ = std::make_shared<Function::Counts>();
  return function;
}

FunctionCounters Function::Counters() const {
  if (counts_ == nullptr) return {};
  const uint64_t direct = counts_->direct.load(std::memory_order_relaxed);
  return {direct + counts_->plain.load(std::memory_order_relaxed), direct,
          counts_->failures.load(std::memory_order_relaxed)};
}

absl::StatusOr<Value> Function::Call(absl::Span<const Value> arguments,
                                     const CallOptions& options) const {
  if (handle_ == nullptr) return NoFunction();
  const CallScope turn;
  DYNACC_RETURN_IF_ERROR(turn.status());
  DYNACC_RETURN_IF_ERROR(CallWatch::MayRun(options));
  BorrowedRef callable = ObjectAccess::Get(*this);
  FastCall quick(arguments, options);
  auto result = MatchOrCall(quick, callable, arguments, options);
  bool is_direct = false;
  if (!result) {
    result = quick.Run();
    is_direct = result.has_value();
  }
  if (!result) result = CallWithGil(callable, arguments, options);
  counts_->Note(is_direct, result->ok());
  return *std::move(result);
}

absl::Status Function::CallInto(absl::Span<const Value> arguments,
                                absl::Span<const TensorView> outputs,
                                const CallOptions& options) const {
  if (handle_ == nullptr) return NoFunction();
  Outputs into;
  DYNACC_RETURN_IF_ERROR(into.Set(outputs));
  const CallScope turn;
  DYNACC_RETURN_IF_ERROR(turn.status());
  DYNACC_RETURN_IF_ERROR(CallWatch::MayRun(options));
  BorrowedRef callable = ObjectAccess::Get(*this);
  FastCall quick(arguments, options);
  auto result = MatchOrCall(quick, callable, arguments, options);
  if (!result) {
    if (std::optional<absl::Status> done = quick.RunInto(into)) {
      counts_->Note(true, done->ok());
      return *done;
    }
    result = CallWithGil(callable, arguments, options);
  }
  const absl::Status status = result->ok() ? into.Put(**result) : result->status();
  counts_->Note(false, status.ok());
  return status;
}

std::vector<absl::StatusOr<Value>> Function::CallBatch(absl::Span<const List> requests,
                                                       const CallOptions& options) const {
  const CallScope turn;
  if (handle_ == nullptr || !turn.status().ok()) {
    const absl::StatusOr<Value> refused = handle_ == nullptr ? NoFunction() : turn.status();
    return std::vector<absl::StatusOr<Value>>(requests.size(), refused);
  }
  Batch batch(ObjectAccess::Get(*this), requests, options);
  const std::vector<absl::StatusOr<Value>>& served = batch.results();
  size_t noted = 0;
  const auto note = [&](bool directly) {
    for (; noted < served.size(); ++noted) counts_->Note(directly, served[noted].ok());
  };
  while (!batch.done()) {
    const bool all = batch.ServeDirectly();
    note(true);
    if (!all) batch.ServePlainly();
    note(false);
  }
  return std::move(batch.results());
}

absl::StatusOr<Function> Module::Get(const std::string& name) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, AttributeOf(ObjectAccess::Get(*this), name));
  if (!PyCallable_Check(object.get())) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is a ", Py_TYPE(object.get())->tp_name, ", which cannot be called"));
  }
  return ObjectAccess::MakeFunction(std::move(object));
}

absl::StatusOr<Value> Module::GetValue(const std::string& name) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(Ref object, AttributeOf(ObjectAccess::Get(*this), name));
  return FromPython(object.get());
}

absl::Status Module::Set(const std::string& name, const Value& value) const {
  PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  BorrowedRef module = ObjectAccess::Get(*this);
  if (module == nullptr) return absl::InvalidArgumentError("a Module that holds no module");
  DYNACC_ASSIGN_OR_RETURN(Ref object, ToPython(value));
  if (PyObject_SetAttrString(module, name.c_str(), object.get()) < 0) return TakeException();
  return absl::OkStatus();
}

}  // namespace dynacc
