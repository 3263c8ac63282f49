// Products with weights in constant memory: the bits of those that may change, packed once.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/cpu/onednn/array_matmul.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/library.h"
#include "runtime/tensor/constant_memory.h"

namespace dynacc::cpu {
namespace {

struct Sizes {
  int64_t stack, rows, inner, columns;
};
// A single row, few and many, of one part and several; sizes that are no multiple of a block;
// stacks of rows; a matrix of one column, whose blocks would take many times its memory.
constexpr Sizes kSizes[] = {{1, 1, 256, 512}, {1, 7, 300, 333}, {1, 128, 64, 64}, {1, 300, 129, 65},
                            {3, 20, 90, 70},  {1, 1, 16, 1},    {1, 90, 1000, 1}, {1, 5, 1, 200}};

class ConstantWeightsTest : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    if (!OneDnnStatus().ok()) GTEST_SKIP() << OneDnnStatus();
    if (!HasFusedMatmuls(GetParam())) GTEST_SKIP() << "this CPU has no AVX-512";
  }

  // Numbers of the dtype.
  std::vector<char> Draw(int64_t n) {
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<char> result;
    for (int64_t i = 0; i < n; ++i) {
      const float x = numbers(engine_);
      char bytes[sizeof x];
      std::memcpy(bytes, &x, sizeof x);  // of bfloat16 the upper half
      result.insert(result.end(), bytes + sizeof x - ItemSize(GetParam()), bytes + sizeof x);
    }
    return result;
  }

  static StridedView View(std::vector<char>& data, std::vector<int64_t> shape, DType dtype) {
    StridedView view;
    view.data = data.data();
    view.dtype = dtype;
    view.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), view.shape);
    SetContiguousStrides(view);
    return view;
  }

  static StridedView Transposed(StridedView view) {
    std::swap(view.shape[0], view.shape[1]);
    std::swap(view.strides[0], view.strides[1]);
    return view;
  }

  std::vector<float> Multiply(const StridedView& a, const StridedView& b,
                              absl::Span<const ArrayStep> epilogue = {}) {
    std::vector<int64_t> shape(a.shape, a.shape + a.rank);
    shape.back() = b.shape[b.rank - 1];
    std::vector<char> result(sizeof(float) * a.size() / a.shape[a.rank - 1] * shape.back());
    const StridedView out = View(result, shape, DType::kFloat32);
    EXPECT_EQ(MultiplyArrays(a, b, epilogue, out), absl::OkStatus());
    const auto* const numbers = reinterpret_cast<const float*>(result.data());
    return {numbers, numbers + out.size()};
  }

  std::mt19937 engine_{1};
};

TEST_P(ConstantWeightsTest, HaveTheBitsOfOthers) {
  for (const Sizes& s : kSizes) {
    for (const bool transposed : {false, true}) {
      std::vector<char> a_data = Draw(s.stack * s.rows * s.inner);
      std::vector<char> b_data = Draw(s.inner * s.columns);
      const StridedView a = View(a_data, {s.stack, s.rows, s.inner}, GetParam());
      const StridedView b = transposed ? Transposed(View(b_data, {s.columns, s.inner}, GetParam()))
                                       : View(b_data, {s.inner, s.columns}, GetParam());
      const std::vector<float> wanted = Multiply(a, b);
      const ConstantMemory constant(b_data.data(), static_cast<int64_t>(b_data.size()));
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(Multiply(a, b), wanted) << s.rows << " x " << s.inner << " x " << s.columns;
      }
      const auto forms = ConstantMemory::FormsOf(BoundsOf(b));
      EXPECT_GE(forms->room(), 0);
    }
  }
}

TEST_P(ConstantWeightsTest, WithEpilogues) {
  for (const int64_t rows : {1, 5, 200}) {
    std::vector<char> a_data = Draw(rows * 96), b_data = Draw(96 * 130);
    std::vector<char> bias_data(sizeof(float) * 130, 0x3E),
        whole_data(sizeof(float) * rows * 130, 0x3D);
    const StridedView a = View(a_data, {rows, 96}, GetParam());
    const StridedView b = View(b_data, {96, 130}, GetParam());
    StridedView bias = View(bias_data, {rows, 130}, DType::kFloat32);
    bias.strides[0] = 0;
    const StridedView whole = View(whole_data, {rows, 130}, DType::kFloat32);
    const ArrayStep steps[] = {{EpilogueKind::kAdd, 0, 0, bias, true},
                               {EpilogueKind::kRelu},
                               {EpilogueKind::kMultiply, 0, 0, whole, false}};
    const std::vector<float> wanted = Multiply(a, b, steps);
    const ConstantMemory constant(b_data.data(), static_cast<int64_t>(b_data.size()));
    EXPECT_EQ(Multiply(a, b, steps), wanted) << rows;
    EXPECT_EQ(Multiply(a, b, steps), wanted) << rows;
  }
}

// What was packed is what is read: only so does a test see that it was.
TEST_P(ConstantWeightsTest, AreReadOncePerOrder) {
  std::vector<char> a_data = Draw(8 * 128), b_data = Draw(128 * 128);
  const StridedView a = View(a_data, {8, 128}, GetParam()),
                    b = View(b_data, {128, 128}, GetParam());
  const ConstantMemory constant(b_data.data(), static_cast<int64_t>(b_data.size()));
  const auto forms = ConstantMemory::FormsOf(BoundsOf(b));
  const int64_t before = forms->room();
  const std::vector<float> plain = Multiply(a, b), transposed = Multiply(a, Transposed(b));
  if (forms->room() == before) GTEST_SKIP() << "oneDNN has no other order on this CPU";
  EXPECT_EQ(forms->room(), 0) << "both in twice the memory";
  std::fill(b_data.begin(), b_data.end(), 0);
  EXPECT_EQ(Multiply(a, b), plain);
  EXPECT_EQ(Multiply(a, Transposed(b)), transposed);
  StridedView part = b;
  part.shape[1] = 100;
  EXPECT_EQ(Multiply(a, part), std::vector<float>(8 * 100)) << "there is no room for a third";
}

TEST_P(ConstantWeightsTest, StacksOfWeightsAreNotPacked) {
  std::vector<char> a_data = Draw(2 * 8 * 64), b_data = Draw(2 * 64 * 64);
  const StridedView a = View(a_data, {2, 8, 64}, GetParam()),
                    b = View(b_data, {2, 64, 64}, GetParam());
  const ConstantMemory constant(b_data.data(), static_cast<int64_t>(b_data.size()));
  const auto forms = ConstantMemory::FormsOf(BoundsOf(b));
  const int64_t before = forms->room();
  Multiply(a, b);
  EXPECT_EQ(forms->room(), before);
}

TEST_P(ConstantWeightsTest, FromManyThreads) {
  std::vector<char> a_data = Draw(16 * 200), b_data = Draw(200 * 300);
  const StridedView a = View(a_data, {16, 200}, GetParam()),
                    b = View(b_data, {200, 300}, GetParam());
  const std::vector<float> wanted = Multiply(a, b);
  for (int round = 0; round < 20; ++round) {
    const ConstantMemory constant(b_data.data(), static_cast<int64_t>(b_data.size()));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] { EXPECT_EQ(Multiply(a, b), wanted); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

INSTANTIATE_TEST_SUITE_P(DTypes, ConstantWeightsTest,
                         ::testing::Values(DType::kFloat32, DType::kBFloat16),
                         [](const auto& info) { return std::string(Info(info.param).text); });

}  // namespace
}  // namespace dynacc::cpu
