// DType: the element type of a tensor, from the table dtype.def.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "runtime/tensor/element_types.h"

namespace dynacc {

enum class DType : uint8_t {
#define DYNACC_DTYPE(name, text, type, kind, numpy) k##name,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

enum class DTypeKind : uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex };

// What the table says of one dtype.
struct DTypeInfo {
  const char* text;    // as printed in graphs: "f32"
  const char* c_name;  // as written in emitted C++: "float"
  int size;            // bytes of one element
  int alignment;       // bytes
  DTypeKind kind;
  char numpy;  // NumPy's type character; 0 for what NumPy lacks
};

inline constexpr DTypeInfo kDTypeInfo[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) \
  {text, #type, sizeof(type), alignof(type), DTypeKind::k##kind, numpy[0]},
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

// Bytes of an element of the largest dtype.
inline constexpr int kMaxItemSize = sizeof(Complex128);

inline constexpr int kNumDTypes = sizeof(kDTypeInfo) / sizeof(kDTypeInfo[0]);

constexpr const DTypeInfo& Info(DType dtype) { return kDTypeInfo[static_cast<int>(dtype)]; }
constexpr int ItemSize(DType dtype) { return Info(dtype).size; }
constexpr bool IsFloat(DType dtype) { return Info(dtype).kind == DTypeKind::kFloat; }
// A float that arithmetic takes for a float32.
constexpr bool IsShortFloat(DType dtype) { return IsFloat(dtype) && ItemSize(dtype) <= 2; }
// One that NumPy lacks, which is only moved and converted.
constexpr bool IsLowPrecision(DType dtype) { return Info(dtype).numpy == 0; }
constexpr bool IsComplex(DType dtype) { return Info(dtype).kind == DTypeKind::kComplex; }
// Whether arithmetic on it rounds, knows NaN and may raise floating-point flags.
constexpr bool IsInexact(DType dtype) { return IsFloat(dtype) || IsComplex(dtype); }
constexpr bool IsInteger(DType dtype) {
  return Info(dtype).kind == DTypeKind::kSigned || Info(dtype).kind == DTypeKind::kUnsigned;
}
// Integers in which NumPy adds up bools and shorter integers.
constexpr bool IsInteger64(DType dtype) { return IsInteger(dtype) && ItemSize(dtype) == 8; }

// The dtype of the parts of a complex number; any other dtype itself.
constexpr DType RealOf(DType dtype) {
  if (!IsComplex(dtype)) return dtype;
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

// The dtype printed as `text`; nothing if there is none.
inline std::optional<DType> ParseDType(absl::string_view text) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (text == kDTypeInfo[i].text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace dynacc
