#include "frontend/tracer/deques.h"

#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/finalizer.h"
#include "frontend/symbolic/slice_parts.h"
#include "frontend/tracer/containers.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// An item that an existing deque has had since before the segment loses its place there.
absl::Status LetGoOf(Tracer& tracer, const symbolic::DequeValue& deque,
                     const symbolic::Value* value) {
  auto* item = symbolic::As<symbolic::ObjectValue>(const_cast<symbolic::Value*>(value));
  if (deque.source() == nullptr || item == nullptr) return absl::OkStatus();
  return tracer.LetGo(item->source(), item->object.get());
}

bool IsOver(const symbolic::DequeValue& deque) {
  return deque.bound >= 0 && static_cast<int64_t>(deque.items.size()) > deque.bound;
}

// At each call it is looked at again what an append pushes out (effects.cc).
absl::Status AppendToOpen(symbolic::DequeValue* deque, symbolic::Value* item) {
  BorrowedRef object = deque->object.get();
  const int64_t bound = DequeBound(object);
  const int64_t pushed_out =
      DequeLength(object) + static_cast<int64_t>(deque->items.size()) - bound;
  BorrowedRef lost = bound < 0 || pushed_out < 0 ? nullptr : DequeItem(object, pushed_out);
  if (lost != nullptr && !DiesQuietly(lost)) {
    return symbolic::GraphBreak("an object whose end runs code loses a name");
  }
  deque->items.push_back(item);
  return absl::OkStatus();
}

absl::StatusOr<size_t> Place(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* key) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
  if (symbolic::SliceFrom(tracer.trace(), key) != nullptr)
    return symbolic::RaisingBreak("a slice of a deque");
  DYNACC_ASSIGN_OR_RETURN(const int64_t place,
                          ItemIndex(tracer, key, deque->items.size(), "deque index out of range"));
  return static_cast<size_t>(place);
}

void NoteChange(Tracer& tracer, symbolic::DequeValue* deque) {
  ++deque->changes;
  tracer.NoteChange(deque);
}

}  // namespace

absl::Status KnowItems(Tracer& tracer, symbolic::DequeValue* deque) {
  if (!deque->open) return absl::OkStatus();
  BorrowedRef object = deque->object.get();
  const int64_t size = DequeLength(object);
  if (size > kMaxKnownItems) return symbolic::GraphBreak("the items of a long deque");
  deque->bound = DequeBound(object);
  tracer.trace().AddGuard(guards::GuardKind::kDequeShape, deque->source(), nullptr, size,
                          deque->bound);
  std::vector<symbolic::Value*> items;
  for (int64_t i = 0; i < size; ++i) {
    const sources::Source* source =
        tracer.sources().Intern(sources::SourceKind::kDequeItem, deque->source(), i);
    items.push_back(tracer.Lazy(DequeItem(object, i), source));
  }
  deque->original = items;
  deque->open = false;
  std::swap(deque->items, items);
  for (symbolic::Value* appended : items) {
    DYNACC_RETURN_IF_ERROR(AppendToDeque(tracer, deque, appended));
  }
  return absl::OkStatus();
}

absl::Status AppendToDeque(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* item) {
  NoteChange(tracer, deque);
  if (deque->open) return AppendToOpen(deque, item);
  deque->items.push_back(item);
  return IsOver(*deque) ? RemoveFromDeque(tracer, deque, 0) : absl::OkStatus();
}

absl::Status PrependToDeque(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* item) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
  NoteChange(tracer, deque);
  deque->items.insert(deque->items.begin(), item);
  if (!IsOver(*deque)) return absl::OkStatus();
  return RemoveFromDeque(tracer, deque, deque->items.size() - 1);
}

absl::Status RemoveFromDeque(Tracer& tracer, symbolic::DequeValue* deque, size_t place) {
  DYNACC_RETURN_IF_ERROR(LetGoOf(tracer, *deque, deque->items[place]));
  NoteChange(tracer, deque);
  deque->items.erase(deque->items.begin() + static_cast<int64_t>(place));
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> SubscriptDeque(Tracer& tracer, symbolic::DequeValue* deque,
                                                symbolic::Value* key) {
  DYNACC_ASSIGN_OR_RETURN(const size_t place, Place(tracer, deque, key));
  return deque->items[place];
}

absl::Status StoreDequeItem(Tracer& tracer, symbolic::DequeValue* deque, symbolic::Value* key,
                            symbolic::Value* item) {
  DYNACC_ASSIGN_OR_RETURN(const size_t place, Place(tracer, deque, key));
  if (item == nullptr) return RemoveFromDeque(tracer, deque, place);
  DYNACC_RETURN_IF_ERROR(LetGoOf(tracer, *deque, deque->items[place]));
  tracer.NoteChange(deque);  // an iterator does not see it
  deque->items[place] = item;
  return absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> IterateDeque(Tracer& tracer, symbolic::DequeValue* deque) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, deque));
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  auto next = [&tracer, deque, changes = deque->changes,
               at = size_t{0}]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (deque->changes != changes) {
      return tracer.Raise(PyExc_RuntimeError, "deque mutated during iteration",
                          "a deque that changes during iteration");
    }
    return at < deque->items.size() ? deque->items[at++] : nullptr;
  };
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

}  // namespace dynacc::tracer
