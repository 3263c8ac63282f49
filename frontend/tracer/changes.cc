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

namespace dynacc::tracer {
namespace {

bool SameItem(const symbolic::Value* a, const symbolic::Value* b) {
  return a == b || (a->source() != nullptr && a->source() == b->source());
}

// The type of the real object behind a value of a kind that can change.
PyTypeObject* RealType(const symbolic::Value& value) {
  // Also the entries of an instance of a subclass of dict.
  if (value.kind() == symbolic::ValueKind::kDict) {
    return Py_TYPE(static_cast<const symbolic::DictValue&>(value).object.get());
  }
  for (const auto& [kind, type] : {std::pair{symbolic::ValueKind::kList, &PyList_Type},
                                   {symbolic::ValueKind::kSet, &PySet_Type},
                                   {symbolic::ValueKind::kCell, &PyCell_Type}}) {
    if (kind == value.kind()) return type;
  }
  if (value.kind() == symbolic::ValueKind::kDeque) return DequeType();
  if (value.kind() == symbolic::ValueKind::kFunction) return &PyFunction_Type;
  if (value.kind() == symbolic::ValueKind::kLazyIterator) {
    return Py_TYPE(static_cast<const symbolic::LazyIteratorValue&>(value).object.get());
  }
  return Py_TYPE(static_cast<const symbolic::ObjectValue&>(value).object.get());
}

bool HasDict(PyTypeObject* type) {
  return type->tp_dictoffset != 0 || PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT);
}

const sources::Source* DictSource(sources::SourceTable& sources, const symbolic::Value& object) {
  return sources.Intern(sources::SourceKind::kInstanceDict, object.source());
}

absl::Status AddListEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& list = static_cast<symbolic::ListValue&>(value);
  for (const auto& [place, item] : list.stores) {
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(frame_state::EffectOp::kSetListItemAt, &list, {place, item}));
  }
  if (list.items.size() < list.original.size()) {
    return builder.AddEffect(frame_state::EffectOp::kAssignList, &list, list.items);
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i >= list.original.size()) {
      DYNACC_RETURN_IF_ERROR(
          builder.AddEffect(frame_state::EffectOp::kAppendToList, &list, {list.items[i]}));
    } else if (!SameItem(list.items[i], list.original[i])) {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(frame_state::EffectOp::kSetListItem, &list,
                                               {list.items[i]}, static_cast<int>(i)));
    }
  }
  return absl::OkStatus();
}

// The items from `place` on that stand in `deque.original` in a row, from `start` on.
struct KeptRun {
  size_t place = 0, start = 0, length = 0;
};

KeptRun FindKept(const symbolic::DequeValue& deque) {
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

absl::Status AddDequeAppends(FrameStateBuilder& builder, symbolic::DequeValue& deque,
                             size_t first) {
  for (size_t i = first; i < deque.items.size(); ++i) {
    const int before = deque.open ? static_cast<int>(i) : -1;
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(frame_state::EffectOp::kAppendToDeque, &deque, {deque.items[i]}, before));
  }
  return absl::OkStatus();
}

// Of a deque in which items have others in their places, and nothing else has changed.
absl::Status AddDequeItems(FrameStateBuilder& builder, symbolic::DequeValue& deque) {
  for (size_t i = 0; i < deque.items.size(); ++i) {
    if (SameItem(deque.items[i], deque.original[i])) continue;
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(frame_state::EffectOp::kSetDequeItem, &deque,
                                             {deque.items[i]}, static_cast<int>(i)));
  }
  return absl::OkStatus();
}

absl::Status AddDequeEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& deque = static_cast<symbolic::DequeValue&>(value);
  if (deque.open) return AddDequeAppends(builder, deque, 0);
  if (deque.changes == 0) return AddDequeItems(builder, deque);
  const KeptRun kept = FindKept(deque);
  if (kept.length == deque.items.size() && kept.length == deque.original.size()) {
    return builder.AddEffect(frame_state::EffectOp::kEndDequeIterators, &deque, {});
  }
  const size_t from_right = deque.original.size() - kept.start - kept.length;
  for (const int count : {static_cast<int>(kept.start), -static_cast<int>(from_right)}) {
    if (count == 0) continue;
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(frame_state::EffectOp::kDropFromDeque, &deque, {}, count));
  }
  for (size_t i = kept.place; i > 0; --i) {
    DYNACC_RETURN_IF_ERROR(
        builder.AddEffect(frame_state::EffectOp::kPrependToDeque, &deque, {deque.items[i - 1]}));
  }
  return AddDequeAppends(builder, deque, kept.place + kept.length);
}

absl::Status AddOverlay(FrameStateBuilder& builder, symbolic::Value* target,
                        const symbolic::Overlay& overlay, frame_state::EffectOp store,
                        frame_state::EffectOp remove) {
  for (const symbolic::Overlay::Write& write : overlay.writes()) {
    symbolic::Value* key = store == frame_state::EffectOp::kSetDictItem
                               ? builder.trace().KeyValue(write.key.get())
                               : builder.trace().New<symbolic::ConstantValue>(write.key);
    if (write.value != nullptr) {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(store, target, {key, write.value}));
    } else {
      DYNACC_RETURN_IF_ERROR(builder.AddEffect(remove, target, {key}));
    }
  }
  return absl::OkStatus();
}

absl::Status AddDictEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  return AddOverlay(builder, &value, static_cast<symbolic::DictValue&>(value).written,
                    frame_state::EffectOp::kSetDictItem, frame_state::EffectOp::kDeleteDictItem);
}

absl::Status AddSetEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& set = static_cast<symbolic::SetValue&>(value);
  if (!set.open()) {
    return builder.AddEffect(frame_state::EffectOp::kAssignSet, &set,
                             {builder.trace().New<symbolic::SetValue>(set.now)});
  }
  for (const symbolic::SetValue::Change& change : set.changes) {
    symbolic::Value* constant = builder.trace().KeyValue(change.member.get());
    const frame_state::EffectOp op =
        change.is_added ? frame_state::EffectOp::kAddToSet : frame_state::EffectOp::kDiscardFromSet;
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(op, &value, {constant}));
  }
  return absl::OkStatus();
}

absl::Status AddCellEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  auto& cell = static_cast<symbolic::CellValue&>(value);
  if (cell.content == cell.original) return absl::OkStatus();
  if (cell.content == nullptr) return builder.AddEffect(frame_state::EffectOp::kSetCell, &cell, {});
  return builder.AddEffect(frame_state::EffectOp::kSetCell, &cell, {cell.content});
}

absl::Status AddObjectEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  return AddOverlay(builder, &value, static_cast<symbolic::ObjectValue&>(value).attributes,
                    frame_state::EffectOp::kSetAttribute, frame_state::EffectOp::kDeleteAttribute);
}

absl::Status AddFunctionEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  return AddOverlay(builder, &value, static_cast<symbolic::FunctionValue&>(value).attributes,
                    frame_state::EffectOp::kSetAttribute, frame_state::EffectOp::kDeleteAttribute);
}

absl::Status AddIteratorEffects(FrameStateBuilder& builder, symbolic::Value& value) {
  return builder.AddEffect(frame_state::EffectOp::kAdvanceIterator, &value, {},
                           static_cast<symbolic::LazyIteratorValue&>(value).taken);
}

struct ChangeRow {
  symbolic::ValueKind kind;
  absl::Status (*add)(FrameStateBuilder& builder, symbolic::Value& value);
};

constexpr ChangeRow kChanges[] = {
    {symbolic::ValueKind::kList, AddListEffects},
    {symbolic::ValueKind::kDict, AddDictEffects},
    {symbolic::ValueKind::kSet, AddSetEffects},
    {symbolic::ValueKind::kCell, AddCellEffects},
    {symbolic::ValueKind::kObject, AddObjectEffects},
    {symbolic::ValueKind::kDeque, AddDequeEffects},
    {symbolic::ValueKind::kFunction, AddFunctionEffects},
    {symbolic::ValueKind::kLazyIterator, AddIteratorEffects},
};

// Whether more than the object itself may die with it.
bool MayHoldParts(const symbolic::Value& value) {
  return value.kind() != symbolic::ValueKind::kTensor &&
         value.kind() != symbolic::ValueKind::kNumber &&
         value.kind() != symbolic::ValueKind::kConstant;
}

}  // namespace

symbolic::Value* Tracer::Unify(BorrowedRef object, symbolic::Value* value) {
  auto [known, fresh] = existing_.try_emplace(object, value);
  if (!fresh) trace_.RequireIdentity(known->second->source(), value->source(), true);
  return known->second;
}

absl::Status Tracer::LetGo(const sources::Source* source, BorrowedRef object) {
  if (object != nullptr && !DiesQuietly(object)) {
    return symbolic::GraphBreak("an object whose end runs code loses a name");
  }
  // What is known to be a number, an array or the like needs no guard.
  const auto found = lazy_.find(source);
  const auto known = found == lazy_.end() ? materialized_.end() : materialized_.find(found->second);
  if (known == materialized_.end() || MayHoldParts(*known->second)) {
    trace_.AddGuard(guards::GuardKind::kDiesQuietly, source);
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
  return LetGo(sources().Intern(sources::SourceKind::kLocal, nullptr, index, name), object);
}

std::vector<symbolic::Value*> Tracer::Roots() const {
  std::vector<symbolic::Value*> roots = changed_;
  const auto add = [&roots](symbolic::Value* value) {
    if (value != nullptr) roots.push_back(value);
  };
  for (const auto& frame : frames_) VisitReferences(*frame, add);
  for (const auto& [dict, globals] : globals_) {
    for (const symbolic::Overlay::Write& write : globals->written.writes()) add(write.value);
  }
  for (const auto& [cls, written] : class_writes_) {
    for (const symbolic::Overlay::Write& write : written->writes()) add(write.value);
  }
  for (const auto& [cache, args] : cached_calls_) absl::c_for_each(args, add);
  add(raised_);
  add(handled_);
  return roots;
}

void Tracer::NoteChange(symbolic::Value* value) {
  trace_.NoteChangeOf(value);
  if (value->source() == nullptr) return;  // made inside: nobody else has it
  if (!IsChanged(value)) changed_.push_back(value);
}

bool Tracer::IsChanged(const symbolic::Value* value) const {
  return std::find(changed_.begin(), changed_.end(), value) != changed_.end();
}

symbolic::Overlay& Tracer::GlobalsOverlay(BorrowedRef dict, const sources::Source* source) {
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

symbolic::Overlay& Tracer::ClassOverlay(symbolic::ConstantValue* cls) {
  for (auto& [known, written] : class_writes_) {
    if (known->object.get() == cls->object.get()) return *written;
  }
  return *class_writes_.emplace_back(cls, std::make_unique<symbolic::Overlay>()).second;
}

symbolic::Value* Tracer::WrittenInClass(PyTypeObject* type, BorrowedRef name) const {
  if (class_writes_.empty() || type->tp_mro == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
    BorrowedRef base = PyTuple_GET_ITEM(type->tp_mro, i);
    if (DictGetStr(NamespaceOf(reinterpret_cast<PyTypeObject*>(base)), name) == nullptr) continue;
    for (const auto& [cls, written] : class_writes_) {
      if (cls->object.get() != base) continue;
      const symbolic::Overlay::Write* write = written->Find(name);
      return write == nullptr ? nullptr : write->value;
    }
    return nullptr;
  }
  return nullptr;
}

// Objects of two types are two.
void Tracer::RequireDistinct(const symbolic::Value& changed) {
  for (const auto& [object, other] : existing_) {
    auto* owner = symbolic::As<symbolic::ObjectValue>(other);
    if (owner != nullptr && owner->part == &changed) continue;
    if (other != &changed && RealType(*other) == RealType(changed)) {
      trace_.RequireIdentity(changed.source(), other->source(), false);
    }
  }
}

// A dict of the program's may be where attributes or globals live: what one of the two names shows
// would then be a change made by the other.
absl::Status Tracer::RequireApart(const sources::Source* a, const sources::Source* b) {
  const sources::SourceRoots& roots = root_.roots;
  BorrowedRef object = sources::ResolveSource(*a, roots);
  if (object != nullptr && object == sources::ResolveSource(*b, roots)) {
    return symbolic::GraphBreak("a dict that is also the namespace of an object");
  }
  trace_.RequireIdentity(a, b, false);
  return absl::OkStatus();
}

// `changed`: what changes in the dict `space`.
absl::Status Tracer::RequireApartFromNamespaces(const symbolic::Value* changed,
                                                const sources::Source* space) {
  for (const auto& [object, other] : existing_) {
    if (other == changed || other->source() == nullptr) continue;
    if (symbolic::As<symbolic::DictValue>(other)) {
      if (changed != nullptr && changed->kind() == symbolic::ValueKind::kDict)
        continue;  // RequireDistinct
      DYNACC_RETURN_IF_ERROR(RequireApart(space, other->source()));
    } else if (symbolic::As<symbolic::ObjectValue>(other) && HasDict(RealType(*other))) {
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
      for (const sources::Source* source : other->sources) {
        trace_.RequireIdentity(globals->sources.front(), source, dict == other_dict);
      }
    }
    auto* target = trace_.New<symbolic::ObjectValue>(Ref::New(dict), globals->sources.front());
    DYNACC_RETURN_IF_ERROR(AddOverlay(builder, target, globals->written,
                                      frame_state::EffectOp::kSetDictItem,
                                      frame_state::EffectOp::kDeleteDictItem));
  }
  return absl::OkStatus();
}

absl::Status Tracer::AddCachedCalls(FrameStateBuilder& builder) {
  for (const auto& [cache, args] : cached_calls_) {
    DYNACC_RETURN_IF_ERROR(builder.AddEffect(frame_state::EffectOp::kCallCached, cache, args));
  }
  return absl::OkStatus();
}

absl::Status Tracer::AddClassEffects(FrameStateBuilder& builder) {
  for (const auto& [cls, written] : class_writes_) {
    DYNACC_RETURN_IF_ERROR(AddOverlay(builder, cls, *written,
                                      frame_state::EffectOp::kSetClassAttribute,
                                      frame_state::EffectOp::kDeleteAttribute));
  }
  return absl::OkStatus();
}

absl::Status Tracer::RequireOwnNamespace(const symbolic::Value& changed) {
  const bool is_dict = changed.kind() == symbolic::ValueKind::kDict;
  const bool has_own = changed.kind() == symbolic::ValueKind::kObject ||
                       changed.kind() == symbolic::ValueKind::kFunction;
  if (!is_dict && (!has_own || !HasDict(RealType(changed)))) {
    return absl::OkStatus();
  }
  const sources::Source* space = is_dict ? changed.source() : DictSource(sources(), changed);
  for (const auto& [dict, globals] : globals_) {
    for (const sources::Source* source : globals->sources) {
      DYNACC_RETURN_IF_ERROR(RequireApart(space, source));
    }
  }
  return RequireApartFromNamespaces(&changed, space);
}

absl::Status Tracer::AddEffects(FrameStateBuilder& builder) {
  for (symbolic::Value* value : changed_) {
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
  return builder.AddEffect(frame_state::EffectOp::kSetErrorMask, Constant(state->getter.get()),
                           {Constant(state->setter.get())}, state->now);
}

}  // namespace dynacc::tracer
