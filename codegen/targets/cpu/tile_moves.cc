#include "codegen/targets/cpu/tile_moves.h"

#include <cstring>

#include "runtime/base/check.h"

namespace {

// As in prelude/vectors.h, and the most that there are.
constexpr int64_t kLanes = 16;
constexpr int64_t kWideLanes = 64;

template <typename E>
void Pad(char* buffer, int64_t count, int64_t lanes) {
  const int64_t full = (count + lanes - 1) & -lanes;
  if constexpr (sizeof(E) == 1) {
    std::memset(buffer + count, *buffer, full - count);
    return;
  }
  E first;
  std::memcpy(&first, buffer, sizeof(E));
  for (int64_t i = count; i < full; ++i) std::memcpy(buffer + i * sizeof(E), &first, sizeof(E));
}

template <typename E>
void Gather(char* buffer, const char* from, int64_t stride, int64_t count, int64_t lanes) {
  constexpr int64_t kSize = sizeof(E);
  if (stride == kSize) {
    std::memcpy(buffer, from, count * kSize);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(buffer + i * kSize, from + i * stride, kSize);
    }
  }
  Pad<E>(buffer, count, lanes);
}

template <typename E>
void Scatter(char* to, int64_t stride, const char* buffer, int64_t count) {
  constexpr int64_t kSize = sizeof(E);
  if (stride == kSize) {
    std::memcpy(to, buffer, count * kSize);
  } else {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, buffer + i * kSize, kSize);
  }
}

struct Pair {
  uint64_t low, high;
};

// Calls f with a value of `size` bytes.
template <typename F>
void WithCarrier(int64_t size, F f) {
  if (size == 16) return f(Pair{});
  if (size == 8) return f(uint64_t{});
  if (size == 4) return f(uint32_t{});
  if (size == 2) return f(uint16_t{});
  DYNACC_CHECK(size == 1) << "element of " << size << " bytes";
  f(uint8_t{});
}

}  // namespace

void DynaccGather(char* buffer, const char* from, int64_t stride, int64_t count, int64_t size) {
  WithCarrier(size,
              [&](auto type) { Gather<decltype(type)>(buffer, from, stride, count, kLanes); });
}

void DynaccScatter(char* to, int64_t stride, const char* buffer, int64_t count, int64_t size) {
  WithCarrier(size, [&](auto type) { Scatter<decltype(type)>(to, stride, buffer, count); });
}

void DynaccPad(char* buffer, int64_t count, int64_t size) {
  WithCarrier(size, [&](auto type) { Pad<decltype(type)>(buffer, count, kLanes); });
}

void DynaccGatherWide(char* buffer, const char* from, int64_t stride, int64_t count, int64_t size) {
  WithCarrier(size,
              [&](auto type) { Gather<decltype(type)>(buffer, from, stride, count, kWideLanes); });
}

void DynaccPadWide(char* buffer, int64_t count, int64_t size) {
  WithCarrier(size, [&](auto type) { Pad<decltype(type)>(buffer, count, kWideLanes); });
}
