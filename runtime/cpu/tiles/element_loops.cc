#include "runtime/cpu/tiles/element_loops.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/ops/cast_value.h"
#include "runtime/ops/element_complex.h"
#include "runtime/ops/element_functions.h"

namespace dynacc::cpu {
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
    if constexpr (std::is_same_v<From, To> && !std::is_same_v<From, bool>) {
      std::memmove(to, from, n * sizeof(From));
      return;
    }
    for (intptr_t i = 0; i < n; ++i) to[i] = Convert<To>(Load(from + i));
    return;
  }
  const char* from = args[0];
  char* to = args[1];
  for (intptr_t i = 0; i < n; ++i, from += steps[0], to += steps[1]) {
    *reinterpret_cast<To*>(to) = Convert<To>(Load(reinterpret_cast<const From*>(from)));
  }
}

// Elements that are chosen at a time: a vector of bytes of conditions.
constexpr intptr_t kChosenAtOnce = 16;

template <typename Lane>
struct Vector {
  typedef Lane Type __attribute__((vector_size(16)));
};
using Mask = Vector<int8_t>::Type;  // of all ones or all zeros in each lane

// The mask for lanes twice as wide, of the lower or the upper half of `mask`.
template <typename Lane, bool kUpper>
Mask Widened(Mask mask) {
  const auto lanes = (typename Vector<Lane>::Type)mask;
  if constexpr (sizeof(Lane) == 1 && !kUpper) {
    return (Mask)__builtin_shufflevector(lanes, lanes, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7,
                                         7);
  } else if constexpr (sizeof(Lane) == 1) {
    return (Mask)__builtin_shufflevector(lanes, lanes, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
                                         14, 14, 15, 15);
  } else if constexpr (sizeof(Lane) == 2) {
    constexpr int kAt = kUpper ? 4 : 0;
    return (Mask)__builtin_shufflevector(lanes, lanes, kAt, kAt, kAt + 1, kAt + 1, kAt + 2, kAt + 2,
                                         kAt + 3, kAt + 3);
  } else {
    constexpr int kAt = kUpper ? 2 : 0;
    return (Mask)__builtin_shufflevector(lanes, lanes, kAt, kAt, kAt + 1, kAt + 1);
  }
}

struct Choice {
  const char* a;
  const char* b;
  char* to;
};

// One vector of elements of kSize bytes for each of `mask`, whose lanes are kLane bytes.
template <size_t kLane, size_t kSize>
void ChooseVectors(Mask mask, Choice& at) {
  if constexpr (kLane == kSize) {
    Mask of_a, of_b;
    std::memcpy(&of_a, at.a, sizeof(of_a));
    std::memcpy(&of_b, at.b, sizeof(of_b));
    of_a = (of_a & mask) | (of_b & ~mask);
    std::memcpy(at.to, &of_a, sizeof(of_a));
    at.a += sizeof(of_a);
    at.b += sizeof(of_b);
    at.to += sizeof(of_a);
  } else {
    using Lane =
        std::conditional_t<kLane == 1, int8_t, std::conditional_t<kLane == 2, int16_t, int32_t>>;
    ChooseVectors<2 * kLane, kSize>(Widened<Lane, false>(mask), at);
    ChooseVectors<2 * kLane, kSize>(Widened<Lane, true>(mask), at);
  }
}

// kChosenAtOnce elements without gaps; `to` may be `a` or `b`.
template <typename Bits>
void ChooseBlock(const char* condition, const char* a, const char* b, char* to) {
  Mask conditions;
  std::memcpy(&conditions, condition, sizeof(conditions));
  Choice at = {a, b, to};
  ChooseVectors<1, sizeof(Bits)>((Mask)(conditions != 0), at);
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
    *reinterpret_cast<Complex*>(to) = dynacc::Product<kFused>(x, y);
  }
}

struct LoopRow {
  Op op;
  DType dtype;
  kernel::LibraryLoopFn loop;
};

// `data` is the op's element function.
void UnaryElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  const auto function = reinterpret_cast<UnaryElementFn>(data);
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    function(args[0] + i * steps[0], args[1] + i * steps[1]);
  }
}

void BinaryElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  const auto function = reinterpret_cast<BinaryElementFn>(data);
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    function(args[0] + i * steps[0], args[1] + i * steps[1], args[2] + i * steps[2]);
  }
}

// Whether the ufuncs of the array library have no loop for the op.
bool IsNoUfunc(Op op) { return *dynacc::Info(op).numpy == '\0'; }

// A row of casts: one source type to every type.
template <typename From>
kernel::LibraryLoopFn CastFrom(DType to) {
  static constexpr kernel::LibraryLoopFn kLoops[] = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) CastElements<From, type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  };
  return kLoops[static_cast<int>(to)];
}

}  // namespace

kernel::LibraryLoop CastLoop(DType from, DType to) {
  static constexpr kernel::LibraryLoopFn (*kRows[])(DType) = {
#define DYNACC_DTYPE(name, text, type, kind, numpy) CastFrom<type>,
#include "runtime/tensor/dtype.def"
#undef DYNACC_DTYPE
  };
  return {kRows[static_cast<int>(from)](to), nullptr};
}

kernel::LibraryLoop ElementLoop(Op op, DType dtype) {
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
  if (!IsNoUfunc(op)) return {};
  if (const UnaryElementFn unary = FindUnaryElementFn(op, dtype)) {
    return {UnaryElements, reinterpret_cast<void*>(unary)};
  }
  if (const BinaryElementFn binary = FindBinaryElementFn(op, dtype)) {
    return {BinaryElements, reinterpret_cast<void*>(binary)};
  }
  return {};
}

kernel::LibraryLoop WhereLoop(DType dtype) {
  // By the size's logarithm.
  static constexpr kernel::LibraryLoopFn kBySize[] = {
      ChooseElements<uint8_t>, ChooseElements<uint16_t>, ChooseElements<uint32_t>,
      ChooseElements<uint64_t>, ChooseElements<Complex128>};
  return {kBySize[std::countr_zero(static_cast<unsigned>(ItemSize(dtype)))], nullptr};
}

}  // namespace dynacc::cpu
