// Promotion: which dtypes NumPy would choose for an operation, asked of NumPy itself.
//
// NumPy 1.x promotes by value (see scalar_class.h), so an answer may hold only for some values of a
// number. What is known of an operand says how that is dealt with: a number of a known value asks
// with that value; one that varies from call to call gets the answer with the classes for which it
// holds, which the caller requires. Of one that the segment computes the value does not matter, or
// is taken to be no greater than what the answer for 0 holds for, which the run checks.
//
// NumPy 2 goes by types alone, so every operand has one example, which is of a Python number the
// type itself (weak_numbers.h).
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::numpy {

// Type numbers that NumPy chooses for these operands, which are examples; empty if it would raise.
using Resolver = std::function<std::vector<int>(absl::Span<PyObject* const> operands)>;

struct PromotionOperand {
  enum class Varies {
    kNever,      // an array of rank >= 1 (only its dtype counts), or a known value
    kInClasses,  // `examples` has one value of each class, in order; the present one is at `now`
    kExactly,    // the same, but a restriction can only be to the present class
    kChecked,  // the same; the run has it, and checks a restriction, which is to classes around 0's
    kUnknown,  // any of `examples`
  };
  Varies varies = Varies::kNever;
  // Examples of the operand's dtype and (if it counts) value: arrays, or a Python number's type.
  std::vector<Ref> examples;
  int now = 0;
  // Answer: the classes for which the result holds. All of them: no restriction.
  int first = 0;
  int last = 0;

  bool restricted() const { return last - first + 1 < static_cast<int>(examples.size()); }
};

// The operand for an array of rank >= 1.
PromotionOperand ArrayOperand(DType dtype);
// A number whose value is known: `object` is a Python number or NumPy scalar.
absl::StatusOr<PromotionOperand> KnownOperand(BorrowedRef object);
// A rank-0 tensor whose value the run has; one of float64 or int64 may be restricted.
PromotionOperand UnknownOperand(DType dtype);
// A rank-0 tensor of `dtype` that has the value of `object` in this call.
PromotionOperand ExactOperand(DType dtype, BorrowedRef object);
// A Python int or float that is a dynamic input.
PromotionOperand DynamicInt(int64_t now);
PromotionOperand DynamicFloat(double now);
PromotionOperand DynamicBool();

// The types that hold for the operands, with their `first` and `last` set. GraphBreak if NumPy
// would raise, or if the answer depends on a value that is not known.
absl::StatusOr<std::vector<int>> Promote(const Resolver& resolve,
                                         absl::Span<PromotionOperand> operands);

}  // namespace dynacc::numpy
