#include "codegen/ir/text_cursor.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dynacc::ir {
namespace {

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; }

}  // namespace

TextCursor::TextCursor(absl::string_view line, int line_number)
    : rest_(line), line_number_(line_number) {
  Advance();
}

size_t TextCursor::TokenLength() const {
  for (const absl::string_view pair : {"//", "==", "!=", "<=", "->"}) {
    if (absl::StartsWith(rest_, pair)) return 2;
  }
  const bool signed_word =
      rest_.size() > 1 && (rest_[0] == '%' || rest_[0] == '-') && IsWordCharacter(rest_[1]);
  if (!signed_word && !IsWordCharacter(rest_[0])) return 1;
  const bool number = absl::ascii_isdigit(rest_[rest_[0] == '-' ? 1 : 0]);
  size_t length = 1;
  while (length < rest_.size()) {
    const char c = rest_[length];
    const bool exponent_sign = number && (c == '-' || c == '+') && rest_[length - 1] == 'e';
    const bool nan_bits = c == ':' && absl::StartsWith(rest_, "nan");
    if (!IsWordCharacter(c) && !exponent_sign && !nan_bits) break;
    ++length;
  }
  return length;
}

void TextCursor::Advance() {
  rest_ = absl::StripLeadingAsciiWhitespace(rest_.substr(token_.size()));
  token_ = rest_.empty() ? rest_ : rest_.substr(0, TokenLength());
}

bool TextCursor::Consume(absl::string_view token) {
  if (token_ != token) return false;
  Advance();
  return true;
}

absl::Status TextCursor::Expect(absl::string_view token) {
  if (Consume(token)) return absl::OkStatus();
  return Error(absl::StrCat("expected '", token, "' before '", rest_, "'"));
}

absl::StatusOr<int64_t> TextCursor::ExpectInt() {
  int64_t value;
  if (!absl::SimpleAtoi(token_, &value)) {
    return Error(absl::StrCat("expected an integer before '", rest_, "'"));
  }
  Advance();
  return value;
}

absl::string_view TextCursor::ConsumeCall() {
  int depth = 0;
  for (size_t i = token_.size(); i < rest_.size(); ++i) {
    depth += absl::StrContains("([", rest_[i]) - absl::StrContains(")]", rest_[i]);
    if (depth < 1 && i == token_.size()) return "";
    if (depth > 0 || (i + 1 < rest_.size() && rest_[i + 1] == '[')) continue;
    token_ = rest_.substr(0, i + 1);
    const absl::string_view call = token_;
    Advance();
    return call;
  }
  return "";
}

absl::Status TextCursor::Error(absl::string_view problem) const {
  return absl::InvalidArgumentError(absl::StrCat("line ", line_number_, ": ", problem));
}

}  // namespace dynacc::ir
