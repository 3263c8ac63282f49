#include "runtime/executor/memory_order.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/executor/value_orders.h"
#include "tests/runtime/executor/golden_file.h"

namespace dynacc {
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
    int64_t strides[2][kMaxRank];
    for (int k = 0; k < 2; ++k) {
      IteratorStrides(ViewWith(shape, testing::Numbers(operands[k])), strides[k]);
    }
    const ValueOrders::Operand both[] = {{strides[0], strides[0], 8}, {strides[1], strides[1], 8}};
    const ValueOrders sum(2, {{{0, 1, -1}}}, {2}, true);
    StridedView result = ViewWith(shape, {});
    AxisOrder order;
    sum.Run(result.rank, result.shape, both, {&order, 1});
    SetDenseStrides(result, order);
    EXPECT_THAT(std::vector<int64_t>(result.strides, result.strides + result.rank),
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
}  // namespace dynacc
