// Builtins that compute numbers, strs and truths.
#include "frontend/tracer/numbers.h"

#include <cmath>
#include <optional>

#include "absl/algorithm/container.h"
#include "frontend/cpython/genuine_builtins.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

bool IsNamed(BorrowedRef callable, const char* name) {
  Ref text = Ref::Steal(PyObject_GetAttrString(callable, "__name__"));
  return PyUnicode_CompareWithASCIIString(text.get(), name) == 0;
}

bool IsInt(symbolic::Value* value) {
  if (auto* number = symbolic::As<symbolic::NumberValue>(value))
    return number->type == ScalarType::kInt;
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && PyLong_CheckExact(constant->object.get());
}

// Whether the smaller or greater of the two, of which at least one may change, is an expression of
// the scalar program: not of floats, which may be NaNs, nor of a bool, which would become an int.
bool PicksInt(symbolic::Value* a, symbolic::Value* b) {
  return IsInt(a) && IsInt(b) &&
         (symbolic::As<symbolic::NumberValue>(a) || symbolic::As<symbolic::NumberValue>(b));
}

// Keeps the first of equals, as Python does: the later one must be truly smaller or greater.
absl::StatusOr<symbolic::Value*> Pick(Tracer& tracer, bool is_max, symbolic::Value* best,
                                      symbolic::Value* next, symbolic::Value* best_key,
                                      symbolic::Value* next_key, bool* took_next) {
  if (best == best_key && IsNumberValue(best) && IsNumberValue(next) && PicksInt(best, next)) {
    *took_next = true;  // the pick is its own key
    return NumberApply(tracer, is_max ? ScalarOp::kMax : ScalarOp::kMin, best, next);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * better,
                          CompareValues(tracer, is_max ? Py_GT : Py_LT, next_key, best_key));
  DYNACC_ASSIGN_OR_RETURN(*took_next, tracer.Truth(better));
  return *took_next ? next : best;
}

// Whether the trace is a graph that has numbers itself, which a frame makes at its end, and nobody
// asks which object they are. Not on one side of a branch, where the number may be none.
bool HasNumbersItself(Tracer& tracer) {
  return tracer.root().inlines_compiled && tracer.trace().num_open_subgraphs() == 0;
}

// Whether all are NumPy's scalars of one type.
bool AreScalarsAlike(absl::Span<symbolic::Value* const> items) {
  std::optional<DType> dtype;
  for (symbolic::Value* item : items) {
    auto* const tensor = symbolic::As<symbolic::TensorValue>(item);
    if (tensor == nullptr || !tensor->is_scalar || tensor->is_native) return false;
    if (dtype && *dtype != tensor->node->dtype) return false;
    dtype = tensor->node->dtype;
  }
  return dtype && !IsComplex(*dtype) && items.size() > 1;
}

// Whether all are floats, or all ints, of Python's, and one at least is known only when the segment
// has run: the result is one of them, and of that type. Or scalars of NumPy's that are of one type,
// where the result need not be the same object.
bool AreDataDependentAlike(Tracer& tracer, absl::Span<symbolic::Value* const> items) {
  if (HasNumbersItself(tracer) && AreScalarsAlike(items)) return true;
  PyTypeObject* type = nullptr;
  bool has_lazy = false;
  for (symbolic::Value* item : items) {
    auto* const lazy = symbolic::As<symbolic::LazyValue>(item);
    auto* const constant = symbolic::As<symbolic::ConstantValue>(item);
    PyTypeObject* const own = lazy != nullptr       ? lazy->type
                              : constant != nullptr ? Py_TYPE(constant->object.get())
                                                    : nullptr;
    if (own != &PyFloat_Type && own != &PyLong_Type) return false;
    if (type != nullptr && type != own) return false;
    type = own;
    has_lazy = has_lazy || lazy != nullptr;
  }
  return has_lazy && items.size() > 1;
}

// NumPy's scalar of that dtype that stands for a number of Python's beside scalars; null if none
// does.
symbolic::TensorValue* AsScalarOf(Tracer& tracer, symbolic::Value* value, DType dtype) {
  if (auto* const tensor = symbolic::As<symbolic::TensorValue>(value)) return tensor;
  if (auto* const behind = ScalarBehind(value)) {
    return behind->node->dtype == dtype ? behind : nullptr;
  }
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr && PyLong_CheckExact(constant->object.get()) &&
      dtype == DType::kFloat64) {
    value = tracer.ConstantSteal(PyNumber_Float(constant->object.get()));
    if (symbolic::As<symbolic::ConstantValue>(value)->object.get() == nullptr) return nullptr;
  }
  if (!IsNumberValue(value)) return nullptr;
  symbolic::TensorValue* const made = tracer.arrays().NumberAsScalar(tracer.trace(), value);
  return made != nullptr && made->node->dtype == dtype ? made : nullptr;
}

// The items as NumPy's scalars of one type, float64 or int64, where some are such and these hold
// the others, which are Python's; else nothing. The type of what min or max gives then does not
// depend on the values, as Python's does.
std::optional<std::vector<symbolic::Value*>> AsScalarsAlike(
    Tracer& tracer, absl::Span<symbolic::Value* const> items) {
  const auto scalar = absl::c_find_if(items, [](symbolic::Value* item) {
    auto* const tensor = symbolic::As<symbolic::TensorValue>(item);
    return tensor != nullptr && tensor->is_scalar && !tensor->is_native;
  });
  const bool is_graph = HasNumbersItself(tracer) && tracer.root().is_whole;
  if (!is_graph || scalar == items.end()) return std::nullopt;
  const DType dtype = symbolic::As<symbolic::TensorValue>(*scalar)->node->dtype;
  if (dtype != DType::kFloat64 && dtype != DType::kInt64) return std::nullopt;
  std::vector<symbolic::Value*> made;
  for (symbolic::Value* item : items) {
    made.push_back(AsScalarOf(tracer, item, dtype));
    if (made.back() == nullptr) return std::nullopt;
  }
  if (!AreScalarsAlike(made)) return std::nullopt;
  return made;
}

// The item that min or max has picked so far.
struct Choice {
  Tracer& tracer;
  bool is_max;
  symbolic::Value* key_function;  // null: items are compared themselves
  symbolic::Value* best = nullptr;
  symbolic::Value* best_key = nullptr;

  absl::Status Consider(symbolic::Value* item) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.Materialize(item));
    symbolic::Value* key = item;
    if (key_function != nullptr) {
      DYNACC_ASSIGN_OR_RETURN(key, tracer.CallNow(key_function, {item}));
    }
    bool took = true;
    if (best == nullptr) {
      best = item;
    } else {
      DYNACC_ASSIGN_OR_RETURN(best, Pick(tracer, is_max, best, item, best_key, key, &took));
    }
    if (took) best_key = key_function == nullptr ? best : key;
    return absl::OkStatus();
  }
};

// What items compare with, as text: those for which it is the same, and not empty, compare without
// code of the program's and without an error.
std::string OrderOf(Tracer& tracer, symbolic::Value* item) {
  const absl::StatusOr<symbolic::Value*> made = tracer.Materialize(item);
  if (!made.ok()) return "";
  auto* const tensor = symbolic::As<symbolic::TensorValue>(*made);
  auto* const constant = symbolic::As<symbolic::ConstantValue>(*made);
  if (IsNumberValue(*made) || IsDataDependentNumber(*made) ||
      (tensor != nullptr && tensor->is_scalar && !IsComplex(tensor->node->dtype))) {
    return "n";
  }
  if (constant != nullptr && PyUnicode_CheckExact(constant->object.get())) return "s";
  if (!IsPlainTuple(*made)) return "";
  const absl::StatusOr<std::vector<symbolic::Value*>> items = SequenceItems(tracer, *made);
  std::string order = "(";
  for (symbolic::Value* part : items.ok() ? *items : std::vector<symbolic::Value*>{nullptr}) {
    const std::string of_part = part == nullptr ? "" : OrderOf(tracer, part);
    if (of_part.empty()) return "";
    order += of_part;
  }
  return order + ")";
}

// The items of min or max that are compared themselves. An iterator of objects, whose comparisons
// come between its steps, is left alone; so is one whose comparisons may raise.
absl::StatusOr<std::vector<symbolic::Value*>> ComparedItems(Tracer& tracer,
                                                            symbolic::Value* iterable) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, Drain(tracer, iterable));
  if (IsSequence(iterable)) return items;
  const bool is_iterator = symbolic::As<symbolic::IteratorValue>(iterable) ||
                           symbolic::As<symbolic::LazyIteratorValue>(iterable) ||
                           symbolic::As<symbolic::GeneratorValue>(iterable) ||
                           HasAttributes(iterable);
  const std::string order = is_iterator && items.size() > 1 ? OrderOf(tracer, items[0]) : "any";
  const bool are_alike = order == "any" || absl::c_all_of(items, [&](symbolic::Value* item) {
                           return OrderOf(tracer, item) == order;
                         });
  if (absl::c_any_of(items, HasAttributes) || order.empty() || !are_alike) {
    return symbolic::GraphBreak("min or max of an iterator of objects");
  }
  return items;
}

constexpr char kLater[] = "a builtin called with a value that may change";

bool IsChangingFloat(symbolic::Value* value) {
  auto* lazy = symbolic::As<symbolic::LazyValue>(value);
  auto* number = symbolic::As<symbolic::NumberValue>(value);
  return (lazy != nullptr && lazy->type == &PyFloat_Type) ||
         (number != nullptr && number->type == ScalarType::kFloat);
}

// Whether float(x) or int(x) is another number than x, or the same of another kind.
bool ChangesValue(symbolic::Value* value, PyTypeObject* type) {
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  const bool is_float =
      tensor != nullptr ? dynacc::IsFloat(tensor->node->dtype) : IsChangingFloat(value);
  return is_float != (type == &PyFloat_Type);
}

// float(x) or int(x) of what may be known only at the segment's end.
absl::StatusOr<symbolic::Value*> Converted(Tracer& tracer, const BuiltinCall& call,
                                           PyTypeObject* type) {
  if (call.args.size() != 1 || IsPlainConstantValue(call.args[0])) return FoldCall(tracer, call);
  auto* lazy = symbolic::As<symbolic::LazyValue>(call.args[0]);
  if (lazy != nullptr && lazy->type == type) return lazy;
  auto* tensor = symbolic::As<symbolic::TensorValue>(call.args[0]);
  const bool is_number = (lazy != nullptr && lazy->type != &PyUnicode_Type) ||
                         symbolic::As<symbolic::NumberValue>(call.args[0]) ||
                         (tensor != nullptr && IsDeferrable(tensor));
  if (!is_number) return symbolic::GraphBreak(kLater);
  if (HasNumbersItself(tracer) && ChangesValue(call.args[0], type)) {
    return CallOnNumbers(tracer, call.callable, call.args);
  }
  return Defer(tracer, call.callable, call.args, type, kLater);
}

// A method of a str that makes a str: at once of constants, else at the segment's end.
absl::StatusOr<symbolic::Value*> FormatOrFold(Tracer& tracer, const BuiltinCall& call) {
  absl::StatusOr<symbolic::Value*> folded = FoldCall(tracer, call);
  if (!absl::IsUnimplemented(folded.status())) return folded;
  return Defer(tracer, call.callable, call.args, &PyUnicode_Type,
               "string formatting of a changing value");
}

// A str as special methods must return it.
absl::StatusOr<symbolic::Value*> CheckedText(Tracer& tracer, symbolic::Value* text) {
  DYNACC_ASSIGN_OR_RETURN(text, tracer.Materialize(text));
  auto* constant = symbolic::As<symbolic::ConstantValue>(text);
  auto* lazy = symbolic::As<symbolic::LazyValue>(text);
  if (constant != nullptr && PyUnicode_CheckExact(constant->object.get())) return text;
  if (lazy != nullptr && lazy->type == &PyUnicode_Type) return text;
  return symbolic::GraphBreak("a text that is no str");
}

// Whether the exception's text is that of its one argument, or of the tuple of them.
bool HasPlainText(const symbolic::InstanceValue& exception) {
  auto* type = reinterpret_cast<PyTypeObject*>(exception.cls->object.get());
  return exception.args != nullptr &&
         type->tp_str == reinterpret_cast<PyTypeObject*>(PyExc_BaseException)->tp_str;
}

// The plain constant that a call's only argument is to these methods, if it is a member of an
// enumeration of such; else null.
absl::StatusOr<symbolic::Value*> OnlyArgument(Tracer& tracer, const BuiltinCall& call,
                                              absl::Span<const std::string> methods) {
  if (call.args.size() != 1 || !call.keywords.empty()) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain, AsOperand(tracer, call.args[0], methods));
  return plain != call.args[0] ? plain : nullptr;
}

// What sum() refuses to start with, though it could be added to.
bool IsTextOrBytes(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  auto* lazy = symbolic::As<symbolic::LazyValue>(value);
  return (constant != nullptr &&
          (PyUnicode_Check(constant->object.get()) || PyBytes_Check(constant->object.get()))) ||
         (lazy != nullptr && lazy->type == &PyUnicode_Type);
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> FoldPlain(Tracer& tracer, const BuiltinCall& call) {
  const bool is_late = absl::c_any_of(call.args, [](symbolic::Value* a) {
    return symbolic::As<symbolic::TensorValue>(a) || symbolic::As<symbolic::NumberValue>(a) ||
           IsDataDependentNumber(a);
  });
  if (is_late && call.args.size() == 2 && IsNamed(call.callable, "pow")) {
    return BinaryOperation(tracer, NB_POWER, call.args[0], call.args[1]);
  }
  return FoldCall(tracer, call);
}

absl::StatusOr<symbolic::Value*> DivMod(Tracer& tracer, const BuiltinCall& call) {
  const auto is_number = [](symbolic::Value* value) {
    return IsNumberValue(value) || IsDataDependentNumber(value);
  };
  const bool is_late = call.args.size() == 2 && absl::c_all_of(call.args, is_number) &&
                       !absl::c_all_of(call.args, IsPlainConstantValue);
  if (!is_late) return FoldCall(tracer, call);
  std::vector<symbolic::Value*> parts;
  for (const int op : {NB_FLOOR_DIVIDE, NB_REMAINDER}) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * part,
                            BinaryOperation(tracer, op, call.args[0], call.args[1]));
    parts.push_back(part);
  }
  return tracer.trace().New<symbolic::TupleValue>(std::move(parts));
}

absl::StatusOr<symbolic::Value*> IsKindOfNumber(Tracer& tracer, const BuiltinCall& call) {
  symbolic::Value* const value = call.args.size() == 1 ? call.args[0] : nullptr;
  auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
  const bool is_complex = tensor != nullptr && IsComplex(tensor->node->dtype);
  if (value == nullptr || is_complex || !IsDataDependentNumber(value))
    return FoldCall(tracer, call);
  // A NaN is no number's equal, not even its own, and less than nothing.
  symbolic::Value* other = value;
  symbolic::Value* compared = value;
  int comparison = Py_NE;
  if (!IsNamed(call.callable, "isnan")) {
    BorrowedRef abs = PyDict_GetItemString(GenuineBuiltins(), "abs");
    DYNACC_ASSIGN_OR_RETURN(compared, Abs(tracer, {abs, {value}, {}}));
    other = tracer.ConstantSteal(PyFloat_FromDouble(HUGE_VAL));
    comparison = IsNamed(call.callable, "isinf") ? Py_EQ : Py_LT;
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result,
                          CompareValues(tracer, comparison, compared, other));
  return symbolic::As<symbolic::TensorValue>(result) ? NumberFor(tracer, result, &PyBool_Type)
                                                     : result;
}

absl::StatusOr<symbolic::Value*> Len(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  DYNACC_ASSIGN_OR_RETURN(const int64_t known, KnownLength(tracer, call.args[0]));
  if (known >= 0) return tracer.ConstantSteal(PyLong_FromLongLong(known));
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(call.args[0])) {
    if (tensor->node->rank() == 0) return symbolic::RaisingBreak("len of a rank-0 array");
    int64_t size;
    ScalarProgram& program = tracer.trace().graph().scalars();
    const ScalarId id = tensor->node->shape[0];
    if (program.IsIntConst(id, &size)) return tracer.ConstantSteal(PyLong_FromLongLong(size));
    return tracer.trace().New<symbolic::NumberValue>(id, ScalarType::kInt,
                                                     ScalarValue{.i = tensor->hint_shape[0]});
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, call.args[0], "__len__"));
  if (entries != nullptr) return Len(tracer, {call.callable, {entries}, {}});
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * length, LengthByMethod(tracer, call.args[0]));
  return length != nullptr ? absl::StatusOr<symbolic::Value*>(length)
                           : symbolic::GraphBreak("len of an object");
}

absl::StatusOr<symbolic::Value*> Abs(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  symbolic::Value* value = call.args[0];
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
    return tracer.arrays().CallMethod(tracer.trace(), tensor, "__abs__", {});
  }
  if (IsPlainConstantValue(value)) return FoldCall(tracer, call);
  if (auto* number = symbolic::As<symbolic::NumberValue>(value);
      number && number->type == ScalarType::kInt) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * negative, NumberUnary(tracer, UNARY_NEGATIVE, value));
    return NumberApply(tracer, ScalarOp::kMax, value, negative);
  }
  if (auto* number = symbolic::As<symbolic::NumberValue>(value);
      number && number->type == ScalarType::kFloat) {
    const ScalarId id = tracer.trace().graph().scalars().Apply(ScalarOp::kAbs, number->id);
    const ScalarValue hint = {.f = std::fabs(number->hint.f)};
    return tracer.trace().New<symbolic::NumberValue>(id, ScalarType::kFloat, hint);
  }
  if (IsDataDependentNumber(value)) return CallOnNumbers(tracer, call.callable, call.args);
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, value, "__abs__"));
  if (method == nullptr) return symbolic::GraphBreak("abs of such a value");
  return tracer.CallNow(method, {});
}

absl::StatusOr<symbolic::Value*> MinMax(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 64, {"key", "default"}));
  if (call.args.size() > 1 && call.Keyword("default") != nullptr) {
    return symbolic::RaisingBreak("a default for min or max of several arguments");
  }
  Choice choice{tracer, IsNamed(call.callable, "max"), call.Keyword("key")};
  symbolic::Value* items =
      call.args.size() == 1 ? call.args[0] : tracer.trace().New<symbolic::TupleValue>(call.args);
  if (choice.key_function == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> all, ComparedItems(tracer, items));
    if (AreDataDependentAlike(tracer, all)) return CallOnNumbers(tracer, call.callable, all);
    if (auto scalars = AsScalarsAlike(tracer, all)) {
      return CallOnNumbers(tracer, call.callable, *std::move(scalars));
    }
    // A comparison may change a list.
    if (symbolic::As<symbolic::ListValue>(items) == nullptr)
      items = tracer.trace().New<symbolic::TupleValue>(all);
  }
  const absl::Status chosen =
      ForEachItem(tracer, items, [&](symbolic::Value* item) { return choice.Consider(item); });
  if (absl::IsUnimplemented(chosen) && chosen.message() == kBranchOnValue) {
    return symbolic::GraphBreak(
        "the greatest or least of numbers of several types, which arrays compute");
  }
  DYNACC_RETURN_IF_ERROR(chosen);
  if (choice.best != nullptr) return choice.best;
  if (symbolic::Value* fallback = call.Keyword("default")) return fallback;
  return symbolic::RaisingBreak("min or max of nothing");
}

absl::StatusOr<symbolic::Value*> RoundNumber(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  if (symbolic::As<symbolic::TensorValue>(call.args[0])) {
    if (!IsDataDependentNumber(call.args[0])) return symbolic::GraphBreak("round of an array");
    return CallOnNumbers(tracer, call.callable, call.args);
  }
  if (IsChangingFloat(call.args[0])) {
    // Without digits it gives an int.
    const bool to_int = call.args.size() == 1;
    auto* digits = to_int ? nullptr : symbolic::As<symbolic::ConstantValue>(call.args[1]);
    if (HasNumbersItself(tracer)) return CallOnNumbers(tracer, call.callable, call.args);
    if (to_int || (digits != nullptr && PyLong_CheckExact(digits->object.get()))) {
      return Defer(tracer, call.callable, call.args, to_int ? &PyLong_Type : &PyFloat_Type, kLater);
    }
  }
  return FoldCall(tracer, call);
}

absl::StatusOr<symbolic::Value*> MakeFloat(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain,
                          OnlyArgument(tracer, call, {"__float__", "__index__"}));
  if (plain != nullptr) return MakeFloat(tracer, {call.callable, {plain}, {}});
  auto* number = call.args.empty() ? nullptr : symbolic::As<symbolic::NumberValue>(call.args[0]);
  if (number == nullptr) return Converted(tracer, call, &PyFloat_Type);
  if (number->type == ScalarType::kFloat) return call.args[0];
  return NumberBinary(tracer, NB_MULTIPLY, number, tracer.ConstantSteal(PyFloat_FromDouble(1.0)));
}

absl::StatusOr<symbolic::Value*> MakeInt(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain,
                          OnlyArgument(tracer, call, {"__int__", "__index__", "__trunc__"}));
  if (plain != nullptr) return MakeInt(tracer, {call.callable, {plain}, {}});
  auto* number =
      call.args.size() == 1 ? symbolic::As<symbolic::NumberValue>(call.args[0]) : nullptr;
  if (number != nullptr && number->type == ScalarType::kInt) return call.args[0];
  return Converted(tracer, call, &PyLong_Type);
}

absl::StatusOr<symbolic::Value*> MakeBool(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  if (call.args.empty()) return tracer.Constant(Py_False);
  auto* const tensor = symbolic::As<symbolic::TensorValue>(call.args[0]);
  if (tensor != nullptr && tensor->is_scalar && tensor->node->dtype == DType::kBool)
    return NumberFor(tracer, tensor, &PyBool_Type);
  DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(call.args[0]));
  return tracer.Constant(truth ? Py_True : Py_False);
}

absl::StatusOr<symbolic::Value*> MakeStr(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 1));
  if (call.args.empty()) return FoldCall(tracer, call);
  if (auto* exception = symbolic::As<symbolic::InstanceValue>(call.args[0]);
      exception && HasPlainText(*exception)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * args, tracer.AsConstant(exception->args));
    auto* tuple = symbolic::As<symbolic::TupleValue>(exception->args);
    if (tuple != nullptr && tuple->items.size() == 1) args = tuple->items[0];
    DYNACC_ASSIGN_OR_RETURN(args, tracer.Materialize(args));
    if (tuple != nullptr && tuple->items.empty()) return FoldCall(tracer, {call.callable, {}, {}});
    return MakeStr(tracer, {call.callable, {args}, {}});
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * method, SpecialMethod(tracer, call.args[0], "__str__"));
  if (method != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * text, tracer.CallNow(method, {}));
    return CheckedText(tracer, text);
  }
  auto* lazy = symbolic::As<symbolic::LazyValue>(call.args[0]);
  if (lazy != nullptr && lazy->type == &PyUnicode_Type) return lazy;
  return TextOf(tracer, call);
}

absl::StatusOr<symbolic::Value*> TextOf(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  for (symbolic::Value* arg : call.args) {
    if (IsPlainConstantValue(arg)) continue;
    return Defer(tracer, call.callable, call.args, &PyUnicode_Type,
                 "the text of a value that may change");
  }
  return FoldCall(tracer, call);
}

absl::StatusOr<symbolic::Value*> StrFormat(Tracer& tracer, const BuiltinCall& call) {
  if (!call.keywords.empty()) return FoldCall(tracer, call);
  return symbolic::As<symbolic::ConstantValue>(call.args[0]) == nullptr
             ? symbolic::GraphBreak("string formatting with a changing format")
             : FormatOrFold(tracer, call);
}

absl::StatusOr<symbolic::Value*> StrJoin(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> pieces,
                          DrainIterator(tracer, call.args[1]));
  for (symbolic::Value*& piece : pieces) {
    DYNACC_ASSIGN_OR_RETURN(piece, tracer.Materialize(piece));
  }
  symbolic::Value* tuple = tracer.trace().New<symbolic::TupleValue>(std::move(pieces));
  return FormatOrFold(tracer, {call.callable, {call.args[0], tuple}, {}});
}

absl::StatusOr<symbolic::Value*> AnyAll(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  const bool is_any = IsNamed(call.callable, "any");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[0]));
  for (;;) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return tracer.Constant(is_any ? Py_False : Py_True);
    DYNACC_ASSIGN_OR_RETURN(const bool truth, tracer.Truth(item));
    if (truth == is_any) return tracer.Constant(is_any ? Py_True : Py_False);
  }
}

// CPython adds floats with a compensation only from 3.12 on; here plainly.
absl::StatusOr<symbolic::Value*> Sum(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2, {"start"}));
  symbolic::Value* start = call.args.size() == 2 ? call.args[1] : call.Keyword("start");
  symbolic::Value* total = start != nullptr ? start : tracer.ConstantSteal(PyLong_FromLong(0));
  if (IsTextOrBytes(total)) return symbolic::RaisingBreak("a sum of texts");
  DYNACC_RETURN_IF_ERROR(
      ForEachItem(tracer, call.args[0], [&](symbolic::Value* item) -> absl::Status {
        DYNACC_ASSIGN_OR_RETURN(total, BinaryOperation(tracer, NB_ADD, total, item));
        return absl::OkStatus();
      }));
  return total;
}

absl::StatusOr<symbolic::Value*> Operate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  for (const symbolic::BinaryOperator& row : symbolic::BinaryOperators()) {
    if (IsNamed(call.callable, row.name)) {
      return BinaryOperation(tracer, row.nb_op, call.args[0], call.args[1]);
    }
  }
  return absl::NotFoundError("");
}

absl::StatusOr<symbolic::Value*> Negate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  return UnaryOperation(tracer, UNARY_NEGATIVE, call.args[0]);
}

absl::StatusOr<symbolic::Value*> GetItem(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  return Subscript(tracer, call.args[0], call.args[1]);
}

absl::StatusOr<symbolic::Value*> Reduce(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 3));
  symbolic::Value* total = call.args.size() == 3 ? call.args[2] : nullptr;
  DYNACC_RETURN_IF_ERROR(
      ForEachItem(tracer, call.args[1], [&](symbolic::Value* item) -> absl::Status {
        if (total != nullptr) {
          DYNACC_ASSIGN_OR_RETURN(item, tracer.CallNow(call.args[0], {total, item}));
        }
        total = item;
        return absl::OkStatus();
      }));
  return total != nullptr ? absl::StatusOr<symbolic::Value*>(total)
                          : symbolic::RaisingBreak("reduce of nothing");
}

}  // namespace builtins
}  // namespace dynacc::tracer
