#include "codegen/targets/cpu/compiler/object_emitter.h"

#include <iterator>
#include <limits>

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

namespace dynacc::cpu {
namespace {

// Kernels come as explicit vectors, so no vectoriser and no unroller is wanted. Measured on
// kernels of 4 to 60 operations: half the compile time of -O3, the same speed of the code.
// Named in a text like this, instcombine would end the process where one round of it leaves
// something to combine; LLVM's own pipelines do without that check, too.
constexpr const char* kPipeline =
    "always-inline,globaldce,function(sroa,early-cse,simplifycfg,"
    "loop-mssa(loop-rotate,licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg)";

// Loops over elements run a few rounds as often as many, and hold many values. Rounds that LLVM has
// unrolled are skipped or are too many for the registers then; vectors are worth their beginning.
llvm::PipelineTuningOptions Tuning() {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  return tuning;
}

// Of a build with AddressSanitizer: each access to memory is checked. After all other passes, so
// that what is checked is the code that runs elsewhere. Variables and the stack stay as they are:
// nothing would register those, and a kernel's own arrays are none of an array library's.
void CheckAccesses([[maybe_unused]] llvm::Module& module,
                   [[maybe_unused]] llvm::ModuleAnalysisManager& modules) {
#ifdef DYNACC_CHECKED_KERNELS
  static const bool has_options = [] {
    constexpr const char* kOptions[] = {"", "-asan-globals=0", "-asan-stack=0"};
    return llvm::cl::ParseCommandLineOptions(std::size(kOptions), kOptions);
  }();
  if (!has_options) return;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
  llvm::AddressSanitizerOptions options;
  options.UseAfterReturn = llvm::AsanDetectStackUseAfterReturnMode::Never;
  options.InstrumentationWithCallsThreshold = std::numeric_limits<int>::max();
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AddressSanitizerPass(options, /*UseGlobalGC=*/false,
                                            /*UseOdrIndicator=*/false, llvm::AsanDtorKind::None,
                                            llvm::AsanCtorKind::None));
  passes.run(module, modules);
#endif
}

llvm::Error Optimize(llvm::Module& module, llvm::TargetMachine& machine, bool is_scalar) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, Tuning());
  // Kernels link against a short list of symbols, so no pass may turn loops or calls into calls
  // of other library functions.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  llvm::ModulePassManager passes;
  if (is_scalar) {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else if (llvm::Error error = builder.parsePassPipeline(passes, kPipeline))
    return error;
  passes.run(module, modules);
  CheckAccesses(module, modules);
  return llvm::Error::success();
}

}  // namespace

bool EmitObject(llvm::Module& module, const KernelTarget& target, bool is_scalar,
                std::string& result) {
  std::unique_ptr<llvm::TargetMachine> machine = TakeTargetMachine(target);
  if (machine == nullptr) {
    result = "LLVM does not know this machine";
    return false;
  }
  // All functions are for the machine's own CPU and features; read at each of them by each pass,
  // these long texts took a tenth of a compile.
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  module.setDataLayout(machine->createDataLayout());
  if (llvm::Error error = Optimize(module, *machine, is_scalar)) {
    result = llvm::toString(std::move(error));
    return false;
  }
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager code_generation;
  if (machine->addPassesToEmitFile(code_generation, out, nullptr,
                                   llvm::CodeGenFileType::ObjectFile)) {
    result = "LLVM cannot write objects for this machine";
    return false;
  }
  code_generation.run(module);
  result.assign(object.data(), object.size());
  GiveBack(target, std::move(machine));
  return true;
}

}  // namespace dynacc::cpu
