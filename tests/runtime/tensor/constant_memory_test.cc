// Blocks of constant memory, found by address, and the forms that are kept with them.
#include "runtime/tensor/constant_memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace dynacc {
namespace {

class CountedForm : public ConstantForm {
 public:
  explicit CountedForm(int64_t bytes) : bytes_(bytes) { ++alive; }
  ~CountedForm() override { --alive; }
  int64_t bytes() const override { return bytes_; }

  static inline std::atomic<int> alive = 0;

 private:
  const int64_t bytes_;
};

ConstantForms::Form NewForm(int64_t bytes) { return std::make_shared<CountedForm>(bytes); }

alignas(64) char memory[1000];

std::shared_ptr<ConstantForms> FormsOf(int begin, int end) {
  return ConstantMemory::FormsOf({memory + begin, memory + end});
}

TEST(ConstantMemoryTest, IsFoundByAnyPartOfIt) {
  EXPECT_EQ(FormsOf(0, 10), nullptr);
  {
    const ConstantMemory first(memory + 100, 100), second(memory + 200, 50);
    EXPECT_NE(FormsOf(100, 200), nullptr);
    EXPECT_EQ(FormsOf(100, 101), FormsOf(150, 200));
    EXPECT_NE(FormsOf(150, 200), FormsOf(200, 201));
    EXPECT_EQ(FormsOf(99, 101), nullptr);
    EXPECT_EQ(FormsOf(199, 201), nullptr);
    EXPECT_EQ(FormsOf(249, 251), nullptr);
    EXPECT_EQ(FormsOf(0, 50), nullptr);
    EXPECT_EQ(FormsOf(300, 310), nullptr);
  }
  EXPECT_EQ(FormsOf(100, 200), nullptr);
}

TEST(ConstantMemoryTest, OfNoBytesThereIsNoBlock) {
  const ConstantMemory block(memory + 100, 100);
  { const ConstantMemory nothing(memory + 100, 0), another(memory + 100, 0); }
  EXPECT_NE(FormsOf(100, 200), nullptr);
}

TEST(ConstantMemoryTest, FormsAreKeptAndGoWithTheBlock) {
  {
    const ConstantMemory block(memory, 100);
    const auto forms = FormsOf(0, 100);
    EXPECT_EQ(forms->Find({1}), std::nullopt);
    const ConstantForms::Form form = forms->Keep({1}, NewForm(90));
    EXPECT_EQ(forms->Find({1}), form);
    EXPECT_EQ(FormsOf(20, 30)->Find({1}), form);
    EXPECT_EQ(forms->Keep({1}, NewForm(90)), form) << "who was quicker";
    EXPECT_EQ(forms->Keep({2}, nullptr), nullptr);
    EXPECT_EQ(forms->Find({2}), ConstantForms::Form()) << "it is known that there is none";
    EXPECT_EQ(CountedForm::alive, 1);
  }
  EXPECT_EQ(CountedForm::alive, 0);
}

TEST(ConstantMemoryTest, AFormInUseOutlivesTheBlock) {
  ConstantForms::Form form;
  {
    const ConstantMemory block(memory, 100);
    form = FormsOf(0, 1)->Keep({1}, NewForm(1));
  }
  EXPECT_EQ(CountedForm::alive, 1);
  form = nullptr;
  EXPECT_EQ(CountedForm::alive, 0);
}

TEST(ConstantMemoryTest, FormsTakeUpToTwiceTheMemory) {
  const ConstantMemory block(memory, 100);
  const auto forms = FormsOf(0, 100);
  EXPECT_EQ(forms->room(), 200);
  EXPECT_NE(forms->Keep({1}, NewForm(120)), nullptr);
  EXPECT_EQ(forms->room(), 80);
  EXPECT_EQ(forms->Keep({2}, NewForm(81)), nullptr);
  EXPECT_EQ(forms->Find({2}), ConstantForms::Form());
  EXPECT_NE(forms->Keep({3}, NewForm(80)), nullptr);
  EXPECT_EQ(forms->room(), 0);
}

TEST(ConstantMemoryTest, NoMoreFormsThanItRemembers) {
  const ConstantMemory block(memory, 100);
  const auto forms = FormsOf(0, 100);
  for (int64_t i = 0; i < int64_t{ConstantForms::kMostForms}; ++i) forms->Keep({i}, nullptr);
  EXPECT_EQ(forms->Find({-1}), ConstantForms::Form());
  EXPECT_EQ(forms->Keep({-1}, NewForm(1)), nullptr);
}

TEST(ConstantMemoryTest, FromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        const ConstantMemory block(memory + 100 * t, 100);
        const auto forms = FormsOf(100 * t + i % 100, 100 * t + 100);
        ASSERT_NE(forms, nullptr);
        ASSERT_NE(forms->Keep({i}, NewForm(1)), nullptr);
        FormsOf(0, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CountedForm::alive, 0);
}

TEST(ConstantMemoryTest, AForkedChildGoesOn) {
  std::atomic<bool> done = false;
  std::thread busy([&] {
    while (!done) const ConstantMemory block(memory + 500, 10);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const ConstantMemory block(memory, 10);
      _exit(FormsOf(0, 10) != nullptr ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  done = true;
  busy.join();
}

}  // namespace
}  // namespace dynacc
