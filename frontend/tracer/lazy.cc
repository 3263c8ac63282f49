#include "frontend/tracer/lazy.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "frontend/cpython/genuine_builtins.h"
#include "frontend/tracer/call_gradients.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// A function of the builtins module; never dropped.
BorrowedRef Builtin(const char* name) { return PyDict_GetItemString(GenuineBuiltins(), name); }

// "".join; never dropped.
BorrowedRef Join() {
  static PyObject* const join = [] {
    Ref empty = Ref::Steal(PyUnicode_New(0, 127));
    return PyObject_GetAttrString(empty.get(), "join");
  }();
  return join;
}

bool IsWhole(symbolic::Value* value) {
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  if (tensor != nullptr) return !IsFloat(tensor->node->dtype);
  auto* number = symbolic::As<symbolic::NumberValue>(value);
  return number != nullptr && number->type != ScalarType::kFloat;
}

// Whether function(*args) raises for some numbers: int(nan), format(1, "q"), round(inf).
bool MayRaise(BorrowedRef function, const std::vector<symbolic::Value*>& args) {
  static const BorrowedRef kSafe[] = {reinterpret_cast<PyObject*>(&PyFloat_Type),
                                      reinterpret_cast<PyObject*>(&PyBool_Type),
                                      reinterpret_cast<PyObject*>(&PyUnicode_Type),
                                      Builtin("repr"),
                                      Builtin("ascii"),
                                      Join()};
  if (std::find(std::begin(kSafe), std::end(kSafe), function) != std::end(kSafe)) return false;
  const bool is_int = function == reinterpret_cast<PyObject*>(&PyLong_Type);
  return !(is_int && args.size() == 1 && IsWhole(args[0]));
}

}  // namespace

bool IsDeferrable(symbolic::Value* value) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) {
    return tuple->cls == nullptr &&
           std::all_of(tuple->items.begin(), tuple->items.end(), IsDeferrable);
  }
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  if (tensor != nullptr) {
    const bool is_single = tensor->is_scalar || (tensor->is_native && tensor->node->rank() == 0);
    return is_single && !IsComplex(tensor->node->dtype);
  }
  return IsPlainConstantValue(value) || IsNumberValue(value) ||
         symbolic::As<symbolic::LazyValue>(value) != nullptr;
}

absl::StatusOr<symbolic::Value*> Defer(Tracer& tracer, BorrowedRef function,
                                       std::vector<symbolic::Value*> args, PyTypeObject* type,
                                       const char* reason) {
  for (symbolic::Value*& arg : args) {
    DYNACC_ASSIGN_OR_RETURN(arg, tracer.MaterializeDeep(arg));
    if (!IsDeferrable(arg)) return symbolic::GraphBreak(reason);
  }
  const bool may_raise = MayRaise(function, args);
  // It is made at the segment's end, whichever side of a branch is taken.
  if (may_raise && tracer.trace().num_open_subgraphs() > 0)
    return symbolic::GraphBreak("a number that may not be one, in a branch or the body of a loop");
  auto* lazy = tracer.trace().New<symbolic::LazyValue>(Ref::New(function), std::move(args), type);
  if (may_raise) tracer.NoteLazy(lazy);
  return lazy;
}

symbolic::TensorValue* ScalarBehind(symbolic::Value* value) {
  auto* lazy = symbolic::As<symbolic::LazyValue>(value);
  if (lazy == nullptr || lazy->args.size() != 1) return nullptr;
  auto* tensor = symbolic::As<symbolic::TensorValue>(lazy->args[0]);
  if (tensor == nullptr || !tensor->is_scalar || tensor->is_native) return nullptr;
  constexpr std::pair<PyTypeObject*, DType> kHeld[] = {{&PyFloat_Type, DType::kFloat64},
                                                       {&PyLong_Type, DType::kInt64},
                                                       {&PyBool_Type, DType::kBool}};
  const bool is_held = absl::c_linear_search(kHeld, std::pair{lazy->type, tensor->node->dtype});
  return is_held ? tensor : nullptr;
}

PyTypeObject* NumberTypeOf(symbolic::Value* value) {
  if (auto* const lazy = symbolic::As<symbolic::LazyValue>(value))
    return ScalarBehind(lazy) != nullptr ? lazy->type : nullptr;
  if (auto* const number = symbolic::As<symbolic::NumberValue>(value)) {
    return number->type == ScalarType::kInt     ? &PyLong_Type
           : number->type == ScalarType::kFloat ? &PyFloat_Type
                                                : &PyBool_Type;
  }
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr) return nullptr;
  PyTypeObject* const type = Py_TYPE(constant->object.get());
  return type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type ? type : nullptr;
}

symbolic::TensorValue* ScalarFor(Tracer& tracer, symbolic::Value* number) {
  symbolic::TensorValue* const behind = ScalarBehind(number);
  return behind != nullptr ? behind : tracer.arrays().NumberAsScalar(tracer.trace(), number);
}

symbolic::Value* NumberFor(Tracer& tracer, symbolic::Value* scalar, PyTypeObject* type) {
  return tracer.trace().New<symbolic::LazyValue>(Ref::New(reinterpret_cast<PyObject*>(type)),
                                                 std::vector<symbolic::Value*>{scalar}, type);
}

bool IsDataDependentNumber(symbolic::Value* value) {
  if (auto* lazy = symbolic::As<symbolic::LazyValue>(value)) {
    return lazy->type == &PyFloat_Type || lazy->type == &PyLong_Type;
  }
  auto* tensor = symbolic::As<symbolic::TensorValue>(value);
  return tensor != nullptr && tensor->is_scalar && !tensor->is_native;
}

absl::StatusOr<symbolic::Value*> Settled(Tracer& tracer, symbolic::Value* value) {
  auto* lazy = symbolic::As<symbolic::LazyValue>(value);
  if (lazy == nullptr || !IsDataDependentNumber(value) || ScalarBehind(value) != nullptr)
    return value;
  return CallOnNumbers(tracer, lazy->function.get(), lazy->args);
}

absl::StatusOr<symbolic::Value*> CallOnNumbers(Tracer& tracer, BorrowedRef function,
                                               std::vector<symbolic::Value*> args) {
  for (symbolic::Value*& arg : args) {
    DYNACC_ASSIGN_OR_RETURN(arg, Settled(tracer, arg));
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          tracer.arrays().CallOnNumbers(tracer.trace(), function, args));
  return WithGradient(tracer, function, result, std::move(args));
}

absl::StatusOr<symbolic::Value*> DeferFormat(Tracer& tracer, symbolic::Value* value, int conversion,
                                             BorrowedRef spec) {
  static const BorrowedRef kConversions[] = {nullptr, reinterpret_cast<PyObject*>(&PyUnicode_Type),
                                             Builtin("repr"), Builtin("ascii")};
  static const BorrowedRef format = Builtin("format");
  constexpr char kReason[] = "string formatting of a changing value";
  if (conversion != 0) {
    DYNACC_ASSIGN_OR_RETURN(
        value, Defer(tracer, kConversions[conversion], {value}, &PyUnicode_Type, kReason));
  }
  if (conversion != 0 && spec == nullptr) return value;
  std::vector<symbolic::Value*> args = {value};
  if (spec != nullptr) args.push_back(tracer.Constant(spec));
  return Defer(tracer, format, std::move(args), &PyUnicode_Type, kReason);
}

absl::StatusOr<symbolic::Value*> DeferJoin(Tracer& tracer, std::vector<symbolic::Value*> pieces) {
  return Defer(tracer, Join(), {tracer.trace().New<symbolic::TupleValue>(std::move(pieces))},
               &PyUnicode_Type, "a string of changing parts");
}

}  // namespace dynacc::tracer
