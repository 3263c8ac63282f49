// ScalarProgram: the arithmetic on Python numbers and array sizes that one captured segment does.
//
// Sizes, loop counters, step widths: what Python computes once a call, on single numbers. A
// program is a list of expressions over its inputs, built once at capture, hash-consed (equal
// expressions have equal ids, constants are folded), evaluated at every call before anything
// runs. Ints are 64 bits; whatever Python would answer with a longer int or an exception makes
// Evaluate return false, and the caller lets Python run the stretch instead.
//
// Numbers that only the run of the graph tells (how many elements a mask selects) are
// *data-dependent*. They have levels, 1, 2, ..., in the order in which they become known; an
// expression's level is the highest of its data-dependent numbers', 0 if there is none. Evaluate
// leaves out what is of a level.
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
  kDataDependent,
  kInput,
#define DYNACC_SCALAR_OP(name, text, arity, result) k##name,
#include "runtime/scalar/scalar_ops.def"
#undef DYNACC_SCALAR_OP
};

// "int", "float" or "bool".
const char* ScalarTypeName(ScalarType type);

// A row of scalar_ops.def.
struct ScalarOpInfo {
  const char* text;
  int arity;
};

// `op` must be a row of the table, not kConst or kInput.
const ScalarOpInfo& Info(ScalarOp op);

// Index of an expression within its program.
using ScalarId = int32_t;
inline constexpr ScalarId kNoScalar = -1;

struct ScalarExpr {
  ScalarOp op;
  ScalarType type;
  ScalarId a = kNoScalar;
  ScalarId b = kNoScalar;
  ScalarValue value = {0};  // kConst: the constant; kInput, kDataDependent: `i` is its index
};

class ScalarProgram {
 public:
  ScalarId Int(int64_t value);
  ScalarId Float(double value);  // by bits: 0.0 and -0.0 differ, every NaN equals itself
  ScalarId Bool(bool value);

  // A new input of the program; `num_inputs` grows by one.
  ScalarId AddInput(ScalarType type);

  // A new data-dependent int; its level is num_data_dependent() then.
  ScalarId AddDataDependent();
  int num_data_dependent() const { return num_data_dependent_; }
  int Level(ScalarId id) const { return levels_[id]; }

  // op(a) or op(a, b), folded and simplified (x+0, x*1, x-x for ints) where that is exact for
  // every value. Operands of two-operand ops have one type (Int and Bool may mix, except in kMin
  // and kMax): the caller inserts kToFloat. Sums of an int and constants are collected, so that
  // ((s0 + 1) - 1) is s0; the commutative ops on ints put constants last, else the older first.
  ScalarId Apply(ScalarOp op, ScalarId a, ScalarId b = kNoScalar);

  // Whether Apply takes these operands: they exist, are as many as the op has, and their types fit.
  bool Accepts(ScalarOp op, ScalarId a, ScalarId b = kNoScalar) const;

  const ScalarExpr& expr(ScalarId id) const { return exprs_[id]; }
  int size() const { return static_cast<int>(exprs_.size()); }
  int num_inputs() const { return num_inputs_; }

  // True, with `*value` set, if `id` is an int constant.
  bool IsIntConst(ScalarId id, int64_t* value) const;

  // Evaluates every expression of level 0 into `values` (size() of them; the others are set to 0).
  // False if one of them fails; then `values` is unspecified.
  bool Evaluate(absl::Span<const ScalarValue> inputs, absl::Span<ScalarValue> values) const;

  // As Evaluate, where the first `known` of `values` are already there: for whoever holds a copy of
  // a program that has since grown (a compiler's passes add expressions, and no inputs).
  bool EvaluateRest(int known, absl::Span<ScalarValue> values) const;

  // Evaluates what is of that level, when its data-dependent number is in `values` and lower levels
  // are done.
  bool EvaluateLevel(int level, absl::Span<ScalarValue> values) const;

  // "s0", "3", "(s0 - 2)": as printed in graphs and logs. Deep expressions are cut at names.
  std::string ToString(ScalarId id) const;

  // A constant's literal, otherwise "s" and the expression's ordinal among the non-constants.
  std::string Name(ScalarId id) const;

  // As ToString, one level deep: "(s2 - 2)", "min(s0, s1)"; inputs and constants as Name.
  std::string Definition(ScalarId id) const;

 private:
  ScalarId Intern(const ScalarExpr& expr);
  int LevelOf(const ScalarExpr& expr) const;
  bool EvaluateOne(ScalarId id, absl::Span<ScalarValue> values) const;
  bool EvaluateFrom(int first, absl::Span<const ScalarValue> inputs,
                    absl::Span<ScalarValue> values) const;
  std::string Print(ScalarId id, int depth) const;

  std::vector<ScalarExpr> exprs_;
  std::vector<int32_t> ordinals_;  // of each expression among the non-constants
  std::vector<int32_t> levels_;    // of each expression
  absl::flat_hash_map<uint64_t, std::vector<ScalarId>> by_hash_;
  int num_inputs_ = 0;
  int num_data_dependent_ = 0;
  int32_t num_named_ = 0;
};

}  // namespace dynacc
