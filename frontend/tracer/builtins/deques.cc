// collections.deque and its methods.
#include "frontend/tracer/deques.h"

#include <algorithm>

#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

constexpr char kChanges[] = "a deque that changes while its items are compared";
constexpr char kEmpty[] = "pop from an empty deque";

// The deque that a method is called on, its items not yet known.
absl::StatusOr<symbolic::DequeValue*> Self(const BuiltinCall& call, size_t least, size_t most) {
  DYNACC_RETURN_IF_ERROR(call.Want(least, most));
  if (auto* deque = symbolic::As<symbolic::DequeValue>(call.args[0])) return deque;
  return symbolic::GraphBreak("a deque method of another object");
}

absl::StatusOr<symbolic::DequeValue*> KnownSelf(Tracer& tracer, const BuiltinCall& call,
                                                size_t least, size_t most) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, Self(call, least, most));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
  return deque;
}

absl::StatusOr<int64_t> Bound(Tracer& tracer, symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (value == nullptr || (constant && constant->object.get() == Py_None)) {
    return symbolic::DequeValue::kUnbounded;
  }
  if (constant == nullptr) return symbolic::GraphBreak("a deque with a changing bound");
  DYNACC_ASSIGN_OR_RETURN(const int64_t bound, tracer.trace().ConstantInt(constant));
  if (bound < 0) return symbolic::RaisingBreak("a deque with a negative bound");
  return bound;
}

// As the C function does: each item is in the deque before the next one is asked for.
absl::Status Extend(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* iterable,
                    bool at_left) {
  if (iterable == deque) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    iterable = tracer.trace().New<symbolic::TupleValue>(deque->items);
  }
  return ForEachItem(tracer, iterable, [&](symbolic::Value* item) {
    return at_left ? PrependToDeque(tracer, deque, item) : AppendToDeque(tracer, deque, item);
  });
}

// Whether the item is equal to `sought`, as containers compare.
absl::StatusOr<bool> IsEqual(Tracer& tracer, symbolic::Value* item, symbolic::Value* sought) {
  auto* one = tracer.trace().New<symbolic::TupleValue>(std::vector<symbolic::Value*>{item});
  return ContainedIn(tracer, sought, one);
}

absl::StatusOr<symbolic::Value*> Pop(Tracer& tracer, const BuiltinCall& call, bool at_left) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  if (deque->items.empty()) return tracer.Raise(PyExc_IndexError, kEmpty, "a pop of nothing");
  const size_t place = at_left ? 0 : deque->items.size() - 1;
  symbolic::Value* item = deque->items[place];
  DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, place));
  return item;
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> MakeDeque(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 2, {"iterable", "maxlen"}));
  symbolic::Value* const iterable = !call.args.empty() ? call.args[0] : call.Keyword("iterable");
  symbolic::Value* const bound = call.args.size() == 2 ? call.args[1] : call.Keyword("maxlen");
  DYNACC_ASSIGN_OR_RETURN(const int64_t limit, Bound(tracer, bound));
  auto* deque = tracer.trace().New<symbolic::DequeValue>(std::vector<symbolic::Value*>(), limit);
  if (iterable != nullptr) DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, iterable, false));
  return deque;
}

absl::StatusOr<symbolic::Value*> DequeAppend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(AppendToDeque(tracer, deque, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeAppendLeft(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(PrependToDeque(tracer, deque, call.args[1]));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequePop(Tracer& tracer, const BuiltinCall& call) {
  return Pop(tracer, call, false);
}

absl::StatusOr<symbolic::Value*> DequePopLeft(Tracer& tracer, const BuiltinCall& call) {
  return Pop(tracer, call, true);
}

absl::StatusOr<symbolic::Value*> DequeExtend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, call.args[1], false));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeExtendLeft(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, call.args[1], true));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeClear(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  while (!deque->items.empty()) DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, 0));
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeCopy(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  return tracer.trace().New<symbolic::DequeValue>(deque->items, deque->bound);
}

absl::StatusOr<symbolic::Value*> DequeRotate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 1, 2));
  int64_t count = 1;
  if (call.args.size() == 2) {
    if (!symbolic::As<symbolic::ConstantValue>(call.args[1]))
      return symbolic::GraphBreak("a rotation by a changing number");
    DYNACC_ASSIGN_OR_RETURN(count, tracer.trace().ConstantInt(call.args[1]));
  }
  const auto size = static_cast<int64_t>(deque->items.size());
  if (size < 2) return tracer.None();
  ++deque->changes;
  tracer.NoteChange(deque);
  const int64_t to_left = (size - count % size) % size;
  std::rotate(deque->items.begin(), deque->items.begin() + to_left, deque->items.end());
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeReverse(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  tracer.NoteChange(deque);
  std::reverse(deque->items.begin(), deque->items.end());
  return tracer.None();
}

absl::StatusOr<symbolic::Value*> DequeCount(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  int64_t count = 0;
  const int changes = deque->changes;
  for (size_t i = 0; i < deque->items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, deque->items[i], call.args[1]));
    if (deque->changes != changes) return symbolic::RaisingBreak(kChanges);
    count += equal;
  }
  return tracer.ConstantSteal(PyLong_FromLongLong(count));
}

absl::StatusOr<symbolic::Value*> DequeIndex(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  const int changes = deque->changes;
  for (size_t i = 0; i < deque->items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, deque->items[i], call.args[1]));
    if (deque->changes != changes) return symbolic::RaisingBreak(kChanges);
    if (equal) return tracer.ConstantSteal(PyLong_FromSize_t(i));
  }
  return symbolic::RaisingBreak("an item that the deque does not have");
}

absl::StatusOr<symbolic::Value*> DequeRemove(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  for (size_t i = 0; i < deque->items.size(); ++i) {
    const int changes = deque->changes;
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, deque->items[i], call.args[1]));
    if (deque->changes != changes) return symbolic::RaisingBreak(kChanges);
    if (!equal) continue;
    DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, i));
    return tracer.None();
  }
  return tracer.Raise(PyExc_ValueError, "deque.remove(x): x not in deque",
                      "an item that the deque does not have");
}

absl::StatusOr<symbolic::Value*> DequeInsert(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::DequeValue * deque, KnownSelf(tracer, call, 3, 3));
  if (!symbolic::As<symbolic::ConstantValue>(call.args[1]))
    return symbolic::GraphBreak("an item at a changing index");
  DYNACC_ASSIGN_OR_RETURN(int64_t place, tracer.trace().ConstantInt(call.args[1]));
  const auto size = static_cast<int64_t>(deque->items.size());
  if (size == deque->bound) {
    return tracer.Raise(PyExc_IndexError, "deque already at its maximum size",
                        "an item too many for a deque");
  }
  place = std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  ++deque->changes;
  tracer.NoteChange(deque);
  deque->items.insert(deque->items.begin() + place, call.args[2]);
  return tracer.None();
}

}  // namespace builtins
}  // namespace dynacc::tracer
