#include "codegen/loops/loop_ranges.h"

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
}

std::string LoopRanges::Define(const std::string& value) {
  const std::string name = absl::StrCat("v", statements_.size());
  statements_.push_back(absl::StrCat("const Interval ", name, " = ", value, ";\n"));
  return name;
}

// The op of the block that sets the register last before `op`; -1: none.
int LoopRanges::SetterInBlock(int op, uint16_t reg) const {
  for (int i = op - 1; i >= flow_.FirstOfBlock(op); --i) {
    if (SetsInt(flow_.registers(i), reg)) return i;
  }
  return -1;
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
std::string LoopRanges::At(int op, uint16_t reg) {
  const int setter = SetterInBlock(op, reg);
  return setter >= 0 ? Set(setter, reg) : OfRegister(reg);
}

// What it finds, where nothing is left behind if that is nothing.
std::string LoopRanges::Try(const std::function<std::string()>& find) {
  const size_t before = statements_.size();
  const auto known = known_;
  const auto steps = steps_;
  std::string result = find();
  if (!result.empty()) return result;
  statements_.resize(before);
  known_ = known;
  steps_ = steps;
  return "";
}

// What the register holds between blocks.
std::string LoopRanges::OfRegister(uint16_t reg) {
  if (reg >= first_constant_ || !IsSetInLoop(reg)) return Entry(reg);
  const std::pair<int, int> key = {-1, reg};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (!begun_.insert(key).second) return "";
  const bool is_live = flow_.IsLive(entry_, reg);
  std::string all = is_live ? Entry(reg) : "kNoInt";
  for (const int setter : setters_[reg]) {
    const std::string one = all.empty() ? "" : Set(setter, reg);
    all = one.empty() ? "" : absl::StrCat("Union(", all, ", ", one, ")");
  }
  begun_.erase(key);
  if (all.empty()) return "";
  const std::vector<int>& setters = setters_[reg];
  return known_[key] = is_live || setters.size() > 1 ? Define(all) : Set(setters[0], reg);
}

std::string LoopRanges::Set(int op, uint16_t reg) {
  const std::pair<int, int> key = {op, reg};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const LoopOp& at = program_.ops[op];
  if (at.d != reg || !begun_.insert(key).second) return "";
  const std::string value = at.code == Code::kRangeNext ? OfRange(at.a) : SetBy(op);
  begun_.erase(key);
  if (value.empty()) return "";
  return known_[key] = Define(value);
}

std::string LoopRanges::SetBy(int op) {
  const LoopOp& at = program_.ops[op];
  if (IsTruth(at.code)) return "Interval{0, 1}";
  if (IsArithmetic(at.code)) return SetByArithmetic(op);
  const std::optional<int64_t> right = Constant(op, at.b);
  switch (at.code) {
    case Code::kMoveInt:
    case Code::kFitsBits:
    case Code::kFitsUnsigned:
      return At(op, at.a);
    case Code::kDim:
      return absl::StrCat("Only(", names_.of_extent(at.k), ")");
    case Code::kAndInt:
      if (!right || *right < 0) return "";
      return absl::StrCat("Interval{0, ", *right, "}");
    case Code::kModInt:
      if (right) return *right <= 0 ? "" : absl::StrCat("Interval{0, ", *right - 1, "}");
      return OfRemainder(at.b);
    case Code::kFloorDivInt: {
      const std::string left = right && *right > 0 ? At(op, at.a) : "";
      return left.empty() ? "" : absl::StrCat("Quotient(", left, ", ", *right, ")");
    }
    default:
      return OfElement(at.code);
  }
}

// By a divisor that is the same in all rounds, and more than 0.
std::string LoopRanges::OfRemainder(uint16_t divisor) {
  if (IsSetInLoop(divisor)) return "";
  const std::string name = names_.of_int(divisor);
  statements_.push_back(absl::StrCat("holds = holds && ", name, " > 0;\n"));
  return absl::StrCat("Interval{0, ", name, " - 1}");
}

std::string LoopRanges::SetByArithmetic(int op) {
  const LoopOp& at = program_.ops[op];
  const std::string left = At(op, at.a);
  if (left.empty()) return "";
  if (at.code == Code::kNegInt) return absl::StrCat("Negative(", left, ", holds)");
  const std::string right = At(op, at.b);
  if (right.empty()) return "";
  const char* function = at.code == Code::kAddInt   ? "Plus"
                         : at.code == Code::kSubInt ? "Minus"
                                                    : "Times";
  return absl::StrCat(function, "(", left, ", ", right, ", holds)");
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

std::string LoopRanges::Started(int op) {
  const uint16_t range = program_.ops[op].a;
  const std::string start = At(op, range);
  const std::string stop = start.empty() ? "" : At(op, static_cast<uint16_t>(range + 1));
  if (stop.empty()) return "";
  return absl::StrCat("OfRange(", start, ", ", stop, ", ", *StepOf(range), "L, holds)");
}

std::string LoopRanges::OfRange(uint16_t range) {
  const std::optional<int64_t> step = StepOf(range);
  if (!step) return "";
  std::set<int> starts;
  for (int i = 0; i < 3; ++i) {
    const auto setters = setters_.find(static_cast<uint16_t>(range + i));
    if (setters == setters_.end()) continue;
    for (const int op : setters->second) {
      if (!SetsRangeAlone(op, range)) return "";
      if (program_.ops[op].code == Code::kRangeStart) starts.insert(op);
    }
  }
  std::string all = "kNoInt";
  if (flow_.IsLive(entry_, static_cast<uint16_t>(range + 2))) {
    all = absl::StrCat("OfRest(", names_.of_int(range), ", ", names_.of_int(range + 1), ", ",
                       names_.of_int(range + 2), ", ", *step, "L, holds)");
  }
  for (const int op : starts) {
    const std::string one = Started(op);
    if (one.empty()) return "";
    all = absl::StrCat("Union(", all, ", ", one, ")");
  }
  steps_[range] = *step;
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

// Of one that is tested nothing is asked. It is in range if another has to be that is the same.
void LoopRanges::GuardIndex(int op, bool is_asked, LoopGuard* guard) {
  const LoopOp& at = program_.ops[op];
  const std::string extent = names_.of_extent(at.k);
  const bool is_one = at.b >= first_constant_ || !IsSetInLoop(at.b);
  const std::string index = is_one ? names_.of_int(at.b) : Try([&] { return At(op, at.b); });
  if (index.empty()) return;
  const std::string condition =
      absl::StrCat(is_one ? "IsIndex(" : "IsWithin(", index, ", ", extent, ")");
  if (is_asked && asked_.insert(condition).second) {
    statements_.push_back(absl::StrCat("holds = holds && ", condition, ";\n"));
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
        const std::string value = Try([&] { return Set(op, program_.ops[op].d); });
        if (!value.empty()) guard.unchecked[op] = Unchecked::kPlain;
      }
    }
  }
  for (const auto& [op, how] : wanted) {
    if (!known.contains(op) && !guard.unchecked.contains(op))
      statements_.push_back("holds = false;\n");
  }
  guard.statements = absl::StrJoin(statements_, "");
  guard.steps = steps_;
  return guard;
}

}  // namespace dynacc::loops
