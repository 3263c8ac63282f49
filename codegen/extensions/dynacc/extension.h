// Extensions of the compiler: operators, passes, rewrites, fusion rules and vetoes of your own.
//
// An extension is a shared library that DYNACC_EXTENSIONS names. It includes this header, which
// needs nothing else of DynaCC and nothing to link, and says what it adds:
//
//   #include <dynacc/extension.h>
//
//   DYNACC_EXTENSION(registry) {
//     registry.AddRewrite("log-of-exp", "log(exp(?x))", "?x");
//   }
//
//   c++ -std=c++20 -shared -fPIC extension.cc -o libextension.so
//   DYNACC_EXTENSIONS=./libextension.so dynacc-python program.py
//
// It is opened when capture starts, and never closed. Each name can be given to
// DYNACC_DISABLE_PASSES, so that what a rule is worth can be measured; DYNACC_LOGS=schedule says
// what a rule fused and a veto kept apart, DYNACC_LOGS=+graph what a rewrite made. Functions are
// called on any thread, on several at once, and often; they must not throw. Objects that a function
// is given are there until it returns; names must stay where they are. docs/extending.md has
// examples.
#pragma once

#include <cstdint>

namespace dynacc::graph {
class Graph;  // dynacc/graph.h
}  // namespace dynacc::graph

namespace dynacc::extension {

// Goes up when a class below changes. A library of another version is not used.
inline constexpr int kVersion = 2;

// An operation on whole arrays: a node of a captured graph, as DYNACC_LOGS=graph prints it.
class Node {
 public:
  virtual const char* op() const = 0;     // "add", "reduce_sum", "matmul", "view" ...
  virtual const char* dtype() const = 0;  // of the result: "f64", "i32", "bool" ...
  virtual int rank() const = 0;
  virtual int64_t size(int axis) const = 0;  // -1: it varies from call to call
  virtual int num_operands() const = 0;
  virtual const Node& operand(int index) const = 0;
  // Whether every element is the same number that is known now; sets *value.
  virtual bool IsNumber(double* value) const = 0;

 protected:
  ~Node() = default;
};

// Nodes that one kernel, or one call of a library, computes.
class Group {
 public:
  virtual const char* kind() const = 0;  // "elementwise", "reduction", "matmul" ...
  virtual int num_nodes() const = 0;     // 0: its nodes have become another group's
  virtual const Node& node(int index) const = 0;

 protected:
  ~Group() = default;
};

// What a fusion rule works on: the groups of a graph.
class Fusion {
 public:
  virtual int num_groups() const = 0;
  virtual const Group& group(int index) const = 0;

  // Makes two groups one kernel: two of elementwise nodes of one shape, of which neither needs the
  // whole of the other's result, or (into) a reduction and the nodes that compute what it reduces.
  // Returns null, or why they cannot be one; then nothing has changed. A rule cannot make a
  // schedule that gives other results, whatever it merges.
  virtual const char* Merge(int from, int into) = 0;

 protected:
  ~Fusion() = default;
};

// Null, or why the two groups shall not be computed by one kernel: an end to any rule that would
// fuse them, built in or not.
using Veto = const char* (*)(const Group& a, const Group& b);

// Merges what it wants to. Called once for each graph, when the built-in rules have fused
// elementwise nodes, before reductions take in their producers.
using Rule = void (*)(Fusion& fusion);

// Whether a rewrite is to take place at `node`, which the pattern fits.
using Condition = bool (*)(const Node& node);

// The memory of an argument or a result of an operator.
struct Buffer {
  void* data;
  const char* dtype;  // "f64", "i32", "bool" ...
  int rank;
  const int64_t* shape;
  const int64_t* strides;  // in bytes
};

// Computes an operator: reads the arguments and fills the results. Arguments may lie in any way; a
// Python number is one of rank 0, of i64, f64 or bool. Results are fresh, in C order, of the dtypes
// and shapes that the operator's rule gives. Returns null, or what is wrong, which becomes a
// RuntimeError; the text is read before the thread's next call.
using Operator = const char* (*)(const Buffer* arguments, int num_arguments, const Buffer* results,
                                 int num_results);

// Changes a graph as it was captured. Its inputs and outputs must keep their dtypes and shapes; a
// graph that is not legal then is forgotten, with a warning.
using Pass = void (*)(graph::Graph& graph);

class Registry {
 public:
  virtual void AddVeto(const char* name, Veto veto) = 0;
  virtual void AddRule(const char* name, Rule rule) = 0;

  // Has `replacement` computed wherever `pattern` stands. Both are written op(operand, operand),
  // where an op is an elementwise one ("where" too), and an operand is again such, a number, or ?x:
  // any array, the same wherever the name stands. Operands are taken in the order in which they
  // stand; a zero has the sign that is written. The replacement must have the dtype of what it
  // replaces, or nothing is done. That it has its value, too, is the extension's word.
  // Returns null, or what is wrong with one of the texts; then nothing was added.
  virtual const char* AddRewrite(const char* name, const char* pattern, const char* replacement,
                                 Condition condition = nullptr) = 0;

  // Adds an operator, which Python calls as dynacc.operators.get(name). `name` is
  // "library::operator"; `shapes` says what it gives, as "T[n, k], T[k, m] -> T[n, m]"
  // (docs/operators.md). It must be a function of its arguments alone: calls may be left out, made
  // again, or on several threads. Problems are told when Python first asks for it.
  virtual void AddOperator(const char* name, const char* shapes, Operator body) = 0;

  // Adds a pass over every graph that is compiled, before DynaCC's own, in the order in which
  // passes were added. Whether bits stay as they are is the extension's word.
  virtual void AddPass(const char* name, Pass pass) = 0;

 protected:
  ~Registry() = default;
};

}  // namespace dynacc::extension

// The function that follows is called with the registry when the library has been opened.
#define DYNACC_EXTENSION(registry)                                                        \
  extern "C" {                                                                            \
  __attribute__((visibility("default"))) extern const int kDynaccExtensionVersion;        \
  const int kDynaccExtensionVersion = dynacc::extension::kVersion;                        \
  __attribute__((visibility("default"))) void DynaccExtend(dynacc::extension::Registry&); \
  }                                                                                       \
  void DynaccExtend(dynacc::extension::Registry& registry)
