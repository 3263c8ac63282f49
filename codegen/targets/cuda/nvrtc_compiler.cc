#include "codegen/targets/cuda/nvrtc_compiler.h"

#include <dlfcn.h>

#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "runtime/base/options.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
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
  for (const std::string& name : names) {
    void* library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return absl::UnavailableError(
      chosen.empty() ? "libnvrtc, which compiles CUDA kernels, is not on this machine"
                     : absl::StrCat("DYNACC_NVRTC: ", chosen, " cannot be opened"));
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

std::vector<std::string> Flags(const NvrtcOptions& options) {
  std::vector<std::string> flags = {absl::StrCat("--gpu-architecture=sm_", options.architecture),
                                    "--std=c++17"};
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
  const std::vector<std::string> flags = Flags(options);
  std::vector<const char*> flag_pointers;
  for (const std::string& flag : flags) flag_pointers.push_back(flag.c_str());
  const int compiled = nvrtc.nvrtcCompileProgram(program, static_cast<int>(flag_pointers.size()),
                                                 flag_pointers.data());
  DYNACC_RETURN_IF_ERROR(
      Check(nvrtc, compiled, absl::StrCat("emitted CUDA source\n", ProgramLog(nvrtc, program))));
  size_t size = 0;
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, nvrtc.nvrtcGetCUBINSize(program, &size), "cubin size"));
  std::string cubin(size, '\0');
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, nvrtc.nvrtcGetCUBIN(program, cubin.data()), "cubin"));
  return cubin;
}

}  // namespace dynacc
