// Writing back: what is copied where, when it is not, and that sweeps reuse their memory.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/platform/buffer_cache.h"
#include "tests/codegen/graph_runner.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::compile {
namespace {

using ::testing::ElementsAre;
using testing::GraphRunner;
using testing::VectorSink;
using testing::ViewOf;

constexpr char kSweep[] = R"(graph {
  %0: f64[6, 1000] = input 0
  %1: f64[4, 998] = view %0 axis[0, 1] start[0, 1] step[1, 1]
  %2: f64[4, 998] = view %0 axis[0, 1] start[2, 1] step[1, 1]
  %3: f64[4, 998] = add %1, %2
  %4: f64[6, 1000] = store %0, %3 axis[0, 1] start[1, 1] step[1, 1]
  %5: f64[1000] = view %4 axis[1] start[1, 0] step[1]
  %6: f64[6, 1000] = store %4, %5 axis[1] start[0, 0] step[1]
  return %6 -> %0
})";

class RefusingSink : public VectorSink {
 public:
  bool MayWriteBack(uint32_t) override { return false; }
};

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { testing::RegisterMimicLoops(); }
};

TEST_F(StoreTest, WritesBackPartsInOrder) {
  std::vector<double> a = {1, 2, 3, 4, 5};
  GraphRunner runner(R"(graph {
    %0: f64[5] = input 0
    %1: f64[4] = view %0 axis[0] start[0] step[1]
    %2: f64[5] = store %0, %1 axis[0] start[1] step[1]
    %3: f64[] = scalar 9
    %4: f64[5] = store %2, %3 axis[] start[2] step[]
    return %4 -> %0
  })");
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(a, DType::kFloat64, {5})}, sink).ok());
  EXPECT_THAT(a, ElementsAre(1, 1, 9, 3, 4));
}

TEST_F(StoreTest, ExchangesTwoInputs) {
  std::vector<double> a = {1, 2}, b = {3, 4};
  GraphRunner runner(R"(graph {
    %0: f64[2] = input 0
    %1: f64[2] = input 1
    return %1 -> %0, %0 -> %1
  })");
  VectorSink sink;
  ASSERT_TRUE(
      runner.Run({ViewOf(a, DType::kFloat64, {2}), ViewOf(b, DType::kFloat64, {2})}, sink).ok());
  EXPECT_THAT(a, ElementsAre(3, 4));
  EXPECT_THAT(b, ElementsAre(1, 2));
}

TEST_F(StoreTest, LeavesInputsAloneIfTheSinkRefuses) {
  std::vector<double> a(6000, 1.5);
  GraphRunner runner(kSweep);
  RefusingSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(a, DType::kFloat64, {6, 1000})}, sink).ok());
  EXPECT_EQ(a, std::vector<double>(6000, 1.5));
}

TEST_F(StoreTest, ASweepAllocatesNothingAfterItsFirstRun) {
  std::vector<double> a(6000, 1.5);
  GraphRunner runner(kSweep);
  VectorSink sink;
  size_t cached = 0;
  for (int run = 0; run < 20; ++run) {
    ASSERT_TRUE(runner.Run({ViewOf(a, DType::kFloat64, {6, 1000})}, sink).ok());
    // Blocks go back to the cache: it would grow if a run did not find all that it needs there.
    if (run == 0) cached = platform::BufferCache::Process().cached_bytes();
    EXPECT_EQ(platform::BufferCache::Process().cached_bytes(), cached);
  }
  EXPECT_FALSE(sink.Has(0));
}

TEST_F(StoreTest, AChainOfStoresIntoATemporaryBecomesAnOutput) {
  std::vector<double> a = {1, 2, 3};
  GraphRunner runner(R"(graph {
    %0: f64[3] = input 0
    %1: f64[3] = negative %0
    %2: f64[1] = view %0 axis[0] start[0] step[1]
    %3: f64[3] = store %1, %2 axis[0] start[1] step[1]
    %4: f64[3] = store %3, %2 axis[0] start[2] step[1]
    return %4
  })");
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(a, DType::kFloat64, {3})}, sink).ok());
  EXPECT_THAT(sink.Values<double>(0), ElementsAre(-1, 1, 1));
}

TEST_F(StoreTest, KeepsTheBaseWhereNothingIsStored) {
  std::vector<double> a(24), expected;
  for (int i = 0; i < 24; ++i) a[i] = i;
  GraphRunner runner(R"(graph {
    %0: f64[4, 6] = input 0
    %1: f64[2, 3] = view %0 axis[0, 1] start[1, 4] step[1, -1]
    %2: f64[2, 3] = multiply %1, %1
    %3: f64[4, 6] = store %0, %2 axis[0, 1] start[1, 4] step[1, -1]
    %4: f64[6] = view %3 axis[1] start[1, 0] step[1]
    %5: f64[6] = view %3 axis[1] start[3, 0] step[1]
    return %4, %5
  })");
  VectorSink sink;
  ASSERT_TRUE(runner.Run({ViewOf(a, DType::kFloat64, {4, 6})}, sink).ok());
  EXPECT_THAT(sink.Values<double>(0), ElementsAre(6, 7, 64, 81, 100, 11));
  EXPECT_THAT(sink.Values<double>(1), ElementsAre(18, 19, 20, 21, 22, 23));
  EXPECT_EQ(a[8], 8);
}

}  // namespace
}  // namespace dynacc::compile
