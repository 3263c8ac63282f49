#include "frontend/tracer/sets.h"

#include "absl/algorithm/container.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/numbers.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Guards look at each member at each call; and a set of many is likely to be one that grows, which
// would be another one at each call.
constexpr Py_ssize_t kMaxMembers = 32;

absl::StatusOr<std::vector<Ref>> MembersOf(BorrowedRef set) {
  if (set == nullptr || !PySet_CheckExact(set) || PySet_GET_SIZE(set) > kMaxMembers) {
    return GraphBreak("the members of such a set");
  }
  std::vector<Ref> members;
  PyObject* member;
  Py_ssize_t position = 0;
  Py_hash_t hash;
  while (_PySet_NextEntry(set, &position, &member, &hash)) {
    const ConstantValue constant(Ref::New(member));
    if (!IsPlainConstantValue(&constant) || HasNan(member)) {
      return GraphBreak("a set with members of other types");
    }
    members.push_back(Ref::New(member));
  }
  return members;
}

// Of an existing set, as it is before the segment: guarded.
absl::StatusOr<std::vector<Ref>> KnownMembers(Tracer& tracer, const SetValue& set) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Ref> members,
                          MembersOf(ResolveSource(*set.source(), tracer.root().roots)));
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(members.size())));
  for (size_t i = 0; i < members.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(members[i].get()));
  }
  tracer.trace().AddGuard(GuardKind::kDictKeys, set.source(), tuple.get());
  return members;
}

bool Holds(const std::vector<Ref>& members, BorrowedRef key) {
  return absl::c_any_of(members, [&](const Ref& member) { return SameKey(member.get(), key); });
}

// Those of a set that is made inside, in the order of a real one.
std::vector<Ref> InOrder(const std::vector<Ref>& added) {
  const Ref real = Ref::Steal(PySet_New(nullptr));
  for (const Ref& member : added) PySet_Add(real.get(), member.get());
  std::vector<Ref> members;
  PyObject* member;
  Py_ssize_t position = 0;
  Py_hash_t hash;
  while (_PySet_NextEntry(real.get(), &position, &member, &hash)) {
    members.push_back(Ref::New(member));
  }
  return members;
}

// Those that the segment adds to an existing set.
absl::StatusOr<int64_t> CountNew(const std::vector<Ref>& known, const SetValue& set) {
  return absl::c_count_if(set.members,
                          [&](const Ref& member) { return !Holds(known, member.get()); });
}

}  // namespace

absl::StatusOr<bool> SetHas(Tracer& tracer, const SetValue& set, Value* member) {
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, member));
  if (Holds(set.members, key)) return true;
  if (set.source() == nullptr) return false;
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Ref> known, KnownMembers(tracer, set));
  return Holds(known, key);
}

absl::StatusOr<int64_t> SetLength(Tracer& tracer, const SetValue& set) {
  if (set.source() == nullptr) return static_cast<int64_t>(set.members.size());
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Ref> known, KnownMembers(tracer, set));
  DYNACC_ASSIGN_OR_RETURN(const int64_t added, CountNew(known, set));
  return static_cast<int64_t>(known.size()) + added;
}

absl::StatusOr<std::vector<Value*>> SetMembers(Tracer& tracer, const SetValue& set) {
  std::vector<Ref> members;
  if (set.source() == nullptr) {
    members = InOrder(set.members);
  } else {
    DYNACC_ASSIGN_OR_RETURN(members, KnownMembers(tracer, set));
    DYNACC_ASSIGN_OR_RETURN(const int64_t added, CountNew(members, set));
    if (added > 0) return GraphBreak("the order of a set that was added to");
  }
  std::vector<Value*> values;
  for (const Ref& member : members) values.push_back(tracer.Constant(member.get()));
  return values;
}

bool IsCopiedAsItLies(const Value* value) {
  if (value->kind() == ValueKind::kDict || value->kind() == ValueKind::kSet) return true;
  return value->kind() == ValueKind::kConstant &&
         PyFrozenSet_Check(static_cast<const ConstantValue*>(value)->object.get());
}

}  // namespace dynacc
