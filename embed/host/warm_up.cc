// Runtime::WarmUp of dynacc/runtime.h.
#include <Python.h>

#include <algorithm>
#include <string>
#include <utility>

#include "embed/host/object_handle.h"
#include "embed/host/python_scope.h"
#include "embed/include/dynacc/runtime.h"
#include "embed/module/compiled_function.h"
#include "frontend/cache/code_record.h"
#include "frontend/cache/segment.h"
#include "runtime/base/clock.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Where no whole call is served: nothing was compiled in so many calls, and for that time. Code of
// the policy `hot` is traced when it has run for a millisecond, or when the budget allows.
constexpr int kQuietCalls = 100;
constexpr int64_t kQuietNanoseconds = 20'000'000;

// The warm-ups under way, of several threads perhaps, and the option before the first of them.
// Under the GIL.
struct WarmUps {
  int count = 0;
  std::string tier_up;
};

WarmUps& TheWarmUps() {
  static auto& warm_ups = *new WarmUps;
  return warm_ups;
}

// What is compiled from here on is compiled by the final target at once.
class AtOnce {
 public:
  AtOnce() {
    const GilScope gil;
    WarmUps& all = TheWarmUps();
    if (all.count++ == 0) all.tier_up = Exchange("0");
  }
  ~AtOnce() {
    const GilScope gil;
    WarmUps& all = TheWarmUps();
    if (--all.count == 0) Exchange(all.tier_up);
  }
  AtOnce(const AtOnce&) = delete;
  AtOnce& operator=(const AtOnce&) = delete;

 private:
  // What it was before.
  static std::string Exchange(std::string tier_up) {
    Options options = ProcessOptions();
    std::swap(options.tier_up, tier_up);
    ReplaceProcessOptions(options);
    return tier_up;
  }
};

uint64_t CompiledSoFar() {
  const auto stats = Runtime::Stats();
  return stats.at("segments_compiled") + stats.at("kernels_compiled");
}

// Whether some entry of the function waits for its final kernels. Needs the GIL.
bool IsBeingCompiled(BorrowedRef callable) {
  const CompiledCallable compiled = FunctionBehind(callable);
  if (compiled.function != nullptr) callable = compiled.function;
  if (PyMethod_Check(callable)) callable = PyMethod_GET_FUNCTION(callable);
  if (!PyFunction_Check(callable)) return false;
  cache::CodeRecord* record =
      cache::FindCodeRecord(reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(callable)));
  const auto* set = record == nullptr
                        ? nullptr
                        : static_cast<const cache::SegmentSet*>(record->Find(compiled.compilation));
  if (set == nullptr) return false;
  const auto waits = [](const auto& entry) {
    return !entry->tier.is_final && entry->tier.next != nullptr;
  };
  return std::any_of(set->all().begin(), set->all().end(), [&](const auto& segment) {
    return std::any_of(segment->entries.begin(), segment->entries.end(), waits);
  });
}

absl::Status WarmUpFor(const Function& function, const List& arguments,
                       const CallOptions& options) {
  uint64_t compiled = CompiledSoFar();
  int64_t quiet_since = NowNanoseconds();
  for (int quiet_calls = 0;; ++quiet_calls) {
    const uint64_t direct = function.Counters().direct;
    DYNACC_RETURN_IF_ERROR(function.Call(arguments, options).status());
    if (function.Counters().direct > direct) return absl::OkStatus();
    const uint64_t now_compiled = CompiledSoFar();
    const bool changed = now_compiled != compiled;
    compiled = now_compiled;
    if (changed) {
      quiet_calls = 0;
      quiet_since = NowNanoseconds();
    }
    if (quiet_calls < kQuietCalls || NowNanoseconds() - quiet_since < kQuietNanoseconds) continue;
    const GilScope gil;
    if (!IsBeingCompiled(ObjectAccess::Get(function))) return absl::OkStatus();
  }
}

}  // namespace

absl::Status Runtime::WarmUp(const Function& function, absl::Span<const List> examples,
                             const CallOptions& options) {
  const GateScope gate;
  DYNACC_RETURN_IF_ERROR(gate.status());
  const AtOnce at_once;
  for (const List& arguments : examples) {
    DYNACC_RETURN_IF_ERROR(WarmUpFor(function, arguments, options));
  }
  return absl::OkStatus();
}

}  // namespace dynacc
