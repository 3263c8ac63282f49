// Op: what a graph node computes, from THE table ops.def.
//
// Everything that a pass, the scheduler or an emitter needs to know about an op is a column or a
// trait of its row; no code switches over ops.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

enum class Op : uint8_t {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) k##name,
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

enum class OpCategory : uint8_t {
  kLeaf,         // no operands
  kStructural,   // rearranges, converts or selects elements; see codegen/ir/graph.h
  kUnary,        // elementwise, one operand
  kBinary,       // elementwise, two operands of the same dtype and shape
  kReduction,    // one operand, attrs.ints = the reduced axes, ascending
  kLibraryCall,  // computed as a whole, by a library or a step of its own
};

// Traits, a bit each, written in ops.def as words joined by |.
enum OpTrait : uint32_t {
  kNone = 0,
  kEmitted = 1,      // c_expr gives NumPy's bits; otherwise a library loop does. Of the dtypes
                     // that C++ lacks (float16, complex) the two traits below say so
  kCommutative = 2,  // op(a, b) and op(b, a) have the same bits (NaN payloads aside)
  kIdempotent = 4,   // op(a, a) == a for every a
  kRaisesFlags = 8,  // on floats may raise a floating-point flag, so NumPy may warn: never dropped
  kEmittedInt = 16,  // c_expr holds for integers (and bool) only; floats use the library loop
  kEmittedFloat = 32,      // c_expr holds for floats only; integers use the library loop
  kEmittedHalf = 64,       // c_expr holds for float16
  kEmittedComplex = 128,   // c_expr holds for complex numbers
  kRaisesIfComplex = 256,  // as kRaisesFlags, on complex numbers only

  // Words for several of them.
  kEmittedReal = kEmittedFloat | kEmittedHalf,
  kEmittedInexact = kEmittedReal | kEmittedComplex,
  kEmittedAll = kEmitted | kEmittedHalf | kEmittedComplex,
};

// The dtype of the result, from the dtype of the operands (which the front end has made equal).
enum class DTypeRule : uint8_t {
  kSame,    // as the first operand
  kBool,    // bool
  kAttr,    // as given when the node was made
  kSecond,  // as the second operand (Where: condition, a, b)
  kInt64,   // int64 (ArgMin, ArgMax)
  kReal,    // as the parts of the first operand, which may be complex
};

struct OpInfo {
  const char* text;  // as printed in graphs
  OpCategory category;
  uint32_t traits;
  DTypeRule dtype_rule;
  const char* c_expr;  // C++ on operands a, b of type T (vectors and scalars alike); "" if none
  const char* numpy;   // name of the ufunc in the numpy module; "" if it has none
  const char* cuda;    // in CUDA C++, where that is not c_expr; else ""
};

const OpInfo& Info(Op op);
int NumOps();

// The op printed as `text`; nothing if there is none.
std::optional<Op> ParseOp(absl::string_view text);

// Whether `op` on operands of `dtype` is emitted as its c_expr; otherwise a library loop does it.
bool IsEmitted(Op op, DType dtype);

// Whether `op` on operands of `dtype` may raise a floating-point flag that NumPy reports.
bool RaisesFlags(Op op, DType dtype);
// Whether a conversion between the two may raise a floating-point flag that NumPy reports: of
// integers only by overflow, for which a float16 is small enough.
bool ConversionRaisesFlags(DType from, DType to);

// The dtype of an elementwise op's result on operands of `dtype`.
DType ResultOf(Op op, DType dtype);

inline bool HasTrait(Op op, OpTrait trait) { return (Info(op).traits & trait) != 0; }
inline bool IsElementwise(Op op) {
  const OpCategory category = Info(op).category;
  return category == OpCategory::kUnary || category == OpCategory::kBinary;
}

}  // namespace dynacc
