// LoopPrinter: a loop program as C++, for loop_source.h.
//
// The program itself is printed with all its checks. Its loops are printed once more: entered by a
// guard (loop_ranges.h), which says that the checks of indices are not needed; some rounds at a
// time (loop_stretch.h); or with rounds side by side (vector_stretch.h). What a copy leaves out,
// and where it leads, is in its Copy.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_op_text.h"
#include "codegen/loops/loop_ranges.h"
#include "codegen/loops/loop_stretch.h"
#include "codegen/loops/vector_stretch.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// One way in which ops are printed.
struct Copy {
  const ProgramLoop* loop = nullptr;  // null: the program
  const Copy* parent = nullptr;       // where control goes that leaves the loop
  std::string prefix;                 // of labels
  std::map<int, Unchecked> unchecked;
  std::map<uint16_t, int64_t> steps;        // of ranges, by their registers
  std::vector<const ProgramLoop*> guarded;  // those that are entered by a guard here
  std::optional<Stretch> stretch;
  std::string start;                         // the label at which a stretch begins
  std::map<int32_t, const char*> elements;   // not empty: a vector stretch's
  std::map<int, IntSum> sums;                // of that, by op
  std::optional<Independence> independence;  // of that

  bool is_vector() const { return !elements.empty(); }
  bool speculates() const { return stretch.has_value() && stretch->speculates; }
  // Whether the op is one of those that a round does again, from its beginning, if they are not
  // what Python does.
  bool DoesAgain(int op) const {
    return stretch && !stretch->speculates && op > loop->header && op <= stretch->last_again;
  }
  bool Contains(int op) const { return loop == nullptr || loop->contains[op]; }
  // Where a guard in a copy fails, the program itself goes on.
  bool LeavesOut(int op) const {
    return loop != nullptr &&
           std::any_of(guarded.begin(), guarded.end(),
                       [op](const ProgramLoop* inner) { return inner->contains[op]; });
  }
};

// What an op gives whose infinities and NaNs are not looked for at once: its value, and of which
// operands it is known at once that Python has to do it.
struct PlainFloat {
  std::string value;
  std::string is_refused;
};

class LoopPrinter {
 public:
  explicit LoopPrinter(const LoopProgram& program);

  std::string Print();

 private:
  // --- copies (loop_printer.cc) ---
  void PrintCopy(Copy& copy);
  void PrintOps(const Copy& copy);
  LoopRanges::Names Names();
  LoopGuard GuardOf(const Copy& copy, const ProgramLoop& loop, int entry,
                    const std::map<int, Unchecked>& wanted);
  void PrintGuards(const Copy& copy, const Copy& inner);
  void PrintStretch(const Copy& parent, Copy& copy);
  void PrintVectorStretch(const Copy& plain, VectorStretch vector);
  void PrintRounds(const Copy& copy);
  void PrintEndOfRound(const Copy& copy, int latch);
  std::string Kept(const Copy& copy, bool is_restored);
  std::string KeptForRound(const Copy& copy, bool is_restored);
  void PrintAgain(const Copy& copy);
  std::string KeptElements(const StoredElements& stored, int step, bool is_restored);
  std::string ConditionOf(const ProgramLoop& loop, const VectorStretch& vector);
  std::string SameElements(const Copy& copy, bool is_compared);
  std::vector<const ProgramLoop*> LoopsToGuard(const Copy& copy) const;
  bool IsWorthACopy(const ProgramLoop& loop, size_t guard_statements) const;
  std::string Label(const Copy& from, int op, int target, const ProgramLoop* failed = nullptr);
  // In the program itself, which checks everything.
  static std::string Unguarded(int target) { return "L" + std::to_string(target); }
  std::string EndOfStretch(const Copy& copy, bool is_over);
  std::string StepOf(const Copy& copy, int range);
  static std::string StrideOf(const Copy& copy, int32_t packed);
  std::string Declarations() const;
  void PrintExit(int exit);

  // --- ops (loop_op_printer.cc) ---
  void PrintOp(const Copy& copy, int op);
  void PrintStep(const Copy& copy, int op);
  bool PrintSum(const Copy& copy, int op);
  bool PrintUnchecked(const Copy& copy, int op);
  bool PrintUnlookedAt(const Copy& copy, int op);
  void PrintLookedAtLater(const Copy& copy, int op, const PlainFloat& plain);
  void PrintMemory(const Copy& copy, int op);
  void PrintOther(const Copy& copy, int op);
  void PrintJump(const Copy& copy, int op, int target, const std::string& condition);
  void PrintBackEdge(const Copy& copy, int op);
  void PrintPoll(int back_edge, absl::string_view credit);
  void PrintRangeStart(const Copy& copy, int number);
  void PrintRangeNext(const Copy& copy, int op);
  void PrintCall(const Copy& copy, int op);
  void PrintHoisted(const Copy& copy);
  void PrintMemoizedCall(const Copy& copy, int op, const std::string& a, const std::string& b);
  void PrintArrayIndex(const Copy& copy, int op);
  void PrintIndex(const Copy& copy, int number, const std::string& size, const std::string& step);
  void PrintSlice(const LoopOp& op);
  bool IsAddedUpNext(int op) const;
  void PrintSlice1d(const Copy& copy, int op);
  void PrintSlice1dCall(const Copy& copy, int number);
  std::string PassedTo(const Slice1dCall& call, const LoopOp& op);
  static std::string OwnSum(const Slice1dCall& call, const LoopOp& op, const Slice1dCall& sum,
                            const LoopOp& next);
  static std::string OperationName(const Slice1dCall& call);
  std::string Registers(int reg, int count, RegisterKind kind, bool passes);
  std::string Passed(int reg, bool is_slice1d, int rank);
  std::string Taken(int reg, const Slice1dCall& call);
  static std::string OwnCall(const Slice1dCall& call, const LoopOp& op);

  std::string Name(RegisterKind kind, int reg) {
    (kind == RegisterKind::kInt ? ints_ : floats_).insert(reg);
    return (kind == RegisterKind::kInt ? "i" : "f") + std::to_string(reg);
  }
  std::string Int(int reg) { return Name(RegisterKind::kInt, reg); }
  std::string Float(int reg) { return Name(RegisterKind::kFloat, reg); }
  // Where an op goes that exits, or has to be done again.
  std::string Exit(const Copy& copy, int op);
  // Of the array and axis in a packed number, read once.
  std::string Extent(int32_t packed) {
    axes_.insert(packed);
    return "n" + std::to_string(packed);
  }
  std::string Data(int array) {
    arrays_.insert(array);
    return "data" + std::to_string(array);
  }

  const LoopProgram& program_;
  const LoopFlow flow_;
  int first_constant_;
  std::string body_;
  std::set<int> ints_, floats_, arrays_, exits_used_;
  std::set<int> saved_ints_, saved_floats_;
  std::set<int> hoisted_;   // ops that stretches do once
  std::set<int> memoized_;  // of these, calls that keep what they gave
  std::set<int> middles_;   // ops at which loops with stretches are entered, if no round ends there
  std::set<const ProgramLoop*> with_stretches_;
  std::set<std::string> guard_worths_;  // variables
  std::set<int> kept_;                  // stores over what vector stretches keep
  std::set<int> together_;              // operations that are done with the sum of what they give
  std::set<int> same_elements_;         // loads that vector stretches do once
  std::map<std::string, std::string> apart_;  // whether two arrays lie apart, by variable
  std::set<int32_t> axes_;
  size_t ops_printed_ = 0;
};

}  // namespace dynacc::loops
