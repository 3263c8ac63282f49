// The part of LoopBuilder that follows calls.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/numpy/trace/ufuncs.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// min() and max() of more numbers, of different types, part into too many ways.
constexpr size_t kMostLeast = 4;

// "math" of math.sqrt; "" if it is no function of a module written in C.
absl::string_view ModuleOf(BorrowedRef function) {
  if (!PyCFunction_CheckExact(function)) return "";
  BorrowedRef self = PyCFunction_GET_SELF(function);
  if (self == nullptr || !PyModule_Check(self)) return "";
  const char* name = PyModule_GetName(self);
  if (name == nullptr) PyErr_Clear();
  return name == nullptr ? "" : name;
}

absl::string_view NameOf(BorrowedRef function) {
  return reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name;
}

// The name of NumPy's own ufunc that `object` is; "" if it is none.
absl::string_view NumpyUfunc(BorrowedRef object) {
  return numpy::IsUfunc(object) ? reinterpret_cast<PyUFuncObject*>(object)->name : "";
}

LoopCallee::Function MathFunction(absl::string_view name) {
#define DYNACC_LOOP_MATH2(function)
#define DYNACC_LOOP_REDUCTION(function, op, starts_with_first)
#define DYNACC_LOOP_MATH(function) \
  if (name == #function) return static_cast<LoopCallee::Function>(std::function);
#include "frontend/loops/loop_calls.def"
#undef DYNACC_LOOP_MATH
#undef DYNACC_LOOP_MATH2
#undef DYNACC_LOOP_REDUCTION
  return nullptr;
}

LoopCallee::Function2 MathFunction2(absl::string_view name) {
#define DYNACC_LOOP_MATH(function)
#define DYNACC_LOOP_REDUCTION(function, op, starts_with_first)
#define DYNACC_LOOP_MATH2(function) \
  if (name == #function) return static_cast<LoopCallee::Function2>(std::function);
#include "frontend/loops/loop_calls.def"
#undef DYNACC_LOOP_MATH
#undef DYNACC_LOOP_MATH2
#undef DYNACC_LOOP_REDUCTION
  return nullptr;
}

// random() of an instance of random.Random: `random.random` of the module, too.
bool IsSampling(BorrowedRef function) {
  if (!PyCFunction_CheckExact(function) || NameOf(function) != "random") return false;
  BorrowedRef self = PyCFunction_GET_SELF(function);
  return self != nullptr && PyCFunction_GET_FLAGS(function) == METH_NOARGS &&
         absl::string_view(BuiltinBase(Py_TYPE(self))->tp_name) == "_random.Random";
}

std::vector<NumberType> TypesOf(const std::vector<LoopValue>& numbers) {
  std::vector<NumberType> types;
  for (const LoopValue& number : numbers) types.push_back(number.type);
  return types;
}

bool AllNumbers(const std::vector<LoopValue>& values) {
  for (const LoopValue& value : values) {
    if (!value.is(LoopValue::Kind::kNumber)) return false;
  }
  return true;
}

bool AnyEither(const std::vector<LoopValue>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](const LoopValue& value) { return value.is(LoopValue::Kind::kEither); });
}

}  // namespace

bool LoopBuilder::Call(int count, BorrowedRef keywords) {
  const std::vector<LoopValue> args(state_.stack.end() - count, state_.stack.end());
  state_.stack.resize(state_.stack.size() - count);
  LoopValue function = Pop();
  LoopValue null = Pop();
  if (function.is(Kind::kNull)) std::swap(function, null);
  if (null.is(Kind::kObject) && PyFunction_Check(null.object)) {
    return CallFunction(null.object, count + 1, count + 2, keywords) ||
           Refuse("a call of a method");
  }
  if (null.is(Kind::kObject) && function.is(Kind::kWindow)) {
    return CallMethodOfWindow(null.object, function, args, keywords) ||
           RefuseArrays("a method of a window");
  }
  if (null.is(Kind::kObject) && keywords == nullptr) {
    return CallMethod(null.object, function, args) || Refuse("a call of an unknown method");
  }
  if (!null.is(Kind::kNull) || !function.is(Kind::kObject)) return Refuse("a call");
  if (CallFunctionOfWindow(function.object, args, keywords)) return true;
  const auto is_window = [](const LoopValue& arg) { return arg.is(Kind::kWindow); };
  if (std::any_of(args.begin(), args.end(), is_window)) return RefuseArrays("a call on a window");
  if (keywords == nullptr &&
      (CallOnSlices1d(function.object, args) || CallNewRow(function.object, args))) {
    return true;
  }
  if (CallNewArray(function.object, args, keywords)) return true;
  if (PyFunction_Check(function.object)) {
    return CallFunction(function.object, count, count + 2, keywords) ||
           Refuse("a call of a Python function");
  }
  if (keywords == nullptr && CallKnown(function.object, args)) return true;
  is_of_arrays_ = is_of_arrays_ || std::any_of(args.begin(), args.end(), IsArray);
  return Refuse("a call of an unknown function");
}

// `method`: what LOAD_METHOD has found in the type of `self`.
bool LoopBuilder::CallMethod(BorrowedRef method, const LoopValue& self,
                             const std::vector<LoopValue>& args) {
  if (Py_TYPE(method) != &PyMethodDescr_Type) return false;
  const absl::string_view name = reinterpret_cast<PyMethodDescrObject*>(method)->d_method->ml_name;
  if (IsArray(self)) return CallMethodOfSlice1d(name, self, args);
  if (self.is(Kind::kList)) {
    if (name == "append" && args.size() == 1) return Append(self, args[0]);
    return name == "pop" && args.empty() && PopItem(self);
  }
  if (IsComplex(self)) {
    if ((name != "conjugate" && name != "conj") || !args.empty()) return false;
    Push(Conjugate(self));
    return true;
  }
  return name == "bit_length" && args.empty() &&
         PushNumber(NumberType::kPyInt, Emit(Code::kBitLength, self.reg));
}

bool LoopBuilder::CallKnown(BorrowedRef function, const std::vector<LoopValue>& args) {
  if (PyType_Check(function)) return CallType(function, args);
  if (args.empty() && IsSampling(function)) return Draw(function);
  const absl::string_view module = ModuleOf(function);
  if (module == "builtins") return CallBuiltin(function, NameOf(function), args);
  if (module == "math") return AllNumbers(args) && CallMath(NameOf(function), args);
  const absl::string_view ufunc = NumpyUfunc(function);
  if (ufunc.empty()) return false;
  if (args.size() == 1 && IsComplex(args[0])) return CallNumpyOfComplex(ufunc, args[0]);
  return AllNumbers(args) && CallNumpy(function, ufunc, args);
}

// float("inf").
bool LoopBuilder::FloatOfText(BorrowedRef text) {
  const Ref number = PyUnicode_CheckExact(text) ? Ref::Steal(PyFloat_FromString(text)) : Ref();
  PyErr_Clear();
  return number && PushNumber(NumberType::kPyFloat, FloatConstant(PyFloat_AS_DOUBLE(number.get())));
}

bool LoopBuilder::CallType(BorrowedRef type, const std::vector<LoopValue>& args) {
  if (type == reinterpret_cast<PyObject*>(&PyRange_Type)) return MakeRange(args);
  if (type == reinterpret_cast<PyObject*>(&PyEnum_Type)) return CallEnumerate(args);
  if (type == reinterpret_cast<PyObject*>(&PyZip_Type)) return CallZip(args);
  if (type == reinterpret_cast<PyObject*>(&PyReversed_Type)) return CallReversed(args);
  if (type == reinterpret_cast<PyObject*>(&PyComplex_Type)) return MakeComplex(args);
  if (args.size() != 1) return false;
  const bool is_float = type == reinterpret_cast<PyObject*>(&PyFloat_Type);
  if (is_float && args[0].is(Kind::kObject)) return FloatOfText(args[0].object);
  if (!args[0].is(Kind::kNumber)) return false;
  const LoopValue& number = args[0];
  if (is_float) {
    return PushNumber(NumberType::kPyFloat, AsFloat(number));
  }
  if (type == reinterpret_cast<PyObject*>(&PyLong_Type)) {
    return PushNumber(NumberType::kPyInt,
                      IsFloat(number.type) ? Emit(Code::kToInt, number.reg) : number.reg);
  }
  uint16_t truth = 0;
  if (type == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    return Truth(number, &truth) && PushNumber(NumberType::kPyBool, Emit(Code::kTruthInt, truth));
  }
  const std::optional<NumberType> numpy = NumberOfClass(type);
  uint16_t converted = 0;
  return numpy && !IsPython(*numpy) && Convert(number, *numpy, &converted) &&
         PushNumber(*numpy, Emit(IsFloat(*numpy) ? Code::kMoveFloat : Code::kMoveInt, converted));
}

// divmod() of numbers of Python's own, and of ints.
bool LoopBuilder::DivideBoth(const LoopValue& a, const LoopValue& b) {
  const bool are_pythons = IsPython(a.type) && IsPython(b.type);
  if (!are_pythons && (!IsInt(a.type) || !IsInt(b.type))) return false;
  if (IsBool(a.type) && IsBool(b.type)) return false;
  LoopValue both;
  both.kind = Kind::kTuple;
  for (const int nb_op : {NB_FLOOR_DIVIDE, NB_REMAINDER}) {
    Push(a);
    Push(b);
    if (!Binary(nb_op)) return false;
    both.items.push_back(Pop());
    if (!are_pythons && !IsInt(both.items.back().type)) return false;
  }
  Push(std::move(both));
  return true;
}

bool LoopBuilder::Round(const LoopValue& number) {
  if (number.type == NumberType::kPyInt) return PushNumber(number.type, number.reg);
  if (number.type != NumberType::kPyFloat) return false;
  return PushNumber(NumberType::kPyInt, Emit(Code::kToInt, Emit(Code::kRoundFloat, number.reg)));
}

bool LoopBuilder::Length(const LoopValue& value) {
  if (value.is(Kind::kTuple)) {
    return PushNumber(NumberType::kPyInt, IntConstant(static_cast<int64_t>(value.items.size())));
  }
  if (value.is(Kind::kList)) {
    return PushNumber(NumberType::kPyInt, Emit(Code::kListSize, value.reg));
  }
  if (value.is(Kind::kSlice1d)) {
    return PushNumber(NumberType::kPyInt,
                      Emit(Code::kMoveInt, static_cast<uint16_t>(value.reg + 2)));
  }
  if (!value.is(Kind::kArray) && !value.is(Kind::kView)) return false;
  if (value.consumed == arrays_[value.slot].rank) return false;
  return PushNumber(NumberType::kPyInt,
                    Emit(Code::kDim, 0, 0, PackAxis(value.slot, value.consumed)));
}

bool LoopBuilder::Absolute(BorrowedRef function, const LoopValue& number) {
  const std::optional<NumberType> type = TypeOfCall(function, {number.type});
  if (!type || IsBool(*type)) return false;
  if (IsFloat(*type)) {
    return PushNumber(*type, Emit(Code::kAbsFloat, AsFloatOf(number, *type)));
  }
  return PushNumber(*type, FitInt(Emit(Code::kAbsInt, number.reg), *type));
}

bool LoopBuilder::CallBuiltin(BorrowedRef function, absl::string_view name,
                              const std::vector<LoopValue>& args) {
  if (name == "len") return args.size() == 1 && Length(args[0]);
  if (name == "ord" && args.size() == 1 && args[0].is(Kind::kChar)) {
    return PushNumber(NumberType::kPyInt, args[0].reg);
  }
  if (name == "abs" && args.size() == 1 && IsComplex(args[0])) return AbsoluteOfComplex(args[0]);
  if ((name == "min" || name == "max") && AnyEither(args))
    return LeastOfEither(name == "max", args);
  if (args.empty() || !AllNumbers(args)) return false;
  if (name == "abs" && args.size() == 1) return Absolute(function, args[0]);
  if (name == "min" || name == "max") return args.size() > 1 && Least(name == "max", args);
  if (name == "round") return args.size() == 1 && Round(args[0]);
  if (args.size() != 2) return false;
  if (name == "divmod") return DivideBoth(args[0], args[1]);
  if (name != "pow") return false;
  Push(args[0]);
  Push(args[1]);
  return Binary(NB_POWER);
}

// Of numbers of different types any may be the result: the ways part there.
bool LoopBuilder::LeastOfTypes(int compare_op, const LoopValue& best,
                               const std::vector<LoopValue>& args, size_t next) {
  if (next == args.size()) {
    Push(best);
    return GoTo(at_->next);
  }
  uint16_t test = 0;
  if (!CompareNumbers(compare_op, args[next], best, &test)) return false;
  Append(Code::kJumpIfNot).a = test;
  const auto jump = static_cast<int>(program_.ops.size()) - 1;
  const LoopState state = state_;
  if (!LeastOfTypes(compare_op, args[next], args, next + 1)) return false;
  state_ = state;
  program_.ops[jump].k = static_cast<int32_t>(program_.ops.size());
  return LeastOfTypes(compare_op, best, args, next + 1);
}

bool LoopBuilder::Least(bool greatest, const std::vector<LoopValue>& args) {
  const int compare_op = greatest ? Py_GT : Py_LT;
  bool same = true;
  for (const LoopValue& arg : args) same = same && arg.type == args[0].type;
  uint16_t test = 0;
  if (!same) {
    return args.size() <= kMostLeast && LeastOfTypes(compare_op, args[0], args, 1);
  }
  const Code move = IsFloat(args[0].type) ? Code::kMoveFloat : Code::kMoveInt;
  LoopValue least = LoopValue::Number(args[0].type, Emit(move, args[0].reg));
  for (size_t i = 1; i < args.size(); ++i) {
    if (!CompareNumbers(compare_op, args[i], least, &test)) return false;
    Append(Code::kJumpIfNot).a = test;
    const auto jump = static_cast<int>(program_.ops.size()) - 1;
    LoopOp& take = Append(move);
    take.d = least.reg;
    take.a = args[i].reg;
    program_.ops[jump].k = static_cast<int32_t>(program_.ops.size());
  }
  // Not what a jump passes by is the last op, which may be given another register.
  least.reg = Emit(move, least.reg);
  Push(least);
  return true;
}

// The generator's next number. Its address is no constant, as it differs from process to process.
bool LoopBuilder::Draw(BorrowedRef method) {
  const uint16_t reg = Reserve(1);
  addresses_.push_back({reg, method});
  PushNumber(NumberType::kPyFloat, Emit(Code::kDraw, reg));
  NoteEffect();
  return true;
}

// Of a float: what it is, or what it is to the left of the point.
bool LoopBuilder::CallMathTest(absl::string_view name, const LoopValue& number) {
  const uint16_t x = AsFloat(number);
  if (name == "isnan") return PushNumber(NumberType::kPyBool, Emit(Code::kNotEqualFloat, x, x));
  if (name == "isinf") {
    const uint16_t infinity = FloatConstant(std::numeric_limits<double>::infinity());
    return PushNumber(NumberType::kPyBool,
                      Emit(Code::kEqualFloat, Emit(Code::kAbsFloat, x), infinity));
  }
  if (name != "isfinite") return false;
  const uint16_t most = FloatConstant(std::numeric_limits<double>::max());
  return PushNumber(NumberType::kPyBool,
                    Emit(Code::kLessEqualFloat, Emit(Code::kAbsFloat, x), most));
}

// math.floor, math.ceil and math.trunc.
bool LoopBuilder::CallMathWhole(absl::string_view name, const LoopValue& number) {
  if (number.type == NumberType::kPyInt) return PushNumber(number.type, number.reg);
  if (number.type != NumberType::kPyFloat && number.type != NumberType::kFloat64) return false;
  uint16_t whole = number.reg;
  if (name != "trunc") {
    whole = Emit(name == "floor" ? Code::kFloorFloat : Code::kCeilFloat, number.reg);
  }
  return PushNumber(NumberType::kPyInt, Emit(Code::kToInt, whole));
}

bool LoopBuilder::CallMath2(absl::string_view name, const LoopValue& a, const LoopValue& b) {
  const uint16_t x = AsFloat(a);
  const uint16_t y = AsFloat(b);
  if (name == "pow") return PushNumber(NumberType::kPyFloat, Emit(Code::kPowFloat, x, y));
  const LoopCallee::Function2 function = MathFunction2(name);
  if (function == nullptr) return false;
  program_.callees.push_back({.name = std::string(name), .function2 = function});
  const auto callee = static_cast<int>(program_.callees.size()) - 1;
  return PushNumber(NumberType::kPyFloat, Emit(Code::kCall2, x, y, callee));
}

bool LoopBuilder::CallMath(absl::string_view name, const std::vector<LoopValue>& args) {
  if (args.size() == 2) return CallMath2(name, args[0], args[1]);
  if (args.size() != 1) return false;
  const LoopValue& number = args[0];
  if (name == "floor" || name == "ceil" || name == "trunc") return CallMathWhole(name, number);
  if (CallMathTest(name, number)) return true;
  const uint16_t x = AsFloat(number);
  if (name == "sqrt") return PushNumber(NumberType::kPyFloat, Emit(Code::kSqrtFloat, x));
  if (name == "fabs") return PushNumber(NumberType::kPyFloat, Emit(Code::kAbsFloat, x));
  if (name == "degrees" || name == "radians") {
    const double factor = name == "degrees" ? 180.0 / Py_MATH_PI : Py_MATH_PI / 180.0;
    return PushNumber(NumberType::kPyFloat, Emit(Code::kMulFloat, x, FloatConstant(factor)));
  }
  const LoopCallee::Function function = MathFunction(name);
  if (function == nullptr) return false;
  return PushNumber(NumberType::kPyFloat,
                    EmitCall({.name = std::string(name), .function = function}, x));
}

uint16_t LoopBuilder::EmitCall(LoopCallee callee, uint16_t a) {
  program_.callees.push_back(std::move(callee));
  return Emit(Code::kCall1, a, 0, static_cast<int>(program_.callees.size()) - 1);
}

bool LoopBuilder::CallNumpy(BorrowedRef function, absl::string_view name,
                            const std::vector<LoopValue>& args) {
  if (args.empty() || args.size() > 2) return false;
  if (name == "absolute" || name == "fabs") return args.size() == 1 && Absolute(function, args[0]);
  const std::optional<NumberType> type = TypeOfCall(function, TypesOf(args));
  if (!type || !IsFloat(*type)) return false;
  const uint16_t x = AsFloatOf(args[0], *type);
  const bool single = *type == NumberType::kFloat32;
  if (args.size() == 1 && name == "floor") return PushNumber(*type, Emit(Code::kFloorFloat, x));
  if (args.size() == 1 && name == "ceil") return PushNumber(*type, Emit(Code::kCeilFloat, x));
  if (args.size() == 1 && name == "sqrt") {
    const uint16_t root = Emit(Code::kSqrtFloat, x);
    return PushNumber(*type, single ? Emit(Code::kToSingle, root) : root);
  }
  const std::optional<Op> op = numpy::ElementwiseOpOf(function);
  const kernel::LibraryLoop loop =
      op && !single ? kernel::FindLibraryLoop(static_cast<int>(*op), DType::kFloat64)
                    : kernel::LibraryLoop();
  if (!loop) return false;
  LoopCallee callee = {.name = std::string(name), .loop = loop};
  if (args.size() == 1) return PushNumber(*type, EmitCall(std::move(callee), x));
  const uint16_t y = AsFloatOf(args[1], *type);
  program_.callees.push_back(std::move(callee));
  return PushNumber(*type, Emit(Code::kCall2, x, y, static_cast<int>(program_.callees.size()) - 1));
}

bool LoopBuilder::MakeRange(const std::vector<LoopValue>& args) {
  if (args.empty() || args.size() > 3) return false;
  for (const LoopValue& arg : args) {
    if (!IsIndex(arg)) return false;
  }
  LoopValue range;
  range.kind = Kind::kRange;
  const LoopValue zero = LoopValue::Number(NumberType::kPyInt, IntConstant(0));
  const LoopValue one = LoopValue::Number(NumberType::kPyInt, IntConstant(1));
  range.items = {args.size() > 1 ? args[0] : zero, args.size() > 1 ? args[1] : args[0],
                 args.size() > 2 ? args[2] : one};
  for (LoopValue& item : range.items) item.type = NumberType::kPyInt;
  Push(std::move(range));
  return true;
}

}  // namespace dynacc::loops
