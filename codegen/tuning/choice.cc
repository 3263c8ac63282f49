#include "codegen/tuning/choice.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dynacc::tuning {
namespace {

#define DYNACC_KNOB(name, text, when, doc, ...) constexpr int kValuesOf##name[] = {__VA_ARGS__};
#include "codegen/tuning/knobs.def"
#undef DYNACC_KNOB

constexpr absl::string_view kDefault = "default";

}  // namespace

absl::Span<const KnobInfo> Knobs() {
  static constexpr KnobInfo kKnobs[] = {
#define DYNACC_KNOB(name, text, when, doc, ...) \
  {text, KnobScope::when, false, doc, kValuesOf##name},
#define DYNACC_RULE_KNOB(name, rule, when) \
  {rule, KnobScope::when, true, "whether the fusion rule of that name runs", kValuesOf##name},
#include "codegen/tuning/knobs.def"
#undef DYNACC_KNOB
  };
  return kKnobs;
}

Choice::Choice() {
  for (int i = 0; i < kNumKnobs; ++i) values_[i] = Knobs()[i].values[0];
}

std::string Choice::DisabledRules() const {
  std::string names;
  for (int i = 0; i < kNumKnobs; ++i) {
    if (Knobs()[i].is_rule && values_[i] == 0) absl::StrAppend(&names, ",", Knobs()[i].name);
  }
  return names;
}

std::string Choice::ToText() const {
  std::vector<std::string> parts;
  for (int i = 0; i < kNumKnobs; ++i) {
    const KnobInfo& knob = Knobs()[i];
    if (values_[i] != knob.values[0]) parts.push_back(absl::StrCat(knob.name, "=", values_[i]));
  }
  return parts.empty() ? std::string(kDefault) : absl::StrJoin(parts, " ");
}

absl::StatusOr<Choice> Choice::Parse(absl::string_view text) {
  Choice choice;
  if (text == kDefault) return choice;
  for (const absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(part, '=');
    const absl::Span<const KnobInfo> knobs = Knobs();
    const auto knob =
        absl::c_find_if(knobs, [&](const KnobInfo& row) { return row.name == sides.first; });
    int value = 0;
    if (knob == knobs.end() || !absl::SimpleAtoi(sides.second, &value) ||
        !absl::c_linear_search(knob->values, value)) {
      return absl::InvalidArgumentError(absl::StrCat("no value of a knob: ", part));
    }
    choice.values_[knob - knobs.begin()] = value;
  }
  return choice;
}

std::string KnobTable() {
  std::string table;
  for (const KnobInfo& knob : Knobs()) {
    absl::StrAppend(&table, knob.name, "=", absl::StrJoin(knob.values, ","), "\n");
  }
  return table;
}

}  // namespace dynacc::tuning
