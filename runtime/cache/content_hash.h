// ContentHash: 128 bits that name a content. For cache keys and checksums of our own files; not
// cryptographic, so never a defence against someone who may write the cache (kernel_file.h is).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::cache {

struct ContentHash {
  uint64_t low = 0;
  uint64_t high = 0;

  friend bool operator==(const ContentHash&, const ContentHash&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ContentHash& hash) {
    return H::combine(std::move(h), hash.low, hash.high);
  }

  // 32 hexadecimal digits.
  std::string Hex() const;
};

// XXH3's 128 bits. The same on every machine.
ContentHash HashContent(absl::string_view bytes);

// That of the sizes and bytes of several parts: where one part ends and the next begins matters.
ContentHash HashParts(absl::Span<const absl::string_view> parts);

}  // namespace dynacc::cache
