#include "codegen/compile/compile_output.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/perf_map.h"

namespace dynacc::compile {

passes::PassOptions ObservedPasses(const ir::Graph& graph, const DebugFolder* folder) {
  passes::PassOptions options = passes::ProcessPassOptions();
  if (folder == nullptr) return options;
  options.after = [folder, number = 0, last = ir::PrintGraph(graph)](
                      const passes::Pass& pass, const ir::Graph& after) mutable {
    std::string text = ir::PrintGraph(after);
    ++number;
    if (text == last) return;
    folder->Write(absl::StrCat("pass-", number, "-", pass.name, ".txt"), text);
    last = std::move(text);
  };
  return options;
}

void WriteKernels(const DebugFolder& folder, absl::Span<const kernel::Kernel> kernels,
                  absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> compiled) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = absl::StrCat("kernel-", i);
    const std::string text = kernel::KernelText(kernels[i]);
    folder.Write(absl::StrCat(name, ".txt"), text);
    if (compiled[i]->source() != text)
      folder.Write(absl::StrCat(name, ".cc"), compiled[i]->source());
    if (!compiled[i]->object().empty())
      folder.Write(absl::StrCat(name, ".o"), compiled[i]->object());
  }
}

void NameForPerf(absl::Span<const kernel::Kernel> kernels,
                 absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> compiled,
                 absl::string_view label) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const absl::Span<const char> code = compiled[i]->code();
    if (code.empty()) continue;
    const kernel::KernelStep& last = kernels[i].steps.back();
    kernel::AddToPerfMap(code, absl::StrCat("dynacc: ", label, " ", kernels[i].name, " at ",
                                            last.file, ":", last.line));
  }
}

std::string DescribeKernels(
    const std::string& schedule, absl::Span<const emit::LoweredKernel> lowered,
    absl::Span<const std::shared_ptr<const kernel::CompiledKernel>> kernels) {
  std::string text = schedule;
  size_t next = 0;
  for (const emit::LoweredKernel& group : lowered) {
    if (group.kernel.steps.empty()) continue;
    absl::StrAppend(&text, "\n", kernel::KernelText(group.kernel));
    const std::string& source = kernels[next++]->source();
    if (source != kernel::KernelText(group.kernel)) absl::StrAppend(&text, source);
  }
  return text;
}

}  // namespace dynacc::compile
