#include "runtime/base/options.h"

#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "runtime/base/name_list.h"
#include "runtime/base/nearest_name.h"

namespace dynacc {
namespace {

// Where the text cannot be taken the value stays as it is; `name` is what the error calls it.
absl::Status ParseText(const char*, const char* text, std::string& value) {
  value = text;
  return absl::OkStatus();
}

absl::Status ParsePath(const char*, const char* text, std::string& value) {
  value = text;
  return absl::OkStatus();
}

absl::Status ParseCount(const char* name, const char* text, std::string& value) {
  const size_t digits = std::strspn(text, "0123456789");
  if (text[digits] != '\0' || digits > 9) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, "=", text, " is not a whole number from 0 to 999999999"));
  }
  if (digits > 0) value = text;
  return absl::OkStatus();
}

absl::Status ParseFlag(const char* name, const char* text, bool& value) {
  const bool is_one = std::strcmp(text, "1") == 0;
  if (!is_one && std::strcmp(text, "0") != 0 && *text != '\0')
    return absl::InvalidArgumentError(absl::StrCat(name, "=", text, " is neither 0 nor 1"));
  value = is_one;
  return absl::OkStatus();
}

std::atomic<Options*>& CurrentOptions() {
  static auto& current = *new std::atomic<Options*>(new Options(ReadOptions()));
  return current;
}

std::string TextOf(const std::string& value) { return value; }
std::string TextOf(bool value) { return value ? "1" : "0"; }

// Whether the variable may be read.
absl::Status CheckRights(const char* variable, const char* kind, bool has_more_rights) {
  if (!has_more_rights || std::strcmp(kind, "Path") != 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat(variable, " names a file in a program with more rights than its caller"));
}

}  // namespace

int NumberOf(const Options::Count& count) { return std::atoi(count.c_str()); }

int64_t BytesOfMebibytes(const Options::Count& count, int64_t otherwise) {
  return count.empty() ? otherwise : std::strtoll(count.c_str(), nullptr, 10) << 20;
}

const std::vector<OptionRow>& OptionTable() {
  static const auto& rows = *new std::vector<OptionRow>{
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc) \
  {#field, variable, #kind, OptionScope::scope, #default_value, doc},
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  };
  return rows;
}

const OptionRow* FindOption(absl::string_view name) {
  for (const OptionRow& row : OptionTable()) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

std::string OptionText(const Options& options, const OptionRow& row) {
#define DYNACC_OPTION(field, kind, scope, environment, default_value, doc) \
  if (row.variable == absl::string_view(environment)) return TextOf(options.field);
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  return "";
}

absl::Status SetOption(Options& options, const OptionRow& row, const std::string& text) {
#define DYNACC_OPTION(field, kind, scope, environment, default_value, doc)  \
  if (row.variable == absl::string_view(environment)) {                     \
    Options::kind value = {};                                               \
    const absl::Status status = Parse##kind(row.name, text.c_str(), value); \
    if (status.ok()) options.field = value;                                 \
    return status;                                                          \
  }
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  return absl::OkStatus();
}

const std::string* OptionOverrides::Find(const char* name) const {
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    if (absl::string_view(value->first->name) == name) return &value->second;
  }
  return nullptr;
}

Options OptionOverrides::Over(const Options& options) const {
  Options result = options;
  for (const auto& [row, text] : values) SetOption(result, *row, text).IgnoreError();  // checked
  if (passes.empty()) return result;
  std::vector<std::string> off = NamesIn(result.disable_passes);
  for (const auto& [name, on] : passes) {
    std::erase(off, name);
    if (!on) off.push_back(name);
  }
  result.disable_passes = absl::StrJoin(off, ",");
  return result;
}

std::vector<std::string> WarningsOfUnknownVariables(const char* const* environment) {
  constexpr absl::string_view kPrefix = "DYNACC_";
  std::vector<std::string> names;  // without it
  for (const OptionRow& row : OptionTable())
    names.emplace_back(absl::StripPrefix(row.variable, kPrefix));
  std::vector<std::string> warnings;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const absl::string_view text(*environment);
    absl::string_view name = text.substr(0, text.find('='));
    if (!absl::ConsumePrefix(&name, kPrefix)) continue;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = NearestName(name, names);
    if (nearest.empty()) continue;  // another program's
    warnings.push_back(absl::StrCat(kPrefix, name, " is no variable of DynaCC; did you mean ",
                                    kPrefix, nearest, "?"));
  }
  return warnings;
}

bool HasMoreRightsThanItsCaller() { return getauxval(AT_SECURE) != 0; }

const char* FileVariable(const char* name) {
  return HasMoreRightsThanItsCaller() ? nullptr : std::getenv(name);
}

Options ReadOptions(const EnvironmentLookup& lookup, bool has_more_rights) {
  Options options;
  auto find = [&](const char* name) { return lookup ? lookup(name) : std::getenv(name); };
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc)                        \
  if (const char* text = find(variable); text != nullptr) {                                    \
    absl::Status status = CheckRights(variable, #kind, has_more_rights);                       \
    if (status.ok()) status = Parse##kind(variable, text, options.field);                      \
    if (!status.ok()) options.warnings.push_back(absl::StrCat(status.message(), "; ignored")); \
  }
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  return options;
}

Options& ProcessOptions() {
  std::atomic<Options*>& current = CurrentOptions();
  return *current.load(std::memory_order_acquire);
}

void ReplaceProcessOptions(const Options& options) {
  // Never freed, so there is one for each set of values: a program may go to and fro for ever.
  static auto& known = *new std::map<std::string, Options*>;
  static std::mutex mutex;
  std::string values;
  for (const OptionRow& row : OptionTable())
    absl::StrAppend(&values, OptionText(options, row), std::string(1, '\0'));
  const std::lock_guard lock(mutex);
  Options*& kept = known[values];
  if (kept == nullptr) kept = new Options(options);
  CurrentOptions().store(kept, std::memory_order_release);
}

}  // namespace dynacc
