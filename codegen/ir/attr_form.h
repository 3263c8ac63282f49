// How a node's attributes are written in the text of a graph; shared by printer and parser. The
// library call of an op that is not LibraryCall is written behind them: "cumsum %0 axis[1] call 7".
#pragma once

#include <cstdint>

#include "runtime/ops/op.h"

namespace dynacc::ir {

enum class AttrForm : uint8_t {
  kNothing,
  kIndex,     // "input 0": ints = {index}
  kNumber,    // "full 2.5", "full 0.0 imag 1.0": scalars = {id} or {real, imaginary}
  kView,      // "view %0 axis[1, -1] start[0, 0] step[1, 0]"
  kShifts,    // "roll %0 shift[1, 0]": scalars = one for each axis
  kAxes,      // "reduce_sum %0 axes[0, 1] keepdims"
  kAxis,      // "cumsum %0 axis[1]"
  kPlaces,    // "gather %0, %1 at[%1, :]", "scatter %0, %1, %2 into %0 at[%1] add %2"
  kDefines,   // "library_call 3 defines s2 %0", "compress %0, %1 defines s2": scalars = {number}
  kOperator,  // "int_operator %0 floordiv[%0, 2]"
  kBranches,  // "cond %0, %1 numbers[s0] graphs 2": scalars = the numbers; the graphs follow
  kLoop,      // "loop %0, %1 constants 1 carries 1 length[s0] numbers[s0] graphs 1": control_flow.h
  kApart,  // "matmul %0, %1 apart any_order low_precision windows": ints = {bits of matmul_attrs.h}
           // or nothing
};

inline AttrForm AttrFormOf(Op op) {
  if (op == Op::kInput || op == Op::kResult) return AttrForm::kIndex;
  if (op == Op::kCond) return AttrForm::kBranches;
  if (op == Op::kLoop) return AttrForm::kLoop;
  if (op == Op::kLibraryCall || op == Op::kCompress) return AttrForm::kDefines;
  if (op == Op::kCumsum || op == Op::kCumprod) return AttrForm::kAxis;
  if (op == Op::kArgMax || op == Op::kArgMin || op == Op::kMean) return AttrForm::kAxes;
  if (op == Op::kGather || op == Op::kScatter) return AttrForm::kPlaces;
  if (op == Op::kIntOperator) return AttrForm::kOperator;
  if (op == Op::kScalar || op == Op::kFull || op == Op::kEmpty) return AttrForm::kNumber;
  if (op == Op::kView || op == Op::kStore) return AttrForm::kView;
  if (op == Op::kRoll) return AttrForm::kShifts;
  if (op == Op::kConcat) return AttrForm::kAxes;
  if (op == Op::kMatmul) return AttrForm::kApart;
  return Info(op).category == OpCategory::kReduction ? AttrForm::kAxes : AttrForm::kNothing;
}

}  // namespace dynacc::ir
