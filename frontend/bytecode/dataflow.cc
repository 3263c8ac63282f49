#include "frontend/bytecode/dataflow.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "frontend/bytecode/local_access.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::bytecode {
namespace {

constexpr int kUnreachable = -1;

bool EndsBlock(int opcode) { return OpcodeHas(opcode, kEndsBlock); }

class StackDepths {
 public:
  explicit StackDepths(const DecodedCode& code)
      : code_(code), depths_(code.instructions().size(), kUnreachable) {}

  std::vector<int> Run() {
    if (depths_.empty()) return depths_;
    Reach(0, 0);
    while (!work_.empty()) {
      const int index = work_.back();
      work_.pop_back();
      Visit(code_.instructions()[index], depths_[index]);
    }
    return depths_;
  }

 private:
  void Reach(int index, int depth) {
    if (index >= static_cast<int>(depths_.size()) || depths_[index] != kUnreachable) return;
    depths_[index] = depth;
    work_.push_back(index);
  }
  void ReachOffset(int offset, int depth) { Reach(code_.IndexAt(offset), depth); }

  void Visit(const Instruction& at, int depth) {
    for (const HandlerRange& range : code_.handlers())
      if (at.offset >= range.start && at.offset < range.end)
        ReachOffset(range.target, range.depth + (range.push_lasti ? 2 : 1));
    if (at.target >= 0) ReachOffset(at.target, depth + OpcodeStackEffect(at.opcode, at.arg, true));
    if (!EndsBlock(at.opcode))
      Reach(code_.IndexAt(at.offset) + 1, depth + OpcodeStackEffect(at.opcode, at.arg, false));
  }

  const DecodedCode& code_;
  std::vector<int> depths_;
  std::vector<int> work_;
};

// One row of machine words an instruction, so that a pass over a big function stays cheap.
class LiveLocals {
 public:
  explicit LiveLocals(const DecodedCode& code)
      : code_(code),
        num_locals_(code.code()->co_nlocalsplus),
        words_((num_locals_ + 63) / 64),
        rows_(code.instructions().size() * words_) {}

  std::vector<std::vector<bool>> Run() {
    MarkCells();
    bool changed = true;
    while (changed) {
      changed = false;
      for (int i = static_cast<int>(code_.instructions().size()) - 1; i >= 0; --i)
        changed |= Update(i);
    }
    return Unpack();
  }

 private:
  static uint64_t Bit(int local) { return uint64_t{1} << local % 64; }

  void MarkCells() {
    cells_.resize(words_);
    const char* kinds = PyBytes_AS_STRING(code_.code()->co_localspluskinds);
    constexpr int kCellOrFree = 0x40 | 0x80;  // CO_FAST_CELL | CO_FAST_FREE
    for (int i = 0; i < num_locals_; ++i)
      if (kinds[i] & kCellOrFree) cells_[i / 64] |= Bit(i);
  }

  const uint64_t* Row(int index) const { return rows_.data() + size_t{1} * index * words_; }
  void Merge(std::vector<uint64_t>& set, int index) const {
    if (index >= static_cast<int>(code_.instructions().size())) return;
    for (int w = 0; w < words_; ++w) set[w] |= Row(index)[w];
  }

  bool Update(int index) {
    const Instruction& at = code_.instructions()[index];
    std::vector<uint64_t>& live = scratch_;
    live = cells_;
    if (at.opcode == RAISE_VARARGS) live.assign(words_, ~uint64_t{0});
    if (!EndsBlock(at.opcode)) Merge(live, index + 1);
    if (at.target >= 0) Merge(live, code_.IndexAt(at.target));
    ApplyAccesses(at, live);
    for (const HandlerRange& range : code_.handlers())
      if (at.offset >= range.start && at.offset < range.end)
        Merge(live, code_.IndexAt(range.target));
    uint64_t* row = rows_.data() + size_t{1} * index * words_;
    bool changed = false;
    for (int w = 0; w < words_; ++w) {
      changed |= row[w] != live[w];
      row[w] = live[w];
    }
    return changed;
  }

  // From the last access to the first.
  void ApplyAccesses(const Instruction& at, std::vector<uint64_t>& live) const {
    const LocalAccesses accesses(at);
    for (const LocalAccess* access = accesses.end(); access != accesses.begin();) {
      --access;
      const int word = access->local / 64;
      if (access->writes) live[word] &= ~Bit(access->local) | cells_[word];
      if (access->reads) live[word] |= Bit(access->local);
    }
  }

  std::vector<std::vector<bool>> Unpack() const {
    std::vector<std::vector<bool>> result(code_.instructions().size());
    for (size_t i = 0; i < result.size(); ++i) {
      result[i].resize(num_locals_);
      for (int local = 0; local < num_locals_; ++local)
        result[i][local] = Row(static_cast<int>(i))[local / 64] >> local % 64 & 1;
    }
    return result;
  }

  const DecodedCode& code_;
  const int num_locals_;
  const int words_;
  std::vector<uint64_t> rows_;
  std::vector<uint64_t> cells_;
  std::vector<uint64_t> scratch_;
};

// What may come right after the instruction at `index`.
std::vector<int> Successors(const DecodedCode& code, int index) {
  const Instruction& at = code.instructions()[index];
  std::vector<int> next;
  if (!EndsBlock(at.opcode) && index + 1 < static_cast<int>(code.instructions().size()))
    next = {index + 1};
  if (at.target >= 0) next.push_back(code.IndexAt(at.target));
  return next;
}

// The instructions on ways from the one at `from`, itself apart, that do not go on behind one of
// `ends`: in the order of a search by breadth.
std::vector<int> Reached(const DecodedCode& code, int from, const std::vector<bool>& ends) {
  std::vector<bool> seen(code.instructions().size());
  std::vector<int> reached;
  const auto go_on = [&](int index) {
    for (const int successor : Successors(code, index)) {
      if (seen[successor]) continue;
      seen[successor] = true;
      reached.push_back(successor);
    }
  };
  go_on(from);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!ends[reached[i]]) go_on(reached[i]);
  }
  return reached;
}

}  // namespace

std::vector<int> ComputeStackDepths(const DecodedCode& code) { return StackDepths(code).Run(); }

std::vector<std::vector<bool>> ComputeLiveLocals(const DecodedCode& code) {
  return LiveLocals(code).Run();
}

int ImmediatePostDominator(const DecodedCode& code, int offset) {
  const int from = code.IndexAt(offset);
  const auto ends_function = [&](int index) {
    const Instruction& at = code.instructions()[index];
    return EndsBlock(at.opcode) && at.target < 0;
  };
  const std::vector<bool> none(code.instructions().size());
  std::vector<bool> post_dominators = none;
  for (const int candidate : Reached(code, from, none)) {
    std::vector<bool> ends = none;
    ends[candidate] = true;
    const std::vector<int> without = Reached(code, from, ends);
    post_dominators[candidate] = std::none_of(without.begin(), without.end(), [&](int index) {
      return index != candidate && ends_function(index);
    });
  }
  for (const int index : Reached(code, from, post_dominators)) {
    if (post_dominators[index]) return code.instructions()[index].start;
  }
  return -1;
}

namespace {

// The instructions on ways from the one at `start` to the one at `jump` that do not pass `exit`, if
// there are any.
std::vector<bool> WaysBack(const DecodedCode& code, int start, int jump, int exit) {
  std::vector<bool> ends(code.instructions().size());
  ends[jump] = ends[exit] = true;
  const auto leads_there = [&](int from) {
    if (from == jump) return true;
    if (from == exit) return false;
    const std::vector<int> reached = Reached(code, from, ends);
    return std::find(reached.begin(), reached.end(), jump) != reached.end();
  };
  std::vector<bool> ways(code.instructions().size());
  if (!leads_there(start)) return ways;
  for (const int index : Reached(code, start, ends)) ways[index] = leads_there(index);
  ways[start] = ways[jump] = true;
  return ways;
}

bool WritesLocals(const DecodedCode& code, const std::vector<bool>& ways) {
  for (int index = 0; index < static_cast<int>(ways.size()); ++index) {
    if (!ways[index]) continue;
    for (const LocalAccess& access : LocalAccesses(code.instructions()[index]))
      if (access.writes) return true;
  }
  return false;
}

// Whether the loop is left at `jump` alone, or as if it were; and no iterator of a loop around it
// moves in it.
bool IsLeftAt(const DecodedCode& code, const std::vector<bool>& loop, int jump, int exit) {
  const int depth = code.StackDepth(code.instructions()[jump].start);
  for (int index = 0; index < static_cast<int>(loop.size()); ++index) {
    if (!loop[index] || index == jump) continue;
    const Instruction& at = code.instructions()[index];
    if (at.opcode == FOR_ITER && code.StackDepth(at.start) < depth) return false;
    const std::vector<int> successors = Successors(code, index);
    const auto leaves = [&](int next) { return !loop[next]; };
    if (std::none_of(successors.begin(), successors.end(), leaves)) continue;
    for (const int next : successors) {
      const bool is_fine =
          loop[next] ? !WritesLocals(code, WaysBack(code, next, jump, exit)) : next == exit;
      if (!is_fine) return false;
    }
  }
  return true;
}

}  // namespace

WhileLoop FindWhileLoop(const DecodedCode& code, int offset) {
  WhileLoop loop;
  const int meeting = ImmediatePostDominator(code, offset);
  if (meeting < 0) return loop;
  const int jump = code.IndexAt(offset);
  const Instruction& at = code.instructions()[jump];
  const std::vector<bool> none(code.instructions().size());
  std::vector<bool> by_target =
      WaysBack(code, code.IndexAt(at.target), jump, code.IndexAt(meeting));
  std::vector<bool> by_next = WaysBack(code, code.IndexAt(at.next), jump, code.IndexAt(meeting));
  if ((by_target == none) == (by_next == none)) return loop;
  const std::vector<bool>& ways = by_target == none ? by_next : by_target;
  const int exit = by_target == none ? at.target : at.next;
  if (!IsLeftAt(code, ways, jump, code.IndexAt(exit))) return loop;
  loop.exit = exit;
  loop.body = by_target == none ? at.next : at.target;
  loop.locals.resize(code.code()->co_nlocalsplus);
  for (int index = static_cast<int>(ways.size()) - 1; index >= 0; --index) {
    if (!ways[index]) continue;
    loop.header = code.instructions()[index].start;
    for (const LocalAccess& access : LocalAccesses(code.instructions()[index])) {
      if (access.writes) loop.locals[access.local] = true;
    }
  }
  return loop;
}

int LastCondition(const DecodedCode& code, int offset) {
  constexpr int kLongest = 100;  // instructions of the rest of a condition
  const Instruction& at = code.At(offset);
  const int first = code.IndexAt(offset) + 1;
  const int end = std::min(first + kLongest, static_cast<int>(code.instructions().size()));
  for (int index = first; index < end; ++index) {
    const Instruction& last = code.instructions()[index];
    if (last.target < 0 || EndsBlock(last.opcode) || last.opcode == FOR_ITER) continue;
    for (const auto& [exit, next] : {std::pair{at.target, at.next}, {at.next, at.target}}) {
      const std::vector<bool> ways =
          WaysBack(code, code.IndexAt(next), code.IndexAt(last.start), code.IndexAt(exit));
      const bool leads_there = ways[code.IndexAt(last.start)] && !WritesLocals(code, ways);
      if (leads_there && FindWhileLoop(code, last.start).exit == exit) return last.start;
    }
  }
  return -1;
}

namespace {

// Where the basic block begins that the instruction at `offset` is in.
int BlockStart(const DecodedCode& code, int offset) {
  int start = 0;
  const auto begins_at = [&](int place) {
    if (place <= offset) start = std::max(start, place);
  };
  for (const Instruction& at : code.instructions()) {
    if (at.target < 0) continue;
    begins_at(at.target);
    begins_at(at.next);
  }
  for (const HandlerRange& range : code.handlers()) begins_at(range.target);
  return start;
}

// What the instruction does to the entries of the stack. One that is not loaded, moved or a
// method's receiver counts as gone.
void Pass(const Instruction& at, std::vector<int>& entries) {
  const auto push = [&](int local) { entries.push_back(at.borrows ? local : -1); };
  const size_t size = entries.size();
  const auto place = static_cast<size_t>(at.arg);
  if (at.opcode == LOAD_FAST) return push(at.arg);
  if (at.opcode == LOAD_FAST_LOAD_FAST) return push(at.arg >> 4), push(at.arg & 15);
  if (at.opcode == SWAP && place <= size) {
    return std::swap(entries[size - 1], entries[size - place]);
  }
  if (at.opcode == COPY && place <= size) return entries.push_back(entries[size - place]);
  if (at.opcode == LOAD_METHOD && size > 0) {
    entries.insert(entries.end() - 1, -1);
    return;
  }
  const int effect = OpcodeStackEffect(at.opcode, at.arg, false);
  const int pushed = std::max(effect, 1);
  const auto popped = static_cast<size_t>(pushed - effect);
  entries.resize(size - std::min(size, popped));
  entries.insert(entries.end(), pushed, -1);
}

}  // namespace

std::vector<int> BorrowedEntries(const DecodedCode& code, int offset) {
  std::vector<int> entries;
  const int end = code.IndexAt(offset);
  for (int i = code.IndexAt(BlockStart(code, code.At(offset).start)); i < end; ++i) {
    const Instruction& at = code.instructions()[i];
    entries.resize(std::max(code.StackDepth(at.start), 0), -1);
    Pass(at, entries);
  }
  entries.resize(std::max(code.StackDepth(offset), 0), -1);
  return entries;
}

}  // namespace dynacc::bytecode
