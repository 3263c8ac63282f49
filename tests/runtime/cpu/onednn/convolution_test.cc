// Products of windows by oneDNN, convolutions or not, against plain sums: random views of an image.
#include "runtime/cpu/onednn/convolution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/window_matmul.h"
#include "tests/fuzz_seeds.h"
#include "tests/runtime/cpu/random_windows.h"

namespace dynacc::cpu {
namespace {

class ConvolutionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!OneDnnStatus().ok()) GTEST_SKIP() << OneDnnStatus();
  }
};

TEST_F(ConvolutionTest, RandomWindows) {
  int convolutions = 0;
  const auto count = static_cast<int>(testing::ForEachSeed(1, 400, [&](uint64_t seed) {
    RandomWindows windows(seed);
    const int64_t rows = windows.rows(), inner = windows.inner(), columns = windows.Draw(1, 40);
    std::vector<float> b = windows.Numbers(inner * columns), row = windows.Numbers(columns);
    std::vector<float> whole = windows.Numbers(rows * columns), c(rows * columns, NAN);
    const StridedView right = MatrixOf(b.data(), inner, columns, windows.Draw(0, 1) == 1);
    const StridedView out = MatrixOf(c.data(), rows, columns, false);
    convolutions += AsConvolution(windows.view, windows.axes, right, out).has_value();
    StridedView bias = MatrixOf(row.data(), rows, columns, false);
    bias.strides[0] = 0;
    const ArrayStep steps[] = {
        {EpilogueKind::kAdd, 0, 0, bias, true},
        {EpilogueKind::kRelu, 0, 0, {}, false},
        {EpilogueKind::kMultiply, 0, 0, MatrixOf(whole.data(), rows, columns, false)}};
    const int num_steps = windows.Draw(0, 3);
    const absl::Status done =
        MultiplyWindows(windows.view, windows.axes, right, absl::MakeSpan(steps, num_steps), out);
    ASSERT_TRUE(done.ok()) << done;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < inner; ++k) {
          const auto* factor = reinterpret_cast<const float*>(right.data + k * right.strides[0] +
                                                              j * right.strides[1]);
          sum += double{windows.At(i * inner + k)} * double{*factor};
        }
        if (num_steps > 0) sum += row[j];
        if (num_steps > 1) sum = std::max(sum, 0.0);
        if (num_steps > 2) sum *= whole[i * columns + j];
        ASSERT_NEAR(c[i * columns + j], sum, 1e-4) << i << " " << j;
      }
    }
  }));
  EXPECT_GT(convolutions, count / 4);
  EXPECT_LT(convolutions, count);
}

// Images of 2 x 3 with 4 channels, in which filters of 2 x 2 have 1 x 2 places.
TEST_F(ConvolutionTest, ReadsStrides) {
  StridedView windows;
  windows.dtype = DType::kFloat32;
  windows.rank = 6;
  const int64_t shape[] = {5, 1, 2, 2, 2, 4}, strides[] = {96, 48, 16, 48, 16, 4};
  std::copy_n(shape, 6, windows.shape);
  std::copy_n(strides, 6, windows.strides);
  const int64_t axes[] = {0, 1, 2, 1, 2, 3};
  std::vector<float> b(16 * 7), c(10 * 7);
  const StridedView right = MatrixOf(b.data(), 16, 7, false),
                    out = MatrixOf(c.data(), 10, 7, false);
  const auto found = AsConvolution(windows, axes, right, out);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->images, 5);
  EXPECT_EQ(found->channels, 4);
  EXPECT_EQ(found->filters, 7);
  windows.strides[5] = -4;
  EXPECT_FALSE(AsConvolution(windows, axes, right, out).has_value());
  windows.strides[5] = 6;  // no multiple of an element
  EXPECT_FALSE(AsConvolution(windows, axes, right, out).has_value());
  windows.strides[5] = 4;
  const int64_t twins[] = {0, 1, 2, 1, 1, 3};
  EXPECT_FALSE(AsConvolution(windows, twins, right, out).has_value());
  const int64_t nothing[] = {0, 1, 2, 3, 4, 5};
  EXPECT_TRUE(AsConvolution(windows, nothing, right, out).has_value());
}

}  // namespace
}  // namespace dynacc::cpu
