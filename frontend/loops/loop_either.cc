// The part of LoopBuilder that has variables of one type or the other, or not yet stored, where a
// loop goes on (type_joins.h), and computes with numbers of either type.
//
// Where both types give the same number, that is computed, and the result is of either type again
// or of the one that both give. Any other instruction is translated twice: control parts by the
// type in front of it.

#include <algorithm>
#include <functional>
#include <utility>

#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;
using Kind = LoopValue::Kind;

bool IsEither(const LoopValue& value) { return value.is(Kind::kEither); }

// The types that a number may have: Python's first.
std::vector<NumberType> TypesOf(const LoopValue& value) {
  if (!IsEither(value)) return {value.type};
  return {PythonTypeOf(value.type), value.type};
}

bool IsDouble(NumberType type) {
  return type == NumberType::kPyFloat || type == NumberType::kFloat64;
}
bool IsLong(NumberType type) { return type == NumberType::kPyInt || type == NumberType::kInt64; }

// Whether arithmetic of such operands is the same ops whatever their types are. Python divides ints
// as if without rounding before.
bool HasSameOps(NumberType a, NumberType b, NumberType result) {
  if (IsLong(result)) return IsInt(a) && IsInt(b);
  return IsDouble(result) && (IsDouble(a) || IsDouble(b)) && (IsDouble(a) || IsInt(a)) &&
         (IsDouble(b) || IsInt(b));
}

// The first number of either type in a value, or null.
const LoopValue* EitherIn(const LoopValue& value) {
  if (IsEither(value)) return &value;
  for (const LoopValue& item : value.items) {
    if (const LoopValue* found = EitherIn(item)) return found;
  }
  return nullptr;
}

// What is of either type by that tag is of one from here on.
void Narrow(LoopValue& value, uint16_t tag, bool is_numpys) {
  if (!IsEither(value)) {
    for (LoopValue& item : value.items) Narrow(item, tag, is_numpys);
  } else if (value.items[1].reg == tag) {
    value =
        LoopValue::Number(is_numpys ? value.type : PythonTypeOf(value.type), value.items[0].reg);
  }
}

}  // namespace

// The type that operations on `a` and `b` give, as `of` says of each pair of types: one, or
// Python's where both are Python's and NumPy's otherwise. None: they do not agree in that.
std::optional<LoopBuilder::EitherType> LoopBuilder::TypeOfEither(
    const LoopValue& a, const LoopValue& b,
    absl::FunctionRef<std::optional<NumberType>(NumberType, NumberType)> of) {
  EitherType result;
  for (const NumberType left : TypesOf(a)) {
    for (const NumberType right : TypesOf(b)) {
      const std::optional<NumberType> type = of(left, right);
      if (!type) return std::nullopt;
      std::optional<NumberType>& known =
          IsPython(left) && IsPython(right) ? result.pythons : result.numpys;
      if (known && *known != *type) return std::nullopt;
      known = type;
    }
  }
  if (!result.numpys) return std::nullopt;
  if (result.pythons && *result.pythons != *result.numpys &&
      *result.pythons != PythonTypeOf(*result.numpys)) {
    return std::nullopt;
  }
  return result;
}

// The number in `reg` as what an operation on `a` and `b` gives.
bool LoopBuilder::PushEither(const EitherType& type, const LoopValue& a, const LoopValue& b,
                             uint16_t reg) {
  if (!type.pythons || *type.pythons == *type.numpys) return PushNumber(*type.numpys, reg);
  uint16_t tag = IsEither(a) ? a.items[1].reg : b.items[1].reg;
  if (IsEither(a) && IsEither(b)) tag = Emit(Code::kOrInt, a.items[1].reg, b.items[1].reg);
  Push(LoopValue::Either(*type.numpys, reg, tag));
  return true;
}

// As one of NumPy's type, where that makes no difference.
LoopValue LoopBuilder::AsNumpys(const LoopValue& value) {
  return IsEither(value) ? value.items[0] : value;
}

// As one of Python's: what a store to an element does to that has all the checks of both.
LoopValue LoopBuilder::AsPythons(const LoopValue& value) {
  if (!IsEither(value)) return value;
  return LoopValue::Number(PythonTypeOf(value.type), value.items[0].reg);
}

// An index, or a tuple of such, is the same int whatever type it has.
LoopValue LoopBuilder::AsIndex(LoopValue key) {
  if (IsEither(key)) return IsInt(key.type) ? AsNumpys(key) : key;
  if (key.is(Kind::kTuple) || key.is(Kind::kSlice)) {
    for (LoopValue& item : key.items) item = AsIndex(std::move(item));
  }
  return key;
}

bool LoopBuilder::BinaryOfEither(int nb_op, const LoopValue& a, const LoopValue& b) {
  const auto is_number = [](const LoopValue& one) {
    return one.is(Kind::kNumber) || IsEither(one);
  };
  if (!is_number(a) || !is_number(b) || nb_op == NB_POWER) return RefuseOperands(a, b);
  const std::optional<EitherType> type =
      TypeOfEither(a, b, [&](NumberType left, NumberType right) -> std::optional<NumberType> {
        const std::optional<NumberType> result = TypeOfBinary(nb_op, left, right);
        return result && HasSameOps(left, right, *result) ? result : std::nullopt;
      });
  if (!type) return Refuse("an operation that depends on a type");
  Push(AsNumpys(a));
  Push(AsNumpys(b));
  return Binary(nb_op) && PushEither(*type, a, b, Pop().reg);
}

bool LoopBuilder::CompareEither(int compare_op, const LoopValue& a, const LoopValue& b) {
  const auto is_number = [](const LoopValue& one) {
    return one.is(Kind::kNumber) || IsEither(one);
  };
  if (!is_number(a) || !is_number(b)) return RefuseOperands(a, b);
  const std::optional<EitherType> type =
      TypeOfEither(a, b, [](NumberType left, NumberType right) -> std::optional<NumberType> {
        if (left == NumberType::kFloat32 || right == NumberType::kFloat32) return std::nullopt;
        const std::optional<NumberType> result = TypeOfComparison(left, right);
        return result && IsBool(*result) ? result : std::nullopt;
      });
  uint16_t result = 0;
  if (!type) return Refuse("a comparison that depends on a type");
  return CompareNumbers(compare_op, AsNumpys(a), AsNumpys(b), &result) &&
         PushEither(*type, a, b, result);
}

// min() or max() of two numbers of which one is of either type, and the other of one of these.
bool LoopBuilder::LeastOfEither(bool greatest, const std::vector<LoopValue>& args) {
  if (args.size() != 2) return false;
  const NumberType type = IsEither(args[0]) ? args[0].type : args[1].type;
  uint16_t tags[2];
  for (int i = 0; i < 2; ++i) {
    const LoopValue& arg = args[i];
    if (!IsEither(arg) && !arg.is(Kind::kNumber)) return false;
    if (arg.type != type && arg.type != PythonTypeOf(type)) return false;
    tags[i] = IsEither(arg) ? arg.items[1].reg : IntConstant(arg.type == type ? 1 : 0);
  }
  const Code move = IsFloat(type) ? Code::kMoveFloat : Code::kMoveInt;
  const LoopValue first = AsNumpys(args[0]);
  const LoopValue second = AsNumpys(args[1]);
  const uint16_t number = Emit(move, first.reg);
  const uint16_t tag = Emit(Code::kMoveInt, tags[0]);
  uint16_t test = 0;
  if (!CompareNumbers(greatest ? Py_GT : Py_LT, second, first, &test)) return false;
  Append(Code::kJumpIfNot).a = test;
  const auto jump = static_cast<int>(program_.ops.size()) - 1;
  LoopOp& take = Append(move);
  take.d = number;
  take.a = second.reg;
  MoveInt(tag, tags[1]);
  program_.ops[jump].k = static_cast<int32_t>(program_.ops.size());
  // Not what a jump passes by is the last op, which may be given another register.
  const uint16_t least = Emit(move, number);
  Push(LoopValue::Either(type, least, Emit(Code::kMoveInt, tag)));
  return true;
}

// At a loop's header: a variable that may be in several states there goes on with any of them.
// False: no variable does.
bool LoopBuilder::JoinTypes(int offset) {
  bool joins = false;
  auto at = joins_.lower_bound(std::tuple(code_->code.code(), offset, 0));
  for (; at != joins_.end(); ++at) {
    const auto& [code, header, variable] = at->first;
    if (code != code_->code.code() || header != offset) break;
    joins = Join(variable, at->second) || joins;
  }
  return joins;
}

// False: the variable is that already, or something else.
bool LoopBuilder::Join(int variable, const TypeJoin& join) {
  LoopValue& value = state_.variables[variable];
  const uint16_t tag = OfImaginary(variable);
  const uint16_t flag = OfStoredFlag(variable);
  if (value.is(Kind::kOpaque)) {
    if (!join.may_be_unset) return false;
    const uint16_t reg = OfVariable(variable);
    MoveInt(flag, IntConstant(0));
    value = LoopValue::Perhaps(join.has_two_types ? LoopValue::Either(join.type, reg, tag)
                                                  : LoopValue::Number(join.type, reg),
                               flag);
    return true;
  }
  const bool was_perhaps = value.is(Kind::kPerhaps);
  LoopValue number = was_perhaps ? value.items[0] : value;
  if (!number.is(Kind::kNumber) && !IsEither(number)) return false;
  const bool is_of_type = number.type == join.type;
  const bool gets_tag = join.has_two_types && number.is(Kind::kNumber);
  const bool gets_flag = join.may_be_unset && !was_perhaps;
  if (!is_of_type && !(gets_tag && number.type == PythonTypeOf(join.type))) return false;
  if (IsEither(number) != join.has_two_types && !gets_tag) return false;
  if (gets_tag) {
    Rescue(tag);
    MoveInt(tag, IntConstant(is_of_type ? 1 : 0));
    number = LoopValue::Either(join.type, number.reg, tag);
  }
  if (gets_flag) MoveInt(flag, IntConstant(1));
  value = was_perhaps || gets_flag ? LoopValue::Perhaps(number, flag) : number;
  return gets_tag || gets_flag;
}

// Of a variable that is read: as long as nothing is stored to it, the instruction is Python's.
void LoopBuilder::RequireStored(int variable) {
  LoopValue& value = state_.variables[variable];
  const int exit = CurrentExit();
  const uint16_t test = Emit(Code::kMoveInt, value.items[1].reg);
  LoopOp& jump = Append(Code::kJumpIf);
  jump.a = test;
  jump.k = static_cast<int32_t>(program_.ops.size()) + 1;
  Append(Code::kExit).exit = exit;
  value = LoopValue(value.items[0]);
}

// Whether a number on the stack is of either type.
bool LoopBuilder::MayPartByType() const {
  return std::any_of(before_.stack.begin(), before_.stack.end(),
                     [](const LoopValue& value) { return EitherIn(value) != nullptr; });
}

// Translates the instruction at hand anew for each type of the topmost such number.
bool LoopBuilder::PartByType() {
  const LoopValue* either = nullptr;
  for (const LoopValue& value : before_.stack) {
    if (const LoopValue* found = EitherIn(value)) either = found;
  }
  const uint16_t tag = either->items[1].reg;
  SetState(before_);
  const uint16_t test = NewRegister();
  MoveInt(test, tag);
  Append(Code::kJumpIfNot).a = test;
  const auto jump = static_cast<int>(program_.ops.size()) - 1;
  for (const bool is_numpys : {true, false}) {
    SetState(before_);
    for (auto* values : {&state_.variables, &state_.stack}) {
      for (LoopValue& value : *values) Narrow(value, tag, is_numpys);
    }
    if (!is_numpys) program_.ops[jump].k = static_cast<int32_t>(program_.ops.size());
    if (!GoTo(at_->start)) return false;
  }
  return true;
}

}  // namespace dynacc::loops
