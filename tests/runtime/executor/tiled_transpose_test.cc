// Operands that lie across are computed with as if they lay along: against the plain order.
#include "runtime/executor/tiled_transpose.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace dynacc::executor {
namespace {

// An array with its axes in some order of memory, perhaps with gaps.
struct Array {
  Array(const std::vector<int64_t>& shape, DType dtype, std::mt19937& random)
      : dtype(dtype), strides(shape.size()) {
    std::vector<int> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    int64_t next = ItemSize(dtype);
    for (const int axis : order) {
      strides[axis] = next;
      next *= shape[axis] + static_cast<int64_t>(random() % 2);
    }
    bytes.resize(next);
    for (char& byte : bytes) byte = static_cast<char>(random());
  }

  DType dtype;
  std::vector<int64_t> strides;
  std::vector<char> bytes;
};

// Adds up the inputs' first bytes.
void AddRun(char* const* pointers, const int64_t* strides, int64_t n, int num_inputs) {
  for (int64_t i = 0; i < n; ++i) {
    char sum = 1;
    for (int k = 0; k < num_inputs; ++k)
      sum = static_cast<char>(sum * 3 + pointers[k][i * strides[k]]);
    pointers[num_inputs][i * strides[num_inputs]] = sum;
  }
}

class TiledTransposeTest : public testing::Test {
 protected:
  std::vector<int64_t> RandomShape() {
    static constexpr int64_t kSizes[] = {1, 3, 8, 17, 40, 70, 300};
    std::vector<int64_t> shape(1 + random_() % 3);
    for (int64_t& size : shape) size = kSizes[random_() % std::size(kSizes)];
    if (shape.size() == 3) shape[0] = std::min<int64_t>(shape[0], 17);
    return shape;
  }

  std::mt19937 random_{7};
};

TEST_F(TiledTransposeTest, RunsSeeTheSameElements) {
  static constexpr DType kDTypes[] = {DType::kInt8, DType::kInt16, DType::kFloat32, DType::kFloat64,
                                      DType::kComplex128};
  for (int round = 0; round < 300; ++round) {
    const std::vector<int64_t> shape = RandomShape();
    std::vector<DType> inputs(1 + random_() % 3);
    std::vector<Array> arrays;
    for (DType& dtype : inputs) {
      dtype = kDTypes[random_() % std::size(kDTypes)];
      arrays.emplace_back(shape, dtype, random_);
    }
    arrays.emplace_back(shape, DType::kInt32, random_);
    LoopNest nest;
    StartNest(nest, static_cast<int>(shape.size()), shape.data());
    for (Array& array : arrays) AddOperand(nest, array.bytes.data(), array.strides.data());
    OptimizeNest(nest);
    const auto run = [&](char* const* pointers, const int64_t* strides, int64_t n) {
      AddRun(pointers, strides, n, static_cast<int>(inputs.size()));
    };
    std::vector<char>& result = arrays.back().bytes;
    const std::vector<char> before = result;
    ForEachRun(nest, run);
    const std::vector<char> expected = result;
    std::copy(before.begin(), before.end(), result.begin());
    ForEachRowsSideBySide(nest, inputs,
                          [&](char* const* pointers, const int64_t* strides, int64_t n,
                              const int64_t* row_strides, int64_t rows) {
                            std::vector<char*> at(pointers, pointers + nest.num_operands);
                            for (int64_t row = 0; row < rows; ++row) {
                              run(at.data(), strides, n);
                              for (int k = 0; k < nest.num_operands; ++k) at[k] += row_strides[k];
                            }
                          });
    ASSERT_EQ(result, expected) << "round " << round;
  }
}

TEST_F(TiledTransposeTest, CopiesAcross) {
  int done = 0;
  for (int round = 0; round < 200; ++round) {
    const std::vector<int64_t> shape = RandomShape();
    Array source(shape, DType::kFloat32, random_), copy(shape, DType::kFloat32, random_);
    LoopNest nest;
    StartNest(nest, static_cast<int>(shape.size()), shape.data());
    AddOperand(nest, source.bytes.data(), source.strides.data());
    AddOperand(nest, copy.bytes.data(), copy.strides.data());
    OptimizeNest(nest);
    const std::vector<char> before = copy.bytes;
    ForEachRun(nest, [](char* const* pointers, const int64_t* strides, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(pointers[1] + i * strides[1], pointers[0] + i * strides[0], 4);
      }
    });
    const std::vector<char> expected = copy.bytes;
    std::copy(before.begin(), before.end(), copy.bytes.begin());
    const bool copied = CopyAcross(nest, 4);
    ASSERT_EQ(copy.bytes, copied ? expected : before) << "round " << round;
    done += copied;
  }
  EXPECT_GT(done, 10);
}

}  // namespace
}  // namespace dynacc::executor
