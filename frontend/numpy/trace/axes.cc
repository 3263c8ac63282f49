// Functions that move, add and drop axes: always views.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "frontend/cpython/describe.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/as_array.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/views.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

std::vector<int64_t> Ascending(int rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

bool Contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

absl::StatusOr<NumpyTensor*> ArrayFrom(const BoundArgs& args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_RETURN_IF_ERROR(RequireArray(a));
  return AsNumpy(a);
}

// `axes` null or None: reversed.
absl::StatusOr<symbolic::Value*> Transpose(symbolic::TraceContext& trace, NumpyTensor* a,
                                           symbolic::Value* axes) {
  std::vector<int64_t> permutation = Ascending(a->node->rank());
  std::reverse(permutation.begin(), permutation.end());
  if (axes != nullptr && !IsNone(axes)) {
    const auto items = ItemsOf(trace, axes);
    symbolic::Value* tuple = items ? trace.New<symbolic::TupleValue>(*items) : axes;
    DYNACC_ASSIGN_OR_RETURN(permutation, AxesFrom(trace, tuple, a->node->rank()));
    if (static_cast<int>(permutation.size()) != a->node->rank()) {
      return symbolic::GraphBreak("a transpose with another number of axes");
    }
  }
  return TransposedView(trace, a, permutation);
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceTranspose(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  return Transpose(trace, a, args["axes"]);
}

// Of one array that only changes places of axes, which is a view: "ij->ji". All others are NumPy's.
absl::StatusOr<symbolic::Value*> TraceEinsum(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  for (const char* name : {"optimize", "out", "dtype", "order", "casting"}) {
    DYNACC_RETURN_IF_ERROR(args.RefuseGiven(name));
  }
  const auto given = args.rest();
  auto* const array = given.size() == 2 ? symbolic::As<symbolic::TensorValue>(given[1]) : nullptr;
  auto* const text = array ? symbolic::As<symbolic::ConstantValue>(given[0]) : nullptr;
  if (text == nullptr || !PyUnicode_CheckExact(text->object.get())) {
    return symbolic::GraphBreak("a sum of products");
  }
  DYNACC_RETURN_IF_ERROR(RequireArray(array));
  const std::string labels = absl::StrReplaceAll(StrView(text->object.get()), {{" ", ""}});
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(labels, absl::MaxSplits("->", 1));
  const auto [before, after] = sides;
  std::vector<int64_t> permutation;
  for (const char label : after) {
    const size_t axis = before.find(label);
    const bool is_once = axis != before.npos && before.find(label, axis + 1) == before.npos;
    if (!absl::ascii_isalpha(label) || !is_once || Contains(permutation, axis)) {
      return symbolic::GraphBreak("a sum of products");
    }
    permutation.push_back(static_cast<int64_t>(axis));
  }
  if (before.size() != after.size() || static_cast<int>(before.size()) != array->node->rank() ||
      before.empty()) {
    return symbolic::GraphBreak("a sum of products");
  }
  return TransposedView(trace, AsNumpy(array), permutation);
}

absl::StatusOr<symbolic::Value*> TraceTransposeMethod(symbolic::TraceContext& trace,
                                                      const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  if (args.rest().empty()) return Transpose(trace, a, nullptr);
  if (args.rest().size() == 1) return Transpose(trace, a, args.rest()[0]);
  return Transpose(trace, a,
                   trace.New<symbolic::TupleValue>(
                       std::vector<symbolic::Value*>(args.rest().begin(), args.rest().end())));
}

absl::StatusOr<symbolic::Value*> TraceSwapAxes(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * first, args.Required("axis1"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * second, args.Required("axis2"));
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis1, AxisFrom(trace, first, a->node->rank()));
  DYNACC_ASSIGN_OR_RETURN(const int64_t axis2, AxisFrom(trace, second, a->node->rank()));
  std::vector<int64_t> permutation = Ascending(a->node->rank());
  std::swap(permutation[axis1], permutation[axis2]);
  return TransposedView(trace, a, permutation);
}

absl::StatusOr<symbolic::Value*> TraceMoveAxis(symbolic::TraceContext& trace, const BoundArgs& args,
                                               Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * from, args.Required("source"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * to, args.Required("destination"));
  for (symbolic::Value** axes : {&from, &to}) {  // lists, too
    if (const auto items = ItemsOf(trace, *axes)) *axes = trace.New<symbolic::TupleValue>(*items);
  }
  DYNACC_ASSIGN_OR_RETURN(const auto sources, AxesFrom(trace, from, a->node->rank()));
  DYNACC_ASSIGN_OR_RETURN(const auto destinations, AxesFrom(trace, to, a->node->rank()));
  if (sources.size() != destinations.size())
    return symbolic::GraphBreak("moveaxis of unequal lists");
  std::vector<int64_t> permutation;
  for (int64_t axis : Ascending(a->node->rank())) {
    if (!Contains(sources, axis)) permutation.push_back(axis);
  }
  std::vector<std::pair<int64_t, int64_t>> moves;  // (destination, source), inserted in that order
  for (size_t i = 0; i < sources.size(); ++i) moves.emplace_back(destinations[i], sources[i]);
  std::sort(moves.begin(), moves.end());
  for (const auto& [destination, source] : moves) {
    permutation.insert(permutation.begin() + destination, source);
  }
  return TransposedView(trace, a, permutation);
}

absl::StatusOr<symbolic::Value*> TraceExpandDims(symbolic::TraceContext& trace,
                                                 const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * axis, args.Required("axis"));
  const auto items = ItemsOf(trace, axis);
  const int added = items ? static_cast<int>(items->size()) : 1;
  const int rank = a->node->rank() + added;
  if (rank > kMaxRank) return symbolic::GraphBreak("an array of a high rank");
  symbolic::Value* tuple = items ? trace.New<symbolic::TupleValue>(*items) : axis;
  DYNACC_ASSIGN_OR_RETURN(const auto new_axes, AxesFrom(trace, tuple, rank));
  Shape shape;
  int next = 0;
  for (int64_t d : Ascending(rank)) {
    shape.push_back(Contains(new_axes, d) ? ConstantSize(trace, 1) : SizeOf(a, next++));
  }
  // NumPy reshapes: unlike a[None], which gives new axes strides of 0.
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedView(trace, a, shape));
  return view;
}

absl::StatusOr<symbolic::Value*> TraceSqueeze(symbolic::TraceContext& trace, const BoundArgs& args,
                                              Op) {
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, ArrayFrom(args));
  const int rank = a->node->rank();
  const Size one = ConstantSize(trace, 1);
  std::vector<int64_t> dropped;
  if (symbolic::Value* axis = args.GivenOrNull("axis")) {
    DYNACC_ASSIGN_OR_RETURN(dropped, AxesFrom(trace, axis, rank));
  }
  const bool all = args.GivenOrNull("axis") == nullptr;
  std::vector<int64_t> kept;
  for (int axis = 0; axis < rank; ++axis) {
    const bool candidate = all || Contains(dropped, axis);
    const bool is_one = candidate && IsEqual(trace, SizeOf(a, axis), one);
    if (candidate && !is_one && !all)
      return symbolic::RaisingBreak("squeeze of an axis that is not 1");
    if (!is_one) kept.push_back(axis);
  }
  // Without anything to drop and no axes named NumPy gives the array itself.
  if (all && static_cast<int>(kept.size()) == rank) return a;
  return AxesView(trace, a, kept);
}

absl::StatusOr<symbolic::Value*> TraceAtLeast2d(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("a"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, AsArrayValue(trace, value, nullptr));
  if (a->node->rank() > 1) return a;
  if (a->node->rank() == 1) {
    const int64_t axes[] = {-1, 0};
    return AxesView(trace, a, axes);
  }
  Shape shape;
  for (int axis = 0; axis < 2; ++axis) shape.push_back(ConstantSize(trace, 1));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedView(trace, a, shape));
  return view;
}

absl::StatusOr<symbolic::Value*> TraceAtLeast1d(symbolic::TraceContext& trace,
                                                const BoundArgs& args, Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, args.Required("a"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * a, AsArrayValue(trace, value, nullptr));
  if (a->node->rank() > 0) return a;
  Shape shape;
  shape.push_back(ConstantSize(trace, 1));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * view, ReshapedView(trace, a, shape));
  return view;
}

}  // namespace dynacc::numpy
