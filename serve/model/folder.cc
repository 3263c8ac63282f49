#include "serve/model/folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/status_macros.h"

namespace dynacc::model {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kSuffix = ".dynacc";
constexpr absl::string_view kWeightsSuffix = ".safetensors";
constexpr size_t kMaxSettingsBytes = 1 << 20;

// The version that a folder's name says; 0 if it says none.
int64_t VersionOf(const std::string& name) {
  int64_t version = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), version);
  const bool is_all = end.ec == std::errc() && end.ptr == name.data() + name.size();
  return is_all && name[0] != '0' && version > 0 ? version : 0;
}

absl::StatusOr<Settings> ReadSettingsFile(const std::string& path, const Settings& defaults) {
  const std::optional<std::string> text = ReadWholeFile(path);
  if (!text || text->size() > kMaxSettingsBytes) {
    return absl::InvalidArgumentError("model.json cannot be read");
  }
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("model.json is no JSON");
  DYNACC_ASSIGN_OR_RETURN(Settings settings, ReadSettings(json, defaults), "model.json");
  return settings;
}

}  // namespace

bool IsModelName(const std::string& name) {
  return !name.empty() && name.size() <= 128 && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

absl::StatusOr<Folder> Folder::Open(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  if (error || !fs::is_directory(canonical, error)) {
    return absl::InvalidArgumentError(absl::StrCat("there is no folder ", path));
  }
  return Folder(canonical.string());
}

std::vector<std::string> Folder::ModelNames() const {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (!entry->is_directory(unknown)) {
      if (!absl::EndsWith(name, kSuffix)) continue;
      name.resize(name.size() - kSuffix.size());
    }
    if (IsModelName(name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

absl::StatusOr<std::string> Folder::Inside(const std::string& path) const {
  std::error_code error;
  const std::string canonical = fs::canonical(path, error).string();
  if (error) return absl::NotFoundError(absl::StrCat("there is no ", path));
  if (!absl::StartsWith(canonical, path_ + "/") && path_ != "/") {
    return absl::PermissionDeniedError(absl::StrCat(path, " leads out of the model folder"));
  }
  return canonical;
}

absl::StatusOr<ModelFile> Folder::FileAt(const std::string& path) const {
  ModelFile found;
  DYNACC_ASSIGN_OR_RETURN(found.path, Inside(path));
  absl::string_view stem = path;
  std::error_code error;
  const bool is_program = absl::ConsumeSuffix(&stem, kSuffix);
  const std::string weights = absl::StrCat(stem, kWeightsSuffix);
  if (is_program && fs::exists(weights, error)) {
    DYNACC_ASSIGN_OR_RETURN(found.weights, Inside(weights));
  }
  return found;
}

absl::StatusOr<ModelFiles> Folder::Find(const std::string& name, const Settings& defaults) const {
  if (!IsModelName(name)) return absl::NotFoundError("that is no model's name");
  const std::string folder = absl::StrCat(path_, "/", name);
  const std::string file = absl::StrCat(folder, kSuffix);
  std::error_code error;
  const bool has_folder = fs::is_directory(folder, error);
  const bool has_file = fs::exists(file, error);
  if (has_folder && has_file) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are both ", name, kSuffix, " and a folder ", name));
  }
  ModelFiles found;
  found.settings = defaults;
  if (has_file) {
    DYNACC_ASSIGN_OR_RETURN(found.versions[1], FileAt(file));
    return found;
  }
  if (!has_folder) return absl::NotFoundError(absl::StrCat("there is no model '", name, "'"));
  const std::string settings = folder + "/model.json";
  if (fs::exists(settings, error)) {
    DYNACC_ASSIGN_OR_RETURN(const std::string path, Inside(settings));
    DYNACC_ASSIGN_OR_RETURN(found.settings, ReadSettingsFile(path, defaults));
  }
  const std::string wanted =
      found.settings.is_python() ? found.settings.python_file : absl::StrCat("model", kSuffix);
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const int64_t version = VersionOf(entry->path().filename().string());
    if (version == 0) continue;
    DYNACC_ASSIGN_OR_RETURN(found.versions[version], FileAt((entry->path() / wanted).string()));
  }
  if (found.versions.empty()) {
    return absl::NotFoundError(absl::StrCat("model '", name, "' has no folder of a version"));
  }
  return found;
}

}  // namespace dynacc::model
