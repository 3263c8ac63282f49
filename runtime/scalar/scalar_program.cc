#include "runtime/scalar/scalar_program.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"
#include "runtime/scalar/scalar_arithmetic.h"
#include "runtime/scalar/scalar_simplify.h"
#include "runtime/scalar/scalar_text.h"

namespace dynacc {
namespace {

// How the type of a result follows from operand 0's: the `result` column of scalar_ops.def.
enum class ResultRule : uint8_t { kFloat, kBool, kSame, kArithmetic };

struct Row {
  ScalarOpInfo info;
  ResultRule result;
};

constexpr int kFirstRow = static_cast<int>(ScalarOp::kInput) + 1;
constexpr Row kRows[] = {
#define DYNACC_SCALAR_OP(name, text, arity, result) {{text, arity}, ResultRule::k##result},
#include "runtime/scalar/scalar_ops.def"
#undef DYNACC_SCALAR_OP
};

const Row& RowOf(ScalarOp op) { return kRows[static_cast<int>(op) - kFirstRow]; }

ScalarType ResultType(ScalarOp op, ScalarType operand) {
  const ResultRule rule = RowOf(op).result;
  if (rule == ResultRule::kFloat) return ScalarType::kFloat;
  if (rule == ResultRule::kBool) return ScalarType::kBool;
  const bool widens = rule == ResultRule::kArithmetic && operand == ScalarType::kBool;
  return widens ? ScalarType::kInt : operand;
}

bool TypesAgree(ScalarOp op, ScalarType a, ScalarType b) {
  if (a == b) return true;
  const bool mixable = a != ScalarType::kFloat && b != ScalarType::kFloat;
  return mixable && RowOf(op).result != ResultRule::kSame;
}

bool SameExpr(const ScalarExpr& x, const ScalarExpr& y) {
  return x.op == y.op && x.type == y.type && x.a == y.a && x.b == y.b && x.value.i == y.value.i;
}

}  // namespace

const char* ScalarTypeName(ScalarType type) {
  static constexpr const char* kNames[] = {"int", "float", "bool"};
  return kNames[static_cast<int>(type)];
}

const ScalarOpInfo& Info(ScalarOp op) { return RowOf(op).info; }

ScalarId ScalarProgram::Int(int64_t value) {
  return Intern({.op = ScalarOp::kConst, .type = ScalarType::kInt, .value = {.i = value}});
}

ScalarId ScalarProgram::Float(double value) {
  return Intern({.op = ScalarOp::kConst, .type = ScalarType::kFloat, .value = {.f = value}});
}

ScalarId ScalarProgram::Bool(bool value) {
  return Intern({.op = ScalarOp::kConst, .type = ScalarType::kBool, .value = {.i = value}});
}

ScalarId ScalarProgram::AddInput(ScalarType type) {
  return Intern({.op = ScalarOp::kInput, .type = type, .value = {.i = num_inputs_++}});
}

ScalarId ScalarProgram::AddDataDependent() {
  return Intern({.op = ScalarOp::kDataDependent,
                 .type = ScalarType::kInt,
                 .value = {.i = num_data_dependent_++}});
}

bool ScalarProgram::Accepts(ScalarOp op, ScalarId a, ScalarId b) const {
  if (static_cast<int>(op) < kFirstRow || a < 0 || a >= size()) return false;
  if (Info(op).arity == 1) return b == kNoScalar;
  return b >= 0 && b < size() && TypesAgree(op, exprs_[a].type, exprs_[b].type);
}

ScalarId ScalarProgram::Apply(ScalarOp op, ScalarId a, ScalarId b) {
  DYNACC_CHECK(Accepts(op, a, b)) << Info(op).text << " on the scalars " << a << " and " << b;
  const bool binary = b != kNoScalar;
  const ScalarExpr x = exprs_[a];
  ScalarExpr expr{.op = op, .type = ResultType(op, x.type), .a = a, .b = b};
  if (x.op == ScalarOp::kConst && (!binary || exprs_[b].op == ScalarOp::kConst)) {
    const ScalarValue second = binary ? exprs_[b].value : ScalarValue{0};
    ScalarExpr constant{.op = ScalarOp::kConst, .type = expr.type};
    if (EvaluateScalarOp(op, x.type, x.value, second, &constant.value)) return Intern(constant);
    return Intern(expr);  // fails at every evaluation
  }
  if (const ScalarId simpler = SimplifyScalar(*this, expr); simpler != kNoScalar) return simpler;
  CanonicalizeScalar(*this, expr);
  return Intern(expr);
}

bool ScalarProgram::IsIntConst(ScalarId id, int64_t* value) const {
  const ScalarExpr& e = exprs_[id];
  if (e.op != ScalarOp::kConst || e.type != ScalarType::kInt) return false;
  *value = e.value.i;
  return true;
}

bool ScalarProgram::Evaluate(absl::Span<const ScalarValue> inputs,
                             absl::Span<ScalarValue> values) const {
  return EvaluateFrom(0, inputs, values);
}

bool ScalarProgram::EvaluateRest(int known, absl::Span<ScalarValue> values) const {
  return EvaluateFrom(known, {}, values);
}

bool ScalarProgram::EvaluateLevel(int level, absl::Span<ScalarValue> values) const {
  for (ScalarId id = 0; id < size(); ++id) {
    const bool due = levels_[id] == level && exprs_[id].op != ScalarOp::kDataDependent;
    if (due && !EvaluateOne(id, values)) return false;
  }
  return true;
}

bool ScalarProgram::EvaluateOne(ScalarId id, absl::Span<ScalarValue> values) const {
  const ScalarExpr& e = exprs_[id];
  const ScalarValue b = e.b == kNoScalar ? ScalarValue{0} : values[e.b];
  return EvaluateScalarOp(e.op, exprs_[e.a].type, values[e.a], b, &values[id]);
}

bool ScalarProgram::EvaluateFrom(int first, absl::Span<const ScalarValue> inputs,
                                 absl::Span<ScalarValue> values) const {
  for (size_t id = first; id < exprs_.size(); ++id) {
    const ScalarExpr& e = exprs_[id];
    if (e.op == ScalarOp::kConst) {
      values[id] = e.value;
    } else if (e.op == ScalarOp::kInput) {
      DYNACC_CHECK(e.value.i < static_cast<int64_t>(inputs.size())) << "a scalar input is missing";
      values[id] = inputs[e.value.i];
    } else if (levels_[id] > 0) {
      values[id] = ScalarValue{0};
    } else if (!EvaluateOne(static_cast<ScalarId>(id), values)) {
      return false;
    }
  }
  return true;
}

// The level of an expression that is not there yet.
int ScalarProgram::LevelOf(const ScalarExpr& expr) const {
  if (expr.op == ScalarOp::kDataDependent) return static_cast<int>(expr.value.i) + 1;
  const int a = expr.a == kNoScalar ? 0 : levels_[expr.a];
  const int b = expr.b == kNoScalar ? 0 : levels_[expr.b];
  return std::max(a, b);
}

ScalarId ScalarProgram::Intern(const ScalarExpr& expr) {
  // Constants compare by bits through `i`, which overlays `f`.
  const uint64_t hash = absl::HashOf(expr.op, expr.type, expr.a, expr.b, expr.value.i);
  std::vector<ScalarId>& candidates = by_hash_[hash];
  for (const ScalarId id : candidates) {
    if (SameExpr(exprs_[id], expr)) return id;
  }
  const ScalarId id = size();
  exprs_.push_back(expr);
  levels_.push_back(LevelOf(expr));
  ordinals_.push_back(expr.op == ScalarOp::kConst ? -1 : num_named_++);
  candidates.push_back(id);
  return id;
}

std::string ScalarProgram::Name(ScalarId id) const {
  const ScalarExpr& e = exprs_[id];
  if (e.op == ScalarOp::kConst) return PrintScalarLiteral(e.type, e.value);
  return absl::StrCat("s", ordinals_[id]);
}

std::string ScalarProgram::Print(ScalarId id, int depth) const {
  const ScalarExpr& e = exprs_[id];
  if (depth == 0 || e.op <= ScalarOp::kInput) return Name(id);
  const ScalarOpInfo& info = Info(e.op);
  const std::string a = Print(e.a, depth - 1);
  if (info.arity == 1) return absl::StrCat(info.text, "(", a, ")");
  const std::string b = Print(e.b, depth - 1);
  if (IsScalarOperator(e.op)) return absl::StrCat("(", a, " ", info.text, " ", b, ")");
  return absl::StrCat(info.text, "(", a, ", ", b, ")");
}

std::string ScalarProgram::ToString(ScalarId id) const {
  constexpr int kMaxDepth = 4;  // shared subexpressions would make the text exponential
  return Print(id, kMaxDepth);
}

std::string ScalarProgram::Definition(ScalarId id) const { return Print(id, 1); }

}  // namespace dynacc
