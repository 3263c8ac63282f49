// Graphs in C++: reading, building and changing them, as dynacc.graph does in Python.
//
// A graph is nodes in order, of which each is an op applied to earlier nodes (docs/graph.md).
// Both classes are DynaCC's own graph (codegen/ir/editable_graph.h) seen through functions that
// need nothing to link: extensions are given one (Registry::AddPass), and a host that links
// libdynacc_embed makes one with ParseGraph. Dtypes and shapes follow from operands by the rules
// that tracing uses. Between two edits a graph may be wrong; Check says so.
//
// Texts and nodes belong to the graph. A text that a function of a node or of the graph gives is
// there until the next call of that function. What cannot be done returns null or a problem in
// words, and leaves the graph as it was. Not thread-safe.
#pragma once

#include <cstdint>

namespace dynacc::graph {

class Node {
 public:
  virtual const char* op() const = 0;     // "add", "reduce_sum", "matmul", "view" ...
  virtual const char* dtype() const = 0;  // "f64", "i32", "bool" ...
  virtual int rank() const = 0;
  virtual int64_t size(int axis) const = 0;  // -1: it varies from call to call
  virtual int num_args() const = 0;
  virtual Node* arg(int index) const = 0;
  virtual int num_users() const = 0;  // nodes with this one as an argument, each once
  virtual Node* user(int index) const = 0;
  virtual bool is_output() const = 0;
  virtual Node* next() const = 0;  // in the order of the graph; null: it is the last
  // As it prints: "%5: f64[3] = reduce_sum %4 axes[1]".
  virtual const char* text() const = 0;
  // Where in the program it comes from; "" and 0: nowhere.
  virtual const char* file() const = 0;
  virtual int line() const = 0;
  // Whether every element is the same number that is known now; sets *value.
  virtual bool IsNumber(double* value) const = 0;

 protected:
  ~Node() = default;
};

class Graph {
 public:
  virtual ~Graph() = default;

  virtual Node* first() const = 0;  // null: it is empty
  virtual int num_inputs() const = 0;
  virtual Node* input(int index) const = 0;
  virtual int num_outputs() const = 0;
  virtual Node* output(int index) const = 0;
  // The whole graph, as print(graph) in Python.
  virtual const char* text() const = 0;
  // Null, or which node breaks which rule.
  virtual const char* Check() const = 0;

  // The next input, of a type as graphs print it: "f64[3, 4]".
  virtual Node* AddInput(const char* type) = 0;
  // A node: an op with its attributes as they print, "reduce_sum axes[1] keepdims", "add", "scalar
  // 2.5", of `args`. `type` is the result's, where it does not follow (scalar, cast, view,
  // reshape ...); null: it follows. Arguments of elementwise ops have one dtype and one shape.
  // Null, and error() says why.
  virtual Node* Call(const char* op, Node* const* args, int num_args,
                     const char* type = nullptr) = 0;
  // The number in an array of the dtype and shape of `like`.
  virtual Node* Number(double value, const Node* like) = 0;
  // `node` broadcast to the shape of `like`.
  virtual Node* BroadcastTo(Node* node, const Node* like) = 0;
  virtual const char* error() const = 0;

  // Nodes are made before this one from now on; null: at the end.
  virtual void InsertBefore(Node* node) = 0;
  // Each returns null, or what is wrong.
  virtual const char* SetArg(Node* node, int index, Node* arg) = 0;
  virtual const char* ReplaceAllUses(Node* node, Node* with) = 0;  // of one dtype and shape
  virtual const char* Erase(Node* node) = 0;                       // which nothing uses
  virtual const char* SetOutputs(Node* const* nodes, int num_nodes) = 0;
  // Erases what no output needs; returns how many.
  virtual int EliminateDeadCode() = 0;

  // A new graph on inputs of other dtypes and sizes, one type for each; dtypes and shapes of all
  // nodes follow, without data. Sizes that are no inputs of the graph stay what they are. To be
  // deleted by the caller. Null, and error() names the node for which none follows.
  virtual Graph* Infer(const char* const* types, int num_types) = 0;
};

}  // namespace dynacc::graph

// Of libdynacc_embed: an empty graph, and one of the text of a graph; null, and `problem` (if it is
// not null, of `size` bytes) says why. To be deleted by the caller. Neither needs a Runtime. To run
// one, give its text to Python's dynacc.graph: Graph.parse(text).run(*arrays), or run_text.
extern "C" {
__attribute__((visibility("default"))) dynacc::graph::Graph* dynacc_new_graph(void);
__attribute__((visibility("default"))) dynacc::graph::Graph* dynacc_parse_graph(const char* text,
                                                                                char* problem,
                                                                                uint64_t size);
}
