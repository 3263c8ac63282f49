// np.seterr and np.geterr, and so np.errstate, whose methods are traced down to these: how
// floating-point errors are reported is known while tracing, and is set for real at the segment's
// end, if it differs then. seterr and geterr of numpy/core/_ufunc_config.py (NumPy 1.24).
#include "frontend/numpy/trace/error_state.h"

#include <array>
#include <cmath>
#include <limits>

#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/error_mask.h"
#include "frontend/numpy/capi/error_settings.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/function_table.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

struct Category {
  const char* name;      // in geterr's dict
  const char* argument;  // of seterr
  int shift;
};

// In the order of geterr's dict.
constexpr Category kCategories[] = {
    {"divide", "divide", kShiftDivideByZero},
    {"over", "over", kShiftOverflow},
    {"under", "under", kShiftUnderflow},
    {"invalid", "invalid", kShiftInvalid},
};

// By number: kErrIgnore and so on.
constexpr std::array kModes = {"ignore", "warn", "raise", "call", "print", "log"};

constexpr int kCategoryMask = 7;

absl::Status AskForState(symbolic::TraceContext& trace) {
  if (trace.error_state()) return absl::OkStatus();
  const int mask = NumpyErrorMask();
  if (mask < 0 || ErrorGetter() == nullptr || ErrorSetter() == nullptr) {
    return symbolic::GraphBreak("an error state that cannot be read");
  }
  trace.KnowErrorState(mask, ReportedByMask(mask), Ref::New(ErrorGetter()),
                       Ref::New(ErrorSetter()));
  return absl::OkStatus();
}

symbolic::Value* ModesOf(symbolic::TraceContext& trace, int mask) {
  auto* dict = trace.New<symbolic::DictValue>();
  for (const Category& category : kCategories) {
    const size_t mode = (mask >> category.shift) & kCategoryMask;
    Ref name = Ref::Steal(PyUnicode_InternFromString(category.name));
    Ref text = Ref::Steal(PyUnicode_InternFromString(kModes[mode]));
    dict->items.emplace_back(std::move(name), trace.New<symbolic::ConstantValue>(std::move(text)));
  }
  return dict;
}

// The least normal number of each float that a double may be too small for.
double LeastNormal(DType dtype) {
  if (dtype == DType::kFloat16) return 0x1p-14;
  const bool is_single = dtype == DType::kFloat32 || dtype == DType::kComplex64;
  return is_single ? std::numeric_limits<float>::min() : 0;
}

bool IsTiny(double number, double least) { return number != 0 && std::abs(number) < least; }

// Whether the part of a number is less than `least`, but not zero; `varying` is the number if it is
// given anew at each call. If it is not so now, the entry requires that of later calls, too.
bool IsTiny(symbolic::TraceContext& trace, ScalarId part, const symbolic::NumberValue* varying,
            double least) {
  ScalarProgram& scalars = trace.graph().scalars();
  const ScalarExpr& expr = scalars.expr(part);
  if (expr.type != ScalarType::kFloat || least == 0) return false;
  if (expr.op == ScalarOp::kConst) return IsTiny(expr.value.f, least);
  if (varying != nullptr && IsTiny(varying->hint.f, least)) return true;
  const ScalarId is_zero = scalars.Apply(ScalarOp::kEq, part, scalars.Float(0));
  const ScalarId is_large =
      scalars.Apply(ScalarOp::kLe, scalars.Float(least), scalars.Apply(ScalarOp::kAbs, part));
  const ScalarId fitting = scalars.Apply(ScalarOp::kAdd, is_zero, is_large);
  trace.RequireTrue(scalars.Apply(ScalarOp::kLt, scalars.Int(0), fitting));
  return false;
}

// The number of the mode that the argument names; `otherwise` if it was left out.
absl::StatusOr<int> ModeOf(symbolic::Value* argument, int otherwise) {
  if (argument == nullptr) return otherwise;
  auto* constant = symbolic::As<symbolic::ConstantValue>(argument);
  if (constant != nullptr && PyUnicode_CheckExact(constant->object.get())) {
    for (size_t i = 0; i < kModes.size(); ++i) {
      if (PyUnicode_CompareWithASCIIString(constant->object.get(), kModes[i]) == 0) {
        return static_cast<int>(i);
      }
    }
  }
  return symbolic::GraphBreak("an argument that names no way to report errors");
}

}  // namespace

absl::StatusOr<int> SetErrorsAs(symbolic::TraceContext& trace, const BoundArgs& args) {
  DYNACC_RETURN_IF_ERROR(AskForState(trace));
  const int old = trace.error_state()->now;
  int mask = 0;
  for (const Category& category : kCategories) {
    const int before = (old >> category.shift) & kCategoryMask;
    DYNACC_ASSIGN_OR_RETURN(const int of_all, ModeOf(args.GivenOrNull("all"), before));
    DYNACC_ASSIGN_OR_RETURN(const int mode, ModeOf(args.GivenOrNull(category.argument), of_all));
    mask |= mode << category.shift;
  }
  trace.SetErrorState(mask, ReportedByMask(mask));
  return old;
}

absl::Status RequireQuietConversion(symbolic::TraceContext& trace, const Operand& operand,
                                    DType dtype) {
  if (operand.tensor != nullptr) return absl::OkStatus();
  const double least = LeastNormal(dtype);
  const ir::Number& scalar = operand.scalar;
  const bool is_tiny = IsTiny(trace, scalar.real, operand.number, least) ||
                       (scalar.is_complex() && IsTiny(trace, scalar.imag, operand.number, least));
  if (!is_tiny) return absl::OkStatus();
  DYNACC_RETURN_IF_ERROR(AskForState(trace));
  const uint32_t reported = trace.reported_errors().value_or(kAllFpFlags);
  return (reported & kFpUnderflow) != 0 ? symbolic::GraphBreak("a number that underflows")
                                        : absl::OkStatus();
}

absl::StatusOr<symbolic::Value*> TraceSetErr(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  DYNACC_ASSIGN_OR_RETURN(const int old, SetErrorsAs(trace, args));
  return ModesOf(trace, old);
}

absl::StatusOr<symbolic::Value*> TraceGetErr(symbolic::TraceContext& trace, const BoundArgs&, Op) {
  DYNACC_RETURN_IF_ERROR(AskForState(trace));
  return ModesOf(trace, trace.error_state()->now);
}

}  // namespace dynacc::numpy
