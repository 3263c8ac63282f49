// Operand: one argument of an elementwise operation, before promotion.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/numpy_tensor.h"
#include "frontend/numpy/trace/promotion.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/symbolic/trace_context.h"

namespace dynacc::numpy {

struct Operand {
  NumpyTensor* tensor = nullptr;            // an array or a scalar that the graph computes
  symbolic::NumberValue* number = nullptr;  // a Python number that is dynamic
  Ref object;                               // a number of a known value (perhaps also a tensor)
  ir::Number scalar{kNoScalar};             // the number's expression, if there is no tensor
  bool is_python = false;                   // the tensor has the value of a Python int or float
  DType dtype = DType::kFloat64;            // of the array that NumPy makes of it
  Shape shape;

  bool is_array() const { return shape.rank() > 0; }
  // Neither an array of any rank: what NumPy's scalar arithmetic would deal with.
  bool is_plain_scalar() const { return tensor == nullptr || tensor->is_scalar; }
};

// GraphBreak if `value` is not an array, a NumPy scalar, or a Python number of 64 bits a part.
absl::StatusOr<Operand> MakeOperand(symbolic::TraceContext& trace, symbolic::Value* value);

// What promotion is told of the operand.
absl::StatusOr<PromotionOperand> ForPromotion(const Operand& operand);
// Makes the classes for which a promotion's answer holds conditions of the entry.
absl::Status RequireClasses(symbolic::TraceContext& trace, const Operand& operand,
                            const PromotionOperand& promoted);

// The operand's node, cast to `dtype`, in its own shape.
const ir::Node* NodeOf(symbolic::TraceContext& trace, const Operand& operand, DType dtype);
// The number, of rank 0, or the end of the run where the condition, a bool of rank 0, holds: a live
// run then comes to nothing, and CPython goes on from where it began.
const ir::Node* EndRunIf(symbolic::TraceContext& trace, const ir::Node* condition,
                         const ir::Node* number);

// NodeOf what promotion was told of. Where its answer holds for some classes of a number that the
// run has, the run ends with another one.
const ir::Node* CheckedNodeOf(symbolic::TraceContext& trace, const Operand& operand,
                              const PromotionOperand& promoted, DType dtype);

// A NumPy scalar of a known value, as a tensor; GraphBreak if its dtype is not of dtype.def, or the
// number does not fit 64 bits.
absl::StatusOr<NumpyTensor*> KnownScalar(symbolic::TraceContext& trace, Ref object);

// The expression of a Python number or NumPy scalar of a known value; GraphBreak if there is none.
absl::StatusOr<ir::Number> ScalarOf(symbolic::TraceContext& trace, BorrowedRef object);

}  // namespace dynacc::numpy
