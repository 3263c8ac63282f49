// Choice: a value for each knob (knobs.def) of the compile of one graph.
#pragma once

#include <array>
#include <cstdint>
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
  bool is_rule;
  const char* doc;
  absl::Span<const int> values;  // the first is the usual one
};

// In the table's order, which is that of Knob.
absl::Span<const KnobInfo> Knobs();

class Choice {
 public:
  Choice();  // the usual value of each

  int Get(Knob knob) const { return values_[static_cast<int>(knob)]; }
  void Set(Knob knob, int value) { values_[static_cast<int>(knob)] = value; }

  // The names of the fusion rules that are left out, each with a comma before it.
  std::string DisabledRules() const;

  // "fuse-rows=0 unroll=4": what is not as usual; "default" if nothing is.
  std::string ToText() const;
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
};

// All knobs with their values, as one text: what was chosen with other knobs means nothing.
std::string KnobTable();

}  // namespace dynacc::tuning
