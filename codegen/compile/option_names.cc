#include "codegen/compile/option_names.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/compile/compiler.h"
#include "codegen/compile/targets.h"
#include "codegen/extensions/extensions.h"
#include "codegen/passes/pass_runner.h"
#include "runtime/base/name_list.h"

namespace dynacc::compile {
namespace {

constexpr PassInfo kRules[] = {
#define DYNACC_FUSION_RULE(function, name, what) {name, what},
#include "codegen/schedule/rules.def"
#undef DYNACC_FUSION_RULE
    {"loop-compiler", "the front end's: loops over single elements are translated", true},
    {"donate-memory", "the plan's: results are computed in the memory of what they read last",
     true},
};

std::vector<absl::string_view> NamesToDisable() {
  std::vector<absl::string_view> names;
  for (const PassInfo& each : PassInfos()) names.push_back(each.name);
  return names;
}

// Former names, which mean the same until 0.2.
constexpr std::pair<absl::string_view, absl::string_view> kFormerNames[] = {
    {"element-loops", "loop-compiler"},
    {"library-product", "library-matmul"},
    {"fuse-row-products", "fuse-row-matmuls"},
};

}  // namespace

const std::vector<PassInfo>& PassInfos() {
  static const auto& infos = *new std::vector<PassInfo>([] {
    std::vector<PassInfo> optional;
    for (const passes::Pass& pass : passes::AllPasses()) {
      if (passes::IsOptional(pass.kind)) optional.push_back({pass.name, pass.why_here});
    }
    optional.insert(optional.end(), std::begin(kRules), std::end(kRules));
    return optional;
  }());
  return infos;
}

std::string CurrentPassNames(absl::string_view names) {
  std::vector<std::string> current = NamesIn(names);
  for (std::string& name : current) {
    for (const auto& [former, now] : kFormerNames) {
      if (name == former) name = std::string(now);
    }
  }
  return absl::StrJoin(current, ",");
}

const std::vector<TargetInfo>& TargetInfos() {
  static const auto& infos = *new std::vector<TargetInfo>{
#define DYNACC_TARGET(function, name, doc) {name, doc},
#include "codegen/compile/targets.def"
#undef DYNACC_TARGET
      {kReferenceTarget, "interprets the graph plainly: the oracle of the tests"},
  };
  return infos;
}

absl::Status CheckTargetName(absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const TargetInfo& row : TargetInfos()) names.push_back(row.name);
  if (absl::c_linear_search(names, name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("no target is named '", name, "'; there are ", absl::StrJoin(names, ", ")));
}

absl::Status CheckTargetAvailable(absl::string_view name) {
  const targets::Target* target = FindTarget(name);
  return target == nullptr ? absl::OkStatus() : target->Availability();
}

absl::Status CheckKernelForm(const Options& options) {
  const auto [tile, unroll, non_temporal] = KernelForm::Of(options);
  if (!options.tile.empty() && (tile < 128 || tile > 4096 || (tile & (tile - 1)) != 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tile is a power of two from 128 to 4096, not ", options.tile));
  }
  if (!options.unroll.empty() && (unroll < 1 || unroll > 16)) {
    return absl::InvalidArgumentError(
        absl::StrCat("unroll is a number from 1 to 16, not ", options.unroll));
  }
  return absl::OkStatus();
}

absl::Status CheckPassNames(absl::string_view names) {
  for (const std::string& name : NamesIn(names)) {
    if (absl::c_linear_search(NamesToDisable(), name) || extensions::TheExtensions().Has(name))
      continue;
    return absl::InvalidArgumentError(absl::StrCat("no pass or fusion rule is named '", name,
                                                   "'; there are ",
                                                   absl::StrJoin(NamesToDisable(), ", ")));
  }
  return absl::OkStatus();
}

}  // namespace dynacc::compile
