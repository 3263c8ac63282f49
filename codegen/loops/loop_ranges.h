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
#include <tuple>
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
  // What is known of an int: an interval of the guard's, and which ends of it are known.
  struct Known {
    std::string interval;
    bool has_lo = false;
    bool has_hi = false;
    bool is_tested = false;  // an end is a test's

    bool is_none() const { return !has_lo && !has_hi; }
    bool is_closed() const { return has_lo && has_hi; }
  };
  static Known Closed(std::string interval) { return {std::move(interval), true, true}; }
  // What the comparison of a conditional jump says where that jumps, or where it does not: the int
  // in `reg`, and `offset`, is at least, or at most, what is in `other` when it is compared, and
  // `distance`.
  struct Test {
    int jump = 0;
    bool jumps = false;
    bool is_at_least = false;
    uint16_t reg = 0;
    int64_t offset = 0;
    int compare = 0;
    uint16_t other = 0;
    int64_t distance = 0;
  };
  // An end of an interval, as a number of the guard's; empty: none is known.
  struct End {
    std::string value;
    bool is_tested = false;
  };
  // What has been found out, to be forgotten where it leads nowhere.
  struct Found {
    std::vector<std::string> statements;
    std::map<std::pair<int, int>, Known> known;      // by setter, or -1, and register
    std::map<std::tuple<int, int, bool>, End> ends;  // by block, register and side
    std::map<uint16_t, int64_t> steps;
  };

  Known At(int op, uint16_t reg);
  Known OfRegister(uint16_t reg);
  Known Bounded(int op, uint16_t reg, Known known);
  End EndAt(int op, uint16_t reg, bool is_lo);
  std::optional<Known> OfTest(const Test& test);
  Known Set(int op, uint16_t reg);
  Known SetBy(int op);
  Known SetByArithmetic(int op);
  Known OfRemainder(uint16_t divisor);
  Known OfRange(uint16_t range);
  Known Started(int op);
  Known Try(const std::function<Known()>& find);
  Known Define(Known value);
  static Known Joined(const Known& one, const Known& other);
  Known Entry(uint16_t reg) { return Closed("Only(" + names_.of_int(reg) + ")"); }
  // The arithmetic by which `setter` moves the int in `reg` on; -1: it does something else.
  int MoveOf(int setter, uint16_t reg) const;
  int DirectionOf(int move, uint16_t reg);
  void FindTests();
  void AddTests(int jump, int compare, bool truth);
  void AddTest(Test test, uint16_t reg);
  bool IsSetInLoop(uint16_t reg) const { return setters_.contains(reg); }
  std::optional<int64_t> Constant(int op, uint16_t reg) const;
  std::optional<int64_t> StepOf(uint16_t range) const;
  bool SetsRangeAlone(int op, uint16_t range) const;
  int SetterInBlock(int op, uint16_t reg) const;
  std::vector<int> WayTo(int op) const;
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
  std::vector<Test> tests_;
  Found found_;
  int ends_asked_ = 0;
  std::set<std::pair<int, int>> begun_;
  std::set<std::string> asked_;
};

}  // namespace dynacc::loops
