#include "frontend/bytecode/dataflow.h"

#include <bitset>
#include <cstdint>
#include <initializer_list>

#include "frontend/bytecode/local_access.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::bytecode {
namespace {

constexpr int kUnreachable = -1;

std::bitset<256> OpcodeSet(std::initializer_list<int> opcodes) {
  std::bitset<256> set;
  for (int opcode : opcodes) set.set(opcode);
  return set;
}

// Control never goes on to the next instruction.
bool EndsBlock(int opcode) {
  static const std::bitset<256> set =
      OpcodeSet({RETURN_VALUE, RETURN_CONST, RAISE_VARARGS, RERAISE, JUMP_FORWARD, JUMP_BACKWARD,
                 JUMP_BACKWARD_NO_INTERRUPT});
  return set[opcode];
}

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

}  // namespace

std::vector<int> ComputeStackDepths(const DecodedCode& code) { return StackDepths(code).Run(); }

std::vector<std::vector<bool>> ComputeLiveLocals(const DecodedCode& code) {
  return LiveLocals(code).Run();
}

}  // namespace dynacc::bytecode
