// Signatures of programs' files, by Ed25519 (docs/program.md, "Signatures").
//
// What is signed is the text "DynaCC program\n" and the SHA-512 digest of all of the file but its
// hash and the signature itself. Keys are PEM, as `openssl genpkey -algorithm ed25519` writes them.
// Both are UNIMPLEMENTED in a build without OpenSSL.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc::signing {

// The file with a signature by that private key, in the place of one that it had. INVALID_ARGUMENT
// if it is no program's file or `key` is no private key for Ed25519, or is encrypted.
absl::StatusOr<std::string> Sign(absl::string_view file, absl::string_view key);

// INVALID_ARGUMENT if `key` is no public key for Ed25519.
absl::Status CheckPublicKey(absl::string_view key);

// Whether the file is signed by the owner of that public key. PERMISSION_DENIED if it is not: it
// has no signature, one by another key, or was changed since. INVALID_ARGUMENT if it is no
// program's file or `key` is no public key for Ed25519.
absl::Status Verify(absl::string_view file, absl::string_view key);

}  // namespace dynacc::signing
