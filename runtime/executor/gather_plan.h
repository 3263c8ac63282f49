// Which elements of an array a step reads or writes, as indices name them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/executor/plan.h"
#include "runtime/executor/run_frame.h"
#include "runtime/ops/op.h"

namespace dynacc::executor {

// An index that ends the run by intent, as one beyond an array does: these values make NumPy raise,
// or give another dtype than the graph has.
inline constexpr int64_t kEndOfRun = INT64_MIN;

// The ABORTED error of a run for an index beyond an axis of that size.
inline absl::Status BeyondArray(int64_t index, int64_t size) {
  if (index == kEndOfRun) {
    return absl::AbortedError(
        "these values make NumPy raise an error, or give another dtype than the example's");
  }
  return absl::AbortedError(
      absl::StrCat("an index is beyond the array: ", index, ", where it has ", size));
}

// Elements of an array at places that indices name: a Gather (codegen/ir/graph.h), with the axes
// counted. Parts of axes and new axes make another view of the source, the target, and indices are
// about its axes.
struct GatherPlan {
  struct Bound {
    OperandPlan operand;  // of rank 0; not read if `number` is there
    std::optional<int64_t> number;
  };
  struct Part {
    int axis = 0;                   // of the target
    bool is_new = false;            // an axis of one element, which the source does not have
    std::optional<Bound> from, to;  // as a slice's
    int64_t step = 1;
  };
  struct Index {
    int axis = 0;         // of the target
    OperandPlan operand;  // of integers; not read if there is `number`, or `numbers` are
    std::optional<int64_t> number;
    std::vector<int64_t> numbers;  // an array of these
  };
  OperandPlan source;
  std::vector<Part> parts;     // by axis
  std::vector<Index> indices;  // by axis; they broadcast
  // The result's axes that are the indices' broadcast ones: [place, place + index_rank). The others
  // are the target's axes without an index, in their order.
  int place = 0;
  int index_rank = 0;
  // There is one index, of the result's rank; along the other axes the result is where the source
  // is, which may have one element for all.
  bool is_along = false;
  int output = -1;
  // When the library's result is in C order: always, or if the operands are; or there is no
  // telling.
  enum class Order : uint8_t { kC, kOfOperands, kUnknown };
  Order order = Order::kUnknown;
};

// A new version of an array in which the elements at such places are others: a Scatter.
struct ScatterPlan {
  GatherPlan places;  // `source` is the version before, `output` the new one
  DType dtype = DType::kFloat64;
  std::optional<Op> op;               // elements become op(element, value); none: the value
  OperandPlan value;                  // not read if `number` is there
  std::optional<ElementCell> number;  // of the array's dtype
};

}  // namespace dynacc::executor
