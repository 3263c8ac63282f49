// The primitives of low_precision.h in captured code.
#include <optional>
#include <utility>

#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/low_precision.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/value_mapping.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status Unknown() { return GraphBreak("a container whose items are not known"); }

std::optional<DType> DTypeIn(Value* value) {
  auto* constant = As<ConstantValue>(value);
  return constant == nullptr ? std::nullopt : AsDType(constant->object.get());
}

absl::Status Visit(Value* value, NarrowSearch& search) {
  if (const NumpyTensor* tensor = AsNative(value)) {
    search.AddTensor(tensor->node->dtype);
  } else if (const std::optional<DType> dtype = DTypeIn(value)) {
    search.AddDType(*dtype);
  } else if (auto* tuple = As<TupleValue>(value)) {
    for (Value* item : tuple->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  } else if (auto* list = As<ListValue>(value)) {
    if (list->open) return Unknown();
    for (Value* item : list->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  } else if (auto* dict = As<DictValue>(value)) {
    if (dict->open) return Unknown();
    for (const auto& [key, item] : dict->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Value*> TraceLowPrecisionAmong(TraceContext& trace, absl::Span<Value* const> args) {
  NarrowSearch search;
  for (Value* value : args) DYNACC_RETURN_IF_ERROR(Visit(value, search));
  return trace.New<ConstantValue>(ObjectOf(search.result()));
}

absl::StatusOr<Value*> TraceInFloat32(TraceContext& trace, absl::Span<Value* const> args) {
  return MapItems(trace, args[0], [&trace](Value* value) -> absl::StatusOr<Value*> {
    NumpyTensor* tensor = AsNative(value);
    if (tensor != nullptr && IsLowPrecision(tensor->node->dtype)) {
      return CopyIn(trace, tensor, DType::kFloat32);
    }
    const std::optional<DType> dtype = DTypeIn(value);
    if (!dtype || !IsLowPrecision(*dtype)) return value;
    return trace.New<ConstantValue>(Ref::New(DTypeObject(DType::kFloat32)));
  });
}

absl::StatusOr<Value*> TraceRounded(TraceContext& trace, absl::Span<Value* const> args) {
  const std::optional<DType> narrow = DTypeIn(args[1]);
  if (!narrow) return GraphBreak("a dtype that is not known");
  return MapItems(trace, args[0], [&](Value* value) -> absl::StatusOr<Value*> {
    NumpyTensor* tensor = AsNative(value);
    const bool rounds = tensor != nullptr && tensor->node->dtype == DType::kFloat32;
    return rounds ? CopyIn(trace, tensor, *narrow) : value;
  });
}

}  // namespace dynacc
