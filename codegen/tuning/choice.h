// Choice: a value for each knob (knobs.def) of the compile of one graph.
//
// Which fusion rules run decides what the groups of the schedule are: such a knob has one value.
// The others say how the kernel of one group is made, and may differ from group to group.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::tuning {

enum class Knob : uint8_t {
#define DYNACC_KNOB(name, text, when, doc, ...) k##name,
#include "codegen/tuning/knobs.def"
#undef DYNACC_KNOB
};

enum class KnobScope : uint8_t { kAlways, kFastMath };

struct KnobInfo {
  const char* name;
  KnobScope when;
  bool is_rule;  // a fusion rule; otherwise each group may have a value of its own
  const char* doc;
  absl::Span<const int> values;  // the first is the usual one
};

// In the table's order, which is that of Knob.
absl::Span<const KnobInfo> Knobs();

class Choice {
 public:
  Choice();  // the usual value of each

  // Of a rule, or of all groups that have no value of their own.
  int Get(Knob knob) const { return values_[static_cast<int>(knob)]; }
  // Of the group of that number.
  int Get(Knob knob, int group) const;

  // Of all groups.
  void Set(Knob knob, int value);
  // Of one; of a knob that is no rule.
  void SetOf(int group, Knob knob, int value);

  // The names of the fusion rules that are left out, each with a comma before it.
  std::string DisabledRules() const;

  // "fuse-rows=0 unroll=4 tile[2]=512 tile[5-7]=256": what is not as usual, the last of groups 2
  // and 5 to 7 alone; "default" if nothing is.
  std::string ToText() const;
  // The same of one knob; "" if it is as usual.
  std::string ToText(Knob knob) const;
  // INVALID_ARGUMENT for what ToText does not write.
  static absl::StatusOr<Choice> Parse(absl::string_view text);

  friend bool operator==(const Choice&, const Choice&) = default;

 private:
  static constexpr int kNumKnobs = 0
#define DYNACC_KNOB(name, text, when, doc, ...) +1
#include "codegen/tuning/knobs.def"
#undef DYNACC_KNOB
      ;
  std::array<int, kNumKnobs> values_;
  std::array<std::map<int, int>, kNumKnobs> own_;  // by group: those that differ from values_
};

// All knobs with their values, as one text: what was chosen with other knobs means nothing.
std::string KnobTable();

}  // namespace dynacc::tuning
