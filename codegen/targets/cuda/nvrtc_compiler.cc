#include "codegen/targets/cuda/nvrtc_compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "runtime/base/options.h"
#include "runtime/base/shared_library.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cuda {
namespace {

constexpr int kSuccess = 0;  // NVRTC_SUCCESS

// The library's functions, by their own names.
struct Nvrtc {
#define DYNACC_NVRTC_FUNCTION(type, name, parameters) type(*name) parameters = nullptr;
#include "codegen/targets/cuda/nvrtc_functions.def"
#undef DYNACC_NVRTC_FUNCTION
};

// What DYNACC_NVRTC names, or NVRTC where the loader finds it, or where it was at build time.
absl::StatusOr<void*> OpenLibrary() {
  const std::string& chosen = ProcessOptions().nvrtc;
  std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", DYNACC_NVRTC_LIBRARY};
  if (!chosen.empty()) names = {chosen};
  absl::Status problem;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const absl::StatusOr<void*> library = OpenSharedLibrary(name);
    if (library.ok()) return *library;
    if (absl::IsPermissionDenied(library.status())) problem = library.status();
  }
  return absl::UnavailableError(
      chosen.empty() ? "libnvrtc, which compiles CUDA kernels, is not on this machine"
                     : absl::StrCat("DYNACC_NVRTC: ", chosen, " cannot be opened",
                                    problem.ok() ? "" : ": ", problem.message()));
}

absl::StatusOr<Nvrtc> OpenNvrtc() {
  DYNACC_ASSIGN_OR_RETURN(void* const library, OpenLibrary());
  Nvrtc nvrtc;
#define DYNACC_NVRTC_FUNCTION(type, name, parameters)                         \
  nvrtc.name = reinterpret_cast<decltype(nvrtc.name)>(dlsym(library, #name)); \
  if (nvrtc.name == nullptr) return absl::UnavailableError("libnvrtc has no " #name);
#include "codegen/targets/cuda/nvrtc_functions.def"
#undef DYNACC_NVRTC_FUNCTION
  return nvrtc;
}

const absl::StatusOr<Nvrtc>& TheNvrtc() {
  static const auto& nvrtc = *new absl::StatusOr<Nvrtc>(OpenNvrtc());
  return nvrtc;
}

absl::Status Check(const Nvrtc& nvrtc, int result, absl::string_view what) {
  if (result == kSuccess) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", nvrtc.nvrtcGetErrorString(result)));
}

std::string ProgramLog(const Nvrtc& nvrtc, void* program) {
  size_t size = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &size) != kSuccess || size == 0) return "";
  std::string log(size, '\0');
  nvrtc.nvrtcGetProgramLog(program, log.data());
  log.pop_back();  // the NUL, which the size counts
  return log;
}

// What NVRTC compiles for: the device's own instructions, or PTX that every later device takes.
struct Goal {
  int architecture = 0;
  bool ptx = false;
};

absl::StatusOr<Goal> GoalFor(const Nvrtc& nvrtc, int architecture) {
  int count = 0;
  DYNACC_RETURN_IF_ERROR(
      Check(nvrtc, nvrtc.nvrtcGetNumSupportedArchs(&count), "counting NVRTC's architectures"));
  std::vector<int> known(count);
  DYNACC_RETURN_IF_ERROR(
      Check(nvrtc, nvrtc.nvrtcGetSupportedArchs(known.data()), "NVRTC's architectures"));
  Goal goal;
  for (const int candidate : known) {
    if (candidate <= architecture) goal.architecture = std::max(goal.architecture, candidate);
  }
  goal.ptx = goal.architecture != architecture;
  if (goal.architecture != 0) return goal;
  return absl::UnavailableError(
      absl::StrCat("this NVRTC compiles for no device as old as sm_", architecture));
}

std::vector<std::string> Flags(const NvrtcOptions& options, const Goal& goal) {
  std::vector<std::string> flags = {
      absl::StrCat("--gpu-architecture=", goal.ptx ? "compute_" : "sm_", goal.architecture),
      "--std=c++17"};
  if (options.only_check) flags.push_back("--device-debug");
  if (options.fast_math) {
    flags.push_back("--use_fast_math");
  } else {
    flags.push_back("--fmad=false");  // no contraction, as on the CPU
  }
  return flags;
}

}  // namespace

absl::Status NvrtcStatus() { return TheNvrtc().status(); }

absl::StatusOr<std::string> NvrtcVersion() {
  DYNACC_RETURN_IF_ERROR(NvrtcStatus());
  int major = 0, minor = 0;
  DYNACC_RETURN_IF_ERROR(Check(*TheNvrtc(), TheNvrtc()->nvrtcVersion(&major, &minor), "version"));
  return absl::StrCat(major, ".", minor);
}

absl::StatusOr<std::string> CompileCubin(const std::string& name, const std::string& source,
                                         const NvrtcOptions& options) {
  DYNACC_RETURN_IF_ERROR(NvrtcStatus());
  const Nvrtc& nvrtc = *TheNvrtc();
  const char* header = kCudaPrelude;
  const char* header_name = kCudaPreludeName;
  void* program = nullptr;
  DYNACC_RETURN_IF_ERROR(Check(
      nvrtc,
      nvrtc.nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 1, &header, &header_name),
      "creating an NVRTC program"));
  const absl::Cleanup destroy = [&] { nvrtc.nvrtcDestroyProgram(&program); };
  DYNACC_ASSIGN_OR_RETURN(Goal goal, GoalFor(nvrtc, options.architecture));
  goal.ptx = goal.ptx || options.only_check;
  const std::vector<std::string> flags = Flags(options, goal);
  std::vector<const char*> flag_pointers;
  for (const std::string& flag : flags) flag_pointers.push_back(flag.c_str());
  const int compiled = nvrtc.nvrtcCompileProgram(program, static_cast<int>(flag_pointers.size()),
                                                 flag_pointers.data());
  DYNACC_RETURN_IF_ERROR(
      Check(nvrtc, compiled, absl::StrCat("emitted CUDA source\n", ProgramLog(nvrtc, program))));
  const auto get_size = goal.ptx ? nvrtc.nvrtcGetPTXSize : nvrtc.nvrtcGetCUBINSize;
  const auto get = goal.ptx ? nvrtc.nvrtcGetPTX : nvrtc.nvrtcGetCUBIN;
  size_t size = 0;
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, get_size(program, &size), "size of the machine code"));
  std::string code(size, '\0');
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, get(program, code.data()), "machine code"));
  return code;
}

}  // namespace dynacc::cuda
