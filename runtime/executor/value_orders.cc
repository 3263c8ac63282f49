#include "runtime/executor/value_orders.h"

#include <algorithm>

#include "boost/container/small_vector.hpp"

namespace dynacc {
namespace {

struct Strides {
  int64_t of[kMaxRank];
};

// A fresh value's strides, in elements.
struct FreshStrides {
  Strides iterator;
  Strides own;
};

FreshStrides DenseStrides(int rank, const int64_t* shape, const AxisOrder& order) {
  FreshStrides strides;
  int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    const int axis = order.axis[i];
    strides.own.of[axis] = stride;
    strides.iterator.of[axis] = shape[axis] == 1 ? 0 : stride;
    stride *= shape[axis];
  }
  return strides;
}

AxisOrder FortranOrder(int rank) {
  AxisOrder order = {};
  for (int i = 0; i < rank; ++i) order.axis[i] = static_cast<int8_t>(i);
  return order;
}

bool IsDense(const ValueOrders::Operand& operand, int rank, const int64_t* shape,
             const AxisOrder& order) {
  int64_t expected = operand.unit;
  for (int i = 0; i < rank; ++i) {
    const int axis = order.axis[i];
    if (shape[axis] == 1) continue;
    if (operand.strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

bool IsNumber(const ValueOrders::Operand& operand, int rank) {
  return std::all_of(operand.strides, operand.strides + rank, [](int64_t s) { return s == 0; });
}

// Whether a ufunc would take its short cut for Fortran-ordered arrays (try_trivial_single_output_
// loop in NumPy's ufunc_object.c): it then allocates in Fortran order, axes of size 1 included.
bool TakesFortranShortCut(absl::Span<const ValueOrders::Operand> operands, int rank,
                          const int64_t* shape) {
  bool all_c = true;
  for (const ValueOrders::Operand& operand : operands) {
    if (IsNumber(operand, rank)) continue;
    if (operand.converted) return false;
    if (!IsDense(operand, rank, shape, FortranOrder(rank))) return false;
    all_c &= IsDense(operand, rank, shape, COrder(rank));
  }
  return !all_c;
}

AxisOrder AstypeOrder(const ValueOrders::Operand& operand, int rank, const int64_t* shape) {
  if (IsDense(operand, rank, shape, COrder(rank))) return COrder(rank);
  if (IsDense(operand, rank, shape, FortranOrder(rank))) return FortranOrder(rank);
  return SortAxesByStride(rank, operand.own);
}

}  // namespace

ValueOrders::ValueOrders(int num_inputs, std::vector<Step> steps, std::vector<int> outputs,
                         bool stored)
    : num_inputs_(num_inputs),
      steps_(std::move(steps)),
      outputs_(std::move(outputs)),
      stored_(stored) {
  // A cast's stored result has broadcast axes innermost (see SortAxesByStride).
  for (const int output : outputs_) {
    if (stored && steps_[output - num_inputs_].cast) keeps_c_order_ = false;
  }
}

void ValueOrders::Run(int rank, const int64_t* shape, absl::Span<const Operand> inputs,
                      absl::Span<AxisOrder> orders) const {
  boost::container::small_vector<FreshStrides, 16> computed(steps_.size());
  boost::container::small_vector<Operand, 24> values(inputs.begin(), inputs.end());
  auto order_of_step = [&](const Step& step) {
    Operand operands[3];
    const int64_t* strides[3];
    int count = 0;
    for (const int value : step.operands) {
      if (value < 0) continue;
      operands[count] = values[value];
      strides[count++] = values[value].strides;
    }
    const size_t size = static_cast<size_t>(count);
    if (step.ufunc && TakesFortranShortCut({operands, size}, rank, shape)) {
      return FortranOrder(rank);
    }
    return FindAxisOrder(rank, {strides, size});
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    // A cast inside a kernel is mostly NumPy's buffered conversion of an operand: its broadcast
    // axes stay broadcast.
    if (steps_[i].cast) {
      values.push_back(values[steps_[i].operands[0]]);
      values.back().converted = true;
    } else {
      computed[i] = DenseStrides(rank, shape, order_of_step(steps_[i]));
      values.push_back({computed[i].iterator.of, computed[i].own.of, 1});
    }
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const Step& step = steps_[outputs_[k] - num_inputs_];
    orders[k] = step.cast && stored_ ? AstypeOrder(values[step.operands[0]], rank, shape)
                                     : order_of_step(step);
  }
}

}  // namespace dynacc
