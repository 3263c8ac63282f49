// Which libraries are taken over, and what is left to them.
#include "runtime/cpu/matmul/ordered_matmul.h"

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace dynacc::cpu {
namespace {

// How the stand-in for a library computes: its sums' order, and what it makes of zeros.
enum class Kind { kInOrder, kBackwards, kTwoSums, kSkipsZeros };

struct Library {
  Kind kind;
  int calls = 0;
};

template <typename T>
const T& At(const char* base, int64_t i, int64_t row, int64_t k, int64_t column) {
  return *reinterpret_cast<const T*>(base + i * row + k * column);
}

template <typename T>
T SumOf(Kind kind, int64_t inner, const std::vector<T>& a, const std::vector<T>& b) {
  T sum = 0, other = 0;
  for (int64_t k = 0; k < inner; ++k) {
    const int64_t i = kind == Kind::kBackwards ? inner - 1 - k : k;
    if (kind == Kind::kSkipsZeros && a[i] == 0) continue;
    T& into = kind == Kind::kTwoSums && k % 2 == 1 ? other : sum;
    const volatile T product = a[i] * b[i];  // volatile: not contracted
    into = into + product;
  }
  return kind == Kind::kTwoSums ? sum + other : sum;
}

template <typename T>
void Multiply(char** args, const intptr_t* sizes, const intptr_t* s, void* data) {
  auto& library = *static_cast<Library*>(data);
  ++library.calls;
  std::vector<T> x(sizes[2]), y(sizes[2]);
  for (int64_t n = 0; n < sizes[0]; ++n) {
    for (int64_t i = 0; i < sizes[1]; ++i) {
      for (int64_t j = 0; j < sizes[3]; ++j) {
        for (int64_t k = 0; k < sizes[2]; ++k) {
          x[k] = At<T>(args[0] + n * s[0], i, s[3], k, s[4]);
          y[k] = At<T>(args[1] + n * s[1], k, s[5], j, s[6]);
        }
        *reinterpret_cast<T*>(args[2] + n * s[2] + i * s[7] + j * s[8]) =
            SumOf(library.kind, sizes[2], x, y);
      }
    }
  }
}

// Calls of the library for one product of 8 x 30 and 30 x 8 matrices in C order.
template <typename T>
int CallsForOneProduct(kernel::LibraryLoop loop, Library& library, const std::vector<T>& a,
                       const std::vector<T>& b) {
  constexpr intptr_t kItem = sizeof(T);
  std::vector<T> c(64);
  char* args[] = {const_cast<char*>(reinterpret_cast<const char*>(a.data())),
                  const_cast<char*>(reinterpret_cast<const char*>(b.data())),
                  reinterpret_cast<char*>(c.data())};
  const intptr_t sizes[] = {1, 8, 30, 8};
  const intptr_t steps[] = {0, 0, 0, 30 * kItem, kItem, 8 * kItem, kItem, 8 * kItem, kItem};
  library.calls = 0;
  loop.fn(args, sizes, steps, loop.data);
  return library.calls;
}

// So many of these products that the library has been probed: 2,000,000 multiplications.
constexpr int kUntilProbed = 1042;

template <typename T>
void Probe(kernel::LibraryLoop loop, Library& library, const std::vector<T>& a,
           const std::vector<T>& b) {
  for (int i = 0; i < kUntilProbed; ++i) CallsForOneProduct(loop, library, a, b);
}

// After the products before the probe.
template <typename T>
int SteadyCalls(DType dtype, Kind kind) {
  Library library{kind};
  const kernel::LibraryLoop loop = OrderedMatmul(dtype, {&Multiply<T>, &library});
  const std::vector<T> a(240, T(0.3)), b(240, T(0.7));
  Probe(loop, library, a, b);
  return CallsForOneProduct(loop, library, a, b);
}

TEST(OrderedMatmul, TakesOverALibraryWhoseSumsAreInOrder) {
  EXPECT_EQ(SteadyCalls<float>(DType::kFloat32, Kind::kInOrder), 0);
  EXPECT_EQ(SteadyCalls<double>(DType::kFloat64, Kind::kInOrder), 0);
}

TEST(OrderedMatmul, LeavesAnyOtherLibraryAlone) {
  for (const Kind kind : {Kind::kBackwards, Kind::kTwoSums, Kind::kSkipsZeros}) {
    EXPECT_EQ(SteadyCalls<float>(DType::kFloat32, kind), 1);
    EXPECT_EQ(SteadyCalls<double>(DType::kFloat64, kind), 1);
  }
}

TEST(OrderedMatmul, AFewSmallProductsAreTheLibrarys) {
  Library library{Kind::kInOrder};
  const kernel::LibraryLoop loop = OrderedMatmul(DType::kFloat64, {&Multiply<double>, &library});
  const std::vector<double> a(240, 0.3), b(240, 0.7);
  for (int i = 0; i + 1 < kUntilProbed; ++i) {
    ASSERT_EQ(CallsForOneProduct(loop, library, a, b), 1);
  }
  CallsForOneProduct(loop, library, a, b);
  EXPECT_EQ(CallsForOneProduct(loop, library, a, b), 0);
}

TEST(OrderedMatmul, IntegersNeedNoOrder) {
  EXPECT_EQ(SteadyCalls<int64_t>(DType::kInt64, Kind::kBackwards), 0);
  EXPECT_EQ(SteadyCalls<uint32_t>(DType::kUInt32, Kind::kTwoSums), 0);
}

TEST(OrderedMatmul, LeavesOtherTypesAlone) {
  Library library{Kind::kInOrder};
  const kernel::LibraryLoop loop = {&Multiply<int8_t>, &library};
  EXPECT_EQ(OrderedMatmul(DType::kInt8, loop).fn, loop.fn);
}

TEST(OrderedMatmul, LeavesNansToTheLibrary) {
  Library library{Kind::kInOrder};
  const kernel::LibraryLoop loop = OrderedMatmul(DType::kFloat64, {&Multiply<double>, &library});
  const std::vector<double> a(240, 0.5);
  std::vector<double> b(240, 0.5);
  Probe(loop, library, a, b);
  b[17] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(CallsForOneProduct(loop, library, a, b), 0);
  b[18] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(CallsForOneProduct(loop, library, a, b), 1);
}

}  // namespace
}  // namespace dynacc::cpu
