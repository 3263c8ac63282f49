#include "codegen/loops/loop_ranges.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/loops/loop_op_text.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

// What the elements of narrow types lie between.
std::string OfElement(Code code) {
  switch (code) {
    case Code::kLoadBool:
      return "Interval{0, 1}";
    case Code::kLoadInt8:
      return "Interval{-128, 127}";
    case Code::kLoadUInt8:
      return "Interval{0, 255}";
    case Code::kLoadInt16:
      return "Interval{-32768, 32767}";
    case Code::kLoadUInt16:
      return "Interval{0, 65535}";
    case Code::kLoadInt32:
      return "Interval{-2147483648L, 2147483647L}";
    case Code::kLoadUInt32:
      return "Interval{0, 4294967295L}";
    default:
      return "";
  }
}

bool IsTruth(Code code) {
  return code == Code::kNotInt || code == Code::kTruthInt ||
         (code >= Code::kLessInt && code <= Code::kNotEqualFloat);
}

bool IsArithmetic(Code code) {
  return code == Code::kAddInt || code == Code::kSubInt || code == Code::kMulInt ||
         code == Code::kNegInt;
}

}  // namespace

LoopRanges::LoopRanges(const LoopProgram& program, const LoopFlow& flow, const ProgramLoop& loop,
                       int entry, int first_constant, Names names)
    : program_(program),
      flow_(flow),
      loop_(loop),
      entry_(entry),
      first_constant_(first_constant),
      names_(std::move(names)) {
  for (const int op : loop.ops) {
    for (const LoopOperand& one : flow.registers(op).set) {
      if (!one.is_float) setters_[one.reg].push_back(op);
    }
  }
  FindTests();
}

LoopRanges::Known LoopRanges::Define(Known value) {
  const std::string name = absl::StrCat("v", found_.statements.size());
  found_.statements.push_back(absl::StrCat("const Interval ", name, " = ", value.interval, ";\n"));
  value.interval = name;
  return value;
}

LoopRanges::Known LoopRanges::Joined(const Known& one, const Known& other) {
  return {absl::StrCat("Union(", one.interval, ", ", other.interval, ")"),
          one.has_lo && other.has_lo, one.has_hi && other.has_hi, one.is_tested || other.is_tested};
}

// The op of the block that sets the register last before `op`; -1: none.
int LoopRanges::SetterInBlock(int op, uint16_t reg) const {
  for (int i = op - 1; i >= flow_.FirstOfBlock(op); --i) {
    if (SetsInt(flow_.registers(i), reg)) return i;
  }
  return -1;
}

// The ops before `op`, the last one first: of its block, and of blocks of the loop before that as
// long as control comes from one alone.
std::vector<int> LoopRanges::WayTo(int op) const {
  constexpr int kMostBlocks = 4;
  std::vector<int> way;
  for (int i = 0; i < kMostBlocks; ++i) {
    const int first = flow_.FirstOfBlock(op);
    for (int before = op - 1; before >= first; --before) way.push_back(before);
    op = flow_.OnlyBefore(op);
    if (op < 0 || !loop_.Contains(op)) break;
    way.push_back(op);
  }
  return way;
}

std::optional<int64_t> LoopRanges::Constant(int op, uint16_t reg) const {
  for (const auto& [constant, value] : program_.constants) {
    if (constant == reg) return value.i;
  }
  const int setter = SetterInBlock(op, reg);
  if (setter < 0 || program_.ops[setter].code != Code::kMoveInt) return std::nullopt;
  return Constant(setter, program_.ops[setter].a);
}

// What the register holds when `op` reads it.
LoopRanges::Known LoopRanges::At(int op, uint16_t reg) {
  const int setter = SetterInBlock(op, reg);
  return setter >= 0 ? Set(setter, reg) : Bounded(op, reg, OfRegister(reg));
}

// What it finds, where nothing is left behind if an end of that is not known.
LoopRanges::Known LoopRanges::Try(const std::function<Known()>& find) {
  const Found before = found_;
  Known result = find();
  if (result.is_closed()) return result;
  found_ = before;
  return {};
}

int LoopRanges::MoveOf(int setter, uint16_t reg) const {
  uint16_t from = reg;
  for (int at = setter; at >= 0; at = SetterInBlock(at, from)) {
    const LoopOp& op = program_.ops[at];
    if (op.code == Code::kMoveInt) {
      from = op.a;
      continue;
    }
    const bool is_first = op.a == reg && SetterInBlock(at, reg) < 0;
    const bool is_second = op.b == reg && op.code == Code::kAddInt && SetterInBlock(at, reg) < 0;
    const bool moves = op.code == Code::kAddInt || op.code == Code::kSubInt;
    return moves && (is_first || is_second) ? at : -1;
  }
  return -1;
}

// 1: upwards, -1: downwards, or it stays; 0: nobody knows.
int LoopRanges::DirectionOf(int move, uint16_t reg) {
  const LoopOp& op = program_.ops[move];
  const int sign = op.code == Code::kAddInt ? 1 : -1;
  const uint16_t by = op.a == reg ? op.b : op.a;
  if (const std::optional<int64_t> constant = Constant(move, by))
    return *constant < 0 ? -sign : sign;
  const Known step = At(move, by);
  if (!step.has_lo) return 0;
  found_.statements.push_back(absl::StrCat("holds = holds && ", step.interval, ".lo >= 0;\n"));
  return sign;
}

// What the register holds between blocks. Where it is moved on in one direction, it has the end
// from which it begins.
LoopRanges::Known LoopRanges::OfRegister(uint16_t reg) {
  if (reg >= first_constant_ || !IsSetInLoop(reg)) return Entry(reg);
  const std::pair<int, int> key = {-1, reg};
  if (const auto found = found_.known.find(key); found != found_.known.end()) return found->second;
  if (!begun_.insert(key).second) return {};
  const Found before = found_;
  Known all = flow_.IsLive(entry_, reg) ? Entry(reg) : Closed("kNoInt");
  int direction = 0;
  for (const int setter : setters_[reg]) {
    const int move = MoveOf(setter, reg);
    if (move < 0) {
      const Known one = Set(setter, reg);
      all = one.is_none() ? Known() : Joined(all, one);
    } else {
      const int way = DirectionOf(move, reg);
      if (way == 0 || way == -direction) all = {};
      direction = way;
      all.has_hi = all.has_hi && way < 0;
      all.has_lo = all.has_lo && way > 0;
    }
    if (all.is_none()) break;
  }
  begun_.erase(key);
  if (!all.is_none()) return found_.known[key] = Define(all);
  found_ = before;
  return {};
}

// What a test says of an int where control comes by it.
std::optional<LoopRanges::Known> LoopRanges::OfTest(const Test& test) {
  const std::pair<int, int> key = {-2 - test.jump, test.other};
  if (!begun_.insert(key).second) return std::nullopt;
  Known bound = At(test.compare, test.other);
  begun_.erase(key);
  if (!(test.is_at_least ? bound.has_lo : bound.has_hi)) return std::nullopt;
  bound.interval =
      absl::StrCat("Plus(", bound.interval, ", Only(", test.distance - test.offset, "), holds)");
  bound.is_tested = true;
  return bound;
}

// What leads nowhere is forgotten and asked again on other ways, which could go on for minutes.
// Loops as people write them ask for up to a hundred.
constexpr int kMostEnds = 1000;

// Of what the register holds at the start of `op`'s block: as far as tests, the ops that set it and
// what it held when the loop was entered agree about it on all ways.
LoopRanges::End LoopRanges::EndAt(int op, uint16_t reg, bool is_lo) {
  const auto key = std::tuple(flow_.FirstOfBlock(op), reg, is_lo);
  if (const auto found = found_.ends.find(key); found != found_.ends.end()) return found->second;
  if (++ends_asked_ > kMostEnds) return {};
  found_.ends[key] = {};  // where it leads back here, and if it leads nowhere
  const Found before = found_;
  std::optional<Known> all = Closed("kNoInt");
  const auto add = [&](const std::optional<Known>& one) {
    const bool is_known = one && (is_lo ? one->has_lo : one->has_hi);
    all = all && is_known ? std::optional(Joined(*all, *one)) : std::nullopt;
    return true;
  };
  flow_.GoBack(loop_, entry_, op, [&](int last, int first) {
    if (!all) return true;
    if (last < 0) return add(Entry(reg));
    for (const Test& test : tests_) {
      const int to = test.jumps ? program_.ops[last].k : last + 1;
      if (test.jump != last || to != first || test.reg != reg || test.is_at_least != is_lo)
        continue;
      return add(OfTest(test));
    }
    // A range that has ended leaves what was there.
    const bool has_ended =
        program_.ops[last].code == Code::kRangeNext && first == program_.ops[last].k;
    const bool sets = SetsInt(flow_.registers(last), reg);
    if (sets && has_ended && first == last + 1) add(Set(last, reg));  // it goes on there, too
    const int setter = sets && !has_ended ? last : SetterInBlock(last, reg);
    return setter >= 0 && add(Set(setter, reg));
  });
  if (!all) {
    found_ = before;
    return {};
  }
  return found_.ends[key] = {Define(*all).interval + (is_lo ? ".lo" : ".hi"), all->is_tested};
}

LoopRanges::Known LoopRanges::Bounded(int op, uint16_t reg, Known known) {
  if (reg >= first_constant_ || !IsSetInLoop(reg)) return known;
  const auto is_of_reg = [reg](const Test& test) { return test.reg == reg; };
  if (known.is_closed() && absl::c_none_of(tests_, is_of_reg)) return known;
  for (const bool is_lo : {true, false}) {
    const End end = EndAt(op, reg, is_lo);
    if (end.value.empty()) continue;
    known.interval = known.is_none()
                         ? absl::StrCat("Only(", end.value, ")")
                         : absl::StrCat(is_lo ? "AtLeast(" : "AtMost(", known.interval, ", ",
                                        known.has_lo, ", ", known.has_hi, ", ", end.value, ")");
    (is_lo ? known.has_lo : known.has_hi) = true;
    known.is_tested = known.is_tested || end.is_tested;
    known = Define(known);
  }
  return known;
}

// Of a comparison that is true on one way of the jump, or is not.
void LoopRanges::AddTests(int jump, int compare, bool truth) {
  const LoopOp& at = program_.ops[compare];
  const auto add = [&](bool is_at_least, uint16_t reg, uint16_t other, int64_t distance) {
    AddTest({.jump = jump,
             .jumps = truth == (program_.ops[jump].code == Code::kJumpIf),
             .is_at_least = is_at_least,
             .compare = compare,
             .other = other,
             .distance = distance},
            reg);
  };
  const bool is_less = at.code == Code::kLessInt;
  if (is_less || at.code == Code::kLessEqualInt) {
    // What is not less is the other way round: not a < b is b <= a.
    const uint16_t lesser = truth ? at.a : at.b;
    const uint16_t greater = truth ? at.b : at.a;
    const int64_t gap = is_less == truth ? 1 : 0;
    add(false, lesser, greater, -gap);
    add(true, greater, lesser, gap);
  } else if (truth == (at.code == Code::kEqualInt)) {
    for (const bool is_at_least : {false, true}) {
      add(is_at_least, at.a, at.b, 0);
      add(is_at_least, at.b, at.a, 0);
    }
  }
}

// Of the compared int, and of what it is computed of by constants on the way to the test: what is
// compared twice in a row, as in `0 <= y < n`, is a copy on the stack for the second test.
void LoopRanges::AddTest(Test test, uint16_t reg) {
  constexpr int64_t kMostOffset = int64_t{1} << 40;
  const std::vector<int> way = WayTo(test.jump);
  const auto setter_from = [&](size_t from, uint16_t of) {
    while (from < way.size() && !SetsInt(flow_.registers(way[from]), of)) ++from;
    return from;
  };
  size_t at = absl::c_find(way, test.compare) - way.begin();
  while (reg < first_constant_) {
    const size_t setter = setter_from(at + 1, reg);
    if (IsSetInLoop(reg) && setter_from(0, reg) == setter) {
      test.reg = reg;
      tests_.push_back(test);
    }
    if (setter >= way.size()) return;
    at = setter;
    const LoopOp& op = program_.ops[way[at]];
    reg = op.a;
    if (op.code == Code::kMoveInt) continue;
    const std::optional<int64_t> right = Constant(way[at], op.b);
    if (op.code != Code::kAddInt && op.code != Code::kSubInt) return;
    if (!right || *right > kMostOffset || *right < -kMostOffset) return;
    test.offset += op.code == Code::kAddInt ? *right : -*right;
  }
}

void LoopRanges::FindTests() {
  for (const int jump : loop_.ops) {
    const Code code = program_.ops[jump].code;
    if (code != Code::kJumpIf && code != Code::kJumpIfNot) continue;
    bool truth = true;
    int compare = SetterInBlock(jump, program_.ops[jump].a);
    while (compare >= 0) {
      const LoopOp& op = program_.ops[compare];
      if (op.code != Code::kNotInt && op.code != Code::kTruthInt && op.code != Code::kMoveInt)
        break;
      truth = truth != (op.code == Code::kNotInt);
      compare = SetterInBlock(compare, op.a);
    }
    if (compare < 0) continue;
    const Code asked = program_.ops[compare].code;
    if (asked < Code::kLessInt || asked > Code::kNotEqualInt) continue;
    AddTests(jump, compare, truth);
    AddTests(jump, compare, !truth);
  }
}

LoopRanges::Known LoopRanges::Set(int op, uint16_t reg) {
  const std::pair<int, int> key = {op, reg};
  if (const auto found = found_.known.find(key); found != found_.known.end()) return found->second;
  const LoopOp& at = program_.ops[op];
  if (at.d != reg || !begun_.insert(key).second) return {};
  const Known value = at.code == Code::kRangeNext ? OfRange(at.a) : SetBy(op);
  begun_.erase(key);
  if (value.is_none()) return {};
  return found_.known[key] = Define(value);
}

LoopRanges::Known LoopRanges::SetBy(int op) {
  const LoopOp& at = program_.ops[op];
  if (IsTruth(at.code)) return Closed("Interval{0, 1}");
  if (IsArithmetic(at.code)) return SetByArithmetic(op);
  const std::optional<int64_t> right = Constant(op, at.b);
  switch (at.code) {
    case Code::kMoveInt:
    case Code::kFitsBits:
    case Code::kFitsUnsigned:
      return At(op, at.a);
    case Code::kDim:
      return Closed(absl::StrCat("Only(", names_.of_extent(at.k), ")"));
    case Code::kAndInt:
      if (!right || *right < 0) return {};
      return Closed(absl::StrCat("Interval{0, ", *right, "}"));
    case Code::kModInt:
      if (!right) return OfRemainder(at.b);
      return *right <= 0 ? Known() : Closed(absl::StrCat("Interval{0, ", *right - 1, "}"));
    case Code::kFloorDivInt: {
      Known left = right && *right > 0 ? At(op, at.a) : Known();
      if (!left.is_none())
        left.interval = absl::StrCat("Quotient(", left.interval, ", ", *right, ")");
      return left;
    }
    default: {
      const std::string element = OfElement(at.code);
      return element.empty() ? Known() : Closed(element);
    }
  }
}

// By a divisor that is the same in all rounds, and more than 0.
LoopRanges::Known LoopRanges::OfRemainder(uint16_t divisor) {
  if (IsSetInLoop(divisor)) return {};
  const std::string name = names_.of_int(divisor);
  found_.statements.push_back(absl::StrCat("holds = holds && ", name, " > 0;\n"));
  return Closed(absl::StrCat("Interval{0, ", name, " - 1}"));
}

LoopRanges::Known LoopRanges::SetByArithmetic(int op) {
  const LoopOp& at = program_.ops[op];
  const Known left = At(op, at.a);
  if (left.is_none()) return {};
  if (at.code == Code::kNegInt) {
    return {absl::StrCat("Negative(", left.interval, ", holds)"), left.has_hi, left.has_lo,
            left.is_tested};
  }
  const Known right = At(op, at.b);
  Known result = {.interval = "", .is_tested = left.is_tested || right.is_tested};
  const char* function = "Times";
  if (at.code == Code::kAddInt) {
    function = "Plus";
    result.has_lo = left.has_lo && right.has_lo;
    result.has_hi = left.has_hi && right.has_hi;
  } else if (at.code == Code::kSubInt) {
    function = "Minus";
    result.has_lo = left.has_lo && right.has_hi;
    result.has_hi = left.has_hi && right.has_lo;
  } else {
    result.has_lo = result.has_hi = left.is_closed() && right.is_closed();
  }
  if (result.is_none()) return {};
  result.interval = absl::StrCat(function, "(", left.interval, ", ", right.interval, ", holds)");
  return result;
}

// The step with which all ranges in these registers are started; 1 where none is.
std::optional<int64_t> LoopRanges::StepOf(uint16_t range) const {
  std::optional<int64_t> step;
  for (size_t i = 0; i < program_.ops.size(); ++i) {
    const LoopOp& at = program_.ops[i];
    if (at.code != Code::kRangeStart || at.a != range) continue;
    const std::optional<int64_t> one =
        Constant(static_cast<int>(i), static_cast<uint16_t>(range + 2));
    if (!one || *one == 0 || *one == INT64_MIN || (step && *step != *one)) return std::nullopt;
    step = one;
  }
  return step.value_or(1);
}

// Whether an op that sets one of a range's registers only starts the range, or moves it on.
bool LoopRanges::SetsRangeAlone(int op, uint16_t range) const {
  const LoopOp& at = program_.ops[op];
  if (at.code == Code::kRangeStart || at.code == Code::kRangeNext) return at.a == range;
  if (at.code != Code::kMoveInt) return false;
  for (int i = op + 1; i <= flow_.LastOfBlock(op); ++i) {
    if (program_.ops[i].code == Code::kRangeStart && program_.ops[i].a == range) return true;
  }
  return false;
}

LoopRanges::Known LoopRanges::Started(int op) {
  const uint16_t range = program_.ops[op].a;
  const Known start = At(op, range);
  const Known stop = At(op, static_cast<uint16_t>(range + 1));
  if (!start.is_closed() || !stop.is_closed()) return {};
  return Closed(absl::StrCat("OfRange(", start.interval, ", ", stop.interval, ", ", *StepOf(range),
                             "L, holds)"));
}

LoopRanges::Known LoopRanges::OfRange(uint16_t range) {
  const std::optional<int64_t> step = StepOf(range);
  if (!step) return {};
  std::set<int> starts;
  for (int i = 0; i < 3; ++i) {
    const auto setters = setters_.find(static_cast<uint16_t>(range + i));
    if (setters == setters_.end()) continue;
    for (const int op : setters->second) {
      if (!SetsRangeAlone(op, range)) return {};
      if (program_.ops[op].code == Code::kRangeStart) starts.insert(op);
    }
  }
  Known all = Closed("kNoInt");
  if (flow_.IsLive(entry_, static_cast<uint16_t>(range + 2))) {
    all = Closed(absl::StrCat("OfRest(", names_.of_int(range), ", ", names_.of_int(range + 1), ", ",
                              names_.of_int(range + 2), ", ", *step, "L, holds)"));
  }
  for (const int op : starts) {
    const Known one = Started(op);
    if (one.is_none()) return {};
    all = Joined(all, one);
  }
  found_.steps[range] = *step;
  return all;
}

void LoopRanges::AddOrigins(int op, uint16_t reg, std::set<int>* seen, Origins* origins) const {
  if (reg >= first_constant_) return;
  const auto setters = setters_.find(reg);
  if (setters == setters_.end()) {
    origins->insert({Origin::kInt, reg});
    return;
  }
  const int last = SetterInBlock(op, reg);
  for (const int setter : last >= 0 ? std::vector<int>{last} : setters->second) {
    if (!seen->insert(setter).second) continue;
    const LoopOp& at = program_.ops[setter];
    const OpText* text = TextOf(at.code);
    if (at.code == Code::kRangeNext || at.code == Code::kRangeStart) {
      origins->insert({Origin::kRange, at.a});
    } else if (text != nullptr && text->element != nullptr) {
      origins->insert({Origin::kElement, at.k});
    } else {
      for (const LoopOperand& one : flow_.registers(setter).read) {
        if (!one.is_float) AddOrigins(setter, one.reg, seen, origins);
      }
    }
  }
}

LoopRanges::Origins LoopRanges::OriginsAt(int op, uint16_t reg) const {
  std::set<int> seen;
  Origins origins;
  AddOrigins(op, reg, &seen, &origins);
  return origins;
}

// Whether a test that decides about the index is one of what it is computed of: it may be what
// keeps it in range.
bool LoopRanges::IsTested(int op) const {
  const Origins origins = OriginsAt(op, program_.ops[op].b);
  for (const int test : flow_.TestsOf(loop_, op)) {
    for (const auto& origin : OriginsAt(test, program_.ops[test].a)) {
      if (origins.contains(origin)) return true;
    }
  }
  return false;
}

// Of one that is tested nothing is asked, unless what that says is known. It is in range if another
// has to be that is the same.
void LoopRanges::GuardIndex(int op, bool is_asked, LoopGuard* guard) {
  const LoopOp& at = program_.ops[op];
  const std::string extent = names_.of_extent(at.k);
  const bool is_one = at.b >= first_constant_ || !IsSetInLoop(at.b);
  const Known index = is_one ? Closed(names_.of_int(at.b)) : Try([&] { return At(op, at.b); });
  if (index.is_none()) return;
  const std::string condition =
      absl::StrCat(is_one ? "IsIndex(" : "IsWithin(", index.interval, ", ", extent, ")");
  if ((is_asked || index.is_tested) && asked_.insert(condition).second) {
    found_.statements.push_back(absl::StrCat("holds = holds && ", condition, ";\n"));
  }
  if (!asked_.contains(condition)) return;
  guard->unchecked[op] = is_one ? Unchecked::kOneIndex : Unchecked::kPlain;
}

LoopGuard LoopRanges::Guard(const std::map<int, Unchecked>& known,
                            const std::map<int, Unchecked>& wanted) {
  LoopGuard guard;
  for (const bool is_tested : {false, true}) {
    for (const int op : loop_.ops) {
      const Code code = program_.ops[op].code;
      if (known.contains(op)) continue;
      if (code == Code::kIndex && IsTested(op) == is_tested) {
        GuardIndex(op, !is_tested || wanted.contains(op), &guard);
      } else if (IsArithmetic(code) && !is_tested) {
        const Known value = Try([&] { return Set(op, program_.ops[op].d); });
        if (!value.is_none()) guard.unchecked[op] = Unchecked::kPlain;
      }
    }
  }
  for (const auto& [op, how] : wanted) {
    if (!known.contains(op) && !guard.unchecked.contains(op))
      found_.statements.push_back("holds = false;\n");
  }
  guard.statements = absl::StrJoin(found_.statements, "");
  guard.steps = found_.steps;
  return guard;
}

}  // namespace dynacc::loops
