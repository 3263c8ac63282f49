// The environment options of DynaCC, read once at start-up from the table options.def.
//
// A wrong value never stops the program: ReadOptions reports it in `warnings` and keeps the
// default; the caller prints each warning once.
//
// A program that runs with more rights than whoever started it (setuid, setgid, file capabilities)
// takes no file from its environment: variables of kind Path are ignored, with a warning, and so
// are HOME and XDG_CACHE_HOME (FileVariable).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dynacc {

struct Options {
  using Flag = bool;
  using Text = std::string;
  using Path = std::string;
  using Count = std::string;  // decimal digits, or empty where that is the default
#define DYNACC_OPTION(field, kind, variable, default_value, doc) kind field = default_value;
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  std::vector<std::string> warnings;
};

// Bytes of a Count in MiB; `otherwise` if it is not set.
int64_t BytesOfMebibytes(const Options::Count& count, int64_t otherwise);

// One row of the table, for documentation and --dynacc-info.
struct OptionRow {
  const char* variable;
  const char* kind;
  const char* default_text;
  const char* doc;
};
const std::vector<OptionRow>& OptionTable();

// Looks a variable up; returns nullptr when it is not set.
using EnvironmentLookup = std::function<const char*(const char* name)>;

// Whether this process has rights that whoever started it has not: the kernel's AT_SECURE.
bool HasMoreRightsThanItsCaller();

// Options as `lookup` gives them (std::getenv by default).
Options ReadOptions(const EnvironmentLookup& lookup = nullptr,
                    bool has_more_rights = HasMoreRightsThanItsCaller());

// The value of an environment variable that names a file; null if it is not set, or in a process
// that has more rights than its caller.
const char* FileVariable(const char* name);

// The options of this process: read at the first call, the same object from then on.
Options& ProcessOptions();

}  // namespace dynacc
