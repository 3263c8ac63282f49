// ValueOrders: the memory order that each value of a kernel would have, had NumPy computed it.
//
// A kernel fuses many elementwise operations; NumPy would run them one by one, and each fresh
// intermediate would choose its memory order from its own operands. The program replays that.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/executor/memory_order.h"

namespace dynacc {

class ValueOrders {
 public:
  // Values are numbered as in a kernel: the inputs, then one for each step; -1: no such operand.
  struct Step {
    int operands[3] = {-1, -1, -1};
    bool cast = false;
  };

  ValueOrders() = default;
  // `outputs` are values of steps. An output that is a cast's result is an array that the user made
  // with astype if `stored`, otherwise the conversion that NumPy's reductions do on the way.
  ValueOrders(int num_inputs, std::vector<Step> steps, std::vector<int> outputs, bool stored);

  // Whether all outputs are certainly in C order once every input is C ordered.
  bool keeps_c_order() const { return keeps_c_order_; }

  // Fills `orders` (one an output) from the inputs' iterator strides (see IteratorStrides).
  void Run(int rank, const int64_t* shape, absl::Span<const int64_t* const> inputs,
           absl::Span<AxisOrder> orders) const;

 private:
  int num_inputs_ = 0;
  std::vector<Step> steps_;
  std::vector<int> outputs_;
  bool stored_ = true;
  bool keeps_c_order_ = true;
};

}  // namespace dynacc
