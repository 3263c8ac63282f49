// FoldBlock: a part of a run that a kernel folds into eight sums (CompiledKernel::Fold). The layout
// is that of FoldBlock in prelude/sums.h.
#pragma once

#include <cstdint>

namespace dynacc::kernel {

// Elements [begin, end).
struct FoldBlock {
  int32_t begin;
  int32_t end;
};

}  // namespace dynacc::kernel
