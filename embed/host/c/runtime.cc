// dynacc_runtime and dynacc_module of dynacc.h.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "embed/host/c/handles.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

std::string TextOr(const char* text, const char* otherwise = "") {
  return text == nullptr ? otherwise : text;
}

// An executor of C's.
class CExecutor : public Executor {
 public:
  using RunFn = void (*)(void* context, void (*work)(void* work_context), void* work_context);
  CExecutor(RunFn run, void* context) : run_(run), context_(context) {}

  void Run(std::function<void()> work) override {
    const auto call = [](void* given) {
      const std::unique_ptr<std::function<void()>> owned(
          static_cast<std::function<void()>*>(given));
      (*owned)();
    };
    run_(context_, call, new std::function<void()>(std::move(work)));
  }

 private:
  const RunFn run_;
  void* const context_;
};

// dynacc_runtime_options ended here in version 0.1.
constexpr size_t kFirstOptionsSize = offsetof(dynacc_runtime_options, devices);

absl::StatusOr<RuntimeOptions> OptionsOf(const dynacc_runtime_options* caller) {
  RuntimeOptions options;
  if (caller == nullptr) return options;
  DYNACC_ASSIGN_OR_RETURN(const dynacc_runtime_options current,
                          OfThisVersion(caller, kFirstOptionsSize, "dynacc_runtime_options"));
  const dynacc_runtime_options* given = &current;
  options.home = TextOr(given->home);
  options.venv = TextOr(given->venv);
  DYNACC_ASSIGN_OR_RETURN(options.search_paths,
                          TextsOf(given->search_paths, given->search_path_count, "search_paths"));
  DYNACC_ASSIGN_OR_RETURN(options.arguments,
                          TextsOf(given->arguments, given->argument_count, "arguments"));
  options.isolated = given->isolated != 0;
  options.handle_signals = given->handle_signals != 0;
  options.policy = TextOr(given->policy, options.policy.c_str());
  options.target = TextOr(given->target);
  options.threads = given->threads;
  options.most_calls = given->most_calls;
  if (given->executor != nullptr) {
    options.executor = std::make_shared<CExecutor>(given->executor, given->executor_context);
  }
  DYNACC_ASSIGN_OR_RETURN(options.devices, TextsOf(given->devices, given->device_count, "devices"));
  options.cache_folder = TextOr(given->cache_folder);
  options.logs = TextOr(given->logs);
  if (given->log_sink != nullptr) {
    options.log_sink = [sink = given->log_sink, context = given->log_context](
                           absl::string_view line) { sink(context, line.data(), line.size()); };
  }
  return options;
}

absl::StatusOr<std::unique_ptr<Runtime>> Start(const dynacc_runtime_options* given) {
  DYNACC_ASSIGN_OR_RETURN(const RuntimeOptions options, OptionsOf(given));
  return Runtime::Start(options);
}

absl::Status CheckNamed(const dynacc_module* module, const char* name) {
  DYNACC_RETURN_IF_ERROR(Check(module));
  return CheckText(name, "name");
}

absl::Status CheckNamed(const dynacc_runtime* runtime, const char* name) {
  DYNACC_RETURN_IF_ERROR(Check(runtime));
  return CheckText(name, "name");
}

absl::Status StatOf(const char* name, uint64_t* count) {
  DYNACC_RETURN_IF_ERROR(CheckText(name, "name"));
  const auto stats = Runtime::Stats();
  const auto found = stats.find(name);
  if (found == stats.end()) return absl::NotFoundError(absl::StrCat("no counter ", name));
  DYNACC_RETURN_IF_ERROR(CheckThere(count, "count"));
  *count = found->second;
  return absl::OkStatus();
}

const std::vector<std::string>& StatNames() {
  static const auto& names = *[] {
    auto* made = new std::vector<std::string>;
    for (const auto& [name, count] : Runtime::Stats()) made->push_back(name);
    return made;
  }();
  return names;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TextsOf(const char* const* texts, size_t count,
                                                 const char* what) {
  std::vector<std::string> copies;
  for (size_t i = 0; i < count; ++i) {
    DYNACC_RETURN_IF_ERROR(CheckText(texts == nullptr ? nullptr : texts[i], what));
    copies.emplace_back(texts[i]);
  }
  return copies;
}

}  // namespace dynacc

using dynacc::CheckNamed;
using dynacc::Give;
using dynacc::NewStatus;

dynacc_status* dynacc_runtime_start(const dynacc_runtime_options* options,
                                    dynacc_runtime** runtime) {
  return Give(dynacc::Start(options), runtime);
}

void dynacc_runtime_free(dynacc_runtime* runtime) { dynacc::Free(runtime); }

dynacc_status* dynacc_stat(const char* name, uint64_t* count) {
  return NewStatus(dynacc::StatOf(name, count));
}

const char* dynacc_stat_name(size_t index) {
  const std::vector<std::string>& names = dynacc::StatNames();
  return index < names.size() ? names[index].c_str() : nullptr;
}

dynacc_status* dynacc_import_module(dynacc_runtime* runtime, const char* name,
                                    dynacc_module** module) {
  const absl::Status status = CheckNamed(runtime, name);
  return Give(status.ok() ? runtime->held->ImportModule(name) : status, module);
}

dynacc_status* dynacc_load_file(dynacc_runtime* runtime, const char* path, dynacc_module** module) {
  const absl::Status status = CheckNamed(runtime, path);
  return Give(status.ok() ? runtime->held->LoadFile(path) : status, module);
}

dynacc_status* dynacc_load_source(dynacc_runtime* runtime, const char* name, const char* source,
                                  dynacc_module** module) {
  absl::Status status = CheckNamed(runtime, name);
  if (status.ok()) status = dynacc::CheckText(source, "source");
  return Give(status.ok() ? runtime->held->LoadSource(name, source) : status, module);
}

dynacc_status* dynacc_set_logs(const char* topics) {
  const absl::Status status = dynacc::CheckText(topics, "topics");
  return NewStatus(status.ok() ? dynacc::Runtime::SetLogs(topics) : status);
}

dynacc_status* dynacc_set_trace(const char* path, int32_t runs) {
  const absl::Status status = dynacc::CheckText(path, "path");
  return NewStatus(status.ok() ? dynacc::Runtime::SetTrace(path, runs != 0) : status);
}

dynacc_status* dynacc_module_get(const dynacc_module* module, const char* name,
                                 dynacc_function** function) {
  const absl::Status status = CheckNamed(module, name);
  return Give(status.ok() ? module->held.Get(name) : status, function);
}

dynacc_status* dynacc_module_get_value(const dynacc_module* module, const char* name,
                                       dynacc_value** value) {
  const absl::Status status = CheckNamed(module, name);
  return Give(status.ok() ? module->held.GetValue(name) : status, value);
}

dynacc_status* dynacc_module_set(const dynacc_module* module, const char* name,
                                 const dynacc_value* value) {
  absl::Status status = CheckNamed(module, name);
  if (status.ok()) status = dynacc::Check(value);
  if (status.ok()) status = module->held.Set(name, value->held);
  return NewStatus(status);
}

void dynacc_module_free(dynacc_module* module) { dynacc::Free(module); }
