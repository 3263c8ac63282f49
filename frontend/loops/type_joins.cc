#include "frontend/loops/type_joins.h"

#include <optional>
#include <set>

namespace dynacc::loops {
namespace {

// NumPy's of two types that are joined. A float32 is rounded where a Python float is not.
std::optional<NumberType> Joined(NumberType one, NumberType other) {
  if (IsPython(one) == IsPython(other)) return std::nullopt;
  const NumberType pythons = IsPython(one) ? one : other;
  const NumberType numpys = IsPython(one) ? other : one;
  if (numpys == NumberType::kFloat32 || IsComplex(numpys)) return std::nullopt;
  return PythonTypeOf(numpys) == pythons ? std::optional(numpys) : std::nullopt;
}

// The states of a variable at one loop's header.
struct Seen {
  bool is_unset = false;
  bool is_other = false;  // than a number
  std::set<NumberType> types;

  void Add(const LoopValue& value) {
    if (value.is(LoopValue::Kind::kOpaque)) {
      is_unset = true;
    } else if (value.is(LoopValue::Kind::kNumber)) {
      types.insert(value.type);
    } else {
      is_other = true;
    }
  }
  bool IsOne() const { return types.size() + (is_unset ? 1 : 0) + (is_other ? 1 : 0) < 2; }
  std::optional<TypeJoin> Join() const {
    if (IsOne() || is_other || types.empty() || types.size() > 2) return std::nullopt;
    TypeJoin join = {.type = *types.begin(), .may_be_unset = is_unset};
    if (types.size() == 1) return join;
    const std::optional<NumberType> joined = Joined(*types.begin(), *types.rbegin());
    if (!joined) return std::nullopt;
    join.type = *joined;
    join.has_two_types = true;
    return join;
  }
};

using Place = std::tuple<const PyCodeObject*, int, int>;

void AddStates(const TypedBlock& header, std::map<Place, Seen>* seen) {
  for (size_t v = 0; v < header.state.variables.size(); ++v) {
    const Place place(header.code->code.code(), header.offset, static_cast<int>(v));
    (*seen)[place].Add(header.state.variables[v]);
  }
}

}  // namespace

TypeJoins FindJoins(const std::vector<TypedBlock>& blocks) {
  std::map<const LoopCode*, std::vector<frame::Loop>> loops;
  std::map<Place, Seen> seen;
  for (const TypedBlock& block : blocks) {
    const auto [found, is_new] = loops.try_emplace(block.code);
    if (is_new) found->second = frame::FindLoops(block.code->code);
    for (const frame::Loop& loop : found->second) {
      if (loop.header == block.offset) AddStates(block, &seen);
    }
  }
  TypeJoins joins;
  for (const auto& [place, states] : seen) {
    if (const std::optional<TypeJoin> join = states.Join()) joins.emplace(place, *join);
  }
  return joins;
}

}  // namespace dynacc::loops
