// The rules of reverse mode, one row an op: the table gradients.def.
//
// A rule is given a node y = op(x0, x1, ...) and its cotangent g, an array of y's dtype and shape,
// and adds to each operand's cotangent what comes back through this node. It writes with the
// graph's own ops. So what it writes fuses, and has gradients itself. Every rule is linear in g.
//
// COMPLEX NUMBERS follow JAX. A cotangent g pairs with a tangent t as the real part of g * t,
// without a conjugate. So a holomorphic op has the rule of its real form, g * f'(x), the cotangent
// of Real is (g, 0), that of Imag is (0, -g), and that of Conjugate is the conjugate of g. The
// gradient of a real loss L(x + iy) is then dL/dx - i dL/dy; steepest descent goes along minus its
// conjugate.
//
// CONVENTIONS where a derivative does not exist or has no one value:
//   absolute, fabs, sign at 0     0, also of complex numbers, and hypot(0, 0) with both
//   maximum, minimum, fmax, fmin  operands that tie get a half each, as JAX documents it
//   reduce_max, reduce_min        elements that tie share evenly; if the result is NaN, its NaNs
//   power at x ** 0               0 for x, whatever x is; at 0 ** b the rule for b takes log(0)
//                                 as 0
//   sqrt, cbrt, log at 0          infinite, as the limit is; 0 * infinity is NaN
//   where                         the cotangent of the side not taken is 0. An infinite derivative
//                                 there still makes NaN of it, as in JAX and PyTorch
//   floor, casts to ints ...      0, as everywhere but at the jumps
//   reduce_prod                   products of the other elements, without a division
#pragma once

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/autodiff/value.h"
#include "codegen/ir/graph.h"

namespace dynacc::autodiff {

// A node whose cotangent is known, and where the cotangents of its operands go.
class Pullback {
 public:
  // `cotangents`: of the graph's nodes, by id; null where none has come. What is added to a node
  // that has one already is the sum.
  Pullback(ir::Graph& graph, const ir::Node& node, const ir::Node* cotangent,
           std::vector<const ir::Node*>& cotangents, const std::vector<bool>& active)
      : graph(graph), node(node), cotangent(cotangent), cotangents_(cotangents), active_(active) {}

  // Whether anybody asks for the cotangent of that operand.
  bool Needs(size_t operand) const { return IsActive(*node.operands[operand]); }
  bool IsActive(const ir::Node& earlier) const { return active_[earlier.id]; }

  // Of a node with several results, the cotangent of one of them; null: none has come.
  const ir::Node* CotangentOfResult(int64_t index) const;

  // Adds to the operand's cotangent, if somebody asks for it; a null Value adds nothing.
  void Give(size_t operand, Value part);
  void Give(size_t operand, const ir::Node* part) { Give(operand, Value(graph, part)); }
  // The same to a node that is no operand.
  void GiveTo(const ir::Node& earlier, Value part);

  Value operand(size_t index) const { return {graph, node.operands[index]}; }

  ir::Graph& graph;
  const ir::Node& node;
  const ir::Node* const cotangent;  // null if only other results of the node have one

 private:
  std::vector<const ir::Node*>& cotangents_;
  const std::vector<bool>& active_;
};

// What the node computes of its operand `index`: for the base of a Store that is what lies below
// Stores of the same part, which is stored over. So what was stored there before needs no gradient.
const ir::Node* OperandRead(const ir::Node& node, size_t index);

enum class GradientKind : uint8_t {
  kUnary,       // a formula of g, x and y
  kBinary,      // two formulas of g, a, b and y
  kStructural,  // a function of its own
  kZero,        // zero by mathematics: constant almost everywhere, not a number, or a leaf
  kNone,        // it has one, and there is no rule: an error where a cotangent arrives
};

struct GradientRow {
  Op op;
  GradientKind kind;
  // Null for kZero and kNone. Errors: UNIMPLEMENTED, without the node's name.
  absl::Status (*pull)(Pullback& pullback);
  const char* words;  // the formula, or why there is none; for the documentation
};

// The row of `op`; of a registered op that of special_gradients.def, or one without a rule.
const GradientRow& GradientOf(Op op);

// The function of scipy.special that the rule of the one of this name needs; "": none.
const char* OtherSpecialOf(absl::string_view name);

// What the rows' functions are called, and give: cotangents of the operands in their order.
using BinaryCotangents = std::pair<Value, Value>;
#define DYNACC_DECLARE_kUnary(name) Value name##Gradient(Value g, Value x, Value y);
#define DYNACC_DECLARE_kBinary(name) \
  BinaryCotangents name##Gradient(Value g, Value a, Value b, Value y);
#define DYNACC_DECLARE_kStructural(name) absl::Status name##Gradient(Pullback& pullback);
#define DYNACC_DECLARE_kZero(name)
#define DYNACC_DECLARE_kNone(name)
#define DYNACC_GRADIENT(name, kind, words) DYNACC_DECLARE_##kind(name)
#define DYNACC_SPECIAL_GRADIENT(name, text, other, kind, words) DYNACC_DECLARE_##kind(Special##name)
#include "codegen/autodiff/gradients.def"
#include "codegen/autodiff/special_gradients.def"
#undef DYNACC_GRADIENT
#undef DYNACC_SPECIAL_GRADIENT
#undef DYNACC_DECLARE_kUnary
#undef DYNACC_DECLARE_kBinary
#undef DYNACC_DECLARE_kStructural
#undef DYNACC_DECLARE_kZero
#undef DYNACC_DECLARE_kNone

}  // namespace dynacc::autodiff
