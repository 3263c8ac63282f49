#include "frontend/tracer/frame_state_builder.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/set_table.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

using AddFn = absl::StatusOr<int> (*)(FrameStateBuilder&, symbolic::Value&);

template <typename T>
T& To(symbolic::Value& value) {
  return static_cast<T&>(value);
}

// Its only place is the stack (AddStack); elsewhere it stands for a traceback.
absl::StatusOr<int> AddNull(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak("a traceback that is kept");
}

// `nan`, as a new object: of the negative one, since Python's + gives the same object.
absl::StatusOr<int> AddMadeNan(FrameStateBuilder& builder, BorrowedRef nan) {
  Ref negative = Ref::Steal(PyNumber_Negative(nan));
  Ref negate =
      Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(nan)), "__neg__"));
  const int function = builder.AddConstant(negate.get());
  return builder.Emit(frame_state::FrameStateOp::kCall, 0,
                      {function, builder.AddConstant(negative.get())});
}

absl::StatusOr<int> AddConstant(FrameStateBuilder& builder, symbolic::Value& value) {
  BorrowedRef object = To<symbolic::ConstantValue>(value).object.get();
  // One that nobody else holds was made while tracing. A NaN equals only itself, so that it matters
  // to sets and caches that each call makes its own.
  if (Py_REFCNT(object) == 1 && IsPlainConstantValue(&value) && HasNan(object) &&
      !PyTuple_CheckExact(object)) {
    return AddMadeNan(builder, object);
  }
  if (!PyRange_Check(object)) return builder.AddConstant(object);
  // A range is an object of its own at each call.
  std::vector<int> bounds;
  for (const char* name : {"start", "stop", "step"}) {
    bounds.push_back(builder.AddConstant(Ref::Steal(PyObject_GetAttrString(object, name)).get()));
  }
  return builder.Emit(frame_state::FrameStateOp::kRange, 0, std::move(bounds));
}

absl::StatusOr<int> AddNumber(FrameStateBuilder& builder, symbolic::Value& value) {
  return builder.AddNumber(To<symbolic::NumberValue>(value));
}

absl::StatusOr<int> AddLazy(FrameStateBuilder& builder, symbolic::Value& value) {
  const symbolic::LazyValue& lazy = To<symbolic::LazyValue>(value);
  std::vector<int> items = {builder.AddConstant(lazy.function.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> args, builder.AddAll(lazy.args));
  items.insert(items.end(), args.begin(), args.end());
  return builder.Emit(frame_state::FrameStateOp::kCall, 0, std::move(items));
}

absl::StatusOr<int> AddTensor(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& tensor = To<symbolic::TensorValue>(value);
  // What is special about it is that of a view, and a graph that is a value gives arrays.
  const bool gives_views = !builder.trace().has_free_orders();
  if (tensor.made_by != nullptr && gives_views) return builder.Add(tensor.made_by);
  if (tensor.view_of != nullptr) return builder.AddView(tensor);
  return builder.AddOutput(tensor);
}

absl::StatusOr<int> AddSelection(FrameStateBuilder& builder, symbolic::Value& value) {
  builder.trace().NoteEscape(To<symbolic::SelectionValue>(value).step);
  return symbolic::GraphBreak(kEscapingSelection);
}

absl::StatusOr<int> AddTuple(FrameStateBuilder& builder, symbolic::Value& value) {
  const symbolic::TupleValue& tuple = To<symbolic::TupleValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, builder.AddAll(tuple.items));
  const int made = builder.Emit(frame_state::FrameStateOp::kTuple, 0, std::move(items));
  if (tuple.cls == nullptr) return made;
  DYNACC_ASSIGN_OR_RETURN(const int cls, builder.Add(tuple.cls));
  return builder.Emit(frame_state::FrameStateOp::kTupleSubclass, 0, {cls, made});
}

absl::StatusOr<int> AddList(FrameStateBuilder& builder, symbolic::Value& value) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items,
                          builder.AddAll(To<symbolic::ListValue>(value).items));
  return builder.Emit(frame_state::FrameStateOp::kList, 0, std::move(items));
}

absl::StatusOr<int> AddDict(FrameStateBuilder& builder, symbolic::Value& value) {
  std::vector<int> items;
  for (auto& [key, item] : To<symbolic::DictValue>(value).items) {
    DYNACC_ASSIGN_OR_RETURN(const int made_key, builder.Add(builder.trace().KeyValue(key.get())));
    DYNACC_ASSIGN_OR_RETURN(const int made, builder.Add(item));
    items.insert(items.end(), {made_key, made});
  }
  return builder.Emit(frame_state::FrameStateOp::kDict, 0, std::move(items));
}

absl::StatusOr<int> AddSet(FrameStateBuilder& builder, symbolic::Value& value) {
  return builder.AddSet(To<symbolic::SetValue>(value).now.get());
}

absl::StatusOr<int> AddSuper(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak("super() that is kept");
}

absl::StatusOr<int> AddSubgraph(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak("a part of control flow that is kept");
}

// What an instance of a subclass of dict keeps in it.
absl::Status AddEntries(FrameStateBuilder& builder, int made,
                        const symbolic::InstanceValue& instance) {
  static PyObject* const stores[] = {
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyDict_Type), "__setitem__"),
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyODict_Type), "__setitem__")};
  const auto* entries = symbolic::As<symbolic::DictValue>(instance.part);
  if (entries == nullptr) return absl::OkStatus();
  PyObject* const type = instance.cls->object.get();
  PyObject* const store = stores[type == reinterpret_cast<PyObject*>(&PyODict_Type)];
  for (const auto& [key, value] : entries->items) {
    const int setter = builder.AddConstant(store);
    const int name = builder.AddConstant(key.get());
    DYNACC_ASSIGN_OR_RETURN(const int item, builder.Add(value));
    builder.Emit(frame_state::FrameStateOp::kCall, 0, {setter, made, name, item});
  }
  return absl::OkStatus();
}

// The bare object first: its attributes may lead back to it.
absl::StatusOr<int> AddInstance(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& instance = To<symbolic::InstanceValue>(value);
  if (instance.raised) return symbolic::GraphBreak("an exception that is kept");
  DYNACC_ASSIGN_OR_RETURN(const int cls, builder.Add(instance.cls));
  std::vector<int> parts = {cls};
  if (instance.args != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const int args, builder.Add(instance.args));
    parts.push_back(args);
  }
  const int made = builder.Emit(frame_state::FrameStateOp::kInstance, 0, std::move(parts));
  builder.Remember(&value, made);
  for (const symbolic::Overlay::Write& write : instance.attributes.writes()) {
    const int name = builder.AddConstant(write.key.get());
    DYNACC_ASSIGN_OR_RETURN(const int attribute, builder.Add(write.value));
    builder.Emit(frame_state::FrameStateOp::kFill, 0, {made, name, attribute});
  }
  DYNACC_RETURN_IF_ERROR(AddEntries(builder, made, instance));
  return made;
}

absl::StatusOr<int> AddDeque(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& deque = To<symbolic::DequeValue>(value);
  Ref bound = deque.bound < 0 ? Ref::New(Py_None) : Ref::Steal(PyLong_FromLongLong(deque.bound));
  std::vector<int> parts = {builder.AddConstant(bound.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> items, builder.AddAll(deque.items));
  parts.insert(parts.end(), items.begin(), items.end());
  return builder.Emit(frame_state::FrameStateOp::kDeque, 0, std::move(parts));
}

absl::StatusOr<int> AddSlice(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& slice = To<symbolic::SliceValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items,
                          builder.AddAll({slice.start, slice.stop, slice.step}));
  return builder.Emit(frame_state::FrameStateOp::kSlice, 0, std::move(items));
}

absl::StatusOr<int> AddIterator(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak(kEscapingIterator);
}

absl::StatusOr<int> AddLazyIterator(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak(kEscapingIterator);
}

absl::StatusOr<int> AddDictView(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak(kEscapingIterator);
}

absl::StatusOr<int> AddGenerator(FrameStateBuilder&, symbolic::Value&) {
  return symbolic::GraphBreak(kEscapingGenerator);
}

absl::StatusOr<int> AddCell(FrameStateBuilder& builder, symbolic::Value& value) {
  const int cell = builder.Emit(frame_state::FrameStateOp::kCell);
  if (symbolic::Value* content = To<symbolic::CellValue>(value).content)
    builder.FillLater(cell, content);
  return cell;
}

// What MAKE_FUNCTION takes from the stack, in its order, after code and globals; `a` says which.
absl::StatusOr<int> AddFunction(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& function = To<symbolic::FunctionValue>(value);
  if (function.function) return builder.AddConstant(function.function.get());
  sources::SourceTable& sources = builder.trace().sources();
  const sources::Source* globals =
      function.globals_of == nullptr
          ? sources.Intern(sources::SourceKind::kGlobals, nullptr)
          : sources.Intern(sources::SourceKind::kFunctionGlobals, function.globals_of);
  const int code = builder.AddConstant(function.code.get());
  std::vector<int> parts = {code, builder.AddLoad(globals)};
  symbolic::Value* closure =
      function.closure.empty()
          ? nullptr
          : builder.trace().New<symbolic::TupleValue>(
                std::vector<symbolic::Value*>(function.closure.begin(), function.closure.end()));
  int flags = 0, bit = 1;
  for (symbolic::Value* part :
       {function.defaults, function.kwdefaults, function.annotations, closure, function.annotate}) {
    if (part != nullptr) {
      DYNACC_ASSIGN_OR_RETURN(const int made, builder.Add(part));
      parts.push_back(made);
      flags |= bit;
    }
    bit *= 2;
  }
  return builder.Emit(frame_state::FrameStateOp::kFunction, flags, std::move(parts));
}

absl::StatusOr<int> AddBoundMethod(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& method = To<symbolic::BoundMethodValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, builder.AddAll({method.function, method.self}));
  return builder.Emit(frame_state::FrameStateOp::kMethod, 0, std::move(items));
}

absl::StatusOr<int> AddPartial(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& partial = To<symbolic::PartialValue>(value);
  Ref names = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(partial.keywords.size())));
  std::vector<symbolic::Value*> values = partial.args;
  for (size_t i = 0; i < partial.keywords.size(); ++i) {
    const auto& [name, item] = partial.keywords[i];
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(name.object()));
    values.push_back(item);
  }
  const int cls = builder.AddConstant(reinterpret_cast<PyObject*>(partial.cls));
  std::vector<int> parts = {cls, builder.AddConstant(names.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> args, builder.AddAll(values));
  parts.insert(parts.end(), args.begin(), args.end());
  return builder.Emit(frame_state::FrameStateOp::kCallNamed, 0, std::move(parts));
}

absl::StatusOr<int> AddArrayMethod(FrameStateBuilder& builder, symbolic::Value& value) {
  const symbolic::ArrayMethodValue& method = To<symbolic::ArrayMethodValue>(value);
  DYNACC_ASSIGN_OR_RETURN(int self, builder.Add(method.self));
  Ref name = Ref::Steal(PyUnicode_InternFromString(method.name.c_str()));
  const int name_step = builder.AddConstant(name.get());
  return builder.Emit(frame_state::FrameStateOp::kAttribute, 0, {self, name_step});
}

absl::StatusOr<int> AddObject(FrameStateBuilder&, symbolic::Value&) {
  return absl::InternalError("an object without a source");
}

constexpr AddFn kAdd[] = {
#define DYNACC_VALUE(kind, doc) Add##kind,
#include "frontend/symbolic/values.def"
#undef DYNACC_VALUE
};

}  // namespace

int FrameStateBuilder::Emit(frame_state::FrameStateOp op, int a, std::vector<int> items) {
  result_.frame_state.steps.push_back({op, a, std::move(items)});
  return static_cast<int>(result_.frame_state.steps.size()) - 1;
}

absl::StatusOr<int> FrameStateBuilder::Add(symbolic::Value* value) {
  const bool outermost = made_depth_++ == 0;
  absl::StatusOr<int> step = AddOne(value);
  --made_depth_;
  if (!outermost || !step.ok()) return step;
  while (!unfilled_.empty()) {
    const auto [cell, content] = unfilled_.back();
    unfilled_.pop_back();
    ++made_depth_;
    absl::StatusOr<int> made = AddOne(content);
    --made_depth_;
    if (!made.ok()) return made;
    Emit(frame_state::FrameStateOp::kFillCell, 0, {cell, *made});
  }
  return step;
}

absl::StatusOr<int> FrameStateBuilder::AddOne(symbolic::Value* value) {
  if (auto found = made_.find(value); found != made_.end()) {
    if (found->second < 0) return symbolic::GraphBreak("a container that contains itself");
    return found->second;
  }
  made_[value] = -1;
  DYNACC_ASSIGN_OR_RETURN(int step, AddFresh(value));
  made_[value] = step;
  return step;
}

absl::StatusOr<int> FrameStateBuilder::AddFresh(symbolic::Value* value) {
  if (value->source() != nullptr) return AddLoad(value->source());
  return kAdd[static_cast<int>(value->kind())](*this, *value);
}

absl::StatusOr<std::vector<int>> FrameStateBuilder::AddAll(
    const std::vector<symbolic::Value*>& values) {
  std::vector<int> steps;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(int step, Add(value));
    steps.push_back(step);
  }
  return steps;
}

absl::Status FrameStateBuilder::AddLocal(int index, symbolic::Value* value) {
  int step = frame_state::FrameState::kUnbound;
  if (value != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(step, Add(value));
  }
  result_.frame_state.locals.push_back({index, step});
  return absl::OkStatus();
}

absl::Status FrameStateBuilder::AddDeadLocal(int index, symbolic::Value* value) {
  return AddLocal(index, value != nullptr && IsFree(*value) ? value : nullptr);
}

bool FrameStateBuilder::IsFree(symbolic::Value& value) const {
  return made_.contains(&value) || value.source() != nullptr ||
         value.kind() == symbolic::ValueKind::kConstant ||
         value.kind() == symbolic::ValueKind::kNumber;
}

namespace {

// The range that gives these ints; empty without an exception if there is none.
Ref RangeOf(const std::vector<symbolic::Value*>& ints) {
  std::vector<int64_t> values;
  for (symbolic::Value* value : ints) {
    auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
    if (constant == nullptr || !PyLong_CheckExact(constant->object.get())) return {};
    int overflow = 0;
    values.push_back(PyLong_AsLongLongAndOverflow(constant->object.get(), &overflow));
    constexpr int64_t kFar = int64_t{1} << 60;  // from where no step or stop overflows
    if (overflow != 0 || values.back() > kFar || values.back() < -kFar) return {};
  }
  const int64_t first = values.empty() ? 0 : values[0];
  const int64_t step = values.size() < 2 ? 1 : values[1] - first;
  const auto count = static_cast<int64_t>(values.size());
  for (int64_t i = 0; i < count; ++i) {
    if (step == 0 || (values[i] - first) % step != 0 || (values[i] - first) / step != i) return {};
  }
  Ref range = Ref::Steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyRange_Type), "LLL",
                                               first, first + count * step, step));
  if (!range) PyErr_Clear();
  return range;
}

}  // namespace

// A for loop's own iterator: the program cannot see what type it has. One over a list must see what
// becomes of the list. Ints of a range come from one again, which a loop program can go on with.
absl::StatusOr<int> FrameStateBuilder::AddLoopIterator(const symbolic::IteratorValue& iterator) {
  if (iterator.next == symbolic::IteratorValue::kEnded)
    return Emit(frame_state::FrameStateOp::kIterator);
  if (iterator.list != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const int list, Add(iterator.list));
    return Emit(frame_state::FrameStateOp::kListIterator, static_cast<int>(iterator.next), {list});
  }
  const std::vector<symbolic::Value*> rest(iterator.fixed.begin() + iterator.next,
                                           iterator.fixed.end());
  if (const Ref range = RangeOf(rest)) {
    return Emit(frame_state::FrameStateOp::kRangeIterator, 0, {AddConstant(range.get())});
  }
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, AddAll(rest));
  return Emit(frame_state::FrameStateOp::kIterator, 0, std::move(items));
}

absl::Status FrameStateBuilder::AddStack(symbolic::Value* value) {
  int step;
  if (auto* iterator = symbolic::As<symbolic::IteratorValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(step, AddLoopIterator(*iterator));
  } else if (symbolic::As<symbolic::NullValue>(value) != nullptr) {
    step = Emit(frame_state::FrameStateOp::kNull);
  } else {
    DYNACC_ASSIGN_OR_RETURN(step, Add(value));
  }
  result_.frame_state.stack.push_back(step);
  return absl::OkStatus();
}

absl::Status FrameStateBuilder::AddEffect(frame_state::EffectOp op, symbolic::Value* target,
                                          const std::vector<symbolic::Value*>& others, int a) {
  DYNACC_ASSIGN_OR_RETURN(const int object, Add(target));
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, AddAll(others));
  items.insert(items.begin(), object);
  result_.frame_state.effects.push_back({op, std::move(items), a});
  return absl::OkStatus();
}

int FrameStateBuilder::AddConstant(BorrowedRef object) {
  result_.frame_state.constants.push_back(Ref::New(object));
  return Emit(frame_state::FrameStateOp::kConstant,
              static_cast<int>(result_.frame_state.constants.size()) - 1);
}

absl::StatusOr<int> FrameStateBuilder::AddSet(BorrowedRef set) {
  std::vector<int> parts = {AddConstant(ShapeOfSet(set).get())};
  for (BorrowedRef member : MembersOfSet(set)) {
    DYNACC_ASSIGN_OR_RETURN(const int made, Add(trace().KeyValue(member)));
    parts.push_back(made);
  }
  return Emit(frame_state::FrameStateOp::kSet, 0, std::move(parts));
}

int FrameStateBuilder::AddLoad(const sources::Source* source) {
  result_.frame_state.loads.push_back(source);
  return Emit(frame_state::FrameStateOp::kLoad,
              static_cast<int>(result_.frame_state.loads.size()) - 1);
}

int FrameStateBuilder::AddOutput(const symbolic::TensorValue& tensor) {
  const int index = trace_.graph().AddOutput(tensor.node);
  result_.output_is_scalar.push_back(tensor.is_scalar);
  result_.output_is_native.push_back(tensor.is_native);
  return Emit(frame_state::FrameStateOp::kOutput, index);
}

absl::StatusOr<int> FrameStateBuilder::AddView(symbolic::TensorValue& tensor) {
  const ir::Node* node = tensor.node;
  const ir::Node* base = tensor.view_of->node;
  frame_state::ViewSpec spec;
  spec.is_native = tensor.is_native;
  spec.shape.assign(node->shape.begin(), node->shape.end());
  if (node == base) {  // the same elements under the same axes: a plain alias
    for (int d = 0; d < node->rank(); ++d) {
      spec.axis.push_back(d);
      spec.start.push_back(trace_.graph().scalars().Int(0));
      spec.step.push_back(trace_.graph().scalars().Int(1));
    }
  } else if (node->operands.size() != 1 || node->operands[0] != base) {
    return symbolic::GraphBreak("a view that cannot be made again");
  } else if (node->op == Op::kReshape) {
    spec.reshape = true;
  } else if (node->op == Op::kReal || node->op == Op::kImag) {
    spec.part = node->op == Op::kImag ? 1 : 0;
  } else if (node->op == Op::kView) {
    spec.axis.assign(node->attrs.ints.begin(), node->attrs.ints.end());
    const absl::Span<const ScalarId> scalars = node->attrs.scalars;
    spec.start.assign(scalars.begin(), scalars.begin() + base->rank());
    spec.step.assign(scalars.begin() + base->rank(), scalars.end());
  } else {
    return symbolic::GraphBreak("a view that cannot be made again");
  }
  DYNACC_ASSIGN_OR_RETURN(int made, Add(tensor.view_of));
  result_.frame_state.views.push_back(std::move(spec));
  return Emit(frame_state::FrameStateOp::kView,
              static_cast<int>(result_.frame_state.views.size()) - 1, {made});
}

absl::StatusOr<int> FrameStateBuilder::AddNumber(const symbolic::NumberValue& number) {
  constexpr frame_state::FrameStateOp kOps[] = {frame_state::FrameStateOp::kInt,
                                                frame_state::FrameStateOp::kFloat,
                                                frame_state::FrameStateOp::kBool};
  return Emit(kOps[static_cast<int>(number.type)], number.id);
}

}  // namespace dynacc::tracer
