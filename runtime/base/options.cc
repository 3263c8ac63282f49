#include "runtime/base/options.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <cstring>

namespace dynacc {
namespace {

void ParseText(const char*, const char* text, std::string& value, std::vector<std::string>&) {
  value = text;
}

void ParsePath(const char*, const char* text, std::string& value, std::vector<std::string>&) {
  value = text;
}

void ParseCount(const char* variable, const char* text, std::string& value,
                std::vector<std::string>& warnings) {
  const size_t digits = std::strspn(text, "0123456789");
  if (text[digits] != '\0' || digits > 9) {
    warnings.push_back(std::string(variable) + "=" + text +
                       " is not a whole number from 0 to 999999999; ignored");
  } else if (digits > 0) {
    value = text;
  }
}

void ParseFlag(const char* variable, const char* text, bool& value,
               std::vector<std::string>& warnings) {
  if (std::strcmp(text, "1") == 0) {
    value = true;
  } else if (std::strcmp(text, "0") == 0 || *text == '\0') {
    value = false;
  } else {
    warnings.push_back(std::string(variable) + "=" + text + " is neither 0 nor 1; ignored");
  }
}

// Whether the variable is left unread, which a warning tells.
bool IsRefused(const char* variable, const char* kind, bool has_more_rights,
               std::vector<std::string>& warnings) {
  if (!has_more_rights || std::strcmp(kind, "Path") != 0) return false;
  warnings.push_back(std::string(variable) +
                     " names a file in a program with more rights than its caller; ignored");
  return true;
}

}  // namespace

int64_t BytesOfMebibytes(const Options::Count& count, int64_t otherwise) {
  return count.empty() ? otherwise : std::strtoll(count.c_str(), nullptr, 10) << 20;
}

const std::vector<OptionRow>& OptionTable() {
  static const auto& rows = *new std::vector<OptionRow>{
#define DYNACC_OPTION(field, kind, variable, default_value, doc) \
  {variable, #kind, #default_value, doc},
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  };
  return rows;
}

bool HasMoreRightsThanItsCaller() { return getauxval(AT_SECURE) != 0; }

const char* FileVariable(const char* name) {
  return HasMoreRightsThanItsCaller() ? nullptr : std::getenv(name);
}

Options ReadOptions(const EnvironmentLookup& lookup, bool has_more_rights) {
  Options options;
  auto find = [&](const char* name) { return lookup ? lookup(name) : std::getenv(name); };
#define DYNACC_OPTION(field, kind, variable, default_value, doc)                         \
  if (const char* text = find(variable);                                                 \
      text != nullptr && !IsRefused(variable, #kind, has_more_rights, options.warnings)) \
    Parse##kind(variable, text, options.field, options.warnings);
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  return options;
}

Options& ProcessOptions() {
  static Options& options = *new Options(ReadOptions());
  return options;
}

}  // namespace dynacc
