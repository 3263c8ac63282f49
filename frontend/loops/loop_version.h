// LoopVersion: a loop over single elements of arrays, translated for the types that it was met
// with.
//
// `for i in range(n): for j in range(m): a[i, j] = (a[i - 1, j] + b[j]) / 2` costs CPython some
// hundred nanoseconds an operation, whatever the array library is, and there is nothing to fuse.
// Such a loop, with those in it, becomes a LoopProgram: numbers in registers, elements read and
// written where they lie. It does what CPython would in the same order, holds the GIL, and lets
// signals and other threads in at back edges. Whatever it cannot do it leaves to the frame, which
// is at that instruction then with everything that CPython would have by then.
//
// All under the GIL.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "frontend/cpython/iterators.h"
#include "frontend/cpython/loose_ref.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"
#include "frontend/loops/loop_builder.h"
#include "frontend/loops/loop_objects.h"
#include "frontend/loops/loop_tier.h"
#include "frontend/loops/loop_variables.h"
#include "runtime/loops/undo_log.h"

namespace dynacc::loops {

class LoopVersion {
 public:
  enum class Result {
    kNoMatch,  // of other types: nothing has happened
    kBetween,  // the frame is at the end's offset, after a jump back or out of the loop
    kAt,       // the frame is there, and Python has to execute the instruction
    kRaised,   // no memory for an object: an exception is set
  };

  // For the types of the variables and of the stack that `frame` has at the loop's header. Null if
  // the loop is none over elements: then `refusal` says why, `for_good` if other types would not
  // help.
  static std::unique_ptr<LoopVersion> Translate(const frame::FrameView& frame,
                                                const bytecode::DecodedCode& code,
                                                const frame::Loop& loop, std::string* refusal,
                                                bool* for_good);

  // Where a run has left the frame.
  struct End {
    int offset = 0;
    int jump = -1;  // kBetween: the jump back that has just been made, or -1
  };

  // Runs the frame from the loop's header. `rounds`: jumps back that were made.
  Result Run(frame::FrameView& frame, End* end, int64_t* rounds);

  // Whether something that it refers to is gone: it matches no more.
  bool is_dead() const {
    return std::any_of(kept_.begin(), kept_.end(),
                       [](const LooseRef& one) { return one.is_gone(); });
  }
  const TranslatedLoop& translated() const { return translated_; }
  // Whether a called function has stored more than an UndoLog holds: its calls are not for a loop.
  bool has_overflowed() const { return undo_ != nullptr && undo_->is_full; }
  // What a round saves beside CPython's loop, in nanoseconds, about.
  int64_t saving_of_round() const { return saving_of_round_; }

 private:
  struct Input {
    int variable;
    LoopValue value;
  };
  using Binding = LoopBinding;
  struct Change {
    int variable;
    Ref value;
  };

  explicit LoopVersion(const LoopVariables& variables) : variables_(variables) {}
  static std::unique_ptr<LoopVersion> Built(const frame::FrameView& frame,
                                            const bytecode::DecodedCode& code,
                                            const frame::Loop& loop, LoopBuilder* builder);
  // What `object` is at the entry.
  LoopValue Observe(int variable, BorrowedRef object, LoopBuilder& builder);
  LoopValue ObserveTuple(int variable, BorrowedRef tuple, LoopBuilder& builder);
  LoopValue ObserveSequence(BorrowedRef sequence);
  LoopValue ObserveIterator(BorrowedRef object, uint16_t* base);
  LoopValue ObserveIteratorAt(BorrowedRef object, int position, const LoopBuilder& builder);
  bool BindSequence(const LoopValue& value, SequenceIterator* iterator, int owners,
                    Binding& binding) const;
  static bool BindRange(const LoopValue& value, BorrowedRef object, Binding& binding);
  bool BindIterator(const LoopValue& value, BorrowedRef object, int owners, Binding& binding) const;
  bool BindTuple(const Input& input, BorrowedRef object, Binding& binding) const;
  bool BindInstance(int number, BorrowedRef object, Binding& binding) const;
  bool BindFields(Binding& binding) const;
  bool WriteFields(const LoopExit& exit, Binding& binding) const;
  bool BindArray(int slot, BorrowedRef object, Binding& binding) const;
  LoopState ObserveAll(const frame::FrameView& frame, const bytecode::DecodedCode& code,
                       const frame::Loop& loop, LoopBuilder& builder);
  bool ShapeArrays(Binding& binding) const;
  bool MakesLargeArrays(const frame::FrameView& frame) const;
  bool Bind(const frame::FrameView& frame, Binding& binding) const;
  bool BindInput(const Input& input, BorrowedRef object, Binding& binding) const;
  void Complete();
  void FindClosures();
  // Null: the object is no closure.
  const ClosureGuard* ClosureOf(BorrowedRef object) const;
  bool BindObject(BorrowedRef object, BorrowedRef known, Binding& binding) const;
  void Keep(BorrowedRef object);
  void KeepAll();
  // Makes what is kept loosely stay for the run. False: something of it is gone.
  bool Hold(Binding& binding) const;
  bool KnownHolds(Binding& binding) const;
  bool NamesKeepOrder(const frame::FrameView& frame) const;
  void KnowNumbers(const frame::FrameView& frame, Binding& binding) const;
  bool PutBack(frame::FrameView& frame, const LoopExit& exit, Binding& binding) const;
  static void LeaveIterator(const LoopValue& value, BorrowedRef object, const Binding& binding);
  void LeaveIterators(frame::FrameView& frame, const Binding& binding) const;

  LoopVariables variables_;
  TranslatedLoop translated_;
  LoopTier tier_;
  std::unique_ptr<UndoLog> undo_;  // of a run; null: the program needs none
  std::vector<Input> inputs_;
  std::vector<LoopValue> stack_;  // at the entry: iterators, or kOpaque
  // What translated_ and inputs_ refer to: functions, classes and modules loosely, so that a
  // program may drop them; and the dicts of modules and functions by these.
  std::vector<LooseRef> kept_;
  std::vector<ClosureGuard> closures_;  // ... and these not at all
  BorrowedRef globals_ = nullptr;       // of the frame when the loop was translated
  std::vector<LoopArray> arrays_;       // while observing
  std::vector<LoopInstance> instances_;
  int64_t saving_of_round_ = 0;
};

}  // namespace dynacc::loops
