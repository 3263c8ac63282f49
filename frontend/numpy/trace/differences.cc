// np.diff: differences of neighbours, as NumPy's own slices and subtractions.
#include <numeric>

#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

constexpr int64_t kMaxTimes = 4;

// All but the last element along `axis` from element `start` on.
NumpyTensor* AllButOne(symbolic::TraceContext& trace, NumpyTensor* a, int axis, int64_t start) {
  ScalarProgram& scalars = trace.graph().scalars();
  Shape shape = ShapeOf(a);
  const Size less = Apply(trace, ScalarOp::kSub, shape.at(axis), ConstantSize(trace, 1));
  shape.ids[axis] = less.id;
  shape.hints[axis] = less.hint;
  std::vector<int64_t> axes(shape.rank());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<ScalarId> starts(shape.rank(), scalars.Int(0));
  starts[axis] = scalars.Int(start);
  const std::vector<ScalarId> steps(shape.rank(), scalars.Int(1));
  const ir::Node* const node = trace.graph().View(a->node, shape.ids, axes, starts, steps);
  return NewViewTensor(trace, a, node, shape, axis == 0 ? a->c_order : std::nullopt);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceDiff(symbolic::TraceContext& trace, const BoundArgs& args,
                                           Op) {
  for (const char* name : {"prepend", "append"}) {
    if (args[name] != nullptr) return symbolic::GraphBreak("differences with ends");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * tensor, args.Tensor("a"));
  NumpyTensor* a = AsNumpy(tensor);
  if (a->is_scalar || a->node->rank() == 0) return symbolic::GraphBreak("differences of a number");
  int64_t times = 1;
  if (args["n"] != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(times, trace.ConstantInt(args["n"]));
  }
  if (times < 1 || times > kMaxTimes) return symbolic::GraphBreak("differences of a high order");
  const int rank = a->node->rank();
  int64_t axis = rank - 1;
  if (args["axis"] != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(axis, AxisFrom(trace, args["axis"], rank));
  }
  const Op op = a->node->dtype == DType::kBool ? Op::kNotEqual : Op::kSubtract;
  for (; times > 0; --times) {
    const Size size = SizeOf(a, static_cast<int>(axis));
    if (!IsLess(trace, ConstantSize(trace, 0), size))
      return symbolic::GraphBreak("differences of nothing");
    symbolic::Value* const operands[] = {AllButOne(trace, a, static_cast<int>(axis), 1),
                                         AllButOne(trace, a, static_cast<int>(axis), 0)};
    DYNACC_ASSIGN_OR_RETURN(a, Elementwise(trace, op, operands));
  }
  return a;
}

}  // namespace dynacc::numpy
