// Products of windows where they lie, against those of a copy, bit by bit.
#include "runtime/executor/window_matmul_step.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/matmul/window_rows.h"
#include "tests/fuzz_seeds.h"
#include "tests/runtime/cpu/random_windows.h"

namespace dynacc::executor {
namespace {

StridedView Matrix(std::vector<float>& numbers, int64_t rows, int64_t columns, bool transposed) {
  return cpu::MatrixOf(numbers.data(), rows, columns, transposed);
}

float ElementOf(const StridedView& view, int64_t i) {
  const char* element = view.data;
  for (int d = view.rank - 1; d >= 0; --d, i /= view.shape[d + 1]) {
    element += i % view.shape[d] * view.strides[d];
  }
  return *reinterpret_cast<const float*>(element);
}

// The windows of pictures, channels last, of the shape (pictures, places, places, filter, filter,
// channels).
StridedView WindowsOfPictures(cpu::RandomWindows& random, std::vector<float>& pictures) {
  const int filter = random.Draw(1, 4), step = random.Draw(1, 2);
  const int64_t n = random.Draw(1, 2), places = random.Draw(1, 9), channels = random.Draw(1, 50);
  const int64_t side = (places - 1) * step + filter;
  pictures = random.Numbers(n * side * side * channels);
  StridedView windows;
  windows.data = reinterpret_cast<char*>(pictures.data());
  windows.dtype = DType::kFloat32;
  windows.rank = 6;
  const int64_t shape[] = {n, places, places, filter, filter, channels};
  const int64_t row = 4 * side * channels, column = 4 * channels;
  const int64_t strides[] = {side * row, step * row, step * column, row, column, 4};
  std::copy_n(shape, 6, windows.shape);
  std::copy_n(strides, 6, windows.strides);
  return windows;
}

// Whether the windows were read where they lie.
bool Compare(cpu::RandomWindows& random, const StridedView& windows, int64_t inner) {
  const int64_t rows = windows.size() / inner, columns = random.Draw(1, 150);
  std::vector<float> b = random.Numbers(inner * columns), c(rows * columns, -7.0f);
  if (random.Draw(0, 9) == 0) b[random.Draw(0, static_cast<int>(b.size()) - 1)] = NAN;
  const StridedView right = Matrix(b, inner, columns, random.Draw(0, 1) == 1);
  const kernel::LibraryLoop loop = random.Draw(0, 1) == 1 ? cpu::ContractedMatmul(DType::kFloat32)
                                                          : cpu::InOrderMatmul(DType::kFloat32);
  const absl::Status done =
      MultiplyWindowsByLoop(loop, windows, right, Matrix(c, rows, columns, false));
  EXPECT_TRUE(done.ok()) << done;
  std::vector<float> copy(rows * inner), expected(rows * columns);
  for (int64_t i = 0; i < rows * inner; ++i) copy[i] = ElementOf(windows, i);
  MultiplyByLoop(loop, Matrix(copy, rows, inner, false), right,
                 Matrix(expected, rows, columns, false));
  EXPECT_EQ(std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)), 0);
  return cpu::WindowRows::Of(windows, inner).has_value();
}

TEST(WindowMatmulTest, HasTheBitsOfACopysProduct) {
  int in_place = 0;
  const auto count = static_cast<int>(testing::ForEachSeed(1, 300, [&](uint64_t seed) {
    cpu::RandomWindows random(static_cast<int>(seed));
    Compare(random, random.view, random.inner());
    std::vector<float> pictures;
    const StridedView windows = WindowsOfPictures(random, pictures);
    in_place += Compare(random, windows, windows.shape[3] * windows.shape[4] * windows.shape[5]);
  }));
  EXPECT_GE(in_place, count * 3 / 4);
}

TEST(WindowMatmulTest, RunsFitIntoABlockOfFactors) {
  std::vector<float> image(400 * 5, 1.0f);
  StridedView windows = Matrix(image, 3, 393, false);  // 3 * 131
  const auto rows = cpu::WindowRows::Of(windows, 393);
  ASSERT_TRUE(rows.has_value());
  cpu::Product product{};
  rows->SetLeft(product);
  EXPECT_LE(product.run, cpu::kMostRun);
  EXPECT_EQ(393 % product.run, 0);
}

TEST(WindowMatmulTest, OtherSizesAreAnError) {
  std::vector<float> image(24, 1.0f), b(8, 1.0f), c(12);
  const absl::Status done =
      MultiplyWindowsByLoop(cpu::InOrderMatmul(DType::kFloat32), Matrix(image, 4, 6, false),
                            Matrix(b, 4, 2, false), Matrix(c, 6, 2, false));
  EXPECT_TRUE(done.ok()) << done;  // 24 elements are 6 rows of 4
  const auto code = [&](int64_t rows, int64_t inner, int64_t columns) {
    return MultiplyWindowsByLoop(cpu::InOrderMatmul(DType::kFloat32),
                                 Matrix(image, rows, inner, false), Matrix(b, 4, columns, false),
                                 Matrix(c, 6, 2, false))
        .code();
  };
  EXPECT_EQ(code(4, 5, 2), absl::StatusCode::kInternal);
  EXPECT_EQ(code(5, 4, 2), absl::StatusCode::kInternal);  // fewer rows than the result has
  EXPECT_EQ(code(6, 4, 1), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace dynacc::executor
