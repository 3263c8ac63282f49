// The primitives of bfloat16.h in captured code.
#include <optional>
#include <utility>

#include "frontend/arrays/native/bfloat16.h"
#include "frontend/arrays/native/dtype_object.h"
#include "frontend/arrays/native/native_functions.h"
#include "frontend/arrays/native/value_mapping.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status Unknown() { return GraphBreak("a container whose items are not known"); }

std::optional<DType> DTypeIn(Value* value) {
  auto* constant = As<ConstantValue>(value);
  return constant == nullptr ? std::nullopt : AsDType(constant->object.get());
}

absl::Status Visit(Value* value, BFloat16Search& search) {
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

absl::StatusOr<Value*> TraceBFloat16Among(TraceContext& trace, absl::Span<Value* const> args) {
  BFloat16Search search;
  for (Value* value : args) DYNACC_RETURN_IF_ERROR(Visit(value, search));
  Ref result = Ref::Steal(PyLong_FromLong(static_cast<long>(search.result())));
  return trace.New<ConstantValue>(std::move(result));
}

absl::StatusOr<Value*> TraceInFloat32(TraceContext& trace, absl::Span<Value* const> args) {
  return MapItems(trace, args[0], [&trace](Value* value) -> absl::StatusOr<Value*> {
    NumpyTensor* tensor = AsNative(value);
    if (tensor != nullptr && tensor->node->dtype == DType::kBFloat16) {
      return CopyIn(trace, tensor, DType::kFloat32);
    }
    if (DTypeIn(value) != DType::kBFloat16) return value;
    return trace.New<ConstantValue>(Ref::New(DTypeObject(DType::kFloat32)));
  });
}

absl::StatusOr<Value*> TraceRounded(TraceContext& trace, absl::Span<Value* const> args) {
  return MapItems(trace, args[0], [&trace](Value* value) -> absl::StatusOr<Value*> {
    NumpyTensor* tensor = AsNative(value);
    const bool rounds = tensor != nullptr && tensor->node->dtype == DType::kFloat32;
    return rounds ? CopyIn(trace, tensor, DType::kBFloat16) : value;
  });
}

}  // namespace dynacc
