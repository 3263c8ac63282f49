// Loop programs, made by hand: what each op computes, where it exits, and what memory it leaves.
#include "runtime/loops/loop_interpreter.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/loops/loop_math.h"
#include "runtime/loops/undo_log.h"

namespace dynacc::loops {
namespace {

using Code = LoopOpCode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Registers 0 and 1 are the operands, 2 is the result. Ends with exit 1; an op that exits does so
// with exit 0.
class OneOp {
 public:
  explicit OneOp(Code code, int32_t k = 0) {
    program_.ops = {{.code = code, .d = 2, .a = 0, .b = 1, .k = k, .exit = 0},
                    {.code = Code::kExit, .exit = 1}};
    program_.num_registers = 3;
  }
  bool Ints(int64_t a, int64_t b) {
    registers_[0].i = a;
    registers_[1].i = b;
    return Run();
  }
  bool Floats(double a, double b) {
    registers_[0].f = a;
    registers_[1].f = b;
    return Run();
  }
  int64_t i() const { return registers_[2].i; }
  double f() const { return registers_[2].f; }

 private:
  bool Run() {
    LoopFrame frame = {.registers = registers_, .arrays = nullptr, .poll = &poll_};
    return InterpretLoop(program_, frame) == 1;
  }

  LoopProgram program_;
  LoopSlot registers_[3] = {};
  uint8_t poll_ = 0;
};

TEST(LoopInterpreter, IntsAreExactOrExit) {
  OneOp add(Code::kAddInt);
  EXPECT_TRUE(add.Ints(3, 4));
  EXPECT_EQ(add.i(), 7);
  EXPECT_FALSE(add.Ints(INT64_MAX, 1));
  OneOp multiply(Code::kMulInt);
  EXPECT_FALSE(multiply.Ints(int64_t{1} << 32, int64_t{1} << 31));
  OneOp negate(Code::kNegInt);
  EXPECT_FALSE(negate.Ints(INT64_MIN, 0));
  EXPECT_FALSE(OneOp(Code::kAbsInt).Ints(INT64_MIN, 0));
}

TEST(LoopInterpreter, SlicesMayStepBeyondAllMemory) {
  int64_t first = 0, apart = 0, count = 0;
  loop_math::SliceAxis(10, 8, 3, INT64_MAX, int64_t{1} << 62, &first, &apart, &count);
  EXPECT_EQ(std::pair(first, count), std::pair(int64_t{24}, int64_t{1}));
  loop_math::SliceAxis(10, 8, 3, loop_math::kLeastInt, -INT64_MAX, &first, &apart, &count);
  EXPECT_EQ(std::pair(first, count), std::pair(int64_t{24}, int64_t{1}));
}

// What each op gives of 9 and 2, as ints or floats.
const std::map<std::string, double>& ResultsOfNineAndTwo() {
  static const auto& results = *new std::map<std::string, double>{
      {"MoveInt", 9},    {"MoveFloat", 9},      {"AddInt", 11},       {"SubInt", 7},
      {"MulInt", 18},    {"FloorDivInt", 4},    {"ModInt", 1},        {"PowInt", 81},
      {"AndInt", 0},     {"OrInt", 11},         {"XorInt", 11},       {"ShiftLeft", 36},
      {"ShiftRight", 2}, {"NegInt", -9},        {"AbsInt", 9},        {"InvertInt", -10},
      {"NotInt", 0},     {"TruthInt", 1},       {"AddFloat", 11},     {"SubFloat", 7},
      {"MulFloat", 18},  {"DivFloat", 4.5},     {"FloorDivFloat", 4}, {"ModFloat", 1},
      {"PowFloat", 81},  {"NegFloat", -9},      {"AbsFloat", 9},      {"SqrtFloat", 3},
      {"RoundFloat", 9}, {"BitLength", 4},      {"FloorFloat", 9},    {"CeilFloat", 9},
      {"ToFloat", 9},    {"ToFloatExactly", 9}, {"ToInt", 9},         {"ToSingle", 9},
      {"FitsBits", 9},   {"FitsUnsigned", 9},   {"LessInt", 0},       {"LessEqualInt", 0},
      {"EqualInt", 0},   {"NotEqualInt", 1},    {"LessFloat", 0},     {"LessEqualFloat", 0},
      {"EqualFloat", 0}, {"NotEqualFloat", 1},  {"ToDouble", 9},
  };
  return results;
}

// Those of loop_objects.h and undo_log.h have tests of their own.
const std::set<std::string>& OpsOnMemory() {
  static const auto& ops = *new std::set<std::string>{
      "ListSize",       "ItemPlace", "ItemFloat",   "ItemInt",       "ItemOther",
      "ItemOtherFloat", "ItemList",  "SetItemInt",  "SetItemFloat",  "SetItemOtherFloat",
      "PopItem",        "AppendInt", "AppendFloat", "ItemTuple",     "PlaceAfter",
      "Draw",           "DoubleAt",  "SetDoubleAt", "ItemTaggedInt", "Remember",
      "Commit"};
  return ops;
}

enum class Kind { kInt, kFloat, kNone };

void ExpectNineAndTwo(const char* name, Code code, Kind result, Kind operand) {
  SCOPED_TRACE(name);
  OneOp op(code, 32);
  ASSERT_TRUE(operand == Kind::kInt ? op.Ints(9, 2) : op.Floats(9, 2));
  const double value = result == Kind::kInt ? static_cast<double>(op.i()) : op.f();
  ASSERT_TRUE(ResultsOfNineAndTwo().contains(name));
  EXPECT_EQ(value, ResultsOfNineAndTwo().at(name));
}

TEST(LoopInterpreter, EveryOpGivesItsResult) {
#define DYNACC_LOOP_OP(name, result, left, right, step)                     \
  if (!OpsOnMemory().contains(#name)) {                                     \
    ExpectNineAndTwo(#name, Code::k##name, Kind::k##result, Kind::k##left); \
  }
#define DYNACC_LOOP_MEMORY(name, kind, type)
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
}

// What a program has stored since the last Commit is taken back, the last store first.
TEST(LoopInterpreter, StoresAreRememberedUntilTheyAreCommitted) {
  auto log = std::make_unique<UndoLog>();
  LoopHost host = {};
  host.undo = log.get();
  int64_t elements[] = {1, 2};
  uint8_t byte = 7;
  const auto run = [&](Code code, const void* address, int32_t size) {
    LoopProgram program;
    program.ops = {{.code = code, .d = 1, .a = 0, .k = size, .exit = 0},
                   {.code = Code::kExit, .exit = 1}};
    LoopSlot registers[2] = {};
    registers[0].i = reinterpret_cast<int64_t>(address);
    const uint8_t poll = 0;
    LoopFrame frame = {.registers = registers, .arrays = nullptr, .poll = &poll, .host = &host};
    return InterpretLoop(program, frame) == 1;
  };
  ASSERT_TRUE(run(Code::kRemember, &elements[0], 8));
  elements[0] = 10;
  ASSERT_TRUE(run(Code::kCommit, nullptr, 0));
  for (const int64_t value : {20, 30}) {
    ASSERT_TRUE(run(Code::kRemember, &elements[0], 8));
    elements[0] = value;
  }
  ASSERT_TRUE(run(Code::kRemember, &byte, 1));
  byte = 9;
  log->RollBack();
  EXPECT_EQ(elements[0], 10);
  EXPECT_EQ(elements[1], 2);
  EXPECT_EQ(byte, 7);
  for (int64_t i = 0; i < UndoLog::kMostStores; ++i) {
    ASSERT_TRUE(run(Code::kRemember, &elements[1], 8));
  }
  EXPECT_FALSE(log->is_full);
  EXPECT_FALSE(run(Code::kRemember, &elements[1], 8));
  EXPECT_TRUE(log->is_full);
}

using loop_math::FloatBox;
using loop_math::IntBox;
using loop_math::ListBox;
using loop_math::TupleBox;

const char kFloats = 0, kInts = 0, kLists = 0, kTuples = 0;

struct TupleOfOne {  // as CPython 3.14 has it: a hash is before the items
  TupleBox head;
  int64_t hash;
  void* item;
};

bool UnboxNine(void* const* place, int type, LoopSlot* value) {
  if (*place == nullptr) return false;
  (type == 1 ? value->f = 9 : value->i = 9);
  return true;
}
bool ReplaceNever(void**, int, const LoopSlot*) { return false; }
bool AppendIfThree(void*, int type, const LoopSlot* value) {
  return type == 1 ? value->f == 3 : value->i == 3;
}
bool DrawHalf(void*, double* value) {
  *value = 0.5;
  return true;
}
bool PopAlways(void* list) {
  --static_cast<ListBox*>(list)->size;
  return true;
}

// A list of a float, an int and a list. Each op is run where it works, and where it does not.
TEST(LoopInterpreter, ListsAreReadAndWrittenWhereTypesAgree) {
  FloatBox number = {{1, &kFloats}, 2.5};
  IntBox integer = {{1, &kInts}, -2, {7, 1}};
  void* items[] = {&number, &integer, nullptr};
  ListBox list = {{1, &kLists}, 3, items};
  items[2] = &list;
  const LoopHost host = {.list_type = &kLists,
                         .int_type = &kInts,
                         .tuple_type = &kTuples,
                         .tuple_items = offsetof(TupleOfOne, item),
                         .types = {&kInts, &kFloats},
                         .unbox = UnboxNine,
                         .replace = ReplaceNever,
                         .append = AppendIfThree,
                         .pop = PopAlways,
                         .draw = DrawHalf};
  LoopSlot r[3] = {};
  const auto run = [&](Code code, int64_t a, LoopSlot b, int k) {
    LoopProgram program;
    program.ops = {{.code = code, .d = 2, .a = 0, .b = 1, .k = k, .exit = 0},
                   {.code = Code::kExit, .exit = 1}};
    LoopFrame frame = {.registers = r, .arrays = nullptr, .poll = nullptr, .host = &host};
    r[0].i = a;
    r[1] = b;
    return InterpretLoop(program, frame) == 1;
  };
  LoopSlot index;
  const auto place_of = [&](int64_t at) {
    index.i = at;
    EXPECT_TRUE(run(Code::kItemPlace, reinterpret_cast<int64_t>(&list), index, 0));
    return r[2].i;
  };
  index.i = 3;
  EXPECT_FALSE(run(Code::kItemPlace, reinterpret_cast<int64_t>(&list), index, 0));
  EXPECT_EQ(place_of(-1), reinterpret_cast<int64_t>(items + 2));
  EXPECT_TRUE(run(Code::kItemFloat, place_of(0), index, 1));
  EXPECT_EQ(r[2].f, 2.5);
  EXPECT_FALSE(run(Code::kItemFloat, place_of(1), index, 1));
  EXPECT_TRUE(run(Code::kItemInt, place_of(1), index, 0));
  EXPECT_EQ(r[2].i, -((int64_t{1} << 30) + 7));
  EXPECT_TRUE(run(Code::kItemList, place_of(2), index, 0));
  EXPECT_EQ(r[2].i, reinterpret_cast<int64_t>(&list));
  EXPECT_FALSE(run(Code::kItemList, place_of(0), index, 0));
  EXPECT_TRUE(run(Code::kItemOther, place_of(0), index, 0));
  EXPECT_EQ(r[2].i, 9);
  EXPECT_TRUE(run(Code::kItemOtherFloat, place_of(0), index, 1));
  EXPECT_EQ(r[2].f, 9);
  TupleOfOne tuple = {{{1, &kTuples}, 1}, 0, &number};
  void* of_tuple = &tuple;
  const auto tuple_place = reinterpret_cast<int64_t>(&of_tuple);
  EXPECT_FALSE(run(Code::kItemTuple, tuple_place, index, 2));
  EXPECT_FALSE(run(Code::kItemTuple, place_of(0), index, 1));
  EXPECT_TRUE(run(Code::kItemTuple, tuple_place, index, 1));
  EXPECT_TRUE(run(Code::kItemFloat, r[2].i, index, 1));
  EXPECT_EQ(r[2].f, 2.5);
  const int64_t last = place_of(2);
  EXPECT_TRUE(run(Code::kPlaceAfter, place_of(0), index, 2));
  EXPECT_EQ(r[2].i, last);
  EXPECT_TRUE(run(Code::kDraw, 0, index, 0));
  EXPECT_EQ(r[2].f, 0.5);
  LoopSlot value;
  value.f = 3;
  EXPECT_TRUE(run(Code::kSetItemFloat, place_of(0), value, 1));
  EXPECT_EQ(number.value, 3);
  number.head.references = 2;
  EXPECT_FALSE(run(Code::kSetItemFloat, place_of(0), value, 1));
  EXPECT_TRUE(run(Code::kAppendFloat, reinterpret_cast<int64_t>(&list), value, 1));
  value.i = 3;
  EXPECT_TRUE(run(Code::kAppendInt, reinterpret_cast<int64_t>(&list), value, 0));
  EXPECT_FALSE(run(Code::kSetItemOtherFloat, place_of(0), value, 1));
  EXPECT_FALSE(run(Code::kSetItemInt, place_of(1), value, 0));
  EXPECT_TRUE(run(Code::kListSize, reinterpret_cast<int64_t>(&list), value, 0));
  EXPECT_EQ(r[2].i, 3);
  EXPECT_TRUE(run(Code::kPopItem, reinterpret_cast<int64_t>(&list), value, 0));
  EXPECT_EQ(list.size, 2);
}

// What an int's size means where it is a tag.
TEST(LoopInterpreter, TaggedIntsAreRead) {
  IntBox integer = {{1, &kInts}, 0, {7, 1}};
  void* item = &integer;
  const LoopHost host = {.int_type = &kInts, .types = {&kInts}, .unbox = UnboxNine};
  const auto read = [&](int64_t tag) {
    integer.size = tag;
    LoopProgram program;
    program.ops = {{.code = Code::kItemTaggedInt, .d = 1, .a = 0, .k = 0, .exit = 0},
                   {.code = Code::kExit, .exit = 1}};
    LoopSlot r[2] = {};
    r[0].i = reinterpret_cast<int64_t>(&item);
    LoopFrame frame = {.registers = r, .arrays = nullptr, .poll = nullptr, .host = &host};
    EXPECT_EQ(InterpretLoop(program, frame), 1);
    return r[1].i;
  };
  EXPECT_EQ(read(2 << 3 | 2), -((int64_t{1} << 30) + 7));  // two digits, negative
  EXPECT_EQ(read(2 << 3), (int64_t{1} << 30) + 7);
  EXPECT_EQ(read(1 << 3 | 2), -7);
  EXPECT_EQ(read(1 << 3 | 4), 7);  // the third bit says nothing of the value
  EXPECT_EQ(read(1), 0);           // the digit of 0 is not looked at
  EXPECT_EQ(read(3 << 3), 9);      // by the front end
}

// Stores 1 in the second of three zeros, and loads it.
template <typename T>
void ExpectElement(const char* name, Code load, Code store, bool is_float) {
  SCOPED_TRACE(name);
  T elements[3] = {};
  StridedView array;
  array.data = reinterpret_cast<char*>(elements);
  LoopSlot registers[3] = {};
  registers[0].i = sizeof(T);
  (is_float ? registers[1].f = 1 : registers[1].i = 1);
  LoopProgram program;
  program.ops = {{.code = store, .a = 0, .b = 1, .k = 0},
                 {.code = load, .d = 2, .a = 0, .k = 0},
                 {.code = Code::kExit, .exit = 0}};
  LoopFrame frame = {.registers = registers, .arrays = &array, .poll = nullptr};
  EXPECT_EQ(InterpretLoop(program, frame), 0);
  EXPECT_EQ(elements[0], T{0});
  EXPECT_EQ(elements[1], T{1});
  EXPECT_EQ(elements[2], T{0});
  EXPECT_EQ(registers[2].i, registers[1].i);
}

TEST(LoopInterpreter, ElementsOfEveryTypeAreLoadedAndStored) {
#define DYNACC_LOOP_OP(name, result, left, right, step)
#define DYNACC_LOOP_MEMORY(name, kind, type) \
  ExpectElement<type>(#name, Code::kLoad##name, Code::kStore##name, Kind::k##kind == Kind::kFloat);
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
}

TEST(LoopInterpreter, DivisionRoundsDown) {
  OneOp quotient(Code::kFloorDivInt);
  OneOp rest(Code::kModInt);
  for (const auto& [a, b, q, r] : std::vector<std::array<int64_t, 4>>{
           {7, 2, 3, 1}, {-7, 2, -4, 1}, {7, -2, -4, -1}, {-7, -2, 3, -1}, {6, -3, -2, 0}}) {
    ASSERT_TRUE(quotient.Ints(a, b));
    ASSERT_TRUE(rest.Ints(a, b));
    EXPECT_EQ(quotient.i(), q);
    EXPECT_EQ(rest.i(), r);
  }
  EXPECT_FALSE(quotient.Ints(1, 0));
  EXPECT_FALSE(quotient.Ints(INT64_MIN, -1));
  EXPECT_FALSE(rest.Ints(1, 0));
}

TEST(LoopInterpreter, PowersAndShiftsOfIntsExitWherePythonsGrow) {
  OneOp power(Code::kPowInt);
  ASSERT_TRUE(power.Ints(-3, 5));
  EXPECT_EQ(power.i(), -243);
  ASSERT_TRUE(power.Ints(0, 0));
  EXPECT_EQ(power.i(), 1);
  ASSERT_TRUE(power.Ints(2, 62));
  EXPECT_EQ(power.i(), int64_t{1} << 62);
  EXPECT_FALSE(power.Ints(2, 63));
  EXPECT_FALSE(power.Ints(2, -1));
  OneOp left(Code::kShiftLeft);
  ASSERT_TRUE(left.Ints(-5, 3));
  EXPECT_EQ(left.i(), -40);
  EXPECT_FALSE(left.Ints(1, 63));
  EXPECT_FALSE(left.Ints(1, -1));
  OneOp right(Code::kShiftRight);
  ASSERT_TRUE(right.Ints(-5, 1));
  EXPECT_EQ(right.i(), -3);
  EXPECT_FALSE(right.Ints(1, -1));
}

// What a flag is raised for is left to Python, which may warn; what only passes an infinity or a
// NaN on is not.
TEST(LoopInterpreter, FloatErrorsExit) {
  OneOp add(Code::kAddFloat);
  EXPECT_FALSE(add.Floats(DBL_MAX, DBL_MAX));
  EXPECT_FALSE(add.Floats(kInfinity, -kInfinity));
  EXPECT_TRUE(add.Floats(kInfinity, 1));
  EXPECT_EQ(add.f(), kInfinity);
  EXPECT_TRUE(add.Floats(NAN, kInfinity));
  EXPECT_TRUE(std::isnan(add.f()));
  OneOp divide(Code::kDivFloat);
  EXPECT_FALSE(divide.Floats(1, 0));
  EXPECT_FALSE(divide.Floats(NAN, 0));
  EXPECT_FALSE(divide.Floats(kInfinity, kInfinity));
  EXPECT_TRUE(divide.Floats(1, kInfinity));
  OneOp root(Code::kSqrtFloat);
  EXPECT_FALSE(root.Floats(-1, 0));
  ASSERT_TRUE(root.Floats(-0.0, 0));
  EXPECT_TRUE(std::signbit(root.f()));
  OneOp single(Code::kToSingle);
  EXPECT_FALSE(single.Floats(1e300, 0));
  ASSERT_TRUE(single.Floats(0.1, 0));
  EXPECT_EQ(single.f(), static_cast<double>(0.1f));
}

TEST(LoopInterpreter, SignallingNansExitWhereTheyAreUsed) {
  const auto quiet = std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  const auto signalling = std::bit_cast<double>(uint64_t{0x7ff0000020000000});
  for (const Code code : {Code::kAddFloat, Code::kMulFloat}) {
    EXPECT_TRUE(OneOp(code).Floats(quiet, 1));
    EXPECT_FALSE(OneOp(code).Floats(signalling, 1));
    EXPECT_FALSE(OneOp(code).Floats(1, signalling));
  }
  for (const Code code : {Code::kToSingle, Code::kToDouble}) {
    EXPECT_TRUE(OneOp(code).Floats(quiet, 0));
    EXPECT_FALSE(OneOp(code).Floats(signalling, 0));
  }
  // On its way through a register it stays what it is.
  constexpr uint32_t kWord = 0xff800001;
  const double in_register = loop_math::InRegister(std::bit_cast<float>(kWord));
  EXPECT_TRUE(loop_math::IsSignalling(in_register));
  EXPECT_EQ(std::bit_cast<uint32_t>(loop_math::AsElement<float>(in_register)), kWord);
}

TEST(LoopInterpreter, FloatDivisionKeepsPythonsSigns) {
  OneOp rest(Code::kModFloat);
  ASSERT_TRUE(rest.Floats(-7.5, 2));
  EXPECT_EQ(rest.f(), 0.5);
  ASSERT_TRUE(rest.Floats(4, -2));
  EXPECT_TRUE(rest.f() == 0 && std::signbit(rest.f()));
  OneOp quotient(Code::kFloorDivFloat);
  ASSERT_TRUE(quotient.Floats(-7.5, 2));
  EXPECT_EQ(quotient.f(), -4);
  ASSERT_TRUE(quotient.Floats(-0.0, 3));
  EXPECT_TRUE(quotient.f() == 0 && std::signbit(quotient.f()));
  EXPECT_FALSE(quotient.Floats(1, 0));
  EXPECT_FALSE(quotient.Floats(kInfinity, 2));
}

TEST(LoopInterpreter, ConversionsExitWhereTheyWouldNotBeExact) {
  OneOp to_int(Code::kToInt);
  ASSERT_TRUE(to_int.Floats(-2.9, 0));
  EXPECT_EQ(to_int.i(), -2);
  EXPECT_FALSE(to_int.Floats(NAN, 0));
  EXPECT_FALSE(to_int.Floats(0x1p63, 0));
  OneOp to_float(Code::kToFloatExactly);
  EXPECT_TRUE(to_float.Ints(int64_t{1} << 53, 0));
  EXPECT_FALSE(to_float.Ints((int64_t{1} << 53) + 1, 0));
  OneOp bits(Code::kFitsBits, 8);
  EXPECT_TRUE(bits.Ints(-128, 0));
  EXPECT_FALSE(bits.Ints(128, 0));
  OneOp without_sign(Code::kFitsUnsigned, 8);
  EXPECT_TRUE(without_sign.Ints(255, 0));
  EXPECT_FALSE(without_sign.Ints(256, 0));
  EXPECT_FALSE(without_sign.Ints(-1, 0));
}

// for i in range(r0, r1, r2): total += a[i], with a in array 0 and the total in register 6.
LoopProgram SumOverRange() {
  LoopProgram program;
  program.ops = {
      {.code = Code::kRangeStart, .a = 0, .exit = 0},
      {.code = Code::kRangeNext, .d = 3, .a = 0, .k = 6},
      {.code = Code::kIndex, .d = 5, .a = 4, .b = 3, .k = PackAxis(0, 0), .exit = 1},
      {.code = Code::kLoadInt32, .d = 5, .a = 5, .k = 0},
      {.code = Code::kAddInt, .d = 6, .a = 6, .b = 5, .exit = 1},
      {.code = Code::kBackEdge, .k = 1, .exit = 2},
      {.code = Code::kExit, .exit = 3},
  };
  program.num_registers = 7;
  return program;
}

class LoopOverArray : public testing::Test {
 protected:
  LoopOverArray() {
    array_.dtype = DType::kInt32;
    array_.rank = 1;
    array_.data = reinterpret_cast<char*>(elements_);
    array_.shape[0] = 5;
    array_.strides[0] = 2 * sizeof(int32_t);
  }
  int Run(int64_t start, int64_t stop, int64_t step) {
    for (LoopSlot& slot : registers_) slot.i = 0;
    registers_[0].i = start;
    registers_[1].i = stop;
    registers_[2].i = step;
    LoopFrame frame = {.registers = registers_, .arrays = &array_, .poll = &poll_};
    const int exit = InterpretLoop(SumOverRange(), frame);
    rounds_ = frame.rounds;
    return exit;
  }

  int32_t elements_[10] = {1, 0, 10, 0, 100, 0, 1000, 0, -7, 0};
  StridedView array_;
  LoopSlot registers_[7];
  uint8_t poll_ = 0;
  int64_t rounds_ = 0;
};

TEST_F(LoopOverArray, ReadsByStrideAndFromTheEnd) {
  EXPECT_EQ(Run(0, 5, 1), 3);
  EXPECT_EQ(registers_[6].i, 1104);
  EXPECT_EQ(rounds_, 5);
  EXPECT_EQ(Run(-1, -4, -2), 3);
  EXPECT_EQ(registers_[6].i, 93);
  EXPECT_EQ(Run(3, 3, 1), 3);
  EXPECT_EQ(registers_[6].i, 0);
}

TEST_F(LoopOverArray, ExitsBeforeAnIndexOutOfRange) {
  EXPECT_EQ(Run(3, 9, 1), 1);
  EXPECT_EQ(registers_[3].i, 5);
  EXPECT_EQ(registers_[6].i, 993);
  EXPECT_EQ(Run(-6, 0, 1), 1);
  EXPECT_EQ(Run(0, 5, 0), 0);  // range() arg 3 must not be zero
}

TEST_F(LoopOverArray, ExitsAtABackEdgeWhenPythonWaits) {
  poll_ = 1;
  EXPECT_EQ(Run(0, 5, 1), 2);
  EXPECT_EQ(registers_[6].i, 1);
  EXPECT_EQ(registers_[2].i, 4);  // rounds left
}

TEST(LoopProgramText, NamesOpsAndExits) {
  EXPECT_EQ(PrintLoop(SumOverRange()),
            "0  RangeStart r0 = r0, r0, 0  exit 0\n"
            "1  RangeNext r3 = r0, r0, 6\n"
            "2  Index r5 = r4, r3, 0  exit 1\n"
            "3  LoadInt32 r5 = r5, r0, 0\n"
            "4  AddInt r6 = r6, r5, 0  exit 1\n"
            "5  BackEdge r0 = r0, r0, 1  exit 2\n"
            "6  Exit r0 = r0, r0, 0  exit 3\n");
}

}  // namespace
}  // namespace dynacc::loops
