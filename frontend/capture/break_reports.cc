#include "frontend/capture/break_reports.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "frontend/frame/break_hints.h"
#include "frontend/frame/source_line.h"
#include "frontend/tracer/break_places.h"
#include "nlohmann/json.hpp"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/trace_file.h"

namespace dynacc::capture {
namespace {

// Under a line of a message.
constexpr absl::string_view kIndent = "    ";

std::string LineOf(const frame::CodePlace& place) {
  return absl::StrCat(place.file, ":", place.line);
}

Json CallRows(absl::Span<const frame::CodePlace> places) {
  Json rows = Json::array();
  for (const frame::CodePlace& place : places) {
    rows.push_back({{"file", place.file}, {"function", place.function}, {"line", place.line}});
  }
  return rows;
}

void TraceBreak(const cache::BreakNote& note) {
  const frame::CodePlace& place = note.places[0];
  TraceMoment("break", LineOf(place),
              {{"reason", note.reason},
               {"hint", std::string(frame::BreakHint(note.reason))},
               {"source", frame::SourceLine(place.file, place.line)},
               {"places", CallRows(note.places)}});
}

void LogBreak(const cache::BreakNote& note) {
  Log(LogTopic::kBreaks, absl::StrCat(LineOf(note.places[0]), ": graph break: ", note.reason,
                                      frame::DescribePlaces(note.places, kIndent), "\n", kIndent,
                                      "hint: ", std::string(frame::BreakHint(note.reason))));
}

// Owned, and never given back: it may be of an interpreter that has ended.
PyObject* graph_break_type = nullptr;

// Null with an exception set. A file's name may be no UTF-8.
Ref Text(const std::string& text) {
  return Ref::Steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

void NoteBreak(cache::SegmentSet& set, const tracer::SegmentEnd& end) {
  if (end.reason.empty() || end.is_loop_step) return;
  CountBreak(end.reason);
  cache::BreakNote note{end.reason, end.places};
  if (Tracing()) TraceBreak(note);
  if (absl::c_linear_search(set.breaks, note)) return;
  if (LogEnabled(LogTopic::kBreaks)) LogBreak(note);
  set.breaks.push_back(std::move(note));
}

std::string DescribeEnd(const bytecode::DecodedCode& code, const tracer::SegmentEnd& end) {
  const std::string reason =
      end.reason.empty() ? "a loop of too many rounds to be unrolled" : end.reason;
  std::vector<frame::CodePlace> places = end.places;
  if (places.empty()) places.push_back(tracer::PlaceAt(code, end.offset));
  return absl::StrCat(LineOf(places[0]), ": ", reason,
                      " (hint: ", std::string(frame::BreakHint(reason)), ")",
                      frame::DescribePlaces(places, kIndent));
}

void SetGraphBreakType(BorrowedRef type) { graph_break_type = Py_NewRef(type); }

void RaiseFullgraph(const bytecode::DecodedCode& code, const tracer::SegmentEnd& end) {
  const std::string description = DescribeEnd(code, end);
  const std::string text =
      absl::StrCat("dynacc.compile(fullgraph=True): graph break at ", description,
                   "\nWithout fullgraph=True the code around it runs compiled.");
  const Ref words = Text(description), message = Text(text);
  PyObject* const type = graph_break_type == nullptr ? PyExc_RuntimeError : graph_break_type;
  const Ref error =
      Ref::Steal(words && message ? PyObject_CallOneArg(type, message.get()) : nullptr);
  if (!error || PyObject_SetAttrString(error.get(), "description", words.get()) < 0) return;
  PyErr_SetObject(type, error.get());
}

}  // namespace dynacc::capture
