#include "runtime/executor/value_orders.h"

#include <algorithm>

#include "boost/container/small_vector.hpp"

namespace dynacc {
namespace {

struct Strides {
  int64_t of[kMaxRank];
};

// A fresh value's strides, in elements, 0 on axes of size 1.
Strides DenseStrides(int rank, const int64_t* shape, const AxisOrder& order) {
  Strides strides;
  int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    const int axis = order.axis[i];
    strides.of[axis] = shape[axis] == 1 ? 0 : stride;
    stride *= shape[axis];
  }
  return strides;
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

void ValueOrders::Run(int rank, const int64_t* shape, absl::Span<const int64_t* const> inputs,
                      absl::Span<AxisOrder> orders) const {
  boost::container::small_vector<Strides, 16> computed(steps_.size());
  auto strides_of = [&](int value) -> const int64_t* {
    return value < num_inputs_ ? inputs[value] : computed[value - num_inputs_].of;
  };
  auto order_of_step = [&](const Step& step) {
    const int64_t* operands[3];
    int count = 0;
    for (const int operand : step.operands) {
      if (operand >= 0) operands[count++] = strides_of(operand);
    }
    return FindAxisOrder(rank, {operands, static_cast<size_t>(count)});
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    // A cast inside a kernel is mostly NumPy's buffered conversion of an operand: its broadcast
    // axes stay broadcast.
    if (steps_[i].cast) {
      std::copy_n(strides_of(steps_[i].operands[0]), rank, computed[i].of);
    } else {
      computed[i] = DenseStrides(rank, shape, order_of_step(steps_[i]));
    }
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const Step& step = steps_[outputs_[k] - num_inputs_];
    orders[k] = step.cast && stored_ ? SortAxesByStride(rank, strides_of(step.operands[0]))
                                     : order_of_step(step);
  }
}

}  // namespace dynacc
