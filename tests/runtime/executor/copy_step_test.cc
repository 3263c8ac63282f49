#include "runtime/executor/copy_step.h"

#include <numeric>

#include "gtest/gtest.h"
#include "tests/runtime/executor/golden_file.h"

namespace dynacc::executor {
namespace {

StridedView ViewWith(std::vector<int64_t> shape, std::vector<int64_t> strides, void* data) {
  StridedView view;
  view.data = static_cast<char*>(data);
  view.dtype = DType::kInt64;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  std::copy(strides.begin(), strides.end(), view.strides);
  return view;
}

std::vector<int64_t> InCOrder(const StridedView& view) {
  std::vector<int64_t> values;
  testing::VisitInCOrder(view, [&](const char* element) {
    values.push_back(*reinterpret_cast<const int64_t*>(element));
  });
  return values;
}

TEST(ReshapeTest, ShowsTheSameElementsWhereStridesCan) {
  std::vector<int64_t> data(1000);
  std::iota(data.begin(), data.end(), 0);
  struct {
    StridedView source;
    std::vector<int64_t> shape;
    bool possible;
  } cases[] = {
      {ViewWith({4, 6}, {48, 8}, data.data()), {2, 12}, true},
      {ViewWith({4, 6}, {96, 8}, data.data()), {2, 2, 6}, true},
      {ViewWith({4, 6}, {96, 8}, data.data()), {24}, false},
      {ViewWith({4, 6}, {8, 32}, data.data()), {2, 2, 3, 2}, true},
      {ViewWith({4, 6}, {8, 32}, data.data()), {24}, false},
      {ViewWith({10}, {-8}, data.data() + 9), {2, 5}, true},
      {ViewWith({4, 1, 6}, {96, 0, 16}, data.data()), {1, 4, 1, 3, 2, 1}, true},
      {ViewWith({1}, {16}, data.data()), {1, 1}, true},
      {ViewWith({1}, {16}, data.data()), {}, true},
      {ViewWith({2, 3}, {0, 8}, data.data()), {2, 3, 1}, true},
      {ViewWith({2, 3}, {0, 8}, data.data()), {6}, false},
  };
  for (const auto& c : cases) {
    StridedView result = ViewWith(c.shape, {}, nullptr);
    ASSERT_EQ(ReshapeWithoutCopy(c.source, result), c.possible);
    if (c.possible) EXPECT_EQ(InCOrder(result), InCOrder(c.source));
  }
}

TEST(CopyElementsTest, CopiesAcrossAnyStrides) {
  std::vector<int64_t> data(4000);
  std::iota(data.begin(), data.end(), 0);
  for (const std::string& line : testing::GoldenLines("orders.txt")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '|');
    const std::vector<int64_t> shape = testing::Numbers(fields[0]);
    StridedView to = ViewWith(shape, testing::Numbers(fields[2]), nullptr);
    std::vector<int64_t> memory(to.size(), -1);
    to.data = reinterpret_cast<char*>(memory.data());
    StridedView from = ViewWith(shape, {}, data.data());
    SetContiguousStrides(from);
    std::vector<int64_t> large(to.size());
    std::iota(large.begin(), large.end(), 0);
    from.data = reinterpret_cast<char*>(large.data());
    CopyElements(from, to);
    ASSERT_EQ(InCOrder(to), large) << line;
  }
}

}  // namespace
}  // namespace dynacc::executor
