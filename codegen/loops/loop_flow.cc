#include "codegen/loops/loop_flow.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>

#include "codegen/loops/loop_op_text.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

void AddKind(RegisterKind kind, int reg, std::vector<LoopOperand>* operands) {
  if (kind == RegisterKind::kNone) return;
  operands->push_back({static_cast<uint16_t>(reg), kind == RegisterKind::kFloat});
}
void AddInts(int reg, int count, std::vector<LoopOperand>* operands) {
  for (int i = 0; i < count; ++i) AddKind(RegisterKind::kInt, reg + i, operands);
}
void AddOperand(int reg, bool is_slice1d, std::vector<LoopOperand>* operands, int rank = 1) {
  if (is_slice1d) return AddInts(reg, WindowRegisters(rank), operands);
  AddKind(RegisterKind::kFloat, reg, operands);
}

void AddSlice1d(const Slice1dCall& call, const LoopOp& op, OpRegisters* registers) {
  const bool scatters = call.kind == Slice1dCall::Kind::kScatter;
  AddInts(op.a, call.operands, &registers->read);
  if (call.kind != Slice1dCall::Kind::kSwap && call.operands == 0) {
    AddOperand(op.a, call.left_is_slice1d, &registers->read, call.left_rank);
  }
  if (call.is_binary) {
    AddOperand(op.b, scatters || call.right_is_slice1d, &registers->read, call.right_rank);
  }
  if (scatters) AddOperand(op.d, call.right_is_slice1d, &registers->read);
  if (call.GivesSlice1d()) AddInts(op.d, WindowRegisters(call.result_rank), &registers->set);
  if (call.GivesInt()) AddInts(op.d, 1, &registers->set);
  if (call.GivesNumber()) AddOperand(op.d, false, &registers->set);
}

void AddOther(const LoopProgram& program, const LoopOp& op, OpRegisters* registers) {
  switch (op.code) {
    case Code::kIndex:
      AddInts(op.a, 1, &registers->read);
      AddInts(op.b, 1, &registers->read);
      return AddInts(op.d, 1, &registers->set);
    case Code::kItem:
      AddInts(op.a, kSlice1dRegisters, &registers->read);
      AddInts(op.b, 1, &registers->read);
      return AddInts(op.d, 1, &registers->set);
    case Code::kDim:
      return AddInts(op.d, 1, &registers->set);
    case Code::kOffset:
    case Code::kAddress:
      AddInts(op.a, 1, &registers->read);
      return AddInts(op.d, 1, &registers->set);
    case Code::kSlice:
      AddInts(op.a, 1, &registers->read);
      AddInts(op.b, 3, &registers->read);
      return AddInts(op.d, kSlice1dRegisters, &registers->set);
    case Code::kSlice1d:
      return AddSlice1d(program.callees[op.k].slice1d, op, registers);
    case Code::kCall1:
    case Code::kCall2:
      AddOperand(op.a, false, &registers->read);
      if (op.code == Code::kCall2) AddOperand(op.b, false, &registers->read);
      return AddOperand(op.d, false, &registers->set);
    case Code::kJumpIf:
    case Code::kJumpIfNot:
      return AddInts(op.a, 1, &registers->read);
    case Code::kRangeStart:
      AddInts(op.a, 3, &registers->read);
      return AddInts(op.a + 1, 2, &registers->set);
    case Code::kRangeNext:
      AddInts(op.a, 3, &registers->read);
      AddInts(op.a, 1, &registers->set);
      AddInts(op.a + 2, 1, &registers->set);
      return AddInts(op.d, 1, &registers->set);
    default:
      return;
  }
}

}  // namespace

OpRegisters RegistersOf(const LoopProgram& program, const LoopOp& op) {
  OpRegisters registers;
  if (const OpText* text = TextOf(op.code)) {
    AddKind(text->left, op.a, &registers.read);
    AddKind(text->right, op.b, &registers.read);
    AddKind(text->result, op.d, &registers.set);
  } else {
    AddOther(program, op, &registers);
  }
  return registers;
}

bool SetsInt(const OpRegisters& registers, uint16_t reg) {
  for (const LoopOperand& one : registers.set) {
    if (!one.is_float && one.reg == reg) return true;
  }
  return false;
}

bool JumpsTo(const LoopOp& op) {
  return op.code == Code::kJump || op.code == Code::kJumpIf || op.code == Code::kJumpIfNot ||
         op.code == Code::kBackEdge || op.code == Code::kRangeNext;
}

bool FallsThrough(const LoopOp& op) {
  return op.code != Code::kJump && op.code != Code::kBackEdge && op.code != Code::kExit;
}

bool EndsBlock(const LoopOp& op) { return JumpsTo(op) || !FallsThrough(op); }

LoopFlow::LoopFlow(const LoopProgram& program) : program_(program) {
  for (const LoopOp& op : program.ops) registers_.push_back(RegistersOf(program, op));
  FindBlocks();
  FindLive();
  std::vector<int> all(blocks_.size());
  std::iota(all.begin(), all.end(), 0);
  AddLoops(all, -1);
  FindLast();
  FindBetweenBlocks();
}

void LoopFlow::FindBetweenBlocks() {
  for (const Block& block : blocks_) {
    std::set<std::pair<uint16_t, bool>> set;
    const auto add = [&](const std::vector<LoopOperand>& operands) {
      for (const auto& [reg, is_float] : operands) {
        if (!set.contains({reg, is_float})) between_blocks_.emplace(reg, is_float);
      }
    };
    for (int op = block.first; op <= block.last; ++op) {
      const int exit = program_.ops[op].exit;
      add(registers_[op].read);
      if (exit >= 0) add(program_.exits[exit]);
      for (const auto& [reg, is_float] : registers_[op].set) set.emplace(reg, is_float);
    }
  }
}

void LoopFlow::FindBlocks() {
  const auto count = static_cast<int>(program_.ops.size());
  std::vector<bool> starts(count + 1, false);
  starts[0] = true;
  for (int i = 0; i < count; ++i) {
    const LoopOp& op = program_.ops[i];
    if (JumpsTo(op)) starts[op.k] = true;
    if (EndsBlock(op)) starts[i + 1] = true;
  }
  block_of_.resize(count);
  for (int i = 0; i < count; ++i) {
    if (starts[i]) {
      blocks_.emplace_back();
      blocks_.back().first = i;
    }
    blocks_.back().last = i;
    block_of_[i] = static_cast<int>(blocks_.size()) - 1;
  }
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const LoopOp& op = program_.ops[blocks_[i].last];
    std::vector<int>& next = blocks_[i].next;
    if (JumpsTo(op)) next.push_back(block_of_[op.k]);
    if (FallsThrough(op) && blocks_[i].last + 1 < count) next.push_back(static_cast<int>(i) + 1);
    for (const int one : next) blocks_[one].before.push_back(static_cast<int>(i));
  }
}

int LoopFlow::OnlyBefore(int op) const {
  const int block = block_of_[op];
  const std::vector<int>& before = blocks_[block].before;
  return block != 0 && before.size() == 1 ? blocks_[before[0]].last : -1;
}

bool LoopFlow::UpdateLive(Block& block) {
  std::vector<bool> live(program_.num_registers, false);
  for (size_t n = 0; n < block.next.size(); ++n) {
    std::vector<bool> after = blocks_[block.next[n]].live;
    // A range that has ended sets nothing.
    if (n > 0 && program_.ops[block.last].code == Code::kRangeNext) {
      after[program_.ops[block.last].d] = false;
    }
    for (size_t i = 0; i < live.size(); ++i) live[i] = live[i] || after[i];
  }
  for (int i = block.last; i >= block.first; --i) {
    for (const LoopOperand& one : registers_[i].set) {
      if (!one.is_float && program_.ops[i].code != Code::kRangeNext) live[one.reg] = false;
    }
    for (const LoopOperand& one : registers_[i].read) {
      if (!one.is_float) live[one.reg] = true;
    }
  }
  if (live == block.live) return false;
  block.live = std::move(live);
  return true;
}

void LoopFlow::FindLive() {
  for (Block& block : blocks_) block.live.assign(program_.num_registers, false);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      changed = UpdateLive(*block) || changed;
    }
  }
}

// From the block on, before the loop's next round.
std::set<int> LoopFlow::ReachedIn(const ProgramLoop& loop, int block) const {
  std::set<int> seen;
  std::vector<int> way = {block};
  while (!way.empty()) {
    const int at = way.back();
    way.pop_back();
    const int first = blocks_[at].first;
    if (!loop.contains[first] || first == loop.header || !seen.insert(at).second) continue;
    way.insert(way.end(), blocks_[at].next.begin(), blocks_[at].next.end());
  }
  return seen;
}

void LoopFlow::FindTests(ProgramLoop& loop) {
  for (const int op : loop.ops) {
    const Code code = program_.ops[op].code;
    const std::vector<int>& next = blocks_[block_of_[op]].next;
    if ((code != Code::kJumpIf && code != Code::kJumpIfNot) || next.size() != 2) continue;
    if (!loop.contains[blocks_[next[0]].first] || !loop.contains[blocks_[next[1]].first]) continue;
    const std::set<int> one = ReachedIn(loop, next[0]);
    const std::set<int> other = ReachedIn(loop, next[1]);
    std::vector<int> decided;
    std::set_symmetric_difference(one.begin(), one.end(), other.begin(), other.end(),
                                  std::back_inserter(decided));
    for (const int block : decided) loop.tests[block].insert(op);
  }
}

std::set<int> LoopFlow::TestsOf(const ProgramLoop& loop, int op) const {
  std::set<int> tests;
  int at = op;
  for (auto inner = loops_.rbegin(); inner != loops_.rend(); ++inner) {
    if (!inner->contains[at] || !loop.contains[inner->header]) continue;
    const auto found = inner->tests.find(block_of_[at]);
    if (found != inner->tests.end()) tests.insert(found->second.begin(), found->second.end());
    at = inner->header;
  }
  return tests;
}

void LoopFlow::GoBack(const ProgramLoop& loop, int entry, int op,
                      absl::FunctionRef<bool(int last, int first)> ends) const {
  std::set<int> seen;
  std::vector<int> way = {block_of_[op]};
  while (!way.empty()) {
    const Block& at = blocks_[way.back()];
    way.pop_back();
    if (!seen.insert(at.first).second) continue;
    if (at.first == entry) ends(-1, at.first);
    for (const int before : at.before) {
      if (!loop.contains[blocks_[before].first] || ends(blocks_[before].last, at.first)) continue;
      way.push_back(before);
    }
  }
}

// The strongly connected components (Tarjan) of more than one block, or of one that jumps to
// itself.
std::vector<std::vector<int>> LoopFlow::CyclesIn(const std::vector<int>& blocks) const {
  const std::set<int> allowed(blocks.begin(), blocks.end());
  std::vector<int> number(blocks_.size(), -1);
  std::vector<int> low(blocks_.size(), 0);
  std::vector<bool> is_open(blocks_.size(), false);
  std::vector<int> open;
  std::vector<std::vector<int>> cycles;
  int count = 0;
  const std::function<void(int)> visit = [&](int at) {
    number[at] = low[at] = count++;
    open.push_back(at);
    is_open[at] = true;
    bool is_own_next = false;
    for (const int next : blocks_[at].next) {
      is_own_next = is_own_next || next == at;
      if (!allowed.contains(next)) continue;
      if (number[next] < 0) visit(next);
      if (is_open[next]) low[at] = std::min(low[at], low[next]);
    }
    if (low[at] != number[at]) return;
    std::vector<int> cycle;
    do {
      cycle.push_back(open.back());
      is_open[open.back()] = false;
      open.pop_back();
    } while (cycle.back() != at);
    if (cycle.size() > 1 || is_own_next) cycles.push_back(std::move(cycle));
  };
  for (const int block : blocks) {
    if (number[block] < 0) visit(block);
  }
  return cycles;
}

// A range that is gone through by the loop is begun outside of it, unlike those of loops in it.
int LoopFlow::HeaderOf(const std::vector<int>& blocks, const std::vector<int>& entries) const {
  std::set<uint16_t> begun;
  for (const int block : blocks) {
    for (int i = blocks_[block].first; i <= blocks_[block].last; ++i) {
      if (program_.ops[i].code == Code::kRangeStart) begun.insert(program_.ops[i].a);
    }
  }
  for (const std::vector<int>* candidates : {&entries, &blocks}) {
    for (const int block : *candidates) {
      const LoopOp& op = program_.ops[blocks_[block].first];
      if (op.code == Code::kRangeNext && !begun.contains(op.a)) return block;
    }
  }
  return entries.empty() ? blocks.front() : entries.front();
}

// A loop that others follow is one of types that do not stay.
void LoopFlow::FindLast() {
  std::vector<bool> is_looping(blocks_.size(), false);
  for (const ProgramLoop& loop : loops_) {
    for (const int op : loop.ops) is_looping[block_of_[op]] = true;
  }
  for (ProgramLoop& loop : loops_) {
    std::set<int> seen;
    std::vector<int> way = {block_of_[loop.header]};
    while (!way.empty() && loop.is_last) {
      const int at = way.back();
      way.pop_back();
      if (!seen.insert(at).second) continue;
      loop.is_last = loop.contains[blocks_[at].first] || !is_looping[at];
      way.insert(way.end(), blocks_[at].next.begin(), blocks_[at].next.end());
    }
  }
}

void LoopFlow::AddLoops(const std::vector<int>& blocks, int parent) {
  for (const std::vector<int>& cycle : CyclesIn(blocks)) AddLoop(cycle, parent);
}

void LoopFlow::AddLoop(const std::vector<int>& blocks, int parent) {
  ProgramLoop loop;
  loop.parent = parent;
  loop.contains.assign(program_.ops.size(), false);
  for (const int block : blocks) {
    for (int i = blocks_[block].first; i <= blocks_[block].last; ++i) {
      loop.ops.push_back(i);
      loop.contains[i] = true;
    }
  }
  std::sort(loop.ops.begin(), loop.ops.end());
  std::vector<int> entries;
  for (const int block : blocks) {
    const std::vector<int>& before = blocks_[block].before;
    const bool is_entered = std::any_of(
        before.begin(), before.end(), [&](int one) { return !loop.contains[blocks_[one].first]; });
    if (is_entered || block == 0) entries.push_back(block);
  }
  const int header = HeaderOf(blocks, entries);
  loop.header = blocks_[header].first;
  for (const int entry : entries) loop.entries.push_back(blocks_[entry].first);
  for (const int before : blocks_[header].before) {
    if (loop.contains[blocks_[before].first]) loop.latches.push_back(blocks_[before].last);
  }
  FindTests(loop);
  const auto number = static_cast<int>(loops_.size());
  loops_.push_back(std::move(loop));
  if (parent >= 0) loops_[parent].is_innermost = false;
  std::vector<int> inner = blocks;
  std::erase(inner, header);
  AddLoops(inner, number);
}

}  // namespace dynacc::loops
