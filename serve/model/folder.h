// The model folder: which models there are.
//
//   NAME.dynacc             a Program, version 1
//   NAME/V/model.dynacc     version V of a Program, a whole number from 1 on
//   NAME/V/FILE.py          of a Python model, whose FILE `model.json` names
//   NAME/model.json         the model's settings
//
// Nothing outside the folder is reached: names are names of entries, and a link that leads out of
// it is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "serve/model/model_file.h"
#include "serve/model/settings.h"

namespace dynacc::model {

struct ModelFiles {
  Settings settings;
  std::map<int64_t, ModelFile> versions;
};

class Folder {
 public:
  // INVALID_ARGUMENT if `path` is no folder that can be read.
  static absl::StatusOr<Folder> Open(const std::string& path);

  const std::string& path() const { return path_; }
  // Sorted. Entries whose name is no model's are left out.
  std::vector<std::string> ModelNames() const;
  // `defaults` are the settings of what `model.json` does not say. NOT_FOUND if there is no such
  // model; else what is wrong with it.
  absl::StatusOr<ModelFiles> Find(const std::string& name, const Settings& defaults) const;

 private:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  absl::StatusOr<std::string> Inside(const std::string& path) const;
  absl::StatusOr<ModelFile> FileAt(const std::string& path) const;
  std::string path_;  // without links
};

// Letters, digits, "_", "-" and ".", not first; 128 at most.
bool IsModelName(const std::string& name);

}  // namespace dynacc::model
