#include "frontend/numpy/trace/number_calls.h"

#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {

absl::StatusOr<symbolic::Value*> EmitNumber(symbolic::TraceContext& trace, TracedCall traced,
                                            BorrowedRef example) {
  const bool is_float = PyFloat_CheckExact(example);
  if (!is_float && !PyLong_CheckExact(example)) {
    const std::optional<DType> dtype =
        IsNumpyScalar(example) ? FromScalar(example) : std::optional<DType>();
    if (!dtype) return symbolic::GraphBreak("a number that kernels do not handle");
    return EmitKnown(trace, std::move(traced), *dtype, Shape());
  }
  traced.call.gives_number = true;
  PyTypeObject* const type = is_float ? &PyFloat_Type : &PyLong_Type;
  symbolic::Value* const scalar =
      EmitKnown(trace, std::move(traced), is_float ? DType::kFloat64 : DType::kInt64, Shape());
  return trace.New<symbolic::LazyValue>(Ref::New(reinterpret_cast<PyObject*>(type)),
                                        std::vector<symbolic::Value*>{scalar}, type);
}

absl::StatusOr<symbolic::Value*> CallFunctionOnNumbers(symbolic::TraceContext& trace,
                                                       BorrowedRef function,
                                                       absl::Span<symbolic::Value* const> args) {
  DYNACC_ASSIGN_OR_RETURN(TracedCall traced, TakeApart(trace, function, {args, {}}));
  for (const Shape& shape : traced.shapes) {
    if (shape.rank() > 0) return symbolic::GraphBreak("a builtin called with an array");
  }
  DYNACC_ASSIGN_OR_RETURN(const Ref example, TryOutSmall(traced));
  return EmitNumber(trace, std::move(traced), example.get());
}

symbolic::TensorValue* ScalarOfNumber(symbolic::Value* value) {
  auto* const lazy = symbolic::As<symbolic::LazyValue>(value);
  if (lazy == nullptr || lazy->args.size() != 1) return nullptr;
  auto* const tensor = symbolic::As<symbolic::TensorValue>(lazy->args[0]);
  if (tensor == nullptr || !tensor->is_scalar || tensor->is_native) return nullptr;
  if (lazy->type == &PyFloat_Type && tensor->node->dtype == DType::kFloat64) return tensor;
  return lazy->type == &PyLong_Type && tensor->node->dtype == DType::kInt64 ? tensor : nullptr;
}

}  // namespace dynacc::numpy
