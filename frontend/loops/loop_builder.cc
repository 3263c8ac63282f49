#include "frontend/loops/loop_builder.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::loops {
namespace {

// Beyond these a loop is no loop over elements, or its types never settle.
constexpr size_t kMostBlocks = 512;
constexpr size_t kMostOps = 16384;
constexpr size_t kMostExits = 8192;

bool TouchesRegisters(LoopOpCode code) {
  return code != LoopOpCode::kJump && code != LoopOpCode::kBackEdge && code != LoopOpCode::kExit;
}

}  // namespace

LoopBuilder::LoopBuilder(const bytecode::DecodedCode& code, const frame::Loop& loop,
                         const LoopVariables& variables, BorrowedRef globals, Ways ways)
    : loop_code_(code, &loop, variables, 0),
      code_(&loop_code_),
      frame_globals_(globals),
      follows_calls_(ways.follows_calls),
      makes_arrays_(ways.makes_arrays),
      joins_(std::move(ways.joins)),
      stored_(variables.count(), false),
      first_free_(loop_code_.end()) {}

bool LoopBuilder::Refuse(const std::string& reason) {
  if (refusal_.empty()) {
    refusal_ = absl::StrCat("line ", at_ != nullptr ? at_->line : 0, ": ", reason);
  }
  return false;
}

bool LoopBuilder::Build(const LoopState& entry, std::vector<LoopArray> arrays,
                        std::vector<LoopInstance> instances, TranslatedLoop* result) {
  entry_depth_ = entry.stack.size();
  arrays_ = std::move(arrays);
  instances_ = std::move(instances);
  if (first_free_ >= kFirstReserved) return Refuse("too many variables");
  BlockAt(loop_code_.loop->header, entry);
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
  SetState(blocks_[block].state);
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
  if (JoinTypes(offset)) return GoTo(offset);
  for (ended_ = false; !ended_;) {
    if (!TranslateAt(&offset)) return false;
  }
  return true;
}

bool LoopBuilder::TranslateAt(int* offset) {
  at_ = &code_->code.At(*offset);
  before_ = state_;
  current_exit_ = -1;
  ++instructions_;
  const size_t first_op = program_.ops.size();
  const size_t first_reference = references_.size();
  const bool done = Translate(*at_);
  const auto undo = [&] {
    replaces_entry_ = is_unset_ = false;
    program_.ops.resize(first_op);
    references_.resize(first_reference);
    refusal_.clear();
  };
  if (!done && !replaces_entry_ && MayPartByType()) {
    undo();
    needs_exit_ = is_of_arrays_ = false;
    if (!PartByType()) return false;
  } else if (needs_exit_) {
    return Refuse("a called function changes something and may end after that");
  } else if (!done || replaces_entry_) {
    SetState(before_);
    if (!replaces_entry_ && (is_of_arrays_ || !MayLeave())) {
      return Refuse(bytecode::OpcodeName(at_->opcode));
    }
    undo();
    Leave();
  }
  most_registers_ = std::max(most_registers_, next_register_);
  if (next_register_ + 64 > kFirstReserved) return Refuse("too large");
  *offset = at_->next;
  return ended_ || (!code_->is_target[*offset] && InLoop(*offset)) || GoTo(*offset);
}

bool LoopBuilder::Translate(const bytecode::Instruction& at) {
  switch (at.opcode) {
#define DYNACC_LOOP_OPCODE(opcode, translation) \
  case opcode:                                  \
    return translation;
#include "frontend/loops/loop_opcodes.def"
#undef DYNACC_LOOP_OPCODE
    default:
      is_refused_for_good_ = true;
      return false;
  }
}

int LoopBuilder::BlockAt(int offset, const LoopState& state) {
  const auto [found, is_new] =
      block_of_.emplace(state.Key(offset), static_cast<int>(blocks_.size()));
  if (is_new) {
    const LoopCode* const code = state.call != nullptr ? state.call->callee : &loop_code_;
    blocks_.push_back({.code = code, .offset = offset, .state = state});
  }
  return found->second;
}

void LoopBuilder::Settle(LoopValue& value, uint16_t reg) {
  const bool is_float = value.is(Kind::kNumber) && IsFloat(value.type);
  LoopOp& move = Append(is_float ? LoopOpCode::kMoveFloat : LoopOpCode::kMoveInt);
  move.d = reg;
  move.a = value.reg;
  value.reg = reg;
}

// The registers of what is in a tuple or range are those from `*next` on.
bool LoopBuilder::SettleParts(LoopValue& value, uint16_t* next, uint16_t end) {
  for (LoopValue& item : value.items) {
    if (item.IsIterator() || item.is(Kind::kSlice1d) || item.is(Kind::kWindow) ||
        item.is(Kind::kSlice) || item.is(Kind::kDisplay)) {
      return false;
    }
    if (item.is(Kind::kTuple) || item.is(Kind::kRange) || item.IsPair()) {
      if (!SettleParts(item, next, end)) return false;
      continue;
    }
    if (!item.HasRegister()) continue;
    if (*next == end) return false;
    const uint16_t home = (*next)++;
    if (item.reg == home) continue;
    Rescue(home);
    Settle(item, home);
  }
  return true;
}

// What moves first may lie where another's place is: those go by a register of their own.
bool LoopBuilder::SettleStack() {
  for (size_t i = 0; i < state_.stack.size(); ++i) {
    LoopValue& value = state_.stack[i];
    if (value.is(Kind::kSlice) || value.is(Kind::kDisplay) || value.is(Kind::kWindow)) return false;
    if (value.is(Kind::kSlice1d)) {
      if (!SettleRow(static_cast<int>(i))) return false;
      continue;
    }
    if (value.is(Kind::kTuple) || value.is(Kind::kRange) || value.IsPair()) {
      uint16_t next = OfIterator(static_cast<int>(i));
      const auto end = static_cast<uint16_t>(next + LoopCode::kIteratorRegisters);
      if (!SettleParts(value, &next, end)) return false;
      continue;
    }
    const uint16_t home = OfStack(static_cast<int>(i));
    if (!value.HasRegister() || value.reg == home) continue;
    Rescue(home);
    Settle(value, home);
  }
  return true;
}

bool LoopBuilder::GoTo(int offset) {
  if (!SettleStack()) return Refuse("a large tuple or a row is carried from block to block");
  ended_ = true;
  JoinTypes(offset);
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
  if (!SettleStack()) return Refuse("a large tuple is carried from round to round");
  ended_ = true;
  JoinTypes(offset);
  int exit = 0;
  if (state_.call != nullptr) {
    exit = CurrentExit();
  } else {
    exit = ExitWith(offset, state_);
    exits_[exit].between = true;
    exits_[exit].jump = at_->start;
  }
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
  if (!IsTemporary(test)) test = Emit(LoopOpCode::kMoveInt, test);
  if (!SettleStack()) return Refuse("a large tuple is carried from block to block");
  const bool back = offset <= at_->start;
  LoopOp& jump = Append((truth != back) ? LoopOpCode::kJumpIf : LoopOpCode::kJumpIfNot);
  jump.a = test;
  const int jump_at = static_cast<int>(program_.ops.size()) - 1;
  if (!back) {
    references_.push_back({jump_at, BlockAt(offset, state_)});
    return true;
  }
  // The jump goes round the back edge, and round what joins types there.
  LoopState state = state_;
  if (!GoBack(offset)) return false;
  state_ = std::move(state);
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

// Where some jump goes past the instruction, or past a call that it is in. Where a variable is read
// that only a loop before has set, that loop has had no rounds, which is rare.
bool LoopBuilder::MayLeave() const {
  if (before_.has_effect) return false;
  if (is_unset_ && before_.call == nullptr) return true;
  if (code_->is_passed_by[at_->start]) return true;
  for (const InlinedCall* call = before_.call.get(); call != nullptr;
       call = call->before.call.get()) {
    if (call->caller->is_passed_by[call->at->start]) return true;
  }
  return false;
}

int LoopBuilder::CurrentExit() {
  if (state_.call != nullptr) {
    needs_exit_ = needs_exit_ || state_.has_effect;
    const InlinedCall& call = state_.call->outermost();
    if (call.exit < 0) call.exit = ExitWith(call.at->start, call.before);
    return call.exit;
  }
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
  const auto constants = static_cast<int>(constants_.size());
  const std::function<void(const LoopValue&)> add = [&](const LoopValue& value) {
    const bool is_float = value.is(Kind::kNumber) && IsFloat(value.type);
    const bool has_several =
        value.IsIterator() || value.is(Kind::kSlice1d) || value.is(Kind::kWindow);
    const int own = value.HasRegister() ? 1 : has_several ? value.OwnRegisters() : 0;
    for (int i = 0; i < own && value.reg < program_.num_registers - constants; ++i) {
      operands.push_back({static_cast<uint16_t>(value.reg + i), is_float});
    }
    for (int i = 0; i < kSlice1dRegisters && value.owner >= 0; ++i) {
      operands.push_back({static_cast<uint16_t>(value.owner + i), false});
    }
    for (const LoopValue& item : value.items) add(item);
  };
  for (const LoopValue& value : state.variables) add(value);
  for (const LoopValue& value : state.stack) add(value);
  for (const LoopValue& value : state.fields) add(value);
  for (size_t i = state.stack.size(); i < blocks_[0].state.stack.size(); ++i) {
    add(blocks_[0].state.stack[i]);
  }
  return operands;
}

uint16_t LoopBuilder::Reserve(int count) {
  const uint16_t first = end_of_reserved_;
  end_of_reserved_ = static_cast<uint16_t>(first + count);
  return first;
}

uint16_t LoopBuilder::PlaceOf(uint16_t reg) const {
  const int reserved = end_of_reserved_ - kFirstReserved;
  if (reg >= kFirstConstant) {
    return static_cast<uint16_t>(reg - kFirstConstant + most_registers_ + reserved);
  }
  return reg < kFirstReserved ? reg : static_cast<uint16_t>(reg - kFirstReserved + most_registers_);
}

void LoopBuilder::PlaceAll(LoopValue& value) const {
  value.reg = PlaceOf(value.reg);
  if (value.owner >= 0) value.owner = PlaceOf(static_cast<uint16_t>(value.owner));
  for (LoopValue& item : value.items) PlaceAll(item);
}

void LoopBuilder::PlaceAll(LoopExtent& extent) const {
  if (extent.kind == LoopExtent::Kind::kRegister) {
    extent.number = PlaceOf(static_cast<uint16_t>(extent.number));
  }
  for (LoopExtent& part : extent.parts) PlaceAll(part);
}

void LoopBuilder::PlaceRegisters() {
  for (LoopOp& op : program_.ops) {
    if (!TouchesRegisters(op.code)) continue;
    for (uint16_t* reg : {&op.a, &op.b, &op.d}) *reg = PlaceOf(*reg);
  }
  for (LoopExit& exit : exits_) {
    for (LoopValue& value : exit.state.variables) PlaceAll(value);
    for (LoopValue& value : exit.state.stack) PlaceAll(value);
    for (LoopValue& value : exit.state.fields) PlaceAll(value);
  }
  for (LoopGlobal& global : globals_) PlaceAll(global.value);
  for (LoopField& field : fields_) PlaceAll(field.value);
  for (auto& [reg, object] : addresses_) reg = PlaceOf(reg);
  for (LoopArray& array : arrays_) {
    for (LoopExtent& extent : array.extents) PlaceAll(extent);
  }
  const uint16_t first_constant = PlaceOf(kFirstConstant);
  for (size_t i = 0; i < constants_.size(); ++i) {
    program_.constants.emplace_back(static_cast<uint16_t>(first_constant + i), constants_[i]);
  }
  program_.num_registers = first_constant + static_cast<int>(constants_.size());
}

// Of that name, whatever cell it has.
bool LoopBuilder::IsLocalWritten(BorrowedRef name) const {
  BorrowedRef names = loop_code_.code.code()->co_localsplusnames;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    if (stored_[i] && PyTuple_GET_ITEM(names, i) == name) return true;
  }
  return false;
}

// What called functions read of the globals is taken for what it was before the program began.
bool LoopBuilder::NothingKnownIsWritten() {
  const auto is_written = [this](BorrowedRef dict, BorrowedRef name) {
    if (PyCell_Check(dict)) return IsLocalWritten(name);
    if (dict != frame_globals_) return false;
    BorrowedRef names = loop_code_.code.code()->co_names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      const int variable = loop_code_.variables.OfName(static_cast<int>(i));
      if (stored_[variable] && PyTuple_GET_ITEM(names, i) == name) return true;
    }
    return false;
  };
  for (const KnownItem& item : known_items_) {
    if (is_written(item.dict, item.name)) return Refuse("a global of a called function is written");
  }
  for (const LoopGlobal& global : globals_) {
    if (is_written(global.dict, global.name)) {
      return Refuse("a global of a called function is written");
    }
  }
  return true;
}

bool LoopBuilder::Finish(TranslatedLoop* result) {
  if (!NothingKnownIsWritten()) return false;
  for (const Reference& reference : references_) {
    program_.ops[reference.op].k = blocks_[reference.block].first_op;
  }
  PlaceRegisters();
  program_.num_arrays = static_cast<int>(arrays_.size());
  for (const LoopExit& exit : exits_) program_.exits.push_back(OperandsOf(exit.state));
  result->program = std::move(program_);
  result->exits = std::move(exits_);
  result->stored = std::move(stored_);
  result->arrays = std::move(arrays_);
  result->known_items = std::move(known_items_);
  result->functions = std::move(functions_);
  result->globals = std::move(globals_);
  result->instances = std::move(instances_);
  result->fields = std::move(fields_);
  result->addresses = std::move(addresses_);
  result->instructions = instructions_;
  return true;
}

}  // namespace dynacc::loops
