// Loops of a few rounds, unrolled: the program does what it did before, to the registers at each
// exit, for the inputs that were assumed and for others.
#include "codegen/loops/loop_unrolling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_source.h"
#include "codegen/targets/cpu/loop_compiler.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

enum Register : uint16_t {
  kOuter = 0,    // and two more: the outer range
  kRow = 3,      // its number
  kSum = 4,      // a float
  kElement = 5,  // a float
  kInner = 6,    // and two more: the inner range
  kOffset = 9,   // its number
  kPlace = 10,
  kAddress = 11,
  kSize = 12,  // an input
  kTest = 13,
  kZero = 14,  // constants from here on
  kOne = 15,
  kStart = 16,
  kStop = 17,
  kRegisters = 64,  // with room for constants of unrolled programs
};

enum Exit { kPlaceExit, kIndexExit, kSumExit, kInnerExit, kRangeExit, kOuterExit, kEnd };

struct Outcome {
  int exit = 0;
  LoopSlot registers[kRegisters] = {};
  std::vector<double> elements;
};

LoopSlot IntSlot(int64_t value) {
  LoopSlot slot;
  slot.i = value;
  return slot;
}

// for row in range(...): sum = 0.0; for offset in range(start, stop): sum += a[row + offset]
//                        a[row] = sum
// `stop` is a constant, or the input kSize. Offsets of 0 are left out if `leaves_out_zero`.
LoopProgram Windows(int64_t start, std::optional<int64_t> stop, bool leaves_out_zero = false) {
  LoopProgram program;
  const uint16_t last = stop ? kStop : kSize;
  program.ops = {
      /* 0*/ {.code = Code::kRangeNext, .d = kRow, .a = kOuter, .k = 18},
      /* 1*/ {.code = Code::kMoveFloat, .d = kSum, .a = kZero},
      /* 2*/ {.code = Code::kMoveInt, .d = kInner, .a = kStart},
      /* 3*/ {.code = Code::kMoveInt, .d = kInner + 1, .a = last},
      /* 4*/ {.code = Code::kMoveInt, .d = kInner + 2, .a = kOne},
      /* 5*/ {.code = Code::kRangeStart, .a = kInner, .exit = kRangeExit},
      /* 6*/ {.code = Code::kRangeNext, .d = kOffset, .a = kInner, .k = 15},
      /* 7*/ {.code = Code::kNotEqualInt, .d = kTest, .a = kOffset, .b = kZero, .exit = kPlaceExit},
      /* 8*/
      {.code = leaves_out_zero ? Code::kJumpIfNot : Code::kJumpIf,
       .a = leaves_out_zero ? kTest : kZero,
       .k = 14},
      /* 9*/ {.code = Code::kAddInt, .d = kPlace, .a = kRow, .b = kOffset, .exit = kPlaceExit},
      /*10*/ {.code = Code::kIndex, .d = kAddress, .a = kZero, .b = kPlace, .exit = kIndexExit},
      /*11*/ {.code = Code::kLoadFloat64, .d = kElement, .a = kAddress},
      /*12*/ {.code = Code::kAddFloat, .d = kSum, .a = kSum, .b = kElement, .exit = kSumExit},
      /*13*/ {.code = Code::kJump, .k = 14},
      /*14*/ {.code = Code::kBackEdge, .k = 6, .exit = kInnerExit},
      /*15*/ {.code = Code::kIndex, .d = kAddress, .a = kZero, .b = kRow, .exit = kIndexExit},
      /*16*/ {.code = Code::kStoreFloat64, .a = kAddress, .b = kSum},
      /*17*/ {.code = Code::kBackEdge, .k = 0, .exit = kOuterExit},
      /*18*/ {.code = Code::kExit, .exit = kEnd}};
  program.num_registers = kStop + 1;
  program.num_arrays = 1;
  std::vector<LoopOperand> all;
  for (uint16_t reg = 0; reg <= kOffset; ++reg) {
    all.push_back({reg, reg == kSum || reg == kElement});
  }
  program.exits.assign(kEnd + 1, all);
  program.constants = {{kZero, IntSlot(0)},
                       {kOne, IntSlot(1)},
                       {kStart, IntSlot(start)},
                       {kStop, IntSlot(stop.value_or(0))}};
  return program;
}

std::vector<double> Elements(int count) {
  std::vector<double> elements;
  for (int i = 0; i < count; ++i) elements.push_back(0.1 * i - 3);
  return elements;
}

// Of rows [first, first + rows) with that value of kSize.
struct Sweep {
  int64_t first = 0;
  int64_t rows = 0;
  int64_t size = 0;
  std::vector<double> elements;
};

template <typename RunProgram>
Outcome RunWith(const LoopProgram& program, const Sweep& sweep, RunProgram go) {
  static const uint8_t poll = 0;
  Outcome outcome;
  outcome.elements = sweep.elements;
  outcome.registers[kOuter].i = sweep.first;
  outcome.registers[kOuter + 1].i = 1;
  outcome.registers[kOuter + 2].i = sweep.rows;
  outcome.registers[kSize].i = sweep.size;
  for (const auto& [reg, value] : program.constants) outcome.registers[reg] = value;
  StridedView view;
  view.dtype = DType::kFloat64;
  view.rank = 1;
  view.data = reinterpret_cast<char*>(outcome.elements.data());
  view.shape[0] = static_cast<int64_t>(sweep.elements.size());
  view.strides[0] = sizeof(double);
  LoopFrame frame = {.registers = outcome.registers, .arrays = &view, .poll = &poll};
  outcome.exit = go(frame);
  return outcome;
}

Outcome Interpreted(const LoopProgram& program, const Sweep& sweep) {
  return RunWith(program, sweep, [&](LoopFrame& frame) { return InterpretLoop(program, frame); });
}

void ExpectSame(const LoopProgram& program, const Outcome& actual, const Outcome& expected) {
  EXPECT_EQ(actual.exit, expected.exit);
  for (const LoopOperand& operand : program.exits[expected.exit]) {
    EXPECT_EQ(actual.registers[operand.reg].i, expected.registers[operand.reg].i) << operand.reg;
  }
  EXPECT_EQ(0, std::memcmp(actual.elements.data(), expected.elements.data(),
                           expected.elements.size() * sizeof(double)));
}

LoopInputs InputsWith(int64_t size) {
  LoopInputs inputs;
  inputs.registers.assign(kRegisters, 0);
  inputs.registers[kSize] = size;
  inputs.extents.assign(kMaxRank, 0);
  return inputs;
}

int CountOf(const LoopProgram& program, Code code) {
  return static_cast<int>(std::count_if(program.ops.begin(), program.ops.end(),
                                        [&](const LoopOp& op) { return op.code == code; }));
}

TEST(LoopUnrolling, ConstantRangesAreWrittenOut) {
  const LoopProgram program = Windows(-1, 2);
  const std::optional<UnrolledLoop> unrolled = Unrolled(program, {});
  ASSERT_TRUE(unrolled.has_value());
  EXPECT_TRUE(unrolled->assumptions.empty());
  EXPECT_EQ(CountOf(unrolled->program, Code::kRangeNext), 1);
  EXPECT_EQ(CountOf(unrolled->program, Code::kBackEdge), 1);
  EXPECT_EQ(CountOf(unrolled->program, Code::kLoadFloat64), 3);
  for (const int64_t first : {1, 0, 60, -3}) {
    const Sweep sweep = {first, 80, 0, Elements(100)};
    const Outcome expected = Interpreted(program, sweep);
    ExpectSame(program, Interpreted(unrolled->program, sweep), expected);
  }
}

TEST(LoopUnrolling, TestsOfItsNumbersAreDecided) {
  const LoopProgram program = Windows(-2, 3, true);
  const std::optional<UnrolledLoop> unrolled = Unrolled(program, {});
  ASSERT_TRUE(unrolled.has_value());
  EXPECT_EQ(CountOf(unrolled->program, Code::kJumpIfNot), 0);
  EXPECT_EQ(CountOf(unrolled->program, Code::kLoadFloat64), 4);
  const Sweep sweep = {2, 90, 0, Elements(100)};
  ExpectSame(program, Interpreted(unrolled->program, sweep), Interpreted(program, sweep));
}

TEST(LoopUnrolling, ExitsInTheMiddleTellOfTheRound) {
  const LoopProgram program = Windows(-1, 2);
  const UnrolledLoop unrolled = *Unrolled(program, {});
  std::vector<double> elements = Elements(100);
  elements[40] = std::numeric_limits<double>::signaling_NaN();
  elements[41] = std::numeric_limits<double>::infinity();
  elements[42] = -std::numeric_limits<double>::infinity();
  const Sweep sweep = {1, 98, 0, elements};
  const Outcome expected = Interpreted(program, sweep);
  EXPECT_NE(expected.exit, kEnd);
  ExpectSame(program, Interpreted(unrolled.program, sweep), expected);
}

TEST(LoopUnrolling, RangesThatAreShortInARunAreAssumedToBe) {
  const LoopProgram program = Windows(0, std::nullopt);
  EXPECT_FALSE(Unrolled(program, {}).has_value());
  const std::optional<UnrolledLoop> unrolled = Unrolled(program, InputsWith(3));
  ASSERT_TRUE(unrolled.has_value());
  ASSERT_EQ(unrolled->assumptions.size(), 1u);
  EXPECT_FALSE(unrolled->assumptions[0].is_extent);
  EXPECT_EQ(unrolled->assumptions[0].what, kSize);
  EXPECT_EQ(unrolled->assumptions[0].value, 3);
  const Sweep sweep = {0, 97, 3, Elements(100)};
  ExpectSame(program, Interpreted(unrolled->program, sweep), Interpreted(program, sweep));
}

TEST(LoopUnrolling, CompiledProgramsTakeOtherInputs) {
  const LoopProgram program = Windows(0, std::nullopt);
  const auto compiled = cpu::CompileLoop(PrintLoopSource(program, InputsWith(3)));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const int64_t size : {3, 0, 1, 5, 50}) {
    for (const int64_t rows : {40, 99}) {
      const Sweep sweep = {0, rows, size, Elements(100)};
      const Outcome actual = RunWith(
          program, sweep, [&](LoopFrame& frame) { return (*compiled)->Run(nullptr, frame); });
      ExpectSame(program, actual, Interpreted(program, sweep));
    }
  }
}

TEST(LoopUnrolling, LongRangesStayLoops) {
  EXPECT_TRUE(Unrolled(Windows(0, 16), {}).has_value());
  EXPECT_FALSE(Unrolled(Windows(0, 17), {}).has_value());
  EXPECT_FALSE(Unrolled(Windows(0, 1000), {}).has_value());
  EXPECT_FALSE(Unrolled(Windows(0, std::nullopt), InputsWith(17)).has_value());
}

// Rows that are few, too: all of it would be too much.
TEST(LoopUnrolling, OfLoopsAroundOneAnotherTheInnermostOnesAreUnrolled) {
  LoopProgram program = Windows(0, 14);
  const std::vector<LoopOp> start = {{.code = Code::kMoveInt, .d = kOuter, .a = kZero},
                                     {.code = Code::kMoveInt, .d = kOuter + 1, .a = kStop},
                                     {.code = Code::kMoveInt, .d = kOuter + 2, .a = kOne},
                                     {.code = Code::kRangeStart, .a = kOuter, .exit = kRangeExit}};
  for (LoopOp& op : program.ops) {
    if (JumpsTo(op)) op.k += static_cast<int32_t>(start.size());
  }
  program.ops.insert(program.ops.begin(), start.begin(), start.end());
  const std::optional<UnrolledLoop> unrolled = Unrolled(program, {});
  ASSERT_TRUE(unrolled.has_value());
  EXPECT_EQ(CountOf(unrolled->program, Code::kRangeNext), 1);
  EXPECT_EQ(CountOf(unrolled->program, Code::kLoadFloat64), 14);
  const Sweep sweep = {0, 0, 0, Elements(100)};
  ExpectSame(program, Interpreted(unrolled->program, sweep), Interpreted(program, sweep));
}

TEST(LoopUnrolling, ProgramsThatGrowTooMuchStayAsTheyAre) {
  LoopProgram program = Windows(0, 8);
  std::vector<LoopOp> many(
      120, {.code = Code::kAddFloat, .d = kSum, .a = kSum, .b = kElement, .exit = kSumExit});
  for (LoopOp& op : program.ops) {
    if (op.k > 13) op.k += static_cast<int32_t>(many.size());
  }
  program.ops.insert(program.ops.begin() + 13, many.begin(), many.end());
  EXPECT_FALSE(Unrolled(program, {}).has_value());
}

}  // namespace
}  // namespace dynacc::loops
