#include "frontend/tracer/sets.h"

#include <optional>

#include "absl/algorithm/container.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/cpython/private_api.h"
#include "frontend/cpython/set_table.h"
#include "frontend/symbolic/binary_operator.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// Guards look at each member at each call; and a set of many is likely to be one that grows, which
// would be another one at each call.
constexpr Py_ssize_t kMaxMembers = 32;

constexpr absl::string_view kChanges = "a set that changes during iteration";

// Whether guards can tell the members of an existing set.
absl::Status RequireKnowable(BorrowedRef set) {
  if (PySet_GET_SIZE(set) > kMaxMembers) return symbolic::GraphBreak("the members of such a set");
  for (BorrowedRef member : MembersOfSet(set)) {
    const symbolic::ConstantValue constant(Ref::New(member));
    if (!IsPlainConstantValue(&constant) || HasNan(member)) {
      return symbolic::GraphBreak("a set with members of other types");
    }
  }
  return absl::OkStatus();
}

// Of an open set, as it is before the segment: guarded.
absl::StatusOr<std::vector<BorrowedRef>> KnownMembers(Tracer& tracer,
                                                      const symbolic::SetValue& set) {
  DYNACC_RETURN_IF_ERROR(RequireKnowable(set.object.get()));
  const std::vector<BorrowedRef> members = MembersOfSet(set.object.get());
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(members.size())));
  for (size_t i = 0; i < members.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(members[i]));
  }
  tracer.trace().AddGuard(guards::GuardKind::kDictKeys, set.source(), tuple.get());
  return members;
}

void Replay(const std::vector<symbolic::SetValue::Change>& changes, BorrowedRef set) {
  for (const auto& [member, is_added] : changes) {
    is_added ? PySet_Add(set, member.get()) : PySet_Discard(set, member.get());
  }
}

// As setiter_iternext of Objects/setobject.c: through the table as it is at each step.
absl::StatusOr<symbolic::Value*> NextMember(Tracer& tracer, BorrowedRef set, Py_ssize_t used,
                                            Py_ssize_t* place) {
  if (PySet_GET_SIZE(set) != used) return symbolic::RaisingBreak(kChanges);
  PyObject* member;
  Py_hash_t hash;
  return _PySet_NextEntry(set, place, &member, &hash) ? tracer.trace().KeyValue(member) : nullptr;
}

absl::StatusOr<symbolic::Value*> IterateOpen(Tracer& tracer, symbolic::SetValue* set) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<BorrowedRef> members, KnownMembers(tracer, *set));
  std::vector<symbolic::Value*> items;
  for (BorrowedRef member : members) items.push_back(tracer.Constant(member));
  auto next = [set, items, at = size_t{0}]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (!set->open() || !set->changes.empty()) return symbolic::GraphBreak(kChanges);
    return at < items.size() ? items[at++] : nullptr;
  };
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

// A dict with such keys, from which sets take them and their number.
absl::StatusOr<Ref> KeysOf(Tracer& tracer, symbolic::DictValue* dict) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  Ref keys = Ref::Steal(PyDict_New());
  for (const auto& [key, item] : dict->items) PyDict_SetItem(keys.get(), key.get(), Py_None);
  return keys;
}

// Whether sets have the operator.
bool IsOfSets(int nb_op) {
  constexpr int kOperators[] = {NB_OR, NB_AND, NB_SUBTRACT, NB_XOR};
  return absl::c_linear_search(kOperators, nb_op % NB_INPLACE_ADD);
}

absl::Status ChangeMember(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member,
                          bool adds) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, member));
  tracer.NoteChange(set);
  if (set->open()) {
    set->changes.push_back({Ref::New(key), adds});
  } else if (adds) {
    PySet_Add(set->now.get(), key);
  } else {
    PySet_Discard(set->now.get(), key);
  }
  return absl::OkStatus();
}

}  // namespace

symbolic::SetValue* NewSet(Tracer& tracer) {
  return tracer.trace().New<symbolic::SetValue>(Ref::Steal(PySet_New(nullptr)));
}

absl::StatusOr<BorrowedRef> TableOf(Tracer& tracer, symbolic::SetValue* set) {
  if (!set->open()) return set->now.get();
  DYNACC_RETURN_IF_ERROR(RequireKnowable(set->object.get()));
  const Ref captured = CopyOfSet(set->object.get());
  Ref now = CopyOfSet(set->object.get());
  if (!captured || !now) return tracer.RaiseCurrent("a set that cannot be copied");
  tracer.trace().AddGuard(guards::GuardKind::kSetTable, set->source(), captured.get());
  Replay(set->changes, now.get());
  set->changes.clear();
  set->now = std::move(now);
  return set->now.get();
}

absl::StatusOr<bool> SetHas(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, member));
  if (!set->open()) return PySet_Contains(set->now.get(), key) == 1;
  for (auto change = set->changes.rbegin(); change != set->changes.rend(); ++change) {
    if (symbolic::SameKey(change->member.get(), key)) return change->is_added;
  }
  const std::optional<bool> found = IsInSet(set->object.get(), key);
  if (!found) return symbolic::GraphBreak("a set with members of other types");
  tracer.trace().AddGuard(guards::GuardKind::kSetMember, set->source(), key, *found);
  return *found;
}

absl::StatusOr<int64_t> SetLength(Tracer& tracer, symbolic::SetValue* set) {
  if (!set->open()) return PySet_GET_SIZE(set->now.get());
  DYNACC_RETURN_IF_ERROR(KnownMembers(tracer, *set).status());
  const Ref then = CopyOfSet(set->object.get());
  if (!then) return tracer.RaiseCurrent("a set that cannot be copied");
  Replay(set->changes, then.get());
  return PySet_GET_SIZE(then.get());
}

absl::StatusOr<symbolic::Value*> IterateSet(Tracer& tracer, symbolic::SetValue* set) {
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  if (set->open() && set->changes.empty()) return IterateOpen(tracer, set);
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef now, TableOf(tracer, set));
  auto next = [&tracer, now, used = PySet_GET_SIZE(now), place = Py_ssize_t{0},
               ended = false]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (ended) return nullptr;
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * member, NextMember(tracer, now, used, &place));
    ended = member == nullptr;
    return member;
  };
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

absl::Status AddToSet(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member) {
  return ChangeMember(tracer, set, member, /*adds=*/true);
}

absl::Status DiscardFromSet(Tracer& tracer, symbolic::SetValue* set, symbolic::Value* member) {
  return ChangeMember(tracer, set, member, /*adds=*/false);
}

bool IsAnySet(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return symbolic::As<symbolic::SetValue>(value) ||
         (constant != nullptr && PyFrozenSet_CheckExact(constant->object.get()));
}

absl::StatusOr<Ref> RealIterable(Tracer& tracer, symbolic::Value* value) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (auto* set = symbolic::As<symbolic::SetValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef now, TableOf(tracer, set));
    return Ref::New(now);
  }
  if (IsAnySet(value)) return symbolic::As<symbolic::ConstantValue>(value)->object;
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) return KeysOf(tracer, dict);
  absl::StatusOr<std::vector<symbolic::Value*>> items = Drain(tracer, value);
  // What came before has been taken by then.
  if (Tracer::IsRaised(items.status())) return symbolic::RaisingBreak("an iterable that raises");
  DYNACC_RETURN_IF_ERROR(items.status());
  Ref list = Ref::Steal(PyList_New(0));
  for (symbolic::Value* item : *items) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, item));
    PyList_Append(list.get(), key);
  }
  return list;
}

absl::StatusOr<symbolic::Value*> SetResult(Tracer& tracer, Ref result) {
  if (!result) return tracer.RaiseCurrent("a set's function that raises");
  if (PySet_CheckExact(result.get()))
    return tracer.trace().New<symbolic::SetValue>(std::move(result));
  if (PyFrozenSet_CheckExact(result.get())) {
    DYNACC_RETURN_IF_ERROR(RequireKnowable(result.get()));
  }
  return tracer.ConstantSteal(result.Release());
}

absl::StatusOr<symbolic::Value*> SetBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                           symbolic::Value* b) {
  if (!IsOfSets(nb_op)) return symbolic::RaisingBreak("such an operator on sets");
  DYNACC_ASSIGN_OR_RETURN(const Ref left, RealIterable(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(const Ref right, RealIterable(tracer, b));
  const symbolic::BinaryOperator& row = symbolic::OperatorOf(nb_op);
  if (nb_op < NB_INPLACE_ADD || symbolic::As<symbolic::SetValue>(a) == nullptr) {
    return SetResult(tracer, Ref::Steal(row.apply(left.get(), right.get())));
  }
  tracer.NoteChange(a);
  const Ref same = Ref::Steal(row.apply_in_place(left.get(), right.get()));
  return same ? absl::StatusOr<symbolic::Value*>(a)
              : tracer.RaiseCurrent("a set's function that raises");
}

absl::StatusOr<symbolic::Value*> SetCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                            symbolic::Value* b) {
  DYNACC_ASSIGN_OR_RETURN(const Ref left, RealIterable(tracer, a));
  DYNACC_ASSIGN_OR_RETURN(const Ref right, RealIterable(tracer, b));
  return SetResult(tracer, Ref::Steal(PyObject_RichCompare(left.get(), right.get(), compare_op)));
}

}  // namespace dynacc::tracer
