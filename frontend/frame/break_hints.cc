#include "frontend/frame/break_hints.h"

#include "absl/strings/match.h"

namespace dynacc::frame {
namespace {

struct HintRow {
  absl::string_view beginning;
  absl::string_view hint;
};

constexpr HintRow kHints[] = {
#define DYNACC_BREAK_HINT(beginning, hint) {beginning, hint},
#include "frontend/frame/break_hints.def"
#undef DYNACC_BREAK_HINT
};

}  // namespace

absl::string_view BreakHint(absl::string_view reason) {
  for (const HintRow& row : kHints) {
    if (absl::StartsWith(reason, row.beginning)) return row.hint;
  }
  return "";
}

}  // namespace dynacc::frame
