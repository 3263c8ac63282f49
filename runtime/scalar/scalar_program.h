// ScalarProgram: the arithmetic on Python numbers and array sizes that one captured segment does.
//
// Sizes, loop counters, step widths: what Python computes once a call, on single numbers. A
// program is a list of expressions over its inputs, built once at capture, hash-consed (equal
// expressions have equal ids, constants are folded), evaluated at every call before anything
// runs. Ints are 64 bits; whatever Python would answer with a longer int or an exception makes
// Evaluate return false, and the caller lets Python run the stretch instead.
//
// Not thread-safe while it is built; immutable and safe to share afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

namespace dynacc {

enum class ScalarType : uint8_t { kInt, kFloat, kBool };

// One number; `type` is known statically from the program. Bools are 0 or 1 in `i`.
union ScalarValue {
  int64_t i;
  double f;
};

enum class ScalarOp : uint8_t {
  kConst,
  kInput,
#define DYNACC_SCALAR_OP(name, text, arity, result) k##name,
#include "runtime/scalar/scalar_ops.def"
#undef DYNACC_SCALAR_OP
};

// Index of an expression within its program.
using ScalarId = int32_t;
inline constexpr ScalarId kNoScalar = -1;

struct ScalarExpr {
  ScalarOp op;
  ScalarType type;
  ScalarId a = kNoScalar;
  ScalarId b = kNoScalar;
  ScalarValue value = {0};  // kConst: the constant; kInput: `i` is the input's index
};

class ScalarProgram {
 public:
  ScalarId Int(int64_t value);
  ScalarId Float(double value);  // by bits: 0.0 and -0.0 differ, every NaN equals itself
  ScalarId Bool(bool value);

  // A new input of the program; `num_inputs` grows by one.
  ScalarId AddInput(ScalarType type);

  // op(a) or op(a, b), folded and simplified (x+0, x*1, x-x for ints) where that is exact for
  // every value. Operands of two-operand ops have one type: the caller inserts kToFloat. kMin to
  // kLe on two operands of different order are not canonicalised except commutative int ops.
  ScalarId Apply(ScalarOp op, ScalarId a, ScalarId b = kNoScalar);

  const ScalarExpr& expr(ScalarId id) const { return exprs_[id]; }
  int size() const { return static_cast<int>(exprs_.size()); }
  int num_inputs() const { return num_inputs_; }

  // True, with `*value` set, if `id` is an int constant.
  bool IsIntConst(ScalarId id, int64_t* value) const;

  // Evaluates every expression into `values` (size() of them). False if one of them fails; then
  // `values` is unspecified.
  bool Evaluate(absl::Span<const ScalarValue> inputs, absl::Span<ScalarValue> values) const;

  // "s0", "3", "(s0 - 2)": as printed in graphs and logs.
  std::string ToString(ScalarId id) const;

 private:
  ScalarId Intern(const ScalarExpr& expr);

  std::vector<ScalarExpr> exprs_;
  absl::flat_hash_map<uint64_t, std::vector<ScalarId>> by_hash_;
  int num_inputs_ = 0;
};

}  // namespace dynacc
