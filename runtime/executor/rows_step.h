// RowsStep: several steps that run block of rows by block of rows, each block through all of them
// while it is in cache. What only they read is never a whole array: each thread has memory for one
// block of it. codegen/schedule/row_groups.h says which steps these are.
//
// A block is a range of one leading axis, at one place of the axes before it. Arrays that fit into
// the cache as a whole, rows that do not fit into it, and sums along other axes than the rows' (the
// layout program says so at run time) run step by step instead.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor/row_stage.h"
#include "runtime/executor/step.h"

namespace dynacc {

class RowsStep : public Step {
 public:
  // `steps`: each has a row_stage(). `rows`: the sizes of the leading axes, at least one. `locals`:
  // temporaries that only these steps touch.
  RowsStep(std::vector<std::unique_ptr<const Step>> steps, std::vector<ScalarId> rows,
           std::vector<int> locals);

  absl::Status Run(RunFrame& frame) const override;

 private:
  absl::Status RunWhole(RunFrame& frame) const;
  int64_t BytesTouched(const RunFrame& frame) const;
  bool CanCut(RunFrame& frame) const;

  std::vector<std::unique_ptr<const Step>> steps_;
  std::vector<ScalarId> rows_;
  std::vector<int> locals_;
  std::vector<int> inputs_;   // buffers that it reads, and does not make
  std::vector<int> results_;  // buffers that it makes, but for locals_
};

}  // namespace dynacc
