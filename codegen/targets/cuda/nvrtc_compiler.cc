#include "codegen/targets/cuda/nvrtc_compiler.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// The library's functions, by their own names.
struct Nvrtc {
#define DYNACC_NVRTC_FUNCTION(name) decltype(&::name) name = nullptr;
#include "codegen/targets/cuda/nvrtc_functions.def"
#undef DYNACC_NVRTC_FUNCTION
};

absl::StatusOr<Nvrtc> OpenNvrtc() {
  void* library = nullptr;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", DYNACC_NVRTC_LIBRARY}) {
    if (library == nullptr && *name != '\0') library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return absl::UnavailableError("libnvrtc is not on this machine");
  Nvrtc nvrtc;
#define DYNACC_NVRTC_FUNCTION(name)                                           \
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

absl::Status Check(const Nvrtc& nvrtc, nvrtcResult result, absl::string_view what) {
  if (result == NVRTC_SUCCESS) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", nvrtc.nvrtcGetErrorString(result)));
}

std::string ProgramLog(const Nvrtc& nvrtc, nvrtcProgram program) {
  size_t size = 0;
  if (nvrtc.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size == 0) return "";
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

absl::StatusOr<std::string> CompileCubin(const std::string& name, const std::string& source,
                                         const NvrtcOptions& options) {
  DYNACC_RETURN_IF_ERROR(NvrtcStatus());
  const Nvrtc& nvrtc = *TheNvrtc();
  const char* header = kCudaPrelude;
  const char* header_name = kCudaPreludeName;
  nvrtcProgram program = nullptr;
  DYNACC_RETURN_IF_ERROR(Check(
      nvrtc,
      nvrtc.nvrtcCreateProgram(&program, source.c_str(), name.c_str(), 1, &header, &header_name),
      "creating an NVRTC program"));
  const absl::Cleanup destroy = [&] { nvrtc.nvrtcDestroyProgram(&program); };
  const std::vector<std::string> flags = Flags(options);
  std::vector<const char*> flag_pointers;
  for (const std::string& flag : flags) flag_pointers.push_back(flag.c_str());
  const nvrtcResult compiled = nvrtc.nvrtcCompileProgram(
      program, static_cast<int>(flag_pointers.size()), flag_pointers.data());
  DYNACC_RETURN_IF_ERROR(
      Check(nvrtc, compiled, absl::StrCat("emitted CUDA source\n", ProgramLog(nvrtc, program))));
  size_t size = 0;
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, nvrtc.nvrtcGetCUBINSize(program, &size), "cubin size"));
  std::string cubin(size, '\0');
  DYNACC_RETURN_IF_ERROR(Check(nvrtc, nvrtc.nvrtcGetCUBIN(program, cubin.data()), "cubin"));
  return cubin;
}

}  // namespace dynacc
