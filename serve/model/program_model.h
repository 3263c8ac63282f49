// Programs (docs/program.md) as models, by libdynacc_program.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "serve/model/model.h"

namespace dynacc::model {

// UNIMPLEMENTED if the program has elements that the protocol has no name for; else what is wrong
// with the file.
absl::StatusOr<std::unique_ptr<Model>> LoadProgram(const std::string& path);

}  // namespace dynacc::model
