#include "runtime/kernel/content_hash.h"

#include <gtest/gtest.h>

#include <set>

namespace dynacc {
namespace {

// From the reference implementation, MurmurHash3_x64_128 with seed 0.
TEST(ContentHash, AgreesWithTheReference) {
  EXPECT_EQ(HashContent("").Hex(), "00000000000000000000000000000000");
  const ContentHash hash = HashContent("The quick brown fox jumps over the lazy dog");
  EXPECT_EQ(hash.low, 0xe34bbc7bbc071b6cu);
  EXPECT_EQ(hash.high, 0x7a433ca9c49a9347u);
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

TEST(ContentHasher, TellsPartsApart) {
  const ContentHash split = ContentHasher().Add("ab").Add("c").hash();
  EXPECT_NE(split, ContentHasher().Add("a").Add("bc").hash());
  EXPECT_NE(split, ContentHasher().Add("c").Add("ab").hash());
  EXPECT_NE(split, ContentHasher().Add("abc").hash());
  EXPECT_EQ(split, ContentHasher().Add("ab").Add("c").hash());
}

}  // namespace
}  // namespace dynacc
