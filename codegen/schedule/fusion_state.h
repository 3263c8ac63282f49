// FusionState: groups while they are being merged, and the questions that fusion rules ask.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/extensions/extensions.h"
#include "codegen/schedule/row_groups.h"
#include "codegen/schedule/schedule.h"

namespace dynacc::schedule {

class FusionState {
 public:
  // Every needed node that is not a leaf or View starts as a group of its own.
  explicit FusionState(const ir::Graph& graph, const MatmulPolicy& products = {},
                       extensions::Extensions extensions = {});

  const ir::Graph& graph() const { return graph_; }
  const MatmulPolicy& products() const { return products_; }
  const extensions::Extensions& extensions() const { return extensions_; }
  int num_groups() const { return static_cast<int>(groups_.size()); }
  const Group& group(int g) const { return groups_[g]; }
  bool alive(int g) const { return !groups_[g].nodes.empty(); }

  // The group that computes `node`; -1 for leaves, Views and nodes that nobody needs.
  int GroupOf(const ir::Node* node) const { return group_of_[node->id]; }

  // The needed nodes that read the node, Views included.
  absl::Span<const ir::Node* const> UsersOf(const ir::Node* node) const { return users_[node->id]; }
  // Whether the graph's end reads the node.
  bool IsOutput(const ir::Node* node) const { return is_output_[node->id]; }

  // Whether a group between the two must run after `from` and before `to`.
  bool HasPathAround(int from, int to) const;
  // Whether `to` must run after `from`.
  bool Reaches(int from, int to) const;

  // Whether `consumer` reads something of `producer` through a View: then the memory must exist.
  bool ReadsThroughView(int producer, int consumer) const;

  // Whether the group reads a Roll.
  bool ReadsRoll(int g) const;

  // Whether a value of the group is needed outside of it and outside of group `besides`. One
  // without users is: it is computed for its flags, and must be stored.
  bool IsUsedOutside(int g, int besides) const;

  // The groups, other than the node's own, that read it as it is: none if the graph's end or a View
  // does, too, so that its memory must exist.
  std::vector<int> OtherReaders(const ir::Node* node) const;

  // Has group `into`, which reads `node` of another group, compute it a second time. What `node`
  // reads is not of its own group.
  void Copy(const ir::Node* node, int into);

  // Why an extension wants the groups to stay apart; "" if none does.
  std::string WhyVetoed(int a, int b) const;

  // Why the groups must not be one kernel: it would be too large, or would raise floating-point
  // errors of which the program has some reported for one part only, or it is vetoed; "" if they
  // may.
  std::string WhyApart(int a, int b) const;

  // Moves the nodes of `from` into `into`, which keeps its kind.
  void Merge(int from, int into);

  // The library of MatmulPolicy computes the product.
  void GiveToLibrary(int product) { groups_[product].by_library = true; }
  // Has the library read `source` in the place of the product's operand `index`; what nobody else
  // reads is not computed then. For a second operand that is the same node it is to be called, too.
  void Take(int product, int index, const ir::Node* source);
  // As Group::is_low_precision and Group::has_windows.
  void MarkLowPrecision(int product) { groups_[product].is_low_precision = true; }
  void MarkWindows(int product) { groups_[product].has_windows = true; }
  // Appends what the library does to each element, after the steps added before.
  void AddEpilogueStep(int product, const EpilogueStep& step) {
    groups_[product].epilogue.push_back(step);
  }

  // Has the kernel of a reduction's terms add them up.
  void AddInside(int reduction) { groups_[reduction].adds_inside = true; }

  // Has Finish look for groups that run row by row.
  void GoByRows() { goes_by_rows_ = true; }

  // Products may be such groups.
  void GoByRowsWithProducts() { products_go_by_rows_ = true; }

  // Has Finish look for groups that a device does row by row in one launch.
  void MakeRowKernels() { makes_row_kernels_ = true; }

  void Note(std::string note) { notes_.push_back(std::move(note)); }

  // The finished schedule.
  Schedule Finish();

 private:
  void FindNeeded();
  void Forget(const ir::Node* node, const ir::Node* user);
  void FindDefiners();
  int LevelOf(const ir::Node* node) const;
  const ir::Node* DefinerFor(const ir::Node* node) const;
  void AddWriteBacks(const ir::Node* node, const ir::Node* target);
  bool HasCopy(const ir::Node* node, int g) const { return copies_.contains({node->id, g}); }
  std::vector<int> ReadersOf(const ir::Node* node) const;
  bool MustBeStored(const ir::Node* node, int a, int b) const;
  int EarliestEndAfter(int from) const;
  std::vector<int> Predecessors(int g) const;
  void FillOutputs(Group& group, int g) const;
  void AddCopies(Schedule& schedule) const;
  std::set<std::pair<int, int>>::const_iterator NextOf(const std::set<std::pair<int, int>>& ready,
                                                       const OpenRowBlock& block) const;
  std::vector<int> ExecutionOrder() const;

  const ir::Graph& graph_;
  const MatmulPolicy products_;
  const extensions::Extensions extensions_;
  std::vector<Group> groups_;
  std::vector<int> group_of_;
  std::vector<bool> needed_;
  std::vector<bool> is_output_;
  std::vector<std::vector<const ir::Node*>> users_;  // needed users, Views included
  std::set<std::pair<int, int>> copies_;             // (node id, a group that computes it again)
  std::vector<const ir::Node*> definers_;            // of the data-dependent numbers, by level - 1
  std::vector<int> levels_;  // of each node; empty if there are no data-dependent numbers
  std::vector<WriteBack> write_backs_;
  std::vector<std::string> notes_;
  bool goes_by_rows_ = false;
  bool products_go_by_rows_ = false;
  bool makes_row_kernels_ = false;
};

// "%5 add": a node in notes.
std::string NodeName(const ir::Node* node);

}  // namespace dynacc::schedule
