#include "frontend/loops/loop_versions.h"

#include <new>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "frontend/frame/source_line.h"
#include "runtime/base/log.h"
#include "runtime/base/name_list.h"
#include "runtime/base/options.h"

namespace dynacc::loops {
namespace {

constexpr size_t kMostVersions = 4;
constexpr uint32_t kMostRefusals = 3;  // the types may be others next time

// What a run takes before and after its rounds: guards, boxes, and the way here.
constexpr int64_t kRunNanoseconds = 600;

}  // namespace

LoopVersions::LoopVersions(const bytecode::DecodedCode& code) {
  for (const frame::Loop& loop : frame::FindLoops(code)) {
    records_.emplace_back();
    records_.back().loop = loop;
  }
}

bool LoopVersions::AreOn() {
  static const Options* asked = nullptr;  // another object when an option changes
  static bool on = false;
  const Options& options = ProcessOptions();
  if (&options != asked)
    on = !absl::c_linear_search(NamesIn(options.disable_passes), "loop-compiler");
  asked = &options;
  return on;
}

LoopVersionRecord* LoopVersions::At(int header) {
  for (LoopVersionRecord& record : records_) {
    if (record.loop.header == header) return record.given_up ? nullptr : &record;
  }
  return nullptr;
}

bool LoopVersions::Translate(LoopVersionRecord& record, const frame::FrameView& frame,
                             const bytecode::DecodedCode& code) try {
  record.has_replaced =
      std::erase_if(record.versions, [](const auto& version) { return version->is_dead(); }) > 0;
  std::string refusal = "too many types";
  bool for_good = record.versions.size() >= kMostVersions;
  std::unique_ptr<LoopVersion> version;
  if (record.versions.size() < kMostVersions) {
    version = LoopVersion::Translate(frame, code, record.loop, &refusal, &for_good);
  }
  if (version == nullptr) {
    ++record.refusals;
    record.given_up = for_good || record.refusals == kMostRefusals;
  }
  if (LogEnabled(LogTopic::kPolicy)) {
    const std::string label = frame::CodeLabel(code.code(), code.At(record.loop.header).line);
    Log(LogTopic::kPolicy,
        version == nullptr ? absl::StrCat(label, ": no loop over elements: ", refusal)
                           : absl::StrCat(label, ": a loop over elements of ",
                                          version->translated().program.ops.size(), " operations"));
  }
  if (version != nullptr && LogEnabled(LogTopic::kGraph)) {
    Log(LogTopic::kGraph, PrintLoop(version->translated().program));
  }
  if (version == nullptr) return false;
  record.versions.push_back(std::move(version));
  return true;
} catch (const std::bad_alloc&) {
  PyErr_Clear();
  return false;
}

LoopVersion::Result LoopVersions::Run(LoopVersionRecord& record, frame::FrameView& frame,
                                      LoopVersion::End* end, int64_t* saving) {
  for (const std::unique_ptr<LoopVersion>& version : record.versions) {
    int64_t rounds = 0;
    const LoopVersion::Result result = version->Run(frame, end, &rounds);
    if (result == LoopVersion::Result::kNoMatch) continue;
    *saving = rounds * version->saving_of_round() - kRunNanoseconds;
    record.cost_ledger.Add(*saving);
    if (record.cost_ledger.IsGreatLoss() || version->has_overflowed()) record.given_up = true;
    return result;
  }
  return LoopVersion::Result::kNoMatch;
}

}  // namespace dynacc::loops
