// Programs (docs/program.md) as models, by libdynacc_program.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "serve/model/model.h"
#include "serve/model/model_file.h"

namespace dynacc::model {

// INVALID_ARGUMENT: `key` is no public key that signatures can be compared with (PEM, Ed25519).
absl::Status CheckTrustedKey(const std::string& key);

// UNIMPLEMENTED if the program has elements that the protocol has no name for; PERMISSION_DENIED if
// it is not signed by the owner of `trusted_key` (PEM; empty: it need not be); else what is wrong
// with the file.
absl::StatusOr<std::unique_ptr<Model>> LoadProgram(const ModelFile& file,
                                                   const std::string& trusted_key);

}  // namespace dynacc::model
