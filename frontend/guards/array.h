// Guards on arrays and array scalars, answered by the array library's folder: Array, Tensor,
// NumpyScalar, DimEquals, Contiguous, Writable, ScalarClass, ErrorState.
#pragma once

#include "frontend/guards/array_checks.h"
#include "frontend/guards/check.h"

namespace dynacc {

template <>
struct GuardCheck<GuardKind::kArray> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().check_array(
                                   value, static_cast<DType>(guard.b), static_cast<int>(guard.a));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kTensor> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().check_tensor(
                                   value, static_cast<DType>(guard.b), static_cast<int>(guard.a));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kNumpyScalar> {
  static bool Check(const Guard& guard, BorrowedRef value) {
    return value != nullptr &&
           RegisteredArrayChecks().check_scalar(value, static_cast<DType>(guard.b));
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kDimEquals> : KeyedCheck<GuardCheck<GuardKind::kDimEquals>> {
  static int64_t Family(const Guard& guard) { return guard.a; }
  static bool Key(const Guard& guard, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = RegisteredArrayChecks().dim(value, static_cast<int>(guard.a));
    return *key >= 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.b; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kContiguous> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().is_contiguous(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kWritable> {
  static bool Check(const Guard&, BorrowedRef value) {
    return value != nullptr && RegisteredArrayChecks().is_writable(value);
  }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kScalarClass> : KeyedCheck<GuardCheck<GuardKind::kScalarClass>> {
  static bool Key(const Guard&, BorrowedRef value, int64_t* key) {
    if (value == nullptr) return false;
    *key = RegisteredArrayChecks().scalar_class(value);
    return *key >= 0;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

template <>
struct GuardCheck<GuardKind::kErrorState> : KeyedCheck<GuardCheck<GuardKind::kErrorState>> {
  static bool Key(const Guard&, BorrowedRef, int64_t* key) {
    *key = RegisteredArrayChecks().error_state();
    return true;
  }
  static int64_t Wanted(const Guard& guard) { return guard.a; }
  static std::string Explain(const Guard& guard, BorrowedRef value);
};

}  // namespace dynacc
