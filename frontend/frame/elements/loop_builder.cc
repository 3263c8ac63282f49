#include "frontend/frame/elements/loop_builder.h"

#include <opcode.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

// Beyond these a loop is no loop over elements, or its types never settle.
constexpr size_t kMostBlocks = 512;
constexpr size_t kMostOps = 16384;
constexpr size_t kMostExits = 8192;

bool IsConditional(int opcode) {
  return opcode == POP_JUMP_FORWARD_IF_FALSE || opcode == POP_JUMP_FORWARD_IF_TRUE ||
         opcode == POP_JUMP_FORWARD_IF_NONE || opcode == POP_JUMP_FORWARD_IF_NOT_NONE;
}

bool TouchesRegisters(LoopOpCode code) {
  return code != LoopOpCode::kJump && code != LoopOpCode::kBackEdge && code != LoopOpCode::kExit;
}

}  // namespace

LoopBuilder::LoopBuilder(const DecodedCode& code, const Loop& loop, const LoopVariables& variables)
    : code_(code),
      loop_(loop),
      variables_(variables),
      max_stack_(code.code()->co_stacksize),
      stored_(variables.count(), false),
      is_target_(code.instructions().back().next + 1, false),
      is_passed_by_(code.instructions().back().next + 1, false) {
  for (const Instruction& at : code.instructions()) {
    if (at.target >= 0) is_target_[at.target] = true;
  }
  first_free_ = OfIterator(max_stack_);
  FindWhatIsPassedBy();
}

// What a jump forward in the loop goes past. The test before a while loop is none that counts: it
// goes to the loop's end, before which a jump goes back to what follows the test.
void LoopBuilder::FindWhatIsPassedBy() {
  for (const Instruction& at : code_.instructions()) {
    const bool jumps = IsConditional(at.opcode) || at.opcode == JUMP_FORWARD;
    if (!jumps || !InLoop(at.start) || !InLoop(at.target)) continue;
    bool is_while = false;
    for (const Instruction& inner : code_.instructions()) {
      if (inner.start >= at.next && inner.start < at.target && inner.target == at.next) {
        is_while = true;
      }
    }
    if (is_while) continue;
    std::fill(is_passed_by_.begin() + at.next, is_passed_by_.begin() + at.target, true);
  }
}

bool LoopBuilder::Refuse(const std::string& reason) {
  if (refusal_.empty()) {
    refusal_ = absl::StrCat("line ", at_ != nullptr ? at_->line : 0, ": ", reason);
  }
  return false;
}

bool LoopBuilder::Build(const LoopState& entry, std::vector<LoopArray> arrays,
                        TranslatedLoop* result) {
  arrays_ = std::move(arrays);
  if (first_free_ >= kFirstConstant) return Refuse("too many variables");
  BlockAt(loop_.header, entry);
  for (size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_.size() > kMostBlocks || program_.ops.size() > kMostOps ||
        exits_.size() > kMostExits) {
      return Refuse("too large");
    }
    if (!TranslateBlock(static_cast<int>(block))) return false;
  }
  return Finish(result);
}

bool LoopBuilder::TranslateBlock(int block) {
  state_ = blocks_[block].state;
  blocks_[block].first_op = static_cast<int>(program_.ops.size());
  next_register_ = first_free_;
  int offset = blocks_[block].offset;
  at_ = nullptr;
  current_exit_ = -1;
  if (!InLoop(offset)) {
    const int exit = ExitWith(offset, state_);
    exits_[exit].between = true;
    Append(LoopOpCode::kExit).exit = exit;
    return true;
  }
  for (ended_ = false; !ended_;) {
    at_ = &code_.At(offset);
    before_ = state_;
    current_exit_ = -1;
    ++instructions_;
    const size_t first_op = program_.ops.size();
    const size_t first_reference = references_.size();
    if (!Translate(*at_)) {
      if (is_of_arrays_ || !MayLeave(at_->start)) return Refuse(OpcodeName(at_->opcode));
      program_.ops.resize(first_op);
      references_.resize(first_reference);
      refusal_.clear();
      state_ = before_;
      Leave();
    }
    most_registers_ = std::max(most_registers_, next_register_);
    if (next_register_ + 64 > kFirstConstant) return Refuse("too large");
    offset = at_->next;
    if (!ended_ && (is_target_[offset] || !InLoop(offset)) && !GoTo(offset)) return false;
  }
  return true;
}

bool LoopBuilder::Translate(const Instruction& at) {
  switch (at.opcode) {
#define DYNACC_LOOP_OPCODE(opcode, translation) \
  case opcode:                                  \
    return translation;
#include "frontend/frame/elements/loop_opcodes.def"
#undef DYNACC_LOOP_OPCODE
    default:
      is_refused_for_good_ = true;
      return false;
  }
}

int LoopBuilder::BlockAt(int offset, const LoopState& state) {
  const auto [found, is_new] =
      block_of_.emplace(state.Key(offset), static_cast<int>(blocks_.size()));
  if (is_new) blocks_.push_back({offset, state});
  return found->second;
}

void LoopBuilder::Settle(LoopValue& value, uint16_t reg) {
  const bool is_float = value.is(Kind::kNumber) && IsFloat(value.type);
  LoopOp& move = Append(is_float ? LoopOpCode::kMoveFloat : LoopOpCode::kMoveInt);
  move.d = reg;
  move.a = value.reg;
  value.reg = reg;
}

// What moves first may lie where another's place is: those go by a register of their own.
bool LoopBuilder::SettleStack() {
  for (size_t i = 0; i < state_.stack.size(); ++i) {
    LoopValue& value = state_.stack[i];
    if (value.is(Kind::kTuple) || value.is(Kind::kRange)) return false;
    const uint16_t home = OfStack(static_cast<int>(i));
    if (!value.HasRegister() || value.reg == home) continue;
    Rescue(home);
    Settle(value, home);
  }
  return true;
}

bool LoopBuilder::GoTo(int offset) {
  if (!SettleStack()) return Refuse("a tuple is carried from block to block");
  ended_ = true;
  Append(LoopOpCode::kJump);
  references_.push_back({static_cast<int>(program_.ops.size()) - 1, BlockAt(offset, state_)});
  return true;
}

bool LoopBuilder::Leave() {
  ended_ = true;
  const int exit = CurrentExit();
  Append(LoopOpCode::kExit).exit = exit;
  return true;
}

bool LoopBuilder::GoBack(int offset) {
  if (!SettleStack()) return Refuse("a tuple is carried from round to round");
  ended_ = true;
  const int exit = ExitWith(offset, state_);
  exits_[exit].between = true;
  Append(LoopOpCode::kBackEdge).exit = exit;
  references_.push_back({static_cast<int>(program_.ops.size()) - 1, BlockAt(offset, state_)});
  return true;
}

bool LoopBuilder::Branch(const LoopValue& condition, bool truth, int offset) {
  uint16_t test = 0;
  if (!Truth(condition, &test)) return false;
  if (test >= kFirstConstant) {
    const bool goes = (constants_[test - kFirstConstant].i != 0) == truth;
    if (!goes) return true;
    return offset <= at_->start ? GoBack(offset) : GoTo(offset);
  }
  if (test < first_free_) test = Emit(LoopOpCode::kMoveInt, test);
  if (!SettleStack()) return Refuse("a tuple is carried from block to block");
  const bool back = offset <= at_->start;
  LoopOp& jump = Append((truth != back) ? LoopOpCode::kJumpIf : LoopOpCode::kJumpIfNot);
  jump.a = test;
  const int jump_at = static_cast<int>(program_.ops.size()) - 1;
  if (!back) {
    references_.push_back({jump_at, BlockAt(offset, state_)});
    return true;
  }
  // The jump goes round the back edge.
  if (!GoBack(offset)) return false;
  ended_ = false;
  program_.ops[jump_at].k = static_cast<int32_t>(program_.ops.size());
  return true;
}

bool LoopBuilder::BranchOrPop(bool truth, int offset) {
  return Branch(LoopValue(state_.stack.back()), truth, offset) && Drop();
}

int LoopBuilder::ExitWith(int offset, const LoopState& state) {
  exits_.push_back({.offset = offset, .state = state});
  return static_cast<int>(exits_.size()) - 1;
}

int LoopBuilder::CurrentExit() {
  if (current_exit_ < 0) current_exit_ = ExitWith(at_->start, before_);
  return current_exit_;
}

LoopOp& LoopBuilder::Append(LoopOpCode code) {
  program_.ops.push_back({.code = code});
  return program_.ops.back();
}

uint16_t LoopBuilder::Emit(LoopOpCode code, uint16_t a, uint16_t b, int32_t k) {
  const int exit = CurrentExit();
  LoopOp& op = Append(code);
  op.d = NewRegister();
  op.a = a;
  op.b = b;
  op.k = k;
  op.exit = exit;
  return op.d;
}

uint16_t LoopBuilder::Constant(LoopSlot value) {
  for (size_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i].i == value.i) return static_cast<uint16_t>(kFirstConstant + i);
  }
  constants_.push_back(value);
  return static_cast<uint16_t>(kFirstConstant + constants_.size() - 1);
}

uint16_t LoopBuilder::IntConstant(int64_t value) {
  LoopSlot slot;
  slot.i = value;
  return Constant(slot);
}

uint16_t LoopBuilder::FloatConstant(double value) {
  LoopSlot slot;
  slot.f = value;
  return Constant(slot);
}

bool LoopBuilder::KnownInt(const LoopValue& value, int64_t* result) const {
  if (!value.is(Kind::kNumber) || !IsInt(value.type) || value.reg < kFirstConstant) return false;
  *result = constants_[value.reg - kFirstConstant].i;
  return true;
}

// The registers of the values; those of constants stay as they were set. The entry's iterators are
// looked at whether they have been popped or not.
std::vector<LoopOperand> LoopBuilder::OperandsOf(const LoopState& state) const {
  std::vector<LoopOperand> operands;
  const std::function<void(const LoopValue&)> add = [&](const LoopValue& value) {
    const bool is_float = value.is(Kind::kNumber) && IsFloat(value.type);
    const int own = value.HasRegister() ? 1 : value.IsIterator() ? value.OwnRegisters() : 0;
    for (int i = 0; i < own && value.reg < most_registers_; ++i) {
      operands.push_back({static_cast<uint16_t>(value.reg + i), is_float});
    }
    for (const LoopValue& item : value.items) add(item);
  };
  for (const LoopValue& value : state.variables) add(value);
  for (const LoopValue& value : state.stack) add(value);
  for (size_t i = state.stack.size(); i < blocks_[0].state.stack.size(); ++i) {
    add(blocks_[0].state.stack[i]);
  }
  return operands;
}

bool LoopBuilder::Finish(TranslatedLoop* result) {
  for (const Reference& reference : references_) {
    program_.ops[reference.op].k = blocks_[reference.block].first_op;
  }
  const auto place = [this](uint16_t& reg) {
    if (reg >= kFirstConstant) {
      reg = static_cast<uint16_t>(reg - kFirstConstant + most_registers_);
    }
  };
  const std::function<void(LoopValue&)> place_all = [&](LoopValue& value) {
    place(value.reg);
    for (LoopValue& item : value.items) place_all(item);
  };
  for (LoopOp& op : program_.ops) {
    if (!TouchesRegisters(op.code)) continue;
    place(op.a);
    place(op.b);
  }
  for (LoopExit& exit : exits_) {
    for (LoopValue& value : exit.state.variables) place(value.reg);
    for (LoopValue& value : exit.state.stack) place_all(value);
  }
  for (size_t i = 0; i < constants_.size(); ++i) {
    program_.constants.emplace_back(static_cast<uint16_t>(most_registers_ + i), constants_[i]);
  }
  program_.num_registers = most_registers_ + static_cast<int>(constants_.size());
  program_.num_arrays = static_cast<int>(arrays_.size());
  for (const LoopExit& exit : exits_) program_.exits.push_back(OperandsOf(exit.state));
  result->program = std::move(program_);
  result->exits = std::move(exits_);
  result->stored = std::move(stored_);
  result->arrays = std::move(arrays_);
  result->attributes = std::move(attributes_);
  result->instructions = instructions_;
  return true;
}

}  // namespace dynacc
