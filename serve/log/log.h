// The server's log: a line of JSON on stderr for each event.
//
//   log::Write(log::Level::kInfo, "model loaded", {{"model", name}, {"version", 3}});
#pragma once

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"

namespace dynacc::log {

enum class Level { kDebug, kInfo, kWarning, kError };

// Lines below it are not written. Info at the start.
void SetLevel(Level level);
bool IsOn(Level level);

// {"time": ..., "level": ..., "event": event, and the members of `fields`}. From any thread.
void Write(Level level, absl::string_view event, const Json& fields = Json::object());

}  // namespace dynacc::log
