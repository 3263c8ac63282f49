#include "codegen/targets/cuda/cuda_target.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/cuda_dialect.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"
#include "codegen/targets/tile/tile_target.h"
#include "runtime/base/log.h"
#include "runtime/base/stats.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

constexpr int kArchitectures[] = {80, 90};
constexpr absl::string_view kElfMagic = "\177ELF";

absl::Status CompileForAll(const std::string& source, bool fast_math) {
  for (const int architecture : kArchitectures) {
    const absl::StatusOr<std::string> cubin =
        CompileCubin("dynacc_kernels.cu", source, {architecture, fast_math});
    if (!cubin.ok()) {
      return Annotate(cubin.status(), absl::StrCat("compiling for sm_", architecture));
    }
    if (!absl::StartsWith(*cubin, kElfMagic)) {
      return absl::InternalError("NVRTC gave something that is no cubin");
    }
  }
  return absl::OkStatus();
}

class CudaTargetImpl : public Target {
 public:
  absl::string_view name() const override { return "cuda"; }

  absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> CompileKernels(
      absl::Span<const Kernel> kernels) const override {
    if (!kernels.empty()) {
      DYNACC_ASSIGN_OR_RETURN(const std::string source, EmitModule(kernels, CudaDialect()));
      DYNACC_RETURN_IF_ERROR(CompileOnce(source, kernels.front().fast_math));
    }
    return TileTarget()->CompileKernels(kernels);
  }

 private:
  // Modules that differ in comments only are compiled once.
  absl::Status CompileOnce(const std::string& source, bool fast_math) const {
    const std::string key = absl::StrCat(fast_math, WithoutComments(source));
    {
      absl::MutexLock lock(&mutex_);
      if (compiled_.contains(key)) return absl::OkStatus();
    }
    const CompileTimer timer;
    DYNACC_RETURN_IF_ERROR(CompileForAll(source, fast_math));
    Count(ProcessStats().kernels_compiled);
    if (LogEnabled(LogTopic::kKernels, 2)) Log(LogTopic::kKernels, source);
    absl::MutexLock lock(&mutex_);
    compiled_.insert(key);
    return absl::OkStatus();
  }

  mutable absl::Mutex mutex_;
  mutable absl::flat_hash_set<std::string> compiled_;
};

}  // namespace

const Target* CudaTarget() {
  static const CudaTargetImpl& target = *new CudaTargetImpl;
  return &target;
}

}  // namespace dynacc
