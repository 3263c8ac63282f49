// LoopFlow: the control flow of a loop program: its blocks, the loops in it, what an op reads and
// sets.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/loops/loop_program.h"

namespace dynacc::loops {

// The registers that an op works on, each as what it takes it for. An int and a float in a register
// of the same number are two different things, as they are to a printed program.
struct OpRegisters {
  std::vector<LoopOperand> read;
  std::vector<LoopOperand> set;
};
OpRegisters RegistersOf(const LoopProgram& program, const LoopOp& op);
// Whether it sets the int in the register; kRangeNext does only where the range goes on.
bool SetsInt(const OpRegisters& registers, uint16_t reg);

bool JumpsTo(const LoopOp& op);       // to the op k, always or not
bool EndsBlock(const LoopOp& op);     // what follows is not, or not always, next
bool FallsThrough(const LoopOp& op);  // to what follows, always or not

// Ops that control may come back to. States of types make loops that are entered in more than one
// place, as a round of an inner loop may be the first that an outer one has in its final state.
struct ProgramLoop {
  int header = 0;              // the op at which its rounds begin
  std::vector<int> entries;    // all ops that are reached from outside
  std::vector<int> ops;        // ascending
  std::vector<bool> contains;  // by op
  std::vector<int> latches;    // the ops that jump back to the header
  int parent = -1;             // the innermost loop around it; -1: none
  bool is_innermost = true;
  std::map<int, std::set<int>> tests;  // by block: the jumps in the loop that decide about it
  bool is_last = true;  // no other loop comes after it, but those in it: here the time goes

  bool Contains(int op) const { return op >= 0 && contains[op]; }
};

class LoopFlow {
 public:
  explicit LoopFlow(const LoopProgram& program);

  // Outer ones before those in them.
  const std::vector<ProgramLoop>& loops() const { return loops_; }
  int FirstOfBlock(int op) const { return blocks_[block_of_[op]].first; }
  int LastOfBlock(int op) const { return blocks_[block_of_[op]].last; }
  // The last op of the only block from which control comes to `op`'s; -1: there are others.
  int OnlyBefore(int op) const;
  // Whether an op may read the int that lies in the register at `entry`, the first of a block.
  // What an exit tells of is not looked at.
  bool IsLive(int entry, uint16_t reg) const { return blocks_[block_of_[entry]].live[reg]; }
  // Whether a block reads the register, or an exit in it tells of it, before the block has set it.
  bool GoesBetweenBlocks(const LoopOperand& one) const {
    return between_blocks_.contains({one.reg, one.is_float});
  }
  // The jumps in the loop that decide whether a round comes by `op`, but for those that end a loop.
  std::set<int> TestsOf(const ProgramLoop& loop, int op) const;
  // Goes back from the start of `op`'s block, on all ways by which control may have come there
  // since it entered the loop at `entry`: calls ends(last, first) for each pair of blocks, with the
  // last op of one and the first of the next, and goes on behind it unless that is true. `last` is
  // -1 where control enters.
  void GoBack(const ProgramLoop& loop, int entry, int op,
              absl::FunctionRef<bool(int last, int first)> ends) const;
  const OpRegisters& registers(int op) const { return registers_[op]; }

 private:
  struct Block {
    int first = 0;
    int last = 0;
    std::vector<int> next;  // where its last op jumps to comes before what follows it
    std::vector<int> before;
    std::vector<bool> live;  // ints, by register, at its start
  };
  void FindBlocks();
  void FindLive();
  bool UpdateLive(Block& block);
  std::vector<std::vector<int>> CyclesIn(const std::vector<int>& blocks) const;
  void AddLoops(const std::vector<int>& blocks, int parent);
  void AddLoop(const std::vector<int>& blocks, int parent);
  int HeaderOf(const std::vector<int>& blocks, const std::vector<int>& entries) const;
  void FindLast();
  void FindBetweenBlocks();
  std::set<int> ReachedIn(const ProgramLoop& loop, int block) const;
  void FindTests(ProgramLoop& loop);

  const LoopProgram& program_;
  std::vector<OpRegisters> registers_;
  std::vector<int> block_of_;  // by op
  std::vector<Block> blocks_;
  std::vector<ProgramLoop> loops_;
  std::set<std::pair<uint16_t, bool>> between_blocks_;
};

}  // namespace dynacc::loops
