#include "frontend/cache/compilation.h"

#include <memory>
#include <utility>
#include <vector>

#include "frontend/cache/segment.h"

namespace dynacc::cache {
namespace {

constinit thread_local Compilation* t_current = nullptr;

}  // namespace

Compilation* CurrentCompilation() { return t_current; }

CompilationScope::CompilationScope(Compilation* compilation) : before_(t_current) {
  t_current = compilation;
}
CompilationScope::~CompilationScope() { t_current = before_; }

Compilation* NoCapture() {
  static Compilation& none = *[] {
    FunctionOptions options;
    options.disabled = true;
    return new Compilation(std::move(options));  // never destroyed: threads may outlive main()
  }();
  return &none;
}

Compilation::~Compilation() {
  // Finalisers may run any code: they run when no record names this any more.
  std::vector<std::unique_ptr<SegmentSetBase>> dropped;
  for (CodeRecord* record : std::exchange(records_, {}))
    dropped.push_back(record->TakeCompiled(this));
}

void Compilation::Forget() {
  DroppedSegments dropped;
  ForEachSet([&](SegmentSet& set) { set.Clear(dropped); });
}

void Compilation::ForEachSet(absl::FunctionRef<void(SegmentSet&)> visit) const {
  for (const CodeRecord* record : records_) visit(*FindSegments(*record, this));
}

SegmentSet* FindSegments(const CodeRecord& record, const Compilation* compilation) {
  return static_cast<SegmentSet*>(record.Find(compilation));
}

SegmentSet& SegmentsOf(CodeRecord& record, Compilation* compilation) {
  if (SegmentSet* found = FindSegments(record, compilation)) return *found;
  auto made = std::make_unique<SegmentSet>(compilation);
  SegmentSet& set = *made;
  if (compilation == nullptr) {
    record.segments = std::move(made);
  } else {
    compilation->records_.insert(&record);
    record.compiled.emplace_back(compilation, std::move(made));
  }
  return set;
}

}  // namespace dynacc::cache
