// What a model's `model.json` says, and what the server's own settings say for models without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "serve/model/model.h"

namespace dynacc::model {

struct Settings {
#define DYNACC_MODEL_SETTING(name, type, value, least, most, help) type name = value;
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING

  // Python models: the file and the function, and what it takes and gives.
  std::string python_file;
  std::string python_function;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;

  bool is_python() const { return !python_file.empty(); }
};

// A whole number of these bounds; else INVALID_ARGUMENT.
absl::StatusOr<int64_t> ReadNumber(const nlohmann::json& value, int64_t least, int64_t most);

// `base` with the members of `json` in the place of its own. INVALID_ARGUMENT names a member that
// is unknown or has a wrong value.
absl::StatusOr<Settings> ReadSettings(const nlohmann::json& json, const Settings& base);

}  // namespace dynacc::model
