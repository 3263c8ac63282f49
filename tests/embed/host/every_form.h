// Every C++ type that an argument may be written as, and what Python's repr must make of it. The
// public headers and the standard library are all it needs.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "dynacc/embed.h"

namespace dynacc {

struct Form {
  Value value;
  std::string repr;
};

inline std::vector<Form> EveryForm() {
  const char* const nothing = nullptr;
  const std::string text = "text";
  return {
      {nullptr, "None"},
      {nothing, "None"},
      {Value(), "None"},
      {true, "True"},
      {false, "False"},
      {int8_t{-8}, "-8"},
      {uint8_t{8}, "8"},
      {int16_t{-16}, "-16"},
      {uint16_t{16}, "16"},
      {3, "3"},
      {3U, "3"},
      {3L, "3"},
      {3UL, "3"},
      {3LL, "3"},
      {3ULL, "3"},
      {size_t{7}, "7"},
      {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
      {std::numeric_limits<int64_t>::max(), "9223372036854775807"},
      {uint64_t{1} << 63, "9223372036854775808"},
      {std::numeric_limits<uint64_t>::max(), "18446744073709551615"},
      {0.5F, "0.5"},
      {-0.5, "-0.5"},
      {0.25L, "0.25"},
      {"text", "'text'"},
      {text, "'text'"},
      {text.c_str(), "'text'"},
      {std::string_view(text).substr(1), "'ext'"},
      {absl::string_view(text).substr(2), "'xt'"},
      {std::string_view(), "''"},
      {List{1, "a", nullptr, 2U}, "[1, 'a', None, 2]"},
      {List(), "[]"},
      {Dict{{"a", size_t{1}}, {"b", nullptr}}, "{'a': 1, 'b': None}"},
  };
}

struct ElementForm {
  TensorView view;
  std::string dtype;
};

// Arrays of six elements of each C++ type, in memory that lives for ever.
inline std::vector<ElementForm> EveryElement() {
  std::vector<ElementForm> forms;
  const auto add = [&forms]<typename T>(T, const char* dtype) {
    static T memory[6];
    forms.push_back({TensorView::Of(static_cast<T*>(memory), {2, 3}), dtype});
    forms.push_back({TensorView::Of(static_cast<const T*>(memory), {2, 3}), dtype});
    forms.push_back({TensorView::Of(std::span(memory)), dtype});
    forms.push_back({TensorView::Of(std::span<const T>(memory)), dtype});
    forms.push_back({TensorView::Of(absl::MakeSpan(memory)), dtype});
    forms.push_back({TensorView::Of(absl::MakeConstSpan(memory)), dtype});
    forms.push_back({TensorView::Of(kElementTypeOf<T>, static_cast<void*>(memory), {6}), dtype});
  };
  add(bool(), "bool");
  add(int8_t(), "int8");
  add(uint8_t(), "uint8");
  add(int16_t(), "int16");
  add(uint16_t(), "uint16");
  add(int32_t(), "int32");
  add(uint32_t(), "uint32");
  add(int64_t(), "int64");
  add(uint64_t(), "uint64");
  add(0LL, "int64");
  add(0ULL, "uint64");
  add(0.0F, "float32");
  add(0.0, "float64");
  add(std::complex<float>(), "complex64");
  add(std::complex<double>(), "complex128");
  static uint16_t halves[6];
  const void* const fixed = halves;
  forms.push_back({TensorView::Of(ElementType::kFloat16, halves, {6}), "float16"});
  forms.push_back({TensorView::Of(ElementType::kFloat16, fixed, {6}), "float16"});
  return forms;
}

// What must not compile: a character is neither a number nor text, and an address is no truth.
static_assert(!std::is_constructible_v<Value, char>);
static_assert(!std::is_constructible_v<Value, wchar_t>);
static_assert(!std::is_constructible_v<Value, double*>);
static_assert(!std::is_constructible_v<Value, void*>);

}  // namespace dynacc
