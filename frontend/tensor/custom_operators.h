// Custom operators: functions of arrays that users write (dynacc.op), as nodes of graphs.
//
// embed/python/dynacc/operators.py is their manual: it checks arguments and results, and says by
// shape rules, which are Python functions that are traced, what an operator gives. Here is what the
// graph needs of one: its body, which becomes a library call; and, of an elementwise operator with
// C++ source, an op of its own (registered_ops.h) with a loop compiled of that source, so that it
// fuses on every target.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "frontend/cpython/ref.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::tensor {

struct CustomOperator {
  std::string name;  // as the user has it: "mylib::gelu"
  // Called with the operands, arrays among them read-only; gives an array, or a tuple of them, in C
  // order, that share no memory with the operands. It has no effect.
  Ref body;
  // Of an elementwise operator of one or two operands that fuses; else "".
  std::string source;  // a C++ expression as in ops.def, on a, b and the type T
  std::string cuda;    // the same in CUDA C++; "": `source`
  int arity = 0;
};

// Makes the operator known under `key`, which is new; for the life of the process. Under the GIL.
void AddCustomOperator(const std::string& key, CustomOperator custom);

// Compiles the source for a dtype by its name ("float32"), so that errors are the declaration's:
// INVALID_ARGUMENT with the compiler's words; UNAVAILABLE where there is no compiler, in which case
// the operator does not fuse.
absl::Status CompileCustomOperator(const std::string& key, DType dtype);

// The functions of the module of primitives (arrays_module.h) for operators.
PyMethodDef* OperatorFunctions();

}  // namespace dynacc::tensor
