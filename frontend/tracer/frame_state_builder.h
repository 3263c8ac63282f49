// FrameStateBuilder: from the values that are alive at a segment's end to the frame state that
// makes them.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// Break reasons that TraceSegment answers by tracing again without such values.
inline constexpr absl::string_view kEscapingIterator = "an iterator that is kept";
inline constexpr absl::string_view kEscapingGenerator = "a generator that is kept";

// A read through a mask that cannot be fused: the segment ends before it
// (TraceContext::escaped_at).
inline constexpr absl::string_view kEscapingSelection = "indexing with a mask";

class FrameStateBuilder {
 public:
  // Fills result.frame_state and what the outputs are; adds outputs to the trace's graph.
  FrameStateBuilder(symbolic::TraceContext& trace, TraceResult& result)
      : trace_(trace), result_(result) {}

  // The step that makes `value`, each distinct value once. GraphBreak for a value that cannot be
  // made again.
  absl::StatusOr<int> Add(symbolic::Value* value);

  // `value` (null: unbound) as local `index`.
  absl::Status AddLocal(int index, symbolic::Value* value);
  // The same for a local that the code does not read again: unbound if making it would cost.
  absl::Status AddDeadLocal(int index, symbolic::Value* value);
  absl::Status AddStack(symbolic::Value* value);
  // An effect on the existing object `target`; `others` are its further items.
  absl::Status AddEffect(frame_state::EffectOp op, symbolic::Value* target,
                         const std::vector<symbolic::Value*>& others, int a = 0);
  symbolic::TraceContext& trace() { return trace_; }

  // The cell that `step` makes empty gets its content when everything that refers to it is made: a
  // function's cell may hold the function.
  void FillLater(int step, symbolic::Value* content) { unfilled_.emplace_back(step, content); }
  // `value` is made by that step, although it is not complete yet.
  void Remember(symbolic::Value* value, int step) { made_[value] = step; }
  int Emit(frame_state::FrameStateOp op, int a = 0, std::vector<int> items = {});
  absl::StatusOr<std::vector<int>> AddAll(const std::vector<symbolic::Value*>& values);
  int AddConstant(BorrowedRef object);
  // A set with the table of `set`, which is the tracer's own.
  absl::StatusOr<int> AddSet(BorrowedRef set);
  int AddLoad(const sources::Source* source);
  int AddOutput(const symbolic::TensorValue& tensor);
  absl::StatusOr<int> AddView(symbolic::TensorValue& tensor);
  absl::StatusOr<int> AddNumber(const symbolic::NumberValue& number);

 private:
  absl::StatusOr<int> AddFresh(symbolic::Value* value);
  absl::StatusOr<int> AddOne(symbolic::Value* value);
  absl::StatusOr<int> AddLoopIterator(const symbolic::IteratorValue& iterator);
  // Whether `value` is there without further work.
  bool IsFree(symbolic::Value& value) const;

  symbolic::TraceContext& trace_;
  TraceResult& result_;
  absl::flat_hash_map<symbolic::Value*, int> made_;
  std::vector<std::pair<int, symbolic::Value*>> unfilled_;
  int made_depth_ = 0;  // nested calls of Add
};

}  // namespace dynacc::tracer
