// What DynaCC says of itself: --dynacc-version, --dynacc-help, --dynacc-info, dynacc.info().
#pragma once

#include <optional>
#include <string>

#include "runtime/base/json_text.h"

namespace dynacc {

// The text that the launcher's option asks for; none if there is no such option. Needs no
// interpreter.
//   --dynacc-version   one line: versions of DynaCC, CPython, and the NumPy that it was built for
//   --dynacc-help      usage, each environment option and log topic in groups, with defaults
//   --dynacc-info      versions, processor, compiler, cache folder, targets, and each environment
//                      option with its present value
std::optional<std::string> AnswerTo(const std::string& option);

// The facts of --dynacc-info as data, for dynacc.info(): "dynacc", "python", "numpy_built_for",
// "processor", "threads", "cpu_levels", "cpu", "compiler", "onednn", "cache", "target", "targets"
// (name to what it is) and "options" (variable to value, of those that differ from their defaults).
Json InfoData();

}  // namespace dynacc
