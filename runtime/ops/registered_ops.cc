#include "runtime/ops/registered_ops.h"

#include <array>
#include <atomic>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"

namespace dynacc {
namespace {

constexpr int kMaxOps = 256;  // values of enum Op

struct Row {
  OpDescription description;
  std::string text;
  OpInfo info;
};

// Rows are written before the number that makes them known, and never again.
std::array<Row, kMaxOps>& Rows() {
  static auto& rows = *new std::array<Row, kMaxOps>;
  return rows;
}
std::atomic<int> num_rows = 0;
ABSL_CONST_INIT absl::Mutex registering(absl::kConstInit);

bool IsEqual(const OpDescription& a, const OpDescription& b) {
  return a.text == b.text && a.category == b.category && a.traits == b.traits &&
         a.dtype_rule == b.dtype_rule && a.c_expr == b.c_expr && a.cuda == b.cuda;
}

bool IsOfTable(absl::string_view text) {
  const std::optional<Op> op = ParseOp(text);
  return op.has_value() && !IsRegistered(*op);
}

// What graph text takes for one word that is no number.
bool IsPrintable(absl::string_view text) {
  if (text.empty() || !(absl::ascii_isalpha(text[0]) || text[0] == '_')) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.') return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Op> RegisterOp(const OpDescription& description) {
  const bool is_elementwise =
      description.category == OpCategory::kUnary || description.category == OpCategory::kBinary;
  if (!is_elementwise || !IsPrintable(description.text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", description.text, "' cannot be registered as an elementwise op"));
  }
  const absl::MutexLock lock(&registering);
  const int count = NumRegisteredOps();
  int same_text = IsOfTable(description.text) ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    const OpDescription& other = Rows()[i].description;
    if (IsEqual(other, description)) return static_cast<Op>(NumOps() + i);
    if (other.text == description.text) ++same_text;
  }
  if (NumOps() + count >= kMaxOps) {
    return absl::ResourceExhaustedError(
        absl::StrCat("there are ", count, " registered ops, and no room for ", description.text));
  }
  Row& row = Rows()[count];
  row.description = description;
  row.text = same_text == 0 ? description.text : absl::StrCat(description.text, ".", same_text + 1);
  row.info = {row.text.c_str(),
              description.category,
              description.traits,
              description.dtype_rule,
              row.description.c_expr.c_str(),
              "",
              row.description.cuda.c_str()};
  num_rows.store(count + 1, std::memory_order_release);
  return static_cast<Op>(NumOps() + count);
}

int NumRegisteredOps() { return num_rows.load(std::memory_order_acquire); }

const OpInfo& RegisteredRow(int index) { return Rows()[index].info; }

}  // namespace dynacc
