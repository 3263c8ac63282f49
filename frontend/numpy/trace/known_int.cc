#include "frontend/numpy/trace/known_int.h"

#include "runtime/base/status_macros.h"

namespace dynacc {

absl::Status RefuseBool(Value* value) {
  const auto* number = As<NumberValue>(value);
  const auto* constant = As<ConstantValue>(value);
  const bool is_bool = (number != nullptr && number->type == ScalarType::kBool) ||
                       (constant != nullptr && PyBool_Check(constant->object.get()));
  return is_bool ? GraphBreak("a bool where NumPy asks for an int") : absl::OkStatus();
}

absl::StatusOr<int64_t> KnownInt(TraceContext& trace, Value* value) {
  DYNACC_RETURN_IF_ERROR(RefuseBool(value));
  return trace.ConstantInt(value);
}

}  // namespace dynacc
