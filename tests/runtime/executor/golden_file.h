// Reads the files that golden/make_golden.py wrote.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::testing {

inline std::vector<std::string> GoldenLines(const std::string& name) {
  std::ifstream file(DYNACC_SOURCE_DIR "/tests/runtime/executor/golden/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

inline std::vector<int64_t> Numbers(absl::string_view text) {
  std::vector<int64_t> numbers;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    absl::SimpleAtoi(word, &numbers.emplace_back());
  }
  return numbers;
}

// Element i of the array that all operands are views of.
template <typename T>
T Element(uint64_t i) {
  const uint64_t h = i * 2654435761u % (uint64_t{1} << 32);
  return static_cast<T>((static_cast<double>(h) / 4294967296.0 - 0.5) *
                        static_cast<double>(1 << (i % 11)));
}

inline uint64_t Fnv1a(const void* data, size_t size, uint64_t hash = 0xCBF29CE484222325u) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3u;
  return hash;
}

// Calls visit(address) for each element of `view` in C order.
template <typename Visit>
void VisitInCOrder(const StridedView& view, const Visit& visit) {
  int64_t at[kMaxRank] = {};
  const int64_t size = view.size();
  for (int64_t i = 0; i < size; ++i) {
    const char* element = view.data;
    for (int axis = 0; axis < view.rank; ++axis) element += at[axis] * view.strides[axis];
    visit(element);
    for (int axis = view.rank - 1; axis >= 0 && ++at[axis] == view.shape[axis]; --axis) {
      at[axis] = 0;
    }
  }
}

}  // namespace dynacc::testing
