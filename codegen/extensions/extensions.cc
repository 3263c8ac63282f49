#include "codegen/extensions/extensions.h"

#include <dlfcn.h>

#include <memory>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/base/name_list.h"
#include "runtime/base/shared_library.h"

namespace dynacc::extensions {
namespace {

Extensions& Registered() {
  static auto& extensions = *new Extensions;
  return extensions;
}

class RegistryOf : public extension::Registry {
 public:
  explicit RegistryOf(Extensions& extensions) : extensions_(extensions) {}

  void AddVeto(const char* name, extension::Veto veto) override {
    if (IsNew(name)) extensions_.vetoes.push_back({name, veto});
  }
  void AddRule(const char* name, extension::Rule rule) override {
    if (IsNew(name)) extensions_.rules.push_back({name, rule});
  }
  const char* AddRewrite(const char* name, const char* pattern, const char* replacement,
                         extension::Condition condition) override {
    if (!IsNew(name)) return problems_.back().c_str();
    const absl::Status status = Add(name, pattern, replacement, condition);
    return status.ok() ? nullptr : Problem(absl::StrCat(name, ": ", status.message()));
  }
  void AddOperator(const char* name, const char* shapes, extension::Operator body) override {
    if (IsNew(name)) extensions_.operators.push_back({name, shapes, body});
  }
  void AddPass(const char* name, extension::Pass pass) override {
    if (IsNew(name)) extensions_.passes.push_back({name, pass});
  }

  absl::Status status() const {
    if (problems_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrJoin(problems_, "; "));
  }

 private:
  bool IsNew(const char* name) {
    if (*name != '\0' && !absl::StrContains(name, ",") && !extensions_.Has(name)) return true;
    Problem(absl::StrCat("'", name, "' is no name, or one that is taken"));
    return false;
  }

  absl::Status Add(const char* name, const char* pattern, const char* replacement,
                   extension::Condition condition) {
    absl::StatusOr<Rewrite> rewrite = Rewrite::Parse(pattern, replacement);
    if (!rewrite.ok()) return rewrite.status();
    extensions_.rewrites.push_back({name, *std::move(rewrite), condition});
    return absl::OkStatus();
  }

  // Kept, as an extension may look at the text.
  const char* Problem(std::string text) {
    static auto& kept = *new std::vector<std::unique_ptr<std::string>>;
    problems_.push_back(text);
    return kept.emplace_back(std::make_unique<std::string>(std::move(text)))->c_str();
  }

  Extensions& extensions_;
  std::vector<std::string> problems_;
};

absl::Status OpenExtension(const std::string& name, Extensions& extensions) {
  const absl::StatusOr<void*> opened = OpenSharedLibrary(name);
  if (!opened.ok()) return absl::InvalidArgumentError(opened.status().message());
  void* const library = *opened;
  const auto* version = static_cast<const int*>(dlsym(library, "kDynaccExtensionVersion"));
  const auto extend =
      reinterpret_cast<void (*)(extension::Registry&)>(dlsym(library, "DynaccExtend"));
  if (version == nullptr || extend == nullptr || *version != extension::kVersion) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is no extension of this version"));
  }
  return AddExtensions(extend, extensions);
}

absl::Status OpenExtensions(absl::string_view libraries) {
  std::vector<std::string> problems;
  for (const std::string& name : NamesIn(libraries)) {
    const absl::Status status = OpenExtension(name, Registered());
    if (!status.ok()) problems.push_back(std::string(status.message()));
  }
  return problems.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError(absl::StrJoin(problems, "; "));
}

template <typename Rows>
bool HasName(const Rows& rows, absl::string_view name) {
  return absl::c_any_of(rows, [name](const auto& row) { return row.name == name; });
}

}  // namespace

bool Extensions::Has(absl::string_view name) const {
  return HasName(vetoes, name) || HasName(rules, name) || HasName(rewrites, name) ||
         HasName(operators, name) || HasName(passes, name);
}

const Extensions& TheExtensions() { return Registered(); }

absl::Status AddExtensions(void (*extend)(extension::Registry& registry), Extensions& extensions) {
  RegistryOf registry(extensions);
  extend(registry);
  return registry.status();
}

const absl::Status& LoadExtensions(absl::string_view libraries) {
  static const auto& status = *new absl::Status(OpenExtensions(libraries));
  return status;
}

Extensions Enabled(const Extensions& extensions, absl::string_view disabled) {
  const std::vector<std::string> off = NamesIn(disabled);
  Extensions enabled = extensions;
  const auto is_off = [&](const auto& row) { return absl::c_linear_search(off, row.name); };
  std::erase_if(enabled.vetoes, is_off);
  std::erase_if(enabled.rules, is_off);
  std::erase_if(enabled.rewrites, is_off);
  std::erase_if(enabled.passes, is_off);
  return enabled;
}

}  // namespace dynacc::extensions
