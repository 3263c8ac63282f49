#include "embed/host/runtime_options.h"

#include <cstdlib>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/option_names.h"
#include "frontend/capture/capture.h"
#include "frontend/tensor/device_tensor.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// The environment variable of each option, by the option's name.
namespace variable_of {
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc) \
  constexpr char field[] = variable;
#include "runtime/base/options.def"
#undef DYNACC_OPTION
}  // namespace variable_of

// The number of "cuda:N"; 0 of "cuda"; nothing for other names.
std::optional<int> NumberOfGpu(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "cuda")) return std::nullopt;
  int number = 0;
  if (name.empty()) return number;
  if (!absl::ConsumePrefix(&name, ":") || !absl::SimpleAtoi(name, &number) || number < 0) {
    return std::nullopt;
  }
  return number;
}

absl::Status CheckDevices(const RuntimeOptions& options) {
  bool has_gpu = options.devices.empty();
  for (const std::string& device : options.devices) {
    if (device == "cpu") continue;
    const std::optional<int> number = NumberOfGpu(device);
    if (!number) {
      return absl::InvalidArgumentError(
          absl::StrCat("devices: there is no ", device, "; there are cpu, cuda, cuda:1 ..."));
    }
    if (*number >= tensor::DeviceCount()) {
      return absl::InvalidArgumentError(absl::StrCat("devices: there is no ", device,
                                                     "; this process has ", tensor::DeviceCount(),
                                                     " CUDA devices"));
    }
    has_gpu = true;
  }
  if (has_gpu || !compile::TraitsOf(options.target).has_device) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("devices: none of them is one of the target ", options.target));
}

absl::Status Check(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(capture::ParsePolicy(options.policy).status(), "policy");
  if (!options.target.empty()) {
    DYNACC_RETURN_IF_ERROR(compile::CheckTargetName(options.target), "target");
  }
  DYNACC_RETURN_IF_ERROR(CheckDevices(options));
  if (options.most_calls < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("most_calls: ", options.most_calls, " is negative"));
  }
  if (options.threads < 0) {
    return absl::InvalidArgumentError(absl::StrCat("threads: ", options.threads, " is negative"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyOptions(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(Check(options));
  const Options environment = ReadOptions();
  // A new object: daemon threads of an earlier session may be reading the one that there is.
  Options process = ProcessOptions();
  // Without the variable `otherwise` is the table's default, which holds again for a later session.
  const auto set = [](std::string& field, const char* variable, const std::string& otherwise,
                      const std::string& wanted) {
    const bool is_path = variable == variable_of::cache_dir;
    const char* text = is_path ? FileVariable(variable) : std::getenv(variable);
    const bool is_wanted = text == nullptr && !wanted.empty();
    field = is_wanted ? wanted : otherwise;
  };
  const std::string threads = options.threads > 0 ? absl::StrCat(options.threads) : "";
  set(process.policy, variable_of::policy, environment.policy, options.policy);
  set(process.target, variable_of::target, environment.target, options.target);
  set(process.cache_dir, variable_of::cache_dir, environment.cache_dir, options.cache_folder);
  set(process.logs, variable_of::logs, environment.logs, options.logs);
  set(process.threads, variable_of::threads, environment.threads, threads);
  ReplaceProcessOptions(process);
  return absl::OkStatus();
}

}  // namespace dynacc
