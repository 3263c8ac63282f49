#include "codegen/ir/node_rules.h"

#include "absl/algorithm/container.h"

namespace dynacc::ir {
namespace {

int StructuralArity(Op op) {
  if (op == Op::kWhere) return 3;
  if (op == Op::kConcat || op == Op::kUpdate) return -1;
  return op == Op::kStore ? 2 : 1;
}

// In the order of enum OpCategory.
constexpr int (*kArity[])(Op) = {
    [](Op) { return 0; }, StructuralArity,      [](Op) { return 1; },
    [](Op) { return 2; }, [](Op) { return 1; }, [](Op op) { return op == Op::kMatmul ? 2 : -1; },
};

DType SameAs(DType, absl::Span<const Node* const> operands) { return operands[0]->dtype; }
DType AlwaysBool(DType, absl::Span<const Node* const>) { return DType::kBool; }
DType AsGiven(DType given, absl::Span<const Node* const>) { return given; }
DType SecondOperand(DType, absl::Span<const Node* const> operands) { return operands[1]->dtype; }
DType AlwaysInt64(DType, absl::Span<const Node* const>) { return DType::kInt64; }
DType RealOfFirst(DType, absl::Span<const Node* const> operands) {
  return RealOf(operands[0]->dtype);
}

// In the order of enum DTypeRule.
constexpr DType (*kDTypeRules[])(DType, absl::Span<const Node* const>) = {
    SameAs, AlwaysBool, AsGiven, SecondOperand, AlwaysInt64, RealOfFirst};

}  // namespace

int ArityOf(Op op) { return kArity[static_cast<int>(Info(op).category)](op); }

DType ResultDType(Op op, DType given, absl::Span<const Node* const> operands) {
  return kDTypeRules[static_cast<int>(Info(op).dtype_rule)](given, operands);
}

bool AreReductionAxes(absl::Span<const int64_t> axes, int rank) {
  int64_t previous = -1;
  for (const int64_t axis : axes) {
    if (axis <= previous || axis >= rank) return false;
    previous = axis;
  }
  return true;
}

ShapeVector ReducedShape(absl::Span<const ScalarId> shape, absl::Span<const int64_t> axes,
                         bool keepdims, ScalarId one) {
  ShapeVector result;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!absl::c_binary_search(axes, static_cast<int64_t>(axis))) {
      result.push_back(shape[axis]);
    } else if (keepdims) {
      result.push_back(one);
    }
  }
  return result;
}

bool MayRaise(const Node& node) {
  if (node.op == Op::kLibraryCall) return true;
  const DType dtype = node.operands.empty() ? node.dtype : node.operands[0]->dtype;
  if (!RaisesFlags(node.op, dtype)) return false;
  if (node.op == Op::kCast) return ConversionRaisesFlags(dtype, node.dtype);
  if (IsInexact(node.dtype)) return true;
  for (const Node* operand : node.operands) {
    if (IsInexact(operand->dtype)) return true;
  }
  return IsElementwise(node.op) && !HasTrait(node.op, kEmitted);
}

}  // namespace dynacc::ir
