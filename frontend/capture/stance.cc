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

Stance g_stance = Stance::kDefault;

}  // namespace

Stance CurrentStance() { return g_stance; }

bool SetStance(absl::string_view name) {
  for (const auto& [text, stance] : kNames) {
    if (text != name) continue;
    g_stance = stance;
    return true;
  }
  return false;
}

}  // namespace dynacc::capture
