// The part of LoopPrinter that prints ops.
#include <optional>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/loops/loop_printer.h"
#include "runtime/loops/loop_windows.h"

namespace dynacc::loops {
namespace {

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

// LLVM makes no vectors of arithmetic whose overflow an instruction tells, nor of a sign that
// becomes a part of `bad`.
std::string StepForVectors(LoopOpCode code, const OpText& text) {
  switch (code) {
    case LoopOpCode::kAddInt:
      return "d = a + b; overflows |= (a ^ d) & (b ^ d); ";
    case LoopOpCode::kSubInt:
      return "d = a - b; overflows |= (a ^ b) & (a ^ d); ";
    default:
      return absl::StrCat("bad |= ", text.step, "; ");
  }
}

}  // namespace

std::string LoopPrinter::Exit(const Copy& copy, int op) {
  const int exit = program_.ops[op].exit;
  if (copy.speculates()) return absl::StrCat("goto ", copy.prefix, "B;");
  if (copy.DoesAgain(op)) return absl::StrCat("goto ", copy.prefix, "R;");
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
    PrintMemory(copy, op);
  } else if (!PrintSum(copy, op) && !PrintUnchecked(copy, op) && !PrintUnlookedAt(copy, op)) {
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
                  is_int ? "int64_t d" : "double d", copy.is_vector() ? " = 0; " : "; ");
  if (copy.is_vector()) {
    absl::StrAppend(&body_, StepForVectors(at.code, text));
  } else if (at.exit < 0) {  // as moves, which never exit
    absl::StrAppend(&body_, "(void)(", text.step, "); ");
  } else {
    absl::StrAppend(&body_, "if (__builtin_expect(", text.step, ", 0)) ", Exit(copy, op), " ");
  }
  absl::StrAppend(&body_, Name(text.result, at.d), " = d; }\n");
}

// What a vector stretch adds to a sum of ints.
bool LoopPrinter::PrintSum(const Copy& copy, int op) {
  const auto found = copy.sums.find(op);
  if (found == copy.sums.end()) return false;
  const auto& [sum, by, is_checked] = found->second;
  const char* sign = program_.ops[op].code == LoopOpCode::kAddInt ? " + " : " - ";
  if (is_checked) {
    absl::StrAppend(&body_, "bad |= uint64_t(", Int(by), ") + ", kMostAddend, "ul > ",
                    2 * kMostAddend, "ul; ");
  }
  absl::StrAppend(&body_, Int(sum), " = ", Int(sum), sign, Int(by), ";\n");
  return true;
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
  if (!copy.speculates()) {
    PrintLookedAtLater(copy, op, *plain);
    return true;
  }
  absl::StrAppend(&body_, "{ const double d = ", plain->value, "; ");
  if (!plain->is_refused.empty()) absl::StrAppend(&body_, "bad |= ", plain->is_refused, "; ");
  if (!is_absorbed) absl::StrAppend(&body_, "bad |= !IsFinite(d); ");
  absl::StrAppend(&body_, Float(at.d), " = d; }\n");
  return true;
}

// Where an op that tells gives something that is not finite, the round is done again: infinities of
// the program's own data are nobody's error.
void LoopPrinter::PrintLookedAtLater(const Copy& copy, int op, const PlainFloat& plain) {
  const std::string again = absl::StrCat(Exit(copy, op), " ");
  if (!plain.is_refused.empty()) absl::StrAppend(&body_, "if (", plain.is_refused, ") ", again);
  absl::StrAppend(&body_, "{ const double d = ", plain.value, "; ");
  if (copy.stretch->telling.contains(op)) {
    absl::StrAppend(&body_, "if (__builtin_expect(!IsFinite(d), 0)) ", again);
  }
  absl::StrAppend(&body_, Float(program_.ops[op].d), " = d; }\n");
}

void LoopPrinter::PrintMemory(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const OpText& text = *TextOf(at.code);
  const std::string place = absl::StrCat(Data(at.k), " + ", Int(at.a));
  if (text.is_store) {
    absl::StrAppend(&body_, "StoreElement<", text.element, ">(", place, ", AsElement<",
                    text.element, ">(", Name(text.right, at.b), "));\n");
    return;
  }
  const bool is_same = copy.independence && copy.independence->same.contains(op);
  const std::string element = is_same
                                  ? absl::StrCat("element_", op)
                                  : absl::StrCat("LoadElement<", text.element, ">(", place, ")");
  absl::StrAppend(&body_, Name(text.result, at.d), " = InRegister(", element, ");\n");
}

void LoopPrinter::PrintOther(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  switch (at.code) {
    case LoopOpCode::kIndex:
      PrintArrayIndex(copy, op);
      break;
    case LoopOpCode::kItem:
      PrintIndex(copy, op, Int(at.a + 2), Int(at.a + 1));
      break;
    case LoopOpCode::kDim:
      absl::StrAppend(&body_, Int(at.d), " = ", Extent(at.k), ";\n");
      break;
    case LoopOpCode::kOffset:
      absl::StrAppend(&body_, Int(at.d), " = ", Int(at.a), " - (int64_t)", Data(at.k), ";\n");
      break;
    case LoopOpCode::kAddress:
      absl::StrAppend(&body_, Int(at.d), " = ", Int(at.a), " + (int64_t)", Data(at.k), ";\n");
      break;
    case LoopOpCode::kSlice:
      PrintSlice(at);
      break;
    case LoopOpCode::kSlice1d:
      PrintSlice1d(copy, op);
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
      PrintRangeStart(copy, op);
      break;
    case LoopOpCode::kRangeNext:
      PrintRangeNext(copy, op);
      break;
    default:
      absl::StrAppend(&body_, Exit(copy, op), "\n");
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
  // Between two rounds of an inner loop that is unrolled, as one over a tuple is: the stretch goes
  // on.
  if (copy.stretch && !is_latch && copy.Contains(at.k)) {
    absl::StrAppend(&body_, "--rounds.credit; goto ", Label(copy, op, at.k), ";\n");
    return;
  }
  if (is_latch && (copy.loop->latches.size() > 1 || copy.independence)) {
    absl::StrAppend(&body_, "goto ", copy.prefix, "E;\n");
    return;
  }
  if (is_latch) return PrintEndOfRound(copy, op);
  if (copy.stretch) absl::StrAppend(&body_, EndOfStretch(copy, false), "\n");
  PrintPoll(op, "--rounds.credit");
  // A round that the program itself had to do is over, and its loop's stretches go on.
  if (copy.loop == nullptr) {
    for (const ProgramLoop* loop : copy.guarded) {
      if (loop->header != at.k || !with_stretches_.contains(loop)) continue;
      absl::StrAppend(&body_, "if (is_due) goto C", at.k, "_G", at.k, ";\n");
    }
  }
  absl::StrAppend(&body_, "goto ", Label(copy, op, at.k), ";\n");
}

// Of a stretch. The exits of all jumps back from a loop to its header tell of the same state.
void LoopPrinter::PrintEndOfRound(const Copy& copy, int latch) {
  if (copy.independence) {
    absl::StrAppend(&body_, "}\n");
  } else {
    absl::StrAppend(&body_, "if (--left != 0) goto ", copy.prefix, "L", copy.loop->header, ";\n");
  }
  absl::StrAppend(&body_, EndOfStretch(copy, true), "\n");
  PrintPoll(latch, "rounds.credit");
  absl::StrAppend(&body_, "goto ", copy.start, ";\n");
}

// Between two rounds: whether they are as many as may be, or another thread waits.
void LoopPrinter::PrintPoll(int back_edge, absl::string_view credit) {
  const int exit = program_.ops[back_edge].exit;
  exits_used_.insert(exit);
  absl::StrAppend(&body_, "if (__builtin_expect(", credit, " <= 0, 0) && rounds.AreOver()) goto X",
                  exit, "; ");
}

void LoopPrinter::PrintRangeStart(const Copy& copy, int number) {
  const LoopOp& op = program_.ops[number];
  absl::StrAppend(&body_, "{ int64_t count; if (!StartRange(", Int(op.a), ", ", Int(op.a + 1), ", ",
                  Int(op.a + 2), ", &count)) ", Exit(copy, number), " ", Int(op.a + 1), " = ",
                  Int(op.a + 2), "; ", Int(op.a + 2), " = count; }\n");
}

std::string LoopPrinter::StepOf(const Copy& copy, int range) {
  const auto step = copy.steps.find(static_cast<uint16_t>(range));
  return step != copy.steps.end() ? absl::StrCat(step->second) : Int(range + 1);
}

std::string LoopPrinter::StrideOf(const Copy& copy, int32_t packed) {
  const auto element = copy.elements.find(packed);
  if (element == copy.elements.end()) return absl::StrCat("s", packed);
  return absl::StrCat("int64_t{sizeof(", element->second, ")}");
}

void LoopPrinter::PrintRangeNext(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const bool is_of_stretch = copy.stretch.has_value() && op == copy.loop->header;
  if (!is_of_stretch) {
    absl::StrAppend(&body_, "if (", Int(at.a + 2), " == 0) goto ", Label(copy, op, at.k), "; --",
                    Int(at.a + 2), "; ");
  }
  absl::StrAppend(&body_, Int(at.d), " = ", Int(at.a), "; ", Int(at.a), " += ", StepOf(copy, at.a),
                  ";\n", is_of_stretch ? KeptForRound(copy, false) : "");
}

namespace {

// An expression that sets `d`, and is true if Python has something to say of it. Functions of the C
// library are called where they are, by the callee's pointer.
std::string CallOf(const LoopProgram& program, const LoopOp& op, const std::string& a,
                   const std::string& b) {
  const bool binary = op.code == LoopOpCode::kCall2;
  const LoopCallee& callee = program.callees[op.k];
  if (!binary && callee.function != nullptr) {
    const int64_t place = reinterpret_cast<const char*>(&callee.function) -
                          reinterpret_cast<const char*>(program.callees.data());
    return absl::StrCat("((d = FunctionAt<double (*)(double)>(callees + ", place, ")(", a,
                        ")), Raises(d, ", a, ", ", a, "))");
  }
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
  absl::StrAppend(&body_, "{ double d; if (", CallOf(program_, at, Float(at.a), Float(at.b)), ") ",
                  Exit(copy, op), " ", Float(at.d), " = d; }\n");
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
    if (text == nullptr) {
      PrintMemoizedCall(copy, op, a, b);
    } else {
      absl::StrAppend(&body_, "if (", text->step, ") goto ", Unguarded(copy.loop->header),
                      "; same_", op, " = d; ");
    }
    absl::StrAppend(&body_, "}\n");
    hoisted_.insert(op);
  }
}

// A stretch of a few rounds takes no longer than such a call, and the next one has the same
// arguments if they are the same around an outer loop.
void LoopPrinter::PrintMemoizedCall(const Copy& copy, int op, const std::string& a,
                                    const std::string& b) {
  const LoopOp& at = program_.ops[op];
  const bool binary = at.code == LoopOpCode::kCall2;
  const auto bits = [](const std::string& value) {
    return absl::StrCat("__builtin_bit_cast(int64_t, double(", value, "))");
  };
  const std::string of = absl::StrCat("of_", op), with = absl::StrCat("with_", op);
  absl::StrAppend(&body_, "if (!is_known_", op, " || ", of, " != ", bits(a));
  if (binary) absl::StrAppend(&body_, " || ", with, " != ", bits(b));
  absl::StrAppend(&body_, ") { if (", CallOf(program_, at, a, b), ") goto ",
                  Unguarded(copy.loop->header), "; same_", op, " = d; is_known_", op, " = true; ",
                  of, " = ", bits(a), "; ");
  if (binary) absl::StrAppend(&body_, with, " = ", bits(b), "; ");
  absl::StrAppend(&body_, "} ");
  memoized_.insert(op);
}

void LoopPrinter::PrintArrayIndex(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const std::string size = Extent(at.k);
  const std::string step = StrideOf(copy, at.k);
  const auto unchecked = copy.unchecked.find(op);
  if (unchecked == copy.unchecked.end()) return PrintIndex(copy, op, size, step);
  const std::string index = Int(at.b);
  const bool is_plain = unchecked->second == Unchecked::kPlain;
  absl::StrAppend(
      &body_, Int(at.d), " = ", Int(at.a), " + ",
      is_plain ? index : absl::StrCat("(", index, " < 0 ? ", index, " + ", size, " : ", index, ")"),
      " * ", step, ";\n");
}

void LoopPrinter::PrintIndex(const Copy& copy, int number, const std::string& size,
                             const std::string& step) {
  const LoopOp& op = program_.ops[number];
  absl::StrAppend(&body_, "{ int64_t at = ", Int(op.b), "; const int64_t size = ", size,
                  "; if (at < 0) at += size; if (__builtin_expect(uint64_t(at) "
                  ">= uint64_t(size), 0)) ",
                  Exit(copy, number), " ", Int(op.d), " = ", Int(op.a), " + at * ", step, "; }\n");
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

std::string LoopPrinter::OperationName(const Slice1dCall& call) {
  constexpr const char* kOperations[] = {"Add",     "Subtract", "Multiply", "Divide",
                                         "Maximum", "Minimum",  ""};
  return absl::StrCat("windows::", kOperations[static_cast<size_t>(call.operation)]);
}

// What windows.h or slices.h does, before the runtime is asked; empty: nothing.
std::string LoopPrinter::OwnCall(const Slice1dCall& call, const LoopOp& op) {
  using Kind = Slice1dCall::Kind;
  using Operation = Slice1dCall::Operation;
  const std::string operation = OperationName(call);
  const bool is_known = call.operation != Operation::kOther;
  const bool adds = call.operation == Operation::kAdd;
  const int left = call.left_is_slice1d ? call.left_rank : 0;
  const int right = call.right_is_slice1d ? call.right_rank : 0;
  const std::string a = absl::StrCat("r + ", op.a), b = absl::StrCat("r + ", op.b);
  const std::string d = absl::StrCat("r + ", op.d);
  const auto in_scratch = [&](int64_t most) {
    return absl::StrCat("host, ", call.block, ", ", most, ", ");
  };
  const std::string slice = in_scratch(kLongestSlice1d), window = in_scratch(kLargestWindow);
  switch (call.kind) {
    case Kind::kElementwise:
      if (!is_known || !call.is_binary) return "";
      return absl::StrCat("slices::Elementwise<", left, ", ", right, ", ", operation, ">(", slice,
                          a, ", ", b, ", ", d, ")");
    case Kind::kUpdate:
      if (!is_known || !call.is_binary) return "";
      return absl::StrCat("slices::Update<", right, ", ", operation, ">(", slice, a, ", ", b, ")");
    case Kind::kStore:
      return absl::StrCat("slices::Store<", right, ">(", a, ", ", b, ")");
    case Kind::kReduce:
      return adds ? absl::StrCat("slices::Sum(", a, ", ", d, ")") : "";
    case Kind::kGather:
      return absl::StrCat("slices::Gather<", Info(call.index).c_name, ">(", slice, a, ", ", b, ", ",
                          d, ")");
    case Kind::kWindowElementwise:
      return absl::StrCat("windows::Elementwise<", left, ", ", right, ", ", operation, ">(", window,
                          a, ", ", b, ", ", d, ")");
    case Kind::kWindowReduce:
      // Sums along the innermost axis are the runtime's.
      if (adds && ((call.axes >> (left - 1)) & 1) != 0) return "";
      return absl::StrCat("windows::Reduce<", left, ", ", call.axes, ", ", call.result_rank, ", ",
                          operation, ">(", window, a, ", ", d, ")");
    case Kind::kWindowStore:
      if (right != 0 && right != left) return "";
      return absl::StrCat("windows::Store<", left, ", ", right, ">(", kLargestWindow, ", ", a, ", ",
                          b, ")");
    default:
      return "";
  }
}

// Whether the op after it, and nothing else, adds up what this one gives, so that both can be one.
bool LoopPrinter::IsAddedUpNext(int op) const {
  using Kind = Slice1dCall::Kind;
  const auto call_of = [&](int number) -> const Slice1dCall* {
    const LoopOp& at = program_.ops[number];
    return at.code == LoopOpCode::kSlice1d ? &program_.callees[at.k].slice1d : nullptr;
  };
  const int next = op + 1;
  if (next >= static_cast<int>(program_.ops.size()) || flow_.FirstOfBlock(next) == next) {
    return false;
  }
  const Slice1dCall* const one = call_of(op);
  const Slice1dCall* const sum = call_of(next);
  if (one == nullptr || sum == nullptr || one->kind != Kind::kWindowElementwise ||
      sum->kind != Kind::kWindowReduce || sum->operation != Slice1dCall::Operation::kAdd ||
      ((sum->axes >> (sum->left_rank - 1)) & 1) != 0) {
    return false;
  }
  const uint16_t given = program_.ops[op].d;
  const auto has = [given](const std::vector<LoopOperand>& operands) {
    return absl::c_any_of(operands, [given](const LoopOperand& operand) {
      return operand.reg == given && !operand.is_float;
    });
  };
  if (program_.ops[next].a != given || flow_.GoesBetweenBlocks({given, false})) return false;
  for (int i = next + 1; i <= flow_.LastOfBlock(op); ++i) {
    const int exit = program_.ops[i].exit;
    if (has(flow_.registers(i).read) || (exit >= 0 && has(program_.exits[exit]))) return false;
    if (has(flow_.registers(i).set)) return true;
  }
  return true;
}

void LoopPrinter::PrintSlice1d(const Copy& copy, int op) {
  const LoopOp& at = program_.ops[op];
  const bool is_one = IsAddedUpNext(op);
  const int added_up = op > 0 && IsAddedUpNext(op - 1) ? op - 1 : -1;
  if (is_one) {
    const LoopOp& next = program_.ops[op + 1];
    const Slice1dCall& call = program_.callees[at.k].slice1d;
    const Slice1dCall& sum = program_.callees[next.k].slice1d;
    together_.insert(op);
    absl::StrAppend(&body_, PassedTo(call, at), "together_", op, " = ", OwnSum(call, at, sum, next),
                    ";\nif (together_", op, ") { ", Taken(next.d, sum), "} else ");
  }
  if (added_up >= 0) absl::StrAppend(&body_, "if (!together_", added_up, ") ");
  PrintSlice1dCall(copy, op);
}

// Statements that pass an op's operands.
std::string LoopPrinter::PassedTo(const Slice1dCall& call, const LoopOp& op) {
  const bool has_operands = call.kind != Slice1dCall::Kind::kSwap && call.operands == 0;
  const bool scatters = call.kind == Slice1dCall::Kind::kScatter;
  return absl::StrCat(
      Registers(op.a, call.operands, RegisterKind::kInt, true),
      has_operands ? Passed(op.a, call.left_is_slice1d, call.left_rank) : "",
      call.is_binary ? Passed(op.b, scatters || call.right_is_slice1d, call.right_rank) : "",
      scatters ? Passed(op.d, call.right_is_slice1d, 1) : "");
}

// What windows.h does of an operation and a sum of what it gives.
std::string LoopPrinter::OwnSum(const Slice1dCall& call, const LoopOp& op, const Slice1dCall& sum,
                                const LoopOp& next) {
  const int left = call.left_is_slice1d ? call.left_rank : 0;
  const int right = call.right_is_slice1d ? call.right_rank : 0;
  return absl::StrCat("windows::SumOf<", left, ", ", right, ", ", sum.axes, ", ", sum.result_rank,
                      ", ", OperationName(call), ">(host, ", sum.block, ", ", kLargestWindow,
                      ", r + ", op.a, ", r + ", op.b, ", r + ", next.d, ")");
}

void LoopPrinter::PrintSlice1dCall(const Copy& copy, int number) {
  const LoopOp& op = program_.ops[number];
  const Slice1dCall& call = program_.callees[op.k].slice1d;
  const std::string own = OwnCall(call, op);
  absl::StrAppend(
      &body_, "{ ", PassedTo(call, op), "const bool done = ", own, own.empty() ? "" : " || ",
      "DynaccLoopSlice1d(callees + ", op.k * sizeof(LoopCallee), ", host, r, ", op.d, ", ", op.a,
      ", ", op.b, "); ",
      op.exit < 0 ? "(void)done; " : absl::StrCat("if (!done) ", Exit(copy, number), " "),
      Taken(op.d, call), "}\n");
}

}  // namespace dynacc::loops
