// The part of LoopPrinter that prints ops.
#include <optional>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/loops/loop_printer.h"

namespace dynacc::loops {
namespace {

// What an op gives whose infinities and NaNs are not looked for at once: its value, and of which
// operands it is known at once that Python has to do it.
struct PlainFloat {
  std::string value;
  std::string is_refused;
};

std::optional<PlainFloat> PlainFloatOf(LoopOpCode code, const std::string& a,
                                       const std::string& b) {
  switch (code) {
    case LoopOpCode::kAddFloat:
      return PlainFloat{absl::StrCat(a, " + ", b), ""};
    case LoopOpCode::kSubFloat:
      return PlainFloat{absl::StrCat(a, " - ", b), ""};
    case LoopOpCode::kMulFloat:
      return PlainFloat{absl::StrCat(a, " * ", b), ""};
    case LoopOpCode::kDivFloat:
      return PlainFloat{absl::StrCat(a, " / ", b), absl::StrCat(b, " == 0")};
    case LoopOpCode::kSqrtFloat:
      return PlainFloat{absl::StrCat("std::sqrt(", a, ")"), absl::StrCat("!(", a, " >= 0)")};
    case LoopOpCode::kToSingle:
      return PlainFloat{absl::StrCat("static_cast<float>(", a, ")"), ""};
    case LoopOpCode::kToDouble:
      return PlainFloat{a, ""};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string LoopPrinter::Exit(const Copy& copy, int exit) {
  if (copy.speculates()) return absl::StrCat("goto ", copy.prefix, "B;");
  exits_used_.insert(exit);
  if (!copy.stretch) return absl::StrCat("goto X", exit, ";");
  return absl::StrCat("{ ", EndOfStretch(copy, false), "goto X", exit, "; }");
}

void LoopPrinter::PrintOp(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const OpText* const text = TextOf(at.code);
  if (text == nullptr) {
    PrintOther(copy, op);
  } else if (text->step == nullptr) {
    PrintMemory(*text, at);
  } else if (!PrintUnchecked(copy, op) && !PrintUnlookedAt(copy, op)) {
    PrintStep(copy, op);
  }
}

void LoopPrinter::PrintStep(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const OpText& text = *TextOf(at.code);
  absl::StrAppend(&body_, "{ ");
  for (const auto& [name, kind, reg] :
       {std::tuple("a", text.left, at.a), std::tuple("b", text.right, at.b)}) {
    if (kind != RegisterKind::kNone) {
      absl::StrAppend(&body_, "[[maybe_unused]] const auto ", name, " = ", Name(kind, reg), "; ");
    }
  }
  const bool is_int = text.result == RegisterKind::kInt;
  absl::StrAppend(&body_, "[[maybe_unused]] constexpr int k = ", at.k, "; ",
                  is_int ? "int64_t d; " : "double d; ");
  // Some ops, as moves, never exit.
  if (at.exit < 0) {
    absl::StrAppend(&body_, "(void)(", text.step, "); ");
  } else {
    absl::StrAppend(&body_, "if (__builtin_expect(", text.step, ", 0)) ", Exit(copy, at.exit), " ");
  }
  absl::StrAppend(&body_, Name(text.result, at.d), " = d; }\n");
}

// Arithmetic that the copy's guard has looked at.
bool LoopPrinter::PrintUnchecked(const Copy& copy, int op) {
  if (!copy.unchecked.contains(op)) return false;
  const LoopOp& at = program_.ops[op];
  const std::string d = Int(at.d);
  const std::string a = Int(at.a);
  if (at.code == LoopOpCode::kNegInt) {
    absl::StrAppend(&body_, d, " = -", a, ";\n");
    return true;
  }
  const char* sign = at.code == LoopOpCode::kAddInt   ? " + "
                     : at.code == LoopOpCode::kSubInt ? " - "
                                                      : " * ";
  absl::StrAppend(&body_, d, " = ", a, sign, Int(at.b), ";\n");
  return true;
}

// Floating-point arithmetic that is looked at later, or for what others have given, too.
bool LoopPrinter::PrintUnlookedAt(const Copy& copy, int op) {
  if (!copy.stretch) return false;
  const bool is_absorbed = copy.stretch->absorbed.contains(op);
  if (!copy.speculates() && !is_absorbed && !copy.stretch->telling.contains(op)) return false;
  const LoopOp& at = program_.ops[op];
  const RegisterKind left = TextOf(at.code)->left;
  if (left != RegisterKind::kFloat) return false;
  const bool is_binary = TextOf(at.code)->right == RegisterKind::kFloat;
  const auto plain = PlainFloatOf(at.code, Float(at.a), is_binary ? Float(at.b) : "");
  if (!plain) return false;
  const std::string target = Float(at.d);
  const std::string is_bad = copy.speculates() ? "bad |= " : "if (";
  const std::string end = copy.speculates() ? "; " : absl::StrCat(") goto ", copy.prefix, "B; ");
  absl::StrAppend(&body_, "{ const double d = ", plain->value, "; ");
  if (!plain->is_refused.empty()) absl::StrAppend(&body_, is_bad, plain->is_refused, end);
  if (!is_absorbed) absl::StrAppend(&body_, is_bad, "!IsFinite(d)", end);
  absl::StrAppend(&body_, target, " = d; }\n");
  return true;
}

void LoopPrinter::PrintMemory(const OpText& text, const LoopOp& op) {
  const std::string place = absl::StrCat(Data(op.k), " + ", Int(op.a));
  if (text.is_store) {
    absl::StrAppend(&body_, "StoreElement<", text.element, ">(", place, ", AsElement<",
                    text.element, ">(", Name(text.right, op.b), "));\n");
  } else {
    absl::StrAppend(&body_, Name(text.result, op.d), " = InRegister(LoadElement<", text.element,
                    ">(", place, "));\n");
  }
}

void LoopPrinter::PrintOther(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  switch (at.code) {
    case LoopOpCode::kIndex:
      PrintArrayIndex(copy, op);
      break;
    case LoopOpCode::kItem:
      PrintIndex(copy, at, Int(at.a + 2), Int(at.a + 1));
      break;
    case LoopOpCode::kDim:
      absl::StrAppend(&body_, Int(at.d), " = ", Extent(at.k), ";\n");
      break;
    case LoopOpCode::kOffset:
      absl::StrAppend(&body_, Int(at.d), " = ", Int(at.a), " - (int64_t)", Data(at.k), ";\n");
      break;
    case LoopOpCode::kSlice:
      PrintSlice(at);
      break;
    case LoopOpCode::kSlice1d:
      PrintSlice1d(copy, at);
      break;
    case LoopOpCode::kCall1:
    case LoopOpCode::kCall2:
      PrintCall(copy, op);
      break;
    case LoopOpCode::kJump:
      PrintJump(copy, op, at.k, "");
      break;
    case LoopOpCode::kJumpIf:
      PrintJump(copy, op, at.k, absl::StrCat("if (", Int(at.a), " != 0) "));
      break;
    case LoopOpCode::kJumpIfNot:
      PrintJump(copy, op, at.k, absl::StrCat("if (", Int(at.a), " == 0) "));
      break;
    case LoopOpCode::kBackEdge:
      PrintBackEdge(copy, op);
      break;
    case LoopOpCode::kRangeStart:
      PrintRangeStart(copy, at);
      break;
    case LoopOpCode::kRangeNext:
      PrintRangeNext(copy, op);
      break;
    default:
      absl::StrAppend(&body_, Exit(copy, at.exit), "\n");
      break;
  }
}

void LoopPrinter::PrintJump(const Copy& copy, int op, int target, const std::string& condition) {
  absl::StrAppend(&body_, condition);
  if (!copy.stretch || copy.Contains(target)) {
    absl::StrAppend(&body_, "goto ", Label(copy, op, target), ";\n");
    return;
  }
  absl::StrAppend(&body_, "{ ", EndOfStretch(copy, false), "goto ", Label(copy, op, target),
                  "; }\n");
}

void LoopPrinter::PrintBackEdge(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const bool is_latch = copy.stretch.has_value() && at.k == copy.loop->header;
  if (is_latch) {
    absl::StrAppend(&body_, "if (--left != 0) goto ", copy.prefix, "L", at.k, ";\n");
  }
  if (copy.stretch) absl::StrAppend(&body_, EndOfStretch(copy, is_latch), "\n");
  exits_used_.insert(at.exit);
  absl::StrAppend(&body_, "if (", is_latch ? "rounds" : "++rounds",
                  " >= most_rounds || __atomic_load_n(poll, __ATOMIC_RELAXED) != 0) goto X",
                  at.exit, "; goto ", is_latch ? copy.prefix + "S" : Label(copy, op, at.k), ";\n");
}

void LoopPrinter::PrintRangeStart(const Copy& copy, const LoopOp& op) {
  absl::StrAppend(&body_, "{ int64_t count; if (!StartRange(", Int(op.a), ", ", Int(op.a + 1), ", ",
                  Int(op.a + 2), ", &count)) ", Exit(copy, op.exit), " ", Int(op.a + 1), " = ",
                  Int(op.a + 2), "; ", Int(op.a + 2), " = count; }\n");
}

std::string LoopPrinter::StepOf(const Copy& copy, int range) {
  const auto step = copy.steps.find(static_cast<uint16_t>(range));
  return step != copy.steps.end() ? absl::StrCat(step->second) : Int(range + 1);
}

void LoopPrinter::PrintRangeNext(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const bool is_of_stretch = copy.stretch.has_value() && op == copy.loop->header;
  if (!is_of_stretch) {
    absl::StrAppend(&body_, "if (", Int(at.a + 2), " == 0) goto ", Label(copy, op, at.k), "; --",
                    Int(at.a + 2), "; ");
  }
  absl::StrAppend(&body_, Int(at.d), " = ", Int(at.a), "; ", Int(at.a), " += ", StepOf(copy, at.a),
                  ";\n");
}

namespace {

std::string CallOf(const LoopOp& op, const std::string& a, const std::string& b) {
  const bool binary = op.code == LoopOpCode::kCall2;
  return absl::StrCat("!DynaccLoopCall(callees + ", op.k * sizeof(LoopCallee), ", ", a, ", ",
                      binary ? b : a, ", ", binary ? "true" : "false", ", &d)");
}

}  // namespace

void LoopPrinter::PrintCall(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  if (copy.stretch &&
      absl::c_any_of(copy.stretch->hoisted, [op](const Hoisted& one) { return one.op == op; })) {
    absl::StrAppend(&body_, Float(at.d), " = same_", op, ";\n");
    return;
  }
  absl::StrAppend(&body_, "{ double d; if (", CallOf(at, Float(at.a), Float(at.b)), ") ",
                  Exit(copy, at.exit), " ", Float(at.d), " = d; }\n");
}

void LoopPrinter::PrintHoisted(const Copy& copy) {
  for (const auto& [op, left, right] : copy.stretch->hoisted) {
    const LoopOp& at = program_.ops[op];
    const OpText* const text = TextOf(at.code);
    const bool is_of_int = text != nullptr && text->left == kIntKind;
    const std::string a = left >= 0   ? absl::StrCat("same_", left)
                          : is_of_int ? Int(at.a)
                                      : Float(at.a);
    const std::string b = right >= 0 ? absl::StrCat("same_", right) : Float(at.b);
    absl::StrAppend(&body_, "{ double d; [[maybe_unused]] const auto a = ", a, "; ");
    if (text != nullptr && text->right != kNoneKind) {
      absl::StrAppend(&body_, "const double b = ", b, "; ");
    }
    absl::StrAppend(&body_, "if (", text != nullptr ? std::string(text->step) : CallOf(at, a, b),
                    ") goto ", Unguarded(copy.loop->header), "; same_", op, " = d; }\n");
    hoisted_.insert(op);
  }
}

void LoopPrinter::PrintArrayIndex(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const std::string size = Extent(at.k);
  const std::string step = absl::StrCat("s", at.k);
  const auto unchecked = copy.unchecked.find(op);
  if (unchecked == copy.unchecked.end()) return PrintIndex(copy, at, size, step);
  const std::string index = Int(at.b);
  const bool is_plain = unchecked->second == Unchecked::kPlain;
  absl::StrAppend(
      &body_, Int(at.d), " = ", Int(at.a), " + ",
      is_plain ? index : absl::StrCat("(", index, " < 0 ? ", index, " + ", size, " : ", index, ")"),
      " * ", step, ";\n");
}

void LoopPrinter::PrintIndex(const Copy& copy, const LoopOp& op, const std::string& size,
                             const std::string& step) {
  absl::StrAppend(&body_, "{ int64_t at = ", Int(op.b), "; const int64_t size = ", size,
                  "; if (at < 0) at += size; if (__builtin_expect(uint64_t(at) "
                  ">= uint64_t(size), 0)) ",
                  Exit(copy, op.exit), " ", Int(op.d), " = ", Int(op.a), " + at * ", step, "; }\n");
}

void LoopPrinter::PrintSlice(const LoopOp& op) {
  const std::string extent = Extent(op.k);
  absl::StrAppend(&body_, "{ int64_t first; SliceAxis(", extent, ", s", op.k, ", ", Int(op.b), ", ",
                  Int(op.b + 1), ", ", Int(op.b + 2), ", &first, &", Int(op.d + 1), ", &",
                  Int(op.d + 2), "); ", Int(op.d), " = (int64_t)", Data(ArrayOf(op.k)), " + ",
                  Int(op.a), " + first; }\n");
}

// Statements that pass an operand in its registers, or take a result from there.
std::string LoopPrinter::Registers(int reg, int count, RegisterKind kind, bool passes) {
  std::string text;
  for (int i = reg; i < reg + count; ++i) {
    const std::string place = absl::StrCat("r[", i, kind == RegisterKind::kInt ? "].i" : "].f");
    const std::string name = Name(kind, i);
    absl::StrAppend(&text, passes ? place : name, " = ", passes ? name : place, "; ");
  }
  return text;
}

std::string LoopPrinter::Passed(int reg, bool is_slice1d, int rank) {
  return is_slice1d ? Registers(reg, WindowRegisters(rank), RegisterKind::kInt, true)
                    : Registers(reg, 1, RegisterKind::kFloat, true);
}

std::string LoopPrinter::Taken(int reg, const Slice1dCall& call) {
  if (call.GivesSlice1d()) {
    return Registers(reg, WindowRegisters(call.result_rank), RegisterKind::kInt, false);
  }
  if (call.GivesInt()) return Registers(reg, 1, RegisterKind::kInt, false);
  return call.GivesNumber() ? Registers(reg, 1, RegisterKind::kFloat, false) : "";
}

void LoopPrinter::PrintSlice1d(const Copy& copy, const LoopOp& op) {
  const Slice1dCall& call = program_.callees[op.k].slice1d;
  const bool has_operands = call.kind != Slice1dCall::Kind::kSwap;
  const bool scatters = call.kind == Slice1dCall::Kind::kScatter;
  absl::StrAppend(
      &body_, "{ ", has_operands ? Passed(op.a, call.left_is_slice1d, call.left_rank) : "",
      call.is_binary ? Passed(op.b, scatters || call.right_is_slice1d, call.right_rank) : "",
      scatters ? Passed(op.d, call.right_is_slice1d, 1) : "",
      "const bool done = DynaccLoopSlice1d(callees + ", op.k * sizeof(LoopCallee), ", host, r, ",
      op.d, ", ", op.a, ", ", op.b, "); ",
      op.exit < 0 ? "(void)done; " : absl::StrCat("if (!done) ", Exit(copy, op.exit), " "),
      Taken(op.d, call), "}\n");
}

}  // namespace dynacc::loops
