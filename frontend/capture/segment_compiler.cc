#include "frontend/capture/segment_compiler.h"

#include <algorithm>
#include <new>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "codegen/compile/autotune.h"
#include "codegen/compile/compile_queue.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "codegen/ir/input_dependence.h"
#include "frontend/cache/compilation.h"
#include "frontend/cache/entry_inputs.h"
#include "frontend/cache/hot_tuning.h"
#include "frontend/capture/branch_profile.h"
#include "frontend/capture/break_reports.h"
#include "frontend/capture/eval_hook.h"
#include "frontend/capture/python_backend.h"
#include "frontend/capture/report.h"
#include "frontend/capture/stance.h"
#include "frontend/cpython/describe.h"
#include "frontend/frame/source_line.h"
#include "frontend/guards/array_checks.h"
#include "frontend/loops/loop_versions.h"
#include "frontend/tracer/handlers/handlers.h"
#include "nlohmann/json.hpp"
#include "runtime/base/log.h"
#include "runtime/base/memory_reserve.h"
#include "runtime/base/options.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"

namespace dynacc::capture {
namespace {

// An entry with fewer array operations than this, and small arrays, costs more than it saves.
constexpr int kMinOperations = 2;
constexpr size_t kUsualEntriesPerSegment = 16;
constexpr uint32_t kMaxFailures = 3;

// Multiplications of a matrix product that is worth an entry by itself: where the array library's
// own is slow, ours takes a fraction of its time (runtime/cpu/matmul), and where not, such a
// product takes long enough for an entry to cost nothing beside it.
constexpr int64_t kLargeProduct = 32 * 32 * 32;

// Sizes that are not known yet count as 1.
bool IsLargeProduct(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kMatmul) return false;
  const ir::Node& left = *node.operands[0];
  int64_t multiplications = 1, size;
  const auto count = [&](ScalarId id) {
    const bool counts = graph.scalars().IsIntConst(id, &size) && multiplications < kLargeProduct;
    if (counts) multiplications *= size;
  };
  for (const ScalarId id : node.shape) count(id);
  count(left.shape[left.rank() - 1]);
  return multiplications >= kLargeProduct;
}

// Of a branch or loop those of its largest part.
int CountOperations(const ir::Graph& graph) {
  int count = 0;
  for (const ir::Node* node : graph.nodes()) {
    int inside = 0;
    for (const ir::Graph* part : node->attrs.subgraphs)
      inside = std::max(inside, CountOperations(*part));
    count += inside;
    if (node->op == Op::kResult) continue;
    const OpCategory category = Info(node->op).category;
    // Storing single items is no work for kernels.
    const bool stores_array = node->op == Op::kStore && node->operands[1]->rank() > 0;
    const bool moves = node->op == Op::kRoll || node->op == Op::kConcat;
    if (IsLargeProduct(graph, *node)) count += kMinOperations - 1;
    count += category != OpCategory::kLeaf && (category != OpCategory::kStructural ||
                                               node->op == Op::kWhere || stores_array || moves);
  }
  return count;
}

// Whether `is_one` of some node, those of branches and loops included.
bool HasNode(const ir::Graph& graph, absl::FunctionRef<bool(const ir::Node&)> is_one) {
  return absl::c_any_of(graph.nodes(), [&](const ir::Node* node) {
    return is_one(*node) || absl::c_any_of(node->attrs.subgraphs, [&](const ir::Graph* part) {
             return HasNode(*part, is_one);
           });
  });
}

bool SumsFloats(const ir::Graph& graph) {
  return HasNode(graph, [](const ir::Node& node) {
    return Info(node.op).category == OpCategory::kReduction && IsInexact(node.dtype);
  });
}

bool CallsLibraryCalls(const ir::Graph& graph) {
  return HasNode(graph, [](const ir::Node& node) { return ir::MakesCall(node); });
}

std::string FileName(PyCodeObject* code) { return StrText(code->co_filename); }

// Under a line of a log; "" for nothing.
std::string Indented(absl::string_view line) {
  return line.empty() ? "" : absl::StrCat("\n    ", line);
}

// Calls what the user wants to be told by; false with an exception set.
bool Tell(const Ref& callback, PyCodeObject* code, int line, const std::string& reason) {
  if (!callback) return true;
  const Ref held = callback;
  const Ref text = Ref::Steal(
      PyUnicode_DecodeUTF8(reason.data(), static_cast<Py_ssize_t>(reason.size()), "replace"));
  return text && Ref::Steal(PyObject_CallFunction(
                     held.get(), "OiO", reinterpret_cast<PyObject*>(code), line, text.get()));
}

// What follows from where the trace of the segment at `offset` ended; false with an exception set.
bool AcceptEnd(const bytecode::DecodedCode& code, cache::SegmentSet& set, int offset,
               const tracer::SegmentEnd& end) {
  NoteBreak(set, end);
  const cache::FunctionOptions& options = set.options();
  const bool is_break = !end.reason.empty() && !end.is_loop_step;
  if (is_break && set.compilation() != nullptr) ++set.compilation()->counters.graph_breaks;
  if (is_break && !Tell(options.on_graph_break, code.code(), end.line, end.reason)) return false;
  // Where the function's own graph is too small to pay, segments behind its start and the frames
  // below are looked at by themselves.
  const bool is_whole = offset == code.instructions().front().start;
  if (options.fullgraph && set.named && is_whole && !end.returned) {
    RaiseFullgraph(code, end);
    return false;
  }
  if (end.execute) set.NoteEnd(end.offset);
  return true;
}

const std::string& FinalTarget(const cache::FunctionOptions& options) {
  return options.Setting("target", ProcessOptions().target);
}

// The entries that one segment may have.
size_t EntryLimit(const cache::FunctionOptions& options) {
  size_t limit = 0;
  const std::string& text = options.Setting("recompile_limit", ProcessOptions().recompile_limit);
  if (!absl::SimpleAtoi(text, &limit)) return kUsualEntriesPerSegment;
  return std::clamp(limit, size_t{1}, size_t{guards::kMaxEntries});
}

// When an entry that library loops run is compiled by the final target, in the background. Loops
// need no compiler and give the same bits, at up to some times the time.
struct TierUp {
  uint64_t hits = 0;         // entries run this often first; ignored unless DYNACC_TIER_UP says so
  bool when_it_pays = true;  // DYNACC_TIER_UP is not set
};

// Time in library loops after which a compile is likely to pay: about what it takes itself on
// another core, since what ran so long is taken to run as long again, some times faster then. With
// 4 ms for everything, programs of 0.1 s that ended before they gained spent up to twice their
// time.
int64_t WorthNanoseconds(const cache::Entry& entry) {
  constexpr int64_t kForAModule = 10'000'000;
  constexpr int64_t kForAKernel = 4'000'000;
  return kForAModule + kForAKernel * entry.tier.num_kernels;
}

TierUp TierUpOf(const cache::FunctionOptions& options) {
  TierUp rule;
  uint64_t hits = 0;
  rule.when_it_pays =
      !absl::SimpleAtoi(options.Setting("tier_up", ProcessOptions().tier_up), &hits);
  rule.hits = hits;
  return rule;
}

bool MayStartInBaseline(const cache::FunctionOptions& options) {
  const TierUp rule = TierUpOf(options);
  const targets::TargetTraits target = compile::TraitsOf(FinalTarget(options));
  const Options settings = options.Settings();
  return target.has_compiler && !target.has_device && !settings.fast_math && !settings.autotune &&
         !options.at_once && (rule.when_it_pays || rule.hits > 0);
}

// Where the arrays are that the trace takes and gives; FAILED_PRECONDITION if they are in several
// places: eager functions say what they think of that.
absl::StatusOr<executor::Placement> PlacementOf(const tracer::TraceResult& trace,
                                                const sources::SourceRoots& roots) {
  executor::Placement placement;
  for (size_t i = 0; i < trace.array_inputs.size(); ++i) {
    const BorrowedRef object = sources::ResolveSource(*trace.array_inputs[i], roots);
    const int device = object == nullptr ? 0 : guards::RegisteredArrayChecks().device_of(object);
    if (i == 0) placement.device = device;
    if (device != placement.device) return absl::FailedPreconditionError("arrays in two places");
  }
  if (placement.device == 0) return placement;
  // A size that values decide is known on the host first; such functions run there on copies.
  if (trace.graph->scalars().num_data_dependent() > 0) {
    return absl::FailedPreconditionError("sizes that values decide");
  }
  const std::vector<bool> depends = ir::DependOnInputs(*trace.graph);
  // Also the arrays of which tensors are views: no other array leaves such a segment. What is made
  // of numbers alone is where the program says, which the graph does not.
  for (size_t i = 0; i < trace.output_is_native.size(); ++i) {
    if (!depends[trace.graph->outputs()[i]->id]) {
      return absl::FailedPreconditionError("arrays in two places");
    }
  }
  placement.outputs.assign(trace.output_is_native.size(), true);
  return placement;
}

compile::CompileOptions OptionsOf(const cache::FunctionOptions& options, std::string label,
                                  executor::Placement placement) {
  compile::CompileOptions compile;
  const Options settings = options.Settings();
  compile.fast_math = settings.fast_math;
  compile.target = placement.device != 0 ? "cuda" : settings.target;
  compile.placement = std::move(placement);
  compile.cuda_graphs = settings.cuda_graphs;
  compile.form = compile::KernelForm::Of(settings);
  compile.disabled_passes = settings.disable_passes;
  compile.label = std::move(label);
  return compile;
}

absl::Status CompileBaseline(const ir::Graph& graph, const compile::CompileOptions& compile,
                             cache::Entry& entry) {
  DYNACC_ASSIGN_OR_RETURN(compile::BaselineGraph baseline,
                          compile::CompileBaseline(graph, compile));
  entry.tier.compiled = std::move(baseline.graph);
  entry.tier.is_final = baseline.is_final;
  entry.tier.num_kernels = baseline.num_kernels;
  return absl::OkStatus();
}

// The next compile of an entry for which memory was too short: after as many runs again.
void CompileLaterAgain(cache::Entry& entry) {
  constexpr uint64_t kFewestHits = 8;
  entry.tier.compile_after = std::max(kFewestHits, 2 * entry.statistics.hits);
  entry.tier.kernel_nanoseconds = 0;
}

// What runs the entry first, and whether it is the final target's.
absl::Status CompileFirstTier(const ir::Graph& graph, compile::CompileOptions compile,
                              bool baseline, cache::Entry& entry) {
  if (baseline) return CompileBaseline(graph, compile, entry);
  const targets::TargetTraits target = compile::TraitsOf(compile.target);
  compile.tries_again = target.has_compiler && !target.has_device;
  absl::StatusOr<std::shared_ptr<const executor::CompiledGraph>> compiled =
      compile::CompileGraph(graph, compile);
  if (compile.tries_again && absl::IsResourceExhausted(compiled.status())) {
    CompileLaterAgain(entry);
    return CompileBaseline(graph, compile, entry);
  }
  DYNACC_ASSIGN_OR_RETURN(entry.tier.compiled, std::move(compiled));
  entry.tier.is_final = true;
  return absl::OkStatus();
}

// A list of the arrays that the graph is about to run on; null with an exception set.
Ref ExamplesOf(const tracer::TraceResult& trace, const sources::SourceRoots& roots) {
  Ref list = Ref::Steal(PyList_New(0));
  for (const sources::Source* source : trace.array_inputs) {
    const BorrowedRef array = sources::ResolveSource(*source, roots);
    if (!list || PyList_Append(list.get(), array == nullptr ? Py_None : array) < 0) return {};
  }
  return list;
}

// The same by the program's own backend, or the process's, if it has something to say.
BackendAnswer AskBackend(const cache::FunctionOptions& options,
                         const compile::CompileOptions& compile, const tracer::TraceResult& trace,
                         const sources::SourceRoots& roots, const arrays::ArrayNamespace& arrays,
                         cache::Entry& entry) {
  const Ref backend = options.backend ? options.backend : Ref::New(ProcessBackend());
  if (!backend) return BackendAnswer::kNothing;
  const Ref examples = ExamplesOf(trace, roots);
  if (!examples) return BackendAnswer::kRaised;
  const BackendAnswer answer = CompileByBackend(backend.get(), *trace.graph, examples.get(),
                                                compile, arrays, entry.tier.compiled);
  entry.tier.is_final = entry.tier.compiled != nullptr;
  entry.calls_library |= entry.tier.is_final;  // perhaps Python's: with the GIL
  return answer;
}

// The values of a program that gives the same in every run; none if it does not.
std::vector<ScalarValue> ConstantValues(const ScalarProgram& program) {
  if (program.num_inputs() > 0 || program.num_data_dependent() > 0) return {};
  std::vector<ScalarValue> values(program.size());
  if (!program.Evaluate({}, absl::MakeSpan(values))) values.clear();
  return values;
}

// Slots, bindings and the guard tree's new entry from what the trace asks for.
void BindEntry(cache::Segment& segment, const tracer::TraceResult& trace, cache::Entry& entry) {
  std::vector<const sources::Source*> loads = trace.frame_state.loads;
  loads.insert(loads.end(), trace.array_inputs.begin(), trace.array_inputs.end());
  loads.insert(loads.end(), trace.object_inputs.begin(), trace.object_inputs.end());
  for (const symbolic::ScalarInput& input : trace.scalar_inputs) loads.push_back(input.source);
  for (const symbolic::IdentityPair& pair : trace.identities)
    loads.insert(loads.end(), {pair.a, pair.b});
  segment.guards.AddEntry(trace.guards, loads);
  for (const sources::Source* source : trace.array_inputs) {
    entry.array_slots.push_back(segment.guards.SlotOf(source));
  }
  for (const sources::Source* source : trace.object_inputs) {
    entry.object_slots.push_back(segment.guards.SlotOf(source));
  }
  for (const symbolic::ScalarInput& input : trace.scalar_inputs) {
    entry.scalar_bindings.push_back({input.from, segment.guards.SlotOf(input.source), input.axis});
  }
  entry.constant_scalars = ConstantValues(entry.graph->scalars());
  for (const symbolic::IdentityPair& pair : trace.identities) {
    entry.identities.push_back(
        {segment.guards.SlotOf(pair.a), segment.guards.SlotOf(pair.b), pair.same});
  }
  for (const ir::Node* target : entry.graph->targets()) {
    if (target != nullptr) entry.written.push_back(static_cast<int>(target->attrs.ints[0]));
  }
  for (frame_state::FrameStateStep& step : entry.frame_state.steps) {
    if (step.op == frame_state::FrameStateOp::kLoad)
      step.a = segment.guards.SlotOf(entry.frame_state.loads[step.a]);
  }
}

void LogEntry(PyCodeObject* code, const cache::Segment& segment, const cache::Entry& entry,
              int line) {
  const std::string label = frame::CodeLabel(code, line);
  if (LogEnabled(LogTopic::kGraph)) {
    Log(LogTopic::kGraph, absl::StrCat(label, "\n", ir::PrintGraph(*entry.graph)));
  }
  if (LogEnabled(LogTopic::kGuards)) {
    const int index = static_cast<int>(segment.entries.size()) - 1;
    Log(LogTopic::kGuards, absl::StrCat(label, "\n", segment.guards.Describe(index)));
  }
}

// False with an exception set: a callback raised it.
bool NoteRecompile(frame::FrameView& frame, PyCodeObject* code, cache::SegmentSet& set,
                   cache::Segment& segment, int line) {
  if (segment.entries.empty()) return true;
  const int last = static_cast<int>(segment.entries.size()) - 1;
  segment.MarkChanges(*segment.entries[last], frame.roots());
  Count(ThreadStats().recompiles);
  if (set.compilation() != nullptr) ++set.compilation()->counters.recompiles;
  cache::RecompileNote note{line, segment.guards.ExplainMiss(last, frame.roots())};
  for (const guards::Guard* guard : segment.guards.Misses(last, frame.roots()))
    ++segment.misses[guard->ToString()];
  if (LogEnabled(LogTopic::kRecompiles)) {
    Log(LogTopic::kRecompiles, absl::StrCat(frame::CodeLabel(code, line), ": ", note.reason,
                                            Indented(frame::SourceLine(FileName(code), line))));
  }
  if (Tracing()) {
    TraceMoment("recompile", frame::CodeLabel(code, line), {{"reason", note.reason}});
  }
  constexpr size_t kMostNotes = 32;  // of one function: more of them tell nothing new
  if (set.recompiles.size() < kMostNotes && !absl::c_linear_search(set.recompiles, note))
    set.recompiles.push_back(note);
  return Tell(set.options().on_recompile, code, line, note.reason);
}

// The guards that failed most often, at most three: "x is 3 (15 times)", one a line.
std::string MostFailed(const cache::Segment& segment) {
  std::vector<std::pair<std::string, int>> rows(segment.misses.begin(), segment.misses.end());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(rows.size(), 3); ++i)
    absl::StrAppend(&text, "\n    ", rows[i].first, " (failed ", rows[i].second,
                    rows[i].second == 1 ? " time)" : " times)");
  return text;
}

// Says that a limit is reached to whoever asked for a compilation; of other code the log tells.
// False with an exception set: warnings are errors.
bool WarnOfLimit(PyCodeObject* code, const cache::SegmentSet& set, const cache::Segment& segment,
                 int line) {
  if (set.compilation() == nullptr) return true;
  ++set.compilation()->counters.limits_reached;
  const std::string text = absl::StrCat(
      frame::CodeLabel(code, line), " has ", segment.entries.size(),
      " compiled variants, the limit: they stay in use, other values run as plain Python. The "
      "guards that failed most:",
      MostFailed(segment),
      "\nPass what varies as an array or a size, compile with dynamic=True, or raise the option "
      "recompile_limit (DYNACC_RECOMPILE_LIMIT).");
  return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "dynacc: %s", text.c_str()) == 0;
}

// A segment of as many entries as there may be. If some were made for what is gone, as in a program
// that loads its code anew, the next visit begins anew; else the entries stay in use. False with an
// exception set.
bool LeaveFullSegment(frame::FrameView& frame, PyCodeObject* code, cache::SegmentSet& set,
                      cache::Segment& segment, int line) {
  if (segment.guards.HasGone()) {
    set.Retire(segment);
    return true;
  }
  segment.exhausted = true;
  CountBreak("entry limit of a segment reached");
  const int last = static_cast<int>(segment.entries.size()) - 1;
  for (const guards::Guard* guard : segment.guards.Misses(last, frame.roots()))
    ++segment.misses[guard->ToString()];
  if (LogEnabled(LogTopic::kRecompiles)) {
    Log(LogTopic::kRecompiles,
        absl::StrCat(frame::CodeLabel(code, line), " has ", segment.entries.size(),
                     " entries; they stay in use, other values now run plainly"));
  }
  return WarnOfLimit(code, set, segment, line);
}

// Whether an entry saves more than it costs. `any_size`: the user asked for it.
bool WorthAnEntry(const tracer::TraceResult& trace, bool any_size) {
  const int operations = CountOperations(*trace.graph);
  return any_size ? operations >= 1 : operations >= kMinOperations;
}

// What the trace file says of a trace.
Json TraceSummary(const tracer::TraceResult& trace) {
  return {{"nodes", trace.graph->nodes().size()},
          {"instructions", trace.instructions},
          {"guards", trace.guards.size()},
          {"ends", trace.end.returned ? "return" : trace.end.reason}};
}

// The instructions that the trace covers: place in bytes, as the module dis has it, opcode,
// argument, jump target, line.
void LogBytecode(const bytecode::DecodedCode& code, const tracer::TraceResult& trace, int line) {
  std::string text = frame::CodeLabel(code.code(), line);
  for (size_t i = 0; i < trace.covered.size(); ++i) {
    if (!trace.covered[i]) continue;
    const bytecode::Instruction& at = code.instructions()[i];
    constexpr int kUnit = sizeof(uint16_t);
    absl::StrAppend(&text, "\n", absl::Dec(at.offset * kUnit, absl::kSpacePad6), " ",
                    bytecode::OpcodeName(at.opcode), " ", at.arg);
    if (at.target >= 0) absl::StrAppend(&text, " to ", at.target * kUnit);
    absl::StrAppend(&text, "  # line ", at.line);
  }
  Log(LogTopic::kBytecode, text);
}

// The headers of the loops that have programs.
std::vector<int> ElementLoops(const cache::SegmentSet& set) {
  std::vector<int> headers;
  if (set.loop_versions == nullptr) return headers;
  for (const loops::LoopVersionRecord& record : set.loop_versions->records()) {
    if (!record.versions.empty() && !record.given_up) headers.push_back(record.loop.header);
  }
  return headers;
}

// The segment, traced in this frame from its first instruction on.
absl::StatusOr<tracer::TraceResult> Trace(const frame::FrameView& frame,
                                          std::shared_ptr<const bytecode::DecodedCode> decoded,
                                          const cache::SegmentSet& set,
                                          arrays::ArrayNamespace& arrays, cache::Segment& segment,
                                          const cache::FunctionOptions& options, int line) {
  const tracer::TraceRoot root{
      .code = std::move(decoded),
      .offset = segment.offset,
      .stack_depth = segment.stack_depth,
      .roots = frame.roots(),
      .inlines_compiled = options.fullgraph && set.named,
      .wants_both_sides = [&options](const bytecode::DecodedCode& code,
                                     int jump) { return WantsBothSides(options, code, jump); },
      .element_loops = ElementLoops(set)};
  segment.traced = &root.roots;
  const absl::Cleanup untraced = [&segment] { segment.traced = nullptr; };
  TraceSpan span("trace");
  if (span) span.Begin(frame::CodeLabel(root.code->code(), line));
  absl::StatusOr<tracer::TraceResult> trace =
      tracer::TraceSegment(tracer::kOpcodeHandlers, root, arrays, segment.sources, segment);
  if (span && trace.ok()) span.SetArguments(TraceSummary(*trace));
  if (trace.ok() && LogEnabled(LogTopic::kBytecode)) LogBytecode(*root.code, *trace, line);
  return trace;
}

void ReportInternal(PyCodeObject* code, int line, const absl::Status& status) {
  WarnOnce(absl::StrCat("internal:", frame::CodeLabel(code, line)),
           absl::StrCat(frame::CodeLabel(code, line),
                        " runs without DynaCC because of an internal error: ", status.message(),
                        ". Please report it with the program."));
}

// Sources of traces that gave no entry are forgotten: some keep a class of the program alive.
class SourcesScope {
 public:
  explicit SourcesScope(cache::Segment& segment) : segment_(segment) { ++segment_.tracing; }
  ~SourcesScope() {
    if (--segment_.tracing == 0 && segment_.entries.empty())
      segment_.sources = sources::SourceTable();
  }
  SourcesScope(const SourcesScope&) = delete;
  SourcesScope& operator=(const SourcesScope&) = delete;

 private:
  cache::Segment& segment_;
};

// An entry of which only is said what the graph is like.
std::unique_ptr<cache::Entry> StartEntry(const ir::Graph& graph,
                                         const cache::FunctionOptions& options, bool on_device) {
  auto entry = std::make_unique<cache::Entry>();
  entry->num_operations = CountOperations(graph);
  entry->needs_usual_buffers = SumsFloats(graph);
  entry->calls_library = CallsLibraryCalls(graph);
  const Options settings = options.Settings();
  entry->reuses_results = settings.reuse_results;
  entry->most_threads = NumberOf(settings.threads);
  entry->on_device = on_device;
  return entry;
}

// Makes the compiled entry one of the segment's.
void Publish(PyCodeObject* code, cache::SegmentSet& set, cache::Segment& segment,
             tracer::TraceResult& trace, std::unique_ptr<cache::Entry> entry, int line) {
  entry->statistics.visits_before = segment.visits - 1;  // this visit is for the entry
  entry->graph = std::move(trace.graph);
  entry->conditions = std::move(trace.conditions);
  entry->output_is_scalar = std::move(trace.output_is_scalar);
  entry->reports_errors = trace.reports_errors;
  entry->knows_error_state = trace.knows_error_state;
  entry->output_is_native = std::move(trace.output_is_native);
  entry->frame_state = trace.frame_state;
  entry->end = trace.end;
  entry->branches = std::move(trace.branches);
  entry->instructions = trace.instructions;
  entry->account.covered = std::move(trace.covered);
  entry->guards = trace.guards;
  segment.entries.reserve(segment.entries.size() + 1);  // the guards name the entry by its place
  BindEntry(segment, trace, *entry);
  segment.entries.push_back(std::move(entry));
  segment.NoteUse();
  set.NoteStart(segment.offset);
  Count(ThreadStats().segments_compiled);
  if (set.compilation() != nullptr) ++set.compilation()->counters.entries;
  LogEntry(code, segment, *segment.entries.back(), line);
}

// The default policy's entries are tuned in the background if the process asks for that, but for
// those whose bits might follow from what is chosen, and so from the clock.
void TuneWhenHot(const compile::CompileOptions& compile, cache::Entry& entry) {
  int64_t milliseconds = 0;
  if (compile.fast_math) return;
  if (!absl::SimpleAtoi(ProcessOptions().autotune_after, &milliseconds)) return;
  constexpr int64_t kMostMilliseconds = 1'000'000'000;
  entry.tier.hot = std::make_shared<cache::HotTuning>(
      compile, std::min(milliseconds, kMostMilliseconds) * 1'000'000);
}

// What runs the entry that was made last is what is fastest on the values at hand.
void TuneLastEntry(cache::Segment& segment, const compile::CompileOptions& compile,
                   const sources::SourceRoots& roots, const arrays::ArrayNamespace& arrays) {
  cache::Entry& made = *segment.entries.back();
  segment.VisitMatching(roots, [&](cache::Entry& entry, absl::Span<BorrowedRef> slots) {
    if (&entry != &made) return false;
    cache::EntryInputs inputs;
    if (!cache::EvaluateEntry(entry, slots, arrays, inputs) ||
        !cache::ReadArrays(entry, slots, arrays, inputs)) {
      return true;
    }
    const compile::CompileOptions chosen =
        compile::Autotune(*entry.graph, compile, {inputs.views.data(), inputs.views.size()},
                          {inputs.scalars.data(), inputs.scalars.size()});
    auto tuned = compile::CompileGraph(*entry.graph, chosen);
    if (!tuned.ok()) return true;
    entry.tier.compiled = *std::move(tuned);
    entry.tier.left_out = chosen.LeftOut();
    return true;
  });
}

}  // namespace

// No entry fits, and none may be made.
CompileOutcome KeepToStance(frame::FrameView& frame, PyCodeObject* code,
                            const cache::SegmentSet& set, const cache::Segment& segment, int line) {
  if (CurrentStance() != Stance::kFailOnRecompile || set.compilation() == nullptr)
    return CompileOutcome::kNothing;
  const int last = static_cast<int>(segment.entries.size()) - 1;
  PyErr_Format(PyExc_RuntimeError,
               "dynacc.set_stance(\"fail_on_recompile\"): %s would be compiled again: %s",
               frame::CodeLabel(code, line).c_str(),
               segment.guards.ExplainMiss(last, frame.roots()).c_str());
  return CompileOutcome::kRaised;
}

// Guards whose loss makes an entry run where its results are others, but never where it reads what
// is not there.
bool MayBeLeftOut(const guards::Guard& guard) {
  switch (guard.kind) {
    case guards::GuardKind::kIntEquals:
    case guards::GuardKind::kFloatEquals:
    case guards::GuardKind::kStrEquals:
    case guards::GuardKind::kConstantEquals:
      return true;
    case guards::GuardKind::kIdentity: {
      const BorrowedRef object = guard.object.get();
      return object != nullptr && (PyFunction_Check(object) || PyModule_Check(object) ||
                                   object == Py_None || PyBool_Check(object));
    }
    default:
      return false;
  }
}

// Asks the user's guard_filter, of those that may be left out; in their place the value need only
// be there. False with an exception set.
bool FilterGuards(const Ref& filter, std::vector<guards::Guard>& guards) {
  if (!filter) return true;
  std::vector<guards::Guard*> asked;
  const Ref texts = Ref::Steal(PyList_New(0));
  for (guards::Guard& guard : guards) {
    if (!MayBeLeftOut(guard)) continue;
    const std::string line = guard.ToString();
    const Ref text = Ref::Steal(
        PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "replace"));
    if (!texts || !text || PyList_Append(texts.get(), text.get()) < 0) return false;
    asked.push_back(&guard);
  }
  const Ref held = filter;
  const Ref answer = Ref::Steal(PyObject_CallOneArg(held.get(), texts.get()));
  const Ref kept = answer ? Ref::Steal(PySequence_Fast(answer.get(),
                                                       "dynacc.compile: guard_filter "
                                                       "gives a sequence of bools"))
                          : Ref();
  if (!kept) return false;
  if (PySequence_Fast_GET_SIZE(kept.get()) != static_cast<Py_ssize_t>(asked.size())) {
    PyErr_Format(PyExc_ValueError, "dynacc.compile: guard_filter gave %zd answers for %zu guards",
                 PySequence_Fast_GET_SIZE(kept.get()), asked.size());
    return false;
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const int keeps =
        PyObject_IsTrue(PySequence_Fast_GET_ITEM(kept.get(), static_cast<Py_ssize_t>(i)));
    if (keeps < 0) return false;
    if (keeps == 0) *asked[i] = guards::Guard{guards::GuardKind::kPresent, asked[i]->source, {}};
  }
  return true;
}

// A trace has no effect before its segment has run: without memory for it, it has never been.
CompileOutcome CompileSegment(frame::FrameView& frame,
                              std::shared_ptr<const bytecode::DecodedCode> decoded,
                              cache::SegmentSet& set, cache::Segment& segment,
                              arrays::ArrayNamespace& arrays, const cache::FunctionOptions& options,
                              bool any_size) try {
  PyCodeObject* code = decoded->code();
  const int line = decoded->At(segment.offset).line;
  if (segment.empty || segment.exhausted) return CompileOutcome::kNothing;
  if (!segment.entries.empty() && CurrentStance() != Stance::kDefault)
    return KeepToStance(frame, code, set, segment, line);
  if (segment.entries.size() >= EntryLimit(options)) {
    const bool goes_on = LeaveFullSegment(frame, code, set, segment, line);
    return goes_on ? CompileOutcome::kNothing : CompileOutcome::kRaised;
  }
  RefillMemoryReserve();
  if (MemoryIsShort()) return CompileOutcome::kNothing;
  if (!cache::MakeRoomForEntry()) {
    CountBreak("entry limit of the process reached");
    return CompileOutcome::kNothing;
  }
  const HookBypass bypass;
  const CompileTimer timer;
  const SourcesScope sources(segment);
  segment.all_dynamic = options.dynamic == 1;
  segment.never_dynamic = options.dynamic == 0;
  if (!NoteRecompile(frame, code, set, segment, line)) return CompileOutcome::kRaised;
  absl::StatusOr<tracer::TraceResult> trace =
      Trace(frame, decoded, set, arrays, segment, options, line);
  if (!trace.ok()) {
    ReportInternal(code, line, trace.status());
    segment.exhausted = true;
    return CompileOutcome::kNothing;
  }
  if (set.compilation() != nullptr) ++set.compilation()->counters.traces;
  NoteEnd(trace->end.branch);
  if (!AcceptEnd(*decoded, set, segment.offset, trace->end)) return CompileOutcome::kRaised;
  const absl::StatusOr<executor::Placement> placement = PlacementOf(*trace, frame.roots());
  const bool on_device = placement.ok() && placement->device != 0;
  const bool worth = on_device ? !trace->graph->outputs().empty() : WorthAnEntry(*trace, any_size);
  if (!placement.ok() || !worth) {
    segment.empty = trace->instructions == 0;
    if (++segment.failures >= kMaxFailures) segment.exhausted = true;
    return CompileOutcome::kNothing;
  }
  std::unique_ptr<cache::Entry> entry = StartEntry(*trace->graph, options, on_device);
  const compile::CompileOptions compile =
      OptionsOf(options, frame::CodeLabel(code, line), *placement);
  entry->tier.left_out = compile.LeftOut();
  // A GPU's arrays are computed with there, whatever the backend.
  const BackendAnswer answer =
      on_device ? BackendAnswer::kNothing
                : AskBackend(options, compile, *trace, frame.roots(), arrays, *entry);
  if (answer == BackendAnswer::kRaised) return CompileOutcome::kRaised;
  if (answer == BackendAnswer::kFallback) {
    segment.exhausted = true;
    return CompileOutcome::kNothing;
  }
  const bool by_backend = answer == BackendAnswer::kCompiled;
  const bool baseline = !on_device && MayStartInBaseline(options);
  const absl::Status compiled =
      by_backend ? absl::OkStatus() : CompileFirstTier(*trace->graph, compile, baseline, *entry);
  if (!compiled.ok()) {
    // Of tensors on a device the eager function that comes next says why it cannot compute.
    const bool device_fails = on_device && !absl::IsInternal(compiled);
    if (!absl::IsUnimplemented(compiled) && !device_fails) ReportInternal(code, line, compiled);
    segment.exhausted = !device_fails;
    return CompileOutcome::kNothing;
  }
  if (!FilterGuards(options.guard_filter, trace->guards)) return CompileOutcome::kRaised;
  const bool may_be_tuned = !by_backend && compile::MayBeTuned(*trace->graph, compile);
  const bool tunes = options.Settings().autotune && entry->tier.is_final && may_be_tuned;
  if (may_be_tuned && !tunes && set.compilation() == nullptr) TuneWhenHot(compile, *entry);
  Publish(code, set, segment, *trace, std::move(entry), line);
  if (tunes) TuneLastEntry(segment, compile, frame.roots(), arrays);
  KeepForReport(code);
  return CompileOutcome::kEntry;
} catch (const std::bad_alloc&) {
  PyErr_Clear();
  return CompileOutcome::kNothing;
}

void TierUpStep(cache::Entry& entry, const bytecode::DecodedCode& code,
                const cache::FunctionOptions& options) {
  if (entry.tier.next != nullptr) {
    if (!entry.tier.next->done()) return;
    const std::shared_ptr<const compile::CompileJob> job = std::exchange(entry.tier.next, nullptr);
    if (absl::IsResourceExhausted(job->result().status())) return CompileLaterAgain(entry);
    if (job->result().ok()) {
      entry.tier.first_tier = std::exchange(entry.tier.compiled, *job->result());
    }
    entry.tier.is_final = true;  // whatever came of it, once is enough
    entry.statistics.trial.RestartRuns();
    return;
  }
  const TierUp rule = TierUpOf(options);
  const bool due = rule.when_it_pays ? entry.tier.kernel_nanoseconds >= WorthNanoseconds(entry)
                                     : entry.statistics.hits >= rule.hits;
  if (!due || entry.statistics.hits < entry.tier.compile_after) return;
  if (LogEnabled(LogTopic::kPolicy)) {
    Log(LogTopic::kPolicy,
        absl::StrCat(frame::CodeLabel(code.code(), entry.end.line), ": ", entry.tier.num_kernels,
                     " kernels are compiled, after ", entry.tier.kernel_nanoseconds / 1000,
                     " us in ", entry.statistics.hits, " runs"));
  }
  entry.tier.next = compile::CompileLater(
      *entry.graph, OptionsOf(options, frame::CodeLabel(code.code(), entry.end.line), {}));
}

}  // namespace dynacc::capture
