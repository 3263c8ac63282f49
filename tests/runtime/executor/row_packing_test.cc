// Kernels that run along packed rows see the same elements: against the plain order.
#include "runtime/executor/row_packing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace dynacc::executor {
namespace {

// An array, some of whose axes are broadcast or have gaps.
struct Array {
  Array(const std::vector<int64_t>& shape, DType dtype, bool is_result, std::mt19937& random)
      : strides(shape.size()) {
    int64_t next = ItemSize(dtype);
    for (size_t axis = shape.size(); axis-- > 0;) {
      const bool is_broadcast = !is_result && random() % 3 == 0;
      strides[axis] = is_broadcast ? 0 : next;
      if (!is_broadcast) next *= shape[axis] + (is_result ? 0 : random() % 2);
    }
    bytes.resize(next);
    for (char& byte : bytes) byte = static_cast<char>(random());
  }

  std::vector<int64_t> strides;  // in C numbering
  std::vector<char> bytes;
};

// The result's first bytes are made of the inputs' first and last.
void Mix(char* const* pointers, const int64_t* strides, int64_t n,
         const std::vector<DType>& inputs) {
  const size_t result = inputs.size();
  for (int64_t i = 0; i < n; ++i) {
    char sum = 1;
    for (size_t k = 0; k < inputs.size(); ++k) {
      const char* const element = pointers[k] + i * strides[k];
      sum = static_cast<char>(sum * 3 + element[0] + 5 * element[ItemSize(inputs[k]) - 1]);
    }
    pointers[result][i * strides[result]] = sum;
  }
}

LoopNest NestOf(std::vector<Array>& arrays, const std::vector<int64_t>& shape) {
  LoopNest nest;
  StartNest(nest, static_cast<int>(shape.size()), shape.data());
  for (Array& array : arrays) AddOperand(nest, array.bytes.data(), array.strides.data());
  OrderAxes(nest, COrder(static_cast<int>(shape.size())));
  return nest;
}

TEST(RowPackingTest, RunsSeeTheSameElements) {
  static constexpr DType kDTypes[] = {DType::kInt8, DType::kInt16, DType::kFloat32, DType::kFloat64,
                                      DType::kComplex128};
  static constexpr int64_t kRows[] = {1, 2, 7, 40};
  std::mt19937 random(7);
  int packed = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape(2 + random() % 3);
    for (int64_t& size : shape) size = kRows[random() % std::size(kRows)];
    if (shape.size() == 2) shape[0] *= 10;
    if (shape.size() == 4) shape[0] = 3;
    shape.back() = 2 + static_cast<int64_t>(random() % (kShortRun - 2));
    std::vector<DType> inputs(1 + random() % (round % 50 == 0 ? kMaxOperands - 1 : 4));
    std::vector<Array> arrays;
    for (DType& dtype : inputs) {
      dtype = kDTypes[random() % std::size(kDTypes)];
      arrays.emplace_back(shape, dtype, /*is_result=*/false, random);
    }
    arrays.emplace_back(shape, DType::kInt32, /*is_result=*/true, random);
    const LoopNest nest = NestOf(arrays, shape);
    if (!CanPackRows(nest, static_cast<int>(inputs.size()))) continue;
    ++packed;
    std::vector<char>& result = arrays.back().bytes;
    const std::vector<char> before = result;
    ForEachRunInOrder(nest, [&](char* const* pointers, const int64_t* strides, int64_t n) {
      Mix(pointers, strides, n, inputs);
    });
    const std::vector<char> expected = result;
    result = before;
    int64_t elements = 0;
    ForEachPackedRun(nest, inputs, [&](char* const* pointers, const int64_t* strides, int64_t n) {
      elements += n;
      Mix(pointers, strides, n, inputs);
    });
    ASSERT_EQ(result, expected) << "round " << round;
    ASSERT_EQ(elements, nest.size());
  }
  EXPECT_GT(packed, 150);
}

TEST(RowPackingTest, RunsAreLong) {
  const int64_t shape[] = {50, 40, 3};
  std::vector<double> points(150), pairs(6000);
  const int64_t one[] = {24, 0, 8}, other[] = {0, 24, 8}, all[] = {960, 24, 8};
  LoopNest nest;
  StartNest(nest, 3, shape);
  AddOperand(nest, reinterpret_cast<char*>(points.data()), one);
  AddOperand(nest, reinterpret_cast<char*>(points.data()), other);
  AddOperand(nest, reinterpret_cast<char*>(pairs.data()), all);
  OrderAxes(nest, COrder(3));
  ASSERT_TRUE(CanPackRows(nest, 2));
  const DType inputs[] = {DType::kFloat64, DType::kFloat64};
  int runs = 0;
  ForEachPackedRun(nest, inputs, [&](char* const*, const int64_t*, int64_t) { ++runs; });
  EXPECT_LE(runs, 6);
}

TEST(RowPackingTest, LeavesLongRowsAndUnevenResultsAlone) {
  std::vector<double> memory(1000);
  char* const data = reinterpret_cast<char*>(memory.data());
  const auto can_pack = [data](const std::vector<int64_t>& shape,
                               const std::vector<int64_t>& result) {
    LoopNest nest;
    StartNest(nest, 2, shape.data());
    const int64_t numbers[] = {0, 8};
    AddOperand(nest, data, numbers);
    AddOperand(nest, data, result.data());
    OrderAxes(nest, COrder(2));
    return CanPackRows(nest, 1);
  };
  EXPECT_TRUE(can_pack({10, 3}, {24, 8}));
  EXPECT_TRUE(can_pack({10, 3}, {48, 16}));
  EXPECT_FALSE(can_pack({10, 3}, {32, 8}));
  EXPECT_FALSE(can_pack({10, kShortRun}, {kShortRun * 8, 8}));
  EXPECT_FALSE(can_pack({1, 3}, {24, 8}));
}

}  // namespace
}  // namespace dynacc::executor
