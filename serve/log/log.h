// The server's log: a line of JSON on stderr for each event.
//
//   log::Write(log::Level::kInfo, "model loaded", {{"model", name}, {"version", 3}});
#pragma once

#include <optional>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"

namespace dynacc::log {

enum class Level { kDebug, kInfo, kWarning, kError };

// The level of that name, "debug", "info", "warning" or "error"; nothing if there is none.
std::optional<Level> ParseLevel(absl::string_view name);

// Lines below it are not written. Info at the start.
void SetLevel(Level level);
bool IsOn(Level level);

// {"time": ..., "level": ..., "event": event, and the members of `fields`}. From any thread.
void Write(Level level, absl::string_view event, const Json& fields = Json::object());

}  // namespace dynacc::log
