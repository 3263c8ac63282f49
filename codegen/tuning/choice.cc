#include "codegen/tuning/choice.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace dynacc::tuning {
namespace {

#define DYNACC_KNOB(name, text, when, doc, ...) constexpr int kValuesOf##name[] = {__VA_ARGS__};
#include "codegen/tuning/knobs.def"
#undef DYNACC_KNOB

constexpr absl::string_view kDefault = "default";
constexpr int kMostGroups = 1'000'000;

// A number as absl::StrCat writes it.
bool ParseGroup(absl::string_view text, int& group) {
  return absl::SimpleAtoi(text, &group) && text == absl::StrCat(group) && group >= 0 &&
         group < kMostGroups;
}

// "[2]" or "[2-4]".
bool ParseGroups(absl::string_view text, int& first, int& last) {
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]")) return false;
  const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
  return ends.size() <= 2 && ParseGroup(ends.front(), first) && ParseGroup(ends.back(), last) &&
         (ends.size() == 1 || first < last);
}

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

int Choice::Get(Knob knob, int group) const {
  const std::map<int, int>& own = own_[static_cast<int>(knob)];
  const auto found = own.find(group);
  return found == own.end() ? Get(knob) : found->second;
}

void Choice::Set(Knob knob, int value) {
  values_[static_cast<int>(knob)] = value;
  own_[static_cast<int>(knob)].clear();
}

void Choice::SetOf(int group, Knob knob, int value) {
  std::map<int, int>& own = own_[static_cast<int>(knob)];
  if (value == Get(knob)) {
    own.erase(group);
  } else {
    own[group] = value;
  }
}

std::string Choice::DisabledRules() const {
  std::string names;
  for (int i = 0; i < kNumKnobs; ++i) {
    if (Knobs()[i].is_rule && values_[i] == 0) absl::StrAppend(&names, ",", Knobs()[i].name);
  }
  return names;
}

std::string Choice::ToText(Knob knob) const {
  const int i = static_cast<int>(knob);
  const KnobInfo& info = Knobs()[i];
  std::vector<std::string> parts;
  if (values_[i] != info.values[0]) parts.push_back(absl::StrCat(info.name, "=", values_[i]));
  for (auto it = own_[i].begin(); it != own_[i].end();) {
    const auto [first, value] = *it;
    int last = first;
    for (++it; it != own_[i].end() && it->first == last + 1 && it->second == value; ++it) ++last;
    const std::string groups = first == last ? absl::StrCat(first) : absl::StrCat(first, "-", last);
    parts.push_back(absl::StrCat(info.name, "[", groups, "]=", value));
  }
  return absl::StrJoin(parts, " ");
}

std::string Choice::ToText() const {
  std::vector<std::string> parts;
  for (int i = 0; i < kNumKnobs; ++i) {
    std::string part = ToText(static_cast<Knob>(i));
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts.empty() ? std::string(kDefault) : absl::StrJoin(parts, " ");
}

absl::StatusOr<Choice> Choice::Parse(absl::string_view text) {
  Choice choice;
  if (text == kDefault) return choice;
  for (const absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(part, '=');
    const absl::string_view name = sides.first.substr(0, sides.first.find('['));
    const absl::string_view brackets = sides.first.substr(name.size());
    const absl::Span<const KnobInfo> knobs = Knobs();
    const auto info = absl::c_find_if(knobs, [&](const KnobInfo& row) { return row.name == name; });
    int first = 0, last = -1, value = 0;
    const bool has_groups = ParseGroups(brackets, first, last);
    if (info == knobs.end() || (has_groups ? info->is_rule : !brackets.empty()) ||
        !absl::SimpleAtoi(sides.second, &value) || !absl::c_linear_search(info->values, value)) {
      return absl::InvalidArgumentError(absl::StrCat("no value of a knob: ", part));
    }
    const auto knob = static_cast<Knob>(info - knobs.begin());
    if (!has_groups) choice.Set(knob, value);
    for (int group = first; group <= last; ++group) choice.SetOf(group, knob, value);
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
