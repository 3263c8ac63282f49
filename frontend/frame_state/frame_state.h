// Frame state: how the Python objects that a segment leaves behind are made from its results.
//
// At a segment's end the frame's locals and value stack must hold real objects again. A frame state
// is a list of steps, each making one object from guarded values, results of the compiled graph,
// numbers of the scalar program and earlier steps; each distinct object is made once, so that
// aliases stay aliases. Then it says which object goes where.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cpython/loose_ref.h"
#include "frontend/cpython/ref.h"
#include "frontend/frame_state/effects.h"
#include "frontend/sources/source.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc::frame_state {

enum class FrameStateOp : uint8_t {
#define DYNACC_FRAME_STATE_STEP(op, doc) k##op,
#include "frontend/frame_state/frame_state.def"
#undef DYNACC_FRAME_STATE_STEP
};
inline constexpr int kNumFrameStateOps = 0
#define DYNACC_FRAME_STATE_STEP(op, doc) +1
#include "frontend/frame_state/frame_state.def"
#undef DYNACC_FRAME_STATE_STEP
    ;

struct FrameStateStep {
  FrameStateOp op;
  int a = 0;
  std::vector<int> items;
};

// A view of an array's memory, as graph.h's View (or Reshape) node describes it.
struct ViewSpec {
  bool reshape = false;
  bool is_native = false;  // the view is a dynacc.Tensor
  int part = -1;           // 0, 1: the real or imaginary parts of a complex array, all of its axes
  std::vector<ScalarId> shape;
  std::vector<int64_t> axis;
  std::vector<ScalarId> start;
  std::vector<ScalarId> step;
};

struct FrameState {
  static constexpr int kUnbound = -1;

  std::vector<FrameStateStep> steps;
  std::vector<LooseRef> constants;
  std::vector<const sources::Source*> loads;  // kLoad's `a` indexes this until slots are known
  std::vector<ViewSpec> views;

  struct LocalWrite {
    int local;
    int step;  // or kUnbound
  };
  std::vector<LocalWrite> locals;
  int keep_depth = 0;      // stack entries below this stay as they are
  std::vector<int> stack;  // steps, pushed above them in order
  // For each of `stack` the local whose reference the entry shares if it holds the same object, or
  // -1.
  std::vector<int> borrowed_from;
  int returned = -1;  // the step that makes the return value; -1: the segment ends in a break
  std::vector<Effect> effects;
};

struct FrameStateInputs {
  absl::Span<const BorrowedRef> slots;
  absl::Span<const Ref> outputs;
  absl::Span<const ScalarValue> scalars;
  BorrowedRef function = nullptr;
  const arrays::ArrayNamespace* arrays = nullptr;
};

using FrameStateResults = boost::container::small_vector<Ref, 16>;

// Makes all objects, results[i] by step i. False if one cannot be made (a source without a value, a
// constant that is gone, a reshape that would copy, no memory): no exception is set, and the caller
// lets Python run the stretch. Nothing else has happened then.
bool MaterializeFrameState(const FrameState& frame_state, const FrameStateInputs& inputs,
                           FrameStateResults& results);

// `base` seen through `spec`. False if a reshape would need a copy.
bool ApplyViewSpec(const ViewSpec& spec, absl::Span<const ScalarValue> scalars,
                   const StridedView& base, StridedView* view);

}  // namespace dynacc::frame_state
