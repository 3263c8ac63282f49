#include "frontend/tracer/references.h"

#include <vector>

#include "absl/container/flat_hash_set.h"

namespace dynacc::tracer {
namespace {

using Visit = absl::FunctionRef<void(symbolic::Value*)>;

// More values than this are not looked at: it is done anew for each operator that asks.
constexpr size_t kMaxVisited = 4096;

void VisitAll(const std::vector<symbolic::Value*>& values, Visit visit) {
  for (symbolic::Value* value : values) visit(value);
}

void VisitAll(const symbolic::Overlay& overlay, Visit visit) {
  for (const symbolic::Overlay::Write& write : overlay.writes()) visit(write.value);
}

template <typename Key>
void VisitAll(const std::vector<std::pair<Key, symbolic::Value*>>& entries, Visit visit) {
  for (const auto& [key, value] : entries) visit(value);
}

// Parts(value, visit) for each kind: as VisitReferences. `visit` takes null, too.

bool Parts(const symbolic::NullValue&, Visit) { return true; }
bool Parts(const symbolic::ConstantValue&, Visit) { return true; }
bool Parts(const symbolic::NumberValue&, Visit) { return true; }
bool Parts(const symbolic::SelectionValue&, Visit) { return true; }
bool Parts(const symbolic::SetValue&, Visit) { return true; }  // of plain constants

bool Parts(const symbolic::TensorValue& tensor, Visit visit) {
  visit(tensor.view_of);
  visit(tensor.made_by);
  return true;
}

bool Parts(const symbolic::LazyValue& lazy, Visit visit) {
  VisitAll(lazy.args, visit);
  return true;
}

bool Parts(const symbolic::TupleValue& tuple, Visit visit) {
  VisitAll(tuple.items, visit);
  return true;
}

bool Parts(const symbolic::ListValue& list, Visit visit) {
  VisitAll(list.items, visit);
  VisitAll(list.stores, visit);
  return true;
}

bool Parts(const symbolic::DictValue& dict, Visit visit) {
  VisitAll(dict.items, visit);
  VisitAll(dict.written, visit);
  return true;
}

bool Parts(const symbolic::DequeValue& deque, Visit visit) {
  VisitAll(deque.items, visit);
  return true;
}

bool Parts(const symbolic::SliceValue& slice, Visit visit) {
  for (symbolic::Value* part : {slice.start, slice.stop, slice.step}) visit(part);
  return true;
}

bool Parts(const symbolic::IteratorValue& iterator, Visit visit) {
  if (iterator.next != symbolic::IteratorValue::kEnded) VisitAll(iterator.items(), visit);
  return true;
}

bool Parts(const symbolic::LazyIteratorValue& iterator, Visit) { return iterator.next == nullptr; }

bool Parts(const symbolic::DictViewValue& view, Visit visit) {
  visit(view.dict);
  return true;
}

bool Parts(const symbolic::GeneratorValue& generator, Visit visit) {
  if (generator.frame != nullptr) VisitReferences(*generator.frame, visit);
  return true;
}

bool Parts(const symbolic::CellValue& cell, Visit visit) {
  visit(cell.content);
  return true;
}

bool Parts(const symbolic::FunctionValue& function, Visit visit) {
  VisitAll(function.attributes, visit);
  VisitAll(function.closure, visit);
  for (symbolic::Value* part :
       {function.defaults, function.kwdefaults, function.annotations, function.annotate})
    visit(part);
  return true;
}

bool Parts(const symbolic::BoundMethodValue& method, Visit visit) {
  visit(method.self);
  visit(method.function);
  return true;
}

bool Parts(const symbolic::SuperValue& super, Visit visit) {
  visit(super.self);
  return true;
}

bool Parts(const symbolic::SubgraphValue& subgraph, Visit visit) {
  for (symbolic::TensorValue* result : subgraph.results) visit(result);
  return true;
}

bool Parts(const symbolic::PartialValue& partial, Visit visit) {
  VisitAll(partial.args, visit);
  VisitAll(partial.keywords, visit);
  return true;
}

bool Parts(const symbolic::ArrayMethodValue& method, Visit visit) {
  visit(method.self);
  return true;
}

bool Parts(const symbolic::InstanceValue& instance, Visit visit) {
  VisitAll(instance.attributes, visit);
  visit(instance.args);
  visit(instance.part);
  return true;
}

bool Parts(const symbolic::ObjectValue& object, Visit visit) {
  VisitAll(object.attributes, visit);
  visit(object.part);
  return true;
}

template <typename T>
bool PartsOf(const symbolic::Value& value, Visit visit) {
  return Parts(static_cast<const T&>(value), visit);
}

using PartsFn = bool (*)(const symbolic::Value&, Visit);
constexpr PartsFn kParts[] = {
#define DYNACC_VALUE(kind, doc) &PartsOf<symbolic::kind##Value>,
#include "frontend/symbolic/values.def"
#undef DYNACC_VALUE
};

}  // namespace

bool VisitReferences(const symbolic::Value& value, Visit visit) {
  return kParts[static_cast<int>(value.kind())](value, [visit](symbolic::Value* part) {
    if (part != nullptr) visit(part);
  });
}

void VisitReferences(const SymbolicFrame& frame, Visit visit) {
  for (const std::vector<symbolic::Value*>* part : {&frame.locals, &frame.stack, &frame.closure}) {
    for (symbolic::Value* value : *part) {
      if (value != nullptr) visit(value);
    }
  }
}

Reached IsReached(const symbolic::Value* target, absl::Span<symbolic::Value* const> roots) {
  std::vector<symbolic::Value*> waiting(roots.begin(), roots.end());
  absl::flat_hash_set<const symbolic::Value*> seen(roots.begin(), roots.end());
  bool tells_all = true;
  while (!waiting.empty()) {
    const symbolic::Value* value = waiting.back();
    waiting.pop_back();
    if (value == target) return Reached::kYes;
    tells_all &= VisitReferences(*value, [&](symbolic::Value* part) {
      if (seen.insert(part).second) waiting.push_back(part);
    });
    if (seen.size() > kMaxVisited) return Reached::kUnknown;
  }
  return tells_all ? Reached::kNo : Reached::kUnknown;
}

}  // namespace dynacc::tracer
