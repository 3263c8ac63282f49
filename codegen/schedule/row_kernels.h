// Runs of groups that a device does in one launch, a row at a time.
//
// A softmax is a maximum, an exponential, a sum and a quotient of each row. A team of threads that
// has one row does all of it: the row stays in registers or shared memory from one pass to the
// next, what only these groups hand to one another is never stored, and one launch takes the place
// of four. Where row_groups.h looks for what may go block of rows by block of rows, as a cache
// wants it, here each group's value must be a whole row or one number a row.
#pragma once

#include <string>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace dynacc::schedule {

// The row kernels among the groups of `schedule`, which have their final order: each a run of
// neighbours that are linked by what they read and make, with at least one reduction. A row goes
// along neighbouring axes, whichever, but not all: reductions reduce these; elementwise groups go
// over all axes (wide) or over the others alone (narrow), and read of the others' results the same
// row's.
std::vector<RowKernel> FindRowKernels(const ir::Graph& graph, const Schedule& schedule);

// What a value with one element a row has in the place of the row's axes: so many axes of size 1.
inline int OnesOf(int rank, int whole_rank, int from, int to) {
  return rank - (whole_rank - (to - from));
}

// "groups 0 to 3, rows along axis 1, store %4": a line each, for logs and tests.
std::string RowKernelsText(const Schedule& schedule);

}  // namespace dynacc::schedule
