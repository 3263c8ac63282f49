#include "frontend/tensor/numpy_calls.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/ufunc_methods.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/value_mapping.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tensor {
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
symbolic::Value* OutOf(const arrays::CallArgs& args) {
  for (const auto& [name, value] : args.keywords) {
    if (name == "out" && !numpy::IsNone(value)) return value;
  }
  return nullptr;
}

// A ufunc's call with its argument `out`, if there is one, by name.
absl::StatusOr<arrays::CallArgs> WithNamedOut(BorrowedRef callable, const arrays::CallArgs& args) {
  if (numpy::IsUfuncMethod(callable)) {
    constexpr size_t kNeverOut = 3;
    if (args.positional.size() <= kNeverOut) return args;
    return symbolic::GraphBreak("a ufunc's method with many arguments by position");
  }
  if (!IsAnyUfunc(callable)) return args;
  const auto num_inputs = static_cast<size_t>(NumInputs(callable));
  if (args.positional.size() <= num_inputs) return args;
  if (args.positional.size() > num_inputs + 1) return symbolic::GraphBreak("several outputs");
  arrays::CallArgs named = args;
  named.keywords.emplace_back("out", args.positional.back());
  named.positional.remove_suffix(1);
  return named;
}

// What the call of a ufunc with `out` gives: that, or what is alone in a tuple.
absl::StatusOr<symbolic::Value*> GivenBack(symbolic::TraceContext& trace, symbolic::Value* out) {
  const auto items = numpy::ItemsOf(trace, out);
  if (!items) return out;
  return items->size() == 1 ? absl::StatusOr<symbolic::Value*>(items->front())
                            : symbolic::GraphBreak("several outputs");
}

bool IsUfuncsOwn(BorrowedRef callable) {
  return IsAnyUfunc(callable) || numpy::IsUfuncMethod(callable);
}

// NumPy asks an array's exponent for an index, and takes short cuts by its value.
bool IsIndex(symbolic::Value* exponent) {
  const numpy::NumpyTensor* const tensor = AsNative(exponent);
  return tensor != nullptr && tensor->node->rank() == 0 && IsInteger(tensor->node->dtype);
}

// Elsewhere it is its function that a power with a tensor ends in.
absl::StatusOr<symbolic::Value*> PowerByUfunc(symbolic::TraceContext& trace,
                                              arrays::ArrayNamespace& numpy, bool in_place,
                                              symbolic::Value* base, symbolic::Value* exponent) {
  BorrowedRef power = reinterpret_cast<PyObject*>(numpy::UfuncOf(Op::kPower));
  if (power == nullptr || IsIndex(exponent)) {
    return symbolic::GraphBreak("a power of an array with a tensor of rank 0");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * left, WithArrays(trace, base));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * right, WithArrays(trace, exponent));
  symbolic::Value* const operands[] = {left, right};
  arrays::CallArgs call{operands, {}};
  if (in_place) call.keywords.emplace_back("out", left);
  return numpy.Call(trace, power, call);
}

}  // namespace

bool IsHandedOver(BorrowedRef callable, const arrays::CallArgs& args) {
  const auto has_native = [](const auto& keyword) {
    return keyword.first != "out" && HasNative(keyword.second);
  };
  if (args.positional.empty() || absl::c_any_of(args.keywords, has_native)) return false;
  if (IsUfuncsOwn(callable)) {
    const auto is_native = [](symbolic::Value* value) { return AsNative(value) != nullptr; };
    symbolic::Value* const out = OutOf(args);
    return absl::c_any_of(args.positional, is_native) || (out != nullptr && HasNative(out));
  }
  return HasNative(args.positional[0]) && AsksTensors(callable);
}

absl::StatusOr<symbolic::Value*> WithArrays(symbolic::TraceContext& trace, symbolic::Value* value) {
  if (!HasNative(value)) return value;
  const auto on_device = [](symbolic::TensorValue* existing) {
    return numpy::AsNumpy(existing)->device != 0;
  };
  if (absl::c_any_of(trace.existing_arrays(), on_device)) {
    return symbolic::RaisingBreak("an array over a device's memory");
  }
  return MapItems(trace, value, [&trace](symbolic::Value* one) -> absl::StatusOr<symbolic::Value*> {
    if (AsNative(one) == nullptr) return one;
    symbolic::Value* const arguments[] = {one};
    return TraceToNumpy(trace, arguments);
  });
}

absl::StatusOr<symbolic::Value*> WithTensors(symbolic::TraceContext& trace,
                                             symbolic::Value* value) {
  return MapItems(trace, value, [&trace](symbolic::Value* one) -> absl::StatusOr<symbolic::Value*> {
    const auto* const array = symbolic::As<symbolic::TensorValue>(one);
    if (array == nullptr || array->is_native) return one;
    symbolic::Value* const arguments[] = {one};
    return TraceFromNumpy(trace, arguments);
  });
}

absl::StatusOr<symbolic::Value*> CallWithArrays(symbolic::TraceContext& trace,
                                                arrays::ArrayNamespace& numpy, BorrowedRef callable,
                                                const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const arrays::CallArgs given, WithNamedOut(callable, args));
  std::vector<symbolic::Value*> positional;
  for (symbolic::Value* value : given.positional) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * one, WithArrays(trace, value));
    positional.push_back(one);
  }
  arrays::CallArgs call;
  call.positional = positional;
  for (const auto& [name, value] : given.keywords) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * one, name == "out"
                                                       ? WithArrays(trace, value)
                                                       : absl::StatusOr<symbolic::Value*>(value));
    call.keywords.emplace_back(name, one);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, numpy.Call(trace, callable, call));
  symbolic::Value* const out = OutOf(given);
  if (out != nullptr && IsUfuncsOwn(callable)) return GivenBack(trace, out);
  return out != nullptr && AsNative(out) != nullptr ? out : WithTensors(trace, result);
}

absl::StatusOr<symbolic::Value*> BinaryWithArray(symbolic::TraceContext& trace,
                                                 arrays::ArrayNamespace& numpy, int nb_op,
                                                 bool in_place, symbolic::Value* a,
                                                 symbolic::Value* b) {
  // An array stays what it is; a tensor leaves the operator to the array, which gives a new tensor,
  // as a NumPy scalar does.
  const auto* const target = symbolic::As<symbolic::TensorValue>(a);
  const bool updates = in_place && target != nullptr && !target->is_native && !target->is_scalar;
  if (nb_op == NB_POWER) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * power, PowerByUfunc(trace, numpy, updates, a, b));
    return updates ? absl::StatusOr<symbolic::Value*>(power) : WithTensors(trace, power);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          numpy.Binary(trace, nb_op, updates, left, right));
  return updates ? absl::StatusOr<symbolic::Value*>(result) : WithTensors(trace, result);
}

absl::StatusOr<symbolic::Value*> CompareWithArray(symbolic::TraceContext& trace,
                                                  arrays::ArrayNamespace& numpy, int compare_op,
                                                  symbolic::Value* a, symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * left, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * right, WithArrays(trace, b));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, numpy.Compare(trace, compare_op, left, right));
  return WithTensors(trace, result);
}

}  // namespace dynacc::tensor
