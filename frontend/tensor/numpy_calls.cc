#include "frontend/tensor/numpy_calls.h"

#include <opcode.h>

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/ufunc_methods.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/value_mapping.h"
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

int NumInputs(BorrowedRef ufunc) { return reinterpret_cast<PyUFuncObject*>(ufunc)->nin; }

// What a call writes into, as the program gave it; null if it makes its result.
Value* OutOf(const CallArgs& args) {
  for (const auto& [name, value] : args.keywords) {
    if (name == "out" && !IsNone(value)) return value;
  }
  return nullptr;
}

// A ufunc's call with its argument `out`, if there is one, by name.
absl::StatusOr<CallArgs> WithNamedOut(BorrowedRef callable, const CallArgs& args) {
  if (IsUfuncMethod(callable)) {
    constexpr size_t kNeverOut = 3;
    if (args.positional.size() <= kNeverOut) return args;
    return GraphBreak("a ufunc's method with many arguments by position");
  }
  if (!IsAnyUfunc(callable)) return args;
  const auto num_inputs = static_cast<size_t>(NumInputs(callable));
  if (args.positional.size() <= num_inputs) return args;
  if (args.positional.size() > num_inputs + 1) return GraphBreak("several outputs");
  CallArgs named = args;
  named.keywords.emplace_back("out", args.positional.back());
  named.positional.remove_suffix(1);
  return named;
}

// What the call of a ufunc with `out` gives: that, or what is alone in a tuple.
absl::StatusOr<Value*> GivenBack(TraceContext& trace, Value* out) {
  const auto items = ItemsOf(trace, out);
  if (!items) return out;
  return items->size() == 1 ? absl::StatusOr<Value*>(items->front())
                            : GraphBreak("several outputs");
}

bool IsUfuncsOwn(BorrowedRef callable) { return IsAnyUfunc(callable) || IsUfuncMethod(callable); }

// NumPy asks an array's exponent for an index, and takes short cuts by its value.
bool IsIndex(Value* exponent) {
  const NumpyTensor* const tensor = AsNative(exponent);
  return tensor != nullptr && tensor->node->rank() == 0 && IsInteger(tensor->node->dtype);
}

// Elsewhere it is its function that a power with a tensor ends in.
absl::StatusOr<Value*> PowerByUfunc(TraceContext& trace, ArrayNamespace& numpy, bool in_place,
                                    Value* base, Value* exponent) {
  BorrowedRef power = reinterpret_cast<PyObject*>(UfuncOf(Op::kPower));
  if (power == nullptr || IsIndex(exponent)) {
    return GraphBreak("a power of an array with a tensor of rank 0");
  }
  DYNACC_ASSIGN_OR_RETURN(Value * left, WithArrays(trace, base));
  DYNACC_ASSIGN_OR_RETURN(Value * right, WithArrays(trace, exponent));
  Value* const operands[] = {left, right};
  CallArgs call{operands, {}};
  if (in_place) call.keywords.emplace_back("out", left);
  return numpy.Call(trace, power, call);
}

}  // namespace

bool IsHandedOver(BorrowedRef callable, const CallArgs& args) {
  const auto has_native = [](const auto& keyword) {
    return keyword.first != "out" && HasNative(keyword.second);
  };
  if (args.positional.empty() || absl::c_any_of(args.keywords, has_native)) return false;
  if (IsUfuncsOwn(callable)) {
    const auto is_native = [](Value* value) { return AsNative(value) != nullptr; };
    Value* const out = OutOf(args);
    return absl::c_any_of(args.positional, is_native) || (out != nullptr && HasNative(out));
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
  DYNACC_ASSIGN_OR_RETURN(const CallArgs given, WithNamedOut(callable, args));
  std::vector<Value*> positional;
  for (Value* value : given.positional) {
    DYNACC_ASSIGN_OR_RETURN(Value * one, WithArrays(trace, value));
    positional.push_back(one);
  }
  CallArgs call;
  call.positional = positional;
  for (const auto& [name, value] : given.keywords) {
    DYNACC_ASSIGN_OR_RETURN(
        Value * one, name == "out" ? WithArrays(trace, value) : absl::StatusOr<Value*>(value));
    call.keywords.emplace_back(name, one);
  }
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Call(trace, callable, call));
  Value* const out = OutOf(given);
  if (out != nullptr && IsUfuncsOwn(callable)) return GivenBack(trace, out);
  return out != nullptr && AsNative(out) != nullptr ? out : WithTensors(trace, result);
}

absl::StatusOr<Value*> BinaryWithArray(TraceContext& trace, ArrayNamespace& numpy, int nb_op,
                                       bool in_place, Value* a, Value* b) {
  // An array stays what it is; a tensor leaves the operator to the array, which gives a new tensor,
  // as a NumPy scalar does.
  const auto* const target = As<TensorValue>(a);
  const bool updates = in_place && target != nullptr && !target->is_native && !target->is_scalar;
  if (nb_op == NB_POWER) {
    DYNACC_ASSIGN_OR_RETURN(Value * power, PowerByUfunc(trace, numpy, updates, a, b));
    return updates ? absl::StatusOr<Value*>(power) : WithTensors(trace, power);
  }
  DYNACC_ASSIGN_OR_RETURN(Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Binary(trace, nb_op, updates, left, right));
  return updates ? absl::StatusOr<Value*>(result) : WithTensors(trace, result);
}

absl::StatusOr<Value*> CompareWithArray(TraceContext& trace, ArrayNamespace& numpy, int compare_op,
                                        Value* a, Value* b) {
  DYNACC_ASSIGN_OR_RETURN(Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(Value * result, numpy.Compare(trace, compare_op, left, right));
  return WithTensors(trace, result);
}

}  // namespace dynacc
