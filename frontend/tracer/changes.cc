// What a segment changes of the objects that exist: noted while tracing, effects at its end.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/finalizer.h"
#include "frontend/tracer/frame_state_builder.h"
#include "frontend/tracer/references.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

bool SameItem(const Value* a, const Value* b) {
  return a == b || (a->source() != nullptr && a->source() == b->source());
}

// The type of the real object behind a value of a kind that can change.
PyTypeObject* RealType(const Value& value) {
  // Also the entries of an instance of a subclass of dict.
  if (value.kind() == ValueKind::kDict) {
    return Py_TYPE(static_cast<const DictValue&>(value).object.get());
  }
  for (const auto& [kind, type] : {std::pair{ValueKind::kList, &PyList_Type},
                                   {ValueKind::kSet, &PySet_Type},
                                   {ValueKind::kCell, &PyCell_Type}}) {
    if (kind == value.kind()) return type;
  }
  if (value.kind() == ValueKind::kDeque) return DequeType();
  if (value.kind() == ValueKind::kFunction) return &PyFunction_Type;
  if (value.kind() == ValueKind::kLazyIterator) {
    return Py_TYPE(static_cast<const LazyIteratorValue&>(value).object.get());
  }
  return Py_TYPE(static_cast<const ObjectValue&>(value).object.get());
}

bool HasDict(PyTypeObject* type) {
  return type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT);
}

const Source* DictSource(SourceTable& sources, const Value& object) {
  return sources.Intern(SourceKind::kInstanceDict, object.source());
}

absl::Status AddListEffects(FrameStateBuilder& builder, Value& value) {
  auto& list = static_cast<ListValue&>(value);
  for (const auto& [place, item] : list.stores) {
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(EffectOp::kSetListItemAt, &list, {place, item}));
  }
  if (list.items.size() < list.original.size()) {
    return builder.AddEffect(EffectOp::kAssignList, &list, list.items);
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i >= list.original.size()) {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(EffectOp::kAppendToList, &list, {list.items[i]}));
    } else if (!SameItem(list.items[i], list.original[i])) {
      DYNACC_RETURN_IF_ERROR(
          builder.AddEffect(EffectOp::kSetListItem, &list, {list.items[i]}, static_cast<int>(i)));
    }
  }
  return absl::OkStatus();
}

// The items from `place` on that stand in `deque.original` in a row, from `start` on.
struct KeptRun {
  size_t place = 0, start = 0, length = 0;
};

KeptRun FindKept(const DequeValue& deque) {
  const auto& items = deque.items;
  const auto& original = deque.original;
  for (size_t place = 0; place < items.size(); ++place) {
    for (size_t start = 0; start < original.size(); ++start) {
      size_t length = 0;
      while (place + length < items.size() && start + length < original.size() &&
             SameItem(items[place + length], original[start + length])) {
        ++length;
      }
      if (length > 0) return {place, start, length};
    }
  }
  return {0, original.size(), 0};
}

absl::Status AddDequeAppends(FrameStateBuilder& builder, DequeValue& deque, size_t first) {
  for (size_t i = first; i < deque.items.size(); ++i) {
    const int before = deque.open ? static_cast<int>(i) : -1;
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(EffectOp::kAppendToDeque, &deque, {deque.items[i]}, before));
  }
  return absl::OkStatus();
}

absl::Status AddDequeEffects(FrameStateBuilder& builder, Value& value) {
  auto& deque = static_cast<DequeValue&>(value);
  if (deque.open) return AddDequeAppends(builder, deque, 0);
  const KeptRun kept = FindKept(deque);
  const size_t from_right = deque.original.size() - kept.start - kept.length;
  for (const int count : {static_cast<int>(kept.start), -static_cast<int>(from_right)}) {
    if (count == 0) continue;
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(EffectOp::kDropFromDeque, &deque, {}, count));
  }
  for (size_t i = kept.place; i > 0; --i) {
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(EffectOp::kPrependToDeque, &deque, {deque.items[i - 1]}));
  }
  return AddDequeAppends(builder, deque, kept.place + kept.length);
}

absl::Status AddOverlay(FrameStateBuilder& builder, Value* target, const Overlay& overlay,
                        EffectOp store, EffectOp remove) {
  for (const Overlay::Write& write : overlay.writes()) {
    Value* key = builder.trace().New<ConstantValue>(write.key);
    if (write.value != nullptr) {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(store, target, {key, write.value}));
    } else {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(remove, target, {key}));
    }
  }
  return absl::OkStatus();
}

absl::Status AddDictEffects(FrameStateBuilder& builder, Value& value) {
  return AddOverlay(builder, &value, static_cast<DictValue&>(value).written, EffectOp::kSetDictItem,
                    EffectOp::kDeleteDictItem);
}

absl::Status AddSetEffects(FrameStateBuilder& builder, Value& value) {
  auto& set = static_cast<SetValue&>(value);
  if (!set.open()) {
    return builder.AddEffect(EffectOp::kAssignSet, &set, {builder.trace().New<SetValue>(set.now)});
  }
  for (const SetValue::Change& change : set.changes) {
    Value* constant = builder.trace().New<ConstantValue>(change.member);
    const EffectOp op = change.is_added ? EffectOp::kAddToSet : EffectOp::kDiscardFromSet;
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(op, &value, {constant}));
  }
  return absl::OkStatus();
}

absl::Status AddCellEffects(FrameStateBuilder& builder, Value& value) {
  auto& cell = static_cast<CellValue&>(value);
  if (cell.content == cell.original) return absl::OkStatus();
  if (cell.content == nullptr) return builder.AddEffect(EffectOp::kSetCell, &cell, {});
  return builder.AddEffect(EffectOp::kSetCell, &cell, {cell.content});
}

absl::Status AddObjectEffects(FrameStateBuilder& builder, Value& value) {
  return AddOverlay(builder, &value, static_cast<ObjectValue&>(value).attributes,
                    EffectOp::kSetAttribute, EffectOp::kDeleteAttribute);
}

absl::Status AddFunctionEffects(FrameStateBuilder& builder, Value& value) {
  return AddOverlay(builder, &value, static_cast<FunctionValue&>(value).attributes,
                    EffectOp::kSetAttribute, EffectOp::kDeleteAttribute);
}

absl::Status AddIteratorEffects(FrameStateBuilder& builder, Value& value) {
  return builder.AddEffect(EffectOp::kAdvanceIterator, &value, {},
                           static_cast<LazyIteratorValue&>(value).taken);
}

struct ChangeRow {
  ValueKind kind;
  absl::Status (*add)(FrameStateBuilder& builder, Value& value);
};

constexpr ChangeRow kChanges[] = {
    {ValueKind::kList, AddListEffects},         {ValueKind::kDict, AddDictEffects},
    {ValueKind::kSet, AddSetEffects},           {ValueKind::kCell, AddCellEffects},
    {ValueKind::kObject, AddObjectEffects},     {ValueKind::kDeque, AddDequeEffects},
    {ValueKind::kFunction, AddFunctionEffects}, {ValueKind::kLazyIterator, AddIteratorEffects},
};

// Whether more than the object itself may die with it.
bool MayHoldParts(const Value& value) {
  return value.kind() != ValueKind::kTensor && value.kind() != ValueKind::kNumber &&
         value.kind() != ValueKind::kConstant;
}

}  // namespace

Value* Tracer::Unify(BorrowedRef object, Value* value) {
  auto [known, fresh] = existing_.try_emplace(object, value);
  if (!fresh) trace_.RequireIdentity(known->second->source(), value->source(), true);
  return known->second;
}

absl::Status Tracer::LetGo(const Source* source, BorrowedRef object) {
  if (object != nullptr && !DiesQuietly(object)) {
    return GraphBreak("an object whose end runs code loses a name");
  }
  // What is known to be a number, an array or the like needs no guard.
  const auto found = lazy_.find(source);
  const auto known = found == lazy_.end() ? materialized_.end() : materialized_.find(found->second);
  if (known == materialized_.end() || MayHoldParts(*known->second)) {
    trace_.AddGuard(GuardKind::kDiesQuietly, source);
  }
  return absl::OkStatus();
}

absl::Status Tracer::LetGoOfLocal(int index) {
  if (!outermost() || changed_locals_[index]) return absl::OkStatus();
  BorrowedRef object = root_.roots.localsplus[index];
  // At a function's start only its parameters have values.
  const PyCodeObject* code = frame().raw_code();
  const bool at_start = root_.offset <= code->_co_firsttraceable * 2 && root_.stack_depth == 0;
  if (object == nullptr && at_start) return absl::OkStatus();
  BorrowedRef name = PyTuple_GET_ITEM(code->co_localsplusnames, index);
  return LetGo(sources().Intern(SourceKind::kLocal, nullptr, index, name), object);
}

std::vector<Value*> Tracer::Roots() const {
  std::vector<Value*> roots = changed_;
  const auto add = [&roots](Value* value) {
    if (value != nullptr) roots.push_back(value);
  };
  for (const auto& frame : frames_) VisitReferences(*frame, add);
  for (const auto& [dict, globals] : globals_) {
    for (const Overlay::Write& write : globals->written.writes()) add(write.value);
  }
  for (const auto& [cls, written] : class_writes_) {
    for (const Overlay::Write& write : written->writes()) add(write.value);
  }
  for (const auto& [cache, args] : cached_calls_) absl::c_for_each(args, add);
  add(raised_);
  add(handled_);
  return roots;
}

void Tracer::NoteChange(Value* value) {
  if (value->source() == nullptr) return;  // made inside: nobody else has it
  if (!IsChanged(value)) changed_.push_back(value);
}

bool Tracer::IsChanged(const Value* value) const {
  return std::find(changed_.begin(), changed_.end(), value) != changed_.end();
}

Overlay& Tracer::GlobalsOverlay(BorrowedRef dict, const Source* source) {
  Globals* found = nullptr;
  for (auto& [object, globals] : globals_) {
    if (object == dict) found = globals.get();
  }
  if (found == nullptr) {
    found = globals_.emplace_back(dict, std::make_unique<Globals>()).second.get();
  }
  if (std::find(found->sources.begin(), found->sources.end(), source) == found->sources.end()) {
    found->sources.push_back(source);
  }
  return found->written;
}

Overlay& Tracer::ClassOverlay(ConstantValue* cls) {
  for (auto& [known, written] : class_writes_) {
    if (known->object.get() == cls->object.get()) return *written;
  }
  return *class_writes_.emplace_back(cls, std::make_unique<Overlay>()).second;
}

Value* Tracer::WrittenInClass(PyTypeObject* type, BorrowedRef name) const {
  if (class_writes_.empty() || type->tp_mro == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    BorrowedRef base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (DictGetStr(reinterpret_cast<PyTypeObject*>(base)->tp_dict, name) == nullptr) continue;
    for (const auto& [cls, written] : class_writes_) {
      if (cls->object.get() != base) continue;
      const Overlay::Write* write = written->Find(name);
      return write == nullptr ? nullptr : write->value;
    }
    return nullptr;
  }
  return nullptr;
}

// Objects of two types are two.
void Tracer::RequireDistinct(const Value& changed) {
  for (const auto& [object, other] : existing_) {
    auto* owner = As<ObjectValue>(other);
    if (owner != nullptr && owner->part == &changed) continue;
    if (other != &changed && RealType(*other) == RealType(changed)) {
      trace_.RequireIdentity(changed.source(), other->source(), false);
    }
  }
}

// A dict of the program's may be where attributes or globals live: what one of the two names shows
// would then be a change made by the other.
absl::Status Tracer::RequireApart(const Source* a, const Source* b) {
  const SourceRoots& roots = root_.roots;
  BorrowedRef object = ResolveSource(*a, roots);
  if (object != nullptr && object == ResolveSource(*b, roots)) {
    return GraphBreak("a dict that is also the namespace of an object");
  }
  trace_.RequireIdentity(a, b, false);
  return absl::OkStatus();
}

// `changed`: what changes in the dict `space`.
absl::Status Tracer::RequireApartFromNamespaces(const Value* changed, const Source* space) {
  for (const auto& [object, other] : existing_) {
    if (other == changed || other->source() == nullptr) continue;
    if (As<DictValue>(other)) {
      if (changed != nullptr && changed->kind() == ValueKind::kDict) continue;  // RequireDistinct
      DYNACC_RETURN_IF_ERROR(RequireApart(space, other->source()));
    } else if (As<ObjectValue>(other) && HasDict(RealType(*other))) {
      DYNACC_RETURN_IF_ERROR(RequireApart(space, DictSource(sources(), *other)));
    }
  }
  return absl::OkStatus();
}

absl::Status Tracer::AddGlobalsEffects(FrameStateBuilder& builder) {
  for (const auto& [dict, globals] : globals_) {
    if (globals->written.empty()) continue;
    DYNACC_RETURN_IF_ERROR(RequireApartFromNamespaces(nullptr, globals->sources.front()));
    for (const auto& [other_dict, other] : globals_) {
      for (const Source* source : other->sources) {
        trace_.RequireIdentity(globals->sources.front(), source, dict == other_dict);
      }
    }
    auto* target = trace_.New<ObjectValue>(Ref::New(dict), globals->sources.front());
    DYNACC_RETURN_IF_ERROR(AddOverlay(builder, target, globals->written, EffectOp::kSetDictItem,
                                      EffectOp::kDeleteDictItem));
  }
  return absl::OkStatus();
}

absl::Status Tracer::AddCachedCalls(FrameStateBuilder& builder) {
  for (const auto& [cache, args] : cached_calls_) {
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(EffectOp::kCallCached, cache, args));
  }
  return absl::OkStatus();
}

absl::Status Tracer::AddClassEffects(FrameStateBuilder& builder) {
  for (const auto& [cls, written] : class_writes_) {
    DYNACC_RETURN_IF_ERROR(AddOverlay(builder, cls, *written, EffectOp::kSetClassAttribute,
                                      EffectOp::kDeleteAttribute));
  }
  return absl::OkStatus();
}

absl::Status Tracer::RequireOwnNamespace(const Value& changed) {
  const bool is_dict = changed.kind() == ValueKind::kDict;
  const bool has_own =
      changed.kind() == ValueKind::kObject || changed.kind() == ValueKind::kFunction;
  if (!is_dict && (!has_own || !HasDict(RealType(changed)))) {
    return absl::OkStatus();
  }
  const Source* space = is_dict ? changed.source() : DictSource(sources(), changed);
  for (const auto& [dict, globals] : globals_) {
    for (const Source* source : globals->sources) {
      DYNACC_RETURN_IF_ERROR(RequireApart(space, source));
    }
  }
  return RequireApartFromNamespaces(&changed, space);
}

absl::Status Tracer::AddEffects(FrameStateBuilder& builder) {
  for (Value* value : changed_) {
    RequireDistinct(*value);
    DYNACC_RETURN_IF_ERROR(RequireOwnNamespace(*value));
    for (const ChangeRow& row : kChanges) {
      if (row.kind == value->kind()) DYNACC_RETURN_IF_ERROR(row.add(builder, *value));
    }
  }
  DYNACC_RETURN_IF_ERROR(AddGlobalsEffects(builder));
  DYNACC_RETURN_IF_ERROR(AddClassEffects(builder));
  DYNACC_RETURN_IF_ERROR(AddCachedCalls(builder));
  return AddErrorState(builder);
}

absl::Status Tracer::AddErrorState(FrameStateBuilder& builder) {
  const auto& state = trace_.error_state();
  if (!state || state->now == state->at_start) return absl::OkStatus();
  return builder.AddEffect(EffectOp::kSetErrorMask, Constant(state->getter.get()),
                           {Constant(state->setter.get())}, state->now);
}

}  // namespace dynacc
