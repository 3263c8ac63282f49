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

TEST(ChoiceTest, OtherTextsAreRefused) {
  for (const char* text : {"", "unroll", "unroll=", "unroll=3", "unroll=4 ", "speed=1", "unroll 4",
                           "default unroll=4"}) {
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
  for (const KnobInfo& knob : Knobs()) {
    EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
    EXPECT_EQ(knob.is_rule, rules.contains(knob.name)) << knob.name;
    EXPECT_GE(knob.values.size(), 2u) << knob.name;
    EXPECT_EQ(std::set<int>(knob.values.begin(), knob.values.end()).size(), knob.values.size());
    EXPECT_NE(KnobTable().find(knob.name), std::string::npos);
  }
}

}  // namespace
}  // namespace dynacc::tuning
