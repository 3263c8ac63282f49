#include "frontend/tensor/promotion.h"

#include <algorithm>
#include <utility>

namespace dynacc::tensor {
namespace {

DType SignedOfSize(int bytes) {
  static constexpr DType kBySize[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
  int index = 0;
  while (1 << index < bytes) ++index;
  return kBySize[index];
}

// The smallest float in which NumPy converts an integer of so many bytes "safely".
DType FloatFor(DType integer) {
  if (ItemSize(integer) == 1) return DType::kFloat16;
  return ItemSize(integer) == 2 ? DType::kFloat32 : DType::kFloat64;
}

DType ComplexOf(DType real) {
  return ItemSize(real) <= ItemSize(DType::kFloat32) ? DType::kComplex64 : DType::kComplex128;
}

DType PromoteIntegers(DType a, DType b) {
  if (Info(a).kind == Info(b).kind) return ItemSize(a) >= ItemSize(b) ? a : b;
  if (Info(a).kind == DTypeKind::kUnsigned) std::swap(a, b);  // b is the unsigned one
  if (ItemSize(a) > ItemSize(b)) return a;
  if (b == DType::kUInt64) return DType::kFloat64;
  return SignedOfSize(2 * ItemSize(b));
}

// float16 and bfloat16 have values that the other lacks, as have the two of float8, whose float16
// has.
DType PromoteFloats(DType a, DType b) {
  if (ItemSize(a) != ItemSize(b)) return ItemSize(a) > ItemSize(b) ? a : b;
  if (a == b) return a;
  return ItemSize(a) == 1 ? DType::kFloat16 : DType::kFloat32;
}

DType AsFloat(DType dtype) { return IsInteger(dtype) ? FloatFor(dtype) : RealOf(dtype); }

}  // namespace

std::optional<NumberKind> KindOfNumber(BorrowedRef object) {
  if (PyBool_Check(object)) return NumberKind::kBool;
  if (PyLong_Check(object)) return NumberKind::kInt;
  if (PyFloat_Check(object)) return NumberKind::kFloat;
  if (PyComplex_Check(object)) return NumberKind::kComplex;
  return std::nullopt;
}

DType Promote(DType a, DType b) {
  if (a == b || b == DType::kBool) return a;
  if (a == DType::kBool) return b;
  if (IsInteger(a) && IsInteger(b)) return PromoteIntegers(a, b);
  if (b == DType::kBFloat16) std::swap(a, b);
  if (a == DType::kBFloat16 && IsInteger(b) && ItemSize(b) == 1) return a;  // which holds them all
  const DType real = PromoteFloats(AsFloat(a), AsFloat(b));
  return IsComplex(a) || IsComplex(b) ? ComplexOf(real) : real;
}

DType PromoteNumber(DType dtype, NumberKind kind) {
  switch (kind) {
    case NumberKind::kBool:
      return dtype;
    case NumberKind::kInt:
      return dtype == DType::kBool ? DType::kInt64 : dtype;
    case NumberKind::kFloat:
      return IsInexact(dtype) ? dtype : DType::kFloat64;
    case NumberKind::kComplex:
      return IsComplex(dtype) ? dtype : IsFloat(dtype) ? ComplexOf(dtype) : DType::kComplex128;
  }
  return dtype;
}

DType DefaultDType(NumberKind kind) {
  static constexpr DType kDefaults[] = {DType::kBool, DType::kInt64, DType::kFloat64,
                                        DType::kComplex128};
  return kDefaults[static_cast<int>(kind)];
}

}  // namespace dynacc::tensor
