#include "frontend/capture/frame_policy.h"

#include <algorithm>

#include "frontend/cache/tracing_time.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/name_lookup.h"

namespace dynacc::capture {
namespace {

constexpr size_t kLargestElement = 16;  // bytes: a complex128

// Bytes that are worth a loop program: CPython takes longer to go through them than a translation.
constexpr Py_ssize_t kManyBytes = 4096;

// Calls without an array in sight after which a code object is not looked at any more.
constexpr uint32_t kCallsToJudge = 64;

bool IsOfArrays(BorrowedRef object, const arrays::ArrayNamespace& arrays) {
  return object != nullptr &&
         (arrays.IsArray(object) || arrays.KnowsCallable(object) || arrays.OwnsModule(object));
}

bool ArgumentsNearArrays(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays) {
  PyCodeObject* code = frame.code();
  const int count = code->co_argcount + code->co_kwonlyargcount;
  for (int i = 0; i < count; ++i) {
    if (IsNearArrays(frame.localsplus()[i], arrays)) return true;
  }
  return false;
}

// A loop over bytes is one over elements, though no array is near.
bool GoesThroughBytes(const frame::FrameView& frame, cache::CodeRecord& record) {
  PyCodeObject* code = frame.code();
  const int count = code->co_argcount + code->co_kwonlyargcount;
  const auto is_long = [](BorrowedRef object) { return AreManyBytes(object); };
  return std::any_of(frame.localsplus(), frame.localsplus() + count, is_long) &&
         cache::DecodedOf(code, record)->HasLoop();
}

// Whether a name that the code uses is, on its first argument, an attribute that holds an array:
// methods that work on self.
bool AttributesNearArrays(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays) {
  PyCodeObject* code = frame.code();
  BorrowedRef self = code->co_argcount > 0 ? BorrowedRef(frame.localsplus()[0]) : nullptr;
  if (self == nullptr) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    LookupCell cell;
    BorrowedRef value = LookupInInstance(self, PyTuple_GET_ITEM(code->co_names, i), cell);
    if (value != Unreadable() && IsOfArrays(value, arrays)) return true;
  }
  return false;
}

bool NamesNearArrays(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays) {
  PyObject* names = frame.code()->co_names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    if (IsOfArrays(DictGetStr(frame.globals(), PyTuple_GET_ITEM(names, i)), arrays)) return true;
  }
  return false;
}

// A loop over numbers beside array code is part of what the program computes.
bool LoopsBesideArrays(const frame::FrameView& frame, cache::CodeRecord& record,
                       const arrays::ArrayNamespace& arrays) {
  return HasArrayLibrary(frame.globals(), arrays) &&
         cache::DecodedOf(frame.code(), record)->HasLoop();
}

// The array library's own Python code is called, not captured.
bool BelongsToArrayLibrary(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays) {
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  BorrowedRef name = DictGetStr(frame.globals(), key);
  return name != nullptr && PyUnicode_Check(name) && arrays.OwnsModuleName(name);
}

// Whether code without loops has run for long enough, and there is time for traces of it. One that
// has segments is not held up: most of its traces are made.
bool IsWarm(const cache::CodeRecord& record, const cache::SegmentSet& set) {
  if (record.calls < 2 || !set.profile.warm_up.IsOver()) return false;
  return cache::WarmUp::IsWaived() || !set.all().empty() || cache::TheTraceBudget().Allows();
}

}  // namespace

bool HasArrayLibrary(BorrowedRef globals, const arrays::ArrayNamespace& arrays) {
  Py_ssize_t position = 0;
  PyObject *name, *value;
  while (PyDict_Next(globals, &position, &name, &value)) {
    if (PyModule_CheckExact(value) && arrays.OwnsModule(value)) return true;
  }
  return false;
}

bool AreManyBytes(BorrowedRef object) {
  if (object == nullptr) return false;
  if (PyBytes_CheckExact(object)) return PyBytes_GET_SIZE(object) >= kManyBytes;
  return PyByteArray_CheckExact(object) && PyByteArray_GET_SIZE(object) >= kManyBytes;
}

// The usual containers of arrays count, one level deep.
bool IsNearArrays(BorrowedRef object, const arrays::ArrayNamespace& arrays) {
  if (object == nullptr) return false;
  if (PyTuple_CheckExact(object) && PyTuple_GET_SIZE(object) > 0) {
    return IsOfArrays(PyTuple_GET_ITEM(object, 0), arrays);
  }
  if (PyList_CheckExact(object) && PyList_GET_SIZE(object) > 0) {
    return IsOfArrays(PyList_GET_ITEM(object, 0), arrays);
  }
  return IsOfArrays(object, arrays);
}

int64_t LargestArgument(const frame::FrameView& frame, const arrays::ArrayNamespace& arrays) {
  PyCodeObject* code = frame.code();
  int64_t largest = 0;
  for (int i = 0; i < code->co_argcount + code->co_kwonlyargcount; ++i) {
    BorrowedRef object = frame.localsplus()[i];
    if (object == nullptr || !arrays.IsArray(object)) continue;
    StridedView view;
    alignas(16) char scalar[kLargestElement];
    arrays.Read(object, &view, scalar);
    largest = std::max(largest, view.size());
  }
  return largest;
}

bool HasGrown(const frame::FrameView& frame, const cache::SegmentSet& set,
              const arrays::ArrayNamespace& arrays) {
  constexpr int64_t kGrowth = 8;
  const int64_t before = std::max<int64_t>(set.profile.unprofitable_elements, 512);
  return LargestArgument(frame, arrays) >= kGrowth * before;
}

FrameDecision DecideFrame(Policy policy, const frame::FrameView& frame, cache::CodeRecord& record,
                          cache::SegmentSet& set, const arrays::ArrayNamespace& arrays) {
  FrameDecision decision;
  const auto at_once = [&decision] {
    decision.capture = true;
    decision.run.at_once = true;
    decision.run.any_size = true;
    return decision;
  };
  if (set.named || policy == Policy::kAlways) return at_once();
  const bool in_compilation = set.compilation() != nullptr;
  if ((policy == Policy::kExplicit && !in_compilation) || set.profile.unprofitable) return decision;
  if (set.near_arrays == cache::SegmentSet::Nearness::kUnknown) {
    if (BelongsToArrayLibrary(frame, arrays)) {
      // With what it calls: a library function makes many small calls of its own.
      record.mode = cache::FrameMode::kPlain;
      set.profile.unprofitable = true;
      return decision;
    }
    const bool is_near = NamesNearArrays(frame, arrays) || LoopsBesideArrays(frame, record, arrays);
    set.near_arrays =
        is_near ? cache::SegmentSet::Nearness::kNear : cache::SegmentSet::Nearness::kFar;
  }
  if (set.near_arrays == cache::SegmentSet::Nearness::kFar) {
    if (ArgumentsNearArrays(frame, arrays) || AttributesNearArrays(frame, arrays) ||
        GoesThroughBytes(frame, record)) {
      set.near_arrays = cache::SegmentSet::Nearness::kNear;
    } else {
      set.profile.unprofitable = record.calls > kCallsToJudge;
      return decision;
    }
  }
  // What a clock decides must not change the program's results.
  if (in_compilation && set.options().MayChangeResults()) return at_once();
  decision.run.at_once = cache::WarmUp::IsWaived();
  if (!cache::DecodedOf(frame.code(), record)->HasLoop() && !IsWarm(record, set)) {
    decision.warms_up = true;
    return decision;
  }
  decision.capture = true;
  decision.run.visits_before_trace = record.calls < 2 ? 2 : 1;
  decision.run.may_give_up = true;
  return decision;
}

}  // namespace dynacc::capture
