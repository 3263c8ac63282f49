#include "runtime/ops/element_functions.h"

#include "runtime/ops/element_binary.h"
#include "runtime/ops/element_complex.h"
#include "runtime/ops/element_half.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc {
namespace {

// The struct whose Apply serves elements of type T.
template <typename OpStruct, typename T>
struct FormOf {
  using Form = OpStruct;
};
template <typename OpStruct>
struct FormOf<OpStruct, Half> {
  using Form = element::HalfOf<OpStruct>;
};
template <typename OpStruct, LowPrecisionType T>
struct FormOf<OpStruct, T> {
  struct Form {};  // is not computed with
};
template <typename OpStruct, ComplexType T>
struct FormOf<OpStruct, T> {
  using Form = element::ComplexOf<OpStruct>;
};

template <typename OpStruct, typename T>
constexpr UnaryElementFn UnaryOf() {
  if constexpr (requires(T a) { OpStruct::Apply(a); }) {
    return [](const void* a, void* result) {
      using Result = decltype(OpStruct::Apply(T()));
      *static_cast<Result*>(result) = OpStruct::Apply(*static_cast<const T*>(a));
    };
  } else {
    return nullptr;
  }
}

template <typename OpStruct, typename T>
constexpr BinaryElementFn BinaryOf() {
  if constexpr (requires(T a) { OpStruct::Apply(a, a); }) {
    return [](const void* a, const void* b, void* result) {
      using Result = decltype(OpStruct::Apply(T(), T()));
      *static_cast<Result*>(result) =
          OpStruct::Apply(*static_cast<const T*>(a), *static_cast<const T*>(b));
    };
  } else {
    return nullptr;
  }
}

struct ElementRow {
  UnaryElementFn unary[kNumDTypes] = {};
  BinaryElementFn binary[kNumDTypes] = {};
};

template <typename OpStruct>
constexpr ElementRow MakeUnaryRow() {
  return {.unary = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) \
  UnaryOf<typename FormOf<OpStruct, type>::Form, type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
          }};
}

template <typename OpStruct>
constexpr ElementRow MakeBinaryRow() {
  return {.binary = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) \
  BinaryOf<typename FormOf<OpStruct, type>::Form, type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
          }};
}

// A unary or binary row of ops.def without its struct does not compile.
#define DYNACC_ROW_kLeaf(name) ElementRow()
#define DYNACC_ROW_kStructural(name) ElementRow()
#define DYNACC_ROW_kReduction(name) ElementRow()
#define DYNACC_ROW_kLibraryCall(name) ElementRow()
#define DYNACC_ROW_kUnary(name) MakeUnaryRow<element::name>()
#define DYNACC_ROW_kBinary(name) MakeBinaryRow<element::name>()
constexpr ElementRow kRows[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) \
  DYNACC_ROW_##category(name),
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

template <typename From, typename To>
void Cast(const void* a, void* result) {
  *static_cast<To*>(result) = CastValue<To>(*static_cast<const From*>(a));
}

struct CastRow {
  UnaryElementFn to[kNumDTypes];
};

template <typename From>
constexpr CastRow MakeCastRow() {
  return {{
#define DYNACC_DTYPE(name, text, type, kind, numpy) Cast<From, type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  }};
}

constexpr CastRow kCasts[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) MakeCastRow<type>(),
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
};

}  // namespace

UnaryElementFn FindUnaryElementFn(Op op, DType dtype) {
  if (IsRegistered(op)) return nullptr;
  return kRows[static_cast<int>(op)].unary[static_cast<int>(dtype)];
}

BinaryElementFn FindBinaryElementFn(Op op, DType dtype) {
  if (IsRegistered(op)) return nullptr;
  return kRows[static_cast<int>(op)].binary[static_cast<int>(dtype)];
}

UnaryElementFn FindCastFn(DType from, DType to) {
  return kCasts[static_cast<int>(from)].to[static_cast<int>(to)];
}

}  // namespace dynacc
