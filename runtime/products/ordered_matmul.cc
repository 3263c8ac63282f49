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

struct OrderedLoop {
  LibraryLoop library;
  ProductKernels::Multiply multiply = nullptr;
  // Of floats; null for integers.
  bool (*probe)(LibraryLoop, ProductKernels::Multiply) = nullptr;
  bool (*is_finite)(const Product&) = nullptr;  // the first operand
  std::atomic<Order> order{Order::kOther};

  bool IsInOrder();
  bool Takes(const Product& p) const;
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

// NumPy computes a matrix times itself transposed as a symmetric product, where the reference BLAS
// leaves out what is multiplied by zero: that shows if something is not finite.
bool IsSymmetric(const Product& p) {
  return p.a == p.b && p.rows == p.columns && p.a_row == p.b_column && p.a_inner == p.b_inner;
}

template <typename T>
bool IsFinite(const Product& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    const char* factor = p.a + i * p.a_row;
    for (int64_t k = 0; k < p.inner; ++k, factor += p.a_inner) {
      if (!std::isfinite(*reinterpret_cast<const T*>(factor))) return false;
    }
  }
  return true;
}

// Whether the kernels are to compute `p`. A sum of one row and one column waits for each addition,
// here and in the library.
bool OrderedLoop::Takes(const Product& p) const {
  if (is_finite == nullptr) return true;
  return !(p.rows == 1 && p.columns == 1) && (!IsSymmetric(p) || is_finite(p));
}

void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  OrderedLoop& loop = *static_cast<OrderedLoop*>(data);
  const LibraryLoop library = loop.library;
  Product p{sizes[1], sizes[2], sizes[3], args[0], steps[3], steps[4],
            args[1],  steps[5], steps[6], args[2], steps[7], steps[8]};
  if (p.rows == 0 || p.inner == 0 || p.columns == 0 || !loop.IsInOrder()) {
    return library.fn(args, sizes, steps, library.data);
  }
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    if (!loop.Takes(p) || !MultiplyInParallel(loop.multiply, p)) {
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
  loop.is_finite = &IsFinite<T>;
  loop.order = Order::kNotProbed;
}

void UseIntegers(OrderedLoop& loop, ProductKernels::Multiply multiply) {
  loop.multiply = multiply;
  loop.order = Order::kInOrder;
}

}  // namespace

LibraryLoop OrderedMatmul(DType dtype, LibraryLoop library) {
  const ProductKernels* kernels = BestProductKernels();
  if (kernels == nullptr) return library;
  OrderedLoop& loop = loops[static_cast<int>(dtype)];
  loop.library = library;
  if (dtype == DType::kFloat32) UseFloats<float>(loop, kernels->of_floats);
  if (dtype == DType::kFloat64) UseFloats<double>(loop, kernels->of_doubles);
  if (dtype == DType::kInt32 || dtype == DType::kUInt32) UseIntegers(loop, kernels->of_uint32);
  if (dtype == DType::kInt64 || dtype == DType::kUInt64) UseIntegers(loop, kernels->of_uint64);
  return loop.multiply == nullptr ? library : LibraryLoop{&Run, &loop};
}

bool ProductsAreInOrder(DType dtype) { return loops[static_cast<int>(dtype)].IsInOrder(); }

}  // namespace dynacc
