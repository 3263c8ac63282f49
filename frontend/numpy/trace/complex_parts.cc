// What NumPy writes in Python about complex arrays (numpy/lib/type_check.py and function_base.py):
// real, imag, angle, iscomplexobj; and the method conj.
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

absl::StatusOr<symbolic::Value*> IsComplexArray(symbolic::TraceContext& trace,
                                                const BoundArgs& args, bool answer) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("x"));
  const bool truth = IsComplex(a->node->dtype) == answer;
  return trace.New<symbolic::ConstantValue>(Ref::New(truth ? Py_True : Py_False));
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceRealFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("val"));
  return GetReal(trace, AsNumpy(a));
}

absl::StatusOr<symbolic::Value*> TraceImagFunction(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("val"));
  return GetImag(trace, AsNumpy(a));
}

absl::StatusOr<symbolic::Value*> TraceAngle(symbolic::TraceContext& trace, const BoundArgs& args,
                                            Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * z, args.Tensor("z"));
  DYNACC_ASSIGN_OR_RETURN(const bool degrees, args.Flag("deg", false));
  if (degrees || !IsComplex(z->node->dtype))
    return symbolic::GraphBreak("an angle in degrees or of reals");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * real, GetReal(trace, AsNumpy(z)));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * imag, GetImag(trace, AsNumpy(z)));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * angle, Elementwise(trace, Op::kArctan2, {imag, real}));
  return angle;
}

absl::StatusOr<symbolic::Value*> TraceIsComplexObj(symbolic::TraceContext& trace,
                                                   const BoundArgs& args, Op) {
  return IsComplexArray(trace, args, true);
}

absl::StatusOr<symbolic::Value*> TraceIsRealObj(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  return IsComplexArray(trace, args, false);
}

// The method gives a real array itself, where the ufunc copies it.
absl::StatusOr<symbolic::Value*> TraceConjugateMethod(symbolic::TraceContext& trace,
                                                      const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  if (!IsComplex(a->node->dtype)) {
    if (a->is_scalar) return symbolic::GraphBreak("conjugate of a NumPy scalar");
    return a;
  }
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result,
                          Elementwise(trace, Op::kConjugate, {static_cast<symbolic::Value*>(a)}));
  return result;
}

}  // namespace dynacc::numpy
