#include "frontend/arrays/native/standard_loops.h"

#include <algorithm>
#include <cmath>

#include "codegen/targets/tile/element_loops.h"

namespace dynacc {
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
  const LibraryLoop numpy = FindLibraryLoop(static_cast<int>(Op::kFloorDivide), kDType);
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

}  // namespace

LibraryLoop StandardLoop(Op op, DType dtype) {
  const LibraryLoop loop = FindLibraryLoop(static_cast<int>(op), dtype);
  if (!loop) return ElementLoop(op, dtype);
  if (op != Op::kFloorDivide) return loop;
  if (dtype == DType::kFloat16) return {FloorDivide<Half, DType::kFloat16>, nullptr};
  if (dtype == DType::kFloat32) return {FloorDivide<float, DType::kFloat32>, nullptr};
  if (dtype == DType::kFloat64) return {FloorDivide<double, DType::kFloat64>, nullptr};
  return loop;
}

}  // namespace dynacc
