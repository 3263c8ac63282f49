// Runtime: the Python interpreter of this process, with array capture.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dynacc/executor.h"
#include "dynacc/export.h"
#include "dynacc/function.h"
#include "dynacc/module.h"

namespace dynacc {
inline namespace v0 {

// The version of the library that runs, as "0.1.0".
DYNACC_EXPORT const char* Version();

// How to start. The defaults leave the host alone: its signal handlers, locale, environment and
// standard streams stay as they are. An environment variable of docs/environment.md that is set
// wins over the option here that says the same, so that an operator can look into a running
// product.
struct RuntimeOptions {
  // CPython.
  // sys.prefix: the folder with lib/python3.X; empty: that of the python3 that DynaCC is built for.
  std::string home;
  std::string venv;  // a virtual environment made by `python3 -m venv`; its packages are found
  std::vector<std::string> search_paths;  // put before sys.path, in this order
  std::vector<std::string> arguments;     // sys.argv; empty: [""]
  bool isolated = false;  // true: PYTHON* variables and the user's site-packages are not looked at
  bool handle_signals = false;  // true: Python's handlers (SIGINT raises KeyboardInterrupt, SIGPIPE
                                // is ignored), on the thread that calls Start
  // Capture.
  std::string policy = "hot";  // which frames are captured: always, hot, explicit
  std::string target;          // cpu, tile, reference, cuda; empty: cpu
  // What the host counts on: "cpu", "cuda" (the first GPU), "cuda:1" ... Start fails if one is not
  // there, or if `target` is cuda and none is a GPU. Empty: whatever is there.
  std::vector<std::string> devices;
  int threads = 0;  // for large arrays; 0: the cores that this process may use
  // How many calls are inside at once while they use the processor; others wait in the order in
  // which they came (docs/embedding.md, "Threads"). 0: the cores that this process may use, at
  // least two. Calls that wait for something else do not count for long.
  int most_calls = 0;
  // Runs Function::CallAsync. Null: a pool of the Runtime's own, of a thread for each core, which
  // ends with it.
  std::shared_ptr<Executor> executor;
  std::string cache_folder;  // compiled kernels; empty: $XDG_CACHE_HOME/dynacc
  std::string logs;          // topics as in DYNACC_LOGS
  // Receives each line of the logs and each warning, without its newline, instead of stderr. Called
  // from any thread, one call at a time. It must not call Python, whose lock may be held by a
  // thread that waits for its own line to be taken.
  std::function<void(absl::string_view line)> log_sink;
};

// The interpreter of this process. There is one at a time; when it is gone another can be started.
class DYNACC_EXPORT Runtime {
 public:
  // Errors: FAILED_PRECONDITION if a Runtime is there, if the host or another library started
  // CPython itself, or in a fork of a process that had one; INVALID_ARGUMENT for an option whose
  // value is wrong; NOT_FOUND for a home or venv that is none; INTERNAL if CPython does not start.
  static absl::StatusOr<std::unique_ptr<Runtime>> Start(const RuntimeOptions& options);

  // Ends the session, on any thread: refuses new calls, waits for those that run and for Python's
  // non-daemon threads, runs the functions of `atexit`, flushes Python's streams, stops capture and
  // forgets the files that LoadFile ran. Handles that are still there may be destroyed later, or
  // used: then they fail with FAILED_PRECONDITION. Must not be called from a callback.
  //
  // The interpreter itself stays in the process, without running anything: NumPy and most extension
  // modules cannot be loaded a second time. So the next Start keeps `home`, `venv`, `isolated` and
  // `handle_signals` of the first one (other values are INVALID_ARGUMENT), and modules that were
  // imported by name are there already.
  ~Runtime();

  // Imports a module by its dotted name. NOT_FOUND if there is none; else what importing it raised.
  absl::StatusOr<Module> ImportModule(const std::string& name);
  // Runs a file as a module of its own, named after the file. NOT_FOUND if it cannot be read. Each
  // load makes a new module; handles of the one before go on working. So that modules that nobody
  // has any more can die, a path that was loaded before makes the captured code of that file be
  // forgotten and garbage be collected: a module whose handles are gone dies at the next such load.
  // The first call of each of its functions then takes some milliseconds; kernels are kept. Code of
  // other files goes on as it was, unless a module that is older than the last one is still there.
  absl::StatusOr<Module> LoadFile(const std::string& path);
  // Runs Python text as a module of that name, a dotted name's last part or any identifier.
  // INVALID_ARGUMENT for text that is no Python. Otherwise as LoadFile; tracebacks show the lines
  // as those of <name>.
  absl::StatusOr<Module> LoadSource(const std::string& name, const std::string& source);
  // A Python function of that name which calls `function`. It holds `function` until the last
  // reference in Python is gone.
  absl::StatusOr<Function> MakeFunction(const std::string& name, HostFunction function);
  // Makes a function, of MakeFunction for example, an operator: Python calls it as
  // dynacc.operators.get(name), and graphs have it as a node. `name` is "library::operator", and
  // `shapes` says what it gives, as "f64[n, k] -> f64[n]" (docs/operators.md). It must be a
  // function of its arguments alone. INVALID_ARGUMENT for a name or a rule that is none.
  absl::Status RegisterOp(const std::string& name, const std::string& shapes, const Function& body);

  // Calls `function` with each of these lists of arguments, again and again, until compiled code
  // serves them: what there is to trace is traced, and the final kernels are made. Where compiled
  // code does not serve a whole call, until nothing more is compiled for it. Other threads may call
  // meanwhile. The error of a call that fails; DEADLINE_EXCEEDED and CANCELLED by `options`.
  absl::Status WarmUp(const Function& function, absl::Span<const List> examples,
                      const CallOptions& options = {});

  // Logs these topics from now on, as in RuntimeOptions::logs; "" for none. INVALID_ARGUMENT names
  // those that there are not; the others are logged. Callable at any time.
  static absl::Status SetLogs(const std::string& topics);
  // Begins a trace file, as DYNACC_TRACE does (docs/environment.md); "" ends the one that there is.
  // With `runs`, every run of compiled code is in it. Callable at any time.
  static absl::Status SetTrace(const std::string& path, bool runs = false);

  // The counters of docs/environment.md by name, since the process started. Callable at any time.
  static std::map<std::string, uint64_t> Stats();

 private:
  Runtime() = default;
};

}  // namespace v0
}  // namespace dynacc
