// Calls that hold the GIL for the guards only: that they do, and that nobody can tell by results.
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/embed/host/gil_count.h"
#include "tests/embed/host/host_test.h"

namespace dynacc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FastCallTest : public CompiledHostTest {
 protected:
  // What `f` gives when everything about it is known; the GIL was taken `times` in that call.
  static absl::StatusOr<Value> SteadyCall(const Function& f, const List& arguments, int times) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(f.Call(arguments).ok());
    const int before = TimesGilTaken();
    absl::StatusOr<Value> result = f.Call(arguments);
    EXPECT_EQ(TimesGilTaken() - before, times);
    return result;
  }

  static std::vector<double> ElementsOf(const Tensor& tensor) {
    std::vector<double> elements;
    const int64_t rows = tensor.shape().size() == 2 ? tensor.shape()[0] : 1;
    const int64_t row_step = tensor.shape().size() == 2 ? tensor.strides()[0] : 0;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < tensor.shape().back(); ++j) {
        elements.push_back(*reinterpret_cast<const double*>(
            static_cast<const char*>(tensor.data()) + i * row_step + j * tensor.strides().back()));
      }
    }
    return elements;
  }

  std::vector<double> six_ = {1, 2, 3, 4, 5, 6};
};

TEST_F(FastCallTest, AnArrayOfArrays) {
  const Function f = FunctionOf(Compiled("def f(a, b): return a * b + a\n"));
  const TensorView six = TensorView::Of(six_.data(), {6});
  const absl::StatusOr<Value> result = SteadyCall(f, {six, six}, 1);
  EXPECT_THAT(ElementsOf(result->tensor()), ElementsAre(2, 6, 12, 20, 30, 42));
  EXPECT_TRUE(result->tensor().writable());
  EXPECT_THAT(result->tensor().strides(), ElementsAre(8));
  // It outlives everything, and can be handed on.
  EXPECT_THAT(ElementsOf(SteadyCall(f, {result->tensor(), six}, 1)->tensor()),
              ElementsAre(4, 18, 48, 100, 180, 294));
}

TEST_F(FastCallTest, ViewsNumbersAndContainers) {
  const Function f = FunctionOf(
      Compiled("def f(a, k):\n"
               "  b = a.reshape(2, 3) * k\n"
               "  return {'t': b.T, 'row': b[1, ::-1], 'parts': (b.sum(), b.shape[1], None, 'x'),\n"
               "          'flag': (b > 100).any(), 'count': (b > 4).sum(), 'half':\n"
               "          np.float16(1.5) * b.astype(np.float16).max()}\n"));
  const absl::StatusOr<Value> result = SteadyCall(f, {TensorView::Of(six_.data(), {6}), 2.0}, 1);
  const Dict& dict = result->As<Dict>();
  ASSERT_EQ(dict.size(), 6u);
  EXPECT_EQ(dict[0].first, "t");
  EXPECT_THAT(dict[0].second.tensor().shape(), ElementsAre(3, 2));
  EXPECT_THAT(ElementsOf(dict[0].second.tensor()), ElementsAre(2, 8, 4, 10, 6, 12));
  EXPECT_THAT(ElementsOf(dict[1].second.tensor()), ElementsAre(12, 10, 8));
  const List& parts = dict[2].second.As<List>();
  EXPECT_EQ(parts[0].As<double>(), 42);
  EXPECT_EQ(parts[1].As<int64_t>(), 3);
  EXPECT_TRUE(parts[2].IsNone());
  EXPECT_EQ(parts[3].As<std::string>(), "x");
  EXPECT_FALSE(dict[3].second.As<bool>());
  EXPECT_EQ(dict[4].second.As<int64_t>(), 4);
  EXPECT_EQ(dict[5].second.As<double>(), 18);
}

TEST_F(FastCallTest, AnyPlaceOfElements) {
  const Function f = FunctionOf(Compiled("def f(a): return a * 2\n"));
  TensorView view = TensorView::Of(six_.data() + 5, {3});
  view.strides = {-16};
  EXPECT_THAT(ElementsOf(SteadyCall(f, {view}, 1)->tensor()), ElementsAre(12, 8, 4));
  view = TensorView::Of(six_.data(), {2, 3});
  view.strides = {8, 16};  // overlapping, column-major
  EXPECT_THAT(ElementsOf(SteadyCall(f, {view}, 1)->tensor()), ElementsAre(2, 6, 10, 4, 8, 12));
  EXPECT_EQ(SteadyCall(f, {TensorView::Of(six_.data(), {0})}, 1)->tensor().shape()[0], 0);
  // No element at a multiple of its size: such an array is NumPy's.
  std::vector<char> bytes(33);
  const double values[] = {1.5, 2.5, 3.5, 4.5};
  memcpy(bytes.data() + 1, values, sizeof(values));
  view = {bytes.data() + 1, ElementType::kFloat64, {4}, {}, true};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(ElementsOf(f.Call({view})->tensor()), ElementsAre(3, 5, 7, 9));
  }
  view.shape = {-1};
  EXPECT_THAT(std::string(f.Call({view}).status().message()), HasSubstr("argument 1"));
}

// What else the entry needs of Python is held for as long as it runs, and let go.
TEST_F(FastCallTest, ArraysOfTheModuleAndOfAnObject) {
  const Module module = ModuleOf(
      "import dynacc\nimport numpy as np\nw = np.arange(6.0)\n"
      "class Model:\n  def __init__(self): self.w = np.ones(6)\n  @dynacc.compile\n"
      "  def f(self, a): return a + self.w\n"
      "@dynacc.compile\ndef f(a): return a + w\n"
      "method = Model().f\n"
      "def references():\n  import sys\n  return sys.getrefcount(w)\n");
  const TensorView six = TensorView::Of(six_.data(), {6});
  const int64_t references = module.Get("references")->Call({})->As<int64_t>();
  const absl::StatusOr<Value> sum = SteadyCall(*module.Get("f"), {six}, 2);
  EXPECT_THAT(ElementsOf(sum->tensor()), ElementsAre(1, 3, 5, 7, 9, 11));
  EXPECT_EQ(module.Get("references")->Call({})->As<int64_t>(), references);
  EXPECT_THAT(ElementsOf(SteadyCall(*module.Get("method"), {six}, 2)->tensor()),
              ElementsAre(2, 3, 4, 5, 6, 7));
  ASSERT_TRUE(module.Set("w", sum->tensor()).ok());
  EXPECT_THAT(ElementsOf(module.Get("f")->Call({six})->tensor()), ElementsAre(2, 5, 8, 11, 14, 17));
}

// The array itself, or a view of it, comes from Python.
TEST_F(FastCallTest, AnArgumentThatComesBack) {
  const Function f = FunctionOf(Compiled("def f(a): return a, a[::2], a + 1\n"));
  for (int i = 0; i < 5; ++i) {
    const absl::StatusOr<Value> result = f.Call({TensorView::Of(six_.data(), {6})});
    const List& parts = result->As<List>();
    EXPECT_EQ(parts[0].tensor().data(), six_.data());
    EXPECT_THAT(ElementsOf(parts[1].tensor()), ElementsAre(1, 3, 5));
    EXPECT_THAT(ElementsOf(parts[2].tensor()), ElementsAre(2, 3, 4, 5, 6, 7));
  }
}

TEST_F(FastCallTest, WritesGoWhereTheyShould) {
  const Function f = FunctionOf(Compiled("def f(a): a += 1; return a.sum()\n"));
  for (int i = 1; i < 5; ++i) {
    EXPECT_EQ(f.Call({TensorView::Of(six_.data(), {6})})->As<double>(), 21 + 6 * i);
  }
}

TEST_F(FastCallTest, FloatingPointErrorsAreNumpys) {
  const Module module = ModuleOf(
      "import dynacc, warnings\nimport numpy as np\n"
      "@dynacc.compile\ndef f(a): return 1 / a\n"
      "def strictly():\n  warnings.simplefilter('error')\n");
  const Function f = *module.Get("f");
  const TensorView six = TensorView::Of(six_.data(), {6});
  EXPECT_TRUE(SteadyCall(f, {six}, 1).ok());
  ASSERT_TRUE(module.Get("strictly")->Call({}).ok());
  six_[2] = 0;
  const absl::Status status = f.Call({six}).status();
  EXPECT_THAT(status.ToString(), HasSubstr("divide by zero encountered in divide"));
  six_[2] = 3;
  EXPECT_TRUE(f.Call({six}).ok());
}

TEST_F(FastCallTest, IntegersBeyond64Bits) {
  const Function f = FunctionOf(Compiled("def f(a): return a.max()\n"));
  uint64_t elements[] = {1, 2, 3};
  const TensorView view = {elements, ElementType::kUint64, {3}, {}, true};
  EXPECT_EQ(SteadyCall(f, {view}, 1)->As<int64_t>(), 3);
  elements[0] = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(f.Call({view})->As<uint64_t>(), std::numeric_limits<uint64_t>::max());
}

TEST_F(FastCallTest, OtherShapesAndTypesMeanwhile) {
  const Function f = FunctionOf(Compiled("def f(a, b): return (a * b).sum()\n"));
  const std::vector<float> floats(100, 2.0F);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 1; k <= 6; ++k) {
    threads.emplace_back([&, k] {
      const std::vector<double> doubles(k * 10, k);
      const TensorView a = TensorView::Of(doubles.data(), {k * 10});
      for (int i = 0; i < 200; ++i) {
        const absl::StatusOr<Value> same = f.Call({a, a});
        if (!same.ok() || same->As<double>() != 10.0 * k * k * k) ++wrong;
        const absl::StatusOr<Value> mixed = f.Call({a, TensorView::Of(floats.data(), {k * 10})});
        if (!mixed.ok() || mixed->As<double>() != 20.0 * k * k) ++wrong;
        if (f.Call({a, TensorView::Of(floats.data(), {7})}).ok()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// One kernel of many operations on a large array: a deadline ends it long before its end. Also
// where the call is an ordinary one, as an argument comes back.
TEST_F(FastCallTest, ADeadlineStopsALongRun) {
  const std::vector<double> ones(2'000'000, 1.0);
  const List arguments = {TensorView::Of(ones.data(), {2'000'000})};
  for (const char* returned : {"b", "a, b"}) {
    const Function f = FunctionOf(
        Compiled(
            "def f(a):\n  b = a\n  for _ in range(60): b = np.sqrt(b * 0.5 + 1.0)\n  return ") +
        returned + "\n");
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(f.Call(arguments).ok());
    const absl::Time start = absl::Now();
    ASSERT_TRUE(f.Call(arguments).ok());
    const absl::Duration whole = absl::Now() - start;
    CallOptions options;
    const absl::Time again = absl::Now();
    options.deadline = again + whole / 20;
    EXPECT_EQ(f.Call(arguments, options).status().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_LT(absl::Now() - again, whole / 2);
  }
}

}  // namespace
}  // namespace dynacc
