#include "codegen/emit/expression.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace dynacc::emit {
namespace {

bool IsIdentifierChar(char c) { return absl::ascii_isalnum(c) || c == '_'; }

}  // namespace

std::string ExpandExpression(absl::string_view expression,
                             const std::array<std::string, 3>& operands, absl::string_view type) {
  std::string out;
  while (!expression.empty()) {
    size_t length = 0;
    while (length < expression.size() && IsIdentifierChar(expression[length])) ++length;
    const absl::string_view word = expression.substr(0, length == 0 ? 1 : length);
    if (word == "T") {
      absl::StrAppend(&out, type);
    } else if (word.size() == 1 && word[0] >= 'a' && word[0] <= 'c') {
      absl::StrAppend(&out, operands[word[0] - 'a']);
    } else {
      absl::StrAppend(&out, word);
    }
    expression.remove_prefix(word.size());
  }
  return out;
}

}  // namespace dynacc::emit
