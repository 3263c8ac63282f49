#include "frontend/tensor/value_mapping.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/tensor/native_functions.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tensor {
namespace {

absl::Status Unknown() { return symbolic::GraphBreak("a container whose items are not known"); }

absl::StatusOr<std::vector<symbolic::Value*>> MappedItems(symbolic::TraceContext& trace,
                                                          absl::Span<symbolic::Value* const> items,
                                                          ValueChange change) {
  std::vector<symbolic::Value*> mapped;
  for (symbolic::Value* item : items) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * one, MapItems(trace, item, change));
    mapped.push_back(one);
  }
  return mapped;
}

}  // namespace

absl::StatusOr<symbolic::Value*> MapItems(symbolic::TraceContext& trace, symbolic::Value* value,
                                          ValueChange change) {
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) {
    DYNACC_ASSIGN_OR_RETURN(auto items, MappedItems(trace, tuple->items, change));
    auto* const mapped = trace.New<symbolic::TupleValue>(std::move(items));
    mapped->cls = tuple->cls;
    return mapped;
  }
  if (auto* list = symbolic::As<symbolic::ListValue>(value)) {
    if (list->open) return Unknown();
    DYNACC_ASSIGN_OR_RETURN(auto items, MappedItems(trace, list->items, change));
    return trace.New<symbolic::ListValue>(std::move(items));
  }
  if (auto* dict = symbolic::As<symbolic::DictValue>(value)) {
    if (dict->open) return Unknown();
    auto* const mapped = trace.New<symbolic::DictValue>();
    for (const auto& [key, item] : dict->items) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * one, MapItems(trace, item, change));
      mapped->items.emplace_back(key, one);
    }
    return mapped;
  }
  return change(value);
}

bool HasNative(symbolic::Value* value) {
  if (AsNative(value) != nullptr) return true;
  if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) {
    return std::any_of(tuple->items.begin(), tuple->items.end(), HasNative);
  }
  auto* list = symbolic::As<symbolic::ListValue>(value);
  return list != nullptr && std::any_of(list->items.begin(), list->items.end(), HasNative);
}

}  // namespace dynacc::tensor
