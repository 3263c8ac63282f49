// The plan of a compiled graph: its buffers, and how steps see them. Made by codegen, read-only.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {

// A shape in expressions of the graph's scalar program.
struct ShapePlan {
  int rank = 0;
  ScalarId sizes[kMaxRank] = {};
};

enum class BufferKind : uint8_t {
  kInput,      // RunArguments::inputs[index]
  kScalar,     // a number, cast to dtype; strides 0 over its shape (rank 0, or a Full)
  kOutput,     // allocated by the OutputSink as output `index`
  kTemporary,  // memory of the run's own, or another buffer's memory under a new shape
  kPart,       // a part of another buffer's memory, as an earlier step says
};

struct BufferPlan {
  BufferKind kind = BufferKind::kTemporary;
  DType dtype = DType::kFloat64;
  ShapePlan shape;
  int index = 0;                // kInput, kOutput
  ScalarId scalar = kNoScalar;  // kScalar
  ScalarType scalar_type = ScalarType::kInt;
  int layout = -1;            // kOutput, kTemporary: the step of the LayoutProgram; -1: C order
  ScalarId imag = kNoScalar;  // kScalar of a complex number: its imaginary part
  ScalarType imag_type = ScalarType::kInt;
  // kTemporary: a buffer computed later, with as many elements of the same size, in whose memory
  // this one lies until then if both have the same strides (codegen/compile/donation.h); -1: none.
  int aliased_buffer = -1;
};

// One View node: see codegen/ir/graph.h.
struct ViewPlan {
  ShapePlan shape;
  int operand_rank = 0;
  int8_t axis[kMaxRank] = {};     // of each output axis; -1: new
  ScalarId start[kMaxRank] = {};  // of each operand axis
  ScalarId step[kMaxRank] = {};   // of each output axis
};

// What a step reads: a buffer, seen through views (first applied first), and rolled at last.
struct OperandPlan {
  int buffer = 0;
  std::vector<ViewPlan> views;
  std::vector<ScalarId> shifts;  // of each axis, as a Roll's; none: not rolled
};

// What is written into an input's memory at the end of a run.
struct WriteBackPlan {
  OperandPlan source;            // of the target's shape, or the region's
  int target = 0;                // the input's buffer
  std::vector<ViewPlan> region;  // none: all of it
};

}  // namespace dynacc::executor
