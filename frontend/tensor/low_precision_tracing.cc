// The primitives of low_precision.h in captured code.
#include <optional>
#include <utility>

#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/low_precision.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/value_mapping.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tensor {
namespace {

absl::Status Unknown() { return symbolic::GraphBreak("a container whose items are not known"); }

std::optional<DType> DTypeIn(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant == nullptr ? std::nullopt : AsDType(constant->object.get());
}

absl::Status Visit(symbolic::Value* value, NarrowSearch& search) {
  if (const numpy::NumpyTensor* tensor = AsNative(value)) {
    search.AddTensor(tensor->node->dtype);
  } else if (const std::optional<DType> dtype = DTypeIn(value)) {
    search.AddDType(*dtype);
  } else if (auto* tuple = symbolic::As<symbolic::TupleValue>(value)) {
    for (symbolic::Value* item : tuple->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  } else if (auto* list = symbolic::As<symbolic::ListValue>(value)) {
    if (list->open) return Unknown();
    for (symbolic::Value* item : list->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  } else if (auto* dict = symbolic::As<symbolic::DictValue>(value)) {
    if (dict->open) return Unknown();
    for (const auto& [key, item] : dict->items) DYNACC_RETURN_IF_ERROR(Visit(item, search));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceLowPrecisionAmong(symbolic::TraceContext& trace,
                                                        absl::Span<symbolic::Value* const> args) {
  NarrowSearch search;
  for (symbolic::Value* value : args) DYNACC_RETURN_IF_ERROR(Visit(value, search));
  return trace.New<symbolic::ConstantValue>(ObjectOf(search.result()));
}

absl::StatusOr<symbolic::Value*> TraceInFloat32(symbolic::TraceContext& trace,
                                                absl::Span<symbolic::Value* const> args) {
  return MapItems(
      trace, args[0], [&trace](symbolic::Value* value) -> absl::StatusOr<symbolic::Value*> {
        numpy::NumpyTensor* tensor = AsNative(value);
        if (tensor != nullptr && IsLowPrecision(tensor->node->dtype)) {
          return CopyIn(trace, tensor, DType::kFloat32);
        }
        const std::optional<DType> dtype = DTypeIn(value);
        if (!dtype || !IsLowPrecision(*dtype)) return value;
        return trace.New<symbolic::ConstantValue>(Ref::New(DTypeObject(DType::kFloat32)));
      });
}

absl::StatusOr<symbolic::Value*> TraceRounded(symbolic::TraceContext& trace,
                                              absl::Span<symbolic::Value* const> args) {
  const std::optional<DType> narrow = DTypeIn(args[1]);
  if (!narrow) return symbolic::GraphBreak("a dtype that is not known");
  return MapItems(trace, args[0], [&](symbolic::Value* value) -> absl::StatusOr<symbolic::Value*> {
    numpy::NumpyTensor* tensor = AsNative(value);
    const bool rounds = tensor != nullptr && tensor->node->dtype == DType::kFloat32;
    return rounds ? CopyIn(trace, tensor, *narrow) : value;
  });
}

}  // namespace dynacc::tensor
