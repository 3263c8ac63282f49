// What crosses between the host and Python, and in which form it arrives.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/embed/host/every_form.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ValuesTest : public HostTest {
 protected:
  // The value after a round trip through Python, where repr must be `python`.
  Value RoundTrip(const Value& value, const std::string& python) {
    const Function f = FunctionOf("def f(x): return repr(x), x\n");
    const absl::StatusOr<Value> result = f.Call({value});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_EQ(result->As<List>()[0].As<std::string>(), python);
    return result->As<List>()[1];
  }
};

TEST_F(ValuesTest, NumbersAndText) {
  EXPECT_TRUE(RoundTrip({}, "None").IsNone());
  EXPECT_EQ(RoundTrip(true, "True").As<bool>(), true);
  EXPECT_EQ(RoundTrip(INT64_MIN, "-9223372036854775808").As<int64_t>(), INT64_MIN);
  EXPECT_EQ(RoundTrip(-0.5, "-0.5").As<double>(), -0.5);
  EXPECT_EQ(RoundTrip(std::string("a\0é", 4), "'a\\x00é'").As<std::string>(),
            std::string("a\0é", 4));
}

TEST_F(ValuesTest, EveryFormOfAnArgument) {
  const Function f = FunctionOf("def f(*x): return [repr(each) for each in x]\n");
  std::vector<Value> all;
  for (const Form& form : EveryForm()) {
    all.push_back(form.value);
    EXPECT_EQ(f.Call({form.value})->As<List>()[0].As<std::string>(), form.repr);
  }
  const absl::StatusOr<Value> together = f.Call(all);
  ASSERT_TRUE(together.ok()) << together.status();
  EXPECT_EQ(together->As<List>().size(), all.size());
  const size_t size = 3;
  const std::string_view text = "x";
  EXPECT_EQ(f.Call({nullptr})->As<List>().size(), 1U);
  EXPECT_EQ(f.Call({nullptr, size, 3LL, 3U, text, "x", true, 0.5F})->As<List>().size(), 8U);
  EXPECT_EQ(f.Call({})->As<List>().size(), 0U);
}

TEST_F(ValuesTest, EveryElementOfAnArray) {
  const Function f = FunctionOf("def f(a): return str(a.dtype), a.size, a.flags.writeable\n");
  for (const ElementForm& form : EveryElement()) {
    const absl::StatusOr<Value> seen = f.Call({form.view});
    ASSERT_TRUE(seen.ok()) << seen.status();
    EXPECT_EQ(seen->As<List>()[0].As<std::string>(), form.dtype);
    EXPECT_EQ(seen->As<List>()[1].As<int64_t>(), 6);
    EXPECT_EQ(seen->As<List>()[2].As<bool>(), form.view.writable);
  }
}

TEST_F(ValuesTest, WhatAValueIsCanBeAsked) {
  const Value number = 3U;
  ASSERT_NE(number.GetIf<int64_t>(), nullptr);
  EXPECT_EQ(*number.GetIf<int64_t>(), 3);
  EXPECT_EQ(number.GetIf<double>(), nullptr);
  EXPECT_EQ(number.GetIf<uint64_t>(), nullptr);
  EXPECT_EQ(*Value(UINT64_MAX).GetIf<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Value(nullptr).GetIf<std::string>(), nullptr);
}

TEST_F(ValuesTest, Containers) {
  const Value nested = RoundTrip(List{1, List{"a", Value()}}, "[1, ['a', None]]");
  EXPECT_EQ(nested.As<List>()[1].As<List>()[0].As<std::string>(), "a");
  const Value dict = RoundTrip(Dict{{"b", 1}, {"a", Dict{}}}, "{'b': 1, 'a': {}}");
  EXPECT_EQ(dict.As<Dict>()[0].first, "b");
  EXPECT_TRUE(dict.As<Dict>()[1].second.Is<Dict>());
}

TEST_F(ValuesTest, WhatHasNoFormOfItsOwnIsCarriedByIdentity) {
  const Module module = ModuleOf(
      "class Thing: pass\nthing = Thing()\n"
      "def get(): return [thing, 1 << 70, {1: 2}, 1j, get, b'', '\\ud800', {'\\ud800': 1}]\n"
      "def check(a): return [x is y for x, y in zip(a, [thing])] + [a[1] == 1 << 70, a[2], "
      "a[4]()]\n");
  const Value objects = *module.Get("get")->Call({});
  for (const Value& object : objects.As<List>()) EXPECT_TRUE(object.Is<Object>());
  const absl::StatusOr<Value> checked = module.Get("check")->Call({objects});
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_TRUE(checked->As<List>()[0].As<bool>());
  EXPECT_TRUE(checked->As<List>()[1].As<bool>());
}

TEST_F(ValuesTest, AListThatHoldsItselfEnds) {
  const Function f = FunctionOf("def f():\n  a = []\n  a.append(a)\n  return a\n");
  EXPECT_TRUE(f.Call({}).ok());
}

TEST_F(ValuesTest, TheHostsMemoryIsSeenWithoutACopy) {
  std::vector<double> memory(6);
  std::iota(memory.begin(), memory.end(), 0);
  const Function f = FunctionOf("def f(a):\n  a[0, 1] = 10\n  return a.sum(), a.flags.writeable\n");
  TensorView view = TensorView::Of(memory.data(), {2, 3});
  EXPECT_EQ(f.Call({view})->As<List>()[0].As<double>(), 24);
  EXPECT_EQ(memory[1], 10);
  view.strides = {8, 16};  // columns of two
  EXPECT_EQ(f.Call({view})->As<List>()[0].As<double>(), 0 + 10 + 4 + 10 + 3 + 5);
}

// NumPy has none: Python sees a tensor.
TEST_F(ValuesTest, BFloat16IsATensor) {
  std::vector<uint16_t> memory = {0x3f80, 0x4000, 0x4040};
  const Function f = FunctionOf(
      "import dynacc\n"
      "def f(x):\n"
      "  x[0] = 5\n"
      "  return str(x.dtype), x.tolist(), x + x, dynacc.compile(lambda x: x * 2)(x)\n");
  const TensorView view = {memory.data(), ElementType::kBfloat16, {3}, {}, true};
  const absl::StatusOr<Value> results = f.Call({view});
  ASSERT_TRUE(results.ok()) << results.status();
  const List& list = results->As<List>();
  EXPECT_EQ(list[0].As<std::string>(), "bfloat16");
  EXPECT_EQ(list[1].As<List>()[2].As<double>(), 3);
  EXPECT_EQ(memory[0], 0x40a0);
  for (int i : {2, 3}) {
    const Tensor& sum = list[i].tensor();
    ASSERT_EQ(sum.type(), ElementType::kBfloat16);
    EXPECT_EQ(static_cast<const uint16_t*>(sum.data())[0], 0x4120);
    EXPECT_THAT(sum.shape(), ElementsAre(3));
  }
  EXPECT_EQ(ElementSize(ElementType::kBfloat16), 2);
}

TEST_F(ValuesTest, Float8IsATensor) {
  std::vector<uint8_t> memory = {0x38, 0x40, 0x7f};  // 1, 2, NaN of e4m3fn
  const Function f =
      FunctionOf("def f(x):\n  x[0] = 3\n  return str(x.dtype), x[:2].tolist(), x + x\n");
  const absl::StatusOr<Value> results =
      f.Call({TensorView{memory.data(), ElementType::kFloat8E4m3fn, {3}, {}, true}});
  ASSERT_TRUE(results.ok()) << results.status();
  const List& list = results->As<List>();
  EXPECT_EQ(list[0].As<std::string>(), "float8_e4m3fn");
  EXPECT_EQ(list[1].As<List>()[0].As<double>(), 3);
  EXPECT_EQ(memory[0], 0x44);
  ASSERT_EQ(list[2].tensor().type(), ElementType::kFloat8E4m3fn);
  EXPECT_EQ(static_cast<const uint8_t*>(list[2].tensor().data())[0], 0x4c);
}

TEST_F(ValuesTest, ReadOnlyMemoryIsNotWritten) {
  const std::vector<float> memory(3);
  const Function f = FunctionOf("def f(a): a += 1\n");
  const absl::Status status = f.Call({TensorView::Of(memory.data(), {3})}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(memory[0], 0);
}

TEST_F(ValuesTest, EveryElementTypeKeepsItsName) {
  const std::vector<std::string> names = {
      "bool",      "int8",       "uint8",    "int16",         "uint16",     "int32",
      "uint32",    "int64",      "uint64",   "float16",       "float32",    "float64",
      "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e5m2"};
  const Function f =
      FunctionOf("import copy\ndef f(a): return str(a.dtype), a.dtype.itemsize, copy.copy(a)\n");
  std::vector<char> memory(64);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto type = static_cast<ElementType>(i);
    const Value result = *f.Call({TensorView{memory.data(), type, {2}, {}, true}});
    EXPECT_EQ(result.As<List>()[0].As<std::string>(), names[i]);
    EXPECT_EQ(result.As<List>()[1].As<int64_t>(), ElementSize(type));
    EXPECT_EQ(result.As<List>()[2].tensor().type(), type);
  }
}

TEST_F(ValuesTest, ResultsShareTheirMemoryWithPython) {
  const Module module = ModuleOf(
      "import numpy as np\na = np.arange(6.0).reshape(2, 3)\n"
      "def f(): return a.T\ndef g(): return float(a[1, 0])\n");
  const Tensor tensor = module.Get("f")->Call({})->tensor();
  EXPECT_THAT(tensor.shape(), ElementsAre(3, 2));
  EXPECT_THAT(tensor.strides(), ElementsAre(8, 24));
  static_cast<double*>(tensor.data())[3] = 99;
  EXPECT_EQ(module.Get("g")->Call({})->As<double>(), 99);
}

TEST_F(ValuesTest, AnAdoptedBufferIsReleasedWhenNobodyRefersToIt) {
  const Module module =
      ModuleOf("kept = []\ndef f(a): kept.append(a[1:])\ndef g(): kept.clear()\n");
  auto memory = std::make_unique<std::vector<double>>(4, 1.0);
  bool released = false;
  {
    const Tensor tensor =
        Tensor::Adopt(TensorView::Of(memory->data(), {4}), [&] { released = true; });
    ASSERT_TRUE(module.Get("f")->Call({tensor}).ok());
  }
  EXPECT_FALSE(released);
  ASSERT_TRUE(module.Get("g")->Call({}).ok());
  EXPECT_TRUE(released);
}

TEST_F(ValuesTest, AnAdoptedBufferMayHaveNothingToRelease) {
  const Module module = ModuleOf("def f(a): return float(a.sum())\n");
  std::vector<double> memory(4, 1.0);
  {
    const Tensor tensor = Tensor::Adopt(TensorView::Of(memory.data(), {4}), nullptr);
    EXPECT_EQ(module.Get("f")->Call({tensor})->As<double>(), 4);
  }
  EXPECT_EQ(memory[0], 1.0);
}

// The contract of TensorView: memory that Python keeps must stay. Only AddressSanitizer can tell.
#ifdef __SANITIZE_ADDRESS__
using ValuesDeathTest = ValuesTest;
TEST_F(ValuesDeathTest, MemoryThatWasFreedEarlyIsReported) {
  const Module module =
      ModuleOf("kept = []\ndef f(a): kept.append(a)\ndef g(): return kept[0].copy()\n");
  const auto use_after_free = [&] {
    auto memory = std::make_unique<std::vector<double>>(1000, 1.0);
    (void)module.Get("f")->Call({TensorView::Of(memory->data(), {1000})});
    memory.reset();
    (void)module.Get("g")->Call({});
    std::_Exit(0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fork has no Runtime
  EXPECT_DEATH(use_after_free(), "heap-use-after-free");
}
#endif

TEST_F(ValuesTest, ScalarsOfNumPyAreNumbers) {
  const Function f = FunctionOf(
      "import numpy as np\n"
      "def f(): return np.float32(0.5), np.int8(-3), np.bool_(True), np.array(7)\n");
  const List values = f.Call({})->As<List>();
  EXPECT_EQ(values[0].As<double>(), 0.5);
  EXPECT_EQ(values[1].As<int64_t>(), -3);
  EXPECT_EQ(values[2].As<bool>(), true);
  EXPECT_TRUE(values[3].Is<Tensor>());
  EXPECT_TRUE(values[3].tensor().shape().empty());
}

TEST_F(ValuesTest, WrongArgumentsAreNamed) {
  const Function f = FunctionOf("def f(*a, **k): pass\n");
  double number = 0;
  const auto error = [&](Value value) {
    return std::string(f.Call({1, value}).status().message());
  };
  EXPECT_THAT(error(TensorView::Of(&number, {-1})),
              HasSubstr("argument 2: an array of shape (-1) has a negative length"));
  EXPECT_THAT(error(TensorView::Of(static_cast<double*>(nullptr), {2})), HasSubstr("has no data"));
  EXPECT_THAT(error(TensorView::Of(&number, {1LL << 40, 1LL << 40})), HasSubstr("is too large"));
  EXPECT_THAT(error(TensorView{&number, ElementType::kInt8, {1}, {1, 1}, true}),
              HasSubstr("has 2 strides"));
  EXPECT_THAT(error(TensorView{&number, static_cast<ElementType>(77), {1}, {}, true}),
              HasSubstr("unknown element type 77"));
  EXPECT_THAT(error(std::string("\xff")), HasSubstr("argument 2: "));
  EXPECT_THAT(error(Object()), HasSubstr("holds no object"));
  EXPECT_TRUE(f.Call({TensorView::Of(static_cast<double*>(nullptr), {0, 3})}).ok());
}

TEST_F(ValuesTest, ArraysOfOtherKinds) {
  const Module module = ModuleOf(
      "import numpy as np\n"
      "class Mine(np.ndarray): pass\n"
      "def mine(): return np.arange(3.0).view(Mine)\n"
      "def odd(): return np.zeros(17, np.int8)[1:].view(np.float64)\n"
      "def seen(a): return bool(a.flags.aligned), a.tolist()\n");
  EXPECT_EQ(static_cast<const double*>(module.Get("mine")->Call({})->tensor().data())[2], 2.0);
  const Tensor odd = module.Get("odd")->Call({})->tensor();
  const List seen = module.Get("seen")->Call({odd})->As<List>();
  EXPECT_FALSE(seen[0].As<bool>());
  EXPECT_EQ(seen[1].As<List>().size(), 2u);
}

// Elements that TensorView cannot show: the array crosses by identity.
TEST_F(ValuesTest, ArraysWithoutAnElementTypeAreObjects) {
  const Module module = ModuleOf(
      "import numpy as np\n"
      "made = [np.array(x) for x in (['a'], [b'a'], [None])]\n"
      "made += [np.arange(3).astype('>i8'), np.zeros(2, 'M8[s]'), np.zeros(2, 'i4,f8')]\n"
      "def count(): return len(made)\n"
      "def get(i): return made[i]\n"
      "def check(i, a): return a is made[i]\n");
  const int64_t count = module.Get("count")->Call({})->As<int64_t>();
  ASSERT_EQ(count, 6);
  for (int64_t i = 0; i < count; ++i) {
    const absl::StatusOr<Value> array = module.Get("get")->Call({i});
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_TRUE(array->Is<Object>()) << i;
    EXPECT_TRUE(module.Get("check")->Call({i, *array})->As<bool>()) << i;
  }
}

}  // namespace
}  // namespace dynacc
