// Inner loops of the array library, by op and dtype, for kernels to call on tiles.
//
// NumPy's transcendental functions, integer division, sums and the like are run by NumPy's own
// inner loops, so that the bits are NumPy's. The front end finds them in the ufunc objects at
// start-up and registers them here; the run time knows them only as C functions. A loop touches
// no Python state (only loops for numeric dtypes are registered) and may run without the GIL.
#pragma once

#include <cstdint>

#include "runtime/tensor/dtype.h"

namespace dynacc::kernel {

// NumPy's inner loop signature: args[k] is operand k's first element (inputs, then outputs),
// steps[k] its byte stride, *n the element count. For generalised ufuncs (matmul) `dimensions`
// goes on with the core sizes and `steps` with the core strides, as in NumPy's C API manual.
using LibraryLoopFn = void (*)(char** args, const intptr_t* dimensions, const intptr_t* steps,
                               void* data);

// Bytes to leave between the memory of two operands of a loop. NumPy's loops take their vector
// path, which may give other bits than the scalar one, only where the operands' ranges do not
// touch, and count ranges that merely meet as touching (nomemoverlap in fast_loop_macros.h). Arrays
// never meet, as malloc keeps its books between them; neither may scratch memory.
inline constexpr int64_t kLoopGap = 64;

struct LibraryLoop {
  LibraryLoopFn fn = nullptr;
  void* data = nullptr;
  explicit operator bool() const { return fn != nullptr; }
};

// `op` is the value of codegen's enum Op; `dtype` is the dtype of the first input. The output's
// dtype follows from the op's row in ops.def.
void RegisterLibraryLoop(int op, DType dtype, LibraryLoop loop);

// The loop registered for (op, dtype), or an empty one.
LibraryLoop FindLibraryLoop(int op, DType dtype);

}  // namespace dynacc::kernel
