#include "codegen/loops/loop_unrolling.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_op_text.h"
#include "runtime/loops/loop_math.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// Which loops are unrolled: those of so many rounds at most, or of these the innermost ones alone.
struct Limits {
  int64_t most_rounds;
  bool are_innermost;
};
// Others where these make too much of the program. Of three loops over the axes of a small matrix
// the innermost one is unrolled, and then the one around it is the innermost.
constexpr Limits kLimits[] = {{16, false}, {16, true}, {8, false}, {8, true}, {4, false}};
// What a program may have more than before: Clang takes a second for some thousand ops.
constexpr size_t kMostMoreOps = 600;

// The ints in registers that are known.
using Known = std::map<uint16_t, int64_t>;

// What arithmetic gives; nothing if it overflows, or the op is another one.
std::optional<int64_t> Computed(Code code, int64_t left, int64_t right) {
  int64_t d = 0;
  switch (code) {
    case Code::kMoveInt:
      return left;
    case Code::kAddInt:
      return __builtin_add_overflow(left, right, &d) ? std::nullopt : std::optional(d);
    case Code::kSubInt:
      return __builtin_sub_overflow(left, right, &d) ? std::nullopt : std::optional(d);
    case Code::kMulInt:
      return __builtin_mul_overflow(left, right, &d) ? std::nullopt : std::optional(d);
    case Code::kNegInt:
      return __builtin_sub_overflow(int64_t{0}, left, &d) ? std::nullopt : std::optional(d);
    case Code::kNotInt:
      return left == 0;
    case Code::kTruthInt:
      return left != 0;
    case Code::kLessInt:
      return left < right;
    case Code::kLessEqualInt:
      return left <= right;
    case Code::kEqualInt:
      return left == right;
    case Code::kNotEqualInt:
      return left != right;
    default:
      return std::nullopt;
  }
}

bool IsBinary(Code code) {
  const OpText* const text = TextOf(code);
  return text != nullptr && text->right == kIntKind;
}

using ValueOfReg = absl::FunctionRef<std::optional<int64_t>(uint16_t reg)>;
using ExtentOfAxis = absl::FunctionRef<std::optional<int64_t>(int32_t packed)>;

// What the op gives of ints that are known; nothing if one of them is not, or the op is another
// one.
std::optional<int64_t> ResultOf(const LoopOp& op, ValueOfReg value, ExtentOfAxis extent) {
  if (op.code == Code::kDim) return extent(op.k);
  if (!Computed(op.code, 0, 0)) return std::nullopt;
  const std::optional<int64_t> left = value(op.a);
  const std::optional<int64_t> right = IsBinary(op.code) ? value(op.b) : 0;
  return left && right ? Computed(op.code, *left, *right) : std::nullopt;
}

// The ranges, by their registers, that no loop around another goes over.
std::set<uint16_t> InnermostRanges(const LoopProgram& program, const LoopFlow& flow) {
  std::set<uint16_t> ranges;
  for (const LoopOp& op : program.ops) {
    if (op.code == Code::kRangeNext) ranges.insert(op.a);
  }
  for (const ProgramLoop& loop : flow.loops()) {
    const LoopOp& header = program.ops[loop.header];
    if (header.code == Code::kRangeNext && !loop.is_innermost) ranges.erase(header.a);
  }
  return ranges;
}

// Which ranges are unrolled if they are short.
class Choice {
 public:
  Choice(const LoopProgram& program, const LoopFlow& flow, const Limits& limits)
      : most_rounds_(limits.most_rounds) {
    if (limits.are_innermost) ranges_ = InnermostRanges(program, flow);
  }
  bool Takes(uint16_t range, int64_t count) const {
    return count <= most_rounds_ && (!ranges_ || ranges_->contains(range));
  }

 private:
  int64_t most_rounds_;
  std::optional<std::set<uint16_t>> ranges_;  // none: all
};

// Finds what is assumed, by the arithmetic in front of each start of a range.
class Assumer {
 public:
  Assumer(const LoopProgram& program, const LoopInputs& inputs, const Limits& limits)
      : program_(program),
        flow_(program),
        inputs_(inputs),
        choice_(program, flow_, limits),
        is_set_(program.num_registers) {
    for (size_t i = 0; i < program.ops.size(); ++i) {
      for (const LoopOperand& one : flow_.registers(static_cast<int>(i)).set) {
        if (!one.is_float) is_set_[one.reg] = true;
      }
    }
  }

  std::vector<Assumption> Find() {
    std::vector<Assumption> found;
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      if (program_.ops[i].code != Code::kRangeStart) continue;
      made_.clear();
      if (!IsShort(static_cast<int>(i))) continue;
      for (const Assumption& one : made_) {
        const bool is_known = absl::c_any_of(found, [&](const Assumption& other) {
          return other.is_extent == one.is_extent && other.what == one.what;
        });
        if (!is_known) found.push_back(one);
      }
    }
    return found;
  }

 private:
  bool IsShort(int op) {
    int64_t bounds[3];
    for (int i = 0; i < 3; ++i) {
      const std::optional<int64_t> one = At(op, static_cast<uint16_t>(program_.ops[op].a + i));
      if (!one) return false;
      bounds[i] = *one;
    }
    int64_t count = 0;
    return loop_math::StartRange(bounds[0], bounds[1], bounds[2], &count) && count > 1 &&
           choice_.Takes(program_.ops[op].a, count);
  }

  // What the register holds when `op` reads it.
  std::optional<int64_t> At(int op, uint16_t reg) {
    for (int i = op - 1; i >= flow_.FirstOfBlock(op); --i) {
      if (!SetsInt(flow_.registers(i), reg)) continue;
      return ResultOf(
          program_.ops[i], [&](uint16_t operand) { return At(i, operand); },
          [&](int32_t packed) { return Extent(packed); });
    }
    for (const auto& [constant, value] : program_.constants) {
      if (constant == reg) return value.i;
    }
    if (is_set_[reg] || reg >= inputs_.registers.size()) return std::nullopt;
    made_.push_back({false, reg, inputs_.registers[reg]});
    return made_.back().value;
  }

  std::optional<int64_t> Extent(int32_t packed) {
    if (static_cast<size_t>(packed) >= inputs_.extents.size()) return std::nullopt;
    made_.push_back({true, packed, inputs_.extents[packed]});
    return made_.back().value;
  }

  const LoopProgram& program_;
  const LoopFlow flow_;
  const LoopInputs& inputs_;
  const Choice choice_;
  std::vector<bool> is_set_;  // by an op, by register
  std::vector<Assumption> made_;
};

// Writes the program anew, block by block, each once for what is known of its ranges there.
class Unroller {
 public:
  Unroller(const LoopProgram& program, const std::vector<Assumption>& assumptions,
           const Limits& limits)
      : program_(program), flow_(program), choice_(program, flow_, limits), result_(program) {
    for (const auto& [reg, value] : program.constants) constants_.emplace(reg, value.i);
    for (const Assumption& one : assumptions) {
      if (one.is_extent) extents_[one.what] = one.value;
      if (!one.is_extent) constants_.emplace(static_cast<uint16_t>(one.what), one.value);
    }
    for (const LoopOp& op : program.ops) {
      if (op.code == Code::kRangeNext) ranges_.emplace(op.a, op.d);
    }
    result_.ops.clear();
  }

  // Nothing if it unrolls no loop, or the program grows too much.
  std::optional<LoopProgram> Run() {
    std::vector<size_t> waiting = {BlockFor(0, {})};
    while (!waiting.empty()) {
      const size_t at = waiting.back();
      waiting.pop_back();
      if (blocks_[at].start >= 0) continue;
      PrintFrom(at, &waiting);
      if (result_.ops.size() > program_.ops.size() + kMostMoreOps) return std::nullopt;
    }
    if (!unrolls_) return std::nullopt;
    for (LoopOp& op : result_.ops) {
      if (JumpsTo(op)) op.k = blocks_[op.k].start;
    }
    return std::move(result_);
  }

 private:
  // A block of the program with what is known where it begins.
  struct Block {
    int first;
    Known known;
    int start = -1;  // its first op in the result, once it is there
  };

  size_t BlockFor(int first, Known known) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::pair{first, std::move(known)}, blocks_.size());
    if (is_new) blocks_.push_back({first, found->first.second});
    return found->second;
  }

  // Of all that is known, the ranges that go on in the block: what else is read there would make
  // another block of each value.
  Known Kept(const Known& known, int first) const {
    Known kept;
    for (const auto& [range, number] : ranges_) {
      const auto left = static_cast<uint16_t>(range + 2);
      if (!known.contains(left) || !flow_.IsLive(first, left)) continue;
      for (const uint16_t reg : {range, static_cast<uint16_t>(range + 1), left, number}) {
        const auto found = known.find(reg);
        if (found != known.end() && flow_.IsLive(first, reg)) kept.insert(*found);
      }
    }
    return kept;
  }

  std::optional<int64_t> ValueOf(const Known& known, uint16_t reg) const {
    for (const auto* values : {&constants_, &known}) {
      if (const auto found = values->find(reg); found != values->end()) return found->second;
    }
    return std::nullopt;
  }

  // The register of a constant, a new one where the program has none.
  uint16_t Constant(int64_t value) {
    for (const auto& [reg, slot] : result_.constants) {
      if (slot.i == value) return reg;
    }
    LoopSlot slot;
    slot.i = value;
    const auto reg = static_cast<uint16_t>(result_.num_registers++);
    result_.constants.emplace_back(reg, slot);
    return reg;
  }

  void Move(uint16_t reg, int64_t value, Known* known) {
    (*known)[reg] = value;
    result_.ops.push_back({.code = Code::kMoveInt, .d = reg, .a = Constant(value)});
  }

  // The blocks from that one on, one behind the other, as long as control falls through.
  void PrintFrom(size_t at, std::vector<size_t>* waiting) {
    for (;;) {
      if (blocks_[at].start >= 0) {
        result_.ops.push_back({.code = Code::kJump, .k = static_cast<int32_t>(at)});
        return;
      }
      blocks_[at].start = static_cast<int>(result_.ops.size());
      const std::optional<size_t> next = PrintBlock(blocks_[at].first, blocks_[at].known, waiting);
      if (!next || result_.ops.size() > program_.ops.size() + kMostMoreOps) return;
      at = *next;
    }
  }

  // The block that comes next, if control may fall through to one.
  std::optional<size_t> PrintBlock(int first, Known known, std::vector<size_t>* waiting) {
    const int last = flow_.LastOfBlock(first);
    for (int i = first; i < last; ++i) PrintOp(i, &known);
    const LoopOp& op = program_.ops[last];
    const auto to = [&](int target) { return BlockFor(target, Kept(known, target)); };
    switch (op.code) {
      case Code::kJump:
        return to(op.k);
      case Code::kBackEdge:
        if (IsKnown(known, program_.ops[op.k])) return to(op.k);
        break;
      case Code::kRangeNext:
        if (IsKnown(known, op)) {
          if (known.at(static_cast<uint16_t>(op.a + 2)) == 0) return to(op.k);
          PrintNext(op, &known);
          return to(last + 1);
        }
        Forget(last, &known);
        break;
      case Code::kJumpIf:
      case Code::kJumpIfNot:
        if (const std::optional<int64_t> test = ValueOf(known, op.a)) {
          return to((*test != 0) == (op.code == Code::kJumpIf) ? op.k : last + 1);
        }
        break;
      default:
        PrintOp(last, &known);
        return FallsThrough(op) ? std::optional(to(last + 1)) : std::nullopt;
    }
    result_.ops.push_back(op);
    const size_t target = to(op.k);
    result_.ops.back().k = static_cast<int32_t>(target);
    waiting->push_back(target);
    return FallsThrough(op) ? std::optional(to(last + 1)) : std::nullopt;
  }

  // Whether the op goes on in a range of which everything is known.
  static bool IsKnown(const Known& known, const LoopOp& op) {
    return op.code == Code::kRangeNext && known.contains(op.a) &&
           known.contains(static_cast<uint16_t>(op.a + 1)) &&
           known.contains(static_cast<uint16_t>(op.a + 2));
  }

  void PrintNext(const LoopOp& op, Known* known) {
    unrolls_ = true;
    const auto left = static_cast<uint16_t>(op.a + 2);
    const int64_t number = known->at(op.a);
    Move(left, known->at(left) - 1, known);
    Move(op.d, number, known);
    Move(op.a, number + known->at(static_cast<uint16_t>(op.a + 1)), known);
  }

  // What the op sets is not known.
  void Forget(int op, Known* known) const {
    for (const LoopOperand& one : flow_.registers(op).set) {
      if (!one.is_float) known->erase(one.reg);
    }
  }

  void PrintOp(int number, Known* known) {
    const LoopOp& op = program_.ops[number];
    if (op.code == Code::kRangeStart) return PrintRangeStart(number, known);
    if (const std::optional<int64_t> value = Folded(op, *known)) return Move(op.d, *value, known);
    LoopOp printed = op;
    const OpText* const text = TextOf(op.code);
    const bool has_left = text != nullptr && text->left == kIntKind;
    const bool has_right = IsBinary(op.code) || op.code == Code::kIndex;
    const auto left = has_left ? ValueOf(*known, op.a) : std::nullopt;
    const auto right = has_right ? ValueOf(*known, op.b) : std::nullopt;
    if (left) printed.a = Constant(*left);
    if (right) printed.b = Constant(*right);
    Forget(number, known);
    result_.ops.push_back(printed);
  }

  void PrintRangeStart(int number, Known* known) {
    const LoopOp& op = program_.ops[number];
    const auto stop = static_cast<uint16_t>(op.a + 1), step = static_cast<uint16_t>(op.a + 2);
    std::optional<int64_t> bounds[3] = {ValueOf(*known, op.a), ValueOf(*known, stop),
                                        ValueOf(*known, step)};
    int64_t count = 0;
    const bool is_short = bounds[0] && bounds[1] && bounds[2] && ranges_.contains(op.a) &&
                          loop_math::StartRange(*bounds[0], *bounds[1], *bounds[2], &count) &&
                          choice_.Takes(op.a, count);
    if (!is_short) {
      Forget(number, known);
      known->erase(op.a);
      result_.ops.push_back(op);
      return;
    }
    Move(stop, *bounds[2], known);
    Move(step, count, known);
  }

  // What the op gives of ints that are known.
  std::optional<int64_t> Folded(const LoopOp& op, const Known& known) const {
    const auto extent = [&](int32_t packed) {
      const auto found = extents_.find(packed);
      return found == extents_.end() ? std::nullopt : std::optional(found->second);
    };
    return ResultOf(
        op, [&](uint16_t reg) { return ValueOf(known, reg); }, extent);
  }

  const LoopProgram& program_;
  const LoopFlow flow_;
  const Choice choice_;
  LoopProgram result_;  // jumps go to numbers of blocks until all are there
  Known constants_;     // and what is assumed
  std::map<int32_t, int64_t> extents_;
  std::multimap<uint16_t, uint16_t> ranges_;  // their registers, and those of their numbers
  std::map<std::pair<int, Known>, size_t> numbers_;
  std::vector<Block> blocks_;
  bool unrolls_ = false;
};

}  // namespace

LoopInputs InputsOf(const LoopProgram& program, const LoopFrame& frame) {
  LoopInputs inputs;
  for (int i = 0; i < program.num_registers; ++i) {
    inputs.registers.push_back(frame.registers[i].i);
  }
  inputs.extents.resize(static_cast<size_t>(program.num_arrays) * kMaxRank);
  for (int i = 0; i < program.num_arrays; ++i) {
    for (int axis = 0; axis < frame.arrays[i].rank; ++axis) {
      inputs.extents[PackAxis(i, axis)] = frame.arrays[i].shape[axis];
    }
  }
  return inputs;
}

std::optional<UnrolledLoop> Unrolled(const LoopProgram& program, const LoopInputs& inputs) {
  for (const Limits& limits : kLimits) {
    std::vector<Assumption> assumptions = Assumer(program, inputs, limits).Find();
    std::optional<LoopProgram> unrolled = Unroller(program, assumptions, limits).Run();
    if (unrolled) return UnrolledLoop{*std::move(unrolled), std::move(assumptions)};
  }
  return std::nullopt;
}

}  // namespace dynacc::loops
