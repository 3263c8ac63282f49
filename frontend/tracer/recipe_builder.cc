#include "frontend/tracer/recipe_builder.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/set_table.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

using AddFn = absl::StatusOr<int> (*)(RecipeBuilder&, Value&);

template <typename T>
T& To(Value& value) {
  return static_cast<T&>(value);
}

// Its only place is the stack (AddStack); elsewhere it stands for a traceback.
absl::StatusOr<int> AddNull(RecipeBuilder&, Value&) {
  return GraphBreak("a traceback that is kept");
}

// `nan`, as a new object: of the negative one, since Python's + gives the same object.
absl::StatusOr<int> AddMadeNan(RecipeBuilder& builder, BorrowedRef nan) {
  Ref negative = Ref::Steal(PyNumber_Negative(nan));
  Ref negate =
      Ref::Steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(nan)), "__neg__"));
  const int function = builder.AddConstant(negate.get());
  return builder.Emit(RecipeOp::kCall, 0, {function, builder.AddConstant(negative.get())});
}

absl::StatusOr<int> AddConstant(RecipeBuilder& builder, Value& value) {
  BorrowedRef object = To<ConstantValue>(value).object.get();
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
  return builder.Emit(RecipeOp::kRange, 0, std::move(bounds));
}

absl::StatusOr<int> AddNumber(RecipeBuilder& builder, Value& value) {
  return builder.AddNumber(To<NumberValue>(value));
}

absl::StatusOr<int> AddDeferred(RecipeBuilder& builder, Value& value) {
  const DeferredValue& deferred = To<DeferredValue>(value);
  std::vector<int> items = {builder.AddConstant(deferred.function.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> args, builder.AddAll(deferred.args));
  items.insert(items.end(), args.begin(), args.end());
  return builder.Emit(RecipeOp::kCall, 0, std::move(items));
}

absl::StatusOr<int> AddTensor(RecipeBuilder& builder, Value& value) {
  auto& tensor = To<TensorValue>(value);
  if (tensor.made_by != nullptr) return builder.Add(tensor.made_by);
  if (tensor.view_of != nullptr) return builder.AddView(tensor);
  return builder.AddOutput(tensor);
}

absl::StatusOr<int> AddSelection(RecipeBuilder& builder, Value& value) {
  builder.trace().NoteEscape(To<SelectionValue>(value).step);
  return GraphBreak(kEscapingSelection);
}

absl::StatusOr<int> AddTuple(RecipeBuilder& builder, Value& value) {
  const TupleValue& tuple = To<TupleValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, builder.AddAll(tuple.items));
  const int made = builder.Emit(RecipeOp::kTuple, 0, std::move(items));
  if (tuple.cls == nullptr) return made;
  DYNACC_ASSIGN_OR_RETURN(const int cls, builder.Add(tuple.cls));
  return builder.Emit(RecipeOp::kTupleSubclass, 0, {cls, made});
}

absl::StatusOr<int> AddList(RecipeBuilder& builder, Value& value) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, builder.AddAll(To<ListValue>(value).items));
  return builder.Emit(RecipeOp::kList, 0, std::move(items));
}

absl::StatusOr<int> AddDict(RecipeBuilder& builder, Value& value) {
  std::vector<int> items;
  for (auto& [key, item] : To<DictValue>(value).items) {
    items.push_back(builder.AddConstant(key.get()));
    DYNACC_ASSIGN_OR_RETURN(int made, builder.Add(item));
    items.push_back(made);
  }
  return builder.Emit(RecipeOp::kDict, 0, std::move(items));
}

absl::StatusOr<int> AddSet(RecipeBuilder& builder, Value& value) {
  return builder.AddSet(To<SetValue>(value).now.get());
}

absl::StatusOr<int> AddSuper(RecipeBuilder&, Value&) { return GraphBreak("super() that is kept"); }

// What an instance of a subclass of dict keeps in it.
absl::Status AddEntries(RecipeBuilder& builder, int made, const InstanceValue& instance) {
  static PyObject* const stores[] = {
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyDict_Type), "__setitem__"),
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyODict_Type), "__setitem__")};
  const auto* entries = As<DictValue>(instance.part);
  if (entries == nullptr) return absl::OkStatus();
  PyObject* const type = instance.cls->object.get();
  PyObject* const store = stores[type == reinterpret_cast<PyObject*>(&PyODict_Type)];
  for (const auto& [key, value] : entries->items) {
    const int setter = builder.AddConstant(store);
    const int name = builder.AddConstant(key.get());
    DYNACC_ASSIGN_OR_RETURN(const int item, builder.Add(value));
    builder.Emit(RecipeOp::kCall, 0, {setter, made, name, item});
  }
  return absl::OkStatus();
}

// The bare object first: its attributes may lead back to it.
absl::StatusOr<int> AddInstance(RecipeBuilder& builder, Value& value) {
  auto& instance = To<InstanceValue>(value);
  if (instance.raised) return GraphBreak("an exception that is kept");
  DYNACC_ASSIGN_OR_RETURN(const int cls, builder.Add(instance.cls));
  std::vector<int> parts = {cls};
  if (instance.args != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const int args, builder.Add(instance.args));
    parts.push_back(args);
  }
  const int made = builder.Emit(RecipeOp::kInstance, 0, std::move(parts));
  builder.Remember(&value, made);
  for (const Overlay::Write& write : instance.attributes.writes()) {
    const int name = builder.AddConstant(write.key.get());
    DYNACC_ASSIGN_OR_RETURN(const int attribute, builder.Add(write.value));
    builder.Emit(RecipeOp::kFill, 0, {made, name, attribute});
  }
  DYNACC_RETURN_IF_ERROR(AddEntries(builder, made, instance));
  return made;
}

absl::StatusOr<int> AddDeque(RecipeBuilder& builder, Value& value) {
  auto& deque = To<DequeValue>(value);
  Ref bound = deque.bound < 0 ? Ref::New(Py_None) : Ref::Steal(PyLong_FromLongLong(deque.bound));
  std::vector<int> parts = {builder.AddConstant(bound.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> items, builder.AddAll(deque.items));
  parts.insert(parts.end(), items.begin(), items.end());
  return builder.Emit(RecipeOp::kDeque, 0, std::move(parts));
}

absl::StatusOr<int> AddSlice(RecipeBuilder& builder, Value& value) {
  auto& slice = To<SliceValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items,
                          builder.AddAll({slice.start, slice.stop, slice.step}));
  return builder.Emit(RecipeOp::kSlice, 0, std::move(items));
}

absl::StatusOr<int> AddIterator(RecipeBuilder&, Value&) { return GraphBreak(kEscapingIterator); }

absl::StatusOr<int> AddLazyIterator(RecipeBuilder&, Value&) {
  return GraphBreak(kEscapingIterator);
}

absl::StatusOr<int> AddDictView(RecipeBuilder&, Value&) { return GraphBreak(kEscapingIterator); }

absl::StatusOr<int> AddGenerator(RecipeBuilder&, Value&) { return GraphBreak(kEscapingGenerator); }

absl::StatusOr<int> AddCell(RecipeBuilder& builder, Value& value) {
  const int cell = builder.Emit(RecipeOp::kCell);
  if (Value* content = To<CellValue>(value).content) builder.FillLater(cell, content);
  return cell;
}

// What MAKE_FUNCTION takes from the stack, in its order, after code and globals; `a` says which.
absl::StatusOr<int> AddFunction(RecipeBuilder& builder, Value& value) {
  auto& function = To<FunctionValue>(value);
  if (function.function) return builder.AddConstant(function.function.get());
  SourceTable& sources = builder.trace().sources();
  const Source* globals = function.globals_of == nullptr
                              ? sources.Intern(SourceKind::kGlobals, nullptr)
                              : sources.Intern(SourceKind::kFunctionGlobals, function.globals_of);
  const int code = builder.AddConstant(function.code.get());
  std::vector<int> parts = {code, builder.AddLoad(globals)};
  Value* closure = function.closure.empty()
                       ? nullptr
                       : builder.trace().New<TupleValue>(
                             std::vector<Value*>(function.closure.begin(), function.closure.end()));
  int flags = 0, bit = 1;
  for (Value* part : {function.defaults, function.kwdefaults, function.annotations, closure}) {
    if (part != nullptr) {
      DYNACC_ASSIGN_OR_RETURN(const int made, builder.Add(part));
      parts.push_back(made);
      flags |= bit;
    }
    bit *= 2;
  }
  return builder.Emit(RecipeOp::kFunction, flags, std::move(parts));
}

absl::StatusOr<int> AddBoundMethod(RecipeBuilder& builder, Value& value) {
  auto& method = To<BoundMethodValue>(value);
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, builder.AddAll({method.function, method.self}));
  return builder.Emit(RecipeOp::kMethod, 0, std::move(items));
}

absl::StatusOr<int> AddPartial(RecipeBuilder& builder, Value& value) {
  auto& partial = To<PartialValue>(value);
  Ref names = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(partial.keywords.size())));
  std::vector<Value*> values = partial.args;
  for (size_t i = 0; i < partial.keywords.size(); ++i) {
    const auto& [name, item] = partial.keywords[i];
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(name.object()));
    values.push_back(item);
  }
  const int cls = builder.AddConstant(reinterpret_cast<PyObject*>(partial.cls));
  std::vector<int> parts = {cls, builder.AddConstant(names.get())};
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> args, builder.AddAll(values));
  parts.insert(parts.end(), args.begin(), args.end());
  return builder.Emit(RecipeOp::kCallNamed, 0, std::move(parts));
}

absl::StatusOr<int> AddArrayMethod(RecipeBuilder& builder, Value& value) {
  const ArrayMethodValue& method = To<ArrayMethodValue>(value);
  DYNACC_ASSIGN_OR_RETURN(int self, builder.Add(method.self));
  Ref name = Ref::Steal(PyUnicode_InternFromString(method.name.c_str()));
  const int name_step = builder.AddConstant(name.get());
  return builder.Emit(RecipeOp::kAttribute, 0, {self, name_step});
}

absl::StatusOr<int> AddObject(RecipeBuilder&, Value&) {
  return absl::InternalError("an object without a source");
}

constexpr AddFn kAdd[] = {
#define DYNACC_VALUE(kind, doc) Add##kind,
#include "frontend/values/values.def"
#undef DYNACC_VALUE
};

}  // namespace

int RecipeBuilder::Emit(RecipeOp op, int a, std::vector<int> items) {
  result_.recipe.steps.push_back({op, a, std::move(items)});
  return static_cast<int>(result_.recipe.steps.size()) - 1;
}

absl::StatusOr<int> RecipeBuilder::Add(Value* value) {
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
    Emit(RecipeOp::kFillCell, 0, {cell, *made});
  }
  return step;
}

absl::StatusOr<int> RecipeBuilder::AddOne(Value* value) {
  if (auto found = made_.find(value); found != made_.end()) {
    if (found->second < 0) return GraphBreak("a container that contains itself");
    return found->second;
  }
  made_[value] = -1;
  DYNACC_ASSIGN_OR_RETURN(int step, AddFresh(value));
  made_[value] = step;
  return step;
}

absl::StatusOr<int> RecipeBuilder::AddFresh(Value* value) {
  if (value->source() != nullptr) return AddLoad(value->source());
  return kAdd[static_cast<int>(value->kind())](*this, *value);
}

absl::StatusOr<std::vector<int>> RecipeBuilder::AddAll(const std::vector<Value*>& values) {
  std::vector<int> steps;
  for (Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(int step, Add(value));
    steps.push_back(step);
  }
  return steps;
}

absl::Status RecipeBuilder::AddLocal(int index, Value* value) {
  int step = Recipe::kUnbound;
  if (value != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(step, Add(value));
  }
  result_.recipe.locals.push_back({index, step});
  return absl::OkStatus();
}

absl::Status RecipeBuilder::AddDeadLocal(int index, Value* value) {
  return AddLocal(index, value != nullptr && IsFree(*value) ? value : nullptr);
}

bool RecipeBuilder::IsFree(Value& value) const {
  return made_.contains(&value) || value.source() != nullptr ||
         value.kind() == ValueKind::kConstant || value.kind() == ValueKind::kNumber;
}

// A for loop's own iterator: the program cannot see what type it has. One over a list must see what
// becomes of the list.
absl::StatusOr<int> RecipeBuilder::AddLoopIterator(const IteratorValue& iterator) {
  if (iterator.list != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const int list, Add(iterator.list));
    return Emit(RecipeOp::kListIterator, static_cast<int>(iterator.next), {list});
  }
  const std::vector<Value*> rest(iterator.fixed.begin() + iterator.next, iterator.fixed.end());
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, AddAll(rest));
  return Emit(RecipeOp::kIterator, 0, std::move(items));
}

absl::Status RecipeBuilder::AddStack(Value* value) {
  int step;
  if (auto* iterator = As<IteratorValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(step, AddLoopIterator(*iterator));
  } else if (As<NullValue>(value) != nullptr) {
    step = Emit(RecipeOp::kNull);
  } else {
    DYNACC_ASSIGN_OR_RETURN(step, Add(value));
  }
  result_.recipe.stack.push_back(step);
  return absl::OkStatus();
}

absl::Status RecipeBuilder::AddEffect(EffectOp op, Value* target, const std::vector<Value*>& others,
                                      int a) {
  DYNACC_ASSIGN_OR_RETURN(const int object, Add(target));
  DYNACC_ASSIGN_OR_RETURN(std::vector<int> items, AddAll(others));
  items.insert(items.begin(), object);
  result_.recipe.effects.push_back({op, std::move(items), a});
  return absl::OkStatus();
}

int RecipeBuilder::AddConstant(BorrowedRef object) {
  result_.recipe.constants.push_back(Ref::New(object));
  return Emit(RecipeOp::kConstant, static_cast<int>(result_.recipe.constants.size()) - 1);
}

int RecipeBuilder::AddSet(BorrowedRef set) {
  std::vector<int> parts = {AddConstant(ShapeOfSet(set).get())};
  for (BorrowedRef member : MembersOfSet(set)) parts.push_back(AddConstant(member));
  return Emit(RecipeOp::kSet, 0, std::move(parts));
}

int RecipeBuilder::AddLoad(const Source* source) {
  result_.recipe.loads.push_back(source);
  return Emit(RecipeOp::kLoad, static_cast<int>(result_.recipe.loads.size()) - 1);
}

int RecipeBuilder::AddOutput(const TensorValue& tensor) {
  const int index = trace_.graph().AddOutput(tensor.node);
  result_.output_is_scalar.push_back(tensor.is_scalar);
  result_.output_is_native.push_back(tensor.is_native);
  return Emit(RecipeOp::kOutput, index);
}

absl::StatusOr<int> RecipeBuilder::AddView(TensorValue& tensor) {
  const Node* node = tensor.node;
  const Node* base = tensor.view_of->node;
  ViewSpec spec;
  spec.is_native = tensor.is_native;
  spec.shape.assign(node->shape.begin(), node->shape.end());
  if (node == base) {  // the same elements under the same axes: a plain alias
    for (int d = 0; d < node->rank(); ++d) {
      spec.axis.push_back(d);
      spec.start.push_back(trace_.graph().scalars().Int(0));
      spec.step.push_back(trace_.graph().scalars().Int(1));
    }
  } else if (node->operands.size() != 1 || node->operands[0] != base) {
    return GraphBreak("a view that cannot be made again");
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
    return GraphBreak("a view that cannot be made again");
  }
  DYNACC_ASSIGN_OR_RETURN(int made, Add(tensor.view_of));
  result_.recipe.views.push_back(std::move(spec));
  return Emit(RecipeOp::kView, static_cast<int>(result_.recipe.views.size()) - 1, {made});
}

absl::StatusOr<int> RecipeBuilder::AddNumber(const NumberValue& number) {
  constexpr RecipeOp kOps[] = {RecipeOp::kInt, RecipeOp::kFloat, RecipeOp::kBool};
  return Emit(kOps[static_cast<int>(number.type)], number.id);
}

}  // namespace dynacc
