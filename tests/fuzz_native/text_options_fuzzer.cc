// What parses the values of environment variables and options, on arbitrary text.
//
// The first byte of the input chooses the parser. A wrong value is refused with a message and
// leaves the default; a pattern of an extension that parses has no surprises either.
#include "absl/strings/str_cat.h"
#include "codegen/compile/option_names.h"
#include "codegen/extensions/pattern.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/name_list.h"
#include "runtime/base/options.h"
#include "runtime/platform/cpu_level.h"
#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {
namespace {

void CheckMessage(const absl::Status& status) {
  FUZZ_REQUIRE(status.ok() || !status.message().empty());
}

// Each variable has its turn, or all have the same text.
void TryOptions(const std::string& text, uint8_t which) {
  const auto& rows = OptionTable();
  const size_t chosen = which % (rows.size() + 1);
  const Options options = ReadOptions(
      [&](const char* name) -> const char* {
        return chosen == rows.size() || rows[chosen].variable == std::string(name) ? text.c_str()
                                                                                   : nullptr;
      },
      /*has_more_rights=*/which % 2 == 1);
  for (const std::string* count : {&options.threads, &options.tier_up, &options.capture_after,
                                   &options.force_breaks, &options.force_errors}) {
    FUZZ_REQUIRE_SAYING(count->size() <= 9, *count);
    FUZZ_REQUIRE_SAYING(count->find_first_not_of("0123456789") == std::string::npos, *count);
  }
  FUZZ_REQUIRE(options.warnings.size() <= rows.size());
}

void TryNames(const std::string& text) {
  for (const std::string& name : NamesIn(text)) {
    FUZZ_REQUIRE_SAYING(name.find(',') == std::string::npos, name);
    FUZZ_REQUIRE_SAYING(!name.empty() && name.front() != ' ' && name.back() != ' ', name);
  }
}

// A JSON string: quoted, and without a control character or a quote that ends it early.
void TryJson(const std::string& text) {
  const std::string json = JsonText(text);
  FUZZ_REQUIRE(json.size() >= 2 && json.front() == '"' && json.back() == '"');
  for (size_t i = 1; i + 1 < json.size(); ++i) {
    FUZZ_REQUIRE_SAYING(static_cast<uint8_t>(json[i]) >= 0x20 && json[i] != '"', json);
    if (json[i] == '\\') FUZZ_REQUIRE_SAYING(++i + 1 < json.size(), json);
  }
}

void TryPattern(const std::string& text) {
  const auto rewrite = extensions::Rewrite::Parse(text, text);
  CheckMessage(rewrite.status());
  if (rewrite.ok()) FUZZ_REQUIRE(IsElementwise(rewrite->op()) || rewrite->op() == Op::kWhere);
}

}  // namespace

std::vector<std::string> StartInputs() {
  std::vector<std::string> starts;
  for (const OptionRow& row : OptionTable()) starts.push_back(absl::StrCat("A", row.variable));
  for (const char* text :
       {"B1", "C0", "D999999999", "E-1", "Falways", "Jcpu", "Kgraph,+kernels,guards", "La, b,,c ",
        "Mx86-64-v3", "Ntile", "Oelement-loops,donate-memory", "P\x01\"\\\n", "Qlog(add(?x, 1.0))",
        "Qmultiply(?x, exp(negative(?y)))", "Qadd(?x, -2.5e-3)", "Qwhere(?c, ?x, 0)"}) {
    starts.push_back(text);
  }
  return starts;
}

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 16) {
    case 'K' % 16:
      CheckMessage(ConfigureLogs(text));
      break;
    case 'L' % 16:
      TryNames(text);
      break;
    case 'M' % 16:
      CheckMessage(platform::CheckCpuLevel(text));
      break;
    case 'N' % 16:
      CheckMessage(compile::CheckTargetName(text));
      break;
    case 'O' % 16:
      CheckMessage(compile::CheckPassNames(text));
      break;
    case 'P' % 16:
      TryJson(text);
      break;
    case 'Q' % 16:
      TryPattern(text);
      break;
    default:
      TryOptions(text, data[0]);
  }
  return 0;
}
