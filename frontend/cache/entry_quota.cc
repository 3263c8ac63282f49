#include "frontend/cache/entry_quota.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontend/cache/code_record.h"
#include "frontend/cache/segment.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"

namespace dynacc::cache {
namespace {

constexpr int64_t kDefaultMost = 8192;

// 0: no bound.
int64_t MostEntries() {
  int64_t given;
  return absl::SimpleAtoi(ProcessOptions().max_entries, &given) ? given : kDefaultMost;
}

struct Candidate {
  uint64_t last_use;
  SegmentSet* set;
  const Segment* segment;
};

// Segments with entries that no frame is running, in the order of their last use.
std::vector<Candidate> IdleSegments() {
  std::vector<Candidate> idle;
  ForEachCodeRecord([&](CodeRecord& record) {
    record.ForEachSet([&](SegmentSetBase& base) {
      if (base.running > 0) return;
      auto& set = static_cast<SegmentSet&>(base);
      for (const std::unique_ptr<Segment>& segment : set.all()) {
        if (!segment->entries.empty()) idle.push_back({segment->last_use, &set, segment.get()});
      }
    });
  });
  std::sort(idle.begin(), idle.end(),
            [](const Candidate& a, const Candidate& b) { return a.last_use < b.last_use; });
  return idle;
}

}  // namespace

uint64_t EntryTally::made_ = 0;
int64_t EntryTally::alive_ = 0;

EntryTally::EntryTally() {
  ++made_;
  ++alive_;
}
EntryTally::~EntryTally() { --alive_; }

bool MakeRoomForEntry() {
  const int64_t most = MostEntries();
  if (most == 0 || EntryTally::alive() < most) return true;
  const int64_t surplus = EntryTally::alive() - most + std::max(most / 8, int64_t{1});
  // Finalisers may run any of this code, and drop it: they run when nothing here names it any more.
  std::vector<std::unique_ptr<Segment>> dropped;
  int64_t count = 0;
  for (const Candidate& candidate : IdleSegments()) {
    if (count >= surplus) break;
    dropped.push_back(candidate.set->Remove(*candidate.segment));
    count += static_cast<int64_t>(dropped.back()->entries.size());
  }
  dropped.clear();
  Count(ThreadStats().entries_evicted, count);
  if (LogEnabled(LogTopic::kRecompiles)) {
    Log(LogTopic::kRecompiles,
        absl::StrCat(count, " of ", most, " entries are dropped, those that ",
                     "ran least recently (DYNACC_MAX_ENTRIES)"));
  }
  return EntryTally::alive() < most;
}

}  // namespace dynacc::cache
