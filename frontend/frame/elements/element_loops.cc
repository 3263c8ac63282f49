#include "frontend/frame/elements/element_loops.h"

#include <new>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontend/frame/segment_compiler.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"

namespace dynacc {
namespace {

constexpr size_t kMostVersions = 4;
constexpr uint32_t kMostRefusals = 3;  // the types may be others next time

// What a run takes before and after its rounds: guards, boxes, and the way here.
constexpr int64_t kRunNanoseconds = 600;

}  // namespace

ElementLoops::ElementLoops(const DecodedCode& code) {
  for (const Loop& loop : FindLoops(code)) {
    records_.emplace_back();
    records_.back().loop = loop;
  }
}

bool ElementLoops::AreOn() {
  static const bool on = !absl::StrContains(ProcessOptions().disable_passes, "element-loops");
  return on;
}

ElementLoopRecord* ElementLoops::At(int header) {
  for (ElementLoopRecord& record : records_) {
    if (record.loop.header == header) return record.given_up ? nullptr : &record;
  }
  return nullptr;
}

bool ElementLoops::Translate(ElementLoopRecord& record, const FrameView& frame,
                             const DecodedCode& code) try {
  std::erase_if(record.versions, [](const auto& version) { return version->is_dead(); });
  std::string refusal = "too many types";
  bool for_good = record.versions.size() >= kMostVersions;
  std::unique_ptr<ElementLoop> version;
  if (record.versions.size() < kMostVersions) {
    version = ElementLoop::Translate(frame, code, record.loop, &refusal, &for_good);
  }
  if (version == nullptr) {
    ++record.refusals;
    record.given_up = for_good || record.refusals == kMostRefusals;
  }
  if (LogEnabled(LogTopic::kPolicy)) {
    const std::string label = CodeLabel(code.code(), code.At(record.loop.header).line);
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

ElementLoop::Result ElementLoops::Run(ElementLoopRecord& record, FrameView& frame,
                                      ElementLoop::End* end, int64_t* saving) {
  for (const std::unique_ptr<ElementLoop>& version : record.versions) {
    int64_t rounds = 0;
    const ElementLoop::Result result = version->Run(frame, end, &rounds);
    if (result == ElementLoop::Result::kNoMatch) continue;
    *saving = rounds * version->saving_of_round() - kRunNanoseconds;
    record.balance.Add(*saving);
    if (record.balance.IsGreatLoss()) record.given_up = true;
    return result;
  }
  return ElementLoop::Result::kNoMatch;
}

}  // namespace dynacc
