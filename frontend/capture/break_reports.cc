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

void RaiseFullgraph(const bytecode::DecodedCode& code, const tracer::SegmentEnd& end) {
  const std::string text =
      absl::StrCat("dynacc.compile(fullgraph=True): graph break at ", DescribeEnd(code, end),
                   "\nWithout fullgraph=True the code around it runs compiled.");
  PyErr_SetString(PyExc_RuntimeError, text.c_str());
}

}  // namespace dynacc::capture
