// collections.deque and its methods.
#include "frontend/tracer/deques.h"

#include <algorithm>

#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr char kEmpty[] = "pop from an empty deque";

// The deque that a method is called on, its items not yet known.
absl::StatusOr<DequeValue*> Self(const BuiltinCall& call, size_t least, size_t most) {
  DYNACC_RETURN_IF_ERROR(call.Want(least, most));
  if (auto* deque = As<DequeValue>(call.args[0])) return deque;
  return GraphBreak("a deque method of another object");
}

absl::StatusOr<DequeValue*> KnownSelf(Tracer& tracer, const BuiltinCall& call, size_t least,
                                      size_t most) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, Self(call, least, most));
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
  return deque;
}

absl::StatusOr<int64_t> Bound(Tracer& tracer, Value* value) {
  auto* constant = As<ConstantValue>(value);
  if (value == nullptr || (constant && constant->object.get() == Py_None)) {
    return DequeValue::kUnbounded;
  }
  if (constant == nullptr) return GraphBreak("a deque with a changing bound");
  DYNACC_ASSIGN_OR_RETURN(const int64_t bound, tracer.trace().ConstantInt(constant));
  if (bound < 0) return RaisingBreak("a deque with a negative bound");
  return bound;
}

// As the C function does: each item is in the deque before the next one is asked for.
absl::Status Extend(Tracer& tracer, DequeValue* deque, Value* iterable, bool at_left) {
  if (iterable == deque) {
    DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
    iterable = tracer.trace().New<TupleValue>(deque->items);
  }
  return ForEachItem(tracer, iterable, [&](Value* item) {
    return at_left ? PrependToDeque(tracer, deque, item) : AppendToDeque(tracer, deque, item);
  });
}

// Whether the item is equal to `sought`, as containers compare.
absl::StatusOr<bool> IsEqual(Tracer& tracer, Value* item, Value* sought) {
  auto* one = tracer.trace().New<TupleValue>(std::vector<Value*>{item});
  return ContainedIn(tracer, sought, one);
}

absl::StatusOr<Value*> Pop(Tracer& tracer, const BuiltinCall& call, bool at_left) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  if (deque->items.empty()) return tracer.Raise(PyExc_IndexError, kEmpty, "a pop of nothing");
  const size_t place = at_left ? 0 : deque->items.size() - 1;
  Value* item = deque->items[place];
  DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, place));
  return item;
}

}  // namespace

namespace builtins {

absl::StatusOr<Value*> MakeDeque(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 2, {"iterable", "maxlen"}));
  Value* const iterable = !call.args.empty() ? call.args[0] : call.Keyword("iterable");
  Value* const bound = call.args.size() == 2 ? call.args[1] : call.Keyword("maxlen");
  DYNACC_ASSIGN_OR_RETURN(const int64_t limit, Bound(tracer, bound));
  auto* deque = tracer.trace().New<DequeValue>(std::vector<Value*>(), limit);
  if (iterable != nullptr) DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, iterable, false));
  return deque;
}

absl::StatusOr<Value*> DequeAppend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(AppendToDeque(tracer, deque, call.args[1]));
  return tracer.None();
}

absl::StatusOr<Value*> DequeAppendLeft(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(PrependToDeque(tracer, deque, call.args[1]));
  return tracer.None();
}

absl::StatusOr<Value*> DequePop(Tracer& tracer, const BuiltinCall& call) {
  return Pop(tracer, call, false);
}

absl::StatusOr<Value*> DequePopLeft(Tracer& tracer, const BuiltinCall& call) {
  return Pop(tracer, call, true);
}

absl::StatusOr<Value*> DequeExtend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, call.args[1], false));
  return tracer.None();
}

absl::StatusOr<Value*> DequeExtendLeft(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, Self(call, 2, 2));
  DYNACC_RETURN_IF_ERROR(Extend(tracer, deque, call.args[1], true));
  return tracer.None();
}

absl::StatusOr<Value*> DequeClear(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  while (!deque->items.empty()) DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, 0));
  return tracer.None();
}

absl::StatusOr<Value*> DequeCopy(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  return tracer.trace().New<DequeValue>(deque->items, deque->bound);
}

absl::StatusOr<Value*> DequeRotate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 1, 2));
  int64_t count = 1;
  if (call.args.size() == 2) {
    if (!As<ConstantValue>(call.args[1])) return GraphBreak("a rotation by a changing number");
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

absl::StatusOr<Value*> DequeReverse(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 1, 1));
  tracer.NoteChange(deque);
  std::reverse(deque->items.begin(), deque->items.end());
  return tracer.None();
}

absl::StatusOr<Value*> DequeCount(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  int64_t count = 0;
  for (Value* item : std::vector<Value*>(deque->items)) {
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, item, call.args[1]));
    count += equal;
  }
  return tracer.ConstantSteal(PyLong_FromLongLong(count));
}

absl::StatusOr<Value*> DequeIndex(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  for (size_t i = 0; i < deque->items.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, deque->items[i], call.args[1]));
    if (equal) return tracer.ConstantSteal(PyLong_FromSize_t(i));
  }
  return RaisingBreak("an item that the deque does not have");
}

absl::StatusOr<Value*> DequeRemove(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 2, 2));
  for (size_t i = 0; i < deque->items.size(); ++i) {
    const int changes = deque->changes;
    DYNACC_ASSIGN_OR_RETURN(const bool equal, IsEqual(tracer, deque->items[i], call.args[1]));
    if (deque->changes != changes) return RaisingBreak("a deque that changes during remove");
    if (!equal) continue;
    DYNACC_RETURN_IF_ERROR(RemoveFromDeque(tracer, deque, i));
    return tracer.None();
  }
  return tracer.Raise(PyExc_ValueError, "deque.remove(x): x not in deque",
                      "an item that the deque does not have");
}

absl::StatusOr<Value*> DequeInsert(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_ASSIGN_OR_RETURN(DequeValue * deque, KnownSelf(tracer, call, 3, 3));
  if (!As<ConstantValue>(call.args[1])) return GraphBreak("an item at a changing index");
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
}  // namespace dynacc
