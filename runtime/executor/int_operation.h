// One of Python's operators on single ints: what the node IntOperator (codegen/ir/graph.h)
// computes.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

struct IntOperation {
  enum class Operator : uint8_t {
#define DYNACC_INT_OPERATOR(Name, name, operands, result) k##Name,
#include "runtime/executor/int_operators.def"
#undef DYNACC_INT_OPERATOR
  };
  // An operand, of rank 0, or a number that is known.
  struct Argument {
    int operand = -1;
    int64_t number = 0;
  };
  Operator op = Operator::kAdd;
  std::vector<Argument> arguments;  // one or two
  // As NumPy's scalars: a result that is no number of its dtype loses the bits that are too many,
  // and a quotient and a rest by 0 are 0.
  bool wraps = false;
};

// A row of int_operators.def.
struct IntOperatorInfo {
  const char* name;  // in Python's module `operator`
  int operands;
};
const IntOperatorInfo& Info(IntOperation::Operator op);
int NumIntOperators();

// Whether there are ints of that dtype: integers and bools.
bool HoldsInts(DType dtype);

// Writes the result of the operation, of dtype `result`, to `to`. False, and nothing written: an
// argument is no number of that dtype, or Python raises; or the result is none, and does not wrap.
bool ComputeInt(const IntOperation& operation, absl::Span<const StridedView> operands, DType result,
                char* to);

}  // namespace dynacc::executor
