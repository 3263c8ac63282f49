#include "frontend/capture/stance.h"

#include <utility>

namespace dynacc::capture {
namespace {

constexpr std::pair<absl::string_view, Stance> kNames[] = {
    {"default", Stance::kDefault},
    {"force_eager", Stance::kForceEager},
    {"eager_on_recompile", Stance::kEagerOnRecompile},
    {"fail_on_recompile", Stance::kFailOnRecompile},
};

}  // namespace

namespace internal {
Stance stance = Stance::kDefault;
}

bool SetStance(absl::string_view name) {
  for (const auto& [text, stance] : kNames) {
    if (text != name) continue;
    internal::stance = stance;
    return true;
  }
  return false;
}

}  // namespace dynacc::capture
