// Groups that each need only the same rows of one another run block of rows by block of rows
// (codegen/schedule/row_groups.h): found when the groups and their order are final.
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {

// FusionState::Finish calls FindRowBlocks; only its switch is here.
void FuseRows(FusionState& state) { state.GoByRows(); }

}  // namespace dynacc::schedule
