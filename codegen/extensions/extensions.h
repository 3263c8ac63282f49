// Extensions: what the libraries that DYNACC_EXTENSIONS names have added to the compiler.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "codegen/extensions/dynacc/extension.h"
#include "codegen/extensions/pattern.h"

namespace dynacc::extensions {

struct ExtensionVeto {
  std::string name;
  extension::Veto veto;
};

struct ExtensionRule {
  std::string name;
  extension::Rule rule;
};

struct ExtensionRewrite {
  std::string name;
  Rewrite rewrite;
  extension::Condition condition;  // may be null
};

struct ExtensionOperator {
  std::string name;
  std::string shapes;
  extension::Operator body;
};

struct ExtensionPass {
  std::string name;
  extension::Pass run;
};

// In the order in which they were added.
struct Extensions {
  std::vector<ExtensionVeto> vetoes;
  std::vector<ExtensionRule> rules;
  std::vector<ExtensionRewrite> rewrites;
  std::vector<ExtensionOperator> operators;
  std::vector<ExtensionPass> passes;

  // Whether one of them has that name.
  bool Has(absl::string_view name) const;
};

// Those of this process: empty until LoadExtensions, and unchanged after it.
const Extensions& TheExtensions();

// Opens the libraries, whose names are separated by commas, and has each add what it has. One that
// is named by a path must be this user's or root's, and nobody else may be able to change it. To be
// called before the first compile; later calls do nothing, and say what the first one said. Errors:
// INVALID_ARGUMENT with what could not be opened or added; the rest is there.
const absl::Status& LoadExtensions(absl::string_view libraries);

// Adds what `extend` adds: LoadExtensions of a function that is there already, for tests.
absl::Status AddExtensions(void (*extend)(extension::Registry& registry), Extensions& extensions);

// What `extensions` has without those that `disabled` names, separated by commas.
Extensions Enabled(const Extensions& extensions, absl::string_view disabled);

}  // namespace dynacc::extensions
