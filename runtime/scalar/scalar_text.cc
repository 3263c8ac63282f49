#include "runtime/scalar/scalar_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace dynacc {
namespace {

uint64_t BitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

double FromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

const uint64_t kPlainNan = BitsOf(std::numeric_limits<double>::quiet_NaN());

std::string PrintFloat(double value) {
  if (std::isnan(value)) {
    const uint64_t bits = BitsOf(value);
    return bits == kPlainNan ? "nan" : absl::StrCat("nan:", absl::Hex(bits, absl::kZeroPad16));
  }
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  const std::string text(buffer, end);  // shortest that reads back as `value`
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::optional<double> ParseFloat(absl::string_view text) {
  if (text == "nan") return FromBits(kPlainNan);
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  uint64_t bits;
  if (absl::ConsumePrefix(&text, "nan:")) {
    if (!absl::SimpleHexAtoi(text, &bits)) return std::nullopt;
    return FromBits(bits);
  }
  const char* const last = text.data() + text.size();
  double value;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace

std::string PrintScalarLiteral(ScalarType type, ScalarValue value) {
  if (type == ScalarType::kBool) return value.i != 0 ? "true" : "false";
  return type == ScalarType::kInt ? absl::StrCat(value.i) : PrintFloat(value.f);
}

std::optional<ScalarLiteral> ParseScalarLiteral(absl::string_view text) {
  if (text == "true") return ScalarLiteral{ScalarType::kBool, {.i = 1}};
  if (text == "false") return ScalarLiteral{ScalarType::kBool, {.i = 0}};
  int64_t integer;
  if (absl::SimpleAtoi(text, &integer)) return ScalarLiteral{ScalarType::kInt, {.i = integer}};
  const std::optional<double> number = ParseFloat(text);
  if (!number) return std::nullopt;
  return ScalarLiteral{ScalarType::kFloat, {.f = *number}};
}

bool IsScalarOperator(ScalarOp op) { return !absl::ascii_isalpha(Info(op).text[0]); }

std::optional<ScalarOp> ParseScalarOp(absl::string_view text) {
#define DYNACC_SCALAR_OP(name, op_text, arity, result) \
  if (text == op_text) return ScalarOp::k##name;
#include "runtime/scalar/scalar_ops.def"
#undef DYNACC_SCALAR_OP
  return std::nullopt;
}

}  // namespace dynacc
