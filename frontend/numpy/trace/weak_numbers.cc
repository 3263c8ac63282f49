#include "frontend/numpy/trace/weak_numbers.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "frontend/numpy/capi/descriptors.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// The largest int that a float64 holds with all ints below it: NumPy makes floats of ints by way of
// float64, so that a larger one would be rounded twice on its way to a float32.
constexpr int64_t kMaxExactInt = int64_t{1} << 53;

// What rounds to a finite half, and to a finite float32, by a wide margin.
constexpr double kMaxHalf = 65000.0;
constexpr double kMaxSingle = 3.4e38;

struct Limits {
  int64_t lo;
  int64_t hi;
};

// The ints that may become elements of `dtype`.
Limits IntLimits(DType dtype) {
  const DType real = RealOf(dtype);
  if (real == DType::kFloat64) return {INT64_MIN, INT64_MAX};
  if (real == DType::kFloat16)
    return {-static_cast<int64_t>(kMaxHalf), static_cast<int64_t>(kMaxHalf)};
  if (IsFloat(real)) return {-kMaxExactInt, kMaxExactInt};
  const int bits = 8 * ItemSize(dtype);
  if (Info(dtype).kind == DTypeKind::kUnsigned) {
    return {0, bits == 64 ? INT64_MAX : (int64_t{1} << bits) - 1};
  }
  const int64_t max = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return {-max - 1, max};
}

absl::Status Refused() {
  return symbolic::GraphBreak("a Python number that the array's dtype does not hold");
}

// Requires lo <= number <= hi of a number that varies, unless every int does.
absl::Status RequireInt(symbolic::TraceContext& trace, ScalarId number, int64_t now,
                        Limits limits) {
  if (now < limits.lo || now > limits.hi) return Refused();
  ScalarProgram& scalars = trace.graph().scalars();
  if (scalars.expr(number).op == ScalarOp::kConst) return absl::OkStatus();
  if (limits.lo != INT64_MIN) {
    trace.RequireTrue(scalars.Apply(ScalarOp::kLe, scalars.Int(limits.lo), number));
  }
  if (limits.hi != INT64_MAX) {
    trace.RequireTrue(scalars.Apply(ScalarOp::kLe, number, scalars.Int(limits.hi)));
  }
  return absl::OkStatus();
}

absl::Status RequireFloat(symbolic::TraceContext& trace, ScalarId number, double now, DType dtype) {
  const DType real = RealOf(dtype);
  if (real == DType::kFloat64 || !IsFloat(real)) {
    return IsFloat(real) ? absl::OkStatus() : Refused();  // no dtype of ints is found for a float
  }
  const double limit = real == DType::kFloat16 ? kMaxHalf : kMaxSingle;
  ScalarProgram& scalars = trace.graph().scalars();
  const bool is_known = scalars.expr(number).op == ScalarOp::kConst;
  if (is_known && !std::isfinite(now)) return absl::OkStatus();
  if (!(std::abs(now) <= limit)) return Refused();
  if (is_known) return absl::OkStatus();
  trace.RequireTrue(scalars.Apply(ScalarOp::kLe, scalars.Float(-limit), number));
  trace.RequireTrue(scalars.Apply(ScalarOp::kLe, number, scalars.Float(limit)));
  return absl::OkStatus();
}

// One part of a Python number; a number that varies has its present value in `varying`.
absl::Status RequirePart(symbolic::TraceContext& trace, ScalarId part,
                         const symbolic::NumberValue* varying, DType dtype) {
  const ScalarExpr& expr = trace.graph().scalars().expr(part);
  const ScalarValue now = varying != nullptr ? varying->hint : expr.value;
  if (varying == nullptr && expr.op != ScalarOp::kConst) return Refused();
  if (expr.type == ScalarType::kBool || dtype == DType::kBool) return absl::OkStatus();
  return expr.type == ScalarType::kInt ? RequireInt(trace, part, now.i, IntLimits(dtype))
                                       : RequireFloat(trace, part, now.f, dtype);
}

// Of a number that only the run tells, a float may be an element of any dtype: one that becomes
// infinite shows in the floating-point flags. An int may be one of those that hold every int64.
absl::Status RequireComputed(const Operand& operand, DType dtype) {
  const bool is_int = operand.is_python && operand.dtype == DType::kInt64;
  const Limits limits = IntLimits(dtype);
  const bool holds_all = limits.lo == INT64_MIN && limits.hi == INT64_MAX;
  return is_int && dtype != DType::kBool && !holds_all ? Refused() : absl::OkStatus();
}

// The dtype that an array counts with, or the Python type itself. Borrowed.
BorrowedRef DTypeOrType(BorrowedRef example) {
  return PyType_Check(example) ? example
                               : reinterpret_cast<PyObject*>(PyArray_DESCR(AsArray(example)));
}

int TypeNumOf(BorrowedRef descr) {
  return PyArray_DescrCheck(descr) ? reinterpret_cast<PyArray_Descr*>(descr)->type_num : -1;
}

// A number of the Python type, or an array: what np.result_type wants.
Ref AsOperand(BorrowedRef example) {
  return PyType_Check(example) ? Ref::Steal(PyObject_CallNoArgs(example)) : Ref::New(example);
}

}  // namespace

bool IsWeakNumber(BorrowedRef object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyComplex_CheckExact(object);
}

std::vector<int> ResolveWeakTypes(PyUFuncObject* ufunc, absl::Span<PyObject* const> examples) {
  Ref dtypes = Ref::Steal(PyTuple_New(ufunc->nargs));
  for (int i = 0; dtypes && i < ufunc->nargs; ++i) {
    PyObject* given = i < static_cast<int>(examples.size()) ? DTypeOrType(examples[i]) : Py_None;
    PyTuple_SET_ITEM(dtypes.get(), i, Py_NewRef(given));
  }
  Ref found = dtypes ? Ref::Steal(PyObject_CallMethod(reinterpret_cast<PyObject*>(ufunc),
                                                      "resolve_dtypes", "(O)", dtypes.get()))
                     : Ref();
  PyErr_Clear();
  std::vector<int> types;
  if (!found || !PyTuple_CheckExact(found.get())) return types;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(found.get()); ++i) {
    types.push_back(TypeNumOf(PyTuple_GET_ITEM(found.get(), i)));
  }
  return types;
}

int WeakResultType(BorrowedRef a, BorrowedRef b) {
  static PyObject* const result_type = CoreObject("result_type").Release();
  const Ref left = AsOperand(a);
  const Ref right = AsOperand(b);
  Ref found;
  if (result_type != nullptr && left && right) {
    found = Ref::Steal(PyObject_CallFunctionObjArgs(result_type, left.get(), right.get(), nullptr));
  }
  PyErr_Clear();
  return found ? TypeNumOf(found.get()) : -1;
}

int ResultTypeByValue(BorrowedRef a, BorrowedRef b) {
  PyArrayObject* values[] = {AsArray(a), AsArray(b)};
  Ref found = Ref::Steal(reinterpret_cast<PyObject*>(PyArray_ResultType(2, values, 0, nullptr)));
  PyErr_Clear();
  return found ? TypeNumOf(found.get()) : -1;
}

absl::Status RequireElement(symbolic::TraceContext& trace, const Operand& operand, DType dtype) {
  if (operand.tensor != nullptr) return RequireComputed(operand, dtype);
  DYNACC_RETURN_IF_ERROR(RequirePart(trace, operand.scalar.real, operand.number, dtype));
  if (!operand.scalar.is_complex()) return absl::OkStatus();
  if (!IsComplex(dtype)) return Refused();
  return RequirePart(trace, operand.scalar.imag, operand.number, dtype);
}

}  // namespace dynacc::numpy
