#include "codegen/extensions/node_faces.h"

#include "codegen/extensions/pattern.h"

namespace dynacc {

class NodeFaces::Face : public extension::Node {
 public:
  Face(NodeFaces& all, const dynacc::Node& node) : all_(all), node_(node) {}

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
  bool IsNumber(double* value) const override { return IsKnownNumber(all_.graph_, node_, value); }

 private:
  NodeFaces& all_;
  const dynacc::Node& node_;
};

NodeFaces::NodeFaces(const Graph& graph) : graph_(graph), by_id_(graph.nodes().size()) {}
NodeFaces::~NodeFaces() = default;

const extension::Node& NodeFaces::Of(const Node* node) {
  std::unique_ptr<Face>& face = by_id_[node->id];
  if (face == nullptr) face = std::make_unique<Face>(*this, *node);
  return *face;
}

}  // namespace dynacc
