// DataDependentSizes: the numbers of one run that only the run tells.
//
// A step that makes an array of a size that depends on values (LibraryCallStep) defines the
// data-dependent number that stands for the size. What follows from it is then evaluated, and what
// the front end has taken for granted is checked: a run in which it does not hold is given up.
#pragma once

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::executor {

class DataDependentSizes {
 public:
  // `values`: of all expressions of `program`, those of level 0 evaluated. `callers`: the first of
  // them, in the caller's memory; may be the same memory. `conditions`: of level 0 they hold.
  DataDependentSizes(const ScalarProgram& program, absl::Span<const ScalarId> conditions,
                     absl::Span<ScalarValue> values, absl::Span<ScalarValue> callers)
      : program_(program), conditions_(conditions), values_(values), callers_(callers) {}

  // Lets the data-dependent number be `value`; in the order of levels. ABORTED if an expression
  // fails or a condition does not hold.
  absl::Status Define(ScalarId number, int64_t value);

 private:
  const ScalarProgram& program_;
  const absl::Span<const ScalarId> conditions_;
  const absl::Span<ScalarValue> values_;
  const absl::Span<ScalarValue> callers_;
  int level_ = 0;
};

}  // namespace dynacc::executor
