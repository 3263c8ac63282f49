#include "codegen/ir/node_rules.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/status_macros.h"

namespace dynacc::ir {
namespace {

int StructuralArity(Op op) {
  if (op == Op::kWhere) return 3;
  if (op == Op::kConcat || op == Op::kUpdate || op == Op::kCustomGradient) return -1;
  return op == Op::kStore ? 2 : 1;
}

int ArityOfWhole(Op op) {
  if (op == Op::kMatmul || op == Op::kCompress) return 2;
  const bool takes_any = op == Op::kLibraryCall || op == Op::kGather || op == Op::kScatter ||
                         op == Op::kIntOperator || op == Op::kCond || op == Op::kLoop;
  return takes_any ? -1 : 1;
}

// In the order of enum OpCategory.
constexpr int (*kArity[])(Op) = {
    [](Op) { return 0; }, StructuralArity,      [](Op) { return 1; },
    [](Op) { return 2; }, [](Op) { return 1; }, ArityOfWhole,
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

// What a rule for a shape is told.
struct ShapeQuestion {
  Op op;
  absl::Span<const Node* const> operands;
  const NodeAttrs& attrs;
  const GivenType& given;
  ScalarProgram& scalars;

  absl::Status Wrong(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("'", Info(op).text, "' ", what));
  }
  std::string TypeOf(size_t i) const {
    return PrintType(scalars, operands[i]->dtype, operands[i]->shape);
  }
};

ShapeVector VectorOf(absl::Span<const ScalarId> shape) { return {shape.begin(), shape.end()}; }

absl::StatusOr<ShapeVector> GivenShape(const ShapeQuestion& asked) {
  if (asked.given.shape) return VectorOf(*asked.given.shape);
  return asked.Wrong("needs a shape: it does not follow from operands");
}

absl::StatusOr<ShapeVector> RankZero(const ShapeQuestion& asked) {
  if (!asked.given.shape || asked.given.shape->empty()) return ShapeVector();
  return asked.Wrong("has the shape []");
}

// Of all operands, which have one shape; those from `from` on have one dtype.
absl::StatusOr<ShapeVector> Common(const ShapeQuestion& asked, size_t from = 0) {
  for (size_t i = 1; i < asked.operands.size(); ++i) {
    if (asked.operands[i]->shape != asked.operands[0]->shape) {
      return asked.Wrong(absl::StrCat("takes operands of one shape, not ", asked.TypeOf(0), " and ",
                                      asked.TypeOf(i), ": a 'view' broadcasts"));
    }
    if (i > from && asked.operands[i]->dtype != asked.operands[from]->dtype) {
      return asked.Wrong(absl::StrCat("takes operands of one dtype, not ", asked.TypeOf(from),
                                      " and ", asked.TypeOf(i), ": a 'cast' converts"));
    }
  }
  return VectorOf(asked.operands[0]->shape);
}

absl::StatusOr<ShapeVector> AllAlike(const ShapeQuestion& asked) { return Common(asked); }

absl::StatusOr<ShapeVector> WhereShape(const ShapeQuestion& asked) {
  if (asked.operands[0]->dtype != DType::kBool) {
    return asked.Wrong(absl::StrCat("takes a condition of bool, not ", asked.TypeOf(0)));
  }
  return Common(asked, 1);
}

absl::StatusOr<ShapeVector> StoreShape(const ShapeQuestion& asked) {
  if (asked.operands[0]->dtype != asked.operands[1]->dtype) {
    return asked.Wrong(absl::StrCat("takes operands of one dtype, not ", asked.TypeOf(0), " and ",
                                    asked.TypeOf(1)));
  }
  return VectorOf(asked.operands[0]->shape);
}

// Whether two sizes may be equal at run time.
bool MayAgree(const ScalarProgram& scalars, ScalarId a, ScalarId b) {
  int64_t left, right;
  return a == b || !scalars.IsIntConst(a, &left) || !scalars.IsIntConst(b, &right);
}

absl::StatusOr<ShapeVector> ConcatShape(const ShapeQuestion& asked) {
  if (asked.operands.empty()) return asked.Wrong("takes some operands");
  ShapeVector shape = VectorOf(asked.operands[0]->shape);
  const bool has_axis = asked.attrs.ints.size() == 1 && asked.attrs.ints[0] >= 0 &&
                        asked.attrs.ints[0] < static_cast<int64_t>(shape.size());
  if (!has_axis) return asked.Wrong("needs one axis that its operands have");
  const auto axis = static_cast<size_t>(asked.attrs.ints[0]);
  for (size_t i = 1; i < asked.operands.size(); ++i) {
    const Node& part = *asked.operands[i];
    bool fits = part.shape.size() == shape.size() && part.dtype == asked.operands[0]->dtype;
    for (size_t d = 0; fits && d < shape.size(); ++d) {
      fits = d == axis || MayAgree(asked.scalars, part.shape[d], shape[d]);
    }
    if (!fits) {
      return asked.Wrong(absl::StrCat("takes operands that differ along its axis only, not ",
                                      asked.TypeOf(0), " and ", asked.TypeOf(i)));
    }
    shape[axis] = asked.scalars.Apply(ScalarOp::kAdd, shape[axis], part.shape[axis]);
  }
  return shape;
}

absl::StatusOr<ShapeVector> ReductionShape(const ShapeQuestion& asked) {
  const Node& operand = *asked.operands[0];
  if (!AreReductionAxes(asked.attrs.ints, operand.rank())) {
    return asked.Wrong(absl::StrCat("needs ascending axes of ", asked.TypeOf(0)));
  }
  return ReducedShape(operand.shape, asked.attrs.ints, asked.attrs.keepdims, asked.scalars.Int(1));
}

// The batch axes of the two, aligned at the end: of each the size that is not 1.
ShapeVector BatchShape(const ShapeQuestion& asked) {
  const Node& a = *asked.operands[0];
  const Node& b = *asked.operands[1];
  const int batch = std::max({a.rank() - 2, b.rank() - 2, 0});
  ShapeVector shape(batch, asked.scalars.Int(1));
  for (const Node* operand : asked.operands) {
    const int added = batch - std::max(operand->rank() - 2, 0);
    for (int d = added; d < batch; ++d) {
      const ScalarId size = operand->shape[d - added];
      if (size != asked.scalars.Int(1)) shape[d] = size;
    }
  }
  return shape;
}

absl::StatusOr<ShapeVector> MatmulShape(const ShapeQuestion& asked) {
  const Node& a = *asked.operands[0];
  const Node& b = *asked.operands[1];
  const bool fits = a.dtype == b.dtype && a.rank() > 0 && b.rank() > 0;
  int64_t rows, columns;
  const ScalarId inner = !fits ? kNoScalar : b.shape[b.rank() == 1 ? 0 : b.rank() - 2];
  const bool differ = fits && asked.scalars.IsIntConst(a.shape.back(), &columns) &&
                      asked.scalars.IsIntConst(inner, &rows) && rows != columns;
  if (!fits || differ) {
    return asked.Wrong(absl::StrCat("cannot multiply ", asked.TypeOf(0), " by ", asked.TypeOf(1)));
  }
  ShapeVector shape = BatchShape(asked);
  if (a.rank() > 1) shape.push_back(a.shape[a.rank() - 2]);
  if (b.rank() > 1) shape.push_back(b.shape.back());
  return shape;
}

// Of a scan; its axis.
absl::StatusOr<ShapeVector> ScanShape(const ShapeQuestion& asked) {
  const bool has_axis = asked.attrs.ints.size() == 1 && asked.attrs.ints[0] >= 0 &&
                        asked.attrs.ints[0] < asked.operands[0]->rank();
  if (!has_axis) return asked.Wrong(absl::StrCat("needs one axis of ", asked.TypeOf(0)));
  return VectorOf(asked.operands[0]->shape);
}

absl::StatusOr<ShapeVector> SearchShape(const ShapeQuestion& asked) {
  if (!AreSearchAxes(asked.attrs.ints, asked.operands[0]->rank())) {
    return asked.Wrong(absl::StrCat("needs one axis of ", asked.TypeOf(0), ", or all"));
  }
  return ReductionShape(asked);
}

bool IsControlFlow(Op op) { return op == Op::kCond || op == Op::kLoop || op == Op::kResult; }

using ShapeRule = absl::StatusOr<ShapeVector> (*)(const ShapeQuestion&);

// The rule of an op: its own row, or its category's.
ShapeRule ShapeRuleOf(Op op) {
  struct OwnRule {
    Op op;
    ShapeRule rule;
  };
  static constexpr OwnRule kOwnRules[] = {
      {Op::kScalar, RankZero},      {Op::kView, GivenShape},    {Op::kReshape, GivenShape},
      {Op::kStore, StoreShape},     {Op::kConcat, ConcatShape}, {Op::kWhere, WhereShape},
      {Op::kMatmul, MatmulShape},   {Op::kCumsum, ScanShape},   {Op::kCumprod, ScanShape},
      {Op::kArgMax, SearchShape},   {Op::kArgMin, SearchShape}, {Op::kMean, ReductionShape},
      {Op::kIntOperator, RankZero},
  };
  for (const OwnRule& row : kOwnRules) {
    if (row.op == op) return row.rule;
  }
  // In the order of enum OpCategory.
  static constexpr ShapeRule kRules[] = {GivenShape, AllAlike,       AllAlike,
                                         AllAlike,   ReductionShape, GivenShape};
  return kRules[static_cast<int>(Info(op).category)];
}

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

bool AreSearchAxes(absl::Span<const int64_t> axes, int rank) {
  const auto count = static_cast<int>(axes.size());
  return AreReductionAxes(axes, rank) && count > 0 && (count == 1 || count == rank);
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

bool HasGivenShape(Op op) { return ShapeRuleOf(op) == GivenShape && !IsControlFlow(op); }

namespace {

bool SameType(const NodeType& type, const GivenType& given) {
  return given.dtype.value_or(type.dtype) == type.dtype &&
         (!given.shape || *given.shape == absl::MakeConstSpan(type.shape));
}

// Of a Cond or Loop the first of its results, of a Result the one that it names.
absl::StatusOr<NodeType> ControlFlowType(const ShapeQuestion& asked) {
  const Node* const control = asked.op == Op::kResult ? asked.operands[0] : nullptr;
  const bool has_index = control == nullptr || asked.attrs.ints.size() == 1;
  if (!has_index || (control != nullptr && !HasSubgraphs(*control))) {
    return asked.Wrong("needs an index and a 'cond' or 'loop'");
  }
  const absl::StatusOr<std::vector<NodeType>> types =
      control == nullptr
          ? ResultTypes(asked.op, asked.operands, asked.attrs, asked.scalars)
          : ResultTypes(control->op, control->operands, control->attrs, asked.scalars);
  if (!types.ok()) return asked.Wrong(absl::StrCat(": ", types.status().message()));
  const auto index = static_cast<size_t>(control == nullptr ? 0 : asked.attrs.ints[0]);
  if (index >= types->size() || (control != nullptr && index == 0)) {
    return asked.Wrong(absl::StrCat("has results from 1 to ", types->size() - 1));
  }
  const NodeType& type = (*types)[index];
  if (SameType(type, asked.given)) return type;
  return asked.Wrong(absl::StrCat("gives ", PrintType(asked.scalars, type.dtype, type.shape)));
}

}  // namespace

absl::StatusOr<NodeType> InferType(Op op, absl::Span<const Node* const> operands,
                                   const NodeAttrs& attrs, const GivenType& given,
                                   ScalarProgram& scalars) {
  const ShapeQuestion asked = {op, operands, attrs, given, scalars};
  const int arity = ArityOf(op);
  if (arity >= 0 && arity != static_cast<int>(operands.size())) {
    return asked.Wrong(absl::StrCat("takes ", arity, arity == 1 ? " operand" : " operands",
                                    ", not ", operands.size()));
  }
  if (arity < 0 && Info(op).category == OpCategory::kStructural && operands.empty()) {
    return asked.Wrong("takes some operands");
  }
  if (IsControlFlow(op)) return ControlFlowType(asked);
  const bool dtype_is_given = Info(op).dtype_rule == DTypeRule::kAttr;
  if (dtype_is_given && !given.dtype) return asked.Wrong("needs a dtype");
  DYNACC_ASSIGN_OR_RETURN(ShapeVector shape, ShapeRuleOf(op)(asked));
  const DType dtype = ResultDType(op, given.dtype.value_or(DType::kBool), operands);
  if (given.dtype.value_or(dtype) != dtype) {
    return asked.Wrong(absl::StrCat("gives ", Info(dtype).text, ", not ", Info(*given.dtype).text));
  }
  if (given.shape && *given.shape != absl::MakeConstSpan(shape)) {
    return asked.Wrong(absl::StrCat("gives ", PrintType(scalars, dtype, shape), ", not ",
                                    PrintType(scalars, dtype, *given.shape)));
  }
  return NodeType{dtype, std::move(shape)};
}

bool MayRaise(const Node& node) {
  if (MakesCall(node) || DefinedBy(node) != kNoScalar) return true;
  if (!node.attrs.subgraphs.empty()) {
    return absl::c_any_of(node.attrs.subgraphs, [](const Graph* subgraph) {
      return absl::c_any_of(subgraph->nodes(),
                            [](const Node* inside) { return MayRaise(*inside); });
    });
  }
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
