#include "codegen/loops/loop_source.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {

extern const char kLoopPrelude[];  // embedded at build time

namespace {

enum class Kind { kNone, kInt, kFloat };

// How an op of loop_ops.def is printed.
struct OpText {
  Kind result;
  Kind left;
  Kind right;
  const char* step;     // of arithmetic
  const char* element;  // of memory: the type; loads come before stores
  bool is_store;
};

constexpr Kind kNoneKind = Kind::kNone;
constexpr Kind kIntKind = Kind::kInt;
constexpr Kind kFloatKind = Kind::kFloat;

constexpr OpText kTexts[] = {
#define DYNACC_LOOP_OP(name, result, left, right, step) \
  {k##result##Kind, k##left##Kind, k##right##Kind, #step, nullptr, false},
#define DYNACC_LOOP_MEMORY(name, kind, type)                   \
  {k##kind##Kind, kIntKind, kNoneKind, nullptr, #type, false}, \
      {kNoneKind, kIntKind, k##kind##Kind, nullptr, #type, true},
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
};

class LoopPrinter {
 public:
  explicit LoopPrinter(const LoopProgram& program)
      : program_(program), first_constant_(program.num_registers) {
    for (const auto& [reg, value] : program.constants) {
      first_constant_ = std::min<int>(first_constant_, reg);
    }
  }

  std::string Print() {
    for (const LoopOp& op : program_.ops) {
      if (JumpsTo(op)) targets_.insert(op.k);
    }
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      if (targets_.contains(static_cast<int>(i))) absl::StrAppend(&body_, "L", i, ":\n");
      PrintOp(program_.ops[i]);
    }
    for (const int exit : exits_used_) PrintExit(exit);
    return absl::StrCat(
        "#include \"", kLoopHeaderName,
        "\"\nusing namespace dynacc::loops;\nusing namespace dynacc::loops::loop_math;\nextern "
        "\"C\" int ",
        kLoopFunctionName,
        "(LoopSlot* __restrict r, const char* __restrict arrays, const uint8_t* poll, const "
        "LoopHost* host, const char* callees, int64_t* rounds_out, int64_t most_rounds) {\n"
        "int64_t rounds = 0;\n",
        Declarations(), body_, "}\n");
  }

 private:
  static bool JumpsTo(const LoopOp& op) {
    switch (op.code) {
      case LoopOpCode::kJump:
      case LoopOpCode::kJumpIf:
      case LoopOpCode::kJumpIfNot:
      case LoopOpCode::kBackEdge:
      case LoopOpCode::kRangeNext:
        return true;
      default:
        return false;
    }
  }

  std::string Name(Kind kind, int reg) {
    (kind == Kind::kInt ? ints_ : floats_).insert(reg);
    return absl::StrCat(kind == Kind::kInt ? "i" : "f", reg);
  }
  std::string Int(int reg) { return Name(Kind::kInt, reg); }

  std::string Exit(int exit) {
    exits_used_.insert(exit);
    return absl::StrCat("goto X", exit, ";");
  }

  // Of the array and axis in a packed number, read once.
  std::string Extent(int32_t packed) {
    axes_.insert(packed);
    return absl::StrCat("n", packed);
  }
  std::string Data(int array) {
    arrays_.insert(array);
    return absl::StrCat("data", array);
  }

  void PrintOp(const LoopOp& op) {
    const auto code = static_cast<size_t>(op.code);
    if (code < std::size(kTexts)) {
      kTexts[code].step != nullptr ? PrintStep(kTexts[code], op) : PrintMemory(kTexts[code], op);
    } else {
      PrintOther(op);
    }
  }

  void PrintStep(const OpText& text, const LoopOp& op) {
    absl::StrAppend(&body_, "{ ");
    for (const auto& [name, kind, reg] :
         {std::tuple("a", text.left, op.a), std::tuple("b", text.right, op.b)}) {
      if (kind != Kind::kNone) {
        absl::StrAppend(&body_, "[[maybe_unused]] const auto ", name, " = ", Name(kind, reg), "; ");
      }
    }
    const bool is_int = text.result == Kind::kInt;
    absl::StrAppend(&body_, "[[maybe_unused]] constexpr int k = ", op.k, "; ",
                    is_int ? "int64_t d; " : "double d; ");
    // Some ops, as moves, never exit.
    if (op.exit < 0) {
      absl::StrAppend(&body_, "(void)(", text.step, "); ");
    } else {
      absl::StrAppend(&body_, "if (__builtin_expect(", text.step, ", 0)) ", Exit(op.exit), " ");
    }
    absl::StrAppend(&body_, Name(text.result, op.d), " = d; }\n");
  }

  void PrintMemory(const OpText& text, const LoopOp& op) {
    const std::string place = absl::StrCat(Data(op.k), " + ", Int(op.a));
    if (text.is_store) {
      absl::StrAppend(&body_, "StoreElement<", text.element, ">(", place, ", AsElement<",
                      text.element, ">(", Name(text.right, op.b), "));\n");
    } else {
      absl::StrAppend(&body_, Name(text.result, op.d), " = InRegister(LoadElement<", text.element,
                      ">(", place, "));\n");
    }
  }

  void PrintOther(const LoopOp& op) {
    const std::string there = absl::StrCat("goto L", op.k, ";");
    switch (op.code) {
      case LoopOpCode::kIndex:
        PrintIndex(op, Extent(op.k), absl::StrCat("s", op.k));
        break;
      case LoopOpCode::kItem:
        PrintIndex(op, Int(op.a + 2), Int(op.a + 1));
        break;
      case LoopOpCode::kDim:
        absl::StrAppend(&body_, Int(op.d), " = ", Extent(op.k), ";\n");
        break;
      case LoopOpCode::kOffset:
        absl::StrAppend(&body_, Int(op.d), " = ", Int(op.a), " - (int64_t)", Data(op.k), ";\n");
        break;
      case LoopOpCode::kSlice:
        PrintSlice(op);
        break;
      case LoopOpCode::kSlice1d:
        PrintSlice1d(op);
        break;
      case LoopOpCode::kCall1:
      case LoopOpCode::kCall2:
        PrintCall(op, op.code == LoopOpCode::kCall2);
        break;
      case LoopOpCode::kJump:
        absl::StrAppend(&body_, there, "\n");
        break;
      case LoopOpCode::kJumpIf:
        absl::StrAppend(&body_, "if (", Int(op.a), " != 0) ", there, "\n");
        break;
      case LoopOpCode::kJumpIfNot:
        absl::StrAppend(&body_, "if (", Int(op.a), " == 0) ", there, "\n");
        break;
      case LoopOpCode::kBackEdge:
        absl::StrAppend(&body_,
                        "if (++rounds >= most_rounds || __atomic_load_n(poll, "
                        "__ATOMIC_RELAXED) != 0) ",
                        Exit(op.exit), " ", there, "\n");
        break;
      case LoopOpCode::kRangeStart:
        absl::StrAppend(&body_, "{ int64_t count; if (!StartRange(", Int(op.a), ", ", Int(op.a + 1),
                        ", ", Int(op.a + 2), ", &count)) ", Exit(op.exit), " ", Int(op.a + 1),
                        " = ", Int(op.a + 2), "; ", Int(op.a + 2), " = count; }\n");
        break;
      case LoopOpCode::kRangeNext:
        absl::StrAppend(&body_, "if (", Int(op.a + 2), " == 0) ", there, " --", Int(op.a + 2), "; ",
                        Int(op.d), " = ", Int(op.a), "; ", Int(op.a), " += ", Int(op.a + 1), ";\n");
        break;
      default:
        absl::StrAppend(&body_, Exit(op.exit), "\n");
        break;
    }
  }

  void PrintCall(const LoopOp& op, bool binary) {
    const std::string a = Name(Kind::kFloat, op.a);
    absl::StrAppend(&body_, "{ double d; if (!DynaccLoopCall(callees + ", op.k * sizeof(LoopCallee),
                    ", ", a, ", ", binary ? Name(Kind::kFloat, op.b) : a, ", ",
                    binary ? "true" : "false", ", &d)) ", Exit(op.exit), " ",
                    Name(Kind::kFloat, op.d), " = d; }\n");
  }

  void PrintIndex(const LoopOp& op, const std::string& size, const std::string& step) {
    absl::StrAppend(&body_, "{ int64_t at = ", Int(op.b), "; const int64_t size = ", size,
                    "; if (at < 0) at += size; if (__builtin_expect(uint64_t(at) "
                    ">= uint64_t(size), 0)) ",
                    Exit(op.exit), " ", Int(op.d), " = ", Int(op.a), " + at * ", step, "; }\n");
  }

  void PrintSlice(const LoopOp& op) {
    const std::string extent = Extent(op.k);
    absl::StrAppend(&body_, "{ int64_t first; SliceAxis(", extent, ", s", op.k, ", ", Int(op.b),
                    ", ", Int(op.b + 1), ", ", Int(op.b + 2), ", &first, &", Int(op.d + 1), ", &",
                    Int(op.d + 2), "); ", Int(op.d), " = (int64_t)", Data(ArrayOf(op.k)), " + ",
                    Int(op.a), " + first; }\n");
  }

  // Statements that pass an operand in its registers, or take a result from there.
  std::string Registers(int reg, int count, Kind kind, bool passes) {
    std::string text;
    for (int i = reg; i < reg + count; ++i) {
      const std::string place = absl::StrCat("r[", i, kind == Kind::kInt ? "].i" : "].f");
      const std::string name = Name(kind, i);
      absl::StrAppend(&text, passes ? place : name, " = ", passes ? name : place, "; ");
    }
    return text;
  }
  std::string Passed(int reg, bool is_slice1d) {
    return is_slice1d ? Registers(reg, kSlice1dRegisters, Kind::kInt, true)
                      : Registers(reg, 1, Kind::kFloat, true);
  }
  std::string Taken(int reg, const Slice1dCall& call) {
    if (call.GivesSlice1d()) return Registers(reg, kSlice1dRegisters, Kind::kInt, false);
    if (call.GivesInt()) return Registers(reg, 1, Kind::kInt, false);
    return call.GivesNumber() ? Registers(reg, 1, Kind::kFloat, false) : "";
  }

  void PrintSlice1d(const LoopOp& op) {
    const Slice1dCall& call = program_.callees[op.k].slice1d;
    const bool has_operands = call.kind != Slice1dCall::Kind::kSwap;
    const bool scatters = call.kind == Slice1dCall::Kind::kScatter;
    absl::StrAppend(&body_, "{ ", has_operands ? Passed(op.a, call.left_is_slice1d) : "",
                    call.is_binary ? Passed(op.b, scatters || call.right_is_slice1d) : "",
                    scatters ? Passed(op.d, call.right_is_slice1d) : "",
                    "const bool done = DynaccLoopSlice1d(callees + ", op.k * sizeof(LoopCallee),
                    ", host, r, ", op.d, ", ", op.a, ", ", op.b, "); ",
                    op.exit < 0 ? "(void)done; " : absl::StrCat("if (!done) ", Exit(op.exit), " "),
                    Taken(op.d, call), "}\n");
  }

  void PrintExit(int exit) {
    absl::StrAppend(&body_, "X", exit, ":\n");
    for (const LoopOperand& operand : program_.exits[exit]) {
      const Kind kind = operand.is_float ? Kind::kFloat : Kind::kInt;
      absl::StrAppend(&body_, "r[", operand.reg, "].", operand.is_float ? "f" : "i", " = ",
                      Name(kind, operand.reg), ";\n");
    }
    absl::StrAppend(&body_, "*rounds_out = rounds;\nreturn ", exit, ";\n");
  }

  std::string Declarations() const {
    std::string text;
    const auto declare = [&](const char* type, const char* letter, const std::set<int>& registers) {
      for (const int reg : registers) {
        if (reg >= first_constant_) continue;
        absl::StrAppend(&text, type, " ", letter, reg, " = r[", reg, "].", letter, ";\n");
      }
    };
    declare("int64_t", "i", ints_);
    declare("double", "f", floats_);
    for (const auto& [reg, value] : program_.constants) {
      const std::string bits = absl::StrCat(static_cast<uint64_t>(value.i), "ul");
      absl::StrAppend(&text, "[[maybe_unused]] const int64_t i", reg, " = int64_t(", bits, ");\n");
      absl::StrAppend(&text, "[[maybe_unused]] const double f", reg,
                      " = __builtin_bit_cast(double, ", bits, ");\n");
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
                      " = *(const int64_t*)(arrays + ",
                      view + offsetof(StridedView, strides) + axis, ");\n");
    }
    return text;
  }

  const LoopProgram& program_;
  int first_constant_;
  std::string body_;
  std::set<int> ints_, floats_, arrays_, targets_, exits_used_;
  std::set<int32_t> axes_;
};

}  // namespace

std::string PrintLoopSource(const LoopProgram& program) { return LoopPrinter(program).Print(); }

// In the compiler there is no other file to include.
std::string LoopHeader() {
  std::string header;
  for (const absl::string_view line : absl::StrSplit(kLoopPrelude, '\n')) {
    if (absl::StartsWith(line, "#include") || absl::StartsWith(line, "#pragma once")) continue;
    absl::StrAppend(&header, line, "\n");
  }
  return header;
}

}  // namespace dynacc::loops
