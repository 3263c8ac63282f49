#include "codegen/extensions/node_descriptors.h"

#include "codegen/extensions/pattern.h"

namespace dynacc::extensions {

class NodeDescriptors::Descriptor : public extension::Node {
 public:
  Descriptor(NodeDescriptors& all, const dynacc::ir::Node& node) : all_(all), node_(node) {}

  const char* op() const override { return Info(node_.op).text; }
  const char* dtype() const override { return Info(node_.dtype).text; }
  int rank() const override { return node_.rank(); }
  int64_t size(int axis) const override {
    int64_t size;
    return all_.graph_.scalars().IsIntConst(node_.shape[axis], &size) ? size : -1;
  }
  int num_operands() const override { return static_cast<int>(node_.operands.size()); }
  const extension::Node& operand(int index) const override {
    return all_.Of(node_.operands[index]);
  }
  bool IsNumber(double* value) const override {
    const std::optional<double> number = KnownNumber(all_.graph_.scalars(), node_);
    *value = number.value_or(*value);
    return number.has_value();
  }

 private:
  NodeDescriptors& all_;
  const dynacc::ir::Node& node_;
};

NodeDescriptors::NodeDescriptors(const ir::Graph& graph)
    : graph_(graph), by_id_(graph.nodes().size()) {}
NodeDescriptors::~NodeDescriptors() = default;

const extension::Node& NodeDescriptors::Of(const ir::Node* node) {
  std::unique_ptr<Descriptor>& descriptor = by_id_[node->id];
  if (descriptor == nullptr) descriptor = std::make_unique<Descriptor>(*this, *node);
  return *descriptor;
}

}  // namespace dynacc::extensions
