#include "frontend/cache/compilation.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/cache/segment.h"
#include "frontend/cpython/dict_access.h"

namespace dynacc::cache {
namespace {

struct OpenScope {
  uint64_t id;
  Compilation* compilation;
  const InterpreterFrame* caller;            // current when it began; null: none was
  const InterpreterFrame* bottom = nullptr;  // in that case: its first frame, once it has run one
};

// On the heap: greenlets take turns on the stack.
std::vector<OpenScope>& OpenScopes() {
  thread_local std::vector<OpenScope> scopes;
  return scopes;
}

constinit thread_local Compilation* t_innermost = nullptr;  // of OpenScopes

// Whether frames may take turns on one stack. Under the GIL; once true it stays so.
bool g_has_greenlets = false;

void LookForGreenlets() {
  static PyObject* const name = PyUnicode_InternFromString("greenlet");
  if (g_has_greenlets) return;
  const BorrowedRef modules = PyImport_GetModuleDict();
  g_has_greenlets = PyDict_CheckExact(modules) && DictGetStr(modules, name) != nullptr;
}

uint64_t Open(Compilation* compilation) {
  static uint64_t last_id = 0;
  OpenScopes().push_back({++last_id, compilation, CurrentFrame(PyThreadState_Get())});
  t_innermost = compilation;
  return last_id;
}

// Whether `frame`, which `caller` is about to run (null: nobody), is in the scope.
bool IsIn(OpenScope& scope, const InterpreterFrame* frame, const InterpreterFrame* caller) {
  const bool is_first = caller == nullptr && scope.caller == nullptr && scope.bottom == nullptr;
  if (is_first) scope.bottom = frame;
  const InterpreterFrame* bottom = frame;
  for (const InterpreterFrame* each = caller; each != nullptr; each = CallerOf(each)) {
    if (each == scope.caller) return true;
    if (FrameOwnedByThread(each)) bottom = each;
  }
  return scope.caller == nullptr && scope.bottom == bottom;
}

}  // namespace

Compilation* CompilationOf(const InterpreterFrame* frame) {
  if (!g_has_greenlets) return t_innermost;
  const InterpreterFrame* const caller = CurrentFrame(PyThreadState_Get());
  std::vector<OpenScope>& scopes = OpenScopes();
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (IsIn(*scope, frame, caller)) return scope->compilation;
  }
  return nullptr;
}

CompilationScope::CompilationScope(Compilation* compilation)
    : owner_(Ref::New(compilation == nullptr ? nullptr : compilation->owner())),
      id_(Open(compilation)) {
  LookForGreenlets();
}

CompilationScope::~CompilationScope() {
  std::vector<OpenScope>& scopes = OpenScopes();
  const auto own = std::find_if(scopes.rbegin(), scopes.rend(),
                                [&](const OpenScope& scope) { return scope.id == id_; });
  if (own != scopes.rend()) scopes.erase(std::next(own).base());
  t_innermost = scopes.empty() ? nullptr : scopes.back().compilation;
}

Compilation* NoCapture() {
  static Compilation& none = *[] {
    FunctionOptions options;
    options.disabled = true;
    // Never destroyed: threads may outlive main().
    return new Compilation(std::move(options), /*owner=*/nullptr);
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
