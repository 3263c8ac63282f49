#include "codegen/tuning/choice.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/algorithm/container.h"

namespace dynacc::tuning {
namespace {

TEST(ChoiceTest, TextThereAndBack) {
  Choice choice;
  EXPECT_EQ(choice.ToText(), "default");
  EXPECT_EQ(*Choice::Parse("default"), choice);
  for (size_t i = 0; i < Knobs().size(); ++i) {
    for (const int value : Knobs()[i].values) {
      choice.Set(static_cast<Knob>(i), value);
      const absl::StatusOr<Choice> parsed = Choice::Parse(choice.ToText());
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      EXPECT_EQ(*parsed, choice);
    }
  }
}

TEST(ChoiceTest, OfGroups) {
  Choice choice;
  choice.SetOf(2, Knob::kTile, 512);
  choice.SetOf(10, Knob::kTile, 4096);
  choice.Set(Knob::kWork, 400);
  choice.SetOf(0, Knob::kWork, 100);
  EXPECT_EQ(choice.ToText(), "work=400 work[0]=100 tile[2]=512 tile[10]=4096");
  EXPECT_EQ(choice.ToText(Knob::kTile), "tile[2]=512 tile[10]=4096");
  EXPECT_EQ(choice.ToText(Knob::kUnroll), "");
  EXPECT_EQ(*Choice::Parse(choice.ToText()), choice);
  EXPECT_EQ(choice.Get(Knob::kTile, 2), 512);
  EXPECT_EQ(choice.Get(Knob::kTile, 3), choice.Get(Knob::kTile));
  EXPECT_EQ(choice.Get(Knob::kWork, 0), 100);
  EXPECT_EQ(choice.Get(Knob::kWork, 1), 400);
  choice.SetOf(0, Knob::kWork, 400);  // as all others
  EXPECT_EQ(choice.ToText(Knob::kWork), "work=400");
  for (const int group : {3, 4, 6}) choice.SetOf(group, Knob::kTile, 512);
  EXPECT_EQ(choice.ToText(), "work=400 tile[2-4]=512 tile[6]=512 tile[10]=4096");
  EXPECT_EQ(*Choice::Parse(choice.ToText()), choice);
  choice.Set(Knob::kTile, 0);
  EXPECT_EQ(choice.ToText(), "work=400");
}

TEST(ChoiceTest, OtherTextsAreRefused) {
  for (const char* text : {"",
                           "unroll",
                           "unroll=",
                           "unroll=3",
                           "unroll=4 ",
                           "speed=1",
                           "unroll 4",
                           "default unroll=4",
                           "tile[]=512",
                           "tile[-1]=512",
                           "tile[1=512",
                           "tile[+1]=512",
                           "tile[01]=512",
                           "tile[1]x=512",
                           "tile[99999999999]=512",
                           "fuse-rows[1]=0",
                           "[1]=512",
                           "tile[1]=3",
                           "tile[1-]=512",
                           "tile[-]=512",
                           "tile[2-1]=512",
                           "tile[1-2-3]=512",
                           "tile[1 -2]=512"}) {
    EXPECT_FALSE(Choice::Parse(text).ok()) << text;
  }
}

TEST(ChoiceTest, RulesAreLeftOut) {
  Choice choice;
  EXPECT_EQ(choice.DisabledRules(), "");
  choice.Set(Knob::kUnroll, 4);
  EXPECT_EQ(choice.DisabledRules(), "");
  choice.Set(Knob::kFuseRows, 0);
  choice.Set(Knob::kAddInside, 0);
  EXPECT_EQ(choice.DisabledRules(), ",fuse-rows,add-inside");
}

// A row that is no rule, or has no other value, or twice the same, is a mistake in the table.
TEST(ChoiceTest, TheTable) {
  const std::set<std::string> rules = {
#define DYNACC_FUSION_RULE(function, name, what) name,
#include "codegen/schedule/rules.def"
#undef DYNACC_FUSION_RULE
  };
  std::set<std::string> names;
  bool all_rules = true;  // so far
  for (const KnobInfo& knob : Knobs()) {
    EXPECT_TRUE(all_rules || !knob.is_rule) << knob.name << " comes after what it makes groups for";
    all_rules = knob.is_rule;
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    EXPECT_EQ(knob.is_rule, rules.contains(knob.name)) << knob.name;
    EXPECT_GE(knob.values.size(), 2u) << knob.name;
    EXPECT_EQ(std::set<int>(knob.values.begin(), knob.values.end()).size(), knob.values.size());
    EXPECT_NE(KnobTable().find(knob.name), std::string::npos);
  }
}

}  // namespace
}  // namespace dynacc::tuning
