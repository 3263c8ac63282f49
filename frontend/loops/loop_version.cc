#include "frontend/loops/loop_version.h"

#include <algorithm>

#include "frontend/bytecode/local_access.h"
#include "frontend/cpython/complex_rules.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/finalizer.h"
#include "frontend/cpython/iterators.h"
#include "frontend/cpython/layout.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/loops/loop_objects.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

using Kind = LoopValue::Kind;

// What CPython takes for an instruction of such loops, about: half of them only move a reference,
// and an operation on an array's element takes ten times as long. And what the interpreter takes
// for an op. Estimates, as a run that is disturbed once takes a thousand times as long.
constexpr int64_t kInstructionNanoseconds = 12;
constexpr int64_t kOpNanoseconds = 2;

// The variables that an instruction reads or writes.
std::vector<int> VariablesOf(const bytecode::Instruction& at, const LoopVariables& variables) {
  switch (at.opcode) {
    case LOAD_GLOBAL:
      return {variables.OfName(at.arg >> 1)};
    case STORE_GLOBAL:
    case LOAD_NAME:
    case STORE_NAME:
      return {variables.OfName(at.arg)};
    default: {
      std::vector<int> locals;
      for (const bytecode::LocalAccess& access : bytecode::LocalAccesses(at)) {
        locals.push_back(access.local);
      }
      return locals;
    }
  }
}

// Beyond it enumerate() might come to where its index is a long.
constexpr int64_t kMostIndex = int64_t{1} << 60;

// What an enumerate or zip object goes over.
std::vector<BorrowedRef> IteratorsIn(BorrowedRef object) {
  if (const EnumerateIterator* enumerate = AsEnumerate(object)) return {enumerate->iterator};
  std::vector<BorrowedRef> inner;
  if (const ZipIterator* zip = AsZip(object)) {
    for (Py_ssize_t i = 0; i < zip->size; ++i) {
      inner.push_back(PyTuple_GET_ITEM(zip->iterators, i));
    }
  }
  return inner;
}

// Larger arrays are worth kernels, or the time that NumPy takes for them.
constexpr int64_t kMostBytesMade = int64_t{1} << 18;

bool HasDType(BorrowedRef array, BorrowedRef dtype) {
  const Ref own = Ref::Steal(PyObject_GetAttrString(array, "dtype"));
  PyErr_Clear();
  return dtype != nullptr && own.get() == dtype;
}

// Whether the elements lie side by side, in C's order.
bool IsDense(const StridedView& view) {
  auto step = static_cast<int64_t>(ItemSize(view.dtype));
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    if (view.strides[axis] != step) return false;
    step *= view.shape[axis];
  }
  return true;
}

int64_t ExtentNow(const LoopExtent& extent, const LoopBinding& binding) {
  const auto part = [&](int i) { return ExtentNow(extent.parts[i], binding); };
  int64_t result = 0;
  switch (extent.kind) {
    case LoopExtent::Kind::kNumber:
      return extent.number;
    case LoopExtent::Kind::kRegister:
      return binding.registers[extent.number].i;
    case LoopExtent::Kind::kDim:
      return binding.arrays[ArrayOf(static_cast<int32_t>(extent.number))]
          .shape[AxisOf(static_cast<int32_t>(extent.number))];
    case LoopExtent::Kind::kSum:
      return __builtin_add_overflow(part(0), part(1), &result) ? 0 : result;
    case LoopExtent::Kind::kDifference:
      return __builtin_sub_overflow(part(0), part(1), &result) ? 0 : result;
    case LoopExtent::Kind::kProduct:
      return __builtin_mul_overflow(part(0), part(1), &result) ? 0 : result;
  }
  return result;
}

// What a comprehension goes over is its first local, which has no name, too. Null in other frames.
BorrowedRef IteratedBy(const frame::FrameView& frame) {
  BorrowedRef names = frame.code()->co_localsplusnames;
  if (PyTuple_GET_SIZE(names) == 0) return nullptr;
  const bool is_unnamed = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), ".0") == 0;
  return is_unnamed ? BorrowedRef(frame.localsplus()[0]) : nullptr;
}

// What variables hold before they are written dies at the program's exit, not at the store: nothing
// may be able to tell.
bool MayDieLater(const frame::FrameView& frame, const LoopVariables& variables,
                 const std::vector<bool>& stored) {
  for (int i = 0; i < variables.count(); ++i) {
    BorrowedRef object = stored[i] ? variables.Read(frame, i) : nullptr;
    if (object != nullptr && !DiesQuietly(object)) return false;
  }
  return true;
}

}  // namespace

// Numbers, characters and arrays in a tuple; kOpaque if it has anything else.
LoopValue LoopVersion::ObserveTuple(int variable, BorrowedRef tuple, LoopBuilder& builder) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  if (size == 0 || size > LoopCode::kIteratorRegisters || builder.Stores(variable)) return {};
  for (Py_ssize_t i = 0; i < size; ++i) {
    BorrowedRef item = PyTuple_GET_ITEM(tuple, i);
    StridedView view;
    if (!TypeOfNumber(item) && CharOf(item) < 0 && !ReadLoopArray(item, &view)) return {};
  }
  LoopValue value;
  value.kind = Kind::kTuple;
  value.slot = 1 + variable;
  const uint16_t home = builder.TupleHome(builder.OfVariable(variable));
  for (Py_ssize_t i = 0; i < size; ++i) {
    value.items.push_back(ObserveObject(PyTuple_GET_ITEM(tuple, i), static_cast<uint16_t>(home + i),
                                        /*is_global=*/false, &arrays_, &instances_));
  }
  return value;
}

LoopValue LoopVersion::Observe(int variable, BorrowedRef object, LoopBuilder& builder) {
  if (object == nullptr) return {};
  LoopValue value;
  if (const std::optional<NumberType> type = TypeOfComplex(object)) {
    value = LoopValue::Complex(*type, builder.OfVariable(variable), builder.OfImaginary(variable));
  } else if (PyTuple_CheckExact(object) && !variables_.IsName(variable)) {
    value = ObserveTuple(variable, object, builder);
  } else {
    value = ObserveObject(object, builder.OfVariable(variable), variables_.IsName(variable),
                          &arrays_, &instances_);
  }
  if (!value.is(Kind::kOpaque)) {
    inputs_.push_back({variable, value});
  }
  return value;
}

LoopState LoopVersion::ObserveAll(const frame::FrameView& frame, const bytecode::DecodedCode& code,
                                  const frame::Loop& loop, LoopBuilder& builder) {
  LoopState state;
  state.variables.resize(variables_.count());
  const std::vector<bool>& live = code.LiveLocals(loop.header);
  std::vector<bool> seen(variables_.count(), false);
  for (const bytecode::Instruction& at : code.instructions()) {
    if (!loop.Contains(at.offset)) continue;
    for (const int variable : VariablesOf(at, variables_)) {
      if (variable < 0 || seen[variable]) continue;
      seen[variable] = true;
      if (!variables_.IsName(variable) && !live[variable]) continue;
      state.variables[variable] = Observe(variable, variables_.Read(frame, variable), builder);
    }
  }
  return state;
}

LoopValue LoopVersion::ObserveSequence(BorrowedRef sequence) {
  LoopValue value;
  StridedView view;
  if (PyList_CheckExact(sequence)) {
    value.kind = Kind::kListItems;
    value.element = std::make_shared<const LoopValue>(ItemsOf(sequence));
  } else if (const std::optional<LoopArray> array = ReadLoopArray(sequence, &view)) {
    value.kind = Kind::kItems;
    value.slot = static_cast<int>(arrays_.size());
    arrays_.push_back(*array);
  }
  return value;
}

// `*base`: the first register that is free for it.
LoopValue LoopVersion::ObserveIterator(BorrowedRef object, uint16_t* base) {
  LoopValue value;
  if (object == nullptr) return value;
  if (IsRangeIterator(object)) {
    value.kind = Kind::kIterator;
  } else if (const SequenceIterator* iterator = AsSequenceIterator(object)) {
    value = ObserveSequence(iterator->sequence);
  } else if (AsEnumerate(object) != nullptr) {
    value.kind = Kind::kEnumerate;
  } else if (AsZip(object) != nullptr) {
    value.kind = Kind::kZip;
  }
  if (value.is(Kind::kOpaque)) return value;
  value.reg = *base;
  *base = static_cast<uint16_t>(*base + value.OwnRegisters());
  for (BorrowedRef inner : IteratorsIn(object)) {
    value.items.push_back(ObserveIterator(inner, base));
    if (value.items.back().is(Kind::kOpaque)) return {};
  }
  return value;
}

LoopValue LoopVersion::ObserveIteratorAt(BorrowedRef object, int position,
                                         const LoopBuilder& builder) {
  if (object != nullptr && PyList_CheckExact(object)) {
    LoopValue list;
    list.kind = Kind::kList;
    list.reg = builder.OfStack(position);
    list.element = std::make_shared<const LoopValue>(ItemsOf(object));
    return list;
  }
  uint16_t base = builder.OfIterator(position);
  LoopValue value = ObserveIterator(object, &base);
  const int room = builder.OfIterator(position) + LoopCode::kIteratorRegisters;
  if (base > room) value = LoopValue();
  return value;
}

std::unique_ptr<LoopVersion> LoopVersion::Translate(const frame::FrameView& frame,
                                                    const bytecode::DecodedCode& code,
                                                    const frame::Loop& loop, std::string* refusal,
                                                    bool* for_good) {
  const LoopVariables variables(frame, code);
  for (const bool follows_calls : {true, false}) {
    LoopBuilder::Ways ways = {.follows_calls = follows_calls};
    LoopBuilder builder(code, loop, variables, frame.globals(), ways);
    std::unique_ptr<LoopVersion> result = Built(frame, code, loop, &builder);
    TypeJoins joins = builder.FindJoins();
    if (result != nullptr && result->MakesLargeArrays(frame)) {
      ways.makes_arrays = false;
      LoopBuilder other(code, loop, variables, frame.globals(), ways);
      result = Built(frame, code, loop, &other);
      if (result == nullptr) *refusal = other.refusal();
      joins = other.FindJoins();
    } else if (follows_calls) {
      *refusal = builder.refusal();
    }
    if (result != nullptr) {
      if (!MayDieLater(frame, variables, result->translated_.stored)) {
        *refusal = "a variable is written whose object's end runs code";
        *for_good = false;
        return nullptr;
      }
      if (!joins.empty()) {
        ways.joins = std::move(joins);
        LoopBuilder joining(code, loop, variables, frame.globals(), ways);
        std::unique_ptr<LoopVersion> joined = Built(frame, code, loop, &joining);
        const bool is_smaller = joined != nullptr && joined->translated_.program.ops.size() <
                                                         result->translated_.program.ops.size();
        if (is_smaller) result = std::move(joined);
      }
      result->Complete();
      return result;
    }
    *for_good = builder.is_refused_for_good();
    if (!builder.has_followed_calls()) break;
  }
  return nullptr;
}

// Not yet complete; null if the builder refuses the loop.
std::unique_ptr<LoopVersion> LoopVersion::Built(const frame::FrameView& frame,
                                                const bytecode::DecodedCode& code,
                                                const frame::Loop& loop, LoopBuilder* builder) {
  std::unique_ptr<LoopVersion> result(new LoopVersion(LoopVariables(frame, code)));
  result->globals_ = frame.globals();
  LoopState entry = result->ObserveAll(frame, code, loop, *builder);
  for (int i = 0; i < frame.stack_depth(); ++i) {
    BorrowedRef object = frame.Peek(frame.stack_depth() - 1 - i);
    entry.stack.push_back(result->ObserveIteratorAt(object, i, *builder));
  }
  result->stack_ = entry.stack;
  const bool is_built = builder->Build(entry, std::move(result->arrays_),
                                       std::move(result->instances_), &result->translated_);
  if (!is_built) return nullptr;
  for (Input& input : result->inputs_) builder->PlaceAll(input.value);
  return result;
}

// Functions that are variables of the loop's frame, and those that they reach by their own.
void LoopVersion::FindClosures() {
  const auto add = [this](BorrowedRef object) {
    const bool is_function = object != nullptr && PyFunction_Check(object);
    if (!is_function || PyFunction_GET_GLOBALS(object) != globals_) return;
    if (ClosureOf(object) == nullptr) closures_.push_back(GuardOf(object));
  };
  for (const Input& input : inputs_) {
    if (!variables_.IsName(input.variable)) add(input.value.object);
  }
  for (const KnownItem& item : translated_.known_items) {
    if (PyCell_Check(item.dict) && ClosureOf(item.owner) != nullptr) add(item.value);
  }
}

const ClosureGuard* LoopVersion::ClosureOf(BorrowedRef object) const {
  const auto found = std::find_if(closures_.begin(), closures_.end(),
                                  [&](const ClosureGuard& one) { return one.function == object; });
  return found == closures_.end() ? nullptr : &*found;
}

// Whether `object` is what the program knows as `known`.
bool LoopVersion::BindObject(BorrowedRef object, BorrowedRef known, Binding& binding) const {
  const ClosureGuard* const closure = ClosureOf(known);
  if (closure == nullptr) return object == known;
  const auto is_it = [object](const LooseRef& one) { return one.get() == object; };
  return std::none_of(kept_.begin(), kept_.end(), is_it) &&
         binding.closures.AddFunction(*closure, binding.closures.Now(globals_), object);
}

void LoopVersion::Keep(BorrowedRef object) {
  const auto is_it = [object](const LooseRef& one) { return one.get() == object; };
  if (ClosureOf(object) != nullptr) return;
  if (object != nullptr && std::none_of(kept_.begin(), kept_.end(), is_it)) {
    kept_.push_back(Ref::New(object));
  }
}

void LoopVersion::KeepAll() {
  for (const ClosureGuard& closure : closures_) {
    for (BorrowedRef part :
         {closure.code, closure.builtins, closure.defaults, closure.keyword_defaults}) {
      Keep(part);
    }
  }
  for (const Input& input : inputs_) Keep(input.value.object);
  for (const KnownItem& item : translated_.known_items) {
    for (BorrowedRef object : {item.owner, item.name, item.value}) Keep(object);
  }
  for (const KnownFunction& known : translated_.functions) {
    if (known.is_kept) Keep(known.function);
    for (BorrowedRef object : {known.code, known.defaults, known.keyword_defaults}) Keep(object);
  }
  for (const LoopGlobal& global : translated_.globals) {
    for (BorrowedRef object : {global.owner, global.name}) Keep(object);
  }
  for (const LoopField& field : translated_.fields) {
    Keep(field.name);
    const bool is_own =
        field.place == LoopField::Place::kOwn || field.place == LoopField::Place::kSlot;
    if (is_own && field.value.is(Kind::kObject)) Keep(field.value.object);
  }
  for (const auto& [reg, object] : translated_.addresses) Keep(object);
}

bool LoopVersion::Hold(Binding& binding) const {
  for (const LooseRef& one : kept_) {
    if (one.place() == nullptr) continue;
    if (one.is_gone()) return false;
    binding.held.push_back(Ref::New(one.get()));
  }
  return true;
}

void LoopVersion::Complete() {
  FindClosures();
  KeepAll();
  if (translated_.program.remembers) undo_ = std::make_unique_for_overwrite<UndoLog>();
  const std::vector<LoopOp>& ops = translated_.program.ops;
  const auto back_edges = std::count_if(
      ops.begin(), ops.end(), [](const LoopOp& op) { return op.code == LoopOpCode::kBackEdge; });
  saving_of_round_ = (kInstructionNanoseconds * translated_.instructions -
                      kOpNanoseconds * static_cast<int64_t>(ops.size())) /
                     std::max<int64_t>(back_edges, 1);
}

bool LoopVersion::KnownHolds(Binding& binding) const {
  return std::all_of(translated_.known_items.begin(), translated_.known_items.end(),
                     [&](const KnownItem& item) {
                       BorrowedRef dict = binding.closures.Now(item.dict);
                       return BindObject(ItemNow(dict, item.name), item.value, binding);
                     }) &&
         std::all_of(translated_.functions.begin(), translated_.functions.end(),
                     [this](const KnownFunction& known) {
                       return ClosureOf(known.function) != nullptr || known.Holds();
                     });
}

// Names that come into being together do so in the order in which they are stored, which is not
// known here.
bool LoopVersion::NamesKeepOrder(const frame::FrameView& frame) const {
  int missing = 0;
  for (int i = 0; i < variables_.count(); ++i) {
    if (translated_.stored[i] && variables_.IsName(i) &&
        DictGetStr(frame.globals(), variables_.NameOf(frame, i)) == nullptr) {
      ++missing;
    }
  }
  return missing < 2;
}

bool LoopVersion::BindInput(const Input& input, BorrowedRef object, Binding& binding) const {
  if (object == nullptr) return false;
  const LoopValue& value = input.value;
  switch (value.kind) {
    case Kind::kObject:
      return BindObject(object, value.object, binding);
    case Kind::kNumber:
      if (TypeOfNumber(object) != value.type) return false;
      binding.registers[value.reg] = Unbox(object, value.type);
      return true;
    case Kind::kComplex: {
      if (TypeOfComplex(object) != value.type) return false;
      const Py_complex number = PyComplex_AsCComplex(object);
      binding.registers[value.items[0].reg].f = number.real;
      binding.registers[value.items[1].reg].f = number.imag;
      return true;
    }
    case Kind::kTuple:
      return BindTuple(input, object, binding);
    case Kind::kArray:
      return BindArray(value.slot, object, binding);
    case Kind::kInstance:
      return BindInstance(value.slot, object, binding);
    case Kind::kChar:
      binding.registers[value.reg].i = CharOf(object);
      return binding.registers[value.reg].i >= 0;
    case Kind::kList:
      binding.registers[value.reg].i = reinterpret_cast<int64_t>(object);
      return PyList_CheckExact(object);
    default:
      return false;
  }
}

bool LoopVersion::BindTuple(const Input& input, BorrowedRef object, Binding& binding) const {
  const std::vector<LoopValue>& items = input.value.items;
  const auto size = static_cast<Py_ssize_t>(items.size());
  if (!PyTuple_CheckExact(object) || PyTuple_GET_SIZE(object) != size) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Input item = {.variable = input.variable, .value = items[i]};
    if (!BindInput(item, PyTuple_GET_ITEM(object, i), binding)) return false;
  }
  binding.tuples.emplace_back(input.value.slot, Ref::New(object));
  return true;
}

// One object by several names is one that was so when the loop was translated.
bool LoopVersion::BindInstance(int number, BorrowedRef object, Binding& binding) const {
  const LoopInstance& expected = translated_.instances[number];
  Ref& bound = binding.instances[number];
  if (bound) return bound.get() == object;
  bound = Ref::New(object);
  return !expected.is_read || Matches(expected, object);
}

bool LoopVersion::BindFields(Binding& binding) const {
  bool writes = false;
  for (const LoopField& field : translated_.fields) {
    BorrowedRef object = binding.instances[field.instance].get();
    if (!BindInput({.variable = -1, .value = field.value}, ReadField(object, field), binding)) {
      return false;
    }
    writes = writes || field.written;
  }
  const auto& bound = binding.instances;
  for (auto one = bound.begin(); writes && one != bound.end(); ++one) {
    const auto is_same = [&](const Ref& other) { return other.get() == one->get(); };
    if (*one && std::any_of(bound.begin(), one, is_same)) return false;
  }
  return true;
}

bool LoopVersion::WriteFields(const LoopExit& exit, Binding& binding) const {
  const std::vector<LoopValue>& contents = exit.state.fields;
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].is(Kind::kOpaque)) continue;
    const LoopField& field = translated_.fields[i];
    const Ref value = MakeObject(contents[i], binding);
    BorrowedRef object = binding.instances[field.instance].get();
    if (!value || !WriteField(object, field, value.get())) return false;
  }
  return true;
}

bool LoopVersion::BindArray(int slot, BorrowedRef object, Binding& binding) const {
  const LoopArray& expected = translated_.arrays[slot];
  const std::optional<LoopArray> array = ReadLoopArray(object, &binding.arrays[slot]);
  if (!array) return false;
  binding.array_objects[slot] = Ref::New(object);
  if ((expected.slice1d_axes & ~array->short_axes) != 0) return false;
  if (expected.has_own_dtype && !HasDType(object, DTypeObjectOf(expected.element))) return false;
  if (expected.has_c_order && !IsDense(binding.arrays[slot])) return false;
  return array->kind == expected.kind && array->element == expected.element &&
         array->rank == expected.rank &&
         (!expected.written || !expected.is_array() || numpy::IsWritable(object));
}

// `owners`: how many references the frame itself has.
bool LoopVersion::BindSequence(const LoopValue& value, SequenceIterator* iterator, int owners,
                               Binding& binding) const {
  if (iterator == nullptr) return false;
  LoopSlot* place = &binding.registers[value.reg];
  place[0].i = iterator->index;
  if (value.is(Kind::kItems)) {
    place[1].i = 0;
    return BindArray(value.slot, iterator->sequence, binding);
  }
  place[1].i = reinterpret_cast<int64_t>(iterator->sequence);
  // To have come to the end is more than to have no items left, as a list may grow.
  return PyList_CheckExact(iterator->sequence) && Py_REFCNT(iterator) == owners;
}

bool LoopVersion::BindRange(const LoopValue& value, BorrowedRef object, Binding& binding) {
  if (!IsRangeIterator(object)) return false;
  const RangeRest rest = RestOfRange(object);
  // The value after the last one is computed too.
  int64_t end = 0;
  if (__builtin_mul_overflow(rest.step, rest.rounds, &end) ||
      __builtin_add_overflow(rest.next, end, &end)) {
    return false;
  }
  LoopSlot* place = &binding.registers[value.reg];
  place[0].i = rest.next;
  place[1].i = rest.step;
  place[2].i = rest.rounds;
  return true;
}

bool LoopVersion::BindIterator(const LoopValue& value, BorrowedRef object, int owners,
                               Binding& binding) const {
  if (value.is(Kind::kOpaque)) return true;
  if (object == nullptr) return false;
  if (value.is(Kind::kList)) {
    binding.registers[value.reg].i = reinterpret_cast<int64_t>(object);
    return PyList_CheckExact(object);
  }
  if (value.is(Kind::kIterator)) return BindRange(value, object, binding);
  if (value.is(Kind::kItems) || value.is(Kind::kListItems)) {
    return BindSequence(value, AsSequenceIterator(object), owners, binding);
  }
  if (value.is(Kind::kEnumerate)) {
    const EnumerateIterator* enumerate = AsEnumerate(object);
    if (enumerate == nullptr || enumerate->index > kMostIndex) return false;
    binding.registers[value.reg].i = enumerate->index;
  } else if (AsZip(object) == nullptr) {
    return false;
  }
  const std::vector<BorrowedRef> inner = IteratorsIn(object);
  if (inner.size() != value.items.size()) return false;
  for (size_t i = 0; i < inner.size(); ++i) {
    // Nobody else may see one of them move on a step more than another.
    if (Py_REFCNT(inner[i]) != 1 || !BindIterator(value.items[i], inner[i], 1, binding)) {
      return false;
    }
  }
  return Py_REFCNT(object) == owners;
}

// Gives the arrays that the program makes their shapes. False: they are larger than what a program
// makes, or computes with.
bool LoopVersion::ShapeArrays(Binding& binding) const {
  for (size_t slot = 0; slot < translated_.arrays.size(); ++slot) {
    const LoopArray& array = translated_.arrays[slot];
    if (array.kind != LoopArray::Kind::kMade) continue;
    StridedView& view = binding.arrays[slot];
    view.dtype = DTypeOf(array.element);
    view.rank = array.rank;
    view.data = reinterpret_cast<char*>(&binding.scratch);
    auto bytes = static_cast<int64_t>(ItemSize(view.dtype));
    for (int axis = array.rank - 1; axis >= 0; --axis) {
      const int64_t extent = std::max<int64_t>(ExtentNow(array.extents[axis], binding), 0);
      const bool is_long = ((array.slice1d_axes >> axis) & 1) != 0 && extent > kLongestSlice1d;
      if (is_long || extent > kMostBytesMade) return false;
      view.shape[axis] = extent;
      view.strides[axis] = bytes;
      bytes *= std::max<int64_t>(extent, 1);
      if (bytes > kMostBytesMade) return false;
    }
    // As NumPy has it.
    if (view.size() == 0) std::fill_n(view.strides, view.rank, 0);
  }
  return true;
}

// Whether the program is for arrays of other sizes than it makes now.
bool LoopVersion::MakesLargeArrays(const frame::FrameView& frame) const {
  const bool makes =
      std::any_of(translated_.arrays.begin(), translated_.arrays.end(),
                  [](const LoopArray& array) { return array.kind == LoopArray::Kind::kMade; });
  Binding binding;
  return makes && !Bind(frame, binding);
}

bool LoopVersion::Bind(const frame::FrameView& frame, Binding& binding) const {
  if (frame.stack_depth() != static_cast<int>(stack_.size())) return false;
  if ((numpy::NumpyReportedFpFlags() & kFpUnderflow) != 0) return false;
  if (translated_.has_slices1d() && !numpy::HasUsualNumpyBuffers()) return false;
  if (!Hold(binding)) return false;
  binding.registers.resize(translated_.program.num_registers);
  binding.arrays.resize(translated_.arrays.size());
  binding.array_objects.resize(translated_.arrays.size());
  binding.instances.resize(translated_.instances.size());
  binding.closures.Add(globals_, frame.globals());
  for (const Input& input : inputs_) {
    if (!BindInput(input, variables_.Read(frame, input.variable), binding)) return false;
  }
  if (!KnownHolds(binding)) return false;
  for (const LoopGlobal& global : translated_.globals) {
    BorrowedRef object = ItemNow(binding.closures.Now(global.dict), global.name);
    if (!BindInput({.variable = -1, .value = global.value}, object, binding)) {
      return false;
    }
  }
  if (!BindFields(binding)) return false;
  BorrowedRef iterated = IteratedBy(frame);
  for (size_t i = 0; i < stack_.size(); ++i) {
    BorrowedRef object = frame.Peek(static_cast<int>(stack_.size() - 1 - i));
    const int owners = object != nullptr && object == iterated ? 2 : 1;
    if (!BindIterator(stack_[i], object, owners, binding)) return false;
  }
  for (const auto& [reg, value] : translated_.program.constants) binding.registers[reg] = value;
  if (!ShapeArrays(binding)) return false;
  for (const auto& [reg, object] : translated_.addresses) {
    binding.registers[reg].i = reinterpret_cast<int64_t>(object);
  }
  return NamesKeepOrder(frame) && MayDieLater(frame, variables_, translated_.stored);
}

LoopVersion::Result LoopVersion::Run(frame::FrameView& frame, End* end, int64_t* rounds) {
  Binding binding;
  if (!Bind(frame, binding)) return Result::kNoMatch;
  LoopHost host = TheLoopHost();
  host.scratch = &binding.scratch;
  host.undo = undo_.get();
  LoopFrame run = {.registers = binding.registers.data(),
                   .arrays = binding.arrays.data(),
                   .poll = EvalBreakerByte(frame.thread()),
                   .host = &host};
  const int exit_number = tier_.Run(translated_.program, run);
  if (undo_ != nullptr) undo_->RollBack();
  const LoopExit& exit = translated_.exits[exit_number];
  *rounds = run.rounds;
  if (!PutBack(frame, exit, binding)) return Result::kRaised;
  *end = {exit.offset, exit.jump};
  return exit.between ? Result::kBetween : Result::kAt;
}

void LoopVersion::LeaveIterator(const LoopValue& value, BorrowedRef object,
                                const Binding& binding) {
  const LoopSlot* place = &binding.registers[value.reg];
  if (value.is(Kind::kIterator)) LeaveInRange(object, place[2].i);
  if (value.is(Kind::kItems) || value.is(Kind::kListItems)) {
    AsSequenceIterator(object)->index = place[0].i;
  }
  if (value.is(Kind::kEnumerate)) AsEnumerate(object)->index = place[0].i;
  if (value.items.empty()) return;
  const std::vector<BorrowedRef> inner = IteratorsIn(object);
  for (size_t i = 0; i < inner.size(); ++i) LeaveIterator(value.items[i], inner[i], binding);
}

// The objects of the entry's iterators go on to what the program has left of them, also where
// nothing but another name refers to one any more.
void LoopVersion::LeaveIterators(frame::FrameView& frame, const Binding& binding) const {
  for (size_t i = 0; i < stack_.size(); ++i) {
    BorrowedRef object = frame.Peek(static_cast<int>(stack_.size() - 1 - i));
    if (!stack_[i].is(Kind::kOpaque)) LeaveIterator(stack_[i], object, binding);
  }
}

// Numbers in variables that the loop does not store to are the objects that they have been.
void LoopVersion::KnowNumbers(const frame::FrameView& frame, Binding& binding) const {
  for (const Input& input : inputs_) {
    if (translated_.stored[input.variable]) continue;
    BorrowedRef object = variables_.Read(frame, input.variable);
    if (input.value.is(Kind::kComplex) && object != nullptr &&
        TypeOfComplex(object) == input.value.type) {
      const std::vector<LoopValue>& parts = input.value.items;
      binding.made_complex.push_back(
          {parts[0].reg, parts[1].reg, input.value.type, Ref::New(object)});
    }
    if (!input.value.is(Kind::kNumber)) continue;
    if (object == nullptr || TypeOfNumber(object) != input.value.type) continue;
    binding.made.push_back({input.value.reg, input.value.kind, input.value.type, Ref::New(object)});
  }
}

bool LoopVersion::PutBack(frame::FrameView& frame, const LoopExit& exit, Binding& binding) const {
  const LoopState& state = exit.state;
  std::vector<Change> changes;
  std::vector<Ref> pushed;
  // First, as numbers are made without anything that could run other code, which might see them.
  if (!WriteFields(exit, binding)) return false;
  for (int i = 0; i < variables_.count(); ++i) {
    const LoopValue* const value = StoredIn(state.variables[i], binding);
    if (!translated_.stored[i] || value == nullptr) continue;
    changes.push_back({i, MakeObject(*value, binding)});
    if (!changes.back().value) return false;
  }
  if (state.stack.size() > stack_.size()) KnowNumbers(frame, binding);
  for (size_t i = stack_.size(); i < state.stack.size(); ++i) {
    pushed.push_back(MakeObject(state.stack[i], binding));
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
    } else if (LoopVariables::IsCell(frame, change.variable)) {
      const BorrowedRef local = frame.localsplus()[change.variable];
      auto* cell = reinterpret_cast<PyCellObject*>(local);
      dropped.push_back(Ref::Steal(std::exchange(cell->ob_ref, change.value.Release())));
    } else {
      dropped.push_back(frame.localsplus()[change.variable].Exchange(std::move(change.value)));
    }
  }
  return stored;
}

}  // namespace dynacc::loops
