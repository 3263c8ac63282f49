#include "frontend/tensor/value_mapping.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/tensor/native_functions.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status Unknown() { return GraphBreak("a container whose items are not known"); }

absl::StatusOr<std::vector<Value*>> MappedItems(TraceContext& trace, absl::Span<Value* const> items,
                                                ValueChange change) {
  std::vector<Value*> mapped;
  for (Value* item : items) {
    DYNACC_ASSIGN_OR_RETURN(Value * one, MapItems(trace, item, change));
    mapped.push_back(one);
  }
  return mapped;
}

}  // namespace

absl::StatusOr<Value*> MapItems(TraceContext& trace, Value* value, ValueChange change) {
  if (auto* tuple = As<TupleValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(auto items, MappedItems(trace, tuple->items, change));
    auto* const mapped = trace.New<TupleValue>(std::move(items));
    mapped->cls = tuple->cls;
    return mapped;
  }
  if (auto* list = As<ListValue>(value)) {
    if (list->open) return Unknown();
    DYNACC_ASSIGN_OR_RETURN(auto items, MappedItems(trace, list->items, change));
    return trace.New<ListValue>(std::move(items));
  }
  if (auto* dict = As<DictValue>(value)) {
    if (dict->open) return Unknown();
    auto* const mapped = trace.New<DictValue>();
    for (const auto& [key, item] : dict->items) {
      DYNACC_ASSIGN_OR_RETURN(Value * one, MapItems(trace, item, change));
      mapped->items.emplace_back(key, one);
    }
    return mapped;
  }
  return change(value);
}

bool HasNative(Value* value) {
  if (AsNative(value) != nullptr) return true;
  if (auto* tuple = As<TupleValue>(value)) {
    return std::any_of(tuple->items.begin(), tuple->items.end(), HasNative);
  }
  auto* list = As<ListValue>(value);
  return list != nullptr && std::any_of(list->items.begin(), list->items.end(), HasNative);
}

}  // namespace dynacc
