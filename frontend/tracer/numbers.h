// Arithmetic, comparison and truth of Python numbers and other plain constants.
//
// On constants CPython itself computes at capture; on numbers that may change, expressions of the
// scalar program do. What neither does exactly is a graph break.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Whether `value` is a constant whose operators have no effect but their result: a number, str,
// bytes, None, or a tuple of such.
bool IsPlainConstantValue(const symbolic::Value* value);
// Results of constant folding larger than this are left to the program to compute.
inline constexpr Py_ssize_t kMaxFoldedSize = 4096;
// No limit that a program sets concerns ints of fewer digits (sys.set_int_max_str_digits).
inline constexpr Py_ssize_t kUnlimitedDigits = 640;
// Whether a plain constant is, or holds, an int of perhaps more digits: its text may be an error.
bool HasLimitedDigits(BorrowedRef constant);
// Whether a plain constant is, or holds, a NaN: containers find one by its identity, which guards
// do not know.
bool HasNan(BorrowedRef constant);
// Whether `value` is an exact int, float or bool: constant or not.
bool IsNumberValue(const symbolic::Value* value);

// `a op b` (NB_ADD ...; in-place forms are the plain ones).
absl::StatusOr<symbolic::Value*> NumberBinary(Tracer& tracer, int nb_op, symbolic::Value* a,
                                              symbolic::Value* b);
// `a op b` (Py_LT ...).
absl::StatusOr<symbolic::Value*> NumberCompare(Tracer& tracer, int compare_op, symbolic::Value* a,
                                               symbolic::Value* b);
// -a, +a, ~a (UNARY_NEGATIVE ...).
absl::StatusOr<symbolic::Value*> NumberUnary(Tracer& tracer, int opcode, symbolic::Value* a);

// What the __len__ of an object says, an int of Python's; null: its class has none. GraphBreak for
// what len() refuses, and for what it has to make an int of first.
absl::StatusOr<symbolic::Value*> LengthByMethod(Tracer& tracer, symbolic::Value* object);

// bool(a) for a NumberValue, required at every call.
bool NumberTruth(Tracer& tracer, const symbolic::NumberValue& a);

// op(a, b) as a NumberValue whose hint is computed from the operands' hints.
absl::StatusOr<symbolic::Value*> NumberApply(Tracer& tracer, ScalarOp op, symbolic::Value* a,
                                             symbolic::Value* b);

// `value` as an expression: constants become constants of the program. GraphBreak if it is no
// number of 64 bits.
absl::StatusOr<symbolic::NumberValue*> AsExpression(Tracer& tracer, symbolic::Value* value);

}  // namespace dynacc::tracer
