#include "codegen/compile/compile_output.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/perf_map.h"

namespace dynacc {

PassOptions ObservedPasses(const Graph& graph, const DebugFolder* folder) {
  PassOptions options = ProcessPassOptions();
  if (folder == nullptr) return options;
  options.after = [folder, number = 0, last = PrintGraph(graph)](const Pass& pass,
                                                                 const Graph& after) mutable {
    std::string text = PrintGraph(after);
    ++number;
    if (text == last) return;
    folder->Write(absl::StrCat("pass-", number, "-", pass.name, ".txt"), text);
    last = std::move(text);
  };
  return options;
}

void WriteKernels(const DebugFolder& folder, absl::Span<const Kernel> kernels,
                  absl::Span<const std::shared_ptr<const CompiledKernel>> compiled) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::string name = absl::StrCat("kernel-", i);
    const std::string text = KernelText(kernels[i]);
    folder.Write(absl::StrCat(name, ".txt"), text);
    if (compiled[i]->source() != text)
      folder.Write(absl::StrCat(name, ".cc"), compiled[i]->source());
    if (!compiled[i]->object().empty())
      folder.Write(absl::StrCat(name, ".o"), compiled[i]->object());
  }
}

void NameForPerf(absl::Span<const Kernel> kernels,
                 absl::Span<const std::shared_ptr<const CompiledKernel>> compiled,
                 absl::string_view label) {
  for (size_t i = 0; i < kernels.size(); ++i) {
    const absl::Span<const char> code = compiled[i]->code();
    if (code.empty()) continue;
    const KernelStep& last = kernels[i].steps.back();
    AddToPerfMap(code, absl::StrCat("dynacc: ", label, " ", kernels[i].name, " at ", last.file, ":",
                                    last.line));
  }
}

std::string DescribeKernels(const std::string& schedule, absl::Span<const LoweredKernel> lowered,
                            absl::Span<const std::shared_ptr<const CompiledKernel>> kernels) {
  std::string text = schedule;
  size_t next = 0;
  for (const LoweredKernel& group : lowered) {
    if (group.kernel.steps.empty()) continue;
    absl::StrAppend(&text, "\n", KernelText(group.kernel));
    const std::string& source = kernels[next++]->source();
    if (source != KernelText(group.kernel)) absl::StrAppend(&text, source);
  }
  return text;
}

}  // namespace dynacc
