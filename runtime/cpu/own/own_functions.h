// Functions of the array library by code of our own: what a program runs for a library call, where
// there is no array library (runtime/program).
//
// Results have the bits that NumPy 1.24's own C code gives, whatever the operands' order in memory,
// NaNs and zeros of both signs included. Another NumPy may leave equal elements in another order.
// Whether it does is asked before a program is made: HasBitsOf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

// A call of such a function: all that is no operand, as numbers. `axis` counts from the end if it
// is negative, and is kFlat for all elements in C order.
//
//   function      operands        numbers                     result
//   sort          array           axis, kind (SortKind)       as the array
//   argsort       array           axis, kind                  i64, as the array
//   partition     array           axis, places...             as the array
//   argpartition  array           axis, places...             i64, as the array
//   searchsorted  sorted, values  right (0 or 1)              i64, as the values
//   digitize      values, bins    right (0 or 1)              i64, as the values
//   median        array           axis, whether sums begin    without the axis, or with size 1
//                                 with 0 (of -0.0: 0 or 1)
//   quantile      f64 array       axis, the bits of the       the same
//                                 double between 0 and 1
//   einsum        arrays          labels (einsum.h)           as these say
//   linalg....    linear_functions.h has them    none
//   of one number: number_functions.h has them
struct OwnCall {
  std::string function;
  std::vector<int64_t> numbers;

  bool operator==(const OwnCall&) const = default;
};

// Whether it is the call "index" of an index and a size: the place of that element, counted from
// the start, as a number of the run, which no result has. Its numbers are as of number_functions.h,
// and RunOwn does not make it.
bool GivesPlace(const OwnCall& call);
inline constexpr int64_t kFlat = INT64_MIN;

struct OperandType {
  DType dtype = DType::kFloat64;
  int rank = 0;
};

// What is wrong with a call of such operands and with such a result: "sort of c64 arrays is not
// there". Empty: nothing.
std::string WhyNotOwn(const OwnCall& call, absl::Span<const OperandType> operands,
                      OperandType result);

class Lapack;

// Whether RunOwn needs a LAPACK for such a call.
bool NeedsLapack(const OwnCall& call);

// Computes `result`, which lies in C order, apart from the operands. Nothing must be wrong with the
// call. `lapack`: not null if the call needs it. ABORTED where NumPy raises an error or the result
// has other sizes; RESOURCE_EXHAUSTED without memory.
absl::Status RunOwn(const OwnCall& call, absl::Span<const StridedView> operands,
                    const StridedView& result, const Lapack* lapack = nullptr);

// Makes the library's call with these operands, and copies what it gives to `result`, whose sizes
// and memory are those that RunOwn was given. False where it fails.
using LibraryFunction =
    absl::FunctionRef<bool(absl::Span<const StridedView> operands, const StridedView& result)>;

// Whether RunOwn gives the bits of `library` on arrays of many lengths, with many equal elements
// and without, sorted and not; as HasBitsOf of own_loops.h.
bool HasBitsOf(LibraryFunction library, const OwnCall& call, absl::Span<const OperandType> operands,
               OperandType result, const Lapack* lapack = nullptr);

}  // namespace dynacc::cpu
