// The part of LoopBuilder that moves values between variables and the stack.

#include <algorithm>
#include <functional>
#include <utility>

#include "frontend/cpython/complex_rules.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/loops/loop_sources.h"

namespace dynacc::loops {

LoopValue LoopBuilder::Pop() {
  LoopValue value = std::move(state_.stack.back());
  state_.stack.pop_back();
  return value;
}

bool LoopBuilder::Drop() {
  Pop();
  return true;
}

bool LoopBuilder::PushNull() {
  LoopValue null;
  null.kind = Kind::kNull;
  Push(null);
  return true;
}

// What is on top of the stack is about to be called.
void LoopBuilder::AddNull() {
  PushNull();
  if (!RunningBytecodeFormat().conventions().pushes_null_first) return;
  std::swap(state_.stack.back(), state_.stack[state_.stack.size() - 2]);
}

// An exit makes an object for each value. It cannot make one that the loop does not know, and of
// two references to an iterator or a list it would make two objects.
bool LoopBuilder::HasOnePlace(const LoopValue& value) {
  return value.is(Kind::kOpaque) || value.is(Kind::kDisplay) || value.IsIterator() ||
         std::any_of(value.items.begin(), value.items.end(), HasOnePlace);
}

bool LoopBuilder::Copy(int from_top) {
  const LoopValue value = state_.stack[state_.stack.size() - from_top];
  if (HasOnePlace(value)) return Refuse("a copy of an iterator or of an unknown object");
  Push(value);
  return true;
}

bool LoopBuilder::Swap(int from_top) {
  const size_t top = state_.stack.size() - 1;
  const size_t position = state_.stack.size() - from_top;
  replaces_entry_ = IsOfEntry(position);
  std::swap(state_.stack[top], state_.stack[position]);
  if (state_.stack[top].IsIterator() && state_.stack[position].IsIterator()) {
    return Refuse("two iterators change places");
  }
  Rehouse(top);
  Rehouse(position);
  return true;
}

// An iterator's registers are those of its place on the stack.
void LoopBuilder::Rehouse(size_t position) {
  LoopValue& value = state_.stack[position];
  uint16_t base = OfIterator(static_cast<int>(position));
  if (!value.IsIterator() || value.is(Kind::kTupleItems) || value.reg == base) return;
  for (int i = 0; i < LoopCode::kIteratorRegisters; ++i) Rescue(static_cast<uint16_t>(base + i));
  MoveIterator(value, &base);
}

bool LoopBuilder::LoadGlobal(int arg) {
  const bool found =
      state_.call != nullptr
          ? GlobalOfFunction(PyTuple_GET_ITEM(code_->code.code()->co_names, arg >> 1))
          : LoadVariable(code_->variables.OfName(arg >> 1));
  if (found && (arg & 1) != 0) AddNull();
  return found;
}

bool LoopBuilder::BuildItems(Kind kind, int count) {
  LoopValue built;
  built.kind = kind;
  built.items.assign(state_.stack.end() - count, state_.stack.end());
  if (std::any_of(built.items.begin(), built.items.end(),
                  [](const LoopValue& item) { return item.IsIterator(); })) {
    return Refuse("an iterator in a tuple or list");
  }
  state_.stack.resize(state_.stack.size() - count);
  Push(std::move(built));
  return true;
}

bool LoopBuilder::IsPlain(int variable) {
  return !LoopVariables::IsCell(code_->code.code(), variable) ||
         Refuse("a variable in the place of another one that has a cell");
}

bool LoopBuilder::LoadVariable(int variable) {
  if (state_.variables[variable].is(Kind::kPerhaps)) RequireStored(variable);
  const LoopValue& value = state_.variables[variable];
  if (value.is(Kind::kOpaque)) {
    is_unset_ = code_->is_set[variable];
    return Refuse("a variable that holds no number or array");
  }
  Push(value);
  return true;
}

void LoopBuilder::RescueIn(LoopValue& value, uint16_t reg) {
  if (value.HasRegister() && value.reg == reg) Settle(value, NewRegister());
  for (LoopValue& item : value.items) RescueIn(item, reg);
}

void LoopBuilder::Rescue(uint16_t reg) {
  for (LoopValue& value : state_.stack) RescueIn(value, reg);
}

bool LoopBuilder::IsUsed(uint16_t reg) const {
  const std::function<bool(const LoopValue&)> uses = [&](const LoopValue& value) {
    return (value.HasRegister() && value.reg == reg) ||
           std::any_of(value.items.begin(), value.items.end(), uses);
  };
  return std::any_of(state_.stack.begin(), state_.stack.end(), uses);
}

// Where a tuple lies that the variable with that register holds.
uint16_t LoopBuilder::TupleHome(uint16_t variable) {
  const auto [found, is_new] = tuple_homes_.emplace(variable, end_of_reserved_);
  if (is_new) Reserve(LoopCode::kIteratorRegisters);
  return found->second;
}

// A number that the last op has just made is made in the variable's own register, if nothing else
// needs it where it is.
bool LoopBuilder::StoreVariable(int variable) { return Store(variable, /*may_retarget=*/true); }

// The first half of a pair: where the other half fails, no op may have changed.
bool LoopBuilder::StoreFirst(int variable) { return Store(variable, /*may_retarget=*/false); }

bool LoopBuilder::Store(int variable, bool may_retarget) {
  LoopValue value = Pop();
  if (value.is(Kind::kSlice1d)) return NameRow(variable, value);
  if (value.is(Kind::kWindow)) return NameWindow(variable, std::move(value));
  if (value.is(Kind::kRange) || value.is(Kind::kSlice) || value.is(Kind::kDisplay) ||
      value.IsIterator() || value.is(Kind::kNull) || value.is(Kind::kOpaque)) {
    return Refuse("a variable gets a range or an iterator");
  }
  if (value.IsPair()) {
    StorePair(variable, std::move(value));
    return true;
  }
  const uint16_t home = OfVariable(variable);
  if (value.is(Kind::kTuple)) {
    uint16_t next = TupleHome(home);
    const auto end = static_cast<uint16_t>(next + LoopCode::kIteratorRegisters);
    Push(std::move(value));  // where it is rescued, too
    if (!SettleParts(state_.stack.back(), &next, end))
      return Refuse("a variable gets a large tuple");
    value = Pop();
  }
  Rescue(home);
  if (value.HasRegister() && value.reg != home) {
    const bool fresh = may_retarget && !program_.ops.empty() &&
                       program_.ops.back().d == value.reg && IsTemporary(value.reg) &&
                       !IsUsed(value.reg);
    if (fresh) {
      program_.ops.back().d = home;
      value.reg = home;
    } else {
      Settle(value, home);
    }
  }
  state_.variables[variable] = std::move(value);
  if (state_.call == nullptr) stored_[variable] = true;
  return true;
}

void LoopBuilder::FromConstant(BorrowedRef constant, LoopValue* value) {
  if (PyTuple_CheckExact(constant)) {
    value->kind = Kind::kTuple;
    value->items.resize(PyTuple_GET_SIZE(constant));
    for (size_t i = 0; i < value->items.size(); ++i) {
      FromConstant(PyTuple_GET_ITEM(constant, static_cast<Py_ssize_t>(i)), &value->items[i]);
    }
    return;
  }
  if (PySlice_Check(constant)) {  // from CPython 3.14 on
    const auto* slice = reinterpret_cast<const PySliceObject*>(constant);
    value->kind = Kind::kSlice;
    for (BorrowedRef part : {slice->start, slice->stop, slice->step})
      FromConstant(part, &value->items.emplace_back());
    return;
  }
  const std::optional<NumberType> type = TypeOfNumber(constant);
  if (type) {
    *value = LoopValue::Number(*type, Constant(Unbox(constant, *type)));
  } else if (const std::optional<NumberType> complex = TypeOfComplex(constant)) {
    const Py_complex number = PyComplex_AsCComplex(constant);
    *value = LoopValue::Complex(*complex, FloatConstant(number.real), FloatConstant(number.imag));
  } else if (CharOf(constant) >= 0) {
    value->kind = Kind::kChar;
    value->reg = IntConstant(CharOf(constant));
  } else {
    *value = LoopValue::Object(constant);
  }
}

bool LoopBuilder::KnownTruth(const LoopValue& value, uint16_t* reg) {
  if (value.is(Kind::kObject) && value.object != Py_None) return false;
  *reg = IntConstant(value.is(Kind::kChar) ? 1 : 0);
  return true;
}

bool LoopBuilder::LoadConstant(BorrowedRef constant) {
  // CPython may put the way out of the function into the loop.
  const bool returns = at_->opcode == LOAD_CONST && constant == Py_None &&
                       code_->code.At(at_->next).opcode == RETURN_VALUE;
  if (returns && state_.call == nullptr) return Leave();
  LoopValue value;
  FromConstant(constant, &value);
  Push(std::move(value));
  return true;
}

bool LoopBuilder::Unpack(int count) {
  LoopValue tuple = Pop();
  if (tuple.is(Kind::kObject)) FromConstant(tuple.object, &tuple);
  if (IsSlice1d(tuple)) return UnpackRow(tuple, count);
  if (tuple.is(Kind::kArray) || tuple.is(Kind::kView)) return UnpackArray(tuple, count);
  if (!tuple.is(Kind::kTuple) || static_cast<int>(tuple.items.size()) != count) return false;
  for (int i = count - 1; i >= 0; --i) Push(tuple.items[i]);
  return true;
}

}  // namespace dynacc::loops
