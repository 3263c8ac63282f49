// LayoutProgram: where NumPy would put every array of a graph.
//
// A program can see the strides of its results, and sums are added in the order in which their
// terms lie in memory. Both follow from the operands' strides, operation by operation, by rules of
// NumPy's own. Codegen moves, fuses and drops operations; this program is the list of them as the
// user wrote them, and replays nothing but the strides.
//
// It only runs if an input is not in C order: if all are, nearly everything else is too.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/plan.h"

namespace dynacc::executor {

// How an array gets its strides; the functions are in layout_rules.h.
enum class LayoutRule : uint8_t {
  kInput,      // as it was handed in
  kCOrder,     // a fresh array in C order
  kNumber,     // rank 0
  kView,       // the operand's memory
  kPart,       // the real or imaginary parts of the operand's memory
  kReshape,    // the operand's memory if its strides allow, otherwise C order
  kConverted,  // an operand that a function reads in another dtype: its strides, through a buffer
  kUfunc,      // a fresh array of a ufunc with one result
  kIterator,   // a fresh array of numpy.where
  kKeepOrder,  // ndarray.astype and copy(order="K")
  kUpdate,     // operand 1, whose elements operand 0 has replaced
  kReduce,     // a fresh array of a ufunc's reduce
  kMatmul,
  kConcat,  // a fresh array of numpy.concatenate
};

struct LayoutStep {
  LayoutRule rule = LayoutRule::kCOrder;
  DType dtype = DType::kFloat64;
  ShapePlan shape;
  std::vector<int> operands;  // earlier steps
  int index = 0;              // kInput
  ViewPlan view;              // kView
  uint32_t reduced_axes = 0;  // kReduce: bit i: axis i
  bool keepdims = false;      // kReduce
};

struct Layout {
  StridedView view;        // data: only of inputs and their views
  bool fresh = false;      // dense, allocated for this array
  bool number = false;     // of rank 0, or such a one seen under some shape
  bool converted = false;  // read through a buffer: another dtype, or unaligned
};

using Layouts = boost::container::small_vector<Layout, 8>;

class LayoutProgram {
 public:
  LayoutProgram() = default;
  explicit LayoutProgram(std::vector<LayoutStep> steps);

  // Whether every fresh array is in C order, with these inputs; may be false when it is so.
  bool IsAllInCOrder(absl::Span<const StridedView> inputs) const;

  // Whether that is so with any inputs that are in C order without gaps.
  bool KeepsCOrder() const { return condition_ != Condition::kNever; }

  const std::vector<LayoutStep>& steps() const { return steps_; }

  // One layout a step. RunArguments::scalars must be complete.
  Layouts Run(const RunArguments& arguments) const;

 private:
  std::vector<LayoutStep> steps_;
  // What all inputs must be for C order throughout: in that order, without gaps, or not even that.
  enum class Condition : uint8_t { kInOrder, kContiguous, kNever };
  Condition condition_ = Condition::kInOrder;
};

}  // namespace dynacc::executor
