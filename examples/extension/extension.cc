// An extension of the compiler (docs/extending.md): a rewrite, a veto and a fusion rule.
//
//   c++ -std=c++20 -shared -fPIC -I INSTALL/include extension.cc -o libextension.so
//   DYNACC_EXTENSIONS=./libextension.so DYNACC_LOGS=schedule dynacc-python program.py
#include <dynacc/extension.h>

#include <string_view>

namespace {

using dynacc::extension::Fusion;
using dynacc::extension::Group;
using dynacc::extension::Node;

// The exact logarithm of one plus something small needs a function of its own.
bool IsFloat64(const Node& node) { return std::string_view(node.dtype()) == "f64"; }

int Count(const Group& group, std::string_view op) {
  int count = 0;
  for (int i = 0; i < group.num_nodes(); ++i) count += op == group.node(i).op();
  return count;
}

// Two sines in one loop want more registers than there are.
const char* KeepSinesApart(const Group& a, const Group& b) {
  return Count(a, "sin") + Count(b, "sin") > 1 ? "two sines" : nullptr;
}

bool IsElementwise(const Group& group) {
  return group.num_nodes() > 0 && std::string_view(group.kind()) == "elementwise";
}

// One kernel for all that has the same shape, even if it reads nothing in common.
void MergeAll(Fusion& fusion) {
  for (int into = 0; into < fusion.num_groups(); ++into) {
    for (int from = into + 1; from < fusion.num_groups(); ++from) {
      if (IsElementwise(fusion.group(into)) && IsElementwise(fusion.group(from))) {
        fusion.Merge(from, into);  // a refusal changes nothing
      }
    }
  }
}

}  // namespace

DYNACC_EXTENSION(registry) {
  registry.AddRewrite("log-of-one-more", "log(add(?x, 1))", "log1p(?x)", IsFloat64);
  registry.AddVeto("sines-apart", KeepSinesApart);
  registry.AddRule("merge-all", MergeAll);
}
