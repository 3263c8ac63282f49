// Lists and dicts as values: reading them, and changing them without touching the real ones.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Containers with more items than this are left alone by whoever needs to know all of them.
inline constexpr Py_ssize_t kMaxKnownItems = 1024;

// Makes all items of an existing list or dict known, guarding its length or its keys.
absl::Status KnowItems(Tracer& tracer, symbolic::ListValue* list);
absl::Status KnowItems(Tracer& tracer, symbolic::DictValue* dict);

// The items of a materialized tuple, list or constant tuple; GraphBreak for anything else.
absl::StatusOr<std::vector<symbolic::Value*>> SequenceItems(Tracer& tracer,
                                                            symbolic::Value* sequence);
bool IsSequence(symbolic::Value* value);
// GraphBreak if a list no longer has these items, because a comparison of one has changed it.
absl::Status RequireItems(symbolic::Value* sequence, const std::vector<symbolic::Value*>& items);
// Whether it is an exact tuple, which CPython gives itself where a copy would have all its items.
bool IsPlainTuple(symbolic::Value* value);

// The list's items, to be changed: all of them known, and the change noted.
absl::StatusOr<std::vector<symbolic::Value*>*> ItemsToChange(Tracer& tracer,
                                                             symbolic::ListValue* list);
// An item of a list is about to lose its place there: Tracer::LetGo, if it is one that the list has
// had since before the segment.
absl::Status LetGoOfItem(Tracer& tracer, const symbolic::ListValue& list, int64_t place);
// list[a:b] = items, del list[...]: at known places. Places are in ascending order.
absl::Status ReplaceItems(Tracer& tracer, symbolic::ListValue* list, size_t first, size_t last,
                          const std::vector<symbolic::Value*>& items);
absl::Status RemoveItems(Tracer& tracer, symbolic::ListValue* list,
                         const std::vector<int64_t>& places);
// list[place] = item, at a place that differs from call to call. GraphBreak unless nothing but such
// stores and list.append has been done with the list, which exists.
absl::Status StoreAtNumber(Tracer& tracer, symbolic::ListValue* list, symbolic::NumberValue* place,
                           symbolic::Value* item);
// list.append: asks nothing of an existing list but its type.
void AppendToList(Tracer& tracer, symbolic::ListValue* list, symbolic::Value* item);
// list.extend: a list or tuple as it is, other iterables item by item, which may look at the list.
absl::Status ExtendList(Tracer& tracer, symbolic::ListValue* list, symbolic::Value* iterable);

// list[index], tuple[index], guarded; an IndexError is a RaisingBreak.
absl::StatusOr<symbolic::Value*> SequenceItem(Tracer& tracer, symbolic::Value* sequence,
                                              symbolic::Value* index);
// Python's place for a subscript of a sequence of that size; IndexError(message) if it has none.
absl::StatusOr<int64_t> ItemIndex(Tracer& tracer, symbolic::Value* index, size_t size,
                                  const char* message);

// A key as the plain constant that it must be; GraphBreak otherwise.
absl::StatusOr<BorrowedRef> DictKey(Tracer& tracer, symbolic::Value* key);
// dict[key], or null if it has no such key: guarded either way.
absl::StatusOr<symbolic::Value*> DictItem(Tracer& tracer, symbolic::DictValue* dict,
                                          BorrowedRef key);
absl::Status SetDictItem(Tracer& tracer, symbolic::DictValue* dict, BorrowedRef key,
                         symbolic::Value* item);
// The key must be there.
absl::Status DeleteDictItem(Tracer& tracer, symbolic::DictValue* dict, BorrowedRef key);

// KeyError(key), raised in the trace.
absl::Status RaiseKeyError(Tracer& tracer, BorrowedRef key);

}  // namespace dynacc::tracer
