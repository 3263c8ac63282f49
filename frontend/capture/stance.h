// What a call is to do where compiled code may be run or made: dynacc.set_stance. Under the GIL.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace dynacc::capture {

enum class Stance : uint8_t {
  kDefault,
  kForceEager,        // nothing compiled runs, and nothing is captured
  kEagerOnRecompile,  // compiled variants run; none is made beside others
  kFailOnRecompile,   // the same, and in a compilation it is a RuntimeError
};

namespace internal {
extern Stance stance;
}
inline Stance CurrentStance() { return internal::stance; }
// False: there is no stance of that name ("force_eager", say).
bool SetStance(absl::string_view name);

}  // namespace dynacc::capture
