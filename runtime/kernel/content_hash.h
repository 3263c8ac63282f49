// ContentHash: 128 bits that name a content. For cache keys and checksums of our own files; not
// cryptographic, so never a defence against someone who may write the cache (kernel_file.h is).
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace dynacc {

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

// MurmurHash3_x64_128 by Austin Appleby (public domain), with a 64-bit seed. The same on every
// machine of the same byte order.
ContentHash HashContent(absl::string_view bytes, uint64_t seed = 0);

// Takes parts in, one after another; where one part ends and the next begins matters.
class ContentHasher {
 public:
  ContentHasher& Add(absl::string_view part);
  ContentHash hash() const { return hash_; }

 private:
  ContentHash hash_;
};

}  // namespace dynacc
