// The part of LoopBuilder that follows calls of Python functions: the function's instructions are
// translated in the place of the call, with registers of their own.
#include <algorithm>

#include "frontend/cpython/dict_access.h"
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {
namespace {

// Calls in calls beyond it are of recursive functions, or not worth it.
constexpr int kMostDepth = 6;

// Whether a call of it runs its body once, with locals that only it sees.
bool IsPlainCode(const PyCodeObject* code) {
  constexpr int kOther = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE |
                         CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE;
  return (code->co_flags & kOther) == 0 && (code->co_flags & CO_OPTIMIZED) != 0 &&
         code->co_ncellvars == 0;
}

PyCodeObject* CodeObjectOf(BorrowedRef function) {
  return reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
}

// The parameter of that name, or -1.
int ParameterOf(const PyCodeObject* code, BorrowedRef name) {
  for (int i = code->co_posonlyargcount; i < code->co_argcount + code->co_kwonlyargcount; ++i) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(code->co_localsplusnames, i), name) == 0) return i;
  }
  return -1;
}

}  // namespace

// Null if its calls are not followed.
LoopCode* LoopBuilder::CodeOf(BorrowedRef function) {
  PyCodeObject* const code = CodeObjectOf(function);
  if (!follows_calls_ || !PyFunction_Check(function) || !IsPlainCode(code)) return nullptr;
  int depth = 0;
  for (const InlinedCall* call = state_.call.get(); call != nullptr;
       call = call->before.call.get()) {
    if (++depth == kMostDepth || call->callee->code.code() == code) return nullptr;
  }
  for (const std::unique_ptr<LoopCode>& known : callees_) {
    if (known->code.code() == code) return known.get();
  }
  std::shared_ptr<const bytecode::DecodedCode> decoded = bytecode::DecodedCode::Decode(code);
  const LoopVariables variables(code);
  const int count = LoopCode(*decoded, nullptr, variables, 0).end();
  if (end_of_reserved_ + count > kMostReserved) return nullptr;
  callees_.push_back(std::make_unique<LoopCode>(*decoded, nullptr, variables, Reserve(count)));
  callees_.back()->kept = std::move(decoded);
  return callees_.back().get();
}

// A call with `count` arguments, which are on the stack of before_. The call takes `dropped` values
// from there.
bool LoopBuilder::CallFunction(BorrowedRef function, int count, int dropped, BorrowedRef keywords) {
  LoopCode* const callee = CodeOf(function);
  if (callee == nullptr) return false;
  SetState(before_);
  if (!SettleStack()) return false;
  auto call = std::make_shared<InlinedCall>();
  call->callee = callee;
  call->caller = code_;
  call->at = at_;
  call->before = state_;
  call->function = function;
  call->key = state_.Key(at_->start);
  const std::vector<LoopValue> args(state_.stack.end() - count, state_.stack.end());
  state_.stack.resize(state_.stack.size() - dropped);
  call->after = state_;
  LoopState inside;
  inside.variables.resize(callee->variables.count());
  inside.has_effect = state_.has_effect;
  inside.has_stores = state_.has_stores;
  inside.fields = state_.fields;
  inside.call = std::move(call);
  SetState(inside);
  return PassArguments(function, args, keywords) && GoTo(callee->code.instructions().front().start);
}

// Of what a call does not give. False: nothing is.
bool LoopBuilder::DefaultOf(BorrowedRef function, int parameter, LoopValue* value) {
  const auto* object = reinterpret_cast<PyFunctionObject*>(function);
  const PyCodeObject* code = CodeObjectOf(function);
  BorrowedRef given = nullptr;
  if (parameter < code->co_argcount && object->func_defaults != nullptr) {
    const Py_ssize_t first = code->co_argcount - PyTuple_GET_SIZE(object->func_defaults);
    if (parameter >= first) given = PyTuple_GET_ITEM(object->func_defaults, parameter - first);
  } else if (parameter >= code->co_argcount && object->func_kwdefaults != nullptr) {
    BorrowedRef name = PyTuple_GET_ITEM(code->co_localsplusnames, parameter);
    given = DictGetStr(object->func_kwdefaults, name);
    known_items_.push_back({function, object->func_kwdefaults, name, given});
  }
  if (given != nullptr) FromConstant(given, value);
  return given != nullptr;
}

// `keywords`: the names of the last of `args`, or null.
bool LoopBuilder::PassArguments(BorrowedRef function, const std::vector<LoopValue>& args,
                                BorrowedRef keywords) {
  const auto* object = reinterpret_cast<PyFunctionObject*>(function);
  const PyCodeObject* code = CodeObjectOf(function);
  const auto named = static_cast<int>(keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords));
  const int positional = static_cast<int>(args.size()) - named;
  if (positional > code->co_argcount) return Refuse("a call that is an error");
  std::vector<LoopValue> values(code->co_argcount + code->co_kwonlyargcount);
  std::vector<bool> given(values.size(), false);
  for (int i = 0; i < static_cast<int>(args.size()); ++i) {
    BorrowedRef name = i < positional ? nullptr : PyTuple_GET_ITEM(keywords, i - positional);
    const int parameter = name == nullptr ? i : ParameterOf(code, name);
    if (parameter < 0 || given[parameter]) return Refuse("a call that is an error");
    given[parameter] = true;
    values[parameter] = args[i];
  }
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    if (!given[i] && !DefaultOf(function, i, &values[i])) return Refuse("a call that is an error");
  }
  functions_.push_back({function, object->func_code, object->func_defaults, object->func_kwdefaults,
                        !methods_.contains(function)});
  for (size_t i = 0; i < values.size(); ++i) {
    Push(std::move(values[i]));
    if (!StoreVariable(static_cast<int>(i))) return false;
  }
  return true;
}

// The function's result is what the caller finds after the call.
bool LoopBuilder::Return() {
  if (state_.call == nullptr) return Leave();
  const std::shared_ptr<const InlinedCall> call = state_.call;
  const bool has_effect = state_.has_effect;
  const bool has_stores = state_.has_stores;
  LoopValue result = Pop();
  if (result.IsIterator()) return Refuse("a function returns an iterator");
  std::vector<LoopValue> fields = std::move(state_.fields);
  SetState(call->after);
  state_.fields = std::move(fields);
  if (has_effect) NoteEffect();
  state_.has_stores = has_stores && state_.call != nullptr;
  if (has_stores && state_.call == nullptr) Append(LoopOpCode::kCommit).d = NewRegister();
  Push(std::move(result));
  if (!ReturnRow()) return Refuse("a function returns part of a row that was computed");
  for (size_t i = 0; state_.call == nullptr && i < state_.fields.size(); ++i) {
    const uint16_t home = fields_[i].home;  // where the loop itself has it
    if (state_.fields[i].is(Kind::kOpaque) || state_.fields[i].reg == home) continue;
    Rescue(home);
    Settle(state_.fields[i], home);
  }
  return GoTo(call->at->next);
}

bool LoopBuilder::GlobalOfFunction(BorrowedRef name) {
  const auto* function = reinterpret_cast<PyFunctionObject*>(state_.call->function);
  for (BorrowedRef dict : {function->func_globals, function->func_builtins}) {
    BorrowedRef object = DictGetStr(dict, name);
    if (object != nullptr) return PushGlobal(dict, name, object);
    known_items_.push_back({state_.call->function, dict, name, nullptr});
  }
  return Refuse("a name that is not there");
}

// In a function it is a variable of where the function was made.
bool LoopBuilder::LoadDeref(int variable) {
  if (state_.call == nullptr) return LoadVariable(variable);
  const auto* function = reinterpret_cast<PyFunctionObject*>(state_.call->function);
  const PyCodeObject* code = code_->code.code();
  const int number = variable - (code->co_nlocalsplus - code->co_nfreevars);
  BorrowedRef cell = PyTuple_GET_ITEM(function->func_closure, number);
  if (PyCell_GET(cell) == nullptr) return Refuse("a variable that is not there");
  return PushGlobal(cell, PyTuple_GET_ITEM(code->co_localsplusnames, variable), PyCell_GET(cell));
}

bool LoopBuilder::PushGlobal(BorrowedRef dict, BorrowedRef name, BorrowedRef object) {
  const auto known = std::find_if(globals_.begin(), globals_.end(), [&](const LoopGlobal& global) {
    return global.dict == dict && global.name == name;
  });
  if (known != globals_.end()) {
    Push(known->value);
    return true;
  }
  const LoopValue value = ObserveObject(object, Reserve(1), true, &arrays_, &instances_);
  if (value.is(Kind::kOpaque)) return Refuse("a global that holds no number or array");
  if (value.is(Kind::kObject)) {
    known_items_.push_back({state_.call->function, dict, name, object});
  } else {
    globals_.push_back({state_.call->function, dict, name, value});
  }
  Push(value);
  return true;
}

}  // namespace dynacc::loops
