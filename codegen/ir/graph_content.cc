#include "codegen/ir/graph_content.h"

#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "runtime/executor/library_call_text.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc::ir {
namespace {

void CollectCalls(const Graph& graph, std::vector<int64_t>& calls) {
  for (const Node* node : graph.nodes()) {
    const int64_t call = node->attrs.call;
    if (call != kNoCall && !absl::c_linear_search(calls, call)) calls.push_back(call);
    for (const Graph* subgraph : node->attrs.subgraphs) CollectCalls(*subgraph, calls);
  }
}

class ContentWriter {
 public:
  explicit ContentWriter(std::vector<int64_t> calls) : calls_(std::move(calls)) {}

  void Write(const Graph& graph) {
    WriteScalars(graph.scalars());
    Number(graph.nodes().size());
    for (const Node* node : graph.nodes()) WriteNode(graph, *node);
    Number(graph.outputs().size());
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      const Node* const target = graph.targets()[i];
      Number(graph.outputs()[i]->id);
      Number(target == nullptr ? -1 : target->id);
    }
    Items(graph.conditions());
  }

  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  void Number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void Text(absl::string_view text) {
    Number(text.size());
    absl::StrAppend(&bytes_, text);
  }

  template <typename T>
  void Items(absl::Span<const T> items) {
    Number(items.size());
    bytes_.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
  }

  void WriteScalars(const ScalarProgram& program) {
    Number(program.size());
    for (ScalarId id = 0; id < program.size(); ++id) {
      const ScalarExpr& expr = program.expr(id);
      Number(expr.op);
      Number(expr.type);
      Number(expr.a);
      Number(expr.b);
      Number(expr.value.i);
    }
  }

  void WriteNode(const Graph& graph, const Node& node) {
    WriteOp(node.op);
    Number(node.dtype);
    Items(node.shape);
    Number(node.operands.size());
    for (const Node* operand : node.operands) Number(operand->id);
    Items(node.attrs.ints);
    Items(node.attrs.scalars);
    Number(node.attrs.keepdims);
    Number(node.attrs.order);
    WriteCall(node.attrs.call);
    Number(graph.ReportedBy(&node));
    Number(node.origin);
    WriteFile(node.location.file);
    Number(node.location.line);
    Number(node.attrs.subgraphs.size());
    for (const Graph* subgraph : node.attrs.subgraphs) Write(*subgraph);
  }

  // A registered op is what its row says, under whatever number.
  void WriteOp(Op op) {
    if (!IsRegistered(op)) return Number(op);
    const OpInfo& row = Info(op);
    Number(static_cast<Op>(NumOps()));
    for (const char* text : {row.text, row.c_expr, row.numpy, row.cuda}) Text(text);
    Number(row.category);
    Number(row.traits);
    Number(row.dtype_rule);
  }

  void WriteCall(int64_t call) {
    if (call == kNoCall) return Number(kNoCall);
    Number<int64_t>(absl::c_find(calls_, call) - calls_.begin());
    Text(executor::FindCallText(call).value_or(""));
  }

  // Nodes of one file share its name.
  void WriteFile(const char* file) {
    const auto [found, is_new] = files_.try_emplace(file, static_cast<int>(files_.size()));
    Number(found->second);
    if (is_new) Text(file);
  }

  const std::vector<int64_t> calls_;
  absl::flat_hash_map<absl::string_view, int> files_;
  std::string bytes_;
};

}  // namespace

std::string GraphContent(const Graph& graph) {
  ContentWriter writer(LibraryCallsOf(graph));
  writer.Write(graph);
  return writer.Take();
}

std::vector<int64_t> LibraryCallsOf(const Graph& graph) {
  std::vector<int64_t> calls;
  CollectCalls(graph, calls);
  return calls;
}

}  // namespace dynacc::ir
