#include "codegen/autodiff/value.h"

#include "codegen/passes/view_algebra.h"

namespace dynacc::autodiff {

std::optional<double> Value::Constant() const {
  const ir::Node* const number = passes::RepeatedNumber(node_);
  if (number == nullptr || ir::NumberOf(*number).is_complex()) return std::nullopt;
  const ScalarExpr& expr = graph_->scalars().expr(ir::NumberOf(*number).real);
  if (expr.op != ScalarOp::kConst) return std::nullopt;
  return expr.type == ScalarType::kFloat ? expr.value.f : static_cast<double>(expr.value.i);
}

Value Value::Number(double number) const {
  const ir::Node* const scalar = graph_->Scalar(node_->dtype, graph_->scalars().Float(number));
  return {*graph_, graph_->BroadcastTo(scalar, node_->shape)};
}

Value Value::Number(double real, double imag) const {
  ScalarProgram& scalars = graph_->scalars();
  const ir::Node* const scalar =
      graph_->Scalar(node_->dtype, {scalars.Float(real), scalars.Float(imag)});
  return {*graph_, graph_->BroadcastTo(scalar, node_->shape)};
}

Value operator+(Value a, Value b) { return a.Apply(Op::kAdd, b); }
Value operator-(Value a, Value b) { return a.Apply(Op::kSubtract, b); }
Value operator*(Value a, Value b) {
  if (a.Constant() == 1.0) return b;
  return b.Constant() == 1.0 ? a : a.Apply(Op::kMultiply, b);
}
Value operator/(Value a, Value b) { return b.Constant() == 1.0 ? a : a.Apply(Op::kDivide, b); }
Value operator-(Value a) { return a.Apply(Op::kNegative); }

Value Select(Value condition, Value a, Value b) {
  return {a.graph(), a.graph().Where(condition.node(), a.node(), b.node())};
}

}  // namespace dynacc::autodiff
