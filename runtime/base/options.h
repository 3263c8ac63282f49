// The options of DynaCC, from the table options.def. Environment variables are their first values.
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
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc {

struct Options {
  using Flag = bool;
  using Text = std::string;
  using Path = std::string;
  using Count = std::string;  // decimal digits, or empty where that is the default
#define DYNACC_OPTION(field, kind, scope, variable, default_value, doc) kind field = default_value;
#include "runtime/base/options.def"
#undef DYNACC_OPTION
  std::vector<std::string> warnings;
};

// A Count's number; 0 if it is not set.
int NumberOf(const Options::Count& count);
// Bytes of a Count in MiB; `otherwise` if it is not set.
int64_t BytesOfMebibytes(const Options::Count& count, int64_t otherwise);

// For which parts of a program an option may have a value of its own.
enum class OptionScope : uint8_t { kStart, kProcess, kCompilation };

// One row of the table.
struct OptionRow {
  const char* name;
  const char* variable;
  const char* kind;
  OptionScope scope;
  const char* default_text;
  const char* doc;
};
const std::vector<OptionRow>& OptionTable();
// Null: no option has that name.
const OptionRow* FindOption(absl::string_view name);

// The value of an option as text: "0" and "1" of a Flag, "" of a Count that is not set.
std::string OptionText(const Options& options, const OptionRow& row);
// INVALID_ARGUMENT, and no change, if it is no text of that kind.
absl::Status SetOption(Options& options, const OptionRow& row, const std::string& text);

// Values of options that differ from the process's; later ones win.
struct OptionOverrides {
  std::vector<std::pair<const OptionRow*, std::string>> values;
  // Names of passes and fusion rules, and whether they are on: changes disable_passes.
  std::vector<std::pair<std::string, bool>> passes;

  bool empty() const { return values.empty() && passes.empty(); }
  // The text of that option; null if it is the process's.
  const std::string* Find(const char* name) const;
  Options Over(const Options& options) const;
};

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

// One line for each variable of the environment that looks like one of the table's and is none.
std::vector<std::string> WarningsOfUnknownVariables(const char* const* environment);

// The options of this process, read at the first call. Who starts DynaCC may change them in place
// before other threads run.
Options& ProcessOptions();
// The process's options from now on. From any thread. What ProcessOptions has returned stays as it
// is and allocated: other threads may be reading it.
void ReplaceProcessOptions(const Options& options);

}  // namespace dynacc
