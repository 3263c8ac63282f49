#include "frontend/numpy/trace/ufunc_call.h"

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/complex_product.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/in_place.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "frontend/numpy/trace/masked_ufunc.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/ufuncs.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// A ufunc call's keyword arguments must leave it as it is by default, but for `out` and `where`.
struct UfuncKeywords {
  symbolic::Value* out = nullptr;
  symbolic::TensorValue* where = nullptr;
};

absl::StatusOr<UfuncKeywords> KeywordsOf(symbolic::TraceContext& trace,
                                         const arrays::CallArgs& args) {
  static constexpr absl::string_view kSignature = "* out where casting order dtype subok";
  DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound,
                          BoundArgs::Bind(kSignature, nullptr, {{}, args.keywords}));
  DYNACC_RETURN_IF_ERROR(bound.RefuseGiven("dtype"));
  DYNACC_RETURN_IF_ERROR(bound.RefuseUnlessText("casting", "same_kind"));
  DYNACC_RETURN_IF_ERROR(bound.RefuseUnlessText("order", "K"));
  auto* const where = symbolic::As<symbolic::TensorValue>(bound["where"]);
  if (where == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const bool everywhere, bound.Flag("where", true));
    if (!everywhere) return symbolic::GraphBreak("argument where");
  }
  DYNACC_RETURN_IF_ERROR(bound.Flag("subok", true).status());
  symbolic::Value* const out = bound.GivenOrNull("out");
  const auto items = out == nullptr ? std::nullopt : ItemsOf(trace, out);
  return UfuncKeywords{items && items->size() == 1 ? items->front() : out, where};
}

// NumPy's loops leave their vectors where the result seems to touch an operand that it does not
// lie just over, and give other last bits then: of emitted ops there is but one result.
absl::Status RequireApartOrSame(Op op, absl::Span<symbolic::Value* const> operands,
                                const NumpyTensor* result, symbolic::TensorValue* target) {
  for (symbolic::Value* operand : operands) {
    auto* const tensor = symbolic::As<symbolic::TensorValue>(operand);
    if (tensor == nullptr || tensor->node == target->node) continue;
    if (tensor->root() != target->root()) continue;  // then apart, as `target` is written
    const DType dtype =
        result->node->operands.empty() ? result->node->dtype : result->node->operands[0]->dtype;
    if (!IsEmitted(op, dtype))
      return symbolic::GraphBreak("an argument out that overlaps an operand");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<symbolic::Value*> CallUfunc(symbolic::TraceContext& trace, Op op,
                                           const arrays::CallArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(const UfuncKeywords keywords, KeywordsOf(trace, args));
  symbolic::Value* out = keywords.out;
  const size_t arity = Info(op).category == OpCategory::kUnary ? 1 : 2;
  absl::Span<symbolic::Value* const> operands = args.positional;
  if (operands.size() == arity + 1 && out == nullptr && !IsNone(operands.back())) {
    out = operands.back();
    operands.remove_suffix(1);
  }
  if (operands.size() != arity) return symbolic::RaisingBreak("another number of arguments");
  auto* const target = symbolic::As<symbolic::TensorValue>(out);
  if (out != nullptr && target == nullptr) return symbolic::GraphBreak("argument out");
  if (keywords.where != nullptr) {
    if (target == nullptr) return symbolic::GraphBreak("argument where without out");
    DYNACC_ASSIGN_OR_RETURN(
        NumpyTensor * masked,
        MaskedElementwise(trace, op, operands, keywords.where, AsNumpy(target)));
    DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(target), masked));
    return target;
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, Elementwise(trace, op, operands));
  DYNACC_RETURN_IF_ERROR(RequireRoundingOfCall(trace, operands, out, result));
  if (target == nullptr) return result;
  DYNACC_RETURN_IF_ERROR(RequireApartOrSame(op, operands, result, target));
  DYNACC_RETURN_IF_ERROR(UpdateInPlace(trace, AsNumpy(target), result));
  return target;
}

absl::StatusOr<symbolic::Value*> CallAnyUfunc(symbolic::TraceContext& trace, BorrowedRef ufunc,
                                              const arrays::CallArgs& args) {
  const auto op = ElementwiseOpOf(ufunc);
  const auto by_library = [&]() -> absl::StatusOr<symbolic::Value*> {
    DYNACC_RETURN_IF_ERROR(trace.RequireNoDecomposition(ufunc));
    return CallElementwiseLibrary(trace, ufunc, args);
  };
  return op ? OrByLibrary(CallUfunc(trace, *op, args), by_library) : by_library();
}

}  // namespace dynacc::numpy
