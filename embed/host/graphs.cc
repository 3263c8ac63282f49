// Graphs for hosts: what dynacc/graph.h declares of libdynacc_embed.
#include <algorithm>
#include <cstring>
#include <memory>

#include "codegen/extensions/dynacc/graph.h"
#include "codegen/extensions/graph_view.h"
#include "codegen/ir/graph_text.h"

namespace extensions = dynacc::extensions;
namespace ir = dynacc::ir;

extern "C" dynacc::graph::Graph* dynacc_new_graph(void) {
  return extensions::NewView(std::make_unique<ir::EditableGraph>()).release();
}

extern "C" dynacc::graph::Graph* dynacc_parse_graph(const char* text, char* problem,
                                                    uint64_t size) {
  const auto parsed = ir::ParseGraph(text);
  if (parsed.ok()) {
    return extensions::NewView(std::make_unique<ir::EditableGraph>(**parsed)).release();
  }
  if (problem != nullptr && size > 0) {
    const absl::string_view message = parsed.status().message();
    const size_t length = std::min<size_t>(message.size(), size - 1);
    std::memcpy(problem, message.data(), length);
    problem[length] = '\0';
  }
  return nullptr;
}
