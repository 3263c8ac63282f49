#include "embed/host/runtime_options.h"

#include "absl/strings/str_cat.h"
#include "codegen/compiler.h"
#include "frontend/frame/capture.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

absl::Status Check(const RuntimeOptions& options) {
  DYNACC_RETURN_IF_ERROR(ParsePolicy(options.policy).status(), "policy");
  if (!options.target.empty()) {
    DYNACC_RETURN_IF_ERROR(CheckTargetName(options.target), "target");
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
  Options& process = ProcessOptions();
  const Options defaults;
  const auto set = [](std::string& field, const std::string& from_environment,
                      const std::string& wanted, const std::string& otherwise) {
    field = from_environment != otherwise ? from_environment : wanted.empty() ? otherwise : wanted;
  };
  set(process.policy, environment.policy, options.policy, defaults.policy);
  set(process.target, environment.target, options.target, defaults.target);
  set(process.cache_dir, environment.cache_dir, options.cache_folder, defaults.cache_dir);
  set(process.logs, environment.logs, options.logs, defaults.logs);
  const std::string threads = options.threads > 0 ? absl::StrCat(options.threads) : "";
  set(process.threads, environment.threads, threads, defaults.threads);
  return absl::OkStatus();
}

}  // namespace dynacc
