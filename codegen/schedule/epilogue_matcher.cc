#include "codegen/schedule/epilogue_matcher.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/schedule/schedule.h"

namespace dynacc::schedule {
namespace {

// The constant that every element of `node` is.
std::optional<double> ConstantOf(const ir::Graph& graph, const ir::Node* node) {
  const ir::Node* const leaf = BaseOf(node);
  const bool is_number = leaf->op == Op::kScalar || leaf->op == Op::kFull;
  if (!is_number || leaf->dtype != DType::kFloat32) return std::nullopt;
  const ScalarExpr& e = graph.scalars().expr(leaf->attrs.scalars[0]);
  if (e.op != ScalarOp::kConst || e.type == ScalarType::kBool) return std::nullopt;
  return static_cast<float>(e.type == ScalarType::kInt ? static_cast<double>(e.value.i)
                                                       : e.value.f);
}

// --- Arrays ----------------------------------------------------------------------------------

struct ArrayRow {
  Op op;
  cpu::EpilogueKind kind;
  bool commutes;
};
constexpr ArrayRow kArrayRows[] = {{Op::kAdd, cpu::EpilogueKind::kAdd, true},
                                   {Op::kSubtract, cpu::EpilogueKind::kSubtract, false},
                                   {Op::kMultiply, cpu::EpilogueKind::kMultiply, true}};

// Whether the View repeats one row of what it looks at.
bool RepeatsRow(const ir::Graph& graph, const ir::Node* view) {
  const absl::Span<const int64_t> axes = view->attrs.ints;
  if (axes.empty() || axes.back() < 0) return false;
  int64_t step;
  const ScalarId last = view->attrs.scalars[view->operands[0]->rank() + axes.size() - 1];
  return absl::c_all_of(axes.subspan(0, axes.size() - 1), [](int64_t axis) { return axis < 0; }) &&
         graph.scalars().IsIntConst(last, &step) && step == 1;
}

bool RepeatsSomething(const ir::Node* node) {
  for (; node->op == Op::kView; node = node->operands[0]) {
    if (absl::c_linear_search(node->attrs.ints, -1)) return true;
  }
  return false;
}

// --- Functions -------------------------------------------------------------------------------

struct FunctionOp {
  Op op;
  double (*compute)(double a, double b, double c);
};
// Without jumps but for comparisons with numbers: such functions that agree at many points agree.
constexpr FunctionOp kFunctionOps[] = {
    {Op::kPositive, [](double a, double, double) { return a; }},
    {Op::kNegative, [](double a, double, double) { return -a; }},
    {Op::kAbsolute, [](double a, double, double) { return std::fabs(a); }},
    {Op::kFabs, [](double a, double, double) { return std::fabs(a); }},
    {Op::kSquare, [](double a, double, double) { return a * a; }},
    {Op::kReciprocal, [](double a, double, double) { return 1 / a; }},
    {Op::kExp, [](double a, double, double) { return std::exp(a); }},
    {Op::kTanh, [](double a, double, double) { return std::tanh(a); }},
    {Op::kAdd, [](double a, double b, double) { return a + b; }},
    {Op::kSubtract, [](double a, double b, double) { return a - b; }},
    {Op::kMultiply, [](double a, double b, double) { return a * b; }},
    {Op::kDivide, [](double a, double b, double) { return a / b; }},
    {Op::kPower, [](double a, double b, double) { return std::pow(a, b); }},
    {Op::kMaximum, [](double a, double b, double) { return std::max(a, b); }},
    {Op::kMinimum, [](double a, double b, double) { return std::min(a, b); }},
    {Op::kLess, [](double a, double b, double) { return a < b ? 1.0 : 0.0; }},
    {Op::kLessEqual, [](double a, double b, double) { return a <= b ? 1.0 : 0.0; }},
    {Op::kGreater, [](double a, double b, double) { return a > b ? 1.0 : 0.0; }},
    {Op::kGreaterEqual, [](double a, double b, double) { return a >= b ? 1.0 : 0.0; }},
    {Op::kWhere, [](double a, double b, double c) { return a != 0 ? b : c; }},
};

const FunctionOp* FindFunctionOp(Op op) {
  const auto* row = absl::c_find_if(kFunctionOps, [op](const FunctionOp& r) { return r.op == op; });
  return row == std::end(kFunctionOps) ? nullptr : row;
}

// The function that `nodes` make, at a point.
class StretchFunction {
 public:
  StretchFunction(const ir::Graph& graph, const ir::Node* value,
                  absl::Span<const ir::Node* const> nodes)
      : graph_(graph), value_(value), nodes_(nodes) {}

  double operator()(double x) const {
    absl::flat_hash_map<const ir::Node*, double> known = {{value_, x}};
    for (const ir::Node* node : nodes_) {
      double operands[3] = {};
      for (size_t i = 0; i < node->operands.size(); ++i) {
        const auto it = known.find(node->operands[i]);
        operands[i] =
            it != known.end() ? it->second : ConstantOf(graph_, node->operands[i]).value_or(NAN);
      }
      known[node] = FindFunctionOp(node->op)->compute(operands[0], operands[1], operands[2]);
    }
    return known[nodes_.back()];
  }

 private:
  const ir::Graph& graph_;
  const ir::Node* value_;
  absl::Span<const ir::Node* const> nodes_;
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

double Gelu(double x) {
  constexpr double kRoot = 0.79788456080286535588;  // of 2 / pi
  return 0.5 * x * (1 + std::tanh(kRoot * (x + 0.044715 * x * x * x)));
}

constexpr double kFar = 1e6;

// alpha and beta are found at a few points, before the function is compared at all of them.
struct FunctionRow {
  cpu::EpilogueKind kind;
  double (*compute)(double x, double alpha, double beta);
  double (*alpha)(const StretchFunction& f);
  double (*beta)(const StretchFunction& f);
};
double None(const StretchFunction&) { return 0; }
double One(const StretchFunction&) { return 1; }
constexpr FunctionRow kFunctionRows[] = {
    {cpu::EpilogueKind::kLinear,
     [](double x, double alpha, double beta) { return alpha * x + beta; },
     [](const StretchFunction& f) { return f(1) - f(0); },
     [](const StretchFunction& f) { return f(0); }},
    {cpu::EpilogueKind::kRelu, [](double x, double alpha, double) { return x > 0 ? x : alpha * x; },
     [](const StretchFunction& f) { return -f(-1); }, None},
    {cpu::EpilogueKind::kAbsolute, [](double x, double, double) { return std::fabs(x); }, None,
     None},
    {cpu::EpilogueKind::kSquare, [](double x, double, double) { return x * x; }, None, None},
    {cpu::EpilogueKind::kClip,
     [](double x, double alpha, double beta) { return std::min(std::max(x, alpha), beta); },
     [](const StretchFunction& f) { return f(-kFar); },
     [](const StretchFunction& f) { return f(kFar); }},
    {cpu::EpilogueKind::kTanh, [](double x, double, double) { return std::tanh(x); }, None, None},
    {cpu::EpilogueKind::kLogistic, [](double x, double, double) { return Logistic(x); }, None,
     None},
    {cpu::EpilogueKind::kSwish, [](double x, double, double) { return x * Logistic(x); }, One,
     None},
    {cpu::EpilogueKind::kGelu, [](double x, double, double) { return Gelu(x); }, None, None},
};

// Points of both signs, close together where activations bend, and far out.
std::vector<double> Points() {
  std::vector<double> points = {0};
  for (double x = 1e-5; x < 0.1; x *= 3) points.push_back(x);
  for (double x = 0.13; x < 12; x += 0.137) points.push_back(x);
  for (double x = 12; x <= 2 * kFar; x *= 2.3) points.push_back(x);
  for (size_t i = points.size(); i-- > 1;) points.push_back(-points[i]);
  return points;
}

bool AreClose(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-6 * std::fabs(b) + 1e-8;
}

bool IsSame(const FunctionRow& row, const EpilogueStep& step, absl::Span<const double> points,
            absl::Span<const double> found) {
  for (size_t i = 0; i < points.size(); ++i) {
    if (!AreClose(found[i], row.compute(points[i], step.alpha, step.beta))) return false;
  }
  return true;
}

}  // namespace

std::optional<EpilogueStep> MatchArrayStep(const ir::Graph& graph, const ir::Node* value,
                                           const ir::Node* user) {
  const auto* row =
      absl::c_find_if(kArrayRows, [&](const ArrayRow& r) { return r.op == user->op; });
  if (row == std::end(kArrayRows) || user->dtype != value->dtype) return std::nullopt;
  const bool is_first = user->operands[0] == value;
  const ir::Node* const other = user->operands[is_first ? 1 : 0];
  if (other == value || !(is_first || row->commutes)) return std::nullopt;
  const ir::Node* const base = BaseOf(other);
  const bool is_array = base->op != Op::kScalar && base->op != Op::kFull && base->op != Op::kEmpty;
  if (!is_array || base == value || other->op == Op::kRoll) return std::nullopt;
  EpilogueStep step{row->kind};
  step.operand = other;
  step.is_row = other->op == Op::kView && RepeatsRow(graph, other);
  if (!step.is_row && RepeatsSomething(other)) return std::nullopt;
  return step;
}

bool IsFunctionNode(const ir::Graph& graph, const ir::Node* node, const ir::Node* value,
                    absl::Span<const ir::Node* const> nodes) {
  const bool has_type = node->dtype == DType::kFloat32 || node->dtype == DType::kBool;
  if (FindFunctionOp(node->op) == nullptr || !has_type || node->shape != value->shape) return false;
  return absl::c_all_of(node->operands, [&](const ir::Node* operand) {
    return operand == value || absl::c_linear_search(nodes, operand) ||
           ConstantOf(graph, operand).has_value();
  });
}

std::optional<EpilogueStep> MatchFunctionStep(const ir::Graph& graph, const ir::Node* value,
                                              absl::Span<const ir::Node* const> nodes) {
  if (nodes.back()->dtype != DType::kFloat32) return std::nullopt;
  static const auto& points = *new std::vector<double>(Points());
  const StretchFunction function(graph, value, nodes);
  std::vector<double> found;
  for (const double x : points) found.push_back(function(x));
  for (const FunctionRow& row : kFunctionRows) {
    EpilogueStep step{row.kind};
    step.alpha = static_cast<float>(row.alpha(function));
    step.beta = static_cast<float>(row.beta(function));
    if (IsSame(row, step, points, found)) return step;
  }
  return std::nullopt;
}

}  // namespace dynacc::schedule
