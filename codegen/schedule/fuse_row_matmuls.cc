// Matrix products among the groups that run block of rows by block of rows
// (codegen/schedule/row_groups.h): the scores of an attention, its softmax and what is multiplied
// with it are so one pass.
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {

// FusionState::Finish calls FindRowBlocks; only a switch of it is here.
void FuseRowMatmuls(FusionState& state) { state.GoByRowsWithProducts(); }

}  // namespace dynacc::schedule
