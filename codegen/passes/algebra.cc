// Algebra: identities that hold bit for bit, for every value of the operands.
//
// On floats that leaves little: NaN payloads, signed zeros, flags and signalling NaNs all count.
// The memory order of results counts too: NumPy gives a computed array an order of its own, so an
// operation is only replaced by an operand that is itself computed (see IsComputed).
// The rules are a table, one function each.
#include <cmath>

#include "codegen/ir/node_rules.h"
#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"

namespace dynacc::passes {
namespace {

using Operands = absl::Span<const ir::Node* const>;

// Whether the node is an array that NumPy would have freshly computed: its memory order is then
// what an elementwise operation on it alone would give its result again.
bool IsComputed(const ir::Node& node) {
  return IsElementwise(node.op) || node.op == Op::kWhere || node.op == Op::kCast;
}

// Whether no element can be a signalling NaN, which arithmetic would turn into a quiet one: true
// for integers and for results of arithmetic.
bool IsQuiet(const ir::Node& node) {
  return !IsInexact(node.dtype) || (IsComputed(node) && HasTrait(node.op, kRaisesFlags));
}

// Whether every element of the node is `number`; for floats with that sign of zero. A Full of more
// than one axis is not meant: the memory order of a result would follow it.
bool IsAll(const ir::Graph& graph, const ir::Node& node, double number) {
  const bool vector = node.op == Op::kFull && node.rank() <= 1;
  const ir::Node* const leaf = vector ? &node : RepeatedNumber(&node);
  // Arithmetic with a complex number changes the zeros, infinities and NaNs of the other part.
  if (leaf == nullptr || IsComplex(leaf->dtype)) return false;
  const ScalarExpr& e = graph.scalars().expr(leaf->attrs.scalars[0]);
  if (e.op != ScalarOp::kConst) return false;
  const double value = e.type == ScalarType::kFloat ? e.value.f : static_cast<double>(e.value.i);
  return value == number && std::signbit(value) == std::signbit(number);
}

// `a`, if it may take the place of an operation on it that returns every element unchanged.
const ir::Node* Unchanged(const ir::Node* a) { return IsComputed(*a) && IsQuiet(*a) ? a : nullptr; }

// x + 0, 0 + x; on floats only x + -0.0.
const ir::Node* AddZero(ir::Graph& graph, const ir::Node& node, Operands x) {
  const double zero = IsFloat(node.dtype) ? -0.0 : 0.0;
  if (IsAll(graph, *x[1], zero)) return Unchanged(x[0]);
  return IsAll(graph, *x[0], zero) ? Unchanged(x[1]) : nullptr;
}

// x - 0 (on floats the positive zero).
const ir::Node* SubtractZero(ir::Graph& graph, const ir::Node&, Operands x) {
  return IsAll(graph, *x[1], 0.0) ? Unchanged(x[0]) : nullptr;
}

// x * 1, 1 * x.
const ir::Node* MultiplyOne(ir::Graph& graph, const ir::Node&, Operands x) {
  if (IsAll(graph, *x[1], 1)) return Unchanged(x[0]);
  return IsAll(graph, *x[0], 1) ? Unchanged(x[1]) : nullptr;
}

// x / 1 on floats, x // 1 on integers (on floats it rounds).
const ir::Node* DivideByOne(ir::Graph& graph, const ir::Node& node, Operands x) {
  if (node.op == Op::kFloorDivide && !IsInteger(node.dtype)) return nullptr;
  return IsAll(graph, *x[1], 1) ? Unchanged(x[0]) : nullptr;
}

// x | 0, x ^ 0, x << 0, x >> 0 on integers and bools.
const ir::Node* RightZero(ir::Graph& graph, const ir::Node&, Operands x) {
  return IsAll(graph, *x[1], 0) ? Unchanged(x[0]) : nullptr;
}

// x & x, x | x, max(x, x), ...: the ops that the table says are idempotent, on integers and bools.
const ir::Node* Idempotent(ir::Graph&, const ir::Node& node, Operands x) {
  const bool same = x[0] == x[1] && HasTrait(node.op, kIdempotent) && !IsInexact(node.dtype);
  return same ? Unchanged(x[0]) : nullptr;
}

// +x: a copy, whatever the bits.
const ir::Node* Positive(ir::Graph&, const ir::Node&, Operands x) {
  return IsComputed(*x[0]) ? x[0] : nullptr;
}

// -(-x), ~(~x): only bits are flipped, or integers wrap.
const ir::Node* Involution(ir::Graph&, const ir::Node& node, Operands x) {
  if (x[0]->op != node.op) return nullptr;
  const ir::Node* const inner = x[0]->operands[0];
  return IsComputed(*inner) ? inner : nullptr;
}

// abs(abs(x)); abs(-x), but of unsigned numbers, where -x is another number without a sign.
const ir::Node* AbsoluteOfSign(ir::Graph& graph, const ir::Node& node, Operands x) {
  if (x[0]->op == node.op) return x[0];
  if (Info(node.dtype).kind == DTypeKind::kUnsigned) return nullptr;
  return x[0]->op == Op::kNegative ? graph.Unary(node.op, x[0]->operands[0]) : nullptr;
}

// not (not x) for a bool x; not (a == b), not (a != b).
const ir::Node* NotOfNot(ir::Graph& graph, const ir::Node&, Operands x) {
  const ir::Node& inner = *x[0];
  if (inner.op == Op::kEqual) {
    return graph.Binary(Op::kNotEqual, inner.operands[0], inner.operands[1]);
  }
  if (inner.op == Op::kNotEqual) {
    return graph.Binary(Op::kEqual, inner.operands[0], inner.operands[1]);
  }
  if (inner.op != Op::kLogicalNot || inner.operands[0]->dtype != DType::kBool) return nullptr;
  return IsComputed(*inner.operands[0]) ? inner.operands[0] : nullptr;
}

// where(c, a, a), if c cannot decide the memory order; where(not c, a, b).
const ir::Node* SimplifyWhere(ir::Graph& graph, const ir::Node&, Operands x) {
  if (x[1] == x[2] && x[1]->rank() <= 1 && IsComputed(*x[1])) return x[1];
  const ir::Node& condition = *x[0];
  if (condition.op != Op::kLogicalNot) return nullptr;
  const ir::Node* const positive = condition.operands[0];
  const bool fits = positive->dtype == DType::kBool && IsComputed(*positive);
  return fits ? graph.Where(positive, x[2], x[1]) : nullptr;
}

// Whether every value of `from` is a value of `to`.
bool Contains(DType to, DType from) {
  if (IsComplex(from) && !IsComplex(to)) return false;
  from = RealOf(from);
  to = RealOf(to);
  const DTypeInfo& narrow = Info(from);
  const DTypeInfo& wide = Info(to);
  if (from == to || narrow.kind == DTypeKind::kBool) return true;
  if (wide.kind == DTypeKind::kBool || narrow.kind == DTypeKind::kFloat) {
    return wide.kind == DTypeKind::kFloat && wide.size > narrow.size;
  }
  if (wide.kind == DTypeKind::kFloat) return wide.size > narrow.size && narrow.size <= 4;
  if (wide.kind == narrow.kind) return wide.size >= narrow.size;
  return wide.kind == DTypeKind::kSigned && wide.size > narrow.size;
}

bool IsWrapping(DType from, DType to) { return !IsInexact(from) && IsInteger(to); }

// Whether `from`, an integer, becomes `to` in one rounding. To float16 NumPy goes by way of float.
bool IsFloatOfIntegers(DType to, DType from) {
  return IsInexact(to) && (to != DType::kFloat16 || Contains(DType::kFloat32, from));
}

// cast(cast(x)): the step between is dropped where it loses nothing that the end keeps.
const ir::Node* CastOfCast(ir::Graph& graph, const ir::Node& node, Operands x) {
  if (x[0]->op != Op::kCast) return nullptr;
  const ir::Node* const origin = x[0]->operands[0];
  const DType from = origin->dtype;
  const DType through = x[0]->dtype;
  // Integers wrap: bits above the narrower of the two ends are lost either way.
  const bool wraps = IsWrapping(from, through) && IsInteger(node.dtype) &&
                     (Contains(through, from) || ItemSize(node.dtype) <= ItemSize(through));
  // An exact step on the way to a float, to bool, or back to where everything fits. Steps between
  // floats would make a signalling NaN quiet.
  const bool exact = Contains(through, from) && !IsInexact(from) &&
                     (IsFloatOfIntegers(node.dtype, from) || node.dtype == DType::kBool ||
                      Contains(node.dtype, from));
  if (!wraps && !exact) return nullptr;
  if (from == node.dtype && !IsComputed(*origin)) return nullptr;
  return graph.Cast(node.dtype, origin);
}

struct Rule {
  Op op;
  const ir::Node* (*apply)(ir::Graph& graph, const ir::Node& node, Operands operands);
};

constexpr Rule kRules[] = {
    {Op::kAdd, AddZero},           {Op::kSubtract, SubtractZero},   {Op::kMultiply, MultiplyOne},
    {Op::kDivide, DivideByOne},    {Op::kFloorDivide, DivideByOne}, {Op::kBitwiseOr, RightZero},
    {Op::kBitwiseXor, RightZero},  {Op::kLeftShift, RightZero},     {Op::kRightShift, RightZero},
    {Op::kBitwiseAnd, Idempotent}, {Op::kBitwiseOr, Idempotent},    {Op::kMaximum, Idempotent},
    {Op::kMinimum, Idempotent},    {Op::kFmax, Idempotent},         {Op::kFmin, Idempotent},
    {Op::kPositive, Positive},     {Op::kStopGradient, Positive},   {Op::kNegative, Involution},
    {Op::kInvert, Involution},     {Op::kAbsolute, AbsoluteOfSign}, {Op::kLogicalNot, NotOfNot},
    {Op::kWhere, SimplifyWhere},   {Op::kCast, CastOfCast},
};

}  // namespace

std::unique_ptr<ir::Graph> SimplifyAlgebra(const ir::Graph& graph) {
  return RewriteGraph(
      graph, [](ir::Graph& target, const ir::Node& node, Operands operands) -> const ir::Node* {
        for (const Rule& rule : kRules) {
          if (rule.op != node.op) continue;
          if (const ir::Node* result = rule.apply(target, node, operands)) return result;
        }
        return nullptr;
      });
}

}  // namespace dynacc::passes
