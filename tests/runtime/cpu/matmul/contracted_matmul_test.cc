#include <cmath>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/matmul/contracted_matmul_kernels.h"
#include "runtime/cpu/matmul/ordered_matmul.h"

namespace dynacc::cpu {
namespace {

template <typename T>
std::vector<T> Numbers(int64_t count, int seed) {
  std::vector<T> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<T>(std::sin(static_cast<double>(i * 7 + seed)) * 3));
  }
  return numbers;
}

// What each element is: products and sums rounded once, from the first to the last.
template <typename T>
T Contracted(const std::vector<T>& a, const std::vector<T>& b, int64_t row, int64_t column,
             int64_t inner, int64_t columns) {
  T sum = 0;
  for (int64_t k = 0; k < inner; ++k) {
    sum = std::fma(a[row * inner + k], b[k * columns + column], sum);
  }
  return sum;
}

template <typename T>
void ExpectContracted(DType dtype, int64_t rows, int64_t inner, int64_t columns) {
  std::vector<T> a = Numbers<T>(rows * inner, 1), b = Numbers<T>(inner * columns, 2);
  std::vector<T> found(rows * columns, T(-1));
  const kernel::LibraryLoop loop = ContractedMatmul(dtype);
  char* args[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data()),
                  reinterpret_cast<char*>(found.data())};
  const intptr_t item = sizeof(T), sizes[] = {1, rows, inner, columns};
  const intptr_t steps[] = {0,   0, 0, inner * item, item, columns * item, item, columns * item,
                            item};
  loop.fn(args, sizes, steps, loop.data);
  const bool contracts = BestContractedMatmul() != kContractedMatmulBase;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; contracts && j < columns; ++j) {
      EXPECT_EQ(found[i * columns + j], Contracted(a, b, i, j, inner, columns))
          << rows << " x " << inner << " x " << columns << " at " << i << ", " << j;
    }
  }
}

TEST(ContractedMatmulTest, RoundsEachProductAndSumOnceWhateverTheShape) {
  for (const auto& [rows, inner, columns] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                                {1, 300, 1},
                                                                                {1, 40, 130},
                                                                                {3, 17, 70},
                                                                                {130, 5, 1},
                                                                                {64, 200, 65},
                                                                                {7, 129, 200}}) {
    ExpectContracted<float>(DType::kFloat32, rows, inner, columns);
  }
}

TEST(ContractedMatmulTest, OfNothingIsZero) {
  float found[2] = {7, 7};
  const kernel::LibraryLoop loop = ContractedMatmul(DType::kFloat32);
  char* args[] = {nullptr, nullptr, reinterpret_cast<char*>(found)};
  const intptr_t sizes[] = {1, 1, 0, 2}, steps[] = {0, 0, 0, 0, 4, 8, 4, 8, 4};
  loop.fn(args, sizes, steps, loop.data);
  EXPECT_EQ(found[0], 0);
  EXPECT_EQ(found[1], 0);
}

TEST(ContractedMatmulTest, IsThereForFloat32Alone) {
  EXPECT_FALSE(ContractedMatmul(DType::kInt64));
  EXPECT_FALSE(ContractedMatmul(DType::kFloat64));
}

}  // namespace
}  // namespace dynacc::cpu
