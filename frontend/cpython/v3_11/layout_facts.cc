// CPython 3.11 tells nothing of its structs.
#include "frontend/cpython/layout_check.h"

namespace dynacc {

absl::StatusOr<std::vector<LayoutFact>> LayoutFacts() { return std::vector<LayoutFact>(); }

}  // namespace dynacc
