#include "codegen/compile/store_placement.h"

#include <algorithm>
#include <limits>

namespace dynacc::compile {
namespace {

constexpr int kAfterAll = std::numeric_limits<int>::max();

// A View is its operand's memory, and a Reshape may be.
bool IsSeenThrough(const ir::Node* node) {
  return schedule::IsOnlySeenThrough(node) || node->op == Op::kReshape;
}

}  // namespace

StorePlacement::StorePlacement(const ir::Graph& graph, const schedule::Schedule& schedule)
    : is_output_(graph.nodes().size()) {
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Node* node = graph.outputs()[i];
    const ir::Node* const target = graph.targets()[i];
    if (target == nullptr) is_output_[node->id] = true;
    for (; target != nullptr && node->op == Op::kStore; node = node->operands[0]) {
      // Of a version that two arrays have, none counts as the target's alone.
      const bool first = target_of_.emplace(node, target).second;
      if (!first) target_of_[node] = nullptr;
    }
  }
  for (size_t g = 0; g < schedule.groups.size(); ++g) {
    for (const ir::Node* node : schedule.groups[g].nodes) {
      for (const ir::Node* operand : node->operands) {
        AddReads(operand, {static_cast<int>(g), node});
      }
    }
  }
  for (const schedule::OutputCopy& copy : schedule.copies) {
    AddReads(copy.node, {kAfterAll});
  }
  for (const schedule::WriteBack& part : schedule.write_backs) {
    const ir::Node* const under = part.store == nullptr ? part.target : nullptr;
    reads_[part.value].push_back({kAfterAll, nullptr, under, part.store});
    if (IsSeenThrough(part.value)) AddReads(part.value->operands[0], {kAfterAll});
    // A value that was computed in place lies in its Store's memory.
    if (part.store != nullptr) reads_[part.store].push_back({kAfterAll, nullptr, part.target});
  }
}

void StorePlacement::AddReads(const ir::Node* operand, const Read& read) {
  for (;; operand = operand->operands[0]) {
    reads_[operand].push_back(read);
    if (!IsSeenThrough(operand)) return;
  }
}

const ir::Node* StorePlacement::StoreOf(const ir::Node* value) const {
  if (!schedule::IsKernelNode(value) || is_output_[value->id]) return nullptr;
  const auto found = reads_.find(value);
  if (found == reads_.end()) return nullptr;
  const ir::Node* store = nullptr;
  for (const Read& read : found->second) {
    if (read.reader == nullptr) continue;
    if (store != nullptr || read.reader->op != Op::kStore) return nullptr;
    store = read.reader;
  }
  if (store == nullptr || store->operands[1] != value || store->operands[0] == value) {
    return nullptr;
  }
  const bool all_its = std::all_of(
      found->second.begin(), found->second.end(),
      [store](const Read& read) { return read.reader != nullptr || read.store == store; });
  return all_its ? store : nullptr;
}

const ir::Node* StorePlacement::OnlyStoreInto(const ir::Node* store) const {
  const auto found = reads_.find(store);
  if (is_output_[store->id] || found == reads_.end() || found->second.size() != 1) return nullptr;
  const ir::Node* const reader = found->second[0].reader;
  const bool into = reader != nullptr && reader->op == Op::kStore && reader->operands[0] == store;
  return into ? reader : nullptr;
}

bool StorePlacement::MayTakeOver(const ir::Node* store, int group) const {
  const ir::Node* const base = store->operands[0];
  if (is_output_[base->id]) return false;
  const auto own_target = target_of_.find(store);
  const auto found = reads_.find(base);
  const auto own_reads = std::count_if(found->second.begin(), found->second.end(),
                                       [&](const Read& read) { return read.reader == store; });
  return own_reads == 1 &&
         std::all_of(found->second.begin(), found->second.end(), [&](const Read& read) {
           if (read.reader == store) return true;
           if (read.reader != nullptr) return read.group < group;
           return read.target != nullptr && own_target != target_of_.end() &&
                  own_target->second == read.target;
         });
}

}  // namespace dynacc::compile
