#include "codegen/compile/export_program.h"

#include <iterator>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "codegen/targets/cpu/cpu_dialect.h"
#include "codegen/targets/cpu/kernel_objects.h"
#include "runtime/base/check.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/own/lapack.h"
#include "runtime/cpu/own/number_functions.h"
#include "runtime/cpu/own/own_functions.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/executor/control_flow_steps.h"
#include "runtime/executor/copy_step.h"
#include "runtime/executor/graph_executor.h"
#include "runtime/executor/library_call_text.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/executor/reduce_step.h"
#include "runtime/executor/row_block_step.h"
#include "runtime/executor/window_matmul_step.h"
#include "runtime/kernel/kernel_text.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/program/plan_archive.h"

namespace dynacc::compile {
namespace {

constexpr const char* kLevels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

// A kernel of a plan that is not to run here.
class ExportedKernel : public kernel::CompiledKernel {
 public:
  ExportedKernel(int number, bool folds) : number_(number), folds_(folds) {}
  void Run(char* const*, const int64_t*, int64_t) const override {
    DYNACC_CHECK(false) << "an exported kernel runs where its program is loaded";
  }
  bool folds() const override { return folds_; }
  const std::string& source() const override { return source_; }
  int number() const { return number_; }

 private:
  const int number_;
  const bool folds_;
  const std::string source_;
};

std::string Place(absl::string_view file, int line) {
  return line > 0 ? absl::StrCat(file, ":", line) : "the program";
}

// What stands in the way, a line for each place.
class Obstacles {
 public:
  // `lapack`: null without one.
  Obstacles(const ir::Graph& graph, const ExportOptions& options,
            std::shared_ptr<const cpu::Lapack> lapack)
      : graph_(graph),
        library_(options.library),
        fast_math_(options.fast_math),
        inputs_(options.inputs),
        lapack_(std::move(lapack)) {}

  void Add(const std::string& line) {
    if (!absl::c_linear_search(lines_, line)) lines_.push_back(line);
  }

  // The form of our loop for the op that has the bits of the array library's (cpu::OwnLoop): an
  // obstacle, and 0, where none does.
  int FindForm(Op op, DType dtype, absl::string_view file, int line) {
    const kernel::LibraryLoop library = kernel::FindLibraryLoop(static_cast<int>(op), dtype);
    if (const auto form = cpu::FindForm(library, op, dtype)) return *form;
    const char* const name = Info(op).numpy[0] == '\0' ? Info(op).text : Info(op).numpy;
    const bool reduces = Info(op).category == OpCategory::kReduction;
    Add(absl::StrCat(Place(file, line), ": numpy.", name, reduces ? ".reduce" : "", " of ",
                     Info(dtype).text,
                     " is computed by NumPy's own loop, whose bits no loop of DynaCC's gives; ",
                     WayOut(op, dtype)));
    return 0;
  }

  // That there is one, for a step of the plan: its place is that of the first such node.
  void CheckLoop(Op op, DType dtype) {
    for (const ir::Node* node : graph_.nodes()) {
      if (node->op != op || node->dtype != dtype) continue;
      FindForm(op, dtype, node->location.file, node->location.line);
      return;
    }
    FindForm(op, dtype, "", 0);
  }

  void CheckNodes() {
    CheckNodes(graph_);
    for (const ir::Node* output : graph_.outputs()) {
      const bool is_known = absl::c_all_of(
          output->shape, [&](ScalarId size) { return graph_.scalars().Level(size) == 0; });
      if (is_known || !lines_.empty()) continue;  // of a place before
      Add(absl::StrCat(
          Place(output->location.file, output->location.line),
          ": the size of the result depends on values; a mask, or np.where, has a size "
          "that is known"));
    }
    for (size_t i = 0; i < graph_.targets().size(); ++i) {
      if (graph_.targets()[i] == nullptr) continue;
      const auto input = static_cast<size_t>(graph_.targets()[i]->attrs.ints[0]);
      const ir::SourceLocation at = graph_.outputs()[i]->location;
      Add(absl::StrCat(Place(at.file, at.line), ": the function writes into its argument, ",
                       input < inputs_.size() ? inputs_[input] : absl::StrCat("input ", input),
                       "; let it return the new array"));
    }
  }

  void CheckSteps(const std::vector<std::unique_ptr<const executor::Step>>& steps,
                  const std::vector<executor::BufferPlan>& buffers) {
    for (const auto& step : steps) {
      if (const auto* block = dynamic_cast<const executor::RowBlockStep*>(step.get())) {
        CheckSteps(block->steps(), buffers);
      } else if (const auto* reduce = dynamic_cast<const executor::ReduceStep*>(step.get())) {
        CheckLoop(reduce->plan().op, reduce->plan().dtype);
      } else if (const auto* matmul = dynamic_cast<const executor::MatmulStep*>(step.get())) {
        CheckProduct(buffers[matmul->plan().output].dtype);
      } else if (const auto* windows =
                     dynamic_cast<const executor::WindowMatmulStep*>(step.get())) {
        CheckProduct(buffers[windows->plan().output].dtype);
      } else if (const auto* cond = dynamic_cast<const executor::CondStep*>(step.get())) {
        for (const executor::SubgraphPlan& branch : cond->branches()) CheckGraph(*branch.graph);
      } else if (const auto* loop = dynamic_cast<const executor::LoopStep*>(step.get())) {
        for (const executor::SubgraphPlan& graph : loop->plan().graphs) CheckGraph(*graph.graph);
      }
    }
  }

  absl::Status Status() const {
    if (lines_.empty()) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrJoin(lines_, "\n"));
  }

 private:
  // What to do in the place of what only NumPy's loop computes.
  std::string WayOut(Op op, DType dtype) const {
    const bool is_plain_float = dtype == DType::kFloat32 || dtype == DType::kFloat64;
    const bool is_fast = absl::c_any_of(cpu::CpuDialect().fast_spellings,
                                        [&](const emit::OpSpelling& row) { return row.op == op; });
    const bool is_fast_product = op == Op::kMatmul && dtype == DType::kFloat32;
    if (!fast_math_ && ((is_fast && is_plain_float) || is_fast_product)) {
      return "fast_math=True has one of its own (docs/program.md)";
    }
    if (op == Op::kPower) return "write a small whole power as products: x * x * x";
    return "pass in what it gives, or call NumPy on what the program gives";
  }

  // Also of the graphs that nodes run.
  void CheckNodes(const ir::Graph& graph) {
    for (const ir::Node* node : graph.nodes()) {
      const std::string place = Place(node->location.file, node->location.line);
      if (node->op == Op::kLibraryCall) {
        const std::string why = WhyNoFunction(*node);
        if (why.empty()) continue;
        const std::string text =
            executor::FindCallText(node->attrs.call).value_or(Info(node->op).text);
        // The call by which a trace makes a bound of an int that arrays compute.
        if (absl::StartsWith(text, "bound(")) {
          Add(absl::StrCat(place,
                           ": a slice with a bound that arrays compute: its size depends on "
                           "values; a mask over the whole array has a size that is known"));
          continue;
        }
        if (ir::DefinedBy(*node) != kNoScalar) {
          Add(absl::StrCat(place, ": ", text,
                           " gives an array whose size depends on values; the sizes of a program's "
                           "arrays are known before it runs"));
          continue;
        }
        Add(absl::StrCat(place, ": ", text, " is a call of ", OwnerOf(text),
                         ", which is not there where a program runs", why));
      }
      for (const ir::Graph* subgraph : node->attrs.subgraphs) CheckNodes(*subgraph);
    }
  }

  // Whose function a call is of, by its text.
  static absl::string_view OwnerOf(absl::string_view text) {
    const absl::string_view module = text.substr(0, text.find('.'));
    constexpr absl::string_view kPythons[] = {"builtins", "math", "_operator"};
    return absl::c_linear_search(kPythons, module) ? "Python's" : "NumPy's";
  }

  // Why no function of ours makes the node's call; empty if one does.
  std::string WhyNoFunction(const ir::Node& node) const {
    const std::optional<cpu::OwnCall> call = executor::FindOwnCall(node.attrs.call);
    if (!call) return "; pass in what it gives, or call NumPy on what the program gives";
    if (cpu::GivesPlace(*call)) return "";
    std::vector<cpu::OperandType> operands;
    for (const ir::Node* operand : node.operands) {
      operands.push_back({operand->dtype, operand->rank()});
    }
    const cpu::OperandType result = {node.dtype, node.rank()};
    const std::string why = cpu::WhyNotOwn(*call, operands, result);
    if (!why.empty())
      return absl::StrCat(", and the function of DynaCC's in its place refuses: ", why);
    if (cpu::NeedsLapack(*call) && lapack_ == nullptr) {
      return "; libraries={'lapack': 'liblapack.so.3'} lets programs call that LAPACK, if NumPy "
             "does";
    }
    if (library_ != nullptr && HasBits(node, *call, operands, result)) return "";
    if (cpu::NeedsLapack(*call)) {
      return ", and the LAPACK that is named gives other bits than this NumPy's";
    }
    constexpr absl::string_view kOthers =
        ", and the function of DynaCC's in its place has other bits here; ";
    if (call->function == "einsum") {
      return absl::StrCat(kOthers, "write it with matmul, or as the sum of a product");
    }
    if (call->function == "_operator.pow") {
      return absl::StrCat(kOthers, "write x * x, np.sqrt(x) or math.sqrt(x), or float(x) ** y");
    }
    return absl::StrCat(kOthers, cpu::IsNumberFunction(call->function)
                                     ? "pass in what it gives, or call it on what the program gives"
                                     : "of sorts those with kind='stable' have the same everywhere "
                                       "(docs/program.md)");
  }

  bool HasBits(const ir::Node& node, const cpu::OwnCall& call,
               absl::Span<const cpu::OperandType> operands, cpu::OperandType result) const {
    const auto call_library = [&](absl::Span<const StridedView> inputs,
                                  const StridedView& expected) {
      executor::LibraryCallArguments arguments;
      arguments.library_call_id = node.attrs.call;
      arguments.inputs = inputs;
      arguments.dtype = expected.dtype;
      arguments.shape = {expected.shape, static_cast<size_t>(expected.rank)};
      const auto given = library_->Call(arguments);
      if (given.ok()) executor::CopyElements((*given)->view, expected);
      return given.ok();
    };
    return cpu::HasBitsOf(call_library, call, operands, result, lapack_.get());
  }

  void CheckProduct(DType dtype) {
    if (!fast_math_ || dtype != DType::kFloat32) CheckLoop(Op::kMatmul, dtype);
  }

  void CheckGraph(const executor::CompiledGraph& graph) {
    const auto& executor = dynamic_cast<const executor::GraphExecutor&>(graph);
    CheckSteps(executor.steps(), executor.buffers());
  }

  const ir::Graph& graph_;
  executor::LibraryCaller* const library_;
  const bool fast_math_;
  const std::vector<std::string>& inputs_;
  const std::shared_ptr<const cpu::Lapack> lapack_;
  std::vector<std::string> lines_;
};

// The graph, and those that its nodes run, in which ops that a call of NumPy's may compute do
// without it. Calls themselves stay: functions of ours make them.
std::shared_ptr<const ir::Graph> WithoutCalls(const ir::Graph& given) {
  auto graph = std::make_shared<ir::Graph>();
  graph->scalars() = given.scalars();
  std::vector<const ir::Node*> made;
  std::vector<std::shared_ptr<const ir::Graph>> kept;  // until nodes keep them
  for (const ir::Node* node : given.nodes()) {
    std::vector<const ir::Node*> operands;
    for (const ir::Node* operand : node->operands) operands.push_back(made[operand->id]);
    std::vector<const ir::Graph*> subgraphs;
    for (const ir::Graph* subgraph : node->attrs.subgraphs) {
      subgraphs.push_back(kept.emplace_back(WithoutCalls(*subgraph)).get());
    }
    ir::NodeAttrs attrs = node->attrs;
    if (node->op != Op::kLibraryCall) attrs.call = ir::kNoCall;
    attrs.subgraphs = subgraphs;
    graph->SetLocation(node->location.file, node->location.line);
    graph->SetReported(given.ReportedBy(node));
    made.push_back(graph->Make(node->op, node->dtype, node->shape, operands, attrs));
  }
  for (size_t i = 0; i < given.outputs().size(); ++i) {
    const ir::Node* const target = given.targets()[i];
    graph->AddOutput(made[given.outputs()[i]->id], target == nullptr ? nullptr : made[target->id]);
  }
  for (const ScalarId condition : given.conditions()) graph->AddCondition(condition);
  return graph;
}

absl::Status CheckLevels(const std::vector<std::string>& levels) {
  for (const std::string& level : levels) {
    if (absl::c_linear_search(kLevels, level)) continue;
    return absl::InvalidArgumentError(absl::StrCat("no level of CPUs is called ", level,
                                                   "; there are ", absl::StrJoin(kLevels, ", ")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<program::ProgramContents> ExportGraph(const ir::Graph& given,
                                                     const ExportOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckLevels(options.levels));
  std::shared_ptr<const cpu::Lapack> lapack;
  if (!options.lapack_name.empty()) {
    DYNACC_ASSIGN_OR_RETURN(lapack, cpu::Lapack::Open(options.lapack_name));
  }
  Obstacles obstacles(given, options, lapack);
  obstacles.CheckNodes();
  DYNACC_RETURN_IF_ERROR(obstacles.Status());
  const std::shared_ptr<const ir::Graph> without_calls = WithoutCalls(given);
  const ir::Graph& graph = *without_calls;
  program::ProgramContents contents;
  contents.producer = absl::StrCat("dynacc ", DYNACC_VERSION);
  contents.graph = ir::PrintGraph(graph);
  for (const std::string& level : options.levels) contents.code.push_back({level, {}});
  int num_modules = 0;  // of this graph and those that its nodes run, so far
  const auto make = [&](absl::Span<const kernel::Kernel> kernels)
      -> absl::StatusOr<std::vector<std::shared_ptr<const kernel::CompiledKernel>>> {
    DYNACC_ASSIGN_OR_RETURN(const cpu::KernelObjects objects,
                            cpu::CompileKernelObjects(kernels, options.levels));
    std::vector<std::shared_ptr<const kernel::CompiledKernel>> made;
    for (const cpu::KernelObjects::Place& place : objects.places) {
      kernel::Kernel kernel = place.kernel;
      for (kernel::KernelStep& step : kernel.steps) {
        if (!step.library) continue;
        step.form = obstacles.FindForm(step.op, step.dtype, step.file, step.line);
      }
      const auto number = static_cast<int>(contents.kernels.size());
      made.push_back(std::make_shared<const ExportedKernel>(number, kernel.folds));
      contents.kernels.push_back(
          {kernel::KernelText(kernel), place.lanes, num_modules + place.module});
    }
    for (size_t i = 0; i < options.levels.size(); ++i) {
      absl::c_copy(objects.objects[i], std::back_inserter(contents.code[i].objects));
      num_modules = static_cast<int>(contents.code[i].objects.size());
    }
    return made;
  };
  CompileOptions compile;
  compile.fast_math = options.fast_math;
  compile.has_product_library = false;
  compile.label = options.label;
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<const executor::CompiledGraph> compiled,
                          CompileGraphWith(graph, compile, make));
  const auto& executor = dynamic_cast<const executor::GraphExecutor&>(*compiled);
  obstacles.CheckSteps(executor.steps(), executor.buffers());
  DYNACC_RETURN_IF_ERROR(obstacles.Status());
  program::PlanHost host;
  host.contracts = options.fast_math;
  host.lapack = options.lapack_name;
  const auto number_of = [](const kernel::CompiledKernel& kernel) {
    return dynamic_cast<const ExportedKernel&>(kernel).number();
  };
  DYNACC_ASSIGN_OR_RETURN(contents.plan, program::SavePlan(executor, number_of, host));
  for (size_t i = 0; i < executor.steps().size(); ++i) {
    const std::string& place = executor.steps()[i]->place;
    if (!place.empty()) contents.places.push_back({static_cast<int>(i), place});
  }
  return contents;
}

}  // namespace dynacc::compile
