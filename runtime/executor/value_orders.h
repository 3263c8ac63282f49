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
    bool ufunc = true;  // neither a cast nor numpy.where
  };

  ValueOrders() = default;
  // `outputs` are values of steps. An output that is a cast's result is an array that the user made
  // with astype if `stored`, otherwise the conversion that NumPy's reductions do on the way.
  ValueOrders(int num_inputs, std::vector<Step> steps, std::vector<int> outputs, bool stored);

  // Whether all outputs are certainly in C order once every input is C ordered.
  bool keeps_c_order() const { return keeps_c_order_; }

  // An operand as NumPy's iterator sees it.
  struct Operand {
    const int64_t* strides;  // see IteratorStrides
    const int64_t* own;      // the array's strides as they are, on axes of size 1 too
    int64_t unit;            // the stride of neighbours: the item size
    bool converted = false;  // buffered in another dtype, or unaligned: no short cuts
  };

  // Fills `orders`, one an output.
  void Run(int rank, const int64_t* shape, absl::Span<const Operand> inputs,
           absl::Span<AxisOrder> orders) const;

 private:
  int num_inputs_ = 0;
  std::vector<Step> steps_;
  std::vector<int> outputs_;
  bool stored_ = true;
  bool keeps_c_order_ = true;
};

}  // namespace dynacc
