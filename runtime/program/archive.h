// Archive: plain data as bytes, both ways by one function.
//
// A function that visits a struct's fields writes them or reads them, as the archive was made. All
// numbers are little-endian and as wide as docs/program.md says. Reading never goes beyond the
// bytes: what is missing or out of its range is the archive's first error, after which everything
// reads as zero or empty.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/ops/op.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::program {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

class Archive {
 public:
  Archive() = default;  // writes
  // Reads `bytes`, which outlive it.
  explicit Archive(absl::string_view bytes) : reads_(true), bytes_(bytes) {}

  bool reads() const { return reads_; }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  // Whether everything has been read.
  bool AtEnd() const { return bytes_.empty(); }
  // What was written.
  const std::string& written() const { return written_; }

  template <typename T>
  requires std::is_arithmetic_v<T>
  void Number(T& value) {
    static_assert(!std::is_same_v<T, bool>);
    if (!reads_) {
      written_.append(reinterpret_cast<const char*>(&value), sizeof value);
      return;
    }
    value = T();
    if (!Has(sizeof value)) return;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }

  void Flag(bool& value) {
    uint8_t byte = value ? 1 : 0;
    Number(byte);
    Require(byte <= 1, "a flag is neither 0 nor 1");
    value = byte == 1;
  }

  // An enumeration's value as one byte, below `end`.
  template <typename E>
  requires std::is_enum_v<E>
  void Enum(E& value, E last) {
    auto byte = static_cast<uint8_t>(value);
    Number(byte);
    Require(byte <= static_cast<uint8_t>(last), "a kind that is unknown");
    value = ok() ? static_cast<E>(byte) : E();
  }

  // `value` as T, a narrower type or not, which is at least `least` and below `end`.
  template <typename T, typename V>
  void Within(V& value, int64_t least, int64_t end, absl::string_view what) {
    auto number = static_cast<T>(value);
    Number(number);
    Require(static_cast<int64_t>(number) >= least && static_cast<int64_t>(number) < end, what);
    value = ok() ? static_cast<V>(number) : V();
  }

  void Text(std::string& text) {
    auto size = static_cast<uint32_t>(text.size());
    Number(size);
    if (!reads_) {
      written_ += text;
      return;
    }
    text.clear();
    if (!Has(size)) return;
    text.assign(bytes_.data(), size);
    bytes_.remove_prefix(size);
  }

  void Type(DType& dtype) {
    std::string text = reads_ ? std::string() : Info(dtype).text;
    Text(text);
    const auto parsed = ParseDType(text);
    Require(parsed.has_value(), "an unknown dtype");
    dtype = parsed.value_or(DType::kFloat64);
  }

  void Operation(Op& op) {
    std::string text = reads_ ? std::string() : Info(op).text;
    Text(text);
    const auto parsed = ParseOp(text);
    Require(parsed.has_value(), "an unknown op");
    op = parsed.value_or(Op::kAdd);
  }

  // A count, then each item by `each(item)`, which takes a byte or more.
  template <typename T, typename Each>
  void List(std::vector<T>& items, Each each) {
    auto count = static_cast<uint32_t>(items.size());
    Number(count);
    if (reads_) {
      Require(count <= bytes_.size(), "a list of more items than there are bytes");
      items.clear();
      if (!ok()) return;
      items.reserve(std::min(count, kMostReserved));
    }
    for (uint32_t i = 0; i < count && ok(); ++i) {
      if (reads_) items.emplace_back();
      each(items[i]);
    }
  }

  // Ends reading with an error unless `holds`. What is written always holds.
  void Require(bool holds, absl::string_view what) {
    if (!holds && ok()) status_ = absl::InvalidArgumentError(what);
    if (!ok()) bytes_ = {};
  }

 private:
  // Items that a list has room for before they are read: more may be no list's.
  static constexpr uint32_t kMostReserved = 1024;

  bool Has(size_t size) {
    Require(size <= bytes_.size(), "data ends too soon");
    return ok();
  }

  bool reads_ = false;
  absl::string_view bytes_;
  std::string written_;
  absl::Status status_;
};

}  // namespace dynacc::program
