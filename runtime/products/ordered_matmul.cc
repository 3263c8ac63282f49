#include "runtime/products/ordered_matmul.h"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "runtime/products/library_probe.h"
#include "runtime/products/parallel_product.h"

namespace dynacc {
namespace {

enum class Order { kNotProbed, kInOrder, kOther };

// The probe takes the time of so many multiplications and additions of the reference BLAS, about a
// millisecond. Until a program's products have come to as much they are the library's: programs of
// small matrices have nothing from knowing.
constexpr int64_t kWorkOfProbe = 2'000'000;

struct OrderedLoop {
  LibraryLoop library;
  ProductKernels::Multiply multiply = nullptr;
  // Of floats; null for integers.
  bool (*probe)(LibraryLoop, ProductKernels::Multiply) = nullptr;
  bool (*has_nan)(const Product&) = nullptr;  // the result
  std::atomic<Order> order{Order::kOther};
  std::atomic<int64_t> work{0};  // of the products before the probe

  bool IsInOrder();
  // Whether products have come to less than the probe, this one of `more` included.
  bool IsTooEarly(int64_t more);
  bool Multiply(const Product& p) const;
};

// By dtype; filled at start-up under the GIL, kept as long as the process, as NumPy is.
std::array<OrderedLoop, kNumDTypes> loops;

// Two threads may both probe; they find the same.
bool OrderedLoop::IsInOrder() {
  Order known = order.load(std::memory_order_relaxed);
  if (known == Order::kNotProbed) {
    known = probe(library, multiply) ? Order::kInOrder : Order::kOther;
    order.store(known, std::memory_order_relaxed);
  }
  return known == Order::kInOrder;
}

bool OrderedLoop::IsTooEarly(int64_t more) {
  if (order.load(std::memory_order_relaxed) != Order::kNotProbed) return false;
  return work.fetch_add(more, std::memory_order_relaxed) + more < kWorkOfProbe;
}

template <typename T>
bool HasNan(const Product& p) {
  bool found = false;
  for (int64_t i = 0; i < p.rows; ++i) {
    const char* element = p.c + i * p.c_row;
    for (int64_t j = 0; j < p.columns; ++j, element += p.c_column) {
      found |= std::isnan(*reinterpret_cast<const T*>(element));
    }
  }
  return found;
}

// False if the library is to compute `p`: a sum of one row and one column, which waits for each
// addition here and there; and what has NaNs. Their signs depend on the order of two factors, and
// the product of a matrix and itself transposed, of which NumPy has BLAS compute half, leaves out
// what is multiplied by zero, infinities included.
bool OrderedLoop::Multiply(const Product& p) const {
  if (has_nan != nullptr && p.rows == 1 && p.columns == 1) return false;
  return MultiplyInParallel(multiply, p) && (has_nan == nullptr || !has_nan(p));
}

void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  OrderedLoop& loop = *static_cast<OrderedLoop*>(data);
  const LibraryLoop library = loop.library;
  Product p{sizes[1], sizes[2], sizes[3], args[0], steps[3], steps[4],
            args[1],  steps[5], steps[6], args[2], steps[7], steps[8]};
  const bool is_empty = p.rows == 0 || p.inner == 0 || p.columns == 0;
  if (is_empty || loop.IsTooEarly(sizes[0] * p.rows * p.inner * p.columns) || !loop.IsInOrder()) {
    return library.fn(args, sizes, steps, library.data);
  }
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    if (!loop.Multiply(p)) {
      const intptr_t one[] = {1, sizes[1], sizes[2], sizes[3]};
      char* operands[] = {const_cast<char*>(p.a), const_cast<char*>(p.b), p.c};
      library.fn(operands, one, steps, library.data);
    }
    p.a += steps[0];
    p.b += steps[1];
    p.c += steps[2];
  }
}

template <typename T>
void UseFloats(OrderedLoop& loop, ProductKernels::Multiply multiply) {
  loop.multiply = multiply;
  loop.probe = &LibraryIsInOrder<T>;
  loop.has_nan = &HasNan<T>;
  loop.order = Order::kNotProbed;
  loop.work = 0;
}

void UseIntegers(OrderedLoop& loop, ProductKernels::Multiply multiply) {
  loop.multiply = multiply;
  loop.order = Order::kInOrder;
}

}  // namespace

LibraryLoop OrderedMatmul(DType dtype, LibraryLoop library) {
  const ProductKernels& kernels = BestProductKernels();
  OrderedLoop& loop = loops[static_cast<int>(dtype)];
  loop.library = library;
  if (dtype == DType::kFloat32) UseFloats<float>(loop, kernels.of_floats);
  if (dtype == DType::kFloat64) UseFloats<double>(loop, kernels.of_doubles);
  if (dtype == DType::kInt32 || dtype == DType::kUInt32) UseIntegers(loop, kernels.of_uint32);
  if (dtype == DType::kInt64 || dtype == DType::kUInt64) UseIntegers(loop, kernels.of_uint64);
  return loop.multiply == nullptr ? library : LibraryLoop{&Run, &loop};
}

bool ProductsAreInOrder(DType dtype) { return loops[static_cast<int>(dtype)].IsInOrder(); }

}  // namespace dynacc
