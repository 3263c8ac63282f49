#include "frontend/frame/elements/element_loop.h"

#include <opcode.h>

#include <algorithm>

#include "absl/types/optional.h"
#include "codegen/loops/loop_interpreter.h"
#include "frontend/arrays/numpy/array_runtime.h"
#include "frontend/arrays/numpy/ufuncs.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/eval_breaker.h"
#include "frontend/cpython/range_iterator.h"
#include "frontend/cpython/sequence_iterator.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc {
namespace {

using Kind = LoopValue::Kind;

// What CPython takes for an instruction of such loops, about: half of them only move a reference,
// and an operation on an array's element takes ten times as long. And what the interpreter takes
// for an op. Estimates, as a run that is disturbed once takes a thousand times as long.
constexpr int64_t kInstructionNanoseconds = 12;
constexpr int64_t kOpNanoseconds = 2;

Ref NewRange(int64_t start, int64_t stop, int64_t step) {
  return Ref::Steal(PyObject_CallFunction(
      reinterpret_cast<PyObject*>(&PyRange_Type), "LLL", static_cast<long long>(start),
      static_cast<long long>(stop), static_cast<long long>(step)));
}

// The variable that an instruction reads or writes, or -1.
int VariableOf(const Instruction& at, const LoopVariables& variables) {
  switch (at.opcode) {
    case LOAD_FAST:
    case STORE_FAST:
      return at.arg;
    case LOAD_GLOBAL:
      return variables.OfName(at.arg >> 1);
    case LOAD_NAME:
    case STORE_NAME:
      return variables.OfName(at.arg);
    default:
      return -1;
  }
}

absl::optional<LoopArray> AsLoopArray(BorrowedRef object) {
  if (!IsNumpyArray(object)) return absl::nullopt;
  StridedView view;
  ReadNumpy(object, &view, nullptr);
  const std::optional<NumberType> element = ElementType(view.dtype);
  if (!element || view.rank == 0) return absl::nullopt;
  return LoopArray{.element = *element, .rank = view.rank};
}

// Objects that a loop may know by identity, and keep alive. Others it does not look at.
bool MayBeCalled(BorrowedRef object) {
  return PyModule_CheckExact(object) || PyCFunction_CheckExact(object) || PyType_Check(object) ||
         IsUfunc(object);
}

}  // namespace

LoopValue ElementLoop::Observe(int variable, BorrowedRef object) {
  LoopValue value;
  if (object == nullptr) return value;
  const std::optional<NumberType> type = TypeOfNumber(object);
  if (type) {
    value = LoopValue::Number(*type, static_cast<uint16_t>(variable));
  } else if (const absl::optional<LoopArray> array = AsLoopArray(object)) {
    value.kind = Kind::kArray;
    value.slot = static_cast<int>(arrays_.size());
    arrays_.push_back(*array);
  } else if (MayBeCalled(object)) {
    value = LoopValue::Object(object);
  }
  if (!value.is(Kind::kOpaque)) {
    inputs_.push_back({variable, value, value.is(Kind::kObject) ? Ref::New(object) : Ref()});
  }
  return value;
}

LoopState ElementLoop::ObserveAll(const FrameView& frame, const DecodedCode& code,
                                  const Loop& loop) {
  LoopState state;
  state.variables.resize(variables_.count());
  const std::vector<bool>& live = code.LiveLocals(loop.header);
  std::vector<bool> seen(variables_.count(), false);
  for (const Instruction& at : code.instructions()) {
    const int variable = loop.Contains(at.offset) ? VariableOf(at, variables_) : -1;
    if (variable < 0 || seen[variable]) continue;
    seen[variable] = true;
    if (!variables_.IsName(variable) && !live[variable]) continue;
    state.variables[variable] = Observe(variable, variables_.Read(frame, variable));
  }
  return state;
}

LoopValue ElementLoop::ObserveIterator(BorrowedRef object, int position,
                                       const LoopBuilder& builder) {
  LoopValue value;
  value.reg = builder.OfIterator(position);
  if (object == nullptr) return value;
  if (IsRangeIterator(object)) {
    value.kind = Kind::kIterator;
    return value;
  }
  const SequenceIterator* iterator = AsSequenceIterator(object);
  const absl::optional<LoopArray> array =
      iterator != nullptr ? AsLoopArray(iterator->sequence) : absl::nullopt;
  if (!array) return value;
  value.kind = Kind::kItems;
  value.slot = static_cast<int>(arrays_.size());
  arrays_.push_back(*array);
  return value;
}

std::unique_ptr<ElementLoop> ElementLoop::Translate(const FrameView& frame, const DecodedCode& code,
                                                    const Loop& loop, std::string* refusal) {
  const LoopVariables variables(frame, code);
  std::unique_ptr<ElementLoop> result(new ElementLoop(variables));
  LoopState entry = result->ObserveAll(frame, code, loop);
  LoopBuilder builder(code, loop, variables);
  for (int i = 0; i < frame.stack_depth(); ++i) {
    BorrowedRef object = frame.Peek(frame.stack_depth() - 1 - i);
    entry.stack.push_back(result->ObserveIterator(object, i, builder));
  }
  result->stack_ = entry.stack;
  if (result->arrays_.empty()) {
    *refusal = "no array";
    return nullptr;
  }
  if (!builder.Build(entry, std::move(result->arrays_), &result->translated_)) {
    *refusal = builder.refusal();
    return nullptr;
  }
  for (const ModuleAttribute& attribute : result->translated_.attributes) {
    for (BorrowedRef object : {attribute.module, attribute.name, attribute.value}) {
      result->kept_.push_back(Ref::New(object));
    }
  }
  const TranslatedLoop& translated = result->translated_;
  const std::vector<LoopOp>& ops = translated.program.ops;
  const auto back_edges = std::count_if(
      ops.begin(), ops.end(), [](const LoopOp& op) { return op.code == LoopOpCode::kBackEdge; });
  result->saving_of_round_ = (kInstructionNanoseconds * translated.instructions -
                              kOpNanoseconds * static_cast<int64_t>(ops.size())) /
                             std::max<int64_t>(back_edges, 1);
  return result;
}

bool ElementLoop::AttributesHold() const {
  return std::all_of(translated_.attributes.begin(), translated_.attributes.end(),
                     [](const ModuleAttribute& attribute) {
                       return DictGetStr(PyModule_GetDict(attribute.module), attribute.name) ==
                              attribute.value;
                     });
}

// Names that come into being together do so in the order in which they are stored, which is not
// known here.
bool ElementLoop::NamesKeepOrder(const FrameView& frame) const {
  if (!variables_.is_body()) return true;
  int missing = 0;
  for (int i = 0; i < variables_.count(); ++i) {
    if (translated_.stored[i] &&
        DictGetStr(frame.globals(), variables_.NameOf(frame, i)) == nullptr) {
      ++missing;
    }
  }
  return missing < 2;
}

bool ElementLoop::BindInput(const Input& input, BorrowedRef object, Binding& binding) const {
  if (object == nullptr) return false;
  const LoopValue& value = input.value;
  switch (value.kind) {
    case Kind::kObject:
      return object == value.object;
    case Kind::kNumber:
      if (TypeOfNumber(object) != value.type) return false;
      binding.registers[value.reg] = Unbox(object, value.type);
      return true;
    case Kind::kArray:
      return BindArray(value.slot, object, binding);
    default:
      return false;
  }
}

bool ElementLoop::BindArray(int slot, BorrowedRef object, Binding& binding) const {
  if (!IsNumpyArray(object)) return false;
  StridedView& view = binding.arrays[slot];
  ReadNumpy(object, &view, nullptr);
  const LoopArray& expected = translated_.arrays[slot];
  binding.array_objects[slot] = Ref::New(object);
  return ElementType(view.dtype) == expected.element && view.rank == expected.rank &&
         (!expected.written || IsWritable(object));
}

bool ElementLoop::BindIterator(const LoopValue& value, BorrowedRef object, Binding& binding) const {
  if (value.is(Kind::kOpaque)) return true;
  if (object == nullptr) return false;
  LoopSlot* place = &binding.registers[value.reg];
  if (value.is(Kind::kItems)) {
    const SequenceIterator* iterator = AsSequenceIterator(object);
    if (iterator == nullptr || !BindArray(value.slot, iterator->sequence, binding)) return false;
    place[0].i = iterator->index;
    place[1].i = 0;
    return true;
  }
  if (!IsRangeIterator(object)) return false;
  const RangeRest rest = RestOfRange(object);
  // The value after the last one is computed too.
  int64_t end = 0;
  if (__builtin_mul_overflow(rest.step, rest.rounds, &end) ||
      __builtin_add_overflow(rest.next, end, &end)) {
    return false;
  }
  place[0].i = rest.next;
  place[1].i = rest.step;
  place[2].i = rest.rounds;
  return true;
}

bool ElementLoop::Bind(const FrameView& frame, Binding& binding) const {
  if (frame.stack_depth() != static_cast<int>(stack_.size())) return false;
  if ((NumpyReportedFpFlags() & kFpUnderflow) != 0) return false;
  binding.registers.resize(translated_.program.num_registers);
  binding.arrays.resize(translated_.arrays.size());
  binding.array_objects.resize(translated_.arrays.size());
  for (const Input& input : inputs_) {
    if (!BindInput(input, variables_.Read(frame, input.variable), binding)) return false;
  }
  for (size_t i = 0; i < stack_.size(); ++i) {
    BorrowedRef object = frame.Peek(static_cast<int>(stack_.size() - 1 - i));
    if (!BindIterator(stack_[i], object, binding)) return false;
  }
  for (const auto& [reg, value] : translated_.constants) binding.registers[reg] = value;
  return AttributesHold() && NamesKeepOrder(frame);
}

ElementLoop::Result ElementLoop::Run(FrameView& frame, int* offset, int64_t* rounds) {
  Binding binding;
  if (!Bind(frame, binding)) return Result::kNoMatch;
  LoopFrame run = {.registers = binding.registers.data(),
                   .arrays = binding.arrays.data(),
                   .poll = EvalBreakerWord(frame.thread())};
  const LoopExit& exit = translated_.exits[InterpretLoop(translated_.program, run)];
  *rounds = run.rounds;
  if (!PutBack(frame, exit, binding)) return Result::kRaised;
  *offset = exit.offset;
  return exit.between ? Result::kBetween : Result::kAt;
}

Ref ElementLoop::MakeView(const LoopValue& value, const Binding& binding) {
  const StridedView& whole = binding.arrays[value.slot];
  StridedView view;
  view.dtype = whole.dtype;
  view.rank = whole.rank - value.consumed;
  view.data = whole.data + binding.registers[value.reg].i;
  std::copy_n(whole.shape + value.consumed, view.rank, view.shape);
  std::copy_n(whole.strides + value.consumed, view.rank, view.strides);
  return Ref::Steal(NewNumpyView(binding.array_objects[value.slot].get(), view));
}

Ref ElementLoop::Make(const LoopValue& value, const Binding& binding) {
  const LoopSlot* registers = binding.registers.data();
  switch (value.kind) {
    case Kind::kNumber:
      return Box(registers[value.reg], value.type);
    case Kind::kArray:
      return binding.array_objects[value.slot];
    case Kind::kView:
      return MakeView(value, binding);
    case Kind::kObject:
      return Ref::New(value.object);
    case Kind::kRange:
      return NewRange(registers[value.items[0].reg].i, registers[value.items[1].reg].i,
                      registers[value.items[2].reg].i);
    case Kind::kIterator: {
      const LoopSlot* rest = registers + value.reg;
      const Ref range = NewRange(rest[0].i, rest[0].i + rest[1].i * rest[2].i, rest[1].i);
      return range ? Ref::Steal(PyObject_GetIter(range.get())) : Ref();
    }
    case Kind::kItems: {
      LoopValue whole = value;
      whole.reg = static_cast<uint16_t>(value.reg + 1);
      const Ref sequence =
          value.consumed > 0 ? MakeView(whole, binding) : binding.array_objects[value.slot];
      Ref iterator = sequence ? Ref::Steal(PySeqIter_New(sequence.get())) : Ref();
      if (iterator) AsSequenceIterator(iterator.get())->index = registers[value.reg].i;
      return iterator;
    }
    case Kind::kTuple: {
      Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
      for (size_t i = 0; tuple && i < value.items.size(); ++i) {
        Ref item = Make(value.items[i], binding);
        if (!item) return {};
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), item.Release());
      }
      return tuple;
    }
    case Kind::kNull:
    case Kind::kOpaque:
      break;
  }
  return {};
}

// The objects of the entry's iterators go on to what the program has left of them, also where
// nothing but another name refers to one any more.
void ElementLoop::LeaveIterators(FrameView& frame, const Binding& binding) const {
  for (size_t i = 0; i < stack_.size(); ++i) {
    BorrowedRef object = frame.Peek(static_cast<int>(stack_.size() - 1 - i));
    const LoopSlot* place = &binding.registers[stack_[i].reg];
    if (stack_[i].is(Kind::kIterator)) LeaveInRange(object, place[2].i);
    if (stack_[i].is(Kind::kItems)) AsSequenceIterator(object)->index = place[0].i;
  }
}

bool ElementLoop::PutBack(FrameView& frame, const LoopExit& exit, const Binding& binding) const {
  const LoopState& state = exit.state;
  std::vector<Change> changes;
  std::vector<Ref> pushed;
  for (int i = 0; i < variables_.count(); ++i) {
    if (!translated_.stored[i] || state.variables[i].is(Kind::kOpaque)) continue;
    changes.push_back({i, Make(state.variables[i], binding)});
    if (!changes.back().value) return false;
  }
  for (size_t i = stack_.size(); i < state.stack.size(); ++i) {
    pushed.push_back(Make(state.stack[i], binding));
    if (!pushed.back() && !state.stack[i].is(Kind::kNull)) return false;
  }
  LeaveIterators(frame, binding);
  // The old values die when everything is in its new place: a destructor may look at the frame.
  std::vector<Ref> dropped;
  while (frame.stack_depth() > static_cast<int>(state.stack.size())) dropped.push_back(frame.Pop());
  for (Ref& value : pushed) frame.Push(std::move(value));
  bool stored = true;
  for (Change& change : changes) {
    if (variables_.IsName(change.variable)) {
      stored = stored && PyDict_SetItem(frame.globals(), variables_.NameOf(frame, change.variable),
                                        change.value.get()) == 0;
    } else {
      PyObject** local = &frame.localsplus()[change.variable];
      dropped.push_back(Ref::Steal(std::exchange(*local, change.value.Release())));
    }
  }
  return stored;
}

}  // namespace dynacc
