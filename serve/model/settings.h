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

// Of a model that generates sequences.
struct GenerationSettings {
#define DYNACC_GENERATION_SETTING(name, value, least, most, help) int64_t name = value;
#include "serve/model/generation_settings.def"
#undef DYNACC_GENERATION_SETTING
};

// An axis along which inputs are padded so that requests of different sizes share a run.
struct PaddedAxis {
  int axis = 0;
  std::vector<std::string> inputs;   // of one size along it; one at least
  std::vector<std::string> outputs;  // of that size, too
  double value = 0;                  // of the elements behind a shorter input's own
  int64_t bucket = 0;  // sizes share a run that come to the same multiple of it; 0: all do
};

struct Settings {
#define DYNACC_MODEL_SETTING(name, type, value, least, most, help) type name = value;
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING

  // Python models: the file and the function, and what it takes and gives.
  std::string python_file;
  std::string python_function;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;

  std::optional<GenerationSettings> generate;
  std::vector<PaddedAxis> padding;

  // Programs must be signed by the owner of this public key, in PEM; empty: they need not be. The
  // server's own: no `model.json` says it.
  std::string trusted_key;

  bool is_python() const { return !python_file.empty(); }
};

// A whole number of these bounds; else INVALID_ARGUMENT.
absl::StatusOr<int64_t> ReadNumber(const nlohmann::json& value, int64_t least, int64_t most);

// `base` with the members of `json` in the place of its own. INVALID_ARGUMENT names a member that
// is unknown or has a wrong value.
absl::StatusOr<Settings> ReadSettings(const nlohmann::json& json, const Settings& base);

}  // namespace dynacc::model
