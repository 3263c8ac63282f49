// Schedule: the nodes of a graph in fusion groups, in the order in which they run.
//
// A group becomes one step of the executor. Only what one group hands to another, or to the user,
// is stored in memory; View and Roll nodes are never computed, a group reads through them. Which
// groups are fused is decided by rules (rules.def), each of which can be switched off by
// name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "codegen/extensions/extensions.h"
#include "codegen/ir/graph.h"
#include "codegen/schedule/epilogue_matcher.h"

namespace dynacc::schedule {

enum class GroupKind : uint8_t {
  kElementwise,  // one kernel
  kReduction,    // one reduction, with the elementwise nodes that produce what it reduces
  kReshape,      // one Reshape
  kMatmul,       // one Matmul, with the steps of its epilogue
  kLibraryCall,  // one node that is computed as a whole, Matmuls aside
  kStore,        // one Store
};

struct Group {
  GroupKind kind = GroupKind::kElementwise;
  // Topological; the reduction, if there is one, is the last. A node may be in several groups: all
  // but one compute it again, for themselves.
  std::vector<const ir::Node*> nodes;
  std::vector<const ir::Node*> outputs;  // members whose values are stored, by node id

  // Of a kReduction with other nodes: the kernel that computes what is reduced may add it up.
  bool adds_inside = false;

  // Of a kMatmul: the library of MatmulPolicy computes it, and what is done to each element before
  // it is stored, in order.
  bool by_library = false;
  std::vector<EpilogueStep> epilogue;
  // Of a kMatmul: what it reads in the operands' places; null: the operand itself. Either tensors
  // of bfloat16, of which the operands were cast, if it is by the library; or a View that shows
  // windows of an array, of which the first operand is a Reshape.
  const ir::Node* taken[2] = {};
  bool is_low_precision = false;  // the operands' numbers are bfloat16's, whatever is taken
  bool has_windows = false;

  const ir::Node* root() const { return nodes.back(); }
};

// A graph output that no group stores directly: `node` is a leaf, a View or Reshape, or an output
// a second time.
struct OutputCopy {
  const ir::Node* node;
  int output;
};

// A part of what the program shall see in an input's memory, written after everything else: `value`
// where `store` (a Store of it) stores it, or everywhere if `store` is null. In order: later parts
// overwrite earlier ones.
struct WriteBack {
  const ir::Node* value;
  const ir::Node* store;
  const ir::Node* target;
};

// Groups [first, last] that run block of rows by block of rows: over `axes` leading axes, which are
// the same for all of them, none needs more of another than what lies at the same place.
struct RowBlock {
  int first;
  int last;
  int axes;
  // With products among them: the blocks between these, for when the products' rows cannot be
  // computed apart, which only the run knows.
  std::vector<RowBlock> inner;
};

// Groups [first, last] that a device does in one launch: each team of threads takes one row, along
// axes [from, to), through all of them (row_kernels.h).
struct RowKernel {
  int first;
  int last;
  int from;
  int to;
  std::vector<bool> is_wide;            // by group: it goes over whole rows
  std::vector<const ir::Node*> stored;  // what others read of the groups' values
};

struct Schedule {
  std::vector<Group> groups;
  std::vector<RowBlock> row_blocks;
  std::vector<RowKernel> row_kernels;  // for targets on a device
  std::vector<OutputCopy> copies;      // made after all groups
  std::vector<WriteBack> write_backs;
  std::vector<std::string> notes;  // why nodes were fused or not, one line each
};

// Limits of one kernel: what a compiler digests well, and the executor's loop nests.
inline constexpr int kMaxGroupNodes = 128;
inline constexpr int kMaxGroupOperands = 28;

// How products may be computed other than by the array library's loop.
struct MatmulPolicy {
  // fast_math: sums may be added in any order, and what follows a product may be computed in
  // another way. Otherwise only the sums of kMatmulAnyOrder may.
  bool any_order = false;
  // Whether the library of products is there; asked before the first product that is worth it.
  // Null: the target has none.
  const absl::Status& (*library)() = nullptr;
  // Whether it takes operands of bfloat16; asked after that.
  bool (*takes_bfloat16)() = nullptr;
  // Whether products that are not the library's read windows of an array where they lie, too.
  bool reads_windows = false;
};

// Makes the schedule of a verified graph. `disabled` names fusion rules, of extensions too, to
// leave out, separated by commas (ProcessOptions().disable_passes).
Schedule MakeSchedule(const ir::Graph& graph, absl::string_view disabled,
                      const MatmulPolicy& products = {},
                      const extensions::Extensions& extensions = extensions::TheExtensions());

// "elementwise", "reduction", ...: as in ScheduleText.
const char* GroupKindName(GroupKind kind);

// Whether a kernel computes the node element by element.
bool IsKernelNode(const ir::Node* node);

// Whether computing the node may raise a floating-point flag that NumPy reports.
bool MayRaiseFlags(const ir::Node* node);

// The FpFlags that the program has reported of what the group's nodes raise; none if no node raises
// any.
std::optional<uint32_t> ReportedErrors(const ir::Graph& graph, const Group& group);

// Whether the node is never computed: a View, which everyone reads through, or a Roll, which
// kernels do (materialize_rolls has left no other users).
bool IsOnlySeenThrough(const ir::Node* node);

// The node that `node` shows the elements of: itself, or what its Views and Rolls look at.
const ir::Node* BaseOf(const ir::Node* node);

// Whether all elements are one number, or nobody's.
bool IsOneNumber(const ir::Node* node);

// The index of the first output that is `node` and has no target; -1 if there is none.
int FreshOutputOf(const ir::Graph& graph, const ir::Node* node);

// The nodes, from outside, that the kernel of the group reads, in order of first use: leaves, other
// groups' outputs, and Views of them.
std::vector<const ir::Node*> ExternalOperands(const Group& group);

// The shape that the group's kernel goes over: a reduction's is that of what it reduces.
absl::Span<const ScalarId> IterationShape(const Group& group);

// The schedule as text, for logs and golden tests.
std::string ScheduleText(const ir::Graph& graph, const Schedule& schedule);

}  // namespace dynacc::schedule
