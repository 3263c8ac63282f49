#include "runtime/base/nearest_name.h"

#include "gtest/gtest.h"

namespace dynacc {
namespace {

TEST(NearestName, EditDistances) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("ab", "ba"), 1);  // swapped
  EXPECT_EQ(EditDistance("tier-up", "TIER_UP"), 0);
}

TEST(NearestName, TheNearestOneThatIsNear) {
  const std::vector<std::string> names = {"target", "tier_up", "threads"};
  EXPECT_EQ(NearestName("taget", names), "target");
  EXPECT_EQ(NearestName("tierup", names), "tier_up");
  EXPECT_EQ(NearestName("magic", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName("target", {}), "");
}

TEST(NearestName, AsPartOfAMessage) {
  EXPECT_EQ(DidYouMean("taget", {"target"}), "; did you mean 'target'?");
  EXPECT_EQ(DidYouMean("magic", {"target"}), "");
}

}  // namespace
}  // namespace dynacc
