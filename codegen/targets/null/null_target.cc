#include "codegen/targets/null/null_target.h"

#include "codegen/kernel/kernel_text.h"

namespace dynacc {
namespace {

class NullKernel : public CompiledKernel {
 public:
  explicit NullKernel(const Kernel& kernel) : source_(KernelText(kernel)) {}
  void Run(char* const*, const int64_t*, int64_t) const override {}
  const std::string& source() const override { return source_; }

 private:
  std::string source_;
};

class NullTargetImpl : public Target {
 public:
  absl::string_view name() const override { return "null"; }

  absl::StatusOr<std::vector<std::shared_ptr<const CompiledKernel>>> CompileKernels(
      absl::Span<const Kernel> kernels) const override {
    std::vector<std::shared_ptr<const CompiledKernel>> compiled;
    for (const Kernel& kernel : kernels) compiled.push_back(std::make_shared<NullKernel>(kernel));
    return compiled;
  }
};

}  // namespace

const Target* NullTarget() {
  static const auto& target = *new NullTargetImpl;
  return &target;
}

}  // namespace dynacc
