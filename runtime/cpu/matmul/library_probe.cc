#include "runtime/cpu/matmul/library_probe.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/cpu/matmul/parallel_matmul.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

// A product to compare, by how far apart neighbours in each operand lie, in elements: matrices as
// they are made, transposed ones, and ones with gaps, which NumPy does not hand to its BLAS.
struct Probe {
  int64_t rows, inner, columns;
  bool a_transposed, b_transposed;
  int gap;
};

// Long sums, which libraries split; small and uneven edges, which they treat apart; vectors; sizes
// beyond one of their blocks.
constexpr Probe kProbes[] = {
    {5, 700, 9, false, false, 1},   {9, 33, 17, true, false, 1},   {16, 300, 8, false, true, 1},
    {7, 1030, 6, true, true, 1},    {1, 700, 30, false, false, 1}, {1, 700, 30, false, true, 1},
    {30, 700, 1, false, false, 1},  {30, 700, 1, true, false, 1},  {1, 1500, 1, false, false, 1},
    {4, 4, 4, false, false, 1},     {3, 3, 2, true, false, 1},     {64, 20, 66, false, false, 1},
    {130, 8, 120, false, false, 1}, {6, 90, 5, false, false, 2},   {2, 2, 300, false, false, 1},
    {300, 2, 2, false, true, 1},
};

// Drawn once for all probes, as that takes longer than the products; no operand has more.
constexpr int64_t kNumbers = 21'000;

// Numbers of many magnitudes, so that another order of a sum shows; some zeros.
template <typename T>
std::vector<T> Numbers(int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<T> mantissas(-1, 1);
  std::uniform_int_distribution<int> exponents(-12, 12);
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    const int exponent = exponents(random);
    number = exponent == 0 ? T{0} : std::ldexp(mantissas(random), exponent);
  }
  return numbers;
}

template <typename T>
bool SameBits(const std::vector<T>& x, const std::vector<T>& y) {
  return absl::c_equal(x, y, [](const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
  });
}

// The result's memory is `found`; the matrices' are `a` and `b`.
template <typename T>
Product ProductOf(const Probe& probe, const std::vector<T>& a, const std::vector<T>& b,
                  std::vector<T>& found) {
  const int64_t step = static_cast<int64_t>(sizeof(T)) * probe.gap;
  Product p = {};
  p.rows = probe.rows;
  p.inner = probe.inner;
  p.columns = probe.columns;
  p.a = reinterpret_cast<const char*>(a.data());
  p.a_row = probe.a_transposed ? step : step * p.inner;
  p.a_inner = probe.a_transposed ? step * p.rows : step;
  p.b = reinterpret_cast<const char*>(b.data());
  p.b_inner = probe.b_transposed ? step : step * p.columns;
  p.b_column = probe.b_transposed ? step * p.inner : step;
  p.c = reinterpret_cast<char*>(found.data());
  p.c_row = static_cast<int64_t>(sizeof(T)) * p.columns;
  p.c_column = sizeof(T);
  return p;
}

void MultiplyByLibrary(kernel::LibraryLoop library, const Product& p) {
  char* args[] = {const_cast<char*>(p.a), const_cast<char*>(p.b), p.c};
  const intptr_t sizes[] = {1, p.rows, p.inner, p.columns};
  const intptr_t steps[] = {0,         0,          0,       p.a_row,   p.a_inner,
                            p.b_inner, p.b_column, p.c_row, p.c_column};
  library.fn(args, sizes, steps, library.data);
}

template <typename T>
bool Agree(kernel::LibraryLoop library, OrderedMatmulKernels::Multiply multiply, const Probe& probe,
           const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> theirs(probe.rows * probe.columns), ours(probe.rows * probe.columns);
  MultiplyByLibrary(library, ProductOf(probe, a, b, theirs));
  return MultiplyInParallel(multiply, ProductOf(probe, a, b, ours)) && SameBits(theirs, ours);
}

// A library that leaves out products with a zero gives no NaN for zero times infinity.
template <typename T>
bool AgreeOnSpecialNumbers(kernel::LibraryLoop library, OrderedMatmulKernels::Multiply multiply,
                           const Probe& probe, std::vector<T> a, std::vector<T> b) {
  a[0] = 0;
  b[0] = std::numeric_limits<T>::infinity();
  b.back() = -T{0};
  return Agree(library, multiply, probe, a, b);
}

// A matrix and itself transposed, which NumPy computes by another function of its BLAS.
template <typename T>
bool AgreeOnSquares(kernel::LibraryLoop library, OrderedMatmulKernels::Multiply multiply,
                    const std::vector<T>& numbers) {
  constexpr Probe kSquare = {20, 75, 20, false, true, 1};
  const std::vector<T> a(numbers.begin(), numbers.begin() + 20 * 75);
  return Agree(library, multiply, kSquare, a, a);
}

}  // namespace

template <typename T>
bool LibraryIsInOrder(kernel::LibraryLoop library, OrderedMatmulKernels::Multiply multiply) {
  const platform::ScopedFpFlags flags;
  std::mt19937 random(1);  // the same numbers in every process
  const std::vector<T> numbers = Numbers<T>(kNumbers, random);
  for (const Probe& probe : kProbes) {
    const std::vector<T> a(numbers.begin(), numbers.begin() + probe.rows * probe.inner * probe.gap);
    const std::vector<T> b(numbers.end() - probe.inner * probe.columns * probe.gap, numbers.end());
    if (!Agree(library, multiply, probe, a, b)) return false;
    if (!AgreeOnSpecialNumbers(library, multiply, probe, a, b)) return false;
  }
  return AgreeOnSquares<T>(library, multiply, numbers);
}

template bool LibraryIsInOrder<float>(kernel::LibraryLoop, OrderedMatmulKernels::Multiply);
template bool LibraryIsInOrder<double>(kernel::LibraryLoop, OrderedMatmulKernels::Multiply);

}  // namespace dynacc::cpu
