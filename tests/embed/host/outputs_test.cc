// CallInto: results in the host's memory, without an allocation; and what does not fit.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/embed/host/allocation_count.h"
#include "tests/embed/host/gil_count.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OutputsTest : public CompiledHostTest {
 protected:
  // The same function by compiled code and by Python.
  std::vector<Function> Both(const std::string& text) {
    return {FunctionOf(Compiled(text)), FunctionOf("import numpy as np\n" + text)};
  }

  std::vector<double> six_ = {1, 2, 3, 4, 5, 6};
};

TEST_F(OutputsTest, ResultsLieWhereTheHostSays) {
  for (const Function& f : Both("def f(a, b): return a * b + a, a.sum(), (a > 2).sum()\n")) {
    const TensorView six = TensorView::Of(six_.data(), {6});
    std::vector<double> product(6);
    double sum = 0;
    int32_t count = 0;
    for (int i = 0; i < 4; ++i) {
      product.assign(6, 0);
      const absl::Status status =
          f.CallInto({six, six}, {TensorView::Of(product.data(), {6}), TensorView::Of(&sum, {}),
                                  TensorView::Of(&count, {1})});
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_THAT(product, ElementsAre(2, 6, 12, 20, 30, 42));
      EXPECT_EQ(sum, 21);
      EXPECT_EQ(count, 4);
    }
  }
}

TEST_F(OutputsTest, ACallAllocatesNothing) {
  const Function f = FunctionOf(Compiled("def f(a, b): return a * b + a\n"));
  const std::vector<Value> arguments = {TensorView::Of(six_.data(), {6}),
                                        TensorView::Of(six_.data(), {6})};
  std::vector<double> product(6);
  const std::vector<TensorView> outputs = {TensorView::Of(product.data(), {6})};
  // The first calls trace and compile, and after some more the guards note what they read.
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(f.CallInto(arguments, outputs).ok());
  product.assign(6, 0);
  const int allocated = TimesAllocated(), taken = TimesGilTaken();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(f.CallInto(arguments, outputs).ok());
  EXPECT_EQ(TimesAllocated() - allocated, 0);
  EXPECT_EQ(TimesGilTaken() - taken, 100);
  EXPECT_THAT(product, ElementsAre(2, 6, 12, 20, 30, 42));
  EXPECT_EQ(f.Counters().calls, 300U);
  EXPECT_GE(f.Counters().direct, 100U);
  EXPECT_EQ(f.Counters().failures, 0U);
}

// Of arguments, of each other, in other places than C order: through memory between.
TEST_F(OutputsTest, OutputsOfAnyPlace) {
  for (const Function& f : Both("def f(a): return a[::-1] + 0.0, a + 1\n")) {
    for (int i = 0; i < 4; ++i) {
      std::vector<double> memory = {1, 2, 3, 4, 5, 6};
      std::vector<double> wide(12);
      TensorView spread = TensorView::Of(wide.data(), {6});
      spread.strides = {16};
      const TensorView argument = TensorView::Of(memory.data(), {6});
      ASSERT_TRUE(f.CallInto({argument}, {argument, spread}).ok());
      EXPECT_THAT(memory, ElementsAre(6, 5, 4, 3, 2, 1));
      EXPECT_THAT(wide, ElementsAre(2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0));
    }
  }
  for (const Function& f : Both("def f(a):\n  b = a + 1\n  return b, b, b[::2], a[1:]\n")) {
    for (int i = 0; i < 4; ++i) {
      std::vector<double> first(6), second(6), third(3), fourth(5);
      ASSERT_TRUE(
          f.CallInto({TensorView::Of(six_.data(), {6})},
                     {TensorView::Of(first.data(), {6}), TensorView::Of(second.data(), {6}),
                      TensorView::Of(third.data(), {3}), TensorView::Of(fourth.data(), {5})})
              .ok());
      EXPECT_THAT(first, ElementsAre(2, 3, 4, 5, 6, 7));
      EXPECT_EQ(first, second);
      EXPECT_THAT(third, ElementsAre(2, 4, 6));
      EXPECT_THAT(fourth, ElementsAre(2, 3, 4, 5, 6));
    }
  }
}

TEST_F(OutputsTest, WhatDoesNotFitIsNamed) {
  for (const Function& f : Both("def f(a): return a + 1, a.sum(), 7\n")) {
    double sum = 0;
    int64_t seven = 0;
    std::vector<double> six(6);
    std::vector<float> floats(6);
    const TensorView right = TensorView::Of(six.data(), {6}), number = TensorView::Of(&sum, {}),
                     integer = TensorView::Of(&seven, {});
    const auto error = [&](const std::vector<TensorView>& outputs) {
      const absl::Status status = f.CallInto({TensorView::Of(six_.data(), {6})}, outputs);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      return std::string(status.message());
    };
    for (int i = 0; i < 4; ++i) {
      EXPECT_THAT(error({right, number}),
                  HasSubstr("there are 2 outputs, and the function gave 3"));
      EXPECT_THAT(error({TensorView::Of(six.data(), {2, 3}), number, integer}),
                  HasSubstr("output 1 is f64[2, 3], and the function gave f64[6]"));
      EXPECT_THAT(error({TensorView::Of(floats.data(), {6}), number, integer}),
                  HasSubstr("output 1 is f32[6], and the function gave f64[6]"));
      EXPECT_THAT(error({right, integer, integer}),
                  HasSubstr("output 2 is i64[], and the function gave the number 21"));
      EXPECT_THAT(error({right, number, number}), HasSubstr("output 3 is f64[]"));
      const std::vector<double> constant(6);
      EXPECT_THAT(error({TensorView::Of(constant.data(), {6}), number, integer}),
                  HasSubstr("output 1 is read-only"));
      EXPECT_THAT(error({TensorView::Of(six.data(), {-6}), number, integer}),
                  HasSubstr("output 1: an array of shape (-6) has a negative length"));
    }
  }
  int8_t small = 0;
  const Function large = FunctionOf("def f(): return 300\n");
  EXPECT_THAT(large.CallInto({}, {TensorView::Of(&small, {})}).ToString(),
              HasSubstr("output 1 is i8[], and the function gave the number 300"));
  const Function text = FunctionOf("def f(): return 'text'\n");
  EXPECT_THAT(text.CallInto({}, {TensorView::Of(&small, {})}).ToString(),
              HasSubstr("neither an array nor a number"));
  EXPECT_EQ(Function().CallInto({}, {}).code(), absl::StatusCode::kInvalidArgument);
}

// Each answer is that of its own request, whoever serves it.
TEST_F(OutputsTest, ABatch) {
  for (const Function& f : Both("def f(a, k=0.0):\n  if k > 2: raise ValueError(k)\n"
                                "  return a.sum() + k\n")) {
    std::vector<List> requests;
    for (int i = 0; i < 150; ++i) {
      requests.push_back({TensorView::Of(six_.data(), {1 + i % 6}), i == 70 ? 3.0 : i % 2});
    }
    requests[71].clear();
    for (int round = 0; round < 4; ++round) {
      const std::vector<absl::StatusOr<Value>> results = f.CallBatch(requests);
      ASSERT_EQ(results.size(), requests.size());
      for (int i = 0; i < 150; ++i) {
        if (i == 70 || i == 71) {
          EXPECT_EQ(results[i].status().code(), absl::StatusCode::kInvalidArgument);
          continue;
        }
        const int n = 1 + i % 6;
        ASSERT_TRUE(results[i].ok()) << results[i].status();
        EXPECT_EQ(results[i]->As<double>(), n * (n + 1) / 2 + i % 2) << i;
      }
    }
  }
  const Function f = FunctionOf(Compiled("def f(a): return a + 1\n"));
  const std::vector<List> requests(32, List{TensorView::Of(six_.data(), {6})});
  for (int i = 0; i < 3; ++i) (void)f.CallBatch(requests);
  const int taken = TimesGilTaken();
  (void)f.CallBatch(requests);
  EXPECT_EQ(TimesGilTaken() - taken, 1);
  EXPECT_TRUE(f.CallBatch({}).empty());
  EXPECT_EQ(Function().CallBatch(requests)[31].status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dynacc
