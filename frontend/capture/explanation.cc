#include "frontend/capture/explanation.h"

#include <vector>

#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "codegen/compile/graph_report.h"
#include "codegen/ir/graph_text.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/ref.h"
#include "frontend/frame/break_hints.h"
#include "frontend/loops/loop_versions.h"
#include "nlohmann/json.hpp"

namespace dynacc::capture {
namespace {

constexpr int kUnit = sizeof(uint16_t);  // bytes of a code unit

Json LinesOf(absl::string_view text) {
  Json lines = Json::array();
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    lines.push_back(std::string(line));
  }
  return lines;
}

Json GroupRows(const compile::GraphReport& report) {
  Json rows = Json::array();
  for (const compile::GraphReport::Group& group : report.groups) {
    rows.push_back({{"kind", group.kind}, {"nodes", group.nodes}});
  }
  return rows;
}

// Visits since the entry was made in which it did not run.
uint64_t MissesOf(const cache::Segment& segment, const cache::Entry& entry) {
  const uint64_t visits = segment.visits - entry.statistics.visits_before;
  return visits > entry.statistics.hits ? visits - entry.statistics.hits : 0;
}

Json CoveredRanges(const cache::Entry& entry, const bytecode::DecodedCode& code) {
  Json ranges = Json::array();
  for (size_t i = 0; i < entry.account.covered.size(); ++i) {
    if (!entry.account.covered[i]) continue;
    const bytecode::Instruction& at = code.instructions()[i];
    if (!ranges.empty() && ranges.back()[1] == at.start * kUnit) {
      ranges.back()[1] = at.next * kUnit;
    } else {
      ranges.push_back({at.start * kUnit, at.next * kUnit});
    }
  }
  return ranges;
}

Json EndOf(const tracer::SegmentEnd& end, const bytecode::DecodedCode& code) {
  if (end.returned) return Json::object({{"kind", "return"}});
  const bool goes_on = end.reason.empty() || end.is_loop_step;
  return {{"kind", goes_on ? "loop" : "break"},
          {"offset", code.At(end.offset).offset * kUnit},
          {"line", end.line},
          {"reason", end.reason}};
}

Json StepRows(const cache::Entry& entry) {
  Json rows = Json::array();
  if (entry.tier.compiled == nullptr) return rows;
  for (const executor::StepMeasure& step : entry.tier.compiled->Measures()) {
    rows.push_back({{"group", step.group},
                    {"runs", step.runs},
                    {"nanoseconds", step.nanoseconds},
                    {"bytes_read", step.bytes_read},
                    {"bytes_written", step.bytes_written},
                    {"arithmetic", step.work.arithmetic},
                    {"functions", step.work.functions}});
  }
  return rows;
}

Json ExplainEntry(const cache::Segment& segment, int index, const bytecode::DecodedCode& code) {
  const cache::Entry& entry = *segment.entries[index];
  const cache::EntryStatistics& statistics = entry.statistics;
  const absl::StatusOr<compile::GraphReport> report =
      compile::ReportGraph(*entry.graph, entry.tier.left_out);
  Json row = {{"graph", ir::PrintGraph(*entry.graph)},
              {"optimized", report.ok() ? report->optimized : ""},
              {"groups", GroupRows(report.ok() ? *report : compile::GraphReport())},
              {"guards", LinesOf(segment.guards.Describe(index))},
              {"kernels", entry.tier.compiled == nullptr ? "" : entry.tier.compiled->Describe()},
              {"hits", statistics.hits},
              {"misses", MissesOf(segment, entry)},
              {"operations", entry.num_operations},
              {"is_final", entry.tier.is_final},
              {"covered", CoveredRanges(entry, code)},
              {"end", EndOf(entry.end, code)},
              {"saving", nullptr},
              {"runs", entry.account.runs},
              {"nanoseconds", entry.account.nanoseconds},
              {"steps", StepRows(entry)}};
  if (statistics.trial.measured()) row["saving"] = statistics.trial.Saving(entry.num_operations);
  return row;
}

Json ExplainSegment(const cache::Segment& segment, const bytecode::DecodedCode& code) {
  Json entries = Json::array();
  for (size_t i = 0; i < segment.entries.size(); ++i) {
    entries.push_back(ExplainEntry(segment, static_cast<int>(i), code));
  }
  return {{"start_line", code.At(segment.offset).line},
          {"start_offset", segment.offset * kUnit},
          {"visits", segment.visits},
          {"entries", std::move(entries)}};
}

Json PlaceRow(const frame::CodePlace& place) {
  return {{"file", place.file}, {"line", place.line}, {"function", place.function}};
}

Json ExplainBreak(const cache::BreakNote& note) {
  Json row = PlaceRow(note.places[0]);
  row["callers"] = Json::array();
  for (const frame::CodePlace& place : absl::MakeSpan(note.places).subspan(1)) {
    row["callers"].push_back(PlaceRow(place));
  }
  row["reason"] = note.reason;
  row["hint"] = std::string(frame::BreakHint(note.reason));
  return row;
}

Json LoopRows(const cache::SegmentSet& set, const bytecode::DecodedCode& code) {
  Json rows = Json::array();
  if (set.loop_versions == nullptr) return rows;
  for (const loops::LoopVersionRecord& loop : set.loop_versions->records()) {
    if (loop.visits == 0) continue;
    rows.push_back({{"line", code.At(loop.loop.header).line},
                    {"visits", loop.visits},
                    {"translated", !loop.given_up && !loop.versions.empty()}});
  }
  return rows;
}

}  // namespace

Json ExplainCode(PyCodeObject* code, const cache::CodeRecord& record, cache::SegmentSet& set) {
  const cache::RunningScope running(set);  // finalisers that run meanwhile drop none of them
  Json row = {{"name", StrText(code->co_qualname)},
              {"file", StrText(code->co_filename)},
              {"line", code->co_firstlineno},
              {"compiled", set.compilation() != nullptr},
              {"left_alone", set.profile.unprofitable},
              {"segments", Json::array()},
              {"breaks", Json::array()},
              {"recompiles", Json::array()},
              {"loops", LoopRows(set, *record.decoded)}};
  for (const std::unique_ptr<cache::Segment>& segment : set.all()) {
    row["segments"].push_back(ExplainSegment(*segment, *record.decoded));
  }
  for (const cache::BreakNote& note : set.breaks) row["breaks"].push_back(ExplainBreak(note));
  for (const cache::RecompileNote& note : set.recompiles) {
    row["recompiles"].push_back({{"line", note.line}, {"reason", note.reason}});
  }
  return row;
}

PyObject* ObjectOfJson(const Json& json) {
  const std::string text = JsonText(json);
  const Ref object =
      Ref::Steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  const Ref module = Ref::Steal(object ? PyImport_ImportModule("json") : nullptr);
  if (!module) return nullptr;
  return PyObject_CallMethod(module.get(), "loads", "O", object.get());
}

}  // namespace dynacc::capture
