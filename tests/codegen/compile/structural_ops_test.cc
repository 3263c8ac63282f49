// Ops that a library call may compute, without one: on every target of the host, of every dtype,
// and of operands that lie with gaps and backwards.
#include <algorithm>
#include <limits>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/ops/element_functions.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using ::testing::ElementsAre;
using testing::GraphRunner;
using ::testing::HasSubstr;
using testing::VectorSink;

using Values = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// An array of any dtype; with gaps, its axes are stored in reverse and two elements apart, the last
// one backwards.
class Array {
 public:
  Array(DType dtype, std::vector<int64_t> shape, const Values& values) : values_(values) {
    view_.dtype = dtype;
    view_.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), view_.shape);
  }

  StridedView Lay(bool with_gaps) {
    const int64_t item = ItemSize(view_.dtype);
    memory_.assign(values_.size() * 2 * item + item, '\x55');
    view_.data = memory_.data();
    SetContiguousStrides(view_);
    if (with_gaps) {
      int64_t stride = 2 * item;
      for (int axis = 0; axis < view_.rank; ++axis) {
        view_.strides[axis] = stride;
        stride *= view_.shape[axis];
      }
      if (view_.rank > 0 && view_.shape[view_.rank - 1] > 0) {
        int64_t& last = view_.strides[view_.rank - 1];
        view_.data += last * (view_.shape[view_.rank - 1] - 1);
        last = -last;
      }
    }
    const UnaryElementFn cast = FindCastFn(DType::kFloat64, view_.dtype);
    int64_t at[kMaxRank] = {};
    for (const double value : values_) {
      char* element = view_.data;
      for (int axis = 0; axis < view_.rank; ++axis) element += at[axis] * view_.strides[axis];
      cast(&value, element);
      for (int axis = view_.rank - 1; axis >= 0 && ++at[axis] == view_.shape[axis]; --axis) {
        at[axis] = 0;
      }
    }
    return view_;
  }

  std::string Type() const {
    return absl::StrCat(Info(view_.dtype).text, "[",
                        absl::StrJoin(view_.shape, view_.shape + view_.rank, ", "), "]");
  }

 private:
  Values values_;
  std::vector<char> memory_;
  StridedView view_;
};

Values AsDoubles(const StridedView& view) {
  Values values;
  const UnaryElementFn cast = FindCastFn(view.dtype, DType::kFloat64);
  int64_t at[kMaxRank] = {};
  for (int64_t i = 0; i < view.size(); ++i) {
    const char* element = view.data;
    for (int axis = 0; axis < view.rank; ++axis) element += at[axis] * view.strides[axis];
    cast(element, &values.emplace_back());
    for (int axis = view.rank - 1; axis >= 0 && ++at[axis] == view.shape[axis]; --axis) {
      at[axis] = 0;
    }
  }
  return values;
}

class StructuralOps : public ::testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  StructuralOps() { testing::RegisterMimicLoops(); }

  // The result of the node whose text is `node`, "f64[3] = cumsum %0 axis[0]", of these inputs.
  absl::StatusOr<Values> Run(const std::string& node, std::vector<Array> arrays,
                             const std::string& scalars = "") {
    std::string text = absl::StrCat("graph {\n", scalars);
    for (size_t i = 0; i < arrays.size(); ++i) {
      absl::StrAppend(&text, "  %", i, ": ", arrays[i].Type(), " = input ", i, "\n");
    }
    absl::StrAppend(&text, "  %r: ", node, "\n  return %r\n}\n");
    const auto& [target, with_gaps] = GetParam();
    GraphRunner runner(text, target);
    if (!runner.status().ok()) return runner.status();
    std::vector<StridedView> inputs;
    for (Array& array : arrays) inputs.push_back(array.Lay(with_gaps));
    VectorSink sink;
    const auto flags = runner.Run(inputs, sink);
    if (!flags.ok()) return flags.status();
    flags_ = *flags;
    return AsDoubles(sink.view(0));
  }

  Values Result(const std::string& node, std::vector<Array> arrays) {
    const absl::StatusOr<Values> result = Run(node, std::move(arrays));
    EXPECT_TRUE(result.ok()) << result.status() << " of " << node;
    return result.value_or(Values());
  }

  // That of a run that is given up.
  std::string Problem(const std::string& node, std::vector<Array> arrays) {
    const absl::Status status = Run(node, std::move(arrays)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
    return std::string(status.message());
  }

  uint32_t flags_ = 0;
};

Array Doubles(std::vector<int64_t> shape, Values values) {
  return {DType::kFloat64, std::move(shape), values};
}
Array Ints(std::vector<int64_t> shape, Values values) {
  return {DType::kInt64, std::move(shape), values};
}
Array Mask(std::vector<int64_t> shape, Values values) {
  return {DType::kBool, std::move(shape), values};
}

TEST_P(StructuralOps, ScansGoAlongAnAxis) {
  const Array a = Doubles({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Result("f64[2, 3] = cumsum %0 axis[1]", {a}), ElementsAre(1, 3, 6, 4, 9, 15));
  EXPECT_THAT(Result("f64[2, 3] = cumsum %0 axis[0]", {a}), ElementsAre(1, 2, 3, 5, 7, 9));
  EXPECT_THAT(Result("f64[2, 3] = cumprod %0 axis[1]", {a}), ElementsAre(1, 2, 6, 4, 20, 120));
  EXPECT_THAT(Result("f64[0, 3] = cumsum %0 axis[0]", {Doubles({0, 3}, {})}), ElementsAre());
}

TEST_P(StructuralOps, ScansOfEveryDType) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Array a(dtype, {2, 2}, {1, 1, 0, 1});
    const std::string node = absl::StrCat(a.Type(), " = cumsum %0 axis[1]");
    const double two = dtype == DType::kBool ? 1 : 2;
    EXPECT_THAT(Result(node, {a}), ElementsAre(1, two, 0, 1)) << node;
    EXPECT_THAT(Result(absl::StrCat(a.Type(), " = cumprod %0 axis[0]"), {a}),
                ElementsAre(1, 1, 0, 1))
        << node;
  }
}

// Each sum is rounded before the next element is added.
TEST_P(StructuralOps, ScansRoundEachSum) {
  const Array a(DType::kFloat16, {4}, {2048, 1, 1, 2});
  EXPECT_THAT(Result("f16[4] = cumsum %0 axis[0]", {a}), ElementsAre(2048, 2048, 2048, 2050));
  const Array ints(DType::kUInt8, {3}, {200, 100, 1});
  EXPECT_THAT(Result("u8[3] = cumsum %0 axis[0]", {ints}), ElementsAre(200, 44, 45));
}

TEST_P(StructuralOps, SumsReportFloatingPointErrors) {
  const Array large = Doubles({2}, {1.5e308, 1.5e308});
  Result("f64[2] = cumsum %0 axis[0]", {large});
  EXPECT_EQ(flags_, uint32_t{kFpOverflow});
  Result("f64[2] = scatter %0, %1, %2 into %0 at[%1] add %2",
         {large, Ints({1}, {1}), Doubles({1}, {1.5e308})});
  EXPECT_EQ(flags_, uint32_t{kFpOverflow});
}

TEST_P(StructuralOps, PlacesOfExtremes) {
  const Array a = Doubles({2, 3}, {1, 7, 7, -2, -2, kNan});
  EXPECT_THAT(Result("i64[2] = argmax %0 axes[1]", {a}), ElementsAre(1, 2));
  EXPECT_THAT(Result("i64[2] = argmin %0 axes[1]", {a}), ElementsAre(0, 2));
  EXPECT_THAT(Result("i64[3] = argmax %0 axes[0]", {a}), ElementsAre(0, 0, 1));
  EXPECT_THAT(Result("i64[1, 3] = argmin %0 axes[0] keepdims", {a}), ElementsAre(1, 1, 1));
  EXPECT_THAT(Result("i64[] = argmax %0 axes[0, 1]", {a}), ElementsAre(5));
  EXPECT_THAT(Result("i64[1, 1] = argmin %0 axes[0, 1] keepdims", {a}), ElementsAre(5));
  EXPECT_EQ(flags_, 0u);
  EXPECT_THAT(Result("i64[0] = argmax %0 axes[1]", {Doubles({0, 3}, {})}), ElementsAre());
  EXPECT_THAT(Problem("i64[3] = argmax %0 axes[0]", {Doubles({0, 3}, {})}),
              HasSubstr("of no elements"));
}

TEST_P(StructuralOps, PlacesOfExtremesOfEveryDType) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const Array a(static_cast<DType>(i), {5}, {0, 1, 0, 1, 0});
    EXPECT_THAT(Result("i64[] = argmax %0 axes[0]", {a}), ElementsAre(1)) << a.Type();
    EXPECT_THAT(Result("i64[] = argmin %0 axes[0]", {a}), ElementsAre(0)) << a.Type();
  }
}

TEST_P(StructuralOps, Means) {
  const Array a = Doubles({2, 3}, {1, 2, 3, 4, 5, 9});
  EXPECT_THAT(Result("f64[2] = mean %0 axes[1]", {a}), ElementsAre(2, 6));
  EXPECT_THAT(Result("f64[1, 3] = mean %0 axes[0] keepdims", {a}), ElementsAre(2.5, 3.5, 6));
  EXPECT_THAT(Result("f64[] = mean %0 axes[0, 1]", {a}), ElementsAre(4));
  EXPECT_THAT(Result("f64[2, 3] = mean %0 axes[]", {a}), ElementsAre(1, 2, 3, 4, 5, 9));
}

TEST_P(StructuralOps, GathersFollowNumPysIndexing) {
  const Array a = Doubles({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const Array at = Ints({2}, {2, -3});
  EXPECT_THAT(Result("f64[2, 4] = gather %0, %1 at[%1, :]", {a, at}),
              ElementsAre(20, 21, 22, 23, 0, 1, 2, 3));
  EXPECT_THAT(Result("f64[3, 2] = gather %0, %1 at[:, %1]", {a, at}),
              ElementsAre(2, 1, 12, 11, 22, 21));
  EXPECT_THAT(Result("f64[2] = gather %0, %1 at[%1, %1]", {a, at}), ElementsAre(22, 1));
  EXPECT_THAT(Result("f64[2] = gather %0, %1 at[%1, -1]", {a, at}), ElementsAre(23, 3));
  EXPECT_THAT(Result("f64[] = gather %0 at[1, -2]", {a}), ElementsAre(12));
  EXPECT_THAT(Result("f64[2, 2] = gather %0 at[[0, -1], 1:4:2]", {a}), ElementsAre(1, 3, 21, 23));
  EXPECT_THAT(Result("f64[2, 1, 4] = gather %0, %1 at[%1, new, ::-1]", {a, at}),
              ElementsAre(23, 22, 21, 20, 3, 2, 1, 0));
  const Array rows = Ints({2, 1}, {0, 2}), columns = Ints({3}, {3, 0, 0});
  EXPECT_THAT(Result("f64[2, 3] = gather %0, %1, %2 at[%1, %2]", {a, rows, columns}),
              ElementsAre(3, 0, 0, 23, 20, 20));
  const Array none = Ints({0}, {});
  EXPECT_THAT(Result("f64[0, 4] = gather %0, %1 at[%1, :]", {a, none}), ElementsAre());
}

// Where axes between the indices are whole, or parts, those of the indices come first.
TEST_P(StructuralOps, IndicesThatStandApartComeFirst) {
  Values values(2 * 3 * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const Array a = Doubles({2, 3, 4}, values), at = Ints({2}, {1, 0});
  EXPECT_THAT(Result("f64[2, 3] = gather %0, %1 at[%1, :, %1]", {a, at}),
              ElementsAre(13, 17, 21, 0, 4, 8));
  EXPECT_THAT(Result("f64[2, 2] = gather %0, %1 at[0, -2::1, %1]", {a, at}),
              ElementsAre(5, 9, 4, 8));
  EXPECT_THAT(Result("f64[2, 2] = gather %0, %1 at[:, %1, 3]", {a, at}), ElementsAre(7, 3, 19, 15));
}

TEST_P(StructuralOps, BoundsOfSlicesMayBeComputed) {
  const Array a = Doubles({1, 5}, {0, 1, 2, 3, 4});
  const Array from = Ints({}, {-4}), to = Ints({}, {9});
  EXPECT_THAT(Result("f64[4] = gather %0, %1, %2 at[0, %1:%2:1]", {a, from, to}),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Problem("f64[3] = gather %0, %1, %2 at[0, %1:%2:1]", {a, from, to}),
              HasSubstr("another shape"));
}

TEST_P(StructuralOps, GathersAlongAnAxis) {
  const Array a = Doubles({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Result("f64[2, 2] = gather %0, %1 at[:, %1] along", {a, Ints({2, 2}, {2, 0, -1, 1})}),
              ElementsAre(3, 1, 6, 5));
  EXPECT_THAT(Result("f64[1, 3] = gather %0, %1 at[%1, :] along", {a, Ints({1, 3}, {1, 0, 1})}),
              ElementsAre(4, 2, 6));
  EXPECT_THAT(Result("f64[2, 1] = gather %0, %1 at[:, %1] along", {a, Ints({1, 1}, {-2})}),
              ElementsAre(2, 5));
}

TEST_P(StructuralOps, GathersOfEveryDType) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Array a(dtype, {3}, {0, 1, 1});
    for (const DType index : {DType::kInt8, DType::kUInt16, DType::kInt64}) {
      const Array at(index, {4}, {2, 0, 1, 0});
      EXPECT_THAT(Result(absl::StrCat(Info(dtype).text, "[4] = gather %0, %1 at[%1]"), {a, at}),
                  ElementsAre(1, 0, 1, 0))
          << a.Type();
    }
  }
}

TEST_P(StructuralOps, IndicesBeyondTheArrayFail) {
  const Array a = Doubles({3}, {1, 2, 3});
  EXPECT_NE(Problem("f64[1] = gather %0, %1 at[%1]", {a, Ints({1}, {3})}), "");
  EXPECT_NE(Problem("f64[1] = gather %0, %1 at[%1]", {a, Ints({1}, {-4})}), "");
  EXPECT_NE(Problem("f64[3] = scatter %0, %1 into %0 at[%1] set 1", {a, Ints({1}, {3})}), "");
  const Array b = Doubles({3, 3}, Values(9, 1));
  EXPECT_THAT(Problem("f64[3] = gather %0, %1, %2 at[%1, %2]",
                      {b, Ints({3}, {0, 1, 2}), Ints({2}, {0, 1})}),
              HasSubstr("broadcast"));
}

TEST_P(StructuralOps, ScattersWriteOneAfterTheOther) {
  const Array a = Doubles({4}, {1, 2, 3, 4}), at = Ints({3}, {1, -1, 1});
  EXPECT_THAT(Result("f64[4] = scatter %0, %1 into %0 at[%1] set 7.5", {a, at}),
              ElementsAre(1, 7.5, 3, 7.5));
  const Array value = Doubles({3}, {10, 20, 30});
  EXPECT_THAT(Result("f64[4] = scatter %0, %1, %2 into %0 at[%1] set %2", {a, at, value}),
              ElementsAre(1, 30, 3, 20));
  EXPECT_THAT(Result("f64[4] = scatter %0, %1, %2 into %0 at[%1] add %2", {a, at, value}),
              ElementsAre(1, 42, 3, 24));
  EXPECT_THAT(Result("f64[4] = scatter %0, %1, %2 into %0 at[%1] multiply %2", {a, at, value}),
              ElementsAre(1, 600, 3, 80));
  EXPECT_THAT(Result("f64[4] = scatter %0, %1, %2 into %0 at[%1] maximum %2", {a, at, value}),
              ElementsAre(1, 30, 3, 20));
}

TEST_P(StructuralOps, ScatteredValuesBroadcast) {
  const Array a = Doubles({2, 3}, Values(6, 0)), at = Ints({2}, {2, 0});
  EXPECT_THAT(Result("f64[2, 3] = scatter %0, %1, %2 into %0 at[:, %1] set %2",
                     {a, at, Doubles({2}, {1, 2})}),
              ElementsAre(2, 0, 1, 2, 0, 1));
  EXPECT_THAT(Result("f64[2, 3] = scatter %0, %1, %2 into %0 at[1::1, %1] add %2",
                     {a, at, Doubles({}, {5})}),
              ElementsAre(0, 0, 0, 5, 0, 5));
  // The base is another operand than the first.
  EXPECT_THAT(Result("f64[2, 3] = scatter %0, %1 into %1 at[%0, 0] set 4", {Ints({2}, {-1, 1}), a}),
              ElementsAre(0, 0, 0, 4, 0, 0));
}

// What one element was read for by several, all of them are added to.
TEST_P(StructuralOps, ScattersAlongAnAxis) {
  const Array a = Doubles({2, 3}, Values(6, 1)), at = Ints({2, 2}, {2, 2, -3, 1});
  EXPECT_THAT(Result("f64[2, 3] = scatter %0, %1, %2 into %0 at[:, %1] along add %2",
                     {a, at, Doubles({2, 2}, {1, 2, 3, 4})}),
              ElementsAre(1, 1, 4, 4, 5, 1));
  EXPECT_THAT(Result("f64[1, 3] = scatter %0, %1, %2 into %0 at[:, %1] along add %2",
                     {Doubles({1, 3}, {0, 0, 0}), at, Doubles({2, 2}, {1, 2, 3, 4})}),
              ElementsAre(3, 4, 3));
}

TEST_P(StructuralOps, ScattersOfEveryDType) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const Array a(dtype, {3}, {0, 0, 1}), value(dtype, {2}, {1, 0}), at = Ints({2}, {1, 2});
    EXPECT_THAT(Result(absl::StrCat(a.Type(), " = scatter %0, %1, %2 into %0 at[%1] set %2"),
                       {a, at, value}),
                ElementsAre(0, 1, 0))
        << a.Type();
    EXPECT_THAT(Result(absl::StrCat(a.Type(), " = scatter %0, %1, %2 into %0 at[%1] add %2"),
                       {a, at, value}),
                ElementsAre(0, 1, 1))
        << a.Type();
  }
}

TEST_P(StructuralOps, MasksPickRows) {
  const Array a = Doubles({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(Result("f64[2, 2] = compress %0, %1", {a, Mask({3}, {1, 0, 1})}),
              ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(Result("f64[3] = compress %0, %1", {a, Mask({3, 2}, {1, 0, 0, 1, 0, 1})}),
              ElementsAre(1, 4, 6));
  EXPECT_THAT(Problem("f64[1, 2] = compress %0, %1", {a, Mask({3}, {1, 0, 1})}),
              HasSubstr("another number of rows"));
}

TEST_P(StructuralOps, IntOperatorsAreExactOrFail) {
  const Array seven = Ints({}, {7}), minus = Ints({}, {-2});
  const auto run = [&](const std::string& text, const std::string& dtype = "i64") {
    return Result(absl::StrCat(dtype, "[] = int_operator %0, %1 ", text), {seven, minus})[0];
  };
  EXPECT_EQ(run("add[%0, %1]"), 5);
  EXPECT_EQ(run("sub[%1, 3]"), -5);
  EXPECT_EQ(run("mul[%0, %0]"), 49);
  EXPECT_EQ(run("floordiv[%0, %1]"), -4);
  EXPECT_EQ(run("mod[%0, %1]"), -1);
  EXPECT_EQ(run("pow[%1, 3]"), -8);
  EXPECT_EQ(run("lshift[%0, 2]", "i32"), 28);
  EXPECT_EQ(run("rshift[%0, 1]"), 3);
  EXPECT_EQ(run("neg[%0]", "i8"), -7);
  EXPECT_EQ(run("pos[%0]"), 7);
  EXPECT_EQ(run("abs[%1]"), 2);
  EXPECT_NE(Problem("i8[] = int_operator %0 mul[%0, 100]", {seven}), "");
  EXPECT_NE(Problem("u8[] = int_operator %0 neg[%0]", {seven}), "");
  EXPECT_NE(Problem("i64[] = int_operator %0 floordiv[%0, 0]", {seven}), "");
  EXPECT_EQ(run("mul[%0, 100] wraps", "i8"), -68);
  EXPECT_EQ(run("neg[%0] wraps", "u8"), 249);
  EXPECT_EQ(run("pow[%0, 23] wraps", "i32"), 821077879);
  EXPECT_EQ(run("lshift[%0, 64] wraps"), 0);
  EXPECT_EQ(run("rshift[%1, 70] wraps"), -1);
  EXPECT_EQ(run("floordiv[%0, 0] wraps"), 0);
  EXPECT_NE(Problem("i64[] = int_operator %0 pow[%0, -1] wraps", {seven}), "");
}

INSTANTIATE_TEST_SUITE_P(Targets, StructuralOps,
                         ::testing::Combine(::testing::Values("reference", "tile", "cpu"),
                                            ::testing::Bool()));

// A mask that defines a size, and kernels between the steps: the same on every target.
class StructuralGraphs : public ::testing::TestWithParam<const char*> {};

TEST_P(StructuralGraphs, OpsMeetKernelsAndDataDependentSizes) {
  testing::RegisterMimicLoops();
  GraphRunner runner(R"(graph {
    scalars: s0 = late
    %0: f64[4] = input 0
    %1: i64[3] = input 1
    %2: bool[4] = input 2
    %3: f64[4] = add %0, %0
    %4: f64[3] = gather %3, %1 at[%1]
    %5: f64[3] = multiply %4, %4
    %6: f64[4] = full 0.0
    %7: f64[4] = scatter %6, %1, %5 into %6 at[%1] add %5
    %8: f64[4] = cumsum %7 axis[0]
    %9: f64[s0] = compress %8, %2 defines s0
    %10: f64[s0] = add %9, %9
    %11: i64[4] = full 3
    %12: f64[4] = gather %6, %11 at[%11]
    return %8, %10, %12
  })",
                     GetParam());
  ASSERT_TRUE(runner.status().ok()) << runner.status();
  Array a = Doubles({4}, {1, 2, 3, 4}), at = Ints({3}, {0, 3, 0}), mask = Mask({4}, {0, 1, 0, 1});
  VectorSink sink;
  const auto flags = runner.Run({a.Lay(false), at.Lay(false), mask.Lay(false)}, sink);
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(AsDoubles(sink.view(0)), ElementsAre(8, 8, 8, 72));
  EXPECT_THAT(AsDoubles(sink.view(1)), ElementsAre(16, 144));
  EXPECT_THAT(AsDoubles(sink.view(2)), ElementsAre(0, 0, 0, 0));
}

INSTANTIATE_TEST_SUITE_P(Targets, StructuralGraphs, ::testing::Values("reference", "tile", "cpu"));

}  // namespace
}  // namespace dynacc::compile
