#include "serve/model/settings.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::model {
namespace {

using nlohmann::json;

template <typename T>
absl::Status ReadInto(const json& value, int64_t least, int64_t most, T& to) {
  DYNACC_ASSIGN_OR_RETURN(const int64_t number, ReadNumber(value, least, most));
  to = static_cast<T>(number);
  return absl::OkStatus();
}

absl::Status ReadPython(const json& value, Settings& to) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() ||
      absl::StrContains(text, '/') || text[0] == '.') {
    return absl::InvalidArgumentError("must be a string like \"model.py:function\"");
  }
  to.python_file = text.substr(0, colon);
  to.python_function = text.substr(colon + 1);
  return absl::OkStatus();
}

absl::StatusOr<TensorSpec> ReadSpec(const json& value) {
  if (!value.is_object() || value.size() != 3 || !value.contains("name") ||
      !value["name"].is_string() || !value.contains("datatype") || !value["datatype"].is_string() ||
      !value.contains("shape") || !value["shape"].is_array()) {
    return absl::InvalidArgumentError("must be objects of name, datatype and shape");
  }
  TensorSpec spec;
  spec.name = value["name"].get<std::string>();
  const auto type = protocol::DataTypeOf(value["datatype"].get<std::string>());
  if (!type) return absl::InvalidArgumentError(absl::StrCat("'", spec.name, "': no such datatype"));
  spec.type = *type;
  for (const json& size : value["shape"]) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t number,
                            ReadNumber(size, -1, std::numeric_limits<int64_t>::max()), "a size");
    spec.shape.push_back(number);
  }
  return spec;
}

absl::Status ReadSpecs(const json& value, std::vector<TensorSpec>& to) {
  if (!value.is_array()) return absl::InvalidArgumentError("must be an array");
  to.clear();
  for (const json& item : value) {
    DYNACC_ASSIGN_OR_RETURN(TensorSpec spec, ReadSpec(item));
    to.push_back(std::move(spec));
  }
  return absl::OkStatus();
}

absl::Status ReadGeneration(const json& object, GenerationSettings& to) {
  if (!object.is_object() || !object.contains("max_length")) {
    return absl::InvalidArgumentError("must be an object with 'max_length'");
  }
  for (const auto& [name, value] : object.items()) {
    absl::Status status = absl::InvalidArgumentError("there is no such setting");
#define DYNACC_GENERATION_SETTING(setting, standard, least, most, help) \
  if (name == #setting) status = ReadInto(value, least, most, to.setting);
#include "serve/model/generation_settings.def"
#undef DYNACC_GENERATION_SETTING
    DYNACC_RETURN_IF_ERROR(Annotate(status, absl::StrCat("'", name, "'")));
  }
  return absl::OkStatus();
}

absl::Status ReadNames(const json& value, std::vector<std::string>& to) {
  if (!value.is_array()) return absl::InvalidArgumentError("must be an array of names");
  for (const json& name : value) {
    if (!name.is_string()) return absl::InvalidArgumentError("must be an array of names");
    to.push_back(name.get<std::string>());
  }
  return absl::OkStatus();
}

absl::Status ReadPaddedMember(const std::string& name, const json& value, PaddedAxis& to) {
  constexpr int64_t kMostAxis = 7, kMostBucket = int64_t{1} << 30;
  if (name == "axis") return ReadInto(value, 0, kMostAxis, to.axis);
  if (name == "bucket") return ReadInto(value, 0, kMostBucket, to.bucket);
  if (name == "inputs") return ReadNames(value, to.inputs);
  if (name == "outputs") return ReadNames(value, to.outputs);
  if (name != "value") return absl::InvalidArgumentError("there is no such setting");
  if (!value.is_number()) return absl::InvalidArgumentError("must be a number");
  to.value = value.get<double>();
  return absl::OkStatus();
}

absl::Status ReadPadding(const json& value, std::vector<PaddedAxis>& to) {
  if (!value.is_array()) return absl::InvalidArgumentError("must be an array of objects");
  to.clear();
  for (const json& object : value) {
    if (!object.is_object() || !object.contains("axis") || !object.contains("inputs")) {
      return absl::InvalidArgumentError("must be objects with 'axis' and 'inputs'");
    }
    PaddedAxis& axis = to.emplace_back();
    for (const auto& [name, member] : object.items()) {
      DYNACC_RETURN_IF_ERROR(
          Annotate(ReadPaddedMember(name, member, axis), absl::StrCat("'", name, "'")));
    }
    if (axis.inputs.empty()) return absl::InvalidArgumentError("'inputs' names none");
  }
  return absl::OkStatus();
}

absl::Status ReadMember(const std::string& name, const json& value, Settings& to) {
#define DYNACC_MODEL_SETTING(setting, type, standard, least, most, help) \
  if (name == #setting) return ReadInto(value, least, most, to.setting);
#include "serve/model/settings.def"
#undef DYNACC_MODEL_SETTING
  if (name == "python") return ReadPython(value, to);
  if (name == "generate") return ReadGeneration(value, to.generate.emplace());
  if (name == "padding") return ReadPadding(value, to.padding);
  if (name == "inputs") return ReadSpecs(value, to.inputs);
  if (name == "outputs") return ReadSpecs(value, to.outputs);
  return absl::InvalidArgumentError("there is no such setting");
}

}  // namespace

absl::StatusOr<int64_t> ReadNumber(const json& value, int64_t least, int64_t most) {
  // One that only uint64 has is negative as int64.
  const bool is_too_large = value.is_number_unsigned() && value.get<int64_t>() < 0;
  if (!value.is_number_integer() || is_too_large || value.get<int64_t>() < least ||
      value.get<int64_t>() > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be a whole number from ", least, " to ", most));
  }
  return value.get<int64_t>();
}

absl::StatusOr<Settings> ReadSettings(const json& json, const Settings& base) {
  if (!json.is_object()) return absl::InvalidArgumentError("settings must be a JSON object");
  Settings settings = base;
  for (const auto& [name, value] : json.items()) {
    DYNACC_RETURN_IF_ERROR(
        Annotate(ReadMember(name, value, settings), absl::StrCat("'", name, "'")));
  }
  if (settings.is_python() && (settings.inputs.empty() || settings.outputs.empty())) {
    return absl::InvalidArgumentError("a Python model needs 'inputs' and 'outputs'");
  }
  if (settings.is_python() && settings.generate) {
    return absl::InvalidArgumentError("sequences are generated by Programs only");
  }
  if (!settings.is_python() && !(settings.inputs.empty() && settings.outputs.empty())) {
    return absl::InvalidArgumentError("a Program's file says what it takes and gives");
  }
  return settings;
}

}  // namespace dynacc::model
