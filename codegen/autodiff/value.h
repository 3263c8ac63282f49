// Value: a node together with its graph, with arithmetic, so that rules of gradients read as the
// formulas they are: `g * y`, `g / (2.0 * y)`.
//
// Numbers take the other operand's dtype and shape. A product or quotient with a number that is
// exactly 1 in every element is the other operand, and nothing is made of it: gradients begin with
// such numbers. Both operands of an operator have one dtype and one shape, as the graph demands.
#pragma once

#include <optional>

#include "codegen/ir/graph.h"

namespace dynacc::autodiff {

class Value {
 public:
  Value() = default;  // null: no node, which stands for a cotangent that is zero
  Value(ir::Graph& graph, const ir::Node* node) : graph_(&graph), node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  const ir::Node* node() const { return node_; }
  ir::Graph& graph() const { return *graph_; }
  DType dtype() const { return node_->dtype; }

  // The number in every element of an array of this dtype and shape; `imag` needs a complex dtype.
  Value Number(double number) const;
  Value Number(double real, double imag) const;

  // The number in every element, if it is known: a constant, or a view of one; never of a complex
  // dtype with an imaginary part.
  std::optional<double> Constant() const;

  Value Apply(Op unary) const { return {*graph_, graph_->Unary(unary, node_)}; }
  Value Apply(Op binary, Value other) const {
    return {*graph_, graph_->Binary(binary, node_, other.node_)};
  }
  Value To(DType dtype) const { return {*graph_, graph_->Cast(dtype, node_)}; }

 private:
  ir::Graph* graph_ = nullptr;
  const ir::Node* node_ = nullptr;
};

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator-(Value a);
inline Value operator*(double a, Value b) { return b.Number(a) * b; }
inline Value operator+(double a, Value b) { return b.Number(a) + b; }
inline Value operator-(double a, Value b) { return b.Number(a) - b; }
inline Value operator/(double a, Value b) { return b.Number(a) / b; }
inline Value operator-(Value a, double b) { return a - a.Number(b); }

// Bool values of the elements, and a choice by them.
inline Value Equal(Value a, Value b) { return a.Apply(Op::kEqual, b); }
inline Value Not(Value a) { return a.Apply(Op::kLogicalNot); }
inline Value And(Value a, Value b) { return a.Apply(Op::kLogicalAnd, b); }
inline Value Or(Value a, Value b) { return a.Apply(Op::kLogicalOr, b); }
inline Value IsZero(Value a) { return Equal(a, a.Number(0.0)); }
Value Select(Value condition, Value a, Value b);
inline Value Select(Value condition, Value a, double b) {
  return Select(condition, a, a.Number(b));
}
inline Value Select(Value condition, double a, Value b) {
  return Select(condition, b.Number(a), b);
}

}  // namespace dynacc::autodiff
