// A build without OpenSSL.
#include "runtime/signing/signing.h"

namespace dynacc::signing {
namespace {

absl::Status Missing() {
  return absl::UnimplementedError("this was built without OpenSSL, which signatures need");
}

}  // namespace

absl::StatusOr<std::string> Sign(absl::string_view, absl::string_view) { return Missing(); }
absl::Status CheckPublicKey(absl::string_view) { return Missing(); }
absl::Status Verify(absl::string_view, absl::string_view) { return Missing(); }

}  // namespace dynacc::signing
