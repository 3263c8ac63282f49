#include "runtime/executor/memory_order.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/executor/layout_rules.h"
#include "tests/runtime/executor/golden_file.h"

namespace dynacc::executor {
namespace {

StridedView ViewWith(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  StridedView view;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

// The strides of the fresh result of an operation on two arrays, as NumPy has chosen them.
TEST(MemoryOrderTest, FreshResultsHaveNumPysStrides) {
  int cases = 0;
  for (const std::string& line : testing::GoldenLines("orders.txt")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '|');
    const std::vector<int64_t> shape = testing::Numbers(fields[0]);
    const std::vector<std::string> operands = absl::StrSplit(fields[1], ';');
    Layout both[2];
    for (int k = 0; k < 2; ++k) both[k].view = ViewWith(shape, testing::Numbers(operands[k]));
    LayoutStep sum;
    sum.rule = LayoutRule::kUfunc;
    sum.operands = {0, 1};
    Layout result;
    result.view = ViewWith(shape, {});
    ApplyLayoutRule({sum, RunArguments(), both}, result);
    EXPECT_THAT(std::vector<int64_t>(result.view.strides, result.view.strides + result.view.rank),
                ::testing::ElementsAreArray(testing::Numbers(fields[2])))
        << line;
    ++cases;
  }
  EXPECT_EQ(cases, 500);
}

TEST(MemoryOrderTest, COrderedOperandsNeedNoSearch) {
  for (const std::string& line : testing::GoldenLines("orders.txt")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '|');
    const std::vector<int64_t> shape = testing::Numbers(fields[0]);
    const std::vector<std::string> operands = absl::StrSplit(fields[1], ';');
    bool c_ordered = true;
    for (const std::string& operand : operands) {
      c_ordered &= IsCOrdered(ViewWith(shape, testing::Numbers(operand)));
    }
    StridedView dense = ViewWith(shape, {});
    SetContiguousStrides(dense);
    if (!c_ordered) continue;
    EXPECT_EQ(std::vector<int64_t>(dense.strides, dense.strides + dense.rank),
              testing::Numbers(fields[2]))
        << line;
  }
}

TEST(MemoryOrderTest, Contiguity) {
  EXPECT_TRUE(IsContiguous(ViewWith({2, 3}, {24, 8})));
  EXPECT_FALSE(IsContiguous(ViewWith({2, 3}, {8, 16})));
  EXPECT_TRUE(IsContiguous(ViewWith({2, 1, 3}, {24, 999, 8})));
  EXPECT_TRUE(IsContiguous(ViewWith({0, 3}, {1, 1})));
  EXPECT_TRUE(IsContiguous(ViewWith({}, {})));
  EXPECT_FALSE(IsContiguous(ViewWith({3}, {0})));
}

}  // namespace
}  // namespace dynacc::executor
