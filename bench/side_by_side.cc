#include "bench/side_by_side.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace dynacc {
namespace {

void AddOnce(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// Why the run gave no time; empty if it did. Google Benchmark 1.8 has other names for this.
template <typename Run>
std::string FailureOf(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? run.error_message : "";
  } else {
    return run.skipped ? run.skip_message : "";
  }
}

}  // namespace

bool SideBySide::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void SideBySide::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string failure = FailureOf(run);
    if (!failure.empty()) absl::FPrintF(stderr, "%s: %s\n", run.benchmark_name(), failure);
    if (!failure.empty() || run.aggregate_name != "median") continue;
    const std::vector<std::string> parts = absl::StrSplit(run.run_name.function_name, '/');
    if (parts.size() < 2) continue;
    const std::string program = parts.size() > 2 ? absl::StrCat(parts[0], " ", parts[2]) : parts[0];
    const double seconds = run.GetAdjustedCPUTime() / GetTimeUnitMultiplier(run.time_unit);
    cells_.push_back({run.family_index, program, parts[1], seconds * 1e9});
  }
}

double SideBySide::MedianOf(const std::string& program, const std::string& variant) const {
  for (const Cell& cell : cells_) {
    if (cell.program == program && cell.variant == variant) return cell.nanoseconds;
  }
  return 0;
}

void SideBySide::Finalize() {
  std::sort(cells_.begin(), cells_.end(),
            [](const Cell& a, const Cell& b) { return a.order < b.order; });
  std::vector<std::string> programs, variants;
  for (const Cell& cell : cells_) {
    AddOnce(programs, cell.program);
    AddOnce(variants, cell.variant);
  }
  absl::PrintF("%-20s", "median ns");
  for (const std::string& variant : variants) {
    absl::PrintF("%12s", variant);
    if (variant != variants.front()) absl::PrintF("%8s", "ratio");
  }
  absl::PrintF("\n");
  for (const std::string& program : programs) {
    absl::PrintF("%-20s", program);
    const double first = MedianOf(program, variants.front());
    for (const std::string& variant : variants) {
      const double time = MedianOf(program, variant);
      absl::PrintF("%12.1f", time);
      if (variant != variants.front()) absl::PrintF("%8.2f", time > 0 ? first / time : 0);
    }
    absl::PrintF("\n");
  }
}

void RunSideBySide(int argc, char** argv) {
  std::string repetitions = "--benchmark_repetitions=7";
  std::string interleaved = "--benchmark_enable_random_interleaving=true";
  std::string quick = "--benchmark_min_time=0.1";
  std::vector<char*> arguments = {argv[0], repetitions.data(), interleaved.data(), quick.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  SideBySide reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace dynacc
