// Operations on 1-D slices: what they compute, and that what Python has to do has no effect.
#include "runtime/loops/loop_slices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "codegen/loops/loop_source.h"
#include "codegen/targets/cpu/loop_compiler.h"
#include "runtime/loops/loop_interpreter.h"

namespace dynacc::loops {
namespace {

using Slice1d = LoopSlot[kSlice1dRegisters];
using Kind = Slice1dCall::Kind;

double At(const char* place) { return *reinterpret_cast<const double*>(place); }
void Put(char* place, double value) { *reinterpret_cast<double*>(place) = value; }

template <double (*compute)(double, double)>
void Binary(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < *n; ++i) {
    Put(args[2] + i * steps[2], compute(At(args[0] + i * steps[0]), At(args[1] + i * steps[1])));
  }
}
double Add(double a, double b) { return a + b; }
double Divide(double a, double b) { return a / b; }
constexpr kernel::LibraryLoop kAdd = {Binary<Add>, nullptr};
constexpr kernel::LibraryLoop kDivide = {Binary<Divide>, nullptr};

// 1 by 1 of n by n of n by 1, as NumPy's loop for matrix products is called.
void Multiply(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  double sum = 0;
  for (intptr_t i = 0; i < sizes[2]; ++i) {
    sum += At(args[0] + i * steps[4]) * At(args[1] + i * steps[5]);
  }
  Put(args[2], sum);
}

void SetSlice1d(double* first, int64_t stride, int64_t count, LoopSlot* slice1d) {
  slice1d[0].i = reinterpret_cast<int64_t>(first);
  slice1d[1].i = stride * static_cast<int64_t>(sizeof(double));
  slice1d[2].i = count;
}

std::vector<double> Elements(const LoopSlot* slice1d) {
  std::vector<double> elements;
  for (int64_t i = 0; i < slice1d[2].i; ++i) {
    elements.push_back(At(reinterpret_cast<const char*>(slice1d[0].i) + i * slice1d[1].i));
  }
  return elements;
}

using Numbers = std::vector<double>;

class LoopSlices1d : public testing::Test {
 protected:
  Numbers memory_ = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Slice1d a_, b_, d_;
  LoopScratch scratch_;
};

TEST_F(LoopSlices1d, ComputeWithSlices1dAndNumbers) {
  SetSlice1d(&memory_[0], 1, 3, a_);
  SetSlice1d(&memory_[2], 3, 3, b_);
  ASSERT_TRUE(
      RunSlice1d({.kind = Kind::kElementwise, .is_binary = true}, kAdd, scratch_, a_, b_, d_));
  EXPECT_EQ(Elements(d_), (Numbers{4, 8, 12}));
  LoopSlot number;
  number.f = 10;
  const Slice1dCall call = {
      .kind = Kind::kElementwise, .is_binary = true, .left_is_slice1d = false, .block = 1};
  ASSERT_TRUE(RunSlice1d(call, kAdd, scratch_, &number, b_, d_));
  EXPECT_EQ(Elements(d_), (Numbers{13, 16, 19}));
}

TEST_F(LoopSlices1d, LeaveSizesAndFlagsToPython) {
  SetSlice1d(&memory_[0], 1, 3, a_);
  SetSlice1d(&memory_[4], 1, 2, b_);
  const Numbers before = memory_;
  for (const Kind kind : {Kind::kElementwise, Kind::kUpdate, Kind::kStore, Kind::kDot}) {
    EXPECT_FALSE(RunSlice1d({.kind = kind, .is_binary = true}, kAdd, scratch_, a_, b_, d_));
  }
  LoopSlot zero;
  zero.f = 0;
  const Slice1dCall update = {.kind = Kind::kUpdate, .is_binary = true, .right_is_slice1d = false};
  EXPECT_FALSE(RunSlice1d(update, kDivide, scratch_, a_, &zero, d_));
  EXPECT_EQ(memory_, before);
  zero.f = 2;
  EXPECT_TRUE(RunSlice1d(update, kDivide, scratch_, a_, &zero, d_)) << "flags are forgotten";
  EXPECT_EQ(Elements(a_), (Numbers{0.5, 1, 1.5}));
}

// As if the operands had been copied first.
TEST_F(LoopSlices1d, UpdateWhatTheyRead) {
  SetSlice1d(&memory_[1], 1, 8, a_);
  SetSlice1d(&memory_[0], 1, 8, b_);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kUpdate, .is_binary = true}, kAdd, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{1, 3, 5, 7, 9, 11, 13, 15, 17}));
}

TEST_F(LoopSlices1d, GatherAndScatterByIndices) {
  std::vector<int32_t> indices = {2, -1, 2};
  const auto name = [&] {
    b_[0].i = reinterpret_cast<int64_t>(indices.data());
    b_[1].i = sizeof(int32_t);
    b_[2].i = static_cast<int64_t>(indices.size());
  };
  name();
  SetSlice1d(&memory_[1], 2, 4, a_);  // 2, 4, 6, 8
  const Slice1dCall gather = {.kind = Kind::kGather, .is_binary = true, .index = DType::kInt32};
  ASSERT_TRUE(RunSlice1d(gather, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(Elements(d_), (Numbers{6, 8, 6}));
  Slice1dCall scatter = {.kind = Kind::kScatter, .is_binary = true, .index = DType::kInt32};
  SetSlice1d(&memory_[3], 1, 3, d_);  // 4, 5, 6, of which two are written to
  ASSERT_TRUE(RunSlice1d(scatter, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{1, 2, 3, 4, 5, 6, 7, 5, 9}));
  scatter.right_is_slice1d = false;
  d_[0].f = 0.5;
  ASSERT_TRUE(RunSlice1d(scatter, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{1, 2, 3, 4, 5, 0.5, 7, 0.5, 9}));
  indices = {0, 4};
  name();
  EXPECT_FALSE(RunSlice1d(scatter, {}, scratch_, a_, b_, d_)) << "out of range";
  EXPECT_EQ(memory_[1], 2) << "all are looked at before one is written";
  EXPECT_FALSE(RunSlice1d(gather, {}, scratch_, a_, b_, d_));
}

TEST_F(LoopSlices1d, PartsLieBackwards) {
  constexpr int64_t kLeast = INT64_MIN;
  SetSlice1d(&memory_[0], 1, 9, a_);
  const Slice1dCall part = {.kind = Kind::kPart, .is_binary = true};
  const auto expect = [&](int64_t start, int64_t stop, int64_t step, const Numbers& numbers) {
    b_[0].i = start;
    b_[1].i = stop;
    b_[2].i = step;
    ASSERT_TRUE(RunSlice1d(part, {}, scratch_, a_, b_, d_));
    EXPECT_EQ(Elements(d_), numbers) << start << ":" << stop << ":" << step;
  };
  expect(INT64_MAX, kLeast, -4, {9, 5, 1});
  expect(2, kLeast, -1, {3, 2, 1});
  expect(-1, -4, -2, {9, 7});
  expect(2, 5, -1, {});
  expect(20, 6, 1, {});
}

TEST_F(LoopSlices1d, StoreInTheOrderOfNumPy) {
  const Slice1dCall store = {.kind = Kind::kStore, .is_binary = true};
  SetSlice1d(&memory_[1], 1, 8, a_);
  SetSlice1d(&memory_[0], 1, 8, b_);
  ASSERT_TRUE(RunSlice1d(store, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{1, 1, 2, 3, 4, 5, 6, 7, 8}));
  memory_ = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  SetSlice1d(&memory_[3], 1, 3, a_);  // a row of a 3 x 3 array, from a column that crosses it
  SetSlice1d(&memory_[1], 3, 3, b_);
  ASSERT_TRUE(RunSlice1d(store, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{0, 1, 2, 1, 4, 7, 6, 7, 8}));
  memory_ = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  SetSlice1d(&memory_[8], -1, 9, b_);
  SetSlice1d(&memory_[0], 1, 9, a_);
  ASSERT_TRUE(RunSlice1d(store, {}, scratch_, a_, b_, d_));
  EXPECT_EQ(memory_, (Numbers{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  SetSlice1d(&memory_[0], 0, 2, a_);
  EXPECT_FALSE(RunSlice1d(store, {}, scratch_, a_, b_, d_)) << "elements that lie on each other";
}

TEST_F(LoopSlices1d, MultiplyAndReduce) {
  SetSlice1d(&memory_[0], 2, 4, a_);
  SetSlice1d(&memory_[1], 2, 4, b_);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kDot, .is_binary = true}, {Multiply, nullptr}, scratch_, a_,
                         b_, d_));
  EXPECT_EQ(d_[0].f, 1 * 2 + 3 * 4 + 5 * 6 + 7 * 8);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kReduce}, kAdd, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].f, 16);
  const Slice1dCall from_first = {.kind = Kind::kReduce, .starts_with_first = true};
  SetSlice1d(&memory_[0], 2, 0, a_);
  EXPECT_FALSE(RunSlice1d(from_first, kAdd, scratch_, a_, a_, d_))
      << "nothing has no greatest element";
  memory_[0] = -0.0;
  SetSlice1d(&memory_[0], 1, 1, a_);
  SetSlice1d(&memory_[1], 1, 1, b_);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kDot, .is_binary = true}, {Multiply, nullptr}, scratch_, a_,
                         b_, d_));
  EXPECT_TRUE(std::signbit(d_[0].f)) << "np.dot";
  const Slice1dCall matmul = {.kind = Kind::kDot, .is_binary = true, .is_matmul = true};
  ASSERT_TRUE(RunSlice1d(matmul, {Multiply, nullptr}, scratch_, a_, b_, d_));
  EXPECT_FALSE(std::signbit(d_[0].f)) << "@";
}

TEST_F(LoopSlices1d, AreMadeAnew) {
  SetSlice1d(&memory_[8], -2, 4, a_);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kCopy}, {}, scratch_, a_, a_, d_));
  memory_[8] = 0;
  EXPECT_EQ(Elements(d_), (Numbers{9, 7, 5, 3}));
  LoopSlot number;
  number.f = 0.5;
  const Slice1dCall fill = {.kind = Kind::kFill, .is_binary = true, .right_is_slice1d = false};
  ASSERT_TRUE(RunSlice1d(fill, {}, scratch_, a_, &number, d_));
  EXPECT_EQ(Elements(d_), (Numbers{0.5, 0.5, 0.5, 0.5}));
  for (const int64_t count : {int64_t{-1}, kLongestSlice1d + 1}) {
    a_[2].i = count;
    EXPECT_FALSE(RunSlice1d(fill, {}, scratch_, a_, &number, d_)) << count;
  }
}

TEST_F(LoopSlices1d, HavePartsAndExtremes) {
  SetSlice1d(&memory_[0], 2, 5, a_);
  LoopSlot bounds[3];
  bounds[0].i = -4;
  bounds[1].i = 100;
  bounds[2].i = 2;
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kPart, .is_binary = true}, {}, scratch_, a_, bounds, d_));
  EXPECT_EQ(Elements(d_), (Numbers{3, 7}));
  const Slice1dCall least = {.kind = Kind::kIndexOf};
  const Slice1dCall greatest = {.kind = Kind::kIndexOf, .greatest = true};
  memory_ = {2, 0, -0.0, 0, 0.0, 0, 3, 0, 3};
  ASSERT_TRUE(RunSlice1d(least, {}, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].i, 1) << "the first of equals";
  ASSERT_TRUE(RunSlice1d(greatest, {}, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].i, 3);
  memory_[4] = memory_[6] = std::nan("");
  ASSERT_TRUE(RunSlice1d(least, {}, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].i, 2) << "the first NaN";
  a_[2].i = 0;
  EXPECT_FALSE(RunSlice1d(least, {}, scratch_, a_, a_, d_));
}

TEST_F(LoopSlices1d, HaveMedians) {
  const Slice1dCall median = {.kind = Kind::kMedian};
  memory_ = {3, 0, 1, 0, 2, 0, 7, 0, -5};
  SetSlice1d(&memory_[0], 2, 5, a_);
  ASSERT_TRUE(RunSlice1d(median, {}, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].f, 2);
  EXPECT_EQ(memory_[0], 3) << "its elements stay where they are";
  a_[2].i = 4;
  ASSERT_TRUE(RunSlice1d(median, {}, scratch_, a_, a_, d_));
  EXPECT_EQ(d_[0].f, 2.5);
  for (const int64_t count : {1, 2}) {
    memory_[0] = memory_[2] = -0.0;
    a_[2].i = count;
    ASSERT_TRUE(RunSlice1d(median, {}, scratch_, a_, a_, d_));
    EXPECT_FALSE(std::signbit(d_[0].f)) << "NumPy's sum begins with 0";
  }
  memory_[0] = memory_[2] = std::numeric_limits<double>::max();
  EXPECT_FALSE(RunSlice1d(median, {}, scratch_, a_, a_, d_)) << "NumPy warns of an overflow";
  memory_[2] = std::nan("");
  EXPECT_FALSE(RunSlice1d(median, {}, scratch_, a_, a_, d_));
  a_[2].i = 0;
  EXPECT_FALSE(RunSlice1d(median, {}, scratch_, a_, a_, d_));
}

// What an operation has given outlives its next result where its block has been exchanged.
TEST_F(LoopSlices1d, OutliveTheNextResult) {
  SetSlice1d(&memory_[0], 1, 3, a_);
  const Slice1dCall copy = {.kind = Kind::kCopy};
  ASSERT_TRUE(RunSlice1d(copy, {}, scratch_, a_, a_, d_));
  ASSERT_TRUE(
      RunSlice1d({.kind = Kind::kSwap, .block = 0, .other = 3}, {}, scratch_, a_, a_, nullptr));
  memory_ = {7, 8, 9};
  ASSERT_TRUE(RunSlice1d(copy, {}, scratch_, a_, a_, b_));
  EXPECT_EQ(Elements(d_), (Numbers{1, 2, 3}));
  EXPECT_EQ(Elements(b_), (Numbers{7, 8, 9}));
}

// Memory is taken again where no address that is in use lies in it.
TEST_F(LoopSlices1d, MakeArraysInPools) {
  const auto make = [&](uint16_t pool, std::vector<int64_t> ints) {
    std::vector<LoopSlot> operands(ints.size());
    for (size_t i = 0; i < ints.size(); ++i) operands[i].i = ints[i];
    const Slice1dCall call = {
        .kind = Kind::kNewArray, .other = pool, .operands = static_cast<uint16_t>(ints.size())};
    EXPECT_TRUE(RunSlice1d(call, {}, scratch_, operands.data(), operands.data(), d_));
    return d_[0].i;
  };
  const int64_t bytes = 4 * sizeof(double);
  const int64_t first = make(3, {bytes, reinterpret_cast<int64_t>(memory_.data())});
  d_[1].i = sizeof(double);
  d_[2].i = 4;
  EXPECT_EQ(Elements(d_), (Numbers{1, 2, 3, 4}));
  for (const int64_t inside : {0L, 24L, bytes, -8L}) {
    EXPECT_NE(make(3, {bytes, 0, first + inside}), first) << inside;
  }
  EXPECT_EQ(Elements(d_), (Numbers{0, 0, 0, 0}));
  const int64_t second = d_[0].i;
  EXPECT_NE(make(1, {bytes, 0}), first);
  const int64_t third = make(3, {bytes, first, first, second});
  EXPECT_EQ(Elements(d_), (Numbers{1, 2, 3, 4}));
  std::set<int64_t> made = {first, second, third};
  for (int i = 0; i < 99; ++i) made.insert(make(3, {bytes, 0, second, third}));
  EXPECT_LT(made.size(), 9);
  EXPECT_EQ(scratch_.ArrayAt(3, second + 17), reinterpret_cast<char*>(second));
  EXPECT_EQ(scratch_.ArrayAt(7, second), nullptr);
  EXPECT_EQ(scratch_.ArrayAt(3, 0), nullptr);
}

TEST_F(LoopSlices1d, RepeatAnElement) {
  SetSlice1d(memory_.data(), 1, 7 * sizeof(double), a_);
  std::swap(a_[1], a_[2]);
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kRepeat, .index = DType::kFloat64, .operands = 2}, {},
                         scratch_, a_, a_, d_));
  EXPECT_EQ(memory_, (Numbers{1, 1, 1, 1, 1, 1, 1, 8, 9}));
  a_[1].i = 0;
  ASSERT_TRUE(RunSlice1d({.kind = Kind::kRepeat, .index = DType::kFloat64, .operands = 2}, {},
                         scratch_, a_, a_, d_));
  EXPECT_EQ(memory_[1], 1);
}

// A slice, what is added to it, and its sum: interpreted and compiled.
TEST_F(LoopSlices1d, AreCompiled) {
  LoopProgram program;
  program.callees = {
      {.name = "strip",
       .loop = kAdd,
       .slice1d = {.kind = Kind::kElementwise, .is_binary = true, .right_is_slice1d = false}},
      {.name = "strip", .loop = kAdd, .slice1d = {.kind = Kind::kReduce}}};
  program.ops = {{.code = LoopOpCode::kSlice, .d = 4, .a = 0, .b = 1, .k = PackAxis(0, 0)},
                 {.code = LoopOpCode::kSlice1d, .d = 7, .a = 4, .b = 10, .k = 0, .exit = 0},
                 {.code = LoopOpCode::kSlice1d, .d = 11, .a = 7, .b = 0, .k = 1, .exit = 0},
                 {.code = LoopOpCode::kExit, .exit = 1}};
  program.num_registers = 14;
  program.num_arrays = 1;
  program.exits = {{}, {{11, true}, {6, false}}};
  StridedView view;
  view.dtype = DType::kFloat64;
  view.rank = 1;
  view.data = reinterpret_cast<char*>(memory_.data());
  view.shape[0] = 9;
  view.strides[0] = sizeof(double);
  LoopHost host = {};
  host.scratch = &scratch_;
  static const uint8_t never = 0;
  const auto compiled = cpu::CompileLoop(PrintLoopSource(program));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const bool is_compiled : {false, true}) {
    LoopSlot registers[14] = {};
    registers[1].i = -4;  // [-4:100:2] has 6 and 8
    registers[2].i = 100;
    registers[3].i = 2;
    registers[10].f = 0.5;
    LoopFrame frame = {.registers = registers, .arrays = &view, .poll = &never, .host = &host};
    const int exit = is_compiled ? (*compiled)->Run(program.callees.data(), frame)
                                 : InterpretLoop(program, frame);
    EXPECT_EQ(exit, 1);
    EXPECT_EQ(registers[11].f, 15);
    EXPECT_EQ(registers[6].i, 2);
  }
}

// An item is read and another number put in its place; none is there beyond the end.
TEST_F(LoopSlices1d, HaveItems) {
  LoopProgram program;
  program.ops = {{.code = LoopOpCode::kItem, .d = 4, .a = 0, .b = 3, .exit = 0},
                 {.code = LoopOpCode::kDoubleAt, .d = 5, .a = 4, .exit = 0},
                 {.code = LoopOpCode::kSetDoubleAt, .d = 7, .a = 4, .b = 6, .exit = 0},
                 {.code = LoopOpCode::kExit, .exit = 1}};
  program.num_registers = 8;
  program.exits = {{}, {{5, true}}};
  static const uint8_t never = 0;
  const auto compiled = cpu::CompileLoop(PrintLoopSource(program));
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  for (const bool is_compiled : {false, true}) {
    const auto run = [&](int64_t index, LoopSlot* registers) {
      SetSlice1d(&memory_[1], 2, 3, registers);
      registers[3].i = index;
      registers[6].f = 0.5;
      LoopFrame frame = {.registers = registers, .arrays = nullptr, .poll = &never};
      return is_compiled ? (*compiled)->Run(program.callees.data(), frame)
                         : InterpretLoop(program, frame);
    };
    memory_ = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    LoopSlot registers[8] = {};
    EXPECT_EQ(run(-1, registers), 1);
    EXPECT_EQ(registers[5].f, 6);
    EXPECT_EQ(memory_, (Numbers{1, 2, 3, 4, 5, 0.5, 7, 8, 9}));
    EXPECT_EQ(run(3, registers), 0);
    EXPECT_EQ(run(-4, registers), 0);
  }
}

}  // namespace
}  // namespace dynacc::loops
