#include "codegen/autodiff/partitioner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "boost/graph/adjacency_list.hpp"
#include "boost/graph/push_relabel_max_flow.hpp"
#include "codegen/ir/control_flow.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/status_macros.h"

namespace dynacc::autodiff {
namespace {

using Nodes = std::vector<const ir::Node*>;

// --- Prices ------------------------------------------------------------------------------------

struct Price {
  Treatment treatment = Treatment::kFree;
  bool in_region = false;
  int64_t bytes = 0;
  double work = 0;  // in bytes
};

Treatment OfElements(const ir::Node& node) {
  return IsEmitted(node.op, node.operands[0]->dtype) ? Treatment::kCheap : Treatment::kLoop;
}

// In the order of enum OpCategory.
constexpr Treatment (*kOfCategory[])(const ir::Node&) = {
    [](const ir::Node&) { return Treatment::kFree; },
    [](const ir::Node&) { return Treatment::kCheap; },
    OfElements,
    OfElements,
    [](const ir::Node&) { return Treatment::kWhole; },
    [](const ir::Node&) { return Treatment::kWhole; },
};

// The one place that says what may be computed again.
Treatment TreatmentOf(const ir::Node& node) {
  if (node.op == Op::kInput) return Treatment::kInput;
  if (node.op == Op::kLibraryCall) return Treatment::kCall;
  // A result cannot be had again without its node, of which only the first is one value.
  if (ir::HasSubgraphs(node) || node.op == Op::kResult) return Treatment::kCall;
  if (node.op == Op::kView || node.op == Op::kReshape || ir::IsGradientMarker(node.op)) {
    return Treatment::kFree;
  }
  return kOfCategory[static_cast<int>(Info(node.op).category)](node);
}

bool IsWhole(const Price& price) {
  return price.treatment == Treatment::kWhole || price.treatment == Treatment::kResult;
}

class Prices {
 public:
  // `values`: of the graph's scalar program.
  Prices(const ir::Graph& graph, absl::Span<const ScalarValue> values, bool inputs_stay)
      : values_(values), inputs_stay_(inputs_stay) {
    std::vector<int> depth(graph.nodes().size());  // how many regions the node lies in
    for (const ir::Node* node : graph.nodes()) {
      int& own = depth[node->id];
      for (const ir::Node* operand : node->operands) own = std::max(own, depth[operand->id]);
      if (node->op == Op::kCheckpoint) ++own;
      if (node->op == Op::kEndCheckpoint) own = std::max(own - 1, 0);
      prices_.push_back(PriceOf(*node, own > 0));
    }
  }

  const Price& operator[](const ir::Node* node) const { return prices_[node->id]; }

 private:
  Price PriceOf(const ir::Node& node, bool in_region) const {
    Price price{TreatmentOf(node), in_region, 0, 0};
    if (node.op == Op::kEndCheckpoint && !in_region) price.treatment = Treatment::kResult;
    if (price.treatment == Treatment::kInput && inputs_stay_) return price;
    const double count = Count(node);
    price.bytes = static_cast<int64_t>(std::min(count, 1e12)) * ItemSize(node.dtype);
    if (price.treatment == Treatment::kCheap) price.work = count;
    if (price.treatment == Treatment::kLoop) price.work = 4 * count;
    if (!IsWhole(price)) return price;
    price.work = count;
    for (const ir::Node* operand : node.operands) price.work += Count(*operand);
    if (node.op == Op::kMatmul) {
      price.work += count * Size(node.operands[0]->shape.back()) / 8;
    }
    return price;
  }

  double Size(ScalarId size) const {
    return static_cast<double>(std::max<int64_t>(values_[size].i, 0));
  }
  double Count(const ir::Node& node) const {
    double count = 1;
    for (const ScalarId size : node.shape) count *= Size(size);
    return count;
  }

  absl::Span<const ScalarValue> values_;
  bool inputs_stay_;
  std::vector<Price> prices_;
};

// --- The cut -----------------------------------------------------------------------------------

// What the joint graph's nodes are for.
struct Roles {
  std::vector<bool> is_backward;  // depends on a cotangent
  std::vector<bool> is_read;      // an output of the backward, or an operand of what is in it
  std::vector<bool> is_wanted;    // ... or an operand of what is wanted: the network's nodes
};

Roles RolesOf(const ir::Graph& joint, const ir::Graph& f) {
  const size_t count = joint.nodes().size();
  Roles roles{std::vector<bool>(count), std::vector<bool>(count), std::vector<bool>(count)};
  for (const ir::Node* node : joint.nodes()) {
    roles.is_backward[node->id] =
        node->op == Op::kInput ? node->attrs.ints[0] >= static_cast<int64_t>(f.inputs().size())
                               : absl::c_any_of(node->operands, [&](const ir::Node* o) {
                                   return roles.is_backward[o->id];
                                 });
  }
  std::vector<bool> needed(count);
  for (const ir::Node* gradient : joint.outputs().subspan(f.outputs().size())) {
    needed[gradient->id] = true;
    roles.is_read[gradient->id] = !roles.is_backward[gradient->id];
  }
  for (size_t id = count; id-- > 0;) {
    if (!needed[id]) continue;
    const bool is_backward = roles.is_backward[id];
    roles.is_wanted[id] = !is_backward;
    for (const ir::Node* operand : joint.nodes()[id]->operands) {
      needed[operand->id] = true;
      if (is_backward && !roles.is_backward[operand->id]) roles.is_read[operand->id] = true;
    }
  }
  return roles;
}

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, int64_t,
        boost::property<boost::edge_residual_capacity_t, int64_t,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

// Capacities are whole numbers, of 1/64 byte each; the sums of a thousand values of a terabyte fit.
constexpr double kUnitsPerByte = 64;
constexpr int64_t kMaxCapacity = int64_t{1} << 46;

int64_t Capacity(double bytes) {
  return static_cast<int64_t>(
      std::min(std::round(bytes * kUnitsPerByte), static_cast<double>(kMaxCapacity)));
}

class CutNetwork {
 public:
  explicit CutNetwork(size_t vertices) : network_(vertices + 2), source_(vertices) {}

  void Add(size_t from, size_t to, int64_t capacity) {
    const auto forth = boost::add_edge(from, to, network_).first;
    const auto back = boost::add_edge(to, from, network_).first;
    boost::put(boost::edge_capacity, network_, forth, capacity);
    boost::put(boost::edge_capacity, network_, back, 0);
    boost::put(boost::edge_reverse, network_, forth, back);
    boost::put(boost::edge_reverse, network_, back, forth);
  }

  size_t source() const { return source_; }
  size_t sink() const { return source_ + 1; }

  // Whether each vertex is on the sink's side of the minimum cut that is nearest to the sink.
  std::vector<bool> Cut() {
    boost::push_relabel_max_flow(network_, source(), sink());
    std::vector<bool> on_sink_side(boost::num_vertices(network_));
    std::vector<size_t> open = {sink()};
    on_sink_side[sink()] = true;
    while (!open.empty()) {
      const size_t vertex = open.back();
      open.pop_back();
      for (auto [edge, end] = boost::out_edges(vertex, network_); edge != end; ++edge) {
        // The arc towards `vertex` has capacity left.
        const size_t from = boost::target(*edge, network_);
        const auto towards = boost::get(boost::edge_reverse, network_, *edge);
        const bool open_arc = boost::get(boost::edge_residual_capacity, network_, towards) > 0;
        if (!open_arc || on_sink_side[from]) continue;
        on_sink_side[from] = true;
        open.push_back(from);
      }
    }
    return on_sink_side;
  }

 private:
  Network network_;
  size_t source_;
};

// What a cut says of each node of the joint graph.
struct Choice {
  std::vector<bool> is_saved;
  int64_t bytes = 0;
};

// `is_free`: whole ops that may be computed again at no price; others never are. Other work counts
// `price` times. `is_due`: what is saved in any case.
Choice Choose(const ir::Graph& joint, const Roles& roles, const Prices& prices,
              const std::vector<bool>& is_free, double price, const std::vector<bool>& is_due) {
  CutNetwork network(2 * joint.nodes().size());
  // More than all finite arcs together, so that no cut has one of these if there is another.
  int64_t finite = 1;
  const auto arc = [&](size_t from, size_t to, int64_t capacity) {
    finite += capacity;
    network.Add(from, to, capacity);
  };
  std::vector<std::pair<size_t, size_t>> endless;
  for (const ir::Node* node : joint.nodes()) {
    if (!roles.is_wanted[node->id]) continue;
    const Price& own = prices[node];
    const size_t in = 2 * static_cast<size_t>(node->id);
    const size_t out = in + 1;
    const bool is_given = own.treatment == Treatment::kInput || own.treatment == Treatment::kCall;
    if (own.in_region && !is_given) {
      endless.emplace_back(in, out);
    } else {
      const bool is_view = own.treatment == Treatment::kFree;
      arc(in, out, Capacity(static_cast<double>(own.bytes)) + (is_view ? 1 : 0));
      if (is_given || is_due[node->id] || (IsWhole(own) && !is_free[node->id])) {
        endless.emplace_back(network.source(), in);
      } else {
        arc(network.source(), in, IsWhole(own) ? 0 : Capacity(price * own.work));
      }
    }
    if (roles.is_read[node->id] || is_due[node->id]) endless.emplace_back(out, network.sink());
    for (const ir::Node* operand : node->operands) {
      endless.emplace_back(2 * static_cast<size_t>(operand->id) + 1, in);
    }
  }
  for (const auto& [from, to] : endless) network.Add(from, to, finite);
  const std::vector<bool> on_sink_side = network.Cut();
  Choice choice{std::vector<bool>(joint.nodes().size()), 0};
  for (const ir::Node* node : joint.nodes()) {
    const size_t in = 2 * static_cast<size_t>(node->id);
    choice.is_saved[node->id] =
        roles.is_wanted[node->id] && !on_sink_side[in] && on_sink_side[in + 1];
    if (choice.is_saved[node->id]) choice.bytes += prices[node].bytes;
  }
  return choice;
}

// --- Segments ----------------------------------------------------------------------------------

// What the backward may compute again, in order, and how it can be cut into segments.
class Segments {
 public:
  Segments(const ir::Graph& joint, const ir::Graph& f, const Roles& roles, const Prices& prices)
      : joint_(joint), prices_(prices) {
    // Behind f's nodes are those of derivatives, also such as need no cotangent.
    std::vector<bool> is_read = roles.is_read;
    for (const ir::Node* node : joint.nodes()) {
      if (!roles.is_wanted[node->id]) continue;
      if (static_cast<size_t>(node->id) < f.nodes().size()) {
        order_.push_back(node);
        continue;
      }
      for (const ir::Node* operand : node->operands) is_read[operand->id] = true;
    }
    std::vector<int> place(joint.nodes().size(), -1);
    std::vector<bool> is_counted(joint.nodes().size());
    end_.assign(joint.nodes().size(), -1);
    int64_t read = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
      const ir::Node& node = *order_[i];
      place[node.id] = static_cast<int>(i);
      for (const ir::Node* operand : node.operands) end_[MemoryOf(operand)->id] = place[node.id];
      const ir::Node* const memory = MemoryOf(&node);
      if (is_read[node.id] && !is_counted[memory->id]) read += BytesOf(memory);
      if (is_read[node.id]) is_counted[memory->id] = true;
      read_.push_back(read);
    }
    live_.assign(order_.size() + 1, 0);
    std::vector<int> in_regions(order_.size() + 1);
    for (const ir::Node* node : order_) {
      if (BytesOf(node) == 0 || end_[node->id] <= place[node->id]) continue;
      live_[place[node->id]] += BytesOf(node);
      live_[end_[node->id]] -= BytesOf(node);
      in_regions[place[node->id]] += prices[node].in_region ? 1 : 0;
      in_regions[end_[node->id]] -= prices[node].in_region ? 1 : 0;
    }
    int regions = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (i > 0) live_[i] += live_[i - 1];
      regions += in_regions[i];
      is_region_.push_back(regions > 0);
    }
  }

  // What is saved where the backward takes least memory.
  std::vector<bool> Best() const {
    constexpr int kMostSegments = 64;
    std::vector<bool> best(joint_.nodes().size());
    if (order_.empty()) return best;
    int64_t least = read_.back();
    for (int count = 2; count <= kMostSegments; ++count) {
      std::vector<bool> saved(joint_.nodes().size());
      const int64_t bytes = Save(Cuts(read_.back() / count), saved);
      if (bytes >= least) continue;
      least = bytes;
      best = std::move(saved);
    }
    return best;
  }

 private:
  // Whose elements a view shows.
  static const ir::Node* MemoryOf(const ir::Node* node) {
    while (TreatmentOf(*node) == Treatment::kFree && !node->operands.empty()) {
      node = node->operands[0];
    }
    return node;
  }

  // Of what takes memory in the backward: no inputs, no constants.
  int64_t BytesOf(const ir::Node* node) const {
    const Price& own = prices_[node];
    const bool is_there = own.treatment == Treatment::kInput || own.treatment == Treatment::kFree;
    return is_there ? 0 : own.bytes;
  }

  // Places behind which segments end that have `size` bytes that derivatives read.
  std::vector<size_t> Cuts(int64_t size) const {
    std::vector<size_t> cuts;
    int64_t before = 0;
    const size_t none = order_.size();
    size_t best = none;
    for (size_t i = 0; i < order_.size(); ++i) {
      if (2 * (read_[i] - before) < size) continue;
      if (!is_region_[i] && (best == none || live_[i] <= live_[best])) best = i;
      if (read_[i] - before < size || best == none) continue;
      cuts.push_back(best);
      before = read_[best];
      best = none;
    }
    return cuts;
  }

  // Saves what lives across the cuts. The bytes of that, and those of the largest segment.
  int64_t Save(const std::vector<size_t>& cuts, std::vector<bool>& saved) const {
    int64_t bytes = 0;
    int64_t largest = 0;
    int64_t before = 0;
    size_t cut = 0;
    for (size_t i = 0; i < order_.size(); ++i) {
      // The first cut at this node or behind it.
      while (cut < cuts.size() && cuts[cut] < i) ++cut;
      if (cut == cuts.size()) break;
      const ir::Node* const node = order_[i];
      const bool lives = end_[node->id] > static_cast<int>(cuts[cut]) && BytesOf(node) > 0;
      if (lives) bytes += BytesOf(node);
      saved[node->id] = lives;
      if (i != cuts[cut]) continue;
      largest = std::max(largest, read_[i] - before);
      before = read_[i];
    }
    return bytes + std::max(largest, read_.back() - before);
  }

  const ir::Graph& joint_;
  const Prices& prices_;
  Nodes order_;
  std::vector<int> end_;         // by the node's id: the place of the last that reads its memory
  std::vector<int64_t> read_;    // by place: bytes that derivatives read, up to here
  std::vector<int64_t> live_;    // by place: bytes that live behind it
  std::vector<bool> is_region_;  // by place: whether something of a region does
};

// --- The budget --------------------------------------------------------------------------------

// The whole ops that the backward may need, in the order in which they are given up.
Nodes OrderOfWholeOps(const ir::Graph& joint, const Roles& roles, const Prices& prices) {
  const auto density = [&](const ir::Node* node) {
    const Price& own = prices[node];
    return own.work / static_cast<double>(std::max<int64_t>(own.bytes, 1));
  };
  Nodes order;
  for (const ir::Node* node : joint.nodes()) {
    if (roles.is_wanted[node->id] && IsWhole(prices[node])) order.push_back(node);
  }
  // Equals by a Weyl sequence of their ranks: any first part of it lies evenly.
  std::vector<double> spread(joint.nodes().size());
  for (size_t rank = 0; rank < order.size(); ++rank) {
    double whole;
    spread[order[rank]->id] = std::modf(static_cast<double>(rank) * std::numbers::phi, &whole);
  }
  absl::c_sort(order, [&](const ir::Node* a, const ir::Node* b) {
    return std::tuple(density(a), spread[a->id], a->id) <
           std::tuple(density(b), spread[b->id], b->id);
  });
  return order;
}

Choice ChooseWithin(const ir::Graph& joint, const ir::Graph& f, const Roles& roles,
                    const Prices& prices, double budget) {
  const size_t count = joint.nodes().size();
  const std::vector<bool> none(count);
  Choice most = Choose(joint, roles, prices, none, 1.0, none);
  if (budget >= 1.0) return most;
  const std::vector<bool> at_cuts = Segments(joint, f, roles, prices).Best();
  Choice best = Choose(joint, roles, prices, std::vector<bool>(count, true), 0.0, at_cuts);
  if (best.bytes >= most.bytes) return most;
  if (budget <= 0.0) return best;
  const double limit =
      static_cast<double>(best.bytes) + budget * static_cast<double>(most.bytes - best.bytes);
  const Nodes order = OrderOfWholeOps(joint, roles, prices);
  size_t low = 0;                  // so many given up are too few
  size_t high = order.size() + 1;  // that is `best`
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    std::vector<bool> is_free(count);
    for (size_t i = 0; i < middle; ++i) is_free[order[i]->id] = true;
    Choice choice = Choose(joint, roles, prices, is_free, 1.0, none);
    const bool is_within = static_cast<double>(choice.bytes) <= limit;
    (is_within ? high : low) = middle;
    if (is_within) best = std::move(choice);
  }
  return best;
}

// --- The two graphs ----------------------------------------------------------------------------

const ir::Node* CopyNode(ir::Graph& copy, const ir::Node& node, const Nodes& made) {
  copy.SetLocation(node.location.file, node.location.line);
  if (node.op == Op::kInput) return copy.AddInput(node.dtype, node.shape);
  Nodes operands;
  for (const ir::Node* operand : node.operands) operands.push_back(made[operand->id]);
  return copy.Make(node.op, node.dtype, node.shape, operands, node.attrs);
}

std::unique_ptr<ir::Graph> StartCopy(const ir::Graph& graph) {
  auto copy = std::make_unique<ir::Graph>();
  copy->scalars() = graph.scalars();
  for (const ScalarId condition : graph.conditions()) copy->AddCondition(condition);
  return copy;
}

std::unique_ptr<ir::Graph> ForwardGraph(const ir::Graph& joint, const ir::Graph& f,
                                        const std::vector<bool>& is_saved, bool inputs_stay) {
  std::vector<bool> needed = is_saved;
  std::fill_n(needed.begin(), f.nodes().size(), true);
  for (size_t id = needed.size(); id-- > 0;) {
    if (!needed[id]) continue;
    for (const ir::Node* operand : joint.nodes()[id]->operands) needed[operand->id] = true;
  }
  auto forward = StartCopy(joint);
  Nodes made(joint.nodes().size());
  for (const ir::Node* node : joint.nodes()) {
    if (!needed[node->id]) continue;
    forward->SetReported(joint.ReportedBy(node));
    made[node->id] = CopyNode(*forward, *node, made);
  }
  for (size_t i = 0; i < f.outputs().size(); ++i) {
    const ir::Node* const target = joint.targets()[i];
    forward->AddOutput(made[joint.outputs()[i]->id],
                       target == nullptr ? nullptr : made[target->id]);
  }
  for (const ir::Node* node : joint.nodes()) {
    const bool stays = inputs_stay && node->op == Op::kInput;
    if (is_saved[node->id] && !stays) forward->AddOutput(made[node->id]);
  }
  return forward;
}

// What the backward computes: derivatives in the joint graph's order, and right before the first of
// them that needs it what is computed again. So what a region holds need not be there all at once.
Nodes InOrderOfUse(const ir::Graph& joint, const Roles& roles, const std::vector<bool>& computed) {
  constexpr int32_t kUnread = std::numeric_limits<int32_t>::max();
  std::vector<int32_t> before(joint.nodes().size(), kUnread);  // that node of the derivatives
  Nodes order;
  for (size_t id = before.size(); id-- > 0;) {
    if (!computed[id]) continue;
    const ir::Node* const node = joint.nodes()[id];
    order.push_back(node);
    if (roles.is_backward[id]) before[id] = node->id;
    for (const ir::Node* operand : node->operands) {
      before[operand->id] = std::min(before[operand->id], before[id]);
    }
  }
  absl::c_sort(order, [&](const ir::Node* a, const ir::Node* b) {
    return std::pair(before[a->id], a->id) < std::pair(before[b->id], b->id);
  });
  return order;
}

// `computed`: filled with whether each node of the joint graph is computed in the backward.
std::unique_ptr<ir::Graph> BackwardGraph(const ir::Graph& joint, const ir::Graph& f,
                                         const Roles& roles, const std::vector<bool>& is_saved,
                                         std::vector<bool>& computed) {
  const auto gradients = joint.outputs().subspan(f.outputs().size());
  std::vector<bool> needed(joint.nodes().size());
  for (const ir::Node* gradient : gradients) needed[gradient->id] = true;
  for (size_t id = needed.size(); id-- > 0;) {
    computed[id] = needed[id] && !is_saved[id];
    if (!computed[id]) continue;
    for (const ir::Node* operand : joint.nodes()[id]->operands) needed[operand->id] = true;
  }
  auto backward = StartCopy(joint);
  backward->SetReported(0);
  Nodes made(joint.nodes().size());
  for (const ir::Node* node : joint.nodes()) {
    if (is_saved[node->id]) made[node->id] = backward->AddInput(node->dtype, node->shape);
  }
  for (const ir::Node* cotangent : joint.inputs().subspan(f.inputs().size())) {
    made[cotangent->id] = backward->AddInput(cotangent->dtype, cotangent->shape);
  }
  for (const ir::Node* node : InOrderOfUse(joint, roles, computed)) {
    if (made[node->id] == nullptr) made[node->id] = CopyNode(*backward, *node, made);
  }
  for (const ir::Node* gradient : gradients) backward->AddOutput(made[gradient->id]);
  return backward;
}

// --- Words -------------------------------------------------------------------------------------

struct Words {
  const char* saved;
  const char* recomputed;
};

// In the order of Treatment.
constexpr Words kWords[] = {
    {"an input, which the program may write into", ""},
    {"smaller than what it is a view of", "a view or a constant"},
    {"cheaper to keep than to compute again", "cheap arithmetic"},
    {"cheaper to keep than to compute again", "smaller to compute again than to keep"},
    {"computed as a whole", "as the budget asks"},
    {"a library call, which is made once", ""},
    {"the result of a checkpointed region", "as the budget asks"},
};

PartitionedNode Entry(const ir::Graph& joint, const ir::Node& node, const Price& price) {
  const ir::SourceLocation at = node.location;
  const std::string line =
      *at.file == '\0' ? std::string() : absl::StrCat("    # ", at.file, ":", at.line);
  return {absl::StrCat(ir::PrintNode(joint, node), line), price.treatment, price.in_region,
          price.bytes};
}

absl::Status CheckSplit(const ir::Graph& joint, const ir::Graph& f,
                        const PartitionOptions& options) {
  if (!(options.budget >= 0.0 && options.budget <= 1.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the budget is ", options.budget, ": it is from 0 to 1"));
  }
  const bool is_joint = joint.nodes().size() >= f.nodes().size() &&
                        joint.inputs().size() >= f.inputs().size() &&
                        joint.outputs().size() >= f.outputs().size();
  if (!is_joint) return absl::InvalidArgumentError("no joint graph of f with cotangents as inputs");
  if (!options.numbers.empty() &&
      static_cast<int>(options.numbers.size()) != joint.scalars().num_inputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the graph takes ", joint.scalars().num_inputs(), " numbers"));
  }
  const bool writes = absl::c_any_of(f.targets(), [](const ir::Node* t) { return t != nullptr; });
  if (writes && options.inputs_stay) {
    return absl::InvalidArgumentError("inputs that are written into do not stay");
  }
  if (joint.scalars().num_data_dependent() == 0) return absl::OkStatus();
  return absl::UnimplementedError("a graph with sizes that only the run tells is not split");
}

absl::StatusOr<std::vector<ScalarValue>> Evaluated(const ScalarProgram& program,
                                                   std::vector<ScalarValue> numbers) {
  constexpr int64_t kHint = 1024;
  if (numbers.empty()) {
    numbers.resize(program.num_inputs());
    for (ScalarId id = 0; id < program.size(); ++id) {
      const ScalarExpr& expr = program.expr(id);
      if (expr.op != ScalarOp::kInput) continue;
      ScalarValue& number = numbers[expr.value.i];
      if (expr.type == ScalarType::kFloat) {
        number.f = static_cast<double>(kHint);
      } else {
        number.i = expr.type == ScalarType::kBool ? 1 : kHint;
      }
    }
  }
  std::vector<ScalarValue> values(program.size());
  if (program.Evaluate(numbers, absl::MakeSpan(values))) return values;
  return absl::InvalidArgumentError("a size of the graph has no value in the example");
}

}  // namespace

std::string Partition::Describe() const {
  std::string text =
      absl::StrCat("saved: ", saved.size(), saved.size() == 1 ? " value, " : " values, ",
                   saved_bytes, " bytes\n");
  for (const PartitionedNode& node : saved) {
    absl::StrAppend(&text, "  ", node.text, "\n      ", node.bytes,
                    " bytes: ", kWords[static_cast<int>(node.treatment)].saved, "\n");
  }
  absl::StrAppend(&text, "computed again: ", recomputed.size(),
                  recomputed.size() == 1 ? " node\n" : " nodes\n");
  for (const PartitionedNode& node : recomputed) {
    const char* const why = node.in_region ? "in a checkpointed region"
                                           : kWords[static_cast<int>(node.treatment)].recomputed;
    absl::StrAppend(&text, "  ", node.text, "\n      ", node.bytes, " bytes not kept: ", why, "\n");
  }
  return text;
}

absl::StatusOr<Partition> SplitJointGraph(const ir::Graph& joint, const ir::Graph& f,
                                          const PartitionOptions& options) {
  DYNACC_RETURN_IF_ERROR(CheckSplit(joint, f, options));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<ScalarValue> values,
                          Evaluated(joint.scalars(), options.numbers));
  const Prices prices(joint, values, options.inputs_stay);
  const Roles roles = RolesOf(joint, f);
  const Choice choice = ChooseWithin(joint, f, roles, prices, options.budget);
  std::vector<bool> computed(joint.nodes().size());
  Partition partition;
  partition.forward = ForwardGraph(joint, f, choice.is_saved, options.inputs_stay);
  partition.backward = BackwardGraph(joint, f, roles, choice.is_saved, computed);
  partition.saved_bytes = choice.bytes;
  for (const ir::Node* node : joint.nodes()) {
    const Price& price = prices[node];
    if (choice.is_saved[node->id]) {
      const bool stays = options.inputs_stay && node->op == Op::kInput;
      partition.saved.push_back(Entry(joint, *node, price));
      partition.given.push_back(stays ? static_cast<int>(node->attrs.ints[0]) : -1);
    }
    const bool is_again = computed[node->id] && static_cast<size_t>(node->id) < f.nodes().size();
    if (is_again && price.treatment != Treatment::kFree) {
      partition.recomputed.push_back(Entry(joint, *node, price));
    }
  }
  return partition;
}

int64_t BytesOfWholeOps(const ir::Graph& f, const std::vector<ScalarValue>& numbers) {
  if (f.scalars().num_data_dependent() > 0) return 0;
  const absl::StatusOr<std::vector<ScalarValue>> values = Evaluated(f.scalars(), numbers);
  if (!values.ok()) return 0;
  const Prices prices(f, *values, /*inputs_stay=*/true);
  int64_t bytes = 0;
  for (const ir::Node* node : f.nodes()) {
    if (prices[node].treatment == Treatment::kWhole) bytes += prices[node].bytes;
  }
  return bytes;
}

bool HasCheckpoints(const ir::Graph& graph) {
  return absl::c_any_of(graph.nodes(),
                        [](const ir::Node* node) { return node->op == Op::kCheckpoint; });
}

}  // namespace dynacc::autodiff
