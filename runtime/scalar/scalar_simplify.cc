#include "runtime/scalar/scalar_simplify.h"

#include <limits>
#include <utility>

namespace dynacc {
namespace {

bool IsConst(const ScalarProgram& program, ScalarId id) {
  return program.expr(id).op == ScalarOp::kConst;
}

bool IsInt(const ScalarProgram& program, ScalarId id) {
  return program.expr(id).type == ScalarType::kInt;
}

bool Is(const ScalarProgram& program, ScalarId id, int64_t constant) {
  int64_t value;
  return program.IsIntConst(id, &value) && value == constant;
}

// An int expression as base + offset; base is kNoScalar for a constant.
struct Sum {
  ScalarId base = kNoScalar;
  int64_t offset = 0;
};

Sum AsSum(const ScalarProgram& program, ScalarId id) {
  int64_t c;
  if (program.IsIntConst(id, &c)) return {kNoScalar, c};
  const ScalarExpr& e = program.expr(id);
  if (e.op == ScalarOp::kAdd && program.IsIntConst(e.b, &c)) return {e.a, c};
  if (e.op == ScalarOp::kSub && program.IsIntConst(e.b, &c) &&
      c != std::numeric_limits<int64_t>::min()) {
    return {e.a, -c};
  }
  return {id, 0};
}

// base + offset, spelled with the sign that reads best. `was` is what it simplifies: when nothing
// got simpler the answer is kNoScalar, which ends the recursion through Apply.
ScalarId MakeSum(ScalarProgram& program, Sum sum, const ScalarExpr& was) {
  if (sum.base == kNoScalar) return program.Int(sum.offset);
  if (sum.offset == 0) return sum.base;
  const bool negative = sum.offset < 0 && sum.offset != std::numeric_limits<int64_t>::min();
  const ScalarOp op = negative ? ScalarOp::kSub : ScalarOp::kAdd;
  const ScalarId offset = program.Int(negative ? -sum.offset : sum.offset);
  if (was.op == op && was.a == sum.base && was.b == offset) return kNoScalar;
  return program.Apply(op, sum.base, offset);
}

// x if `id` is neg(x) for an int x, else kNoScalar.
ScalarId Negated(const ScalarProgram& program, ScalarId id) {
  const ScalarExpr& e = program.expr(id);
  return e.op == ScalarOp::kNeg && IsInt(program, e.a) ? e.a : kNoScalar;
}

ScalarId SimplifyAdd(ScalarProgram& program, const ScalarExpr& e) {
  if (const ScalarId x = Negated(program, e.b); x != kNoScalar) {
    return program.Apply(ScalarOp::kSub, e.a, x);
  }
  if (const ScalarId x = Negated(program, e.a); x != kNoScalar) {
    return program.Apply(ScalarOp::kSub, e.b, x);
  }
  const Sum a = AsSum(program, e.a);
  const Sum b = AsSum(program, e.b);
  if (a.base != kNoScalar && b.base != kNoScalar) return kNoScalar;
  Sum sum{a.base != kNoScalar ? a.base : b.base};
  if (__builtin_add_overflow(a.offset, b.offset, &sum.offset)) return kNoScalar;
  if (!IsInt(program, sum.base)) return kNoScalar;
  return MakeSum(program, sum, e);
}

ScalarId SimplifySub(ScalarProgram& program, const ScalarExpr& e) {
  const Sum a = AsSum(program, e.a);
  const Sum b = AsSum(program, e.b);
  Sum sum{a.base};
  if (__builtin_sub_overflow(a.offset, b.offset, &sum.offset)) return kNoScalar;
  if (a.base == b.base) return program.Int(sum.offset);
  if (b.base != kNoScalar || !IsInt(program, a.base)) return kNoScalar;
  return MakeSum(program, sum, e);
}

ScalarId SimplifyMul(ScalarProgram& program, const ScalarExpr& e) {
  if (Is(program, e.a, 1) && IsInt(program, e.b)) return e.b;
  if (Is(program, e.b, 1) && IsInt(program, e.a)) return e.a;
  if (Is(program, e.b, -1)) return program.Apply(ScalarOp::kNeg, e.a);
  if (Is(program, e.a, -1)) return program.Apply(ScalarOp::kNeg, e.b);
  if (Is(program, e.a, 0) || Is(program, e.b, 0)) return program.Int(0);
  return kNoScalar;
}

ScalarId SimplifyFloorDiv(ScalarProgram& program, const ScalarExpr& e) {
  return Is(program, e.b, 1) && IsInt(program, e.a) ? e.a : kNoScalar;
}

ScalarId SimplifyMod(ScalarProgram& program, const ScalarExpr& e) {
  return Is(program, e.b, 1) || Is(program, e.b, -1) ? program.Int(0) : kNoScalar;
}

ScalarId SimplifyNeg(ScalarProgram& program, const ScalarExpr& e) {
  const ScalarExpr& operand = program.expr(e.a);
  const bool twice = operand.op == ScalarOp::kNeg && IsInt(program, operand.a);
  return twice ? operand.a : kNoScalar;
}

ScalarId SimplifyAbs(ScalarProgram& program, const ScalarExpr& e) {
  return IsInt(program, e.a) && program.expr(e.a).op == ScalarOp::kAbs ? e.a : kNoScalar;
}

ScalarId SimplifyExtremum(ScalarProgram&, const ScalarExpr& e) {
  return e.a == e.b ? e.a : kNoScalar;
}

// Two sums over one base compare as their offsets do.
template <typename Compare>
ScalarId SimplifyCompare(ScalarProgram& program, const ScalarExpr& e, Compare compare) {
  const Sum a = AsSum(program, e.a);
  const Sum b = AsSum(program, e.b);
  return a.base == b.base ? program.Bool(compare(a.offset, b.offset)) : kNoScalar;
}

ScalarId SimplifyEq(ScalarProgram& program, const ScalarExpr& e) {
  return SimplifyCompare(program, e, [](int64_t a, int64_t b) { return a == b; });
}
ScalarId SimplifyNe(ScalarProgram& program, const ScalarExpr& e) {
  return SimplifyCompare(program, e, [](int64_t a, int64_t b) { return a != b; });
}
ScalarId SimplifyLt(ScalarProgram& program, const ScalarExpr& e) {
  return SimplifyCompare(program, e, [](int64_t a, int64_t b) { return a < b; });
}
ScalarId SimplifyLe(ScalarProgram& program, const ScalarExpr& e) {
  return SimplifyCompare(program, e, [](int64_t a, int64_t b) { return a <= b; });
}

ScalarId SimplifyNot(ScalarProgram& program, const ScalarExpr& e) {
  const ScalarExpr& operand = program.expr(e.a);
  const bool twice =
      operand.op == ScalarOp::kNot && program.expr(operand.a).type == ScalarType::kBool;
  return twice ? operand.a : kNoScalar;
}

using Rule = ScalarId (*)(ScalarProgram& program, const ScalarExpr& expr);
struct RuleRow {
  ScalarOp op;
  Rule rule;
};
constexpr RuleRow kRules[] = {
    {ScalarOp::kAdd, SimplifyAdd},      {ScalarOp::kSub, SimplifySub},
    {ScalarOp::kMul, SimplifyMul},      {ScalarOp::kFloorDiv, SimplifyFloorDiv},
    {ScalarOp::kMod, SimplifyMod},      {ScalarOp::kNeg, SimplifyNeg},
    {ScalarOp::kAbs, SimplifyAbs},      {ScalarOp::kMin, SimplifyExtremum},
    {ScalarOp::kMax, SimplifyExtremum}, {ScalarOp::kEq, SimplifyEq},
    {ScalarOp::kNe, SimplifyNe},        {ScalarOp::kLt, SimplifyLt},
    {ScalarOp::kLe, SimplifyLe},        {ScalarOp::kNot, SimplifyNot},
};

}  // namespace

ScalarId SimplifyScalar(ScalarProgram& program, const ScalarExpr& expr) {
  if (program.expr(expr.a).type == ScalarType::kFloat) return kNoScalar;
  for (const RuleRow& row : kRules) {
    if (row.op == expr.op) return row.rule(program, expr);
  }
  return kNoScalar;
}

void CanonicalizeScalar(const ScalarProgram& program, ScalarExpr& expr) {
  const bool commutative = expr.op == ScalarOp::kAdd || expr.op == ScalarOp::kMul ||
                           expr.op == ScalarOp::kEq || expr.op == ScalarOp::kNe;
  if (!commutative || program.expr(expr.a).type == ScalarType::kFloat) return;
  const std::pair key_a(IsConst(program, expr.a), expr.a);
  const std::pair key_b(IsConst(program, expr.b), expr.b);
  if (key_b < key_a) std::swap(expr.a, expr.b);
}

}  // namespace dynacc
