// A stand-in for NVRTC, by its exported names: compiles CUDA C++ to code for this CPU, by the
// plug-in that compiles the cpu target's kernels. Its "cubins" are for the simulated driver only.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/targets/cpu/plugin_loader.h"
#include "tests/cuda_sim/faults.h"
#include "tests/cuda_sim/simulator.h"

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace dynacc {
extern const char kSimPrelude[];  // sim_api.h and device_prelude.h
}  // namespace dynacc

namespace {

constexpr int kSuccess = 0, kCompilationError = 6;

struct Program {
  std::string source;
  std::string name;
  std::map<std::string, std::string> headers;
  std::string log;
  std::string image;
};

std::vector<std::string> KernelNames(const std::string& source) {
  static const std::regex& pattern =
      *new std::regex(R"(__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator it(source.begin(), source.end(), pattern), end; it != end; ++it) {
    names.push_back((*it)[1]);
  }
  return names;
}

// The plug-in takes one header at most, so headers are put into the text.
std::string FullSource(const Program& program, const std::vector<std::string>& kernels) {
  std::string text = program.source;
  for (const auto& [name, header] : program.headers) {
    absl::StrReplaceAll(
        {{absl::StrCat("#include \"", name, "\"\n"),
          absl::StrCat("#line 1 \"", name, "\"\n", header, "\n#line 2 \"", program.name, "\"\n")}},
        &text);
  }
  std::string full = absl::StrCat(dynacc::kSimPrelude, "#line 1 \"", program.name, "\"\n", text);
  for (const std::string& kernel : kernels) {
    absl::StrAppend(&full, "extern \"C\" void dynacc_sim_call_", kernel,
                    "(void** arguments) { SimCall(", kernel, ", arguments); }\n");
    absl::StrAppend(&full, "extern \"C\" unsigned long dynacc_sim_sizes_", kernel,
                    "(unsigned long* sizes) { return SimSizes(", kernel, ", sizes); }\n");
  }
  return full;
}

// Keeps one copy of each source: a file named by its content.
void KeepSource(const Program& program) {
  const std::string& folder = dynacc::sim::TheSettings().sources;
  if (folder.empty()) return;
  const std::string name =
      absl::StrCat(absl::Hex(std::hash<std::string>()(program.source), absl::kZeroPad16), ".cu");
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  if (!std::filesystem::exists(path)) std::ofstream(path) << program.source;
}

}  // namespace

// Differs from any real one's, and whenever the simulator's own text does, so that cached kernels
// are never taken for another compiler's.
SIM_EXPORT int nvrtcVersion(int* major, int* minor) {
  *major = 1000;
  *minor = static_cast<int>(std::hash<std::string>()(dynacc::kSimPrelude) & 0x7fffffff);
  return kSuccess;
}

SIM_EXPORT const char* nvrtcGetErrorString(int result) {
  return result == kCompilationError ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}

SIM_EXPORT int nvrtcCreateProgram(Program** program, const char* source, const char* name,
                                  int num_headers, const char* const* headers,
                                  const char* const* header_names) {
  auto* made = new Program{source, name, {}, "", ""};
  for (int i = 0; i < num_headers; ++i) made->headers[header_names[i]] = headers[i];
  *program = made;
  return kSuccess;
}

SIM_EXPORT int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}

SIM_EXPORT int nvrtcCompileProgram(Program* program, int, const char* const*) {
  if (const int fault = dynacc::sim::FaultOf("nvrtcCompileProgram"); fault != 0) return fault;
  KeepSource(*program);
  dynacc::sim::Image image;
  image.kernels = KernelNames(program->source);
  const auto object =
      dynacc::cpu::CompileObject(program->name, FullSource(*program, image.kernels));
  if (!object.ok()) {
    program->log = std::string(object.status().message());
    return kCompilationError;
  }
  image.object = *object;
  program->image = dynacc::sim::WriteImage(image);
  return kSuccess;
}

SIM_EXPORT int nvrtcGetCUBINSize(Program* program, size_t* size) {
  *size = program->image.size();
  return kSuccess;
}

SIM_EXPORT int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::memcpy(cubin, program->image.data(), program->image.size());
  return kSuccess;
}

// There is one form of code only.
SIM_EXPORT int nvrtcGetPTXSize(Program* program, size_t* size) {
  return nvrtcGetCUBINSize(program, size);
}

SIM_EXPORT int nvrtcGetPTX(Program* program, char* ptx) { return nvrtcGetCUBIN(program, ptx); }

SIM_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return kSuccess;
}

SIM_EXPORT int nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return kSuccess;
}

SIM_EXPORT int nvrtcGetProgramLogSize(Program* program, size_t* size) {
  *size = program->log.size() + 1;
  return kSuccess;
}

SIM_EXPORT int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}
