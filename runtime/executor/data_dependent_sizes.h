// DataDependentSizes: the numbers of one run that only the run tells.
//
// A step that makes an array of a size that depends on values (LibraryCallStep) defines the
// data-dependent number that stands for the size. What follows from it is then evaluated, and what
// the front end has taken for granted is checked: a run in which it does not hold is given up.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// An axis of an input whose size follows from data-dependent numbers: a cotangent of what has it.
struct LateInputSize {
  int input = 0;
  int axis = 0;
  ScalarId size = kNoScalar;
};

class DataDependentSizes {
 public:
  // `values`: of all expressions of `program`, those of level 0 evaluated. `callers`: the first of
  // them, in the caller's memory; may be the same memory. `conditions`: of level 0 they hold.
  // `late`: of `inputs`, the run's.
  DataDependentSizes(const ScalarProgram& program, absl::Span<const ScalarId> conditions,
                     absl::Span<ScalarValue> values, absl::Span<ScalarValue> callers,
                     absl::Span<const LateInputSize> late, absl::Span<const StridedView> inputs)
      : program_(program),
        conditions_(conditions),
        values_(values),
        callers_(callers),
        late_(late),
        inputs_(inputs) {}

  // Lets the data-dependent number be `value`; in the order of levels. ABORTED if an expression
  // fails, a condition does not hold, or an input has another size than follows.
  absl::Status Define(ScalarId number, int64_t value);

 private:
  const ScalarProgram& program_;
  const absl::Span<const ScalarId> conditions_;
  const absl::Span<ScalarValue> values_;
  const absl::Span<ScalarValue> callers_;
  const absl::Span<const LateInputSize> late_;
  const absl::Span<const StridedView> inputs_;
  int level_ = 0;
};

}  // namespace dynacc::executor
