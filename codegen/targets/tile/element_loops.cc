#include "codegen/targets/tile/element_loops.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "codegen/ops/cast_value.h"
#include "codegen/ops/element_complex.h"

namespace dynacc {
namespace {

template <typename T>
T Load(const T* from) {
  return *from;
}
// Any byte but 0 is True, and counts as 1.
bool Load(const bool* from) { return *reinterpret_cast<const uint8_t*>(from) != 0; }

template <typename To, typename From>
To Convert(From x) {
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) {
    return static_cast<To>(x);
  } else {
    return CastValue<To>(x);
  }
}

template <typename From, typename To>
void CastElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const intptr_t n = dimensions[0];
  if (steps[0] == sizeof(From) && steps[1] == sizeof(To)) {
    const From* from = reinterpret_cast<const From*>(args[0]);
    To* to = reinterpret_cast<To*>(args[1]);
    for (intptr_t i = 0; i < n; ++i) to[i] = Convert<To>(Load(from + i));
    return;
  }
  const char* from = args[0];
  char* to = args[1];
  for (intptr_t i = 0; i < n; ++i, from += steps[0], to += steps[1]) {
    *reinterpret_cast<To*>(to) = Convert<To>(Load(reinterpret_cast<const From*>(from)));
  }
}

// Elements that are chosen at a time: a number that the compiler makes vectors of.
constexpr intptr_t kChosenAtOnce = 32;

// kChosenAtOnce elements without gaps; `to` may be `a` or `b`.
template <typename Bits>
void ChooseBlock(const char* condition, const char* a, const char* b, char* to) {
  Bits of_a[kChosenAtOnce], of_b[kChosenAtOnce];
  uint8_t conditions[kChosenAtOnce];
  std::memcpy(of_a, a, sizeof(of_a));
  std::memcpy(of_b, b, sizeof(of_b));
  std::memcpy(conditions, condition, sizeof(conditions));
  for (intptr_t k = 0; k < kChosenAtOnce; ++k) {
    const Bits mask = static_cast<Bits>(-static_cast<Bits>(conditions[k] != 0));
    of_a[k] = static_cast<Bits>((of_a[k] & mask) | (of_b[k] & ~mask));
  }
  std::memcpy(to, of_a, sizeof(of_a));
}

// Elements are moved by their bits, whatever their type.
template <typename Bits>
void ChooseElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const char* condition = args[0];
  const char* a = args[1];
  const char* b = args[2];
  char* to = args[3];
  intptr_t i = 0;
  if constexpr (std::is_integral_v<Bits>) {
    alignas(64) Bits number[kChosenAtOnce];  // a number in place of an array: repeated
    const bool repeats_a = steps[1] == 0, repeats_b = steps[2] == 0;
    const bool is_dense = steps[0] == 1 && steps[3] == sizeof(Bits) &&
                          (repeats_a || steps[1] == sizeof(Bits)) &&
                          (repeats_b || steps[2] == sizeof(Bits)) && !(repeats_a && repeats_b);
    const char* const repeated = repeats_a ? a : b;
    for (Bits& copy : number) std::memcpy(&copy, repeated, sizeof(Bits));
    const char* const numbers = reinterpret_cast<const char*>(number);
    for (; is_dense && i + kChosenAtOnce <= dimensions[0]; i += kChosenAtOnce) {
      ChooseBlock<Bits>(condition, repeats_a ? numbers : a, repeats_b ? numbers : b, to);
      condition += kChosenAtOnce * steps[0];
      a += kChosenAtOnce * steps[1];
      b += kChosenAtOnce * steps[2];
      to += kChosenAtOnce * steps[3];
    }
  }
  for (; i < dimensions[0]; ++i) {
    Bits of_a, of_b;
    std::memcpy(&of_a, a, sizeof(Bits));
    std::memcpy(&of_b, b, sizeof(Bits));
    const Bits chosen = *condition != 0 ? of_a : of_b;
    std::memcpy(to, &chosen, sizeof(Bits));
    condition += steps[0];
    a += steps[1];
    b += steps[2];
    to += steps[3];
  }
}

template <typename Part, int kIndex>
void PartOf(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const char* from = args[0];
  char* to = args[1];
  for (intptr_t i = 0; i < dimensions[0]; ++i, from += steps[0], to += steps[1]) {
    std::memcpy(to, from + kIndex * sizeof(Part), sizeof(Part));
  }
}

template <typename Complex, bool kFused>
void Products(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const char* a = args[0];
  const char* b = args[1];
  char* to = args[2];
  for (intptr_t i = 0; i < dimensions[0]; ++i, a += steps[0], b += steps[1], to += steps[2]) {
    const auto& x = *reinterpret_cast<const Complex*>(a);
    const auto& y = *reinterpret_cast<const Complex*>(b);
    *reinterpret_cast<Complex*>(to) = Product<kFused>(x, y);
  }
}

struct LoopRow {
  Op op;
  DType dtype;
  LibraryLoopFn loop;
};

// A row of casts: one source type to every type.
template <typename From>
LibraryLoopFn CastFrom(DType to) {
  static constexpr LibraryLoopFn kLoops[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) CastElements<From, type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  };
  return kLoops[static_cast<int>(to)];
}

}  // namespace

LibraryLoop CastLoop(DType from, DType to) {
  static constexpr LibraryLoopFn (*kRows[])(DType) = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) CastFrom<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  };
  return {kRows[static_cast<int>(from)](to), nullptr};
}

LibraryLoop ElementLoop(Op op, DType dtype) {
  static constexpr LoopRow kLoops[] = {
      {Op::kReal, DType::kComplex64, PartOf<float, 0>},
      {Op::kReal, DType::kComplex128, PartOf<double, 0>},
      {Op::kImag, DType::kComplex64, PartOf<float, 1>},
      {Op::kImag, DType::kComplex128, PartOf<double, 1>},
      {Op::kMultiply, DType::kComplex64, Products<Complex64, false>},
      {Op::kMultiply, DType::kComplex128, Products<Complex128, false>},
      {Op::kMultiplyFused, DType::kComplex64, Products<Complex64, true>},
      {Op::kMultiplyFused, DType::kComplex128, Products<Complex128, true>},
  };
  for (const LoopRow& row : kLoops) {
    if (row.op == op && row.dtype == dtype) return {row.loop, nullptr};
  }
  return {};
}

LibraryLoop WhereLoop(DType dtype) {
  // By the size's logarithm.
  static constexpr LibraryLoopFn kBySize[] = {ChooseElements<uint8_t>, ChooseElements<uint16_t>,
                                              ChooseElements<uint32_t>, ChooseElements<uint64_t>,
                                              ChooseElements<Complex128>};
  return {kBySize[std::countr_zero(static_cast<unsigned>(ItemSize(dtype)))], nullptr};
}

}  // namespace dynacc
