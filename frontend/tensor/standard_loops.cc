#include "frontend/tensor/standard_loops.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "frontend/numpy/trace/bit_exactness.h"
#include "frontend/tensor/low_precision.h"
#include "runtime/cpu/tiles/element_loops.h"
#include "runtime/tensor/element_types.h"

namespace dynacc::tensor {
namespace {

template <typename T>
T FlooredQuotient(T a, T b) {
  return std::floor(a / b);
}
// In float, as NumPy's loops for halves compute: the quotient is rounded before it is floored.
Half FlooredQuotient(Half a, Half b) {
  return ToHalf(std::floor(ToFloat(ToHalf(ToFloat(a) / ToFloat(b)))));
}

template <typename T>
bool IsInfinite(T x) {
  return std::isinf(x);
}
bool IsInfinite(Half x) { return (x.bits & 0x7fff) == 0x7c00; }

// NumPy's loop, and then the elements with an infinite operand anew. The result may lie where an
// operand does, so the elements are looked at one by one before they are overwritten.
template <typename T, DType kDType>
void FloorDivide(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const kernel::LibraryLoop numpy =
      kernel::FindLibraryLoop(static_cast<int>(Op::kFloorDivide), kDType);
  constexpr intptr_t kChunk = 256;
  T infinite[kChunk];
  intptr_t places[kChunk];
  for (intptr_t begin = 0; begin < dimensions[0]; begin += kChunk) {
    const intptr_t count = std::min(kChunk, dimensions[0] - begin);
    char* chunk[] = {args[0] + begin * steps[0], args[1] + begin * steps[1],
                     args[2] + begin * steps[2]};
    intptr_t found = 0;
    for (intptr_t i = 0; i < count; ++i) {
      const T a = *reinterpret_cast<const T*>(chunk[0] + i * steps[0]);
      const T b = *reinterpret_cast<const T*>(chunk[1] + i * steps[1]);
      if (!IsInfinite(a) && !IsInfinite(b)) continue;
      infinite[found] = FlooredQuotient(a, b);
      places[found++] = i;
    }
    numpy.fn(chunk, &count, steps, numpy.data);
    for (intptr_t k = 0; k < found; ++k) {
      *reinterpret_cast<T*>(chunk[2] + places[k] * steps[2]) = infinite[k];
    }
  }
}

template <typename C>
constexpr DType kDTypeOf = std::is_same_v<C, Complex64> ? DType::kComplex64 : DType::kComplex128;

// What the standard wants in place of NumPy's `result` for x.
template <typename C>
C Expm1(C x, C result) {
  if (std::isfinite(result.real()) && std::isfinite(result.imag())) return result;
  const kernel::LibraryLoop exp = kernel::FindLibraryLoop(static_cast<int>(Op::kExp), kDTypeOf<C>);
  char* args[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&result)};
  const intptr_t count = 1, steps[] = {sizeof(C), sizeof(C)};
  exp.fn(args, &count, steps, exp.data);
  return {result.real() - 1, result.imag()};
}
template <typename C>
C Tanh(C x, C result) {
  const bool at_infinity = std::isinf(x.real());
  return at_infinity ? C(result.real(), std::copysign(result.imag(), x.imag())) : result;
}
template <typename C>
C Tan(C x, C result) {
  const bool at_infinity = std::isinf(x.imag());
  return at_infinity ? C(std::copysign(result.real(), x.real()), result.imag()) : result;
}

// NumPy's loop of one complex operand, and then kCorrect of each element and its result.
template <typename C, Op kOp, C (*kCorrect)(C, C)>
void Corrected(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const kernel::LibraryLoop numpy = kernel::FindLibraryLoop(static_cast<int>(kOp), kDTypeOf<C>);
  constexpr intptr_t kChunk = 256;
  C given[kChunk];  // the result may lie where the operand does
  for (intptr_t begin = 0; begin < dimensions[0]; begin += kChunk) {
    const intptr_t count = std::min(kChunk, dimensions[0] - begin);
    char* chunk[] = {args[0] + begin * steps[0], args[1] + begin * steps[1]};
    for (intptr_t i = 0; i < count; ++i) {
      given[i] = *reinterpret_cast<const C*>(chunk[0] + i * steps[0]);
    }
    numpy.fn(chunk, &count, steps, numpy.data);
    for (intptr_t i = 0; i < count; ++i) {
      C& result = *reinterpret_cast<C*>(chunk[1] + i * steps[1]);
      result = kCorrect(given[i], result);
    }
  }
}

// NumPy's loop if that takes roots: where it would, the roots, but for the powers of -0.0 and -inf.
template <typename T, DType kDType>
void Power(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const kernel::LibraryLoop numpy = kernel::FindLibraryLoop(static_cast<int>(Op::kPower), kDType);
  const T exponent = *reinterpret_cast<const T*>(args[1]);
  if (steps[1] != 0 || exponent != T(0.5)) return numpy.fn(args, dimensions, steps, numpy.data);
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    char* one[] = {args[0] + i * steps[0], args[1], args[2] + i * steps[2]};
    const T x = *reinterpret_cast<const T*>(one[0]);  // the result may lie there
    T& result = *reinterpret_cast<T*>(one[2]);
    result = x == -std::numeric_limits<T>::infinity() ? -x : std::sqrt(x) + T(0);
  }
}

template <typename T>
bool LoopTakesRoots(DType dtype) {
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(Op::kPower), dtype);
  T base[] = {-0.0, -0.0}, exponent = 0.5, power[2];
  char* args[] = {reinterpret_cast<char*>(base), reinterpret_cast<char*>(&exponent),
                  reinterpret_cast<char*>(power)};
  const intptr_t count = 2, steps[] = {sizeof(T), 0, sizeof(T)};
  loop.fn(args, &count, steps, loop.data);
  return std::signbit(power[0]) || std::signbit(power[1]);
}

struct OwnLoop {
  Op op;
  DType dtype;
  kernel::LibraryLoop loop;
};

constexpr OwnLoop kOwnLoops[] = {
    {Op::kFloorDivide, DType::kFloat16, {FloorDivide<Half, DType::kFloat16>, nullptr}},
    {Op::kFloorDivide, DType::kFloat32, {FloorDivide<float, DType::kFloat32>, nullptr}},
    {Op::kFloorDivide, DType::kFloat64, {FloorDivide<double, DType::kFloat64>, nullptr}},
    {Op::kExpm1, DType::kComplex64, {Corrected<Complex64, Op::kExpm1, Expm1>, nullptr}},
    {Op::kExpm1, DType::kComplex128, {Corrected<Complex128, Op::kExpm1, Expm1>, nullptr}},
    {Op::kTanh, DType::kComplex64, {Corrected<Complex64, Op::kTanh, Tanh>, nullptr}},
    {Op::kTanh, DType::kComplex128, {Corrected<Complex128, Op::kTanh, Tanh>, nullptr}},
    {Op::kTan, DType::kComplex64, {Corrected<Complex64, Op::kTan, Tan>, nullptr}},
    {Op::kTan, DType::kComplex128, {Corrected<Complex128, Op::kTan, Tan>, nullptr}},
};

struct Turned {
  kernel::LibraryLoop loop;
  int num_inputs;
  int64_t size;  // of an input's element, in bytes
};

// Operands with a negative step are copied, a chunk at a time; a result in their place is written
// when its chunk has been read.
void TurnAround(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  const auto& turned = *static_cast<const Turned*>(data);
  constexpr intptr_t kChunk = 256;
  alignas(16) char packed[2][kChunk * kMaxItemSize];
  for (intptr_t begin = 0; begin < dimensions[0]; begin += kChunk) {
    const intptr_t count = std::min(kChunk, dimensions[0] - begin);
    char* chunk[3];
    intptr_t step[3];
    for (int k = 0; k <= turned.num_inputs; ++k) {
      chunk[k] = args[k] + begin * steps[k];
      step[k] = steps[k];
      if (k == turned.num_inputs || steps[k] >= 0) continue;
      for (intptr_t i = 0; i < count; ++i) {
        std::memcpy(packed[k] + i * turned.size, chunk[k] + i * steps[k], turned.size);
      }
      chunk[k] = packed[k];
      step[k] = turned.size;
    }
    turned.loop.fn(chunk, &count, step, turned.loop.data);
  }
}

}  // namespace

kernel::LibraryLoop ForwardLoop(Op op, DType dtype, const kernel::LibraryLoop& loop) {
  if (!kernel::FindLibraryLoop(static_cast<int>(op), dtype)) return loop;
  const numpy::LoopBits bits = numpy::BitsOfLoop(op, dtype);
  if (bits == numpy::LoopBits::kAsKernels || bits == numpy::LoopBits::kOther) return loop;
  static auto& made =
      *new absl::flat_hash_map<std::pair<Op, DType>, std::unique_ptr<Turned>>;  // under the GIL
  auto& turned = made[{op, dtype}];
  if (turned == nullptr) {
    const int num_inputs = Info(op).category == OpCategory::kUnary ? 1 : 2;
    turned = std::make_unique<Turned>(Turned{loop, num_inputs, ItemSize(dtype)});
  }
  return {TurnAround, turned.get()};
}

kernel::LibraryLoop StandardLoop(Op op, DType dtype) {
  if (IsLowPrecision(dtype)) return LowPrecisionLoop(op, dtype);
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(op), dtype);
  if (!loop) return cpu::ElementLoop(op, dtype);
  for (const OwnLoop& own : kOwnLoops) {
    if (own.op == op && own.dtype == dtype) return own.loop;
  }
  if (op != Op::kPower || !TakesRoots(dtype)) return loop;
  return dtype == DType::kFloat32 ? kernel::LibraryLoop{Power<float, DType::kFloat32>, nullptr}
                                  : kernel::LibraryLoop{Power<double, DType::kFloat64>, nullptr};
}

bool TakesRoots(DType dtype) {
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return false;
  static const bool of_floats = LoopTakesRoots<float>(DType::kFloat32);
  static const bool of_doubles = LoopTakesRoots<double>(DType::kFloat64);
  return dtype == DType::kFloat32 ? of_floats : of_doubles;
}

}  // namespace dynacc::tensor
