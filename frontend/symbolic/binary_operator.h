// BinaryOperator: a row of binary_operators.def, which says what its columns mean.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "frontend/cpython/ref.h"
#include "runtime/loops/loop_program.h"
#include "runtime/ops/op.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::symbolic {

enum class ScalarMath { kSame, kFloats, kOther };
enum class Elision { kNone, kLeft, kEither };

struct BinaryOperator {
  int nb_op;  // NB_ADD ...
  const char* name;
  binaryfunc apply;           // a op b
  binaryfunc apply_in_place;  // a op= b
  std::optional<Op> ufunc;    // none: arrays have rules of their own
  ScalarMath scalar_math;
  Elision elision;
  std::optional<ScalarOp> scalar_int;
  std::optional<ScalarOp> scalar_float;
  std::optional<loops::LoopOpCode> loop_int;
  std::optional<loops::LoopOpCode> loop_float;

  // The name of a special method: `prefix` is "", "i" (in place) or "r" (of the right operand).
  std::string SpecialMethod(absl::string_view prefix) const;
  // Whether IEEE 754 defines it on floats: of a float32 a double, rounded, gives the same bits.
  bool is_basic() const { return loop_float.has_value() && scalar_float.has_value(); }
};

// All of them, in the order of the table.
absl::Span<const BinaryOperator> BinaryOperators();

// The operator of BINARY_OP's argument, in-place forms included.
const BinaryOperator& OperatorOf(int nb_op);

// A function of the module `operator`, as `name` says it. Null, without an exception, if it has
// none.
Ref OperatorFunction(const char* name);

// What BINARY_OP does. Null with an exception set.
PyObject* ApplyOperator(int nb_op, PyObject* a, PyObject* b);

}  // namespace dynacc::symbolic
