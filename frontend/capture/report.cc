#include "frontend/capture/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontend/cache/code_record.h"
#include "frontend/capture/explanation.h"
#include "frontend/cpython/ref.h"
#include "nlohmann/json.hpp"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/process_file.h"
#include "runtime/base/stats.h"
#include "runtime/executor/measure.h"

namespace dynacc::capture {
namespace {

pid_t g_owner = 0;

// Never destroyed. Under the GIL.
absl::flat_hash_map<PyCodeObject*, Ref>& KeptCodes() {
  static auto& codes = *new absl::flat_hash_map<PyCodeObject*, Ref>;
  return codes;
}

Json FunctionRows() {
  // Finalisers that run in between may make and free records.
  std::vector<Ref> codes;
  cache::ForEachCodeRecord([&](cache::CodeRecord& record) {
    if (record.decoded == nullptr) return;
    codes.push_back(Ref::New(reinterpret_cast<PyObject*>(record.decoded->code())));
  });
  Json rows = Json::array();
  for (const Ref& object : codes) {
    auto* code = reinterpret_cast<PyCodeObject*>(object.get());
    cache::CodeRecord* record = cache::FindCodeRecord(code);
    if (record == nullptr) continue;
    record->ForEachSet([&](cache::SegmentSetBase& set) {
      rows.push_back(ExplainCode(code, *record, static_cast<cache::SegmentSet&>(set)));
    });
  }
  return rows;
}

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("DYNACC_REPORT: cannot write ", path));
  }
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && complete) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("DYNACC_REPORT: writing ", path, " failed"));
}

}  // namespace

void KeepForReport(PyCodeObject* code) {
  if (!executor::IsMeasuring()) return;
  KeptCodes().try_emplace(code, Ref::New(reinterpret_cast<PyObject*>(code)));
}

void OwnReport() { g_owner = getpid(); }

void WriteReportOfProcess() {
  const std::string path = FileOfProcess(ProcessOptions().report);
  if (path.empty() || getpid() != g_owner) return;
  const Json report = {{"clock", NowNanoseconds()},
                       {"counters", Json::parse(StatsJson())},
                       {"functions", FunctionRows()}};
  const absl::Status status = WriteText(path, JsonText(report));
  if (!status.ok()) WarnOnce("report", std::string(status.message()));
  const absl::flat_hash_map<PyCodeObject*, Ref> dropped = std::exchange(KeptCodes(), {});
}

}  // namespace dynacc::capture
