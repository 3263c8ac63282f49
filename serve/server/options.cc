#include "serve/server/options.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/nearest_name.h"
#include "runtime/base/status_macros.h"
#include "serve/log/log.h"

namespace dynacc::server {
namespace {

using nlohmann::json;

std::string FlagOf(absl::string_view name) {
  return absl::StrCat("--", absl::StrReplaceAll(name, {{"_", "-"}}));
}

// Whether it is a setting of models without one of their own.
bool IsModelOption(absl::string_view name) {
#define DYNACC_MODEL_SETTING(setting, type, value, least, most, help) \
  if (name == #setting) return true;
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING
  return false;
}

bool IsText(absl::string_view name) {
#define DYNACC_SERVE_OPTION(option, type, value, least, most, help) \
  if (name == #option) return std::is_same_v<type, std::string>;
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
  return false;
}

bool IsOption(absl::string_view name) {
#define DYNACC_SERVE_OPTION(option, type, value, least, most, help) \
  if (name == #option) return true;
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
  return IsModelOption(name);
}

// All flags, as they are written.
std::vector<std::string> Flags() {
  return {
      "--config",
#define DYNACC_SERVE_OPTION(option, type, value, least, most, help) FlagOf(#option),
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
#define DYNACC_MODEL_SETTING(setting, type, value, least, most, help) FlagOf(#setting),
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING
  };
}

absl::Status ReadValue(const json& value, int64_t, int64_t, std::string& to) {
  if (!value.is_string()) return absl::InvalidArgumentError("must be a string");
  to = value.get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadValue(const json& value, int64_t least, int64_t most, int64_t& to) {
  DYNACC_ASSIGN_OR_RETURN(to, model::ReadNumber(value, least, most));
  return absl::OkStatus();
}

absl::StatusOr<json> ReadConfig(const std::string& path) {
  const std::optional<std::string> text = ReadWholeFile(path);
  if (!text) return absl::InvalidArgumentError(absl::StrCat(path, " cannot be read"));
  json object = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no JSON object"));
  }
  return object;
}

// The command line as an object of the same form as the configuration file; `config` is its
// `--config`.
absl::StatusOr<json> ReadFlags(absl::Span<char* const> arguments, std::string& config) {
  json flags = json::object();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::string_view argument = arguments[i];
    if (!absl::StartsWith(argument, "--")) {
      return absl::InvalidArgumentError(absl::StrCat("'", argument, "' is no option; try --help"));
    }
    const size_t equal = argument.find('=');
    const std::string name = absl::StrReplaceAll(
        argument.substr(2, equal == argument.npos ? equal : equal - 2), {{"-", "_"}});
    if (name != "config" && !IsOption(name)) {
      const std::string guess = DidYouMean(FlagOf(name), Flags());
      return absl::InvalidArgumentError(absl::StrCat("there is no option ", FlagOf(name),
                                                     guess.empty() ? "; try --help" : guess));
    }
    std::string value;
    if (equal != argument.npos) {
      value = std::string(argument.substr(equal + 1));
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      return absl::InvalidArgumentError(absl::StrCat(FlagOf(name), " needs a value"));
    }
    int64_t number = 0;
    if (name == "config") {
      config = value;
    } else if (IsText(name)) {
      flags[name] = value;
    } else if (absl::SimpleAtoi(value, &number)) {
      flags[name] = number;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(FlagOf(name), " needs a number, not '", value, "'"));
    }
  }
  return flags;
}

absl::Status CheckWords(const Options& options) {
  if (options.models.empty())
    return absl::InvalidArgumentError("no model folder is given: --models FOLDER");
  if (options.control != "on" && options.control != "off" && options.control != "auto") {
    return absl::InvalidArgumentError(
        absl::StrCat("control is on, off or auto, not '", options.control, "'"));
  }
  if (log::ParseLevel(options.log_level)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("log_level is debug, info, warning or error, not '", options.log_level, "'"));
}

}  // namespace

std::string HelpText() {
  std::string text =
      "usage: dynacc-serve --models FOLDER [options]\n\n"
      "Serves the models of a folder over HTTP and gRPC, by the Open Inference Protocol.\n\n"
      "  --config FILE\n      a JSON object of these options, written with _ for -\n";
#define DYNACC_SERVE_OPTION(name, type, value, least, most, help) \
  absl::StrAppend(&text, "  ", FlagOf(#name), "\n      ", help, " (", type(value), ")\n");
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
  text += "\nFor models whose model.json does not say otherwise:\n";
#define DYNACC_MODEL_SETTING(name, type, value, least, most, help) \
  absl::StrAppend(&text, "  ", FlagOf(#name), "\n      ", help, " (", type(value), ")\n");
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING
  return text;
}

absl::StatusOr<Options> ReadOptions(absl::Span<char* const> arguments) {
  std::string config;
  DYNACC_ASSIGN_OR_RETURN(const json flags, ReadFlags(arguments, config));
  json all = json::object();
  if (!config.empty()) {
    DYNACC_ASSIGN_OR_RETURN(all, ReadConfig(config));
  }
  all.update(flags);
  Options options;
  json of_models = json::object();
  for (const auto& [name, value] : all.items()) {
    absl::Status status;
    if (IsModelOption(name)) {
      of_models[name] = value;
      continue;
    }
    if (!IsOption(name)) status = absl::InvalidArgumentError("there is no such option");
#define DYNACC_SERVE_OPTION(option, type, standard, least, most, help) \
  if (name == #option) status = ReadValue(value, least, most, options.option);
#include "serve/server/options.def"
#undef DYNACC_SERVE_OPTION
    DYNACC_RETURN_IF_ERROR(Annotate(status, name));
  }
  DYNACC_ASSIGN_OR_RETURN(options.defaults, model::ReadSettings(of_models, model::Settings()));
  DYNACC_RETURN_IF_ERROR(CheckWords(options));
  return options;
}

bool IsLoopback(const std::string& host) { return absl::StartsWith(host, "127.") || host == "::1"; }

}  // namespace dynacc::server
