// The part of LoopBuilder that gives names to rows, columns and parts of them.
//
// A 1-D slice (runtime/loops/loop_slices.h) is an object: two variables that name one see what is
// done to it, and are one object where the program ends. So names of one 1-D slice share its
// registers, and a LoopState says which those are. A 1-D slice that operations have given lies in
// registers of the block of code at hand, and in memory that the next round of the same operation
// takes. Before it is given a name, or goes on to another block, it moves to the registers that the
// name has for rows, its home, and the operation's memory is exchanged for the home's. What else is
// at home there, and still has another name, moves to that name's home before.
#include "frontend/loops/loop_builder.h"

namespace dynacc::loops {

LoopBuilder::RowHome LoopBuilder::HomeOfRow(uint16_t name) {
  const auto [found, is_new] = row_homes_.try_emplace(name);
  if (is_new) found->second = {Reserve(kSlice1dRegisters), num_blocks_++};
  return found->second;
}

bool LoopBuilder::IsHomeOf(const LoopCode& code, uint16_t reg) const {
  return std::any_of(row_homes_.begin(), row_homes_.end(), [&](const auto& named) {
    return named.second.reg == reg && named.first >= code.base && named.first < code.end();
  });
}

// Whether it is the row in these registers, or part of it, or has it in it.
bool LoopBuilder::Uses(const LoopValue& value, uint16_t reg) {
  if (value.is(Kind::kSlice1d) && (value.reg == reg || value.owner == reg)) return true;
  return std::any_of(value.items.begin(), value.items.end(),
                     [&](const LoopValue& item) { return Uses(item, reg); });
}

void LoopBuilder::Rename(LoopValue& value, uint16_t from, RowHome to) {
  if (value.is(Kind::kSlice1d) && (value.reg == from || value.owner == from)) {
    if (value.owner == from) value.owner = to.reg;
    if (value.reg == from) value.reg = to.reg;
    if (value.owner < 0 || value.owner == to.reg) value.block = to.block;
  }
  for (LoopValue& item : value.items) Rename(item, from, to);
}

// By whatever name it goes.
void LoopBuilder::MoveRow(const LoopValue& row, RowHome to) {
  const uint16_t from = row.reg;
  const bool has_memory = row.slot < 0 && row.owner < 0;
  const uint16_t block = row.block;
  for (int i = 0; i < kSlice1dRegisters; ++i) {
    MoveInt(static_cast<uint16_t>(to.reg + i), static_cast<uint16_t>(from + i));
  }
  if (has_memory) {
    const Slice1dCall swap = {.kind = Slice1dCall::Kind::kSwap, .block = block, .other = to.block};
    program_.callees.push_back({.name = "slice1d", .slice1d = swap});
    Append(LoopOpCode::kSlice1d).k = static_cast<int>(program_.callees.size()) - 1;
  }
  for (LoopValue& value : state_.variables) Rename(value, from, to);
  for (LoopValue& value : state_.stack) Rename(value, from, to);
}

// Takes what is at home in these registers, and is used, to another home. False if only part of it
// is, or if it is in a tuple.
bool LoopBuilder::Vacate(uint16_t reg) {
  const auto is_it = [&](const LoopValue& value) {
    return value.is(Kind::kSlice1d) && value.reg == reg;
  };
  const auto& variables = state_.variables;
  const auto& stack = state_.stack;
  const auto variable = std::find_if(variables.begin(), variables.end(), is_it);
  const auto entry = std::find_if(stack.begin(), stack.end(), is_it);
  if (variable == variables.end() && entry == stack.end()) {
    return std::none_of(stack.begin(), stack.end(),
                        [&](const LoopValue& value) { return Uses(value, reg); });
  }
  const bool is_named = variable != variables.end();
  const RowHome home =
      HomeOfRow(is_named ? OfVariable(static_cast<int>(variable - variables.begin()))
                         : OfStack(static_cast<int>(entry - stack.begin())));
  if (home.reg == reg || !Vacate(home.reg)) return false;
  MoveRow(is_named ? LoopValue(*variable) : LoopValue(*entry), home);
  return true;
}

bool LoopBuilder::NameRow(int variable, const LoopValue& row) {
  if (row.owner >= 0) return RefuseArrays("a variable gets part of a row that was computed");
  state_.variables[variable] = row;
  if (state_.call == nullptr) stored_[variable] = true;
  if (!IsTemporary(row.reg)) return true;
  const RowHome home = HomeOfRow(OfVariable(variable));
  if (!Vacate(home.reg)) return RefuseArrays("a row is replaced while part of it is used");
  MoveRow(row, home);
  return true;
}

// Of the stack: a row that goes on to another block of code.
bool LoopBuilder::SettleRow(int position) {
  const LoopValue row = state_.stack[position];
  if (row.owner >= 0 && IsTemporary(static_cast<uint16_t>(row.owner))) return false;
  if (!IsTemporary(row.reg)) return true;
  const RowHome home = HomeOfRow(OfStack(position));
  if (!Vacate(home.reg)) return false;
  MoveRow(row, home);
  return true;
}

// What a called function has left on the stack: its homes are for its next call.
bool LoopBuilder::ReturnRow() {
  const LoopValue row = state_.stack.back();
  if (!row.is(Kind::kSlice1d)) return true;
  if (row.owner >= 0) return false;
  for (const std::unique_ptr<LoopCode>& callee : callees_) {
    if (callee.get() == code_ || !IsHomeOf(*callee, row.reg)) continue;
    const RowHome home = HomeOfRow(OfStack(static_cast<int>(state_.stack.size()) - 1));
    if (home.reg == row.reg || !Vacate(home.reg)) return home.reg == row.reg;
    MoveRow(row, home);
    return true;
  }
  return true;
}

// A row changes. If a called function has made it, a new call makes it anew.
void LoopBuilder::NoteChange(const LoopValue& row) {
  if (row.slot >= 0) arrays_[row.slot].written = true;
  if (IsKept(row)) NoteEffect();
}

bool LoopBuilder::IsKept(const LoopValue& row) const {
  const auto reg = static_cast<uint16_t>(row.owner >= 0 ? row.owner : row.reg);
  return row.slot >= 0 || IsHomeOf(loop_code_, reg);
}

}  // namespace dynacc::loops
