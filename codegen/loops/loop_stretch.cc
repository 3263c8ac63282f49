#include "codegen/loops/loop_stretch.h"

#include <algorithm>

#include "codegen/loops/loop_op_text.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

bool IsStore(Code code) {
  const OpText* const text = TextOf(code);
  return text != nullptr && text->is_store;
}

// What may take long, or change what is no array.
bool IsCall(Code code) {
  if (TextOf(code) != nullptr) {
    return code == Code::kPopItem || code == Code::kDraw || code == Code::kSetDoubleAt ||
           code == Code::kRemember || code == Code::kCommit ||
           (code >= Code::kSetItemInt && code <= Code::kAppendFloat);
  }
  return code == Code::kSlice1d || code == Code::kRangeStart;
}

bool Has(const std::vector<LoopOperand>& operands, uint16_t reg, bool is_float) {
  return std::any_of(operands.begin(), operands.end(), [&](const LoopOperand& one) {
    return one.reg == reg && one.is_float == is_float;
  });
}

// Its range is its own, and all ways back are alike.
bool IsOverRange(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop) {
  const LoopOp& header = program.ops[loop.header];
  if (header.code != Code::kRangeNext) return false;
  for (const int latch : loop.latches) {
    if (program.ops[latch].code != Code::kBackEdge) return false;
  }
  // A round begins there alone, and goes on with what follows.
  const auto joins = [&](const LoopOp& op) { return JumpsTo(op) && op.k == loop.header + 1; };
  if (std::any_of(program.ops.begin(), program.ops.end(), joins)) return false;
  for (const int op : loop.ops) {
    if (op == loop.header) continue;
    if (program.ops[op].code == Code::kRangeNext) return false;
    for (int i = 0; i < 3; ++i) {
      const auto reg = static_cast<uint16_t>(header.a + i);
      if (Has(flow.registers(op).set, reg, false) || Has(flow.registers(op).read, reg, false)) {
        return false;
      }
    }
  }
  return true;
}

// Whether an op adds to its own result, as all that set that register do.
bool IsSum(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop, int op) {
  const uint16_t sum = program.ops[op].d;
  return std::all_of(loop.ops.begin(), loop.ops.end(), [&](int other) {
    const LoopOp& at = program.ops[other];
    return !Has(flow.registers(other).set, sum, true) ||
           (Has(flow.registers(other).read, sum, true) && Absorbs(at, sum));
  });
}

// The later op of the block, `last` at most, that has in it what the op gives; -1: none.
int AbsorberOf(const LoopProgram& program, const LoopFlow& flow, int op, int last) {
  const uint16_t given = program.ops[op].d;
  for (int i = op + 1; i <= last; ++i) {
    if (Has(flow.registers(i).read, given, true) && Absorbs(program.ops[i], given)) return i;
    if (Has(flow.registers(i).set, given, true)) return -1;
  }
  return -1;
}

bool IsPlainFloat(const LoopOp& op) {
  return op.code == Code::kAddFloat || op.code == Code::kSubFloat || op.code == Code::kMulFloat ||
         op.code == Code::kDivFloat;
}

// More registers are not kept for a round.
constexpr size_t kMostKept = 24;

// Finds up to which op of its first block a round may be done again: none before it has changed
// memory. What it sets that an op before that one has read, or an exit before it tells of, as it
// was before the round, is kept.
void DoAgain(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
             Stretch* stretch) {
  std::vector<LoopOperand> used;
  std::vector<LoopOperand> set;
  std::vector<LoopOperand> kept;
  const auto use = [&](const std::vector<LoopOperand>& operands) {
    for (const LoopOperand& one : operands) {
      if (!Has(set, one.reg, one.is_float)) used.push_back(one);
    }
  };
  for (int i = loop.header + 1; i <= flow.LastOfBlock(loop.header + 1); ++i) {
    const LoopOp& at = program.ops[i];
    if (IsStore(at.code)) return;
    use(flow.registers(i).read);
    if (at.exit >= 0) use(program.exits[at.exit]);
    for (const LoopOperand& one : flow.registers(i).set) {
      if (Has(set, one.reg, one.is_float)) continue;
      set.push_back(one);
      if (Has(used, one.reg, one.is_float)) kept.push_back(one);
    }
    if (kept.size() > kMostKept) return;
    if (!IsPlainFloat(at)) continue;
    stretch->last_again = i;
    stretch->kept = kept;
  }
}

void LookLater(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
               Stretch* stretch) {
  DoAgain(program, flow, loop, stretch);
  for (int op = loop.header + 1; op <= stretch->last_again; ++op) {
    if (!IsPlainFloat(program.ops[op])) continue;
    const int absorber = AbsorberOf(program, flow, op, stretch->last_again);
    const bool tells = absorber < 0 || !IsPlainFloat(program.ops[absorber]);
    (tells ? stretch->telling : stretch->absorbed).insert(op);
  }
  if (stretch->absorbed.empty()) {
    stretch->telling.clear();
    stretch->last_again = -1;
  }
}

// Finds what gives the same in all rounds. Nothing that is found has an effect, so that it may be
// done for a round that does not come to it.
class Hoisting {
 public:
  Hoisting(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop)
      : program_(program), flow_(flow), loop_(loop) {}

  std::vector<Hoisted> Find() {
    for (const int op : loop_.ops) {
      const Code code = program_.ops[op].code;
      if (code == Code::kCall1 || code == Code::kCall2) Add(op);
    }
    return std::move(found_);
  }

 private:
  static bool IsArithmetic(Code code) {
    return code == Code::kAddFloat || code == Code::kSubFloat || code == Code::kMulFloat ||
           code == Code::kDivFloat || code == Code::kNegFloat || code == Code::kMoveFloat ||
           code == Code::kSqrtFloat || code == Code::kToFloat;
  }

  // Whether the op, and so all that it needs, is found now or was before.
  bool Add(int op) {
    const auto is_it = [op](const Hoisted& one) { return one.op == op; };
    if (std::any_of(found_.begin(), found_.end(), is_it)) return true;
    const LoopOp& at = program_.ops[op];
    const size_t before = found_.size();
    const std::vector<LoopOperand>& read = flow_.registers(op).read;
    Hoisted one{.op = op};
    const bool is_left_same =
        Has(read, at.a, true) ? Operand(op, at.a, &one.left) : !IsSetInLoop(at.a, false);
    if (is_left_same && (!Has(read, at.b, true) || Operand(op, at.b, &one.right))) {
      found_.push_back(one);
      return true;
    }
    found_.resize(before);
    return false;
  }

  // What gives the float register to the op: an op before it in its block, or none in the loop.
  bool Operand(int op, uint16_t reg, int* from) {
    for (int i = op - 1; i >= flow_.FirstOfBlock(op); --i) {
      if (!Has(flow_.registers(i).set, reg, true)) continue;
      *from = i;
      return i != loop_.header && IsArithmetic(program_.ops[i].code) && Add(i);
    }
    return !IsSetInLoop(reg, true);
  }

  bool IsSetInLoop(uint16_t reg, bool is_float) {
    return std::any_of(loop_.ops.begin(), loop_.ops.end(),
                       [&](int op) { return Has(flow_.registers(op).set, reg, is_float); });
  }

  const LoopProgram& program_;
  const LoopFlow& flow_;
  const ProgramLoop& loop_;
  std::vector<Hoisted> found_;
};

}  // namespace

bool IsBetweenRounds(const LoopProgram& program, const ProgramLoop& loop, int op) {
  const LoopOp& at = program.ops[op];
  return op == loop.header || (at.code == Code::kBackEdge && at.k == loop.header);
}

bool Absorbs(const LoopOp& op, uint16_t reg) {
  switch (op.code) {
    case Code::kAddFloat:
    case Code::kSubFloat:
    case Code::kMulFloat:
    case Code::kToSingle:
    case Code::kToDouble:
      return true;
    case Code::kDivFloat:
      return op.a == reg;
    default:
      return false;
  }
}

void Speculate(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
               Stretch* stretch) {
  stretch->speculates = true;
  for (const int op : loop.ops) {
    const LoopOp& at = program.ops[op];
    for (const LoopOperand& one : flow.registers(op).set) {
      if (!Has(stretch->saved, one.reg, one.is_float) && flow.GoesBetweenBlocks(one)) {
        stretch->saved.push_back(one);
      }
    }
    if (!Has(flow.registers(op).set, at.d, true)) continue;
    if (IsSum(program, flow, loop, op)) {
      stretch->absorbed.insert(op);
      stretch->sums.insert(at.d);
    } else if (AbsorberOf(program, flow, op, flow.LastOfBlock(op)) >= 0) {
      stretch->absorbed.insert(op);
    }
  }
}

std::optional<Stretch> StretchOf(const LoopProgram& program, const LoopFlow& flow,
                                 const ProgramLoop& loop) {
  if (!loop.is_innermost || !IsOverRange(program, flow, loop)) return std::nullopt;
  bool stores = false;
  for (const int op : loop.ops) {
    if (IsCall(program.ops[op].code)) return std::nullopt;
    stores = stores || IsStore(program.ops[op].code);
  }
  Stretch stretch;
  stretch.hoisted = Hoisting(program, flow, loop).Find();
  stores ? LookLater(program, flow, loop, &stretch) : Speculate(program, flow, loop, &stretch);
  return stretch;
}

}  // namespace dynacc::loops
