// Printed loop programs: their text, and that, compiled, they do what the interpreter does.
#include "codegen/loops/loop_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "codegen/targets/cpu/loop_compiler.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

struct Outcome {
  int exit;
  LoopSlot registers[8];
};

// What is left of eight registers.
template <typename RunProgram>
Outcome RunWith(const LoopSlot* start, RunProgram run) {
  Outcome outcome;
  std::memcpy(outcome.registers, start, sizeof(outcome.registers));
  static const uint8_t never = 0;
  LoopFrame frame = {.registers = outcome.registers, .arrays = nullptr, .poll = &never};
  outcome.exit = run(frame);
  return outcome;
}

void ExpectSame(const LoopProgram& program, const LoopSlot* start) {
  const auto compiled = cpu::CompileLoop(PrintLoopSource(program));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const Outcome expected =
      RunWith(start, [&](LoopFrame& frame) { return InterpretLoop(program, frame); });
  const Outcome actual = RunWith(
      start, [&](LoopFrame& frame) { return (*compiled)->Run(program.callees.data(), frame); });
  EXPECT_EQ(actual.exit, expected.exit);
  for (const LoopOperand& operand : program.exits[expected.exit]) {
    EXPECT_EQ(actual.registers[operand.reg].i, expected.registers[operand.reg].i);
  }
}

enum class Kind { kInt, kFloat, kNone };

// Each op of numbers, of operands that work and of some where many exit.
LoopProgram OneOp(Code code, Kind result) {
  LoopProgram program;
  program.ops = {{.code = code, .d = 2, .a = 0, .b = 1, .k = 32, .exit = 0},
                 {.code = Code::kExit, .exit = 1}};
  program.num_registers = 3;
  program.exits = {{}, {{2, result == Kind::kFloat}}};
  return program;
}

bool IsOfObjects(Code code) { return code >= Code::kListSize && code <= Code::kDraw; }

void ExpectSameOfNumbers(const char* name, Code code, Kind result, Kind operand) {
  if (IsOfObjects(code)) return;  // they need a host: the front end's tests run them
  SCOPED_TRACE(name);
  const LoopProgram program = OneOp(code, result);
  struct Operands {
    double a, b;
    int64_t i, j;
  };
  for (const Operands& operands : {Operands{9.0, 2.0, 18, 2},
                                   {-7.5, 3.0, -14, 3},
                                   {0x1p62, -1.0, INT64_MIN, -1},
                                   {5.0, 0.0, 10, 0}}) {
    LoopSlot start[8] = {};
    if (operand == Kind::kFloat) {
      start[0].f = operands.a;
      start[1].f = operands.b;
    } else {
      start[0].i = operands.i;
      start[1].i = operands.j;
    }
    ExpectSame(program, start);
  }
}

TEST(LoopSource, EveryOpOfNumbersIsTheInterpreters) {
#define DYNACC_LOOP_OP(name, result, left, right, step) \
  ExpectSameOfNumbers(#name, Code::k##name, Kind::k##result, Kind::k##left);
#define DYNACC_LOOP_MEMORY(name, kind, type)
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
}

// s = 0; for i in range(3, 20, 4): s += i
LoopProgram Sum() {
  LoopProgram program;
  program.ops = {{.code = Code::kRangeStart, .a = 0, .exit = 0},
                 {.code = Code::kRangeNext, .d = 3, .a = 0, .k = 4},
                 {.code = Code::kAddInt, .d = 4, .a = 4, .b = 3, .exit = 0},
                 {.code = Code::kBackEdge, .k = 1, .exit = 2},
                 {.code = Code::kExit, .exit = 1}};
  program.num_registers = 5;
  program.exits = {{}, {{4, false}}, {{0, false}, {2, false}, {3, false}, {4, false}}};
  return program;
}

TEST(LoopSource, LoopsGoRoundAndStopWhereTheyAreTold) {
  LoopSlot start[8] = {};
  start[0].i = 3;
  start[1].i = 20;
  start[2].i = 4;
  ExpectSame(Sum(), start);
  const auto compiled = cpu::CompileLoop(PrintLoopSource(Sum()));
  ASSERT_TRUE(compiled.ok());
  const Outcome outcome = RunWith(start, [&](LoopFrame& frame) {
    frame.most_rounds = 2;
    const int exit = (*compiled)->Run(nullptr, frame);
    EXPECT_EQ(frame.rounds, 2);
    return exit;
  });
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_EQ(outcome.registers[4].i, 3 + 7);
  EXPECT_EQ(outcome.registers[2].i, 3);  // rounds left
}

TEST(LoopSource, TextSaysWhatTheOpsDo) {
  const std::string text = PrintLoopSource(Sum());
  EXPECT_NE(text.find("if (i2 == 0) goto L4; --i2; i3 = i0; i0 += i1;"), std::string::npos) << text;
  EXPECT_NE(text.find("__builtin_add_overflow(a, b, &d), 0)) goto X0; i4 = d; }"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("X1:\nr[4].i = i4;\n*rounds_out = rounds.Done();\nreturn 1;\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace dynacc::loops
