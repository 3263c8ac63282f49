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

// Writes the exact result of the operation, of dtype `result`, to `to`. False, and nothing written:
// an argument or the result is no number of that dtype, or Python raises.
bool ComputeInt(const IntOperation& operation, absl::Span<const StridedView> operands, DType result,
                char* to);

}  // namespace dynacc::executor
