#include "runtime/cpu/loops/pairwise_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "runtime/cpu/loops/folded_sum.h"
#include "runtime/cpu/loops/reduce_levels.h"
#include "tests/runtime/cpu/loops/every_level.h"
#include "tests/runtime/executor/numpy_like_loops.h"

namespace dynacc::cpu {
namespace {

std::vector<ReduceFns> AllLevels() {
  return testing::EveryLevel(kReduceFnsBase, kReduceFnsV3, kReduceFnsV4);
}

constexpr int64_t kElements = 1 << 16;

template <typename T>
std::vector<T> Elements() {
  std::vector<T> elements;
  for (int64_t i = 0; i < kElements; ++i) {
    elements.push_back(static_cast<T>(std::sin(i * 1.7) * std::exp(std::cos(i * 0.3) * 9)));
  }
  return elements;
}

template <typename T>
SumRunsFn FnOf(const ReduceFns& fns) {
  return sizeof(T) == 4 ? fns.sum.float32 : fns.sum.float64;
}

template <typename T>
kernel::LibraryLoop AddLoop() {
  return {&testing::AddLoop<T>, nullptr};
}

template <typename T>
class PairwiseSumTest : public ::testing::Test {
 protected:
  // Sums of `runs` runs of n elements, `gap` elements between them, by every level.
  void Check(int64_t runs, int64_t n, int64_t gap) {
    const int64_t run_stride = (n + gap) * sizeof(T);
    for (const ReduceFns& fns : AllLevels()) {
      std::vector<T> sums(2 * runs, T{3});
      FnOf<T>(fns)(data(1), run_stride, runs, n, reinterpret_cast<char*>(sums.data()),
                   2 * sizeof(T));
      for (int64_t r = 0; r < runs; ++r) {
        const T wanted = T{3} + testing::PairwiseSum<T>(data(1) + r * run_stride, n, sizeof(T));
        ASSERT_EQ(std::memcmp(&sums[2 * r], &wanted, sizeof(T)), 0)
            << "run " << r << " of " << runs << ", of " << n << " elements";
        ASSERT_EQ(sums[2 * r + 1], 3);
      }
    }
  }
  const char* data(int64_t element) const {
    return reinterpret_cast<const char*>(elements_.data() + element);
  }

  std::vector<T> elements_ = Elements<T>();
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairwiseSumTest, Types);

TYPED_TEST(PairwiseSumTest, HasNumPysBitsForEveryShortLength) {
  for (int64_t n = 1; n <= 1100; ++n) this->Check(1, n, 0);
}

TYPED_TEST(PairwiseSumTest, HasNumPysBitsForLongRuns) {
  for (const int64_t n : {4096, 8184, 8191, 8192, 8193, 12345, 65000}) this->Check(1, n, 0);
}

TYPED_TEST(PairwiseSumTest, SumsManyRunsAtOnce) {
  for (const int64_t n : {1, 3, 8, 13, 64, 100, 128, 129, 200, 256, 768, 1000, 1024}) {
    for (const int64_t runs : {2, 7, 8, 9, 40}) this->Check(runs, n, n % 5);
  }
}

TYPED_TEST(PairwiseSumTest, AddsAllRunsIntoOneAccumulatorInOrder) {
  TypeParam sum = 0, wanted = 0;
  for (const ReduceFns& fns : AllLevels()) {
    sum = wanted = 0;
    FnOf<TypeParam>(fns)(this->data(0), 300 * sizeof(TypeParam), 20, 300,
                         reinterpret_cast<char*>(&sum), 0);
    for (int64_t r = 0; r < 20; ++r) {
      wanted += testing::PairwiseSum<TypeParam>(this->data(300 * r), 300, sizeof(TypeParam));
    }
    EXPECT_EQ(sum, wanted);
  }
}

// What a kernel does: eight sums of each block, without those at the run's end that are not full.
template <typename T>
void Fold(const FoldedRun& run, const T* terms, T* sums) {
  for (int k = 0; k < run.count; ++k, sums += 8) {
    std::fill_n(sums, 8, T{-0.0});
    for (int i = run.blocks[k].begin; i < run.blocks[k].end; ++i) {
      sums[(i - run.blocks[k].begin) % 8] += terms[i];
    }
  }
}

// Rows of n terms, three times as far apart, folded and finished by every level.
template <typename T>
void CheckFolded(const T* terms, int64_t rows, int64_t n) {
  const FoldedRun run(n);
  ASSERT_EQ(run.tail, n % 8);
  for (int k = 0; k < run.count; ++k) {
    ASSERT_EQ((run.blocks[k].end - run.blocks[k].begin) % 8, 0) << n;
  }
  std::vector<T> sums(rows * run.count * 8 + 16), tails(rows * kFoldTail);
  T* const aligned = sums.data() + (-reinterpret_cast<uintptr_t>(sums.data()) % 64) / sizeof(T);
  for (int64_t r = 0; r < rows; ++r) {
    Fold(run, terms + 3 * r * n, aligned + r * run.count * 8);
    std::copy_n(terms + 3 * r * n + n - kFoldTail, kFoldTail, &tails[r * kFoldTail]);
  }
  for (const ReduceFns& fns : AllLevels()) {
    const FinishFoldedFn finish =
        sizeof(T) == 4 ? fns.finish_folded.float32 : fns.finish_folded.float64;
    std::vector<T> totals(2 * rows, T{3});
    finish(run, reinterpret_cast<char*>(aligned), reinterpret_cast<char*>(tails.data()), rows,
           reinterpret_cast<char*>(totals.data()), 2 * sizeof(T));
    for (int64_t r = 0; r < rows; ++r) {
      const T wanted = T{3} + testing::PairwiseSum<T>(
                                  reinterpret_cast<const char*>(terms + 3 * r * n), n, sizeof(T));
      ASSERT_EQ(std::memcmp(&totals[2 * r], &wanted, sizeof(T)), 0)
          << "row " << r << " of " << rows << ", of " << n << " terms";
      ASSERT_EQ(totals[2 * r + 1], 3);
    }
  }
}

TYPED_TEST(PairwiseSumTest, FoldedRunsHaveNumPysBits) {
  for (int64_t n = kFoldTail; n <= 1100; ++n) CheckFolded(this->elements_.data(), 1, n);
  for (const int64_t n : {2047, 4096, 4103, 8177, 8191, 8192}) {
    CheckFolded(this->elements_.data(), 1, n);
  }
}

TYPED_TEST(PairwiseSumTest, FoldedRunsMayBeMany) {
  for (const int64_t n : {16, 100, 128, 137, 256, 768, 1000}) {
    for (const int64_t rows : {2, 9, 20}) CheckFolded(this->elements_.data(), rows, n);
  }
}

TYPED_TEST(PairwiseSumTest, IsUsedForALoopWithTheSameOrderOnly) {
  constexpr DType kDType = sizeof(TypeParam) == 4 ? DType::kFloat32 : DType::kFloat64;
  EXPECT_NE(FindSumRuns(kDType, AddLoop<TypeParam>()), nullptr);
  // Adds one after the other.
  const kernel::LibraryLoop plain = {
      [](char** args, const intptr_t* n, const intptr_t* steps, void*) {
        auto* sum = reinterpret_cast<TypeParam*>(args[0]);
        for (intptr_t i = 0; i < *n; ++i) {
          *sum += *reinterpret_cast<TypeParam*>(args[1] + i * steps[1]);
        }
      },
      nullptr};
  EXPECT_EQ(FindSumRuns(kDType, plain), nullptr);
  EXPECT_EQ(FindSumRuns(DType::kInt32, plain), nullptr);
}

// Sums of 64-bit integers wrap, in whatever order: runs in memory, and folded ones with their
// tails.
TEST(IntegerSumTest, AddsUpRunsAndWhatKernelsHaveFolded) {
  constexpr int64_t kRows = 3;
  for (const ReduceFns& fns : AllLevels()) {
    for (const int64_t n : {16, 100, 129, 1031, 8192}) {
      std::vector<uint64_t> terms(kRows * n);
      for (size_t i = 0; i < terms.size(); ++i) terms[i] = (i + 1) * 0x9E3779B97F4A7C15;
      const FoldedRun run(n);
      std::vector<uint64_t> wanted(kRows, 5), sums(kRows * run.count * 8), tails;
      for (int64_t r = 0; r < kRows; ++r) {
        const uint64_t* const row = &terms[r * n];
        for (int64_t i = 0; i < n; ++i) wanted[r] += row[i];
        for (int64_t i = 0; i < n - run.tail; ++i) sums[r * run.count * 8 + i % 8] += row[i];
        tails.insert(tails.end(), row + n - kFoldTail, row + n);
      }
      std::vector<uint64_t> totals(kRows, 5), folded(kRows, 5);
      fns.sum_integers(reinterpret_cast<char*>(terms.data()), n * sizeof(uint64_t), kRows, n,
                       reinterpret_cast<char*>(totals.data()), sizeof(uint64_t));
      fns.finish_folded_integers(run, reinterpret_cast<char*>(sums.data()),
                                 reinterpret_cast<char*>(tails.data()), kRows,
                                 reinterpret_cast<char*>(folded.data()), sizeof(uint64_t));
      EXPECT_EQ(totals, wanted) << n;
      EXPECT_EQ(folded, wanted) << n;
    }
  }
  EXPECT_NE(FindSumRuns(DType::kInt64, {}), nullptr);
  EXPECT_EQ(FindSumRuns(DType::kUInt64, {}), FindSumRuns(DType::kInt64, {}));
}

}  // namespace
}  // namespace dynacc::cpu
