// The copies of loops in printed programs: guarded ones, those that speculate, and those with
// rounds side by side. They do what the interpreter does, to the registers at each exit.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/loops/loop_flow.h"
#include "codegen/loops/loop_source.h"
#include "codegen/loops/loop_stretch.h"
#include "codegen/targets/cpu/loop_compiler.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

constexpr int kRegisters = 24;

struct Outcome {
  int exit = 0;
  int64_t rounds = 0;
  LoopSlot registers[kRegisters] = {};
  std::vector<double> elements;
};

// A program on one array of doubles, of one axis or two.
struct Case {
  LoopProgram program;
  std::vector<double> elements;
  std::vector<int64_t> shape;
  int64_t gap = 1;                             // from an element to the next, in elements
  std::vector<std::pair<int, int64_t>> start;  // registers
  int64_t most_rounds = INT64_MAX;
  uint8_t poll = 0;
};

template <typename RunProgram>
Outcome RunWith(const Case& one, RunProgram run) {
  Outcome outcome;
  outcome.elements = one.elements;
  for (const auto& [reg, value] : one.start) outcome.registers[reg].i = value;
  for (const auto& [reg, value] : one.program.constants) outcome.registers[reg] = value;
  StridedView view;
  view.dtype = DType::kFloat64;
  view.rank = static_cast<int>(one.shape.size());
  view.data = reinterpret_cast<char*>(outcome.elements.data());
  int64_t stride = one.gap * static_cast<int64_t>(sizeof(double));
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    view.shape[axis] = one.shape[axis];
    view.strides[axis] = stride;
    stride *= one.shape[axis];
  }
  LoopFrame frame = {.registers = outcome.registers, .arrays = &view, .poll = &one.poll};
  frame.most_rounds = one.most_rounds;
  outcome.exit = run(frame);
  outcome.rounds = frame.rounds;
  return outcome;
}

Outcome Interpreted(const Case& one) {
  return RunWith(one, [&](LoopFrame& frame) { return InterpretLoop(one.program, frame); });
}

Outcome Compiled(const Case& one) {
  const auto compiled = cpu::CompileLoop(PrintLoopSource(one.program));
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  if (!compiled.ok()) return {};
  return RunWith(one, [&](LoopFrame& frame) { return (*compiled)->Run(nullptr, frame); });
}

Outcome ExpectSame(const Case& one) {
  const Outcome expected = Interpreted(one);
  const Outcome actual = Compiled(one);
  EXPECT_EQ(actual.exit, expected.exit);
  EXPECT_EQ(actual.rounds, expected.rounds);
  for (const LoopOperand& operand : one.program.exits[expected.exit]) {
    EXPECT_EQ(actual.registers[operand.reg].i, expected.registers[operand.reg].i) << operand.reg;
  }
  EXPECT_TRUE(absl::c_equal(actual.elements, expected.elements,
                            [](double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }));
  return actual;
}

LoopSlot IntSlot(int64_t value) {
  LoopSlot slot;
  slot.i = value;
  return slot;
}

enum Exit { kIndexExit, kSumExit, kBackExit, kEnd };

// for r3 in range(r0...): f4 += a[r3 + offset]
Case Sum(int64_t offset, std::vector<double> elements, int64_t rounds) {
  Case one;
  one.program.ops = {{.code = Code::kRangeNext, .d = 3, .a = 0, .k = 6},
                     {.code = Code::kAddInt, .d = 5, .a = 3, .b = 8, .exit = kIndexExit},
                     {.code = Code::kIndex, .d = 6, .a = 9, .b = 5, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 7, .a = 6, .k = 0},
                     {.code = Code::kAddFloat, .d = 4, .a = 4, .b = 7, .exit = kSumExit},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 10;
  one.program.num_arrays = 1;
  const std::vector<LoopOperand> all = {{0, false}, {1, false}, {2, false}, {3, false}, {4, true}};
  one.program.exits = {all, all, all, all};
  one.program.constants = {{8, IntSlot(offset)}, {9, IntSlot(0)}};
  one.shape = {static_cast<int64_t>(elements.size())};
  one.elements = std::move(elements);
  one.start = {{0, 0}, {1, 1}, {2, rounds}};
  return one;
}

std::vector<double> Elements(int count) {
  std::vector<double> elements;
  for (int i = 0; i < count; ++i) elements.push_back(0.1 * i - 3);
  return elements;
}

TEST(LoopCopies, SumsGoOnToTheEnd) {
  for (const int count : {0, 1, 255, 256, 257, 1000}) {
    EXPECT_EQ(ExpectSame(Sum(0, Elements(count), count)).exit, kEnd);
  }
}

TEST(LoopCopies, AnIndexOutOfRangeIsMetInItsRound) {
  const Outcome outcome = ExpectSame(Sum(5, Elements(700), 700));
  EXPECT_EQ(outcome.exit, kIndexExit);
  EXPECT_EQ(outcome.registers[3].i, 695);
  EXPECT_EQ(ExpectSame(Sum(-701, Elements(700), 700)).rounds, 0);
}

TEST(LoopCopies, IndicesMayCountFromTheEnd) {
  EXPECT_EQ(ExpectSame(Sum(-300, Elements(700), 700)).exit, kEnd);
  EXPECT_EQ(ExpectSame(Sum(-700, Elements(700), 700)).exit, kEnd);
}

TEST(LoopCopies, WhatRaisesAFlagIsLeftBeforeItComesToAnything) {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const int place : {0, 100, 255, 256, 600}) {
    std::vector<double> elements = Elements(700);
    elements[place] = kMost;
    elements[place + 1] = kMost;
    const Outcome outcome = ExpectSame(Sum(0, elements, 700));
    EXPECT_EQ(outcome.exit, kSumExit);
    EXPECT_EQ(outcome.registers[3].i, place + 1);
    elements[place] = kInfinity;
    elements[place + 1] = -kInfinity;
    EXPECT_EQ(ExpectSame(Sum(0, elements, 700)).registers[3].i, place + 1);
  }
}

TEST(LoopCopies, NumbersThatAreNotFiniteComeThroughIfNothingRaises) {
  std::vector<double> elements = Elements(700);
  elements[300] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ExpectSame(Sum(0, elements, 700)).exit, kEnd);
  elements[300] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ExpectSame(Sum(0, elements, 700)).exit, kEnd);
}

TEST(LoopCopies, RoundsAreCountedToTheLast) {
  for (const int64_t most : {1, 2, 255, 256, 257, 300}) {
    Case one = Sum(0, Elements(700), 700);
    one.most_rounds = most;
    const Outcome outcome = ExpectSame(one);
    EXPECT_EQ(outcome.exit, kBackExit);
    EXPECT_EQ(outcome.rounds, most);
  }
}

TEST(LoopCopies, TheThreadIsGivenUpSoon) {
  Case one = Sum(0, Elements(100'000), 100'000);
  one.poll = 1;
  const Outcome outcome = Compiled(one);
  EXPECT_EQ(outcome.exit, kBackExit);
  EXPECT_LE(outcome.rounds, 256);
}

// for r3 in range(...): for r13 in range(1, r14): a[r3, r13] = a[r3, r13 - 1] / 2
Case Nest(int64_t rows, int64_t columns, int64_t stop) {
  Case one;
  one.program.ops = {{.code = Code::kRangeNext, .d = 3, .a = 0, .k = 16},
                     {.code = Code::kMoveInt, .d = 10, .a = 21},
                     {.code = Code::kMoveInt, .d = 11, .a = 14},
                     {.code = Code::kMoveInt, .d = 12, .a = 21},
                     {.code = Code::kRangeStart, .a = 10, .exit = kIndexExit},
                     {.code = Code::kRangeNext, .d = 13, .a = 10, .k = 15},
                     {.code = Code::kSubInt, .d = 15, .a = 13, .b = 21, .exit = kIndexExit},
                     {.code = Code::kIndex, .d = 16, .a = 20, .b = 3, .k = 0, .exit = kIndexExit},
                     {.code = Code::kIndex, .d = 17, .a = 16, .b = 15, .k = 1, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 18, .a = 17, .k = 0},
                     {.code = Code::kDivFloat, .d = 18, .a = 18, .b = 22, .exit = kSumExit},
                     {.code = Code::kIndex, .d = 17, .a = 16, .b = 13, .k = 1, .exit = kIndexExit},
                     {.code = Code::kStoreFloat64, .a = 17, .b = 18, .k = 0},
                     {.code = Code::kBackEdge, .k = 5, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 23;
  one.program.num_arrays = 1;
  std::vector<LoopOperand> all;
  for (const int reg : {0, 1, 2, 3, 10, 11, 12, 13}) {
    all.push_back({static_cast<uint16_t>(reg), false});
  }
  one.program.exits = {all, all, all, all};
  LoopSlot two;
  two.f = 2;
  one.program.constants = {{20, IntSlot(0)}, {21, IntSlot(1)}, {22, two}};
  one.shape = {rows, columns};
  one.elements = Elements(static_cast<int>(rows * columns));
  one.start = {{0, 0}, {1, 1}, {2, rows}, {14, stop}};
  return one;
}

TEST(LoopCopies, NestsAreGuardedAsAWhole) {
  EXPECT_EQ(ExpectSame(Nest(9, 30, 30)).exit, kEnd);
  EXPECT_EQ(ExpectSame(Nest(9, 30, 0)).exit, kEnd);
  EXPECT_EQ(ExpectSame(Nest(0, 30, 30)).exit, kEnd);
}

TEST(LoopCopies, StoresBeforeAnIndexOutOfRangeAreMade) {
  const Outcome outcome = ExpectSame(Nest(9, 30, 31));
  EXPECT_EQ(outcome.exit, kIndexExit);
  EXPECT_EQ(outcome.registers[3].i, 0);
  EXPECT_EQ(outcome.registers[13].i, 30);
}

TEST(LoopCopies, OnlyLoopsWithoutEffectsSpeculate) {
  const LoopProgram sum = Sum(0, Elements(3), 3).program;
  const LoopFlow flow(sum);
  ASSERT_EQ(flow.loops().size(), 1);
  const auto stretch = StretchOf(sum, flow, flow.loops()[0]);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_TRUE(stretch->speculates);
  EXPECT_EQ(stretch->sums, std::set<uint16_t>{4});
  const LoopProgram nest = Nest(2, 3, 3).program;
  const LoopFlow flow_of_nest(nest);
  ASSERT_EQ(flow_of_nest.loops().size(), 2);
  EXPECT_FALSE(StretchOf(nest, flow_of_nest, flow_of_nest.loops()[0]).has_value());
  const auto inner = StretchOf(nest, flow_of_nest, flow_of_nest.loops()[1]);
  ASSERT_TRUE(inner.has_value());
  EXPECT_FALSE(inner->speculates);
  EXPECT_EQ(inner->last_again, -1);  // one operation is looked at where it is
}

// a[r3, r13] = a[r3, r13 - 1] / 2 * 2, with a variable r19 that is the quotient.
TEST(LoopCopies, OperationsOfARoundWithStoresAreLookedAtTogether) {
  Case one = Nest(4, 30, 30);
  one.program.ops[10].d = 19;
  one.program.ops[11] = {.code = Code::kMulFloat, .d = 18, .a = 19, .b = 22, .exit = kSumExit};
  one.program.ops[12] = {
      .code = Code::kIndex, .d = 17, .a = 16, .b = 13, .k = 1, .exit = kIndexExit};
  one.program.ops.insert(one.program.ops.begin() + 13,
                         {.code = Code::kStoreFloat64, .a = 17, .b = 18, .k = 0});
  for (LoopOp& op : one.program.ops) {
    if (JumpsTo(op) && op.k > 13) ++op.k;
  }
  for (std::vector<LoopOperand>& exit : one.program.exits) exit.push_back({19, true});
  const LoopFlow flow(one.program);
  const auto stretch = StretchOf(one.program, flow, flow.loops()[1]);
  ASSERT_TRUE(stretch.has_value());
  EXPECT_EQ(stretch->absorbed, std::set<int>{10});
  EXPECT_EQ(stretch->telling, std::set<int>{11});
  ASSERT_EQ(stretch->kept.size(), 1);
  EXPECT_EQ(stretch->kept[0].reg, 19);
  EXPECT_EQ(ExpectSame(one).exit, kEnd);
  one.elements[30] = std::numeric_limits<double>::infinity();  // comes through
  EXPECT_EQ(ExpectSame(one).exit, kEnd);
  one.elements[60] = std::numeric_limits<double>::max();
  one.program.constants[2].second.f = 0.25;
  EXPECT_EQ(ExpectSame(one).exit, kSumExit);
}

TEST(LoopCopies, ARoundIsDoneAgainIfItsQuotientTells) {
  Case one = Nest(4, 30, 30);
  one.elements[30] = std::numeric_limits<double>::infinity();  // comes through
  EXPECT_EQ(ExpectSame(one).exit, kEnd);
  one.program.constants[2].second.f = 0.25;
  one.elements[60] = std::numeric_limits<double>::max();
  const Outcome outcome = ExpectSame(one);
  EXPECT_EQ(outcome.exit, kSumExit);
  EXPECT_EQ(outcome.registers[3].i, 2);
  EXPECT_EQ(outcome.registers[13].i, 1);
}

TEST(LoopCopies, LoopsAreFoundThatAreEnteredInTheMiddle) {
  LoopProgram program = Nest(2, 3, 3).program;
  program.ops.insert(program.ops.begin(), {.code = Code::kJumpIf, .a = 14, .k = 6});
  for (size_t i = 1; i < program.ops.size(); ++i) {
    if (JumpsTo(program.ops[i])) ++program.ops[i].k;
  }
  const LoopFlow flow(program);
  ASSERT_EQ(flow.loops().size(), 2);
  EXPECT_EQ(flow.loops()[0].header, 1);
  EXPECT_EQ(flow.loops()[0].entries.size(), 2);
  EXPECT_EQ(flow.loops()[1].header, 6);
  EXPECT_EQ(flow.loops()[1].parent, 0);
}

// for r3 in range(...): for r13 in range(1, r14): a[r3, r13] = a[r3, r13 + 1] / 2
Case Shift(int64_t rows, int64_t columns) {
  Case one = Nest(rows, columns, columns - 1);
  one.program.ops[6].code = Code::kAddInt;
  return one;
}

TEST(LoopCopies, RoundsSideBySideGiveWhatOneAfterTheOtherGives) {
  for (const int64_t columns : {2, 16, 18, 19, 200, 257, 258, 259, 700}) {
    EXPECT_EQ(ExpectSame(Shift(3, columns)).exit, kEnd);
    EXPECT_EQ(ExpectSame(Nest(3, columns, columns)).exit,
              kEnd);  // each of what the last one stored
  }
  Case apart = Shift(3, 300);
  apart.gap = 2;
  apart.elements = Elements(3 * 300 * 2);
  EXPECT_EQ(ExpectSame(apart).exit, kEnd);
}

TEST(LoopCopies, RoundsSideBySideAreTakenBackWhereOneIsPythons) {
  for (const int place : {2, 17, 255, 256, 257, 258, 600}) {
    Case one = Shift(3, 700);
    one.program.constants[2].second.f = 0.25;
    one.elements[700 + place] = std::numeric_limits<double>::max();
    const Outcome outcome = ExpectSame(one);
    EXPECT_EQ(outcome.exit, kSumExit);
    EXPECT_EQ(outcome.registers[3].i, 1);
    EXPECT_EQ(outcome.registers[13].i, place - 1);
    one.elements[700 + place] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(ExpectSame(one).exit, kEnd);
  }
}

TEST(LoopCopies, RoundsSideBySideAreCounted) {
  for (const int64_t most : {1, 15, 16, 256, 257, 1000}) {
    Case one = Shift(3, 700);
    one.most_rounds = most;
    EXPECT_EQ(ExpectSame(one).rounds, most);
  }
}

// As where the first round of a loop is one apart: on a way back, or in the middle of a round.
TEST(LoopCopies, StretchesFollowARoundThatBeganElsewhere) {
  for (const int entry : {14, 8}) {
    Case one = Shift(3, 300);
    std::vector<LoopOp>& ops = one.program.ops;
    ops.insert(ops.begin(), {.code = Code::kJumpIf, .a = 19, .k = entry});
    for (size_t i = 1; i < ops.size(); ++i) {
      if (JumpsTo(ops[i])) ++ops[i].k;
    }
    const LoopFlow flow(one.program);
    EXPECT_EQ(flow.loops()[1].entries.size(), 2);
    EXPECT_TRUE(StretchOf(one.program, flow, flow.loops()[1]).has_value());
    one.start.insert(one.start.end(), {{19, 1}, {10, 5}, {11, 1}, {12, 200}, {13, 4}, {15, 5}});
    const Outcome outcome = ExpectSame(one);
    EXPECT_EQ(outcome.exit, kEnd);
    EXPECT_EQ(outcome.rounds, 1 + 200 + 3 * 298 + 4);
  }
}

// As in a loop around one over a tuple, which is unrolled: a way back that leads on.
TEST(LoopCopies, StretchesGoOnBetweenRoundsThatAreUnrolled) {
  const std::pair<Case, int> cases[] = {
      {Sum(0, Elements(700), 700), 2}, {Nest(3, 700, 700), 7}, {Shift(3, 700), 7}};
  for (auto [one, place] : cases) {
    std::vector<LoopOp>& ops = one.program.ops;
    for (LoopOp& op : ops) {
      if (JumpsTo(op) && op.k >= place) ++op.k;
    }
    ops.insert(ops.begin() + place, {.code = Code::kBackEdge, .k = place + 1, .exit = kBackExit});
    const LoopFlow flow(one.program);
    EXPECT_TRUE(StretchOf(one.program, flow, flow.loops().back()).has_value());
    EXPECT_EQ(ExpectSame(one).exit, kEnd);
  }
}

TEST(LoopCopies, OnlyWhatDependsOnNoOtherRoundIsSideBySide) {
  const auto has_vectors = [](const Case& one) {
    return PrintLoopSource(one.program).find("kept_12[256 * sizeof(double)]") != std::string::npos;
  };
  EXPECT_TRUE(has_vectors(Shift(3, 4)));
  Case of_the_last_round = Shift(3, 4);
  of_the_last_round.program.ops[10].b = 18;  // r18 = r18 / r19, r19 = what was loaded
  of_the_last_round.program.ops[9].d = 19;
  EXPECT_FALSE(has_vectors(of_the_last_round));
}

// for r3 in range(...): if a[r3] < 0: r10 += r11, with a jump back on both ways
Case Count(int64_t sum, int64_t by, int count) {
  Case one = Sum(0, Elements(count), count);
  one.program.ops = {{.code = Code::kRangeNext, .d = 3, .a = 0, .k = 8},
                     {.code = Code::kIndex, .d = 6, .a = 17, .b = 3, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 7, .a = 6, .k = 0},
                     {.code = Code::kLessFloat, .d = 12, .a = 7, .b = 17, .exit = kIndexExit},
                     {.code = Code::kJumpIf, .a = 12, .k = 6},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kAddInt, .d = 10, .a = 10, .b = 11, .exit = kSumExit},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 18;
  one.program.constants = {{17, IntSlot(0)}};
  const std::vector<LoopOperand> all = {
      {0, false}, {1, false}, {2, false}, {3, false}, {10, false}};
  one.program.exits = {all, all, all, all};
  one.start.push_back({10, sum});
  one.start.push_back({11, by});
  return one;
}

TEST(LoopCopies, CountsBehindTestsAreSideBySide) {
  EXPECT_NE(PrintLoopSource(Count(0, 1, 9).program).find("C0_V_E:"), std::string::npos);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (const int count : {1, 15, 16, 17, 255, 256, 257, 700}) {
    for (const int64_t by :
         {int64_t{1}, int64_t{-3}, int64_t{1} << 50, (int64_t{1} << 50) + 1, kMost / 40}) {
      for (const int64_t sum : {int64_t{0}, kMost / 2, kMost / 2 + 2, -kMost / 2 - 3}) {
        ExpectSame(Count(sum, by, count));
      }
    }
  }
  // Of Elements, those below 0 are the first 30.
  Case overflows = Count(kMost - 20, 1, 300);
  EXPECT_EQ(ExpectSame(overflows).exit, kSumExit);
  overflows.start.back().second = kMost / 20;
  EXPECT_EQ(ExpectSame(overflows).exit, kSumExit);
  for (const int64_t most : {1, 15, 16, 256, 257}) {
    Case one = Count(0, 1, 700);
    one.most_rounds = most;
    EXPECT_EQ(ExpectSame(one).rounds, most);
  }
}

TEST(LoopCopies, OnlySumsOfIntsAreHandedOnSideBySide) {
  const auto has_vectors = [](const Case& one) {
    return PrintLoopSource(one.program).find("C0_V_S:") != std::string::npos;
  };
  EXPECT_TRUE(has_vectors(Count(0, 1, 9)));
  EXPECT_FALSE(has_vectors(Sum(0, Elements(9), 9)));  // of floats, in the order of the rounds
  Case doubles = Count(1, 1, 9);
  doubles.program.ops[6].b = 10;
  EXPECT_FALSE(has_vectors(doubles));
  Case asks = Count(0, 1, 9);
  asks.program.ops[3] = {.code = Code::kLessInt, .d = 12, .a = 10, .b = 17, .exit = kIndexExit};
  EXPECT_FALSE(has_vectors(asks));
  Case ends = Count(0, 1, 9);
  ends.program.ops[4].k = 8;
  EXPECT_FALSE(has_vectors(ends));
}

enum class Asks { kElement, kBits, kOrder };

// for r3 in range(...): if a[r3] < 0 (or r3 & 1, or r3 < r14): f4 += a[r3 + offset]
Case SumOfSome(Asks test, int64_t offset, int64_t count) {
  Case one = Sum(offset, Elements(static_cast<int>(count)), count);
  const LoopOp tests[] = {{.code = Code::kLessFloat, .d = 11, .a = 7, .b = 17, .exit = kIndexExit},
                          {.code = Code::kAndInt, .d = 11, .a = 3, .b = 18, .exit = kIndexExit},
                          {.code = Code::kLessInt, .d = 11, .a = 3, .b = 14, .exit = kIndexExit}};
  one.program.ops = {{.code = Code::kRangeNext, .d = 3, .a = 0, .k = 10},
                     {.code = Code::kIndex, .d = 6, .a = 17, .b = 3, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 7, .a = 6, .k = 0},
                     tests[static_cast<int>(test)],
                     {.code = Code::kJumpIfNot, .a = 11, .k = 9},
                     {.code = Code::kAddInt, .d = 5, .a = 3, .b = 16, .exit = kIndexExit},
                     {.code = Code::kIndex, .d = 6, .a = 17, .b = 5, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 7, .a = 6, .k = 0},
                     {.code = Code::kAddFloat, .d = 4, .a = 4, .b = 7, .exit = kSumExit},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 19;
  one.program.constants = {{16, IntSlot(offset)}, {17, IntSlot(0)}, {18, IntSlot(1)}};
  one.start = {{0, 0}, {1, 1}, {2, count}, {14, count - offset}};
  return one;
}

int TimesIn(const std::string& text, const std::string& part) {
  int times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(LoopCopies, IndicesBehindTestsAreGuarded) {
  for (const Asks test : {Asks::kElement, Asks::kBits, Asks::kOrder}) {
    EXPECT_EQ(ExpectSame(SumOfSome(test, 0, 300)).exit, kEnd);
    EXPECT_EQ(ExpectSame(SumOfSome(test, -300, 300)).exit, kEnd);
    // Of Elements, those below 0 are the first 30.
    EXPECT_EQ(ExpectSame(SumOfSome(test, 270, 300)).exit, test == Asks::kBits ? kIndexExit : kEnd);
    EXPECT_EQ(ExpectSame(SumOfSome(test, 271, 300)).exit, test == Asks::kOrder ? kEnd : kIndexExit);
    EXPECT_EQ(ExpectSame(SumOfSome(test, -302, 300)).exit, kIndexExit);
    Case too_far = SumOfSome(test, 290, 300);
    too_far.start[3].second = 11;
    EXPECT_EQ(ExpectSame(too_far).exit, kIndexExit);
  }
  // An index is asked about unless what decides about it may be what keeps it in range, and does
  // not say so.
  const auto asked = [](Asks test) {
    return TimesIn(PrintLoopSource(SumOfSome(test, 1, 9).program), "holds && IsWithin(");
  };
  EXPECT_EQ(asked(Asks::kElement), 2 * asked(Asks::kBits));
  EXPECT_EQ(asked(Asks::kOrder), 2 * asked(Asks::kBits));
}

// for r3 in range(...): if 0 <= (r20 := r3 + offset) < r14: f4 += a[r20], where the second test is
// of a copy
Case SumInside(int64_t offset, int64_t end, int64_t count) {
  Case one = Sum(0, Elements(static_cast<int>(count)), count);
  one.program.ops = {{.code = Code::kRangeNext, .d = 3, .a = 0, .k = 11},
                     {.code = Code::kAddInt, .d = 5, .a = 3, .b = 16, .exit = kIndexExit},
                     {.code = Code::kLessEqualInt, .d = 11, .a = 17, .b = 5, .exit = kIndexExit},
                     {.code = Code::kMoveInt, .d = 15, .a = 5},
                     {.code = Code::kJumpIfNot, .a = 11, .k = 10},
                     {.code = Code::kLessInt, .d = 11, .a = 15, .b = 14, .exit = kIndexExit},
                     {.code = Code::kJumpIfNot, .a = 11, .k = 10},
                     {.code = Code::kIndex, .d = 6, .a = 17, .b = 5, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 7, .a = 6, .k = 0},
                     {.code = Code::kAddFloat, .d = 4, .a = 4, .b = 7, .exit = kSumExit},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 18;
  one.program.constants = {{16, IntSlot(offset)}, {17, IntSlot(0)}};
  one.start = {{0, 0}, {1, 1}, {2, count}, {14, end}};
  return one;
}

TEST(LoopCopies, TestsOfCopiesAreKnown) {
  for (const int64_t offset : {-400, -301, -3, 0, 5, 299, 400}) {
    for (const int64_t end : {-5, 0, 7, 299, 300}) {
      EXPECT_EQ(ExpectSame(SumInside(offset, end, 300)).exit, kEnd);
    }
    EXPECT_EQ(ExpectSame(SumInside(offset, 301, 300)).exit,
              offset > 0 && offset <= 300 ? kIndexExit : kEnd);
  }
  EXPECT_EQ(TimesIn(PrintLoopSource(SumInside(1, 9, 9).program), "holds && IsWithin("), 1);
  // What is changed in between is no copy any more.
  Case changed = SumInside(-7, 300, 300);
  changed.program.ops[5].a = 5;
  changed.program.ops[7].b = 15;
  changed.program.ops[3] = {.code = Code::kAddInt, .d = 15, .a = 5, .b = 14, .exit = kIndexExit};
  EXPECT_EQ(ExpectSame(changed).exit, kIndexExit);
}

// while r3 >= r0 and a[r3] < f5: a[r3 + 1] = a[r3]; r3 += step
Case Insertion(int64_t step, int64_t from, double value) {
  Case one;
  one.program.ops = {{.code = Code::kLessEqualInt, .d = 6, .a = 0, .b = 3, .exit = kIndexExit},
                     {.code = Code::kJumpIfNot, .a = 6, .k = 11},
                     {.code = Code::kIndex, .d = 7, .a = 17, .b = 3, .k = 0, .exit = kIndexExit},
                     {.code = Code::kLoadFloat64, .d = 8, .a = 7, .k = 0},
                     {.code = Code::kLessFloat, .d = 6, .a = 8, .b = 5, .exit = kIndexExit},
                     {.code = Code::kJumpIfNot, .a = 6, .k = 11},
                     {.code = Code::kAddInt, .d = 9, .a = 3, .b = 18, .exit = kIndexExit},
                     {.code = Code::kIndex, .d = 7, .a = 17, .b = 9, .k = 0, .exit = kIndexExit},
                     {.code = Code::kStoreFloat64, .a = 7, .b = 8, .k = 0},
                     {.code = Code::kAddInt, .d = 3, .a = 3, .b = 19, .exit = kSumExit},
                     {.code = Code::kBackEdge, .k = 0, .exit = kBackExit},
                     {.code = Code::kExit, .exit = kEnd}};
  one.program.num_registers = 20;
  one.program.num_arrays = 1;
  const std::vector<LoopOperand> all = {{0, false}, {3, false}};
  one.program.exits = {all, all, all, all};
  one.program.constants = {{17, IntSlot(0)}, {18, IntSlot(1)}, {19, IntSlot(step)}};
  one.elements = Elements(200);
  one.shape = {200};
  LoopSlot limit;
  limit.f = value;
  one.start = {{0, 0}, {3, from}, {5, limit.i}};
  return one;
}

TEST(LoopCopies, AVariableThatIsMovedOnHasAnEnd) {
  for (const int64_t from : {-3, 0, 1, 150, 198, 199, 200, 500}) {
    for (const int64_t step : {-1, -7, 0, 1, 3}) {
      for (const double value : {1e9, 0.0, -1e9}) {
        Case one = Insertion(step, from, value);
        one.most_rounds = 5000;
        ExpectSame(one);
        one.start[0].second = -250;  // further than there are elements, and from the end
        ExpectSame(one);
      }
    }
  }
  const std::string text = PrintLoopSource(Insertion(-1, 5, 0).program);
  EXPECT_NE(text.find("AtLeast("), std::string::npos) << text;
  EXPECT_NE(text.find("holds && IsWithin("), std::string::npos) << text;
}

TEST(LoopCopies, TextHasAGuardAndAStretch) {
  const std::string text = PrintLoopSource(Sum(5, Elements(3), 3).program);
  for (const char* part : {"bool holds = true;", "IsWithin(", "if (!holds) goto L0;",
                           "was_f4 = f4;", "|| !IsFinite(f4)) goto C0_B;", "i6 = i9 + i5 * s0;"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace dynacc::loops
