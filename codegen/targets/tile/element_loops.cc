#include "codegen/targets/tile/element_loops.h"

#include <cstdint>
#include <cstring>

namespace dynacc {
namespace {

template <typename T>
T Load(const T* from) {
  return *from;
}
// Any byte but 0 is True, and counts as 1.
bool Load(const bool* from) { return *reinterpret_cast<const uint8_t*>(from) != 0; }

template <typename From, typename To>
void CastElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const intptr_t n = dimensions[0];
  if (steps[0] == sizeof(From) && steps[1] == sizeof(To)) {
    const From* from = reinterpret_cast<const From*>(args[0]);
    To* to = reinterpret_cast<To*>(args[1]);
    for (intptr_t i = 0; i < n; ++i) to[i] = static_cast<To>(Load(from + i));
    return;
  }
  const char* from = args[0];
  char* to = args[1];
  for (intptr_t i = 0; i < n; ++i, from += steps[0], to += steps[1]) {
    *reinterpret_cast<To*>(to) = static_cast<To>(Load(reinterpret_cast<const From*>(from)));
  }
}

// Elements are moved by their bits, whatever their type.
template <typename Bits>
void ChooseElements(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  const char* condition = args[0];
  const char* a = args[1];
  const char* b = args[2];
  char* to = args[3];
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
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

LibraryLoop WhereLoop(DType dtype) {
  switch (ItemSize(dtype)) {
    case 1:
      return {ChooseElements<uint8_t>, nullptr};
    case 2:
      return {ChooseElements<uint16_t>, nullptr};
    case 4:
      return {ChooseElements<uint32_t>, nullptr};
    default:
      return {ChooseElements<uint64_t>, nullptr};
  }
}

}  // namespace dynacc
