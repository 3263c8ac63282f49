#include "frontend/loops/type_joins.h"

#include <optional>

namespace dynacc::loops {
namespace {

bool IsNumber(const LoopValue& value) { return value.is(LoopValue::Kind::kNumber); }

// NumPy's of two types that are joined. A float32 is rounded where a Python float is not.
std::optional<NumberType> Joined(NumberType one, NumberType other) {
  if (IsPython(one) == IsPython(other)) return std::nullopt;
  const NumberType pythons = IsPython(one) ? one : other;
  const NumberType numpys = IsPython(one) ? other : one;
  if (numpys == NumberType::kFloat32 || IsComplex(numpys)) return std::nullopt;
  return PythonTypeOf(numpys) == pythons ? std::optional(numpys) : std::nullopt;
}

bool IsSameCall(const InlinedCall* one, const InlinedCall* other) {
  if (one == nullptr || other == nullptr) return one == other;
  return one->callee == other->callee && one->key == other->key;
}

class JoinFinder {
 public:
  JoinFinder(const std::vector<TypedBlock>& blocks, const std::vector<std::vector<int>>& next)
      : blocks_(blocks), next_(next) {}

  TypeJoins Find() {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      for (const frame::Loop& loop : LoopsOf(*blocks_[i].code)) {
        if (loop.header == blocks_[i].offset) AddJoinsAt(static_cast<int>(i), loop);
      }
    }
    return std::move(joins_);
  }

 private:
  const std::vector<frame::Loop>& LoopsOf(const LoopCode& code) {
    const auto [found, is_new] = loops_.try_emplace(&code);
    if (is_new) found->second = frame::FindLoops(code.code);
    return found->second;
  }

  // Whether a block belongs to the loop around `header`, calls in it included.
  bool IsIn(const frame::Loop& loop, const TypedBlock& header, const TypedBlock& block) const {
    const InlinedCall* const call = header.state.call.get();
    const LoopCode* code = block.code;
    int offset = block.offset;
    const InlinedCall* at = block.state.call.get();
    while (!IsSameCall(at, call)) {
      if (at == nullptr) return false;
      code = at->caller;
      offset = at->at->start;
      at = at->before.call.get();
    }
    return code == header.code && loop.Contains(offset);
  }

  std::vector<bool> ReachedFrom(int header, const frame::Loop& loop) const {
    std::vector<bool> reached(blocks_.size(), false);
    std::vector<int> waiting = {header};
    while (!waiting.empty()) {
      const int at = waiting.back();
      waiting.pop_back();
      for (const int next : next_[at]) {
        if (reached[next] || !IsIn(loop, blocks_[header], blocks_[next])) continue;
        reached[next] = true;
        waiting.push_back(next);
      }
    }
    return reached;
  }

  void AddJoinsAt(int header, const frame::Loop& loop) {
    const TypedBlock& from = blocks_[header];
    const std::vector<bool> reached = ReachedFrom(header, loop);
    if (!reached[header]) return;  // as where a sum has its type after one round
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const TypedBlock& to = blocks_[i];
      if (!reached[i] || to.code != from.code || to.offset != from.offset) continue;
      if (!IsSameCall(from.state.call.get(), to.state.call.get())) continue;
      for (size_t v = 0; v < from.state.variables.size(); ++v) {
        const LoopValue& one = from.state.variables[v];
        const LoopValue& other = to.state.variables[v];
        if (!IsNumber(one) || !IsNumber(other)) continue;
        if (const std::optional<NumberType> type = Joined(one.type, other.type)) {
          joins_.emplace(std::tuple(from.code->code.code(), from.offset, static_cast<int>(v)),
                         *type);
        }
      }
    }
  }

  const std::vector<TypedBlock>& blocks_;
  const std::vector<std::vector<int>>& next_;
  std::map<const LoopCode*, std::vector<frame::Loop>> loops_;
  TypeJoins joins_;
};

}  // namespace

TypeJoins FindJoins(const std::vector<TypedBlock>& blocks,
                    const std::vector<std::vector<int>>& next) {
  return JoinFinder(blocks, next).Find();
}

}  // namespace dynacc::loops
