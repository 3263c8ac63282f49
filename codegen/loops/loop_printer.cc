#include "codegen/loops/loop_printer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/loops/loop_source.h"

namespace dynacc::loops {
namespace {

// Larger programs take Clang long: what copies may add to them. Two statements of a guard count as
// an op.
constexpr size_t kMostOpsPrinted = 2500;

// Rounds that are thrown away at most, and for which nobody asks for the thread.
constexpr int kStretch = 256;
static_assert(kMostAddend <= (INT64_MAX - kMostSum) / kStretch / static_cast<int64_t>(kMostIntSums),
              "what a vector stretch adds leaves its sums int64_t");

// How many checks take as long as a statement of a guard.
constexpr int64_t kChecksOfStatement = 4;

// What is kept for rounds of fewer ops together costs more than vectors of them save. Of rounds of
// few ops it takes 16, and never less than those of a vector.
constexpr int kOpsOfVectorStretch = 256;
constexpr int kFewestVectorRounds = 4;
constexpr int kMostVectorRounds = 16;

int FirstConstant(const LoopProgram& program) {
  int first = program.num_registers;
  for (const auto& [reg, value] : program.constants) first = std::min<int>(first, reg);
  return first;
}

}  // namespace

LoopPrinter::LoopPrinter(const LoopProgram& program)
    : program_(program), flow_(program), first_constant_(FirstConstant(program)) {}

std::string LoopPrinter::Print() {
  Copy program;
  PrintCopy(program);
  for (const int exit : exits_used_) PrintExit(exit);
  return absl::StrCat(
      "{\nRoundCount rounds(poll, most_rounds);\n[[maybe_unused]] int64_t stretch;\n"
      "[[maybe_unused]] int64_t left;\n"
      "[[maybe_unused]] bool bad;\n[[maybe_unused]] int64_t overflows;\n[[maybe_unused]] bool "
      "is_due = false;\n",
      Declarations(), body_, "}\n");
}

bool LoopPrinter::IsWorthACopy(const ProgramLoop& loop, size_t guard_statements) const {
  return ops_printed_ + loop.ops.size() + guard_statements / 2 <= kMostOpsPrinted;
}

// Of the program: the outermost loops, and the innermost ones, which are worth a guard even where
// one around them cannot be sure of all it has in it, and even where they are not in each of its
// rounds: a sum that begins with a Python float has a loop of its own for its first round. Of a
// copy: what it could not be sure of.
std::vector<const ProgramLoop*> LoopPrinter::LoopsToGuard(const Copy& copy) const {
  std::vector<const ProgramLoop*> result;
  const std::vector<ProgramLoop>& loops = flow_.loops();
  for (const ProgramLoop& loop : loops) {
    if (&loop == copy.loop || !copy.Contains(loop.header)) continue;
    const ProgramLoop* outermost = &loop;
    while (outermost->parent >= 0) outermost = &loops[outermost->parent];
    if (!outermost->is_last) continue;
    if (&loop == outermost || loop.is_innermost) result.push_back(&loop);
  }
  return result;
}

void LoopPrinter::PrintCopy(Copy& copy) {
  ops_printed_ += copy.loop == nullptr ? program_.ops.size() : copy.loop->ops.size();
  std::vector<Copy> inner;
  for (const ProgramLoop* loop : LoopsToGuard(copy)) {
    if (!IsWorthACopy(*loop, 0)) continue;
    const LoopGuard guard = GuardOf(copy, *loop, loop->header, {});
    const size_t statements = absl::c_count(guard.statements, '\n') * loop->entries.size();
    if (!IsWorthACopy(*loop, statements)) continue;
    std::optional<Stretch> stretch = StretchOf(program_, flow_, *loop);
    if (guard.unchecked.empty() && !stretch) continue;
    ops_printed_ += statements / 2;
    copy.guarded.push_back(loop);
    Copy& one = inner.emplace_back();
    one.loop = loop;
    one.parent = &copy;
    one.prefix = absl::StrCat(copy.prefix, "C", loop->header, "_");
    one.unchecked = copy.unchecked;
    one.unchecked.insert(guard.unchecked.begin(), guard.unchecked.end());
    one.steps = copy.steps;
    one.steps.insert(guard.steps.begin(), guard.steps.end());
    if (stretch) with_stretches_.insert(loop);
    one.stretch = std::move(stretch);
    one.start = one.prefix + "S";
  }
  PrintOps(copy);
  for (Copy& one : inner) {
    one.stretch ? PrintStretch(copy, one) : PrintCopy(one);
    PrintGuards(copy, one);
  }
  if (copy.loop != nullptr) return;
  for (const int op : middles_) {
    absl::StrAppend(&body_, "M", op, ":\nis_due = true;\ngoto ", Unguarded(op), ";\n");
  }
}

void LoopPrinter::PrintGuards(const Copy& copy, const Copy& inner) {
  const ProgramLoop& loop = *inner.loop;
  std::set<int> entries(loop.entries.begin(), loop.entries.end());
  if (inner.stretch) {
    std::erase_if(entries, [&](int op) { return !IsBetweenRounds(program_, loop, op); });
    entries.insert(loop.header);  // where a round that began in the middle is over
  }
  for (const int entry : entries) {
    const LoopGuard guard = GuardOf(copy, loop, entry, inner.unchecked);
    absl::StrAppend(&body_, inner.prefix, "G", entry, ":\n");
    if (inner.stretch) absl::StrAppend(&body_, "is_due = false;\n");
    if (!guard.statements.empty()) {
      const std::string otherwise =
          copy.loop == nullptr ? Label(copy, -1, entry, &loop) : Unguarded(entry);
      const std::string worth = absl::StrCat("worth_", inner.prefix);
      guard_worths_.insert(worth);
      const int64_t cost = absl::c_count(guard.statements, '\n') * kChecksOfStatement /
                           static_cast<int64_t>(std::max<size_t>(guard.unchecked.size(), 1)) /
                           (inner.stretch ? 2 : 1);
      absl::StrAppend(&body_, "if (!", worth, ".IsTried(rounds.Done(), ", cost, ")) goto ",
                      otherwise, ";\n{ bool holds = true;\n", guard.statements, "if (!holds) goto ",
                      otherwise, "; }\n");
    }
    if (inner.stretch && entry != loop.header) PrintPoll(entry, "--rounds.credit");
    absl::StrAppend(&body_, "goto ", inner.stretch ? inner.start : Label(inner, -1, entry), ";\n");
  }
}

LoopRanges::Names LoopPrinter::Names() {
  return {[this](int reg) { return Int(reg); }, [this](int32_t packed) { return Extent(packed); }};
}

LoopGuard LoopPrinter::GuardOf(const Copy& copy, const ProgramLoop& loop, int entry,
                               const std::map<int, Unchecked>& wanted) {
  return LoopRanges(program_, flow_, loop, entry, first_constant_, Names())
      .Guard(copy.unchecked, wanted);
}

// Of the target as control comes to it from `op` in that copy, -1: from outside of its loops. The
// outermost guard comes first, and after one that `failed` those of loops in that one's. No stretch
// begins in the middle of a round: the program itself does the rest of that.
std::string LoopPrinter::Label(const Copy& from, int op, int target, const ProgramLoop* failed) {
  const Copy* copy = &from;
  while (!copy->Contains(target)) copy = copy->parent;
  bool is_due = failed == nullptr;
  for (const ProgramLoop* loop : copy->guarded) {
    const bool is_entered = absl::c_linear_search(loop->entries, target) && !loop->Contains(op);
    if (is_entered && is_due) {
      if (!with_stretches_.contains(loop) || IsBetweenRounds(program_, *loop, target)) {
        return absl::StrCat(copy->prefix, "C", loop->header, "_G", target);
      }
      middles_.insert(target);
      return "M" + std::to_string(target);
    }
    is_due = is_due || loop == failed;
  }
  return absl::StrCat(copy->prefix, "L", target);
}

void LoopPrinter::PrintOps(const Copy& copy) {
  const auto count = static_cast<int>(program_.ops.size());
  if (copy.loop == nullptr) absl::StrAppend(&body_, "goto ", Label(copy, -1, 0), ";\n");
  for (int i = 0; i < count; ++i) {
    if (!copy.Contains(i) || copy.LeavesOut(i)) continue;
    if (flow_.FirstOfBlock(i) == i) absl::StrAppend(&body_, copy.prefix, "L", i, ":\n");
    PrintOp(copy, i);
    if (copy.DoesAgain(i) && i == copy.stretch->last_again) {
      absl::StrAppend(&body_, copy.prefix, "A:;\n");
    }
    if (!FallsThrough(program_.ops[i]) || i + 1 == count) continue;
    if (flow_.FirstOfBlock(i + 1) == i + 1) PrintJump(copy, i, i + 1, "");
  }
}

// A stretch of rounds is over, or is left in the middle of the last of them.
std::string LoopPrinter::EndOfStretch(const Copy& copy, bool is_over) {
  const LoopOp& header = program_.ops[copy.loop->header];
  std::string text;
  if (copy.speculates()) {
    text = copy.is_vector() ? "if (bad || overflows < 0" : "if (bad";
    for (const uint16_t sum : copy.stretch->sums) {
      absl::StrAppend(&text, " || !IsFinite(", Float(sum), ")");
    }
    absl::StrAppend(&text, SameElements(copy, true));
    absl::StrAppend(&text, ") goto ", copy.prefix, "B; ");
  }
  const std::string rounds_left = Int(header.a + 2);
  absl::StrAppend(&text, is_over
                             ? absl::StrCat(rounds_left, " -= stretch; rounds.credit -= stretch; ")
                             : absl::StrCat(rounds_left, " -= stretch - left + 1; ",
                                            "rounds.credit -= stretch - left; "));
  return text;
}

// Statements that keep what a stretch sets before it begins, or put it back.
std::string LoopPrinter::Kept(const Copy& copy, bool is_restored) {
  std::string text;
  for (const auto& [reg, is_float] : copy.stretch->saved) {
    const std::string name = is_float ? Float(reg) : Int(reg);
    (is_float ? saved_floats_ : saved_ints_).insert(reg);
    absl::StrAppend(&text, is_restored ? "" : "was_", name, " = ", is_restored ? "was_" : "", name,
                    "; ");
  }
  return text;
}

// ... a round, of what it may have to do again.
std::string LoopPrinter::KeptForRound(const Copy& copy, bool is_restored) {
  std::string text;
  if (copy.speculates()) return text;
  for (const auto& [reg, is_float] : copy.stretch->kept) {
    const std::string name = is_float ? Float(reg) : Int(reg);
    (is_float ? saved_floats_ : saved_ints_).insert(reg);
    absl::StrAppend(&text, is_restored ? name : "was_" + name, " = ",
                    is_restored ? "was_" + name : name, "; ");
  }
  return text;
}

// The first ops of a round once more, with all their checks.
void LoopPrinter::PrintAgain(const Copy& copy) {
  Copy checked = copy;
  checked.stretch->absorbed.clear();
  checked.stretch->telling.clear();
  checked.stretch->last_again = -1;
  absl::StrAppend(&body_, copy.prefix, "R:\n", KeptForRound(copy, true), "\n");
  for (int op = copy.loop->header + 1; op <= copy.stretch->last_again; ++op) PrintOp(checked, op);
  absl::StrAppend(&body_, "goto ", copy.prefix, "A;\n");
}

void LoopPrinter::PrintStretch(const Copy& parent, Copy& copy) {
  const LoopOp& header = program_.ops[copy.loop->header];
  const std::string rounds_left = Int(header.a + 2);
  ops_printed_ += copy.loop->ops.size();
  absl::StrAppend(&body_, copy.start, ":\nif (", rounds_left, " == 0) goto ",
                  Label(parent, copy.loop->header, header.k), ";\n");
  PrintHoisted(copy);
  absl::StrAppend(&body_, "stretch = ", rounds_left, ";\nif (stretch > ", kStretch,
                  ") stretch = ", kStretch,
                  ";\nif (__builtin_expect(stretch > rounds.Left(), 0)) "
                  "stretch = rounds.Left() > 0 ? rounds.Left() : 1;\n");
  std::optional<VectorStretch> vector;
  if (IsWorthACopy(*copy.loop, 0)) {
    vector = VectorStretchOf(program_, flow_, *copy.loop, *copy.stretch,
                             {.statements = {}, .unchecked = copy.unchecked, .steps = copy.steps},
                             Names());
  }
  if (vector) {
    absl::StrAppend(&body_, "if (", ConditionOf(*copy.loop, *vector), ") goto ", copy.prefix,
                    "V_S;\n", copy.prefix, "N:\n");
  }
  absl::StrAppend(&body_, "left = stretch;\nbad = false;\n", Kept(copy, false), "\ngoto ",
                  copy.prefix, "L", copy.loop->header, ";\n");
  PrintRounds(copy);
  if (copy.speculates()) {
    absl::StrAppend(&body_, copy.prefix, "B:\n", Kept(copy, true), "goto ",
                    Unguarded(copy.loop->header), ";\n");
  } else if (copy.stretch->last_again >= 0) {
    PrintAgain(copy);
  }
  if (vector) PrintVectorStretch(copy, *std::move(vector));
}

// The rounds of a stretch. All jumps back to the header go one way, so that LLVM can do without the
// jumps of a test that decides between two of them.
void LoopPrinter::PrintRounds(const Copy& copy) {
  if (copy.independence) {
    absl::StrAppend(&body_, "#pragma clang loop vectorize(assume_safety)\n",
                    "for (; left != 0; --left) {\ngoto ", copy.prefix, "L", copy.loop->header,
                    ";\n");
  }
  PrintOps(copy);
  if (copy.loop->latches.size() < 2 && !copy.independence) return;
  absl::StrAppend(&body_, copy.prefix, "E:;\n");
  PrintEndOfRound(copy, copy.loop->latches.front());
}

// Goes on where the plain one does, and there from the beginning if something was not right.
void LoopPrinter::PrintVectorStretch(const Copy& plain, VectorStretch vector) {
  ops_printed_ += plain.loop->ops.size();
  Copy copy = plain;
  copy.prefix = plain.prefix + "V_";
  copy.stretch = std::move(vector.stretch);
  copy.elements = std::move(vector.elements);
  copy.sums = std::move(vector.sums);
  copy.independence = std::move(vector.independence);
  absl::StrAppend(&body_, copy.prefix, "S:\n");
  for (const auto& [op, sum] : copy.sums) {
    absl::StrAppend(&body_, "if (", Int(sum.sum), " > ", kMostSum, " || ", Int(sum.sum), " < ",
                    -kMostSum, ") goto ", plain.prefix, "N;\n");
  }
  absl::StrAppend(&body_, "left = stretch;\nbad = false;\noverflows = 0;\n", Kept(copy, false),
                  "\n");
  for (const StoredElements& stored : vector.stored) {
    absl::StrAppend(&body_, KeptElements(stored, vector.step, false));
  }
  absl::StrAppend(&body_, SameElements(copy, false));
  if (!copy.independence) {
    absl::StrAppend(&body_, "goto ", copy.prefix, "L", copy.loop->header, ";\n");
  }
  PrintRounds(copy);
  absl::StrAppend(&body_, copy.prefix, "B:\n", Kept(copy, true), "\n");
  for (const StoredElements& stored : vector.stored) {
    absl::StrAppend(&body_, KeptElements(stored, vector.step, true));
  }
  absl::StrAppend(&body_, "goto ", plain.prefix, "N;\n");
}

std::string LoopPrinter::KeptElements(const StoredElements& stored, int step, bool is_restored) {
  kept_.insert(stored.op);
  const LoopOp& at = program_.ops[stored.op];
  const absl::string_view element = TextOf(at.code)->element;
  const std::string type(element == "bool" ? "uint8_t" : element);  // any byte may be there
  const std::string place = absl::StrCat(Data(at.k), " + ", stored.first, " + k * ", step,
                                         " * int64_t{sizeof(", type, ")}");
  const std::string kept = absl::StrCat("kept_", stored.op, " + k * sizeof(", type, ")");
  const auto loaded = [&](const std::string& at) {
    return absl::StrCat("LoadElement<", type, ">(", at, ")");
  };
  return absl::StrCat("for (int64_t k = 0; k < stretch; ++k) ",
                      is_restored && stored.is_tested
                          ? absl::StrCat("if (!IsSame(", loaded(place), ", ", loaded(kept), ")) ")
                          : "",
                      "StoreElement<", type, ">(", is_restored ? place : kept, ", ",
                      loaded(is_restored ? kept : place), ");\n");
}

// Where a stretch of so many rounds is a vector stretch.
std::string LoopPrinter::ConditionOf(const ProgramLoop& loop, const VectorStretch& vector) {
  const auto ops = static_cast<int>(loop.ops.size());
  std::string text = absl::StrCat(
      "stretch >= ", std::clamp(kOpsOfVectorStretch / ops, kFewestVectorRounds, kMostVectorRounds));
  for (const auto& [packed, element] : vector.elements) {
    absl::StrAppend(&text, " && s", packed, " == sizeof(", element, ")");
  }
  if (!vector.independence) return text;
  for (const auto& [one, other] : vector.independence->apart) {
    const auto view = [&](int op) {
      const LoopOp& at = program_.ops[op];
      return absl::StrCat("BytesOf<", offsetof(StridedView, rank), ", ",
                          offsetof(StridedView, shape), ", ", offsetof(StridedView, strides),
                          ">(arrays + ", at.k * sizeof(StridedView), ", sizeof(",
                          TextOf(at.code)->element, "))");
    };
    const std::string name =
        absl::StrCat("apart_", program_.ops[one].k, "_", program_.ops[other].k);
    apart_.emplace(name, absl::StrCat("LieApart(", view(one), ", ", view(other), ")"));
    if (!absl::StrContains(text, name + " ")) absl::StrAppend(&text, " && ", name, " ");
  }
  for (const std::string& condition : vector.independence->conditions) {
    absl::StrAppend(&text, " && ", condition);
  }
  return text;
}

// Statements that read the elements which are the same in all rounds, or the text of a condition:
// that one of them has changed.
std::string LoopPrinter::SameElements(const Copy& copy, bool is_compared) {
  std::string text;
  if (!copy.independence) return text;
  for (const auto& [op, same] : copy.independence->same) {
    const LoopOp& at = program_.ops[op];
    const std::string element = absl::StrCat("LoadElement<", TextOf(at.code)->element, ">(",
                                             Data(at.k), " + ", same.place, ")");
    same_elements_.insert(op);
    if (!is_compared) absl::StrAppend(&text, "element_", op, " = ", element, ";\n");
    if (is_compared && same.is_checked) {
      absl::StrAppend(&text, " || !IsSame(element_", op, ", ", element, ")");
    }
  }
  return text;
}

void LoopPrinter::PrintExit(int exit) {
  absl::StrAppend(&body_, "X", exit, ":\n");
  for (const LoopOperand& operand : program_.exits[exit]) {
    absl::StrAppend(&body_, "r[", operand.reg, "].", operand.is_float ? "f" : "i", " = ",
                    operand.is_float ? Float(operand.reg) : Int(operand.reg), ";\n");
  }
  absl::StrAppend(&body_, "*rounds_out = rounds.Done();\nreturn ", exit, ";\n");
}

std::string LoopPrinter::Declarations() const {
  std::string text;
  const auto declare = [&](const char* type, const char* letter, const std::set<int>& registers) {
    for (const int reg : registers) {
      if (reg >= first_constant_) continue;
      absl::StrAppend(&text, type, " ", letter, reg, " = r[", reg, "].", letter, ";\n");
    }
  };
  declare("int64_t", "i", ints_);
  declare("double", "f", floats_);
  for (const int reg : saved_ints_) absl::StrAppend(&text, "int64_t was_i", reg, ";\n");
  for (const int reg : saved_floats_) absl::StrAppend(&text, "double was_f", reg, ";\n");
  for (const std::string& worth : guard_worths_)
    absl::StrAppend(&text, "GuardWorth ", worth, ";\n");
  for (const int op : hoisted_) absl::StrAppend(&text, "double same_", op, ";\n");
  for (const int op : memoized_) {
    absl::StrAppend(&text, "bool is_known_", op, " = false; [[maybe_unused]] int64_t of_", op,
                    ", with_", op, ";\n");
  }
  for (const int op : kept_) {
    absl::StrAppend(&text, "alignas(64) char kept_", op, "[", kStretch, " * sizeof(",
                    TextOf(program_.ops[op].code)->element, ")];\n");
  }
  for (const int op : together_) absl::StrAppend(&text, "bool together_", op, ";\n");
  for (const int op : same_elements_) {
    absl::StrAppend(&text, TextOf(program_.ops[op].code)->element, " element_", op, ";\n");
  }
  for (const auto& [name, condition] : apart_) {
    absl::StrAppend(&text, "const bool ", name, " = ", condition, ";\n");
  }
  for (const auto& [reg, value] : program_.constants) {
    const std::string bits = absl::StrCat(static_cast<uint64_t>(value.i), "ul");
    absl::StrAppend(&text, "[[maybe_unused]] const int64_t i", reg, " = int64_t(", bits, ");\n");
    absl::StrAppend(&text, "[[maybe_unused]] const double f", reg, " = __builtin_bit_cast(double, ",
                    bits, ");\n");
  }
  for (const int array : arrays_) {
    absl::StrAppend(&text, "char* const data", array, " = *(char* const*)(arrays + ",
                    array * sizeof(StridedView) + offsetof(StridedView, data), ");\n");
  }
  for (const int32_t packed : axes_) {
    const size_t view = ArrayOf(packed) * sizeof(StridedView);
    const size_t axis = AxisOf(packed) * sizeof(int64_t);
    absl::StrAppend(&text, "const int64_t n", packed, " = *(const int64_t*)(arrays + ",
                    view + offsetof(StridedView, shape) + axis, ");\n");
    absl::StrAppend(&text, "[[maybe_unused]] const int64_t s", packed,
                    " = *(const int64_t*)(arrays + ", view + offsetof(StridedView, strides) + axis,
                    ");\n");
  }
  return text;
}

}  // namespace dynacc::loops
