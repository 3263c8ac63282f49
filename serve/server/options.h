// The server's options, from the command line and the configuration file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "serve/model/settings.h"

namespace dynacc::server {

struct Options {
#define DYNACC_SERVE_OPTION(name, type, value, least, most, help) type name = value;
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
  model::Settings defaults;  // of models whose `model.json` does not say otherwise
};

// What `--help` prints.
std::string HelpText();

// `arguments` are those behind the program's name. `--config FILE` names a JSON object with the
// same names; the command line wins. INVALID_ARGUMENT names what is wrong.
absl::StatusOr<Options> ReadOptions(absl::Span<char* const> arguments);

// Whether an address is one of this machine's only.
bool IsLoopback(const std::string& host);

}  // namespace dynacc::server
