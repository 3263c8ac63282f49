// Which temporaries lie in the memory of what is computed from them, and that they do.
#include "codegen/compile/donation.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/platform/buffer_cache.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

constexpr BufferAccess kMakes = BufferAccess::kMakes, kComputes = BufferAccess::kComputes,
                       kReads = BufferAccess::kReads, kGives = BufferAccess::kGives,
                       kReadsElse = BufferAccess::kReadsElse;

// Temporaries of two axes; the aliased buffers that a list of uses gives them.
struct Plan {
  explicit Plan(int count) : buffers(count) {
    for (executor::BufferPlan& buffer : buffers) buffer.shape.rank = 2;
  }

  std::vector<int> AliasedBuffers(std::vector<BufferUse> all) {
    uses.all = std::move(all);
    uses.last.assign(buffers.size(), -1);
    for (const BufferUse& use : uses.all) uses.last[use.buffer] = use.step;
    for (auto it = uses.aliases.rbegin(); it != uses.aliases.rend(); ++it) {
      uses.last[it->second] = std::max(uses.last[it->second], uses.last[it->first]);
    }
    for (int step = static_cast<int>(uses.together.size()); step <= uses.all.back().step; ++step) {
      uses.together.push_back(step);
    }
    PlanDonations(uses, buffers);
    std::vector<int> aliased;
    for (const executor::BufferPlan& buffer : buffers) aliased.push_back(buffer.aliased_buffer);
    return aliased;
  }

  std::vector<executor::BufferPlan> buffers;
  BufferUses uses;
};

using AliasedBuffers = std::vector<int>;

TEST(DonationTest, TheLastReaderIsAliased) {
  EXPECT_EQ(Plan(2).AliasedBuffers({{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}}),
            AliasedBuffers({1, -1}));
}

TEST(DonationTest, OfAChainTheLast) {
  EXPECT_EQ(
      Plan(3).AliasedBuffers(
          {{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}, {1, 2, kReads}, {2, 2, kComputes}}),
      AliasedBuffers({2, 2, -1}));
}

TEST(DonationTest, WhatMayBeBegunAnewKeepsWhatItReads) {
  const std::vector<BufferUse> uses = {
      {0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}, {1, 2, kReads}, {2, 2, kComputes}};
  Plan plan(3);
  plan.uses.together = {0, 1, 1};
  plan.uses.restarts = {false, true, true};
  EXPECT_EQ(plan.AliasedBuffers(uses), AliasedBuffers({-1, 2, -1}));
  plan.uses.restarts = {false, false, false};
  for (executor::BufferPlan& buffer : plan.buffers) buffer.aliased_buffer = -1;
  EXPECT_EQ(plan.AliasedBuffers(uses), AliasedBuffers({2, 2, -1}));
}

TEST(DonationTest, NoBufferIsAliasedByTwo) {
  EXPECT_EQ(
      Plan(3).AliasedBuffers(
          {{0, 0, kMakes}, {1, 1, kMakes}, {0, 2, kReads}, {1, 2, kReads}, {2, 2, kComputes}}),
      AliasedBuffers({2, -1, -1}));
}

TEST(DonationTest, OtherReadersForbidIt) {
  EXPECT_EQ(
      Plan(2).AliasedBuffers({{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}, {0, 2, kReads}}),
      AliasedBuffers({-1, -1}));
}

TEST(DonationTest, OtherWaysOfReadingForbidIt) {
  for (const BufferAccess access : {kGives, kReadsElse}) {
    EXPECT_EQ(Plan(2).AliasedBuffers({{0, 0, kMakes}, {0, 1, access}, {1, 1, kComputes}}),
              AliasedBuffers({-1, -1}));
    EXPECT_EQ(
        Plan(2).AliasedBuffers({{0, 0, kMakes}, {0, 1, kReads}, {0, 1, access}, {1, 1, kComputes}}),
        AliasedBuffers({-1, -1}));
  }
}

TEST(DonationTest, OtherStepsForbidIt) {
  EXPECT_EQ(Plan(2).AliasedBuffers({{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kMakes}}),
            AliasedBuffers({-1, -1}));
}

TEST(DonationTest, OtherSizesForbidIt) {
  const std::vector<BufferUse> uses = {{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}};
  Plan narrow(2), of_other_shape(2), of_other_rank(2), another_dtype(2);
  narrow.buffers[1].dtype = DType::kFloat32;
  EXPECT_EQ(narrow.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
  of_other_shape.buffers[1].shape.sizes[1] = 3;
  EXPECT_EQ(of_other_shape.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
  of_other_rank.buffers[1].shape.rank = 1;
  EXPECT_EQ(of_other_rank.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
  another_dtype.buffers[1].dtype = DType::kInt64;
  EXPECT_EQ(another_dtype.AliasedBuffers(uses), AliasedBuffers({1, -1}));
}

TEST(DonationTest, OnlyTemporariesAliasBuffers) {
  const std::vector<BufferUse> uses = {{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kComputes}};
  Plan of_input(2), of_result(2), result(2), part(2);
  of_input.buffers[0].kind = executor::BufferKind::kInput;
  EXPECT_EQ(of_input.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
  of_result.buffers[0].kind = executor::BufferKind::kOutput;
  EXPECT_EQ(of_result.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
  result.buffers[1].kind = executor::BufferKind::kOutput;
  EXPECT_EQ(result.AliasedBuffers(uses), AliasedBuffers({1, -1}));
  part.buffers[1].kind = executor::BufferKind::kPart;
  EXPECT_EQ(part.AliasedBuffers(uses), AliasedBuffers({-1, -1}));
}

// 1 may be 0 in another shape: who reads that may read other elements.
TEST(DonationTest, ReadersOfWhatMayBeTheSameMemoryForbidIt) {
  Plan read_with(3), read_before(3);
  read_with.uses.aliases = read_before.uses.aliases = {{1, 0}};
  EXPECT_EQ(read_with.AliasedBuffers({{0, 0, kMakes},
                                      {0, 1, kReads},
                                      {1, 1, kMakes},
                                      {0, 2, kReads},
                                      {1, 2, kReads},
                                      {2, 2, kComputes}}),
            AliasedBuffers({-1, -1, -1}));
  EXPECT_EQ(
      read_before.AliasedBuffers(
          {{0, 0, kMakes}, {0, 1, kReads}, {1, 1, kMakes}, {0, 2, kReads}, {2, 2, kComputes}}),
      AliasedBuffers({2, -1, -1}));
}

// Steps 1 and 2 run by rows: what 1 reads of other rows may be written already.
TEST(DonationTest, BlocksOfRowsReadTheirOwnRows) {
  for (const BufferAccess access : {kReads, kGives, kReadsElse}) {
    const int aliased_buffer = access == kReadsElse ? -1 : 2;
    Plan by_rows(3), apart(3);
    by_rows.uses.together = {0, 1, 1};
    const std::vector<BufferUse> uses = {{0, 0, kMakes}, {0, 1, access},     {1, 1, kMakes},
                                         {0, 2, kReads}, {1, 2, kReadsElse}, {2, 2, kComputes}};
    EXPECT_EQ(by_rows.AliasedBuffers(uses), AliasedBuffers({aliased_buffer, -1, -1}));
    EXPECT_EQ(apart.AliasedBuffers(uses), AliasedBuffers({2, -1, -1}));
  }
}

// Bytes of temporaries that a run took.
class DonationRunTest : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 300, kColumns = 200;

  static void SetUpTestSuite() { testing::RegisterMimicLoops(); }

  void SetUp() override {
    for (int64_t i = 0; i < kRows * kColumns; ++i) elements_.push_back(std::sin(i));
    for (int64_t i = 0; i < kColumns * kColumns; ++i) square_.push_back(std::cos(i));
  }

  size_t TemporaryBytes(const std::string& lines, VectorSink& sink) {
    GraphRunner runner(absl::StrCat("graph {\n%0: f64[300, 200] = input 0\n",
                                    "%1: f64[200, 200] = input 1\n",
                                    "%2: f64[300, 200] = matmul %0, %1\n", lines, "}"));
    EXPECT_TRUE(runner.status().ok()) << runner.status();
    platform::BufferCache::Process().Trim();
    const auto flags = runner.Run({ViewOf(elements_, DType::kFloat64, {kRows, kColumns}),
                                   ViewOf(square_, DType::kFloat64, {kColumns, kColumns})},
                                  sink);
    EXPECT_TRUE(flags.ok()) << flags.status();
    text_ = runner.compiled().Describe();
    return platform::BufferCache::Process().cached_bytes();
  }

  std::vector<double> elements_, square_;
  std::string text_;
};

constexpr size_t kArrayBytes = 300 * 200 * 8;

TEST_F(DonationRunTest, AResultTakesItsOperandsMemory) {
  VectorSink sink, product;
  EXPECT_EQ(TemporaryBytes("%3: f64[300, 200] = multiply %2, %2\nreturn %3\n", sink), 0u);
  EXPECT_NE(text_.find("%2 lies in the memory of %3"), std::string::npos) << text_;
  TemporaryBytes("return %2\n", product);
  std::vector<double> wanted = product.Values<double>(0);
  for (double& x : wanted) x *= x;
  EXPECT_EQ(sink.Values<double>(0), wanted);
}

TEST_F(DonationRunTest, ReadElsewhereItKeepsItsOwn) {
  VectorSink sink, product;
  EXPECT_GE(TemporaryBytes("%3: f64[300, 200] = view %2 axis[0, 1] start[299, 0] step[-1, 1]\n"
                           "%4: f64[300, 200] = subtract %2, %3\nreturn %4\n",
                           sink),
            kArrayBytes);
  TemporaryBytes("return %2\n", product);
  const std::vector<double> t = product.Values<double>(0);
  std::vector<double> wanted;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    wanted.push_back(t[i] - t[(kRows - 1 - i / kColumns) * kColumns + i % kColumns]);
  }
  EXPECT_EQ(sink.Values<double>(0), wanted);
}

TEST_F(DonationRunTest, RowsTakeItToo) {
  VectorSink sink;
  EXPECT_LT(TemporaryBytes("%3: f64[300, 1] = reduce_max %2 axes[1] keepdims\n"
                           "%4: f64[300, 200] = view %3 axis[0, -1] start[0, 0] step[1, 0]\n"
                           "%5: f64[300, 200] = subtract %2, %4\nreturn %5\n",
                           sink),
            kArrayBytes);
  const std::vector<double> got = sink.Values<double>(0);
  for (int64_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(*std::max_element(&got[row * kColumns], &got[row * kColumns] + kColumns), 0) << row;
  }
}

}  // namespace
}  // namespace dynacc::compile
