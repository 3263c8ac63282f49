#include "runtime/cpu/matmul/ordered_matmul.h"

#include <array>
#include <atomic>
#include <cstdint>

#include "runtime/cpu/matmul/contracted_matmul_kernels.h"
#include "runtime/cpu/matmul/library_probe.h"
#include "runtime/cpu/matmul/parallel_matmul.h"

namespace dynacc::cpu {
namespace {

enum class Order { kNotProbed, kInOrder, kOther };

// The probe takes the time of so many multiplications and additions of the reference BLAS, about a
// millisecond. Until a program's products have come to as much they are the library's: programs of
// small matrices have nothing from knowing.
constexpr int64_t kWorkOfProbe = 2'000'000;

struct OrderedLoop {
  kernel::LibraryLoop library;
  OrderedMatmulKernels::Multiply multiply = nullptr;
  // Of floats; null for integers.
  bool (*probe)(kernel::LibraryLoop, OrderedMatmulKernels::Multiply) = nullptr;
  OrderedMatmulKernels::HasNan has_nan = nullptr;
  std::atomic<Order> order{Order::kOther};
  std::atomic<int64_t> work{0};  // of the products before the probe

  bool IsInOrder();
  // Whether products have come to less than the probe, one of `more` included.
  bool IsTooEarlyFor(int64_t more) const;
  // The same, and counts that one.
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

bool OrderedLoop::IsTooEarlyFor(int64_t more) const {
  return order.load(std::memory_order_relaxed) == Order::kNotProbed &&
         work.load(std::memory_order_relaxed) + more < kWorkOfProbe;
}

bool OrderedLoop::IsTooEarly(int64_t more) {
  const bool is_too_early = IsTooEarlyFor(more);
  if (is_too_early) work.fetch_add(more, std::memory_order_relaxed);
  return is_too_early;
}

// A sum of one row and one column, which waits for each addition here and there, is left to the
// library.
bool IsOneSum(int64_t rows, int64_t columns) { return rows == 1 && columns == 1; }

// False if the library is to compute `p`: one sum, and what has NaNs. Their signs depend on the
// order of two factors, and the product of a matrix and itself transposed, of which NumPy has BLAS
// compute half, leaves out what is multiplied by zero, infinities included.
bool OrderedLoop::Multiply(const Product& p) const {
  if (has_nan != nullptr && IsOneSum(p.rows, p.columns)) return false;
  return MultiplyInParallel(multiply, p) && (has_nan == nullptr || !has_nan(p));
}

void Run(char** args, const intptr_t* sizes, const intptr_t* steps, void* data) {
  OrderedLoop& loop = *static_cast<OrderedLoop*>(data);
  const kernel::LibraryLoop library = loop.library;
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
void UseFloats(OrderedLoop& loop, OrderedMatmulKernels::Multiply multiply,
               OrderedMatmulKernels::HasNan has_nan) {
  loop.multiply = multiply;
  loop.probe = &LibraryIsInOrder<T>;
  loop.has_nan = has_nan;
  loop.order = Order::kNotProbed;
  loop.work = 0;
}

void UseIntegers(OrderedLoop& loop, OrderedMatmulKernels::Multiply multiply) {
  loop.multiply = multiply;
  loop.order = Order::kInOrder;
}

// Each element as the sum of its products from first to last: for what the kernels leave, one sum
// and what has NaNs.
template <typename T>
void MultiplyPlainly(char** args, const intptr_t* sizes, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < sizes[0]; ++i) {
    for (intptr_t row = 0; row < sizes[1]; ++row) {
      for (intptr_t column = 0; column < sizes[3]; ++column) {
        const char* a = args[0] + i * steps[0] + row * steps[3];
        const char* b = args[1] + i * steps[1] + column * steps[6];
        T sum = 0;
        for (intptr_t k = 0; k < sizes[2]; ++k, a += steps[4], b += steps[5]) {
          sum += *reinterpret_cast<const T*>(a) * *reinterpret_cast<const T*>(b);
        }
        *reinterpret_cast<T*>(args[2] + i * steps[2] + row * steps[7] + column * steps[8]) = sum;
      }
    }
  }
}

// --- Without a library: by dtype.

std::array<OrderedLoop, kNumDTypes>& LoopsOfOurOwn() {
  static std::array<OrderedLoop, kNumDTypes>& own = *[] {
    auto* const made = new std::array<OrderedLoop, kNumDTypes>;
    const OrderedMatmulKernels& kernels = BestOrderedMatmulKernels();
    const auto use = [&](DType dtype, kernel::LibraryLoopFn plain,
                         OrderedMatmulKernels::Multiply multiply,
                         OrderedMatmulKernels::HasNan has_nan) {
      OrderedLoop& loop = (*made)[static_cast<int>(dtype)];
      loop.library = {plain, nullptr};
      loop.multiply = multiply;
      loop.has_nan = has_nan;
      loop.order = Order::kInOrder;
    };
    use(DType::kFloat32, &MultiplyPlainly<float>, kernels.of_floats, kernels.nan_in_floats);
    use(DType::kFloat64, &MultiplyPlainly<double>, kernels.of_doubles, kernels.nan_in_doubles);
    for (const DType dtype : {DType::kInt32, DType::kUInt32}) {
      use(dtype, &MultiplyPlainly<uint32_t>, kernels.of_uint32, nullptr);
    }
    for (const DType dtype : {DType::kInt64, DType::kUInt64}) {
      use(dtype, &MultiplyPlainly<uint64_t>, kernels.of_uint64, nullptr);
    }
    return made;
  }();
  return own;
}

}  // namespace

kernel::LibraryLoop OrderedMatmul(DType dtype, kernel::LibraryLoop library) {
  const OrderedMatmulKernels& kernels = BestOrderedMatmulKernels();
  OrderedLoop& loop = loops[static_cast<int>(dtype)];
  loop.library = library;
  if (dtype == DType::kFloat32) UseFloats<float>(loop, kernels.of_floats, kernels.nan_in_floats);
  if (dtype == DType::kFloat64) UseFloats<double>(loop, kernels.of_doubles, kernels.nan_in_doubles);
  if (dtype == DType::kInt32 || dtype == DType::kUInt32) UseIntegers(loop, kernels.of_uint32);
  if (dtype == DType::kInt64 || dtype == DType::kUInt64) UseIntegers(loop, kernels.of_uint64);
  return loop.multiply == nullptr ? library : kernel::LibraryLoop{&Run, &loop};
}

kernel::LibraryLoop InOrderMatmul(DType dtype) {
  OrderedLoop& loop = LoopsOfOurOwn()[static_cast<int>(dtype)];
  return loop.multiply == nullptr ? kernel::LibraryLoop() : kernel::LibraryLoop{&Run, &loop};
}

kernel::LibraryLoop ContractedMatmul(DType dtype) {
  static OrderedLoop& loop = *[] {
    auto* const made = new OrderedLoop;
    made->library = {&MultiplyPlainly<float>, nullptr};  // of no factors
    made->multiply = BestContractedMatmul();
    made->order = Order::kInOrder;
    return made;
  }();
  return dtype == DType::kFloat32 ? kernel::LibraryLoop{&Run, &loop} : kernel::LibraryLoop();
}

bool ProductsAreInOrder(DType dtype) { return loops[static_cast<int>(dtype)].IsInOrder(); }

bool CanMultiplyRows(const kernel::LibraryLoop& loop, int64_t places, int64_t rows, int64_t inner,
                     int64_t columns) {
  const int64_t work = places * rows * inner * columns;
  if (loop.fn != &Run || work == 0 || IsOneSum(rows, columns)) return false;
  OrderedLoop& ordered = *static_cast<OrderedLoop*>(loop.data);
  return !ordered.IsTooEarlyFor(work) && ordered.IsInOrder();
}

RowMatmuls RowMatmulsOf(const kernel::LibraryLoop& loop) {
  const OrderedLoop& ordered = *static_cast<const OrderedLoop*>(loop.data);
  return {ordered.multiply, ordered.has_nan};
}

}  // namespace dynacc::cpu
