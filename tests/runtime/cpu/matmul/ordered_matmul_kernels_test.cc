// Every level's kernels against the plainest loop, bit by bit and flag by flag.
#include "runtime/cpu/matmul/ordered_matmul_kernels.h"

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "gtest/gtest.h"
#include "runtime/cpu/matmul/parallel_matmul.h"
#include "runtime/platform/cpu_level.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

template <typename T>
OrderedMatmulKernels::Multiply Pick(const OrderedMatmulKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) return kernels.of_floats;
  if constexpr (std::is_same_v<T, double>) return kernels.of_doubles;
  if constexpr (std::is_same_v<T, uint32_t>) return kernels.of_uint32;
  if constexpr (std::is_same_v<T, uint64_t>) return kernels.of_uint64;
}

// A matrix in memory of its own, with room around it that nobody may touch.
template <typename T>
struct Matrix {
  std::vector<T> memory;
  int64_t origin, row, column;  // in elements

  Matrix(int64_t rows, int64_t columns, int layout) {
    constexpr int64_t kAround = 70;
    memory.assign(rows * columns * 2 + 2 * kAround + 2 * rows + 2 * columns, T{});
    origin = kAround;
    row = layout == 1 ? 1 : columns;  // 0: rows, 1: columns, 2: gaps, 3: backwards
    column = layout == 1 ? rows : 1;
    if (layout == 2) row *= 2, column *= 2;
    if (layout == 3) {
      origin += rows * columns - 1;
      row = -row;
      column = -column;
    }
  }
  T& at(int64_t i, int64_t j) { return memory[origin + i * row + j * column]; }
  char* data() { return reinterpret_cast<char*>(&memory[origin]); }
};

template <typename T>
void Fill(Matrix<T>& matrix, std::mt19937_64& random) {
  for (T& number : matrix.memory) {
    if constexpr (std::is_integral_v<T>) {
      number = static_cast<T>(random());
    } else {
      const int exponent = static_cast<int>(random() % 20) - 10;
      number = std::ldexp(std::uniform_real_distribution<T>(-1, 1)(random), exponent);
    }
  }
}

// Not inlined: the compiler may not contract or reorder what it does not see.
template <typename T>
[[gnu::noinline]] T Sum(T sum, T product) {
  return sum + product;
}

template <typename T>
void MultiplyPlainly(Matrix<T>& a, Matrix<T>& b, Matrix<T>& c, int64_t rows, int64_t inner,
                     int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum = Sum<T>(sum, a.at(i, k) * b.at(k, j));
      c.at(i, j) = sum;
    }
  }
}

template <typename T>
Product ProductOf(Matrix<T>& a, Matrix<T>& b, Matrix<T>& c, int64_t rows, int64_t inner,
                  int64_t columns) {
  constexpr int64_t kItem = sizeof(T);
  return {rows,     inner,         columns,          a.data(), a.row * kItem, a.column * kItem,
          b.data(), b.row * kItem, b.column * kItem, c.data(), c.row * kItem, c.column * kItem};
}

struct Case {
  int64_t rows, inner, columns;
};

// Around the edges of tiles and blocks: 4 and 6 rows, 8 to 64 columns, 192 rows, 128 factors, 1024
// columns.
constexpr Case kCases[] = {
    {1, 1, 1},    {1, 5, 40},    {1, 130, 300}, {40, 5, 1},    {2, 3, 2},      {3, 128, 17},
    {4, 129, 64}, {6, 200, 65},  {7, 7, 7},     {12, 30, 128}, {13, 257, 96},  {33, 2, 9},
    {193, 9, 31}, {200, 130, 5}, {5, 3, 1025},  {14, 1, 1100}, {64, 64, 64},   {3, 3, 3},
    {2, 40, 300}, {3, 40, 300},  {4, 40, 300},  {4, 4, 4},     {2, 4, 2},      {8, 8, 8},
    {8, 1, 5},    {2, 8, 6},     {8, 9, 8},     {40, 9, 70},   {7, 140, 1030},
};

template <typename T>
class OrderedMatmulKernelsTest : public testing::Test {};
using Types = testing::Types<float, double, uint32_t, uint64_t>;
TYPED_TEST_SUITE(OrderedMatmulKernelsTest, Types);

TYPED_TEST(OrderedMatmulKernelsTest, GiveThePlainLoopsBitsOnEveryLevel) {
  const std::pair<const char*, const OrderedMatmulKernels*> levels[] = {
      {"", &kOrderedMatmulKernelsBase},
      {"x86-64-v3", &kOrderedMatmulKernelsV3},
      {"x86-64-v4", &kOrderedMatmulKernelsV4}};
  std::mt19937_64 random(7);
  for (const auto& [level, kernels] : levels) {
    if (*level != '\0' && !platform::CheckCpuLevel(level).ok()) continue;
    for (const auto [rows, inner, columns] : kCases) {
      for (int layouts = 0; layouts < 64; layouts += 1 + static_cast<int>(random() % 5)) {
        Matrix<TypeParam> a(rows, inner, layouts % 4), b(inner, columns, layouts / 4 % 4);
        Matrix<TypeParam> c(rows, columns, layouts / 16);
        Fill(a, random);
        Fill(b, random);
        Fill(c, random);
        Matrix<TypeParam> expected = c;
        MultiplyPlainly(a, b, expected, rows, inner, columns);
        ASSERT_TRUE(MultiplyInParallel(Pick<TypeParam>(*kernels),
                                       ProductOf(a, b, c, rows, inner, columns)));
        ASSERT_EQ(c.memory, expected.memory)
            << level << ' ' << rows << 'x' << inner << 'x' << columns << " layouts " << layouts;
      }
    }
  }
}

// Of every width up to a few panels: whole vectors, some that overlap, and less than one.
TYPED_TEST(OrderedMatmulKernelsTest, GiveThePlainLoopsBitsInEveryWidth) {
  std::mt19937_64 random(11);
  for (const OrderedMatmulKernels* kernels :
       {&kOrderedMatmulKernelsBase, &BestOrderedMatmulKernels()}) {
    for (int64_t columns = 1; columns <= 150; ++columns) {
      const auto rows = static_cast<int64_t>(5 + random() % 50);
      const auto inner = static_cast<int64_t>(1 + random() % 200);
      const auto layout = [&] { return static_cast<int>(random() % 4); };
      Matrix<TypeParam> a(rows, inner, layout()), b(inner, columns, layout());
      Matrix<TypeParam> c(rows, columns, layout());
      Fill(a, random);
      Fill(b, random);
      Fill(c, random);
      Matrix<TypeParam> expected = c;
      MultiplyPlainly(a, b, expected, rows, inner, columns);
      ASSERT_TRUE(
          MultiplyInParallel(Pick<TypeParam>(*kernels), ProductOf(a, b, c, rows, inner, columns)));
      ASSERT_EQ(c.memory, expected.memory) << rows << 'x' << inner << 'x' << columns;
    }
  }
}

TEST(OrderedMatmulKernels, RaiseNoFlagsThatTheSumsDoNot) {
  const OrderedMatmulKernels& kernels = BestOrderedMatmulKernels();
  // Infinities beside the edges: zeros in the padding would give NaNs there.
  Matrix<double> a(7, 3, 0), b(3, 9, 0), c(7, 9, 0);
  absl::c_fill(a.memory, 2.0);
  absl::c_fill(b.memory, std::numeric_limits<double>::infinity());
  const platform::ScopedFpFlags flags;
  ASSERT_TRUE(MultiplyInParallel(kernels.of_doubles, ProductOf(a, b, c, 7, 3, 9)));
  EXPECT_EQ(platform::ErrorFlags(), 0u);
  a.at(6, 2) = 0;
  ASSERT_TRUE(MultiplyInParallel(kernels.of_doubles, ProductOf(a, b, c, 7, 3, 9)));
  EXPECT_EQ(platform::ErrorFlags(), static_cast<uint32_t>(FE_INVALID));
}

TEST(OrderedMatmulKernels, GiveTheSameOnSeveralThreads) {
  const OrderedMatmulKernels& kernels = BestOrderedMatmulKernels();
  std::mt19937_64 random(3);
  constexpr int64_t kRows = 401, kInner = 150, kColumns = 333;
  Matrix<float> a(kRows, kInner, 0), b(kInner, kColumns, 1), c(kRows, kColumns, 0);
  Fill(a, random);
  Fill(b, random);
  Matrix<float> expected = c;
  MultiplyPlainly(a, b, expected, kRows, kInner, kColumns);
  ASSERT_TRUE(MultiplyInParallel(kernels.of_floats, ProductOf(a, b, c, kRows, kInner, kColumns)));
  EXPECT_EQ(c.memory, expected.memory);
}

}  // namespace
}  // namespace dynacc::cpu
