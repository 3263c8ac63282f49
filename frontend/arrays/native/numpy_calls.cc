#include "frontend/arrays/native/numpy_calls.h"

#include <opcode.h>

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "frontend/arrays/native/native_functions.h"
#include "frontend/arrays/native/value_mapping.h"
#include "frontend/arrays/numpy/ufunc_methods.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

bool IsAnyUfunc(BorrowedRef callable) {
  return absl::string_view(Py_TYPE(callable)->tp_name) == "numpy.ufunc";
}

// Whether it is a function that numpy.core.overrides made: these have what they were made of.
bool AsksTensors(BorrowedRef callable) {
  const Ref implementation = Ref::Steal(PyObject_GetAttrString(callable, "_implementation"));
  PyErr_Clear();
  return static_cast<bool>(implementation);
}

// An array has a say in a type, a NumPy scalar is a Python number to a tensor if it is one at all.
absl::Status RequireArrays(Value* a, Value* b) {
  for (Value* value : {a, b}) {
    const auto* const tensor = As<TensorValue>(value);
    if (tensor == nullptr || tensor->is_scalar) {
      return GraphBreak("an operator on a tensor and a NumPy scalar");
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool IsHandedOver(BorrowedRef callable, const CallArgs& args) {
  const auto has_native = [](const auto& keyword) { return HasNative(keyword.second); };
  if (args.positional.empty() || absl::c_any_of(args.keywords, has_native)) return false;
  if (IsAnyUfunc(callable) || IsUfuncMethod(callable)) {
    return absl::c_any_of(args.positional, [](Value* value) { return AsNative(value) != nullptr; });
  }
  return HasNative(args.positional[0]) && AsksTensors(callable);
}

absl::StatusOr<Value*> WithArrays(TraceContext& trace, Value* value) {
  if (!HasNative(value)) return value;
  const auto on_device = [](TensorValue* existing) { return AsNumpy(existing)->device != 0; };
  if (absl::c_any_of(trace.existing_arrays(), on_device)) {
    return RaisingBreak("an array over a device's memory");
  }
  return MapItems(trace, value, [&trace](Value* one) -> absl::StatusOr<Value*> {
    if (AsNative(one) == nullptr) return one;
    Value* const arguments[] = {one};
    return TraceToNumpy(trace, arguments);
  });
}

absl::StatusOr<Value*> WithTensors(TraceContext& trace, Value* value) {
  return MapItems(trace, value, [&trace](Value* one) -> absl::StatusOr<Value*> {
    const auto* const array = As<TensorValue>(one);
    if (array == nullptr || array->is_native) return one;
    Value* const arguments[] = {one};
    return TraceFromNumpy(trace, arguments);
  });
}

absl::StatusOr<Value*> CallWithArrays(TraceContext& trace, ArrayNamespace& numpy,
                                      BorrowedRef callable, const CallArgs& args) {
  std::vector<Value*> positional;
  for (Value* value : args.positional) {
    DYNACC_ASSIGN_OR_RETURN(Value * one, WithArrays(trace, value));
    positional.push_back(one);
  }
  CallArgs call;
  call.positional = positional;
  for (const auto& keyword : args.keywords) {
    if (keyword.first == "out") return GraphBreak("a NumPy function of a tensor with out=");
    call.keywords.push_back(keyword);
  }
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Call(trace, callable, call));
  return WithTensors(trace, result);
}

absl::StatusOr<Value*> BinaryWithArray(TraceContext& trace, ArrayNamespace& numpy, int nb_op,
                                       bool in_place, Value* a, Value* b) {
  DYNACC_RETURN_IF_ERROR(RequireArrays(a, b));
  // NumPy looks for short cuts at an exponent that could be a number.
  if (nb_op == NB_POWER) return GraphBreak("a power of a tensor and a NumPy array");
  // An array stays what it is; a tensor leaves the operator to the array, which gives a new tensor.
  const bool updates = in_place && AsNative(a) == nullptr;
  DYNACC_ASSIGN_OR_RETURN(Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Binary(trace, nb_op, updates, left, right));
  return updates ? absl::StatusOr<Value*>(result) : WithTensors(trace, result);
}

absl::StatusOr<Value*> CompareWithArray(TraceContext& trace, ArrayNamespace& numpy, int compare_op,
                                        Value* a, Value* b) {
  DYNACC_RETURN_IF_ERROR(RequireArrays(a, b));
  DYNACC_ASSIGN_OR_RETURN(Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Compare(trace, compare_op, left, right));
  return WithTensors(trace, result);
}

}  // namespace dynacc
