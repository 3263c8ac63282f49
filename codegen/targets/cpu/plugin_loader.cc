#include "codegen/targets/cpu/plugin_loader.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cpu/compiler/compiler_api.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "runtime/base/shared_library.h"
#include "runtime/base/status_macros.h"
#include "runtime/platform/container_limits.h"
#include "runtime/platform/cpu_level.h"

namespace dynacc::cpu {
namespace {

std::atomic<bool> is_loaded = false;

struct Plugin {
  decltype(&DynaccCompile) compile = nullptr;
};

template <typename Function>
absl::Status Resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the compiler plug-in has no ", name));
}

bool CanMap(size_t bytes, int protection) {
  void* const room =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, bytes);
  return true;
}

// Whether limits of the address space, and of data, leave room for the plug-in: its file, the data
// in it, and a first compile. LLVM's initialisers end the process where an allocation fails.
absl::Status CheckRoomFor(const std::string& path) {
  constexpr size_t kRoomForData = size_t{32} << 20;  // what its initialisers reserve, and more
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && CanMap(size + kRoomForData, PROT_NONE) &&
      CanMap(kRoomForData, PROT_READ | PROT_WRITE)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError("too little memory for the compiler plug-in");
}

// Never closed again: LLVM does not survive being unloaded.
absl::StatusOr<Plugin> OpenPlugin() {
  DYNACC_ASSIGN_OR_RETURN(const std::string path, FindCompilerPlugin());
  DYNACC_RETURN_IF_ERROR(CheckRoomFor(path));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("cannot load the compiler plug-in: ", dlerror()));
  }
  decltype(&DynaccCompilerApiVersion) api_version;
  decltype(&DynaccCompilerLlvmVersion) llvm_version;
  Plugin plugin;
  DYNACC_RETURN_IF_ERROR(Resolve(library, "DynaccCompilerApiVersion", api_version));
  DYNACC_RETURN_IF_ERROR(Resolve(library, "DynaccCompilerLlvmVersion", llvm_version));
  DYNACC_RETURN_IF_ERROR(Resolve(library, "DynaccCompile", plugin.compile));
  if (api_version() != DYNACC_COMPILER_API_VERSION ||
      std::strcmp(llvm_version(), DYNACC_LLVM_VERSION) != 0) {
    return absl::UnavailableError(absl::StrCat(path, " is of another version"));
  }
  is_loaded = true;
  return plugin;
}

// Opened by the first call that can: where there was no memory for it there may be some later.
absl::StatusOr<Plugin> ThePlugin() {
  static auto& mutex = *new absl::Mutex;
  static auto& plugin = *new absl::StatusOr<Plugin>(absl::UnavailableError("not opened"));
  const absl::MutexLock lock(&mutex);
  if (!plugin.ok()) plugin = OpenPlugin();
  return plugin;
}

DynaccText Text(absl::string_view text) { return {text.data(), text.size()}; }

// What a compile of these many bytes of source writes to, at most; for the first one the plug-in's
// own data as well.
int64_t BytesWritten(size_t source_bytes) {
  constexpr int64_t kMebibyte = 1 << 20;
  constexpr int64_t kBytesOfText = 90;
  const int64_t compile = 8 * kMebibyte + kBytesOfText * static_cast<int64_t>(source_bytes);
  return is_loaded ? compile : compile + 8 * kMebibyte;
}

absl::StatusOr<std::string> Compile(const DynaccCompileRequest& request) {
  if (!platform::MemoryQuotaAllows(BytesWritten(request.source.size))) {
    return absl::ResourceExhaustedError("too little memory for a compile in this control group");
  }
  DYNACC_ASSIGN_OR_RETURN(const Plugin plugin, ThePlugin());
  std::string result;
  const auto sink = [](void* context, const char* data, size_t size) {
    static_cast<std::string*>(context)->assign(data, size);
  };
  switch (plugin.compile(&request, sink, &result)) {
    case DYNACC_COMPILED:
      return result;
    case DYNACC_NOT_COMPILED:
      return absl::InternalError(absl::StrCat("emitted source does not compile:\n", result));
    case DYNACC_MEMORY_IS_SHORT:
      return absl::ResourceExhaustedError("too little memory for a compile");
    case DYNACC_MEMORY_RAN_OUT:
      break;
  }
  return absl::UnavailableError("the compiler has run out of memory");
}

}  // namespace

absl::StatusOr<std::string> FindCompilerPlugin() {
  const std::string folder = OwnFolder();
  std::string tried;
  for (const char* below : {"/", "/dynacc/", "/../", "/../lib/", "/../../"}) {
    const std::string path =
        std::filesystem::path(absl::StrCat(folder, below, DYNACC_PLUGIN_NAME)).lexically_normal();
    if (access(path.c_str(), R_OK) == 0) return path;
    absl::StrAppend(&tried, tried.empty() ? "" : ", ", path);
  }
  return absl::UnavailableError(absl::StrCat("no compiler plug-in at ", tried));
}

absl::string_view CompilerVersion() { return DYNACC_LLVM_VERSION; }

bool IsCompilerLoaded() { return is_loaded; }

absl::StatusOr<std::string> CompileObject(absl::string_view name, absl::string_view source) {
  return CompileObjectFor(platform::KernelCpuLevel(), name, source);
}

absl::StatusOr<std::string> CompileObjectFor(absl::string_view cpu, absl::string_view name,
                                             absl::string_view source) {
  // Clang need not read what it skips in each module anew.
  static const std::string& prelude = *new std::string(emit::WithoutComments(kCpuPrelude));
  return Compile({.name = Text(name),
                  .source = Text(source),
                  .header_name = Text(kCpuPreludeName),
                  .header = Text(prelude),
                  .is_scalar = 0,
                  .cpu = Text(cpu)});
}

absl::StatusOr<std::string> CompileScalarObject(absl::string_view source,
                                                absl::string_view header_name,
                                                absl::string_view header) {
  return Compile({.name = Text("loop.cc"),
                  .source = Text(source),
                  .header_name = Text(header_name),
                  .header = Text(header),
                  .is_scalar = 1,
                  .cpu = Text(platform::KernelCpuLevel())});
}

}  // namespace dynacc::cpu
