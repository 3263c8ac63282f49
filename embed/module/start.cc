#include "embed/module/start.h"

#include <unistd.h>

#include <string>

#include "codegen/compile/option_names.h"
#include "codegen/extensions/extensions.h"
#include "embed/interpreter/exit_callback.h"
#include "frontend/cpython/layout_check.h"
#include "runtime/base/log.h"
#include "runtime/base/options.h"
#include "runtime/base/process_file.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"
#include "runtime/base/trace_file.h"
#include "runtime/platform/cpu_level.h"

namespace dynacc {
namespace {

void Warn(absl::string_view message) { WarnOnce(message, message); }

capture::Policy ChosenPolicy(const Options& options, capture::Policy default_policy) {
  if (options.policy.empty()) return default_policy;
  absl::StatusOr<capture::Policy> policy = capture::ParsePolicy(options.policy);
  if (policy.ok()) return *policy;
  Warn(absl::StrCat("DYNACC_POLICY: ", policy.status().message(), "; ignored"));
  return default_policy;
}

// Names that the table of options cannot check. A wrong one is ignored.
void CheckNames(Options& options) {
  if (const absl::Status target = compile::CheckTargetName(options.target); !target.ok()) {
    Warn(absl::StrCat("DYNACC_TARGET: ", target.message(), "; ignored"));
    options.target = Options().target;
  }
  if (const absl::Status cpu = platform::CheckCpuLevel(options.cpu);
      !options.cpu.empty() && !cpu.ok()) {
    Warn(absl::StrCat("DYNACC_CPU: ", cpu.message(), "; ignored"));
    options.cpu.clear();
  }
  if (const absl::Status loaded = extensions::LoadExtensions(options.extensions); !loaded.ok()) {
    Warn(absl::StrCat("DYNACC_EXTENSIONS: ", loaded.message(), "; ignored"));
  }
  if (const absl::Status form = compile::CheckKernelForm(options); !form.ok()) {
    Warn(absl::StrCat(form.message(), "; ignored"));
    options.tile.clear();
    options.unroll.clear();
  }
  options.disable_passes = compile::CurrentPassNames(options.disable_passes);
  if (const absl::Status passes = compile::CheckPassNames(options.disable_passes); !passes.ok()) {
    Warn(absl::StrCat("DYNACC_DISABLE_PASSES: ", passes.message(), "; ignored"));
    options.disable_passes.clear();
  }
}

// The process that started capture: a forked child must not replace its parent's counters.
pid_t stats_owner = 0;

void WriteStatsAtExit() {
  if (getpid() != stats_owner) return;
  const absl::Status status = WriteStats(FileOfProcess(ProcessOptions().stats));
  if (!status.ok()) Warn(status.message());
}

bool g_started = false;  // under the GIL

// Py_AtExit functions run on every way out that finalises: the end of the program, sys.exit, an
// uncaught exception.
void WriteStatsWhenFinalised() {
  if (stats_owner == getpid()) return;  // an earlier start arranged it
  stats_owner = getpid();
  if (Py_AtExit(WriteStatsAtExit) != 0) Warn("DYNACC_STATS: no room for an exit function");
}

void StartTrace(const Options& options) {
  const absl::Status status = OpenTrace(FileOfProcess(options.trace),
                                        options.trace_runs ? TraceLevel::kRuns : TraceLevel::kWork,
                                        BytesOfMebibytes(options.trace_limit, kDefaultTraceBytes));
  if (!status.ok()) Warn(status.message());
}

}  // namespace

absl::Status StartFromEnvironment(capture::Policy default_policy, HostDuties host) {
  if (g_started) return absl::OkStatus();
  g_started = true;
  Options& options = ProcessOptions();
  CheckNames(options);
  for (const std::string& warning : options.warnings) Warn(warning);
  for (const std::string& warning : WarningsOfUnknownVariables(environ)) Warn(warning);
  if (absl::Status status = ConfigureLogs(options.logs); !status.ok()) Warn(status.message());
  if (!options.stats.empty()) WriteStatsWhenFinalised();
  if (!options.trace.empty()) StartTrace(options);
  if (options.disable) return absl::OkStatus();
  if (absl::Status fits = CheckLayout(); !fits.ok()) {
    g_started = false;  // so that `import dynacc` is told, too
    return fits;
  }
  DYNACC_RETURN_IF_ERROR(
      capture::StartCapture(ChosenPolicy(options, default_policy), host.main_body_is_next));
  if (!host.stops && !CallAtExit(capture::StopCapture))
    return absl::InternalError("atexit.register failed");
  return absl::OkStatus();
}

void EndInProcess() {
  capture::StopCapture();
  CloseTrace();
  if (!ProcessOptions().stats.empty()) WriteStatsAtExit();
  g_started = false;
}

}  // namespace dynacc