#include "runtime/scalar/append_program.h"

namespace dynacc {

ScalarId Constant(ScalarProgram& program, ScalarType type, ScalarValue value) {
  if (type == ScalarType::kFloat) return program.Float(value.f);
  return type == ScalarType::kInt ? program.Int(value.i) : program.Bool(value.i != 0);
}

void AppendProgram(const ScalarProgram& from, ScalarProgram& to,
                   absl::FunctionRef<ScalarId(ScalarId, const ScalarExpr&)> leaf,
                   std::vector<ScalarId>& made) {
  for (auto id = static_cast<ScalarId>(made.size()); id < from.size(); ++id) {
    const ScalarExpr& expr = from.expr(id);
    if (expr.op == ScalarOp::kConst) {
      made.push_back(Constant(to, expr.type, expr.value));
    } else if (expr.op == ScalarOp::kInput || expr.op == ScalarOp::kDataDependent) {
      made.push_back(leaf(id, expr));
    } else {
      made.push_back(
          to.Apply(expr.op, made[expr.a], expr.b == kNoScalar ? kNoScalar : made[expr.b]));
    }
  }
}

}  // namespace dynacc
