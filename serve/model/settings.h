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
  int instances = 1;            // threads that run the model
  int64_t max_batch = 1;        // rows of one run; 1: requests are run one by one
  int64_t batch_window_us = 0;  // how long a request waits for others to share its run
  int batch_axis = 0;
  int64_t queue_size = 1000;  // requests that wait; more are refused
  int64_t timeout_us = 0;     // of requests that bring none; 0: none
  uint32_t priority = 1;      // of requests that bring none; 1 is first

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
