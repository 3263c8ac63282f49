// LoopRanges: what the ints of a loop lie between, so far as that can be said before it runs.
//
// `a[i + 1, j]` in two loops over ranges looks at two bounds and an overflow in each round. The
// range of i, and so of i + 1, is known when the loop is entered. So a printed loop has a guard:
// statements that compute intervals (intervals.h), and of which ops the checks are not needed if
// they hold.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loops/loop_flow.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// How the ops of a copy of a loop are printed that are not checked.
enum class Unchecked : uint8_t {
  kPlain,     // an index that is not negative; arithmetic that does not overflow
  kOneIndex,  // an index that is the same in all rounds, perhaps from the end
};

struct LoopGuard {
  std::string statements;              // that clear `holds`
  std::map<int, Unchecked> unchecked;  // by op
  std::map<uint16_t, int64_t> steps;   // of ranges, by their registers
};

class LoopRanges {
 public:
  // How a program's registers and sizes of axes are called.
  struct Names {
    std::function<std::string(int)> of_int;
    std::function<std::string(int32_t)> of_extent;
  };
  // `entry`: of the loop's, by which control comes.
  LoopRanges(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop, int entry,
             int first_constant, Names names);

  // Of the loop's ops but those in `known`; for those in `wanted`, which another entry's guard has
  // found, too, whatever they need.
  LoopGuard Guard(const std::map<int, Unchecked>& known, const std::map<int, Unchecked>& wanted);

 private:
  // Names of intervals; empty: nothing is known.
  std::string At(int op, uint16_t reg);
  std::string OfRegister(uint16_t reg);
  std::string Set(int op, uint16_t reg);
  std::string SetBy(int op);
  std::string SetByArithmetic(int op);
  std::string OfRemainder(uint16_t divisor);
  std::string OfRange(uint16_t range);
  std::string Started(int op);
  std::string Try(const std::function<std::string()>& find);
  std::string Define(const std::string& value);
  std::string Entry(uint16_t reg) { return "Only(" + names_.of_int(reg) + ")"; }
  bool IsSetInLoop(uint16_t reg) const { return setters_.contains(reg); }
  std::optional<int64_t> Constant(int op, uint16_t reg) const;
  std::optional<int64_t> StepOf(uint16_t range) const;
  bool SetsRangeAlone(int op, uint16_t range) const;
  int SetterInBlock(int op, uint16_t reg) const;
  // What an int is computed of: an int that the loop does not set or a range, by their registers,
  // and elements of an array.
  enum class Origin : uint8_t { kInt, kRange, kElement };
  using Origins = std::set<std::pair<Origin, int>>;
  void AddOrigins(int op, uint16_t reg, std::set<int>* seen, Origins* origins) const;
  Origins OriginsAt(int op, uint16_t reg) const;
  bool IsTested(int op) const;
  void GuardIndex(int op, bool is_asked, LoopGuard* guard);

  const LoopProgram& program_;
  const LoopFlow& flow_;
  const ProgramLoop& loop_;
  const int entry_;
  const int first_constant_;
  const Names names_;
  std::map<uint16_t, std::vector<int>> setters_;  // of ints, in the loop
  std::vector<std::string> statements_;
  std::map<std::pair<int, int>, std::string> known_;  // by setter, or -1, and register
  std::set<std::pair<int, int>> begun_;
  std::set<std::string> asked_;
  std::map<uint16_t, int64_t> steps_;
};

}  // namespace dynacc::loops
