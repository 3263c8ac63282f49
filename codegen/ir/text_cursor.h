// TextCursor: the tokens of one line of graph text.
//
// A token is a word (letters, digits, '_', '.', with a leading '%' or '-'; numbers with their
// exponent; "nan:<hex>"), an operator of the scalar language, or one punctuation character.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc::ir {

class TextCursor {
 public:
  // `line_number` counts from 1 and is named in errors. `line` must outlive the cursor.
  TextCursor(absl::string_view line, int line_number);

  absl::string_view token() const { return token_; }  // "" at the end of the line
  bool AtEnd() const { return token_.empty(); }
  void Advance();

  // Steps over `token` if it is next.
  bool Consume(absl::string_view token);
  absl::Status Expect(absl::string_view token);
  absl::StatusOr<int64_t> ExpectInt();

  // Steps over a call, "numpy.sum(%0, axis=1)[0]", and returns it: up to the bracket that closes
  // the first one. "" if the token is not a word with a bracket behind it, or nothing closes that.
  absl::string_view ConsumeCall();

  // INVALID_ARGUMENT "line 3: ...".
  absl::Status Error(absl::string_view problem) const;

 private:
  size_t TokenLength() const;

  absl::string_view rest_;  // starts with token_
  absl::string_view token_;
  int line_number_;
};

}  // namespace dynacc::ir
