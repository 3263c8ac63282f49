// Groups that a device does in one launch, a row at a time (codegen/schedule/row_kernels.h): found
// when the groups and their order are final. Targets of the host have no use for them.
#include "codegen/schedule/rules.h"

namespace dynacc::schedule {

// FusionState::Finish calls FindRowKernels; only its switch is here.
void FuseRowKernels(FusionState& state) { state.MakeRowKernels(); }

}  // namespace dynacc::schedule
