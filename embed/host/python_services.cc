#include "embed/host/python_services.h"

#include <Python.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "embed/host/errors.h"
#include "embed/host/object_handle.h"
#include "embed/host/python_scope.h"
#include "embed/host/python_values.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// The value of that name; None without one.
const Value& Named(const Dict& dict, absl::string_view name) {
  static const Value& none = *new Value;
  for (const auto& [key, value] : dict) {
    if (key == name) return value;
  }
  return none;
}

std::string TextOf(const Dict& dict, absl::string_view name) {
  const auto* text = Named(dict, name).GetIf<std::string>();
  return text == nullptr ? "" : *text;
}

Parameter ParameterOf(const Dict& row) {
  Parameter parameter{
      TextOf(row, "name"), TextOf(row, "kind"), TextOf(row, "annotation"), false, {}};
  for (const auto& [key, value] : row) {
    if (key != "default") continue;
    parameter.has_default = true;
    parameter.default_value = value;
  }
  return parameter;
}

// As rows: (name, [(axis,) or (axis, least, most)]).
List RowsOf(const std::map<std::string, std::vector<DynamicAxis>>& dynamic) {
  List rows;
  for (const auto& [name, axes] : dynamic) {
    List given;
    for (const DynamicAxis& axis : axes) {
      List row = {axis.axis};
      if (axis.least != 0 || axis.most != 0) row.insert(row.end(), {axis.least, axis.most});
      given.emplace_back(std::move(row));
    }
    rows.emplace_back(List{name, std::move(given)});
  }
  return rows;
}

}  // namespace

absl::StatusOr<Ref> CallService(const char* name, const List& arguments) {
  Ref module = Ref::Steal(PyImport_ImportModule("dynacc._host"));
  Ref service = module ? Ref::Steal(PyObject_GetAttrString(module.get(), name)) : Ref();
  if (!service) return TakeException();
  DYNACC_ASSIGN_OR_RETURN(Ref given, TupleFrom(arguments));
  Ref result = Ref::Steal(PyObject_Call(service.get(), given.get(), nullptr));
  if (!result) return TakeException();
  return result;
}

absl::StatusOr<dynacc::Signature> Function::Signature() const {
  const PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  DYNACC_ASSIGN_OR_RETURN(const Ref found, CallService("signature", {*this}));
  DYNACC_ASSIGN_OR_RETURN(const Value value, FromPython(found.get()));
  const Dict& dict = value.As<Dict>();
  dynacc::Signature signature{
      TextOf(dict, "text"), TextOf(dict, "returns"), TextOf(dict, "documentation"), {}};
  for (const Value& row : Named(dict, "parameters").As<List>()) {
    signature.parameters.push_back(ParameterOf(row.As<Dict>()));
  }
  return signature;
}

absl::Status Function::Freeze(const std::string& path, absl::Span<const Value> examples,
                              const FreezeOptions& options) const {
  const PythonScope python;
  DYNACC_RETURN_IF_ERROR(python.status());
  List targets(options.targets.begin(), options.targets.end());
  return CallService("freeze",
                     {*this, path, List(examples.begin(), examples.end()), options.keywords,
                      RowsOf(options.dynamic), std::move(targets), options.fast_math})
      .status();
}

}  // namespace dynacc
