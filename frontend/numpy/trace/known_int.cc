#include "frontend/numpy/trace/known_int.h"

#include "absl/algorithm/container.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::Status RefuseBool(symbolic::Value* value) {
  const auto* number = symbolic::As<symbolic::NumberValue>(value);
  const auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  const bool is_bool = (number != nullptr && number->type == ScalarType::kBool) ||
                       (constant != nullptr && PyBool_Check(constant->object.get()));
  return is_bool ? symbolic::GraphBreak("a bool where NumPy asks for an int") : absl::OkStatus();
}

absl::StatusOr<int64_t> KnownInt(symbolic::TraceContext& trace, symbolic::Value* value) {
  DYNACC_RETURN_IF_ERROR(RefuseBool(value));
  return trace.ConstantInt(value);
}

bool IsPlainInt(symbolic::Value* value) {
  if (const auto* number = symbolic::As<symbolic::NumberValue>(value))
    return number->type == ScalarType::kInt;
  const auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && PyLong_CheckExact(constant->object.get());
}

bool IsListOfInts(symbolic::Value* value) {
  const auto* list = symbolic::As<symbolic::ListValue>(value);
  return list != nullptr && !list->open && absl::c_all_of(list->items, [](symbolic::Value* item) {
           const auto* constant = symbolic::As<symbolic::ConstantValue>(item);
           return constant != nullptr && PyLong_CheckExact(constant->object.get());
         });
}

}  // namespace dynacc::numpy
