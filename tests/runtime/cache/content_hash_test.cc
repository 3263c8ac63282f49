#include "runtime/cache/content_hash.h"

#include <gtest/gtest.h>

#include <set>

namespace dynacc::cache {
namespace {

// The XXH3_128bits of the xxhsum program (`xxh128sum`).
TEST(ContentHash, AgreesWithTheReference) {
  EXPECT_EQ(HashContent("").Hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashContent("The quick brown fox jumps over the lazy dog").Hex(),
            "ddd650205ca3e7fa24a1cc2e3a8a7651");
}

TEST(ContentHash, DiffersByEveryBitAndLength) {
  std::set<std::string> seen;
  std::string text(40, '\0');
  for (size_t length = 0; length <= text.size(); ++length) {
    EXPECT_TRUE(seen.insert(HashContent(text.substr(0, length)).Hex()).second || length == 0);
  }
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string changed = text;
    changed[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    EXPECT_TRUE(seen.insert(HashContent(changed).Hex()).second) << bit;
  }
}

TEST(HashParts, TellsPartsApart) {
  const ContentHash split = HashParts({"ab", "c"});
  EXPECT_NE(split, HashParts({"a", "bc"}));
  EXPECT_NE(split, HashParts({"c", "ab"}));
  EXPECT_NE(split, HashParts({"abc"}));
  EXPECT_EQ(split, HashParts({"ab", "c"}));
}

}  // namespace
}  // namespace dynacc::cache
