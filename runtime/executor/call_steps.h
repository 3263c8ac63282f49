// Steps of ops that a library call may compute, by fast loops of our own and with its bits
// (codegen/compile/structural_steps.h makes them).
#pragma once

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/cpu/loops/extreme_run.h"
#include "runtime/executor/element_steps.h"
#include "runtime/executor/int_operation.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

// What they share: `host` does the same where this step cannot: it makes the call, or goes element
// by element (element_steps.h).
class CallStep : public Step {
 public:
  const Step& host() const { return *host_; }
  int output() const { return output_; }

 protected:
  CallStep(int output, std::unique_ptr<const Step> host)
      : output_(output), host_(std::move(host)) {}

  const int output_;
  const std::unique_ptr<const Step> host_;
};

// --- ScanStep: cumulative sums and products by loops of our own.
//
// NumPy reads each sum back from memory before it adds the next element; in a register it waits for
// the addition alone. The order of the additions is the same, and so are the bits.

// Whether there are loops for the dtype.
bool CanScan(DType dtype);

class ScanStep : public CallStep {
 public:
  // `dtype`: the source's. By `host` where the source does not lie in C order.
  ScanStep(ScanPlan plan, DType dtype, std::unique_ptr<const Step> host);
  absl::Status Run(RunFrame& frame) const override;

  const ScanPlan& plan() const { return plan_; }

 private:
  // Of `outer` blocks one after the other, each `length` rows of `inner` elements, the cumulative
  // sums or products of the rows.
  using ScanFn = void (*)(const char* from, char* to, int64_t outer, int64_t length, int64_t inner);
  struct Row;
  static const Row* FindRow(DType dtype);
  friend bool CanScan(DType dtype);

  ScanFn scan_;
  ScanPlan plan_;
};

// --- ArgExtremeStep: where the greatest or least elements along the last axis are (argmax,
// argmin).
//
// As NumPy has it: the first of several that are equal, and the first NaN if there is one. No
// flags.

class ArgExtremeStep : public CallStep {
 public:
  // `find`: of one row. `row_axes`: the last axes of the source that make a row. The result, of
  // int64, has an element for each row, in C order. By `host` where the source does not lie in C
  // order, and where there is nothing to be found.
  ArgExtremeStep(cpu::ArgExtremeFn find, OperandPlan source, int row_axes, int output,
                 std::unique_ptr<const Step> host)
      : CallStep(output, std::move(host)),
        find_(find),
        source_(std::move(source)),
        row_axes_(row_axes) {}

  absl::Status Run(RunFrame& frame) const override;

  cpu::ArgExtremeFn find() const { return find_; }
  const OperandPlan& source() const { return source_; }
  int row_axes() const { return row_axes_; }

 private:
  cpu::ArgExtremeFn find_;
  OperandPlan source_;
  int row_axes_;
};

// The number of the run's input that an error is about, as text: a payload of its status.
inline constexpr absl::string_view kInputPayload = "dynacc/input";

// --- TakeStep: rows of an array at an array of indices, by loops of our own.
//
// NumPy's `a[at]` waits for each element of an array that no cache holds. Here the lines of the
// next elements are asked for while these are moved, and several threads share the work.

class TakeStep : public CallStep {
 public:
  // Neither is of rank 0, and `index` is of int64. By `host` where they do not lie in C order. The
  // run is ABORTED if an index is beyond the array, which the program then learns from the call
  // itself. If the indices are an input of the run, the status has kInputPayload.
  TakeStep(OperandPlan source, OperandPlan index, int output, std::unique_ptr<const Step> host)
      : CallStep(output, std::move(host)), source_(std::move(source)), index_(std::move(index)) {}
  absl::Status Run(RunFrame& frame) const override;

  const OperandPlan& source() const { return source_; }
  const OperandPlan& index() const { return index_; }

 private:
  absl::Status Take(const StridedView& source, const StridedView& index, RunFrame& frame) const;
  // That one of the indices is beyond an array of `size` rows.
  absl::Status Beyond(int64_t size, absl::Span<const int64_t> indices, const RunFrame& frame) const;

  OperandPlan source_;
  OperandPlan index_;
};

// --- CompressStep: the elements, or rows, of an array where a mask is true, by loops of our own.
//
// NumPy's `a[mask]` finds the places one by one and branches at each; here elements of 4 and 8
// bytes are packed a vector at a time (runtime/cpu/loops/compress_kernels.h).

class CompressStep : public CallStep {
 public:
  // `late`: the number that is the size of the result's first axis. By `host` where the operands do
  // not lie in C order, and where the mask's shape is not that of the source's first axes.
  CompressStep(OperandPlan source, OperandPlan mask, int output, ScalarId late,
               std::unique_ptr<const Step> host)
      : CallStep(output, std::move(host)),
        source_(std::move(source)),
        mask_(std::move(mask)),
        late_(late) {}
  absl::Status Run(RunFrame& frame) const override;

  const OperandPlan& source() const { return source_; }
  const OperandPlan& mask() const { return mask_; }
  ScalarId late() const { return late_; }

 private:
  absl::Status Compress(const StridedView& source, const StridedView& mask, RunFrame& frame) const;

  OperandPlan source_;
  OperandPlan mask_;
  ScalarId late_;
};

// --- IntStep: one of Python's operators on single ints (n + 1, 100 * hits // size).
//
// The result is computed exactly, which is what NumPy and Python give if the result's dtype holds
// it and the operands. Where it does not, and for a divisor of zero and the like, `host` runs:
// whether that wraps around, warns or raises is for the call's owner to say.

class IntStep : public CallStep {
 public:
  // `operands`: of rank 0, of dtypes that hold ints (HoldsInts); `result`: the result's, an
  // integer.
  IntStep(IntOperation operation, std::vector<OperandPlan> operands, DType result, int output,
          std::unique_ptr<const Step> host)
      : CallStep(output, std::move(host)),
        operation_(std::move(operation)),
        operands_(std::move(operands)),
        result_(result) {}

  absl::Status Run(RunFrame& frame) const override;

  const IntOperation& operation() const { return operation_; }
  const std::vector<OperandPlan>& operands() const { return operands_; }

 private:
  IntOperation operation_;
  std::vector<OperandPlan> operands_;
  DType result_;
};

}  // namespace dynacc::executor
