// How a node's attributes are written in the text of a graph; shared by printer and parser.
#pragma once

#include <cstdint>

#include "runtime/ops/op.h"

namespace dynacc::ir {

enum class AttrForm : uint8_t {
  kNothing,
  kIndex,   // "input 0", "library_call 3": ints = {index}
  kNumber,  // "full 2.5", "full 0.0 imag 1.0": scalars = {id} or {real, imaginary}
  kView,    // "view %0 axis[1, -1] start[0, 0] step[1, 0]"
  kShifts,  // "roll %0 shift[1, 0]": scalars = one for each axis
  kAxes,    // "reduce_sum %0 axes[0, 1] keepdims"
  kApart,  // "matmul %0, %1 apart any_order low_precision windows": ints = {bits of matmul_attrs.h}
           // or nothing
};

inline AttrForm AttrFormOf(Op op) {
  if (op == Op::kInput || op == Op::kLibraryCall) return AttrForm::kIndex;
  if (op == Op::kScalar || op == Op::kFull || op == Op::kEmpty) return AttrForm::kNumber;
  if (op == Op::kView || op == Op::kStore) return AttrForm::kView;
  if (op == Op::kRoll) return AttrForm::kShifts;
  if (op == Op::kConcat) return AttrForm::kAxes;
  if (op == Op::kMatmul) return AttrForm::kApart;
  return Info(op).category == OpCategory::kReduction ? AttrForm::kAxes : AttrForm::kNothing;
}

}  // namespace dynacc::ir
