// RowBlockStep: several steps that run block of rows by block of rows, each block through all of
// them while it is in cache. What only they read is never a whole array: each thread has memory for
// one block of it. codegen/schedule/row_groups.h says which steps these are.
//
// A block is a range of one leading axis, at one place of the axes before it. Arrays that fit into
// the cache as a whole, rows that do not fit into it, sums along other axes than the rows' (the
// layout program says so at run time), and products whose sums are not in order run step by step
// instead; then the steps between products may still go block by block among themselves.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/row_stage.h"
#include "runtime/executor/step.h"

namespace dynacc::executor {

class RowBlockStep : public Step {
 public:
  // `steps`: what runs step by step, some of them RowBlockSteps themselves; `stages`: the single
  // steps of these, each with a row_stage(). `rows`: the sizes of the leading axes, at least one.
  // `locals`: temporaries that only these steps touch.
  RowBlockStep(std::vector<std::unique_ptr<const Step>> steps, std::vector<const Step*> stages,
               std::vector<ScalarId> rows, std::vector<int> locals);

  absl::Status Run(RunFrame& frame) const override;
  bool Bind(Binder& binder) const override;
  Work WorkIn(const RunFrame& frame) const override;
  int last_group() const override { return stages_.back()->group; }

  const std::vector<std::unique_ptr<const Step>>& steps() const { return steps_; }
  const std::vector<ScalarId>& rows() const { return rows_; }
  const std::vector<int>& locals() const { return locals_; }

 private:
  absl::Status RunWhole(RunFrame& frame) const;
  int64_t BytesTouched(const RunFrame& frame) const;
  bool CanCut(RunFrame& frame) const;
  int64_t LeastRows(const RunFrame& frame, int axis) const;

  std::vector<std::unique_ptr<const Step>> steps_;
  std::vector<const Step*> stages_;
  std::vector<ScalarId> rows_;
  std::vector<int> locals_;
  std::vector<int> inputs_;   // buffers that it reads, and does not make
  std::vector<int> results_;  // buffers that it makes, but for locals_
};

}  // namespace dynacc::executor
