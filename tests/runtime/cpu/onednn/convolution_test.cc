// Products of windows by oneDNN, convolutions or not, against plain sums: random views of an image.
#include "runtime/cpu/onednn/convolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/cpu/onednn/window_matmul.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::cpu {
namespace {

StridedView Matrix(float* data, int64_t rows, int64_t columns, bool transposed) {
  StridedView view;
  view.data = reinterpret_cast<char*>(data);
  view.dtype = DType::kFloat32;
  view.rank = 2;
  view.shape[0] = rows;
  view.shape[1] = columns;
  view.strides[0] = 4 * (transposed ? 1 : columns);
  view.strides[1] = 4 * (transposed ? rows : 1);
  return view;
}

// A view of windows with the axes that it walks along, and the memory behind it.
class RandomWindows {
 public:
  explicit RandomWindows(int seed) : random_(seed) {
    std::vector<Axis> places, others;
    const int sources = Draw(1, 4);
    int64_t stride = 1;
    for (int s = 0; s < sources && places.size() + others.size() + 3 <= kMaxRank; ++s) {
      const int64_t unit = stride * Draw(1, 2);
      const int64_t step = Draw(1, 3), dilation = Draw(1, 3);
      const int64_t n = Draw(1, 9), k = Draw(1, 4);
      const int kind = Draw(0, 9);
      if (kind > 1) places.push_back({n, unit * step, s});
      if (kind != 2) others.push_back({k, (kind == 9 ? -1 : 1) * unit * dilation, s});
      if (kind == 8) others.push_back({2, unit, s});  // a window of a window
      stride = unit * ((n - 1) * step + (k + 2) * dilation + 1);
    }
    if (places.empty()) places.push_back({Draw(1, 3), stride, sources});
    std::shuffle(places.begin(), places.end(), random_);
    std::shuffle(others.begin(), others.end(), random_);
    num_places_ = static_cast<int>(places.size());
    places.insert(places.end(), others.begin(), others.end());
    Set(places);
  }

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::vector<float> Numbers(int64_t n) {
    std::vector<float> numbers(n);
    for (float& x : numbers) x = std::uniform_real_distribution<float>(-1, 1)(random_);
    return numbers;
  }
  int64_t Extent(int from, int to) const {
    return std::accumulate(view.shape + from, view.shape + to, int64_t{1}, std::multiplies<>());
  }
  int64_t rows() const { return Extent(0, num_places_); }
  int64_t inner() const { return Extent(num_places_, view.rank); }

  // Element `i` of those in C order.
  float At(int64_t i) const {
    const char* element = view.data;
    for (int d = view.rank - 1; d >= 0; --d, i /= view.shape[d + 1]) {
      element += i % view.shape[d] * view.strides[d];
    }
    return *reinterpret_cast<const float*>(element);
  }

  StridedView view;
  std::vector<int64_t> axes;

 private:
  struct Axis {
    int64_t size, stride, source;
  };

  void Set(const std::vector<Axis>& all) {
    view.dtype = DType::kFloat32;
    view.rank = static_cast<int>(all.size());
    for (int d = 0; d < view.rank; ++d) {
      view.shape[d] = all[d].size;
      view.strides[d] = 4 * all[d].stride;
      axes.push_back(all[d].source);
    }
    const ByteRange range = ByteRangeOf(view);
    image_ = Numbers((range.high - range.low) / 4);
    view.data = reinterpret_cast<char*>(image_.data()) - range.low;
  }

  std::mt19937 random_;
  int num_places_ = 0;
  std::vector<float> image_;
};

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
    const StridedView right = Matrix(b.data(), inner, columns, windows.Draw(0, 1) == 1);
    const StridedView out = Matrix(c.data(), rows, columns, false);
    convolutions += AsConvolution(windows.view, windows.axes, right, out).has_value();
    StridedView bias = Matrix(row.data(), rows, columns, false);
    bias.strides[0] = 0;
    const ArrayStep steps[] = {
        {EpilogueKind::kAdd, 0, 0, bias, true},
        {EpilogueKind::kRelu, 0, 0, {}, false},
        {EpilogueKind::kMultiply, 0, 0, Matrix(whole.data(), rows, columns, false)}};
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
  const StridedView right = Matrix(b.data(), 16, 7, false), out = Matrix(c.data(), 10, 7, false);
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
