// Constant folding: an emitted operation on numbers that are all known becomes that number.
//
// Only where the result is exact: emitted ops (their bits are IEEE's, no library's), no flag
// raised, and a result that the ScalarProgram can hold (not a u64 beyond 2^63). A Reshape of a Full
// becomes a Full.
#include <cfenv>
#include <cstring>
#include <optional>

#include "codegen/passes/graph_rewriter.h"
#include "codegen/passes/passes.h"
#include "codegen/passes/view_algebra.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::passes {
namespace {

// Room for one element of any dtype.
struct alignas(16) Cell {
  char bytes[kMaxItemSize] = {};
};

// Keeps the flags of the caller, and tells what was raised since construction.
class FlagScope {
 public:
  FlagScope() { std::feholdexcept(&saved_); }
  ~FlagScope() { std::fesetenv(&saved_); }
  bool Raised() const {
    return std::fetestexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW) != 0;
  }

 private:
  std::fenv_t saved_;
};

DType DTypeOf(ScalarType type) {
  static constexpr DType kByType[] = {DType::kInt64, DType::kFloat64, DType::kBool};
  return kByType[static_cast<int>(type)];
}

// The element that `node` repeats, if it does and its number is known.
std::optional<Cell> Known(const ir::Graph& graph, const ir::Node& node) {
  const ir::Node* const leaf = node.op == Op::kFull ? &node : RepeatedNumber(&node);
  if (leaf == nullptr || IsComplex(leaf->dtype)) return std::nullopt;
  const ScalarExpr& e = graph.scalars().expr(leaf->attrs.scalars[0]);
  if (e.op != ScalarOp::kConst) return std::nullopt;
  const bool flag = e.value.i != 0;
  const void* const number = e.type == ScalarType::kBool ? static_cast<const void*>(&flag)
                                                         : static_cast<const void*>(&e.value);
  Cell cell;
  FindCastFn(DTypeOf(e.type), node.dtype)(number, &cell);
  return cell;
}

// The scalar constant whose cast to `dtype` has the bits of `cell`, if there is one.
std::optional<ScalarId> ToScalar(ScalarProgram& scalars, DType dtype, const Cell& cell) {
  const DType carrier = IsFloat(dtype)     ? DType::kFloat64
                        : IsInteger(dtype) ? DType::kInt64
                                           : DType::kBool;
  Cell wide, back;
  FindCastFn(dtype, carrier)(&cell, &wide);
  FindCastFn(carrier, dtype)(&wide, &back);
  if (IsComplex(dtype) || std::memcmp(&cell, &back, sizeof(Cell)) != 0) return std::nullopt;
  ScalarValue value;
  std::memcpy(&value, &wide, sizeof(value));
  if (carrier == DType::kFloat64) return scalars.Float(value.f);
  if (carrier == DType::kBool) return scalars.Bool(wide.bytes[0] != 0);
  if (dtype == DType::kUInt64 && value.i < 0) return std::nullopt;
  return scalars.Int(value.i);
}

// The node's op on known numbers; nothing if it is not defined or raises a flag.
std::optional<Cell> Evaluate(const ir::Node& node, DType dtype, const Cell& a, const Cell& b) {
  Cell result;
  const FlagScope flags;
  if (node.op == Op::kCast) {
    FindCastFn(dtype, node.dtype)(&a, &result);
  } else if (const UnaryElementFn unary = FindUnaryElementFn(node.op, dtype)) {
    unary(&a, &result);
  } else if (const BinaryElementFn binary = FindBinaryElementFn(node.op, dtype)) {
    binary(&a, &b, &result);
  } else {
    return std::nullopt;
  }
  if (flags.Raised()) return std::nullopt;
  return result;
}

// A Full of another shape is one, too.
bool IsReshapedFull(const ir::Node& node, absl::Span<const ir::Node* const> operands) {
  return node.op == Op::kReshape && operands[0]->op == Op::kFull && node.rank() != 0;
}

const ir::Node* Fold(ir::Graph& graph, const ir::Node& node,
                     absl::Span<const ir::Node* const> operands) {
  if (IsReshapedFull(node, operands)) {
    return graph.Full(node.dtype, ir::NumberOf(*operands[0]), node.shape);
  }
  if (operands.empty() || operands.size() > 2) return nullptr;
  const DType dtype = operands[0]->dtype;
  const std::optional<Cell> a = Known(graph, *operands[0]);
  const std::optional<Cell> b = Known(graph, *operands.back());
  if (!a || !b || !IsEmitted(node.op, dtype)) return nullptr;
  const std::optional<Cell> result = Evaluate(node, dtype, *a, *b);
  if (!result) return nullptr;
  const std::optional<ScalarId> number = ToScalar(graph.scalars(), node.dtype, *result);
  if (!number) return nullptr;
  if (operands[0]->op == Op::kScalar) return graph.Scalar(node.dtype, *number);
  // A conversion keeps broadcast axes broadcast; arithmetic makes an array.
  if (node.op == Op::kCast && operands[0]->op == Op::kView) {
    return MakeView(graph, graph.Scalar(node.dtype, *number), MapOf(*operands[0]));
  }
  return graph.Full(node.dtype, *number, node.shape);
}

}  // namespace

std::unique_ptr<ir::Graph> FoldConstants(const ir::Graph& graph) {
  return RewriteGraph(graph, Fold);
}

}  // namespace dynacc::passes
