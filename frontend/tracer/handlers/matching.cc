// Handlers of match statements.
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// Pushes whether the class of the value on top has the flag.
absl::Status PushTypeFlag(Tracer& tracer, unsigned long flag) {
  DYNACC_ASSIGN_OR_RETURN(Value * subject, tracer.Realize(tracer.Peek(0)));
  DYNACC_ASSIGN_OR_RETURN(ConstantValue * cls, ClassOf(tracer, subject));
  if (cls == nullptr) return GraphBreak("a match of such a value");
  const bool has = PyType_HasFeature(reinterpret_cast<PyTypeObject*>(cls->object.get()), flag);
  tracer.Push(tracer.Constant(has ? Py_True : Py_False));
  return absl::OkStatus();
}

// The attribute, or null if the subject has none of that name.
absl::StatusOr<Value*> AttributeIfAny(Tracer& tracer, Value* subject, BorrowedRef name) {
  absl::StatusOr<Value*> value = LoadAttribute(tracer, subject, name);
  if (!Tracer::IsRaised(value.status())) return value;
  DYNACC_ASSIGN_OR_RETURN(const bool missing,
                          IsInstanceOf(tracer, tracer.raised(), PyExc_AttributeError));
  return missing ? absl::StatusOr<Value*>(nullptr) : value;
}

// The names that the class gives its first `count` positional patterns.
absl::StatusOr<std::vector<Value*>> MatchArgs(Tracer& tracer, ConstantValue* cls, size_t count) {
  Ref name = Ref::Steal(PyUnicode_InternFromString("__match_args__"));
  DYNACC_ASSIGN_OR_RETURN(Value * names, LoadAttribute(tracer, cls, name.get()));
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> all, Drain(tracer, names));
  if (all.size() < count) return RaisingBreak("a pattern with too many arguments");
  all.resize(count);
  return all;
}

bool MatchesSelf(ConstantValue* cls) {
  return PyType_HasFeature(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                           1UL << 22);  // _Py_TPFLAGS_MATCH_SELF
}

}  // namespace

namespace handlers {

absl::Status MatchSequence(Tracer& tracer, const Instruction&) {
  return PushTypeFlag(tracer, Py_TPFLAGS_SEQUENCE);
}

absl::Status MatchMapping(Tracer& tracer, const Instruction&) {
  return PushTypeFlag(tracer, Py_TPFLAGS_MAPPING);
}

// [subject][keys]: pushes the tuple of the values, or None.
absl::Status MatchKeys(Tracer& tracer, const Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(Value * subject, tracer.Realize(tracer.Peek(1)));
  auto* dict = As<DictValue>(subject);
  if (dict == nullptr) return GraphBreak("a match of such a mapping");
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Value*> keys, Drain(tracer, tracer.Peek(0)));
  std::vector<Value*> values;
  for (Value* key : keys) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
    DYNACC_ASSIGN_OR_RETURN(Value * value, DictItem(tracer, dict, name));
    if (value == nullptr) {
      tracer.Push(tracer.None());
      return absl::OkStatus();
    }
    values.push_back(value);
  }
  tracer.Push(tracer.trace().New<TupleValue>(std::move(values)));
  return absl::OkStatus();
}

// [subject][class][names]: replaced by the tuple of the attributes, or None.
absl::Status MatchClass(Tracer& tracer, const Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<Value*> names, Drain(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(Value * classes, tracer.Realize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(Value * subject, tracer.Realize(tracer.Pop()));
  auto* cls = As<ConstantValue>(classes);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return GraphBreak("a match of such a class");
  DYNACC_ASSIGN_OR_RETURN(const bool fits, IsInstanceOf(tracer, subject, cls->object.get()));
  std::vector<Value*> values;
  std::vector<Value*> wanted;
  if (fits && instruction.arg == 1 && MatchesSelf(cls)) {
    values.push_back(subject);
  } else if (fits && instruction.arg > 0) {
    DYNACC_ASSIGN_OR_RETURN(wanted, MatchArgs(tracer, cls, instruction.arg));
  }
  wanted.insert(wanted.end(), names.begin(), names.end());
  bool all = fits;
  for (size_t i = 0; all && i < wanted.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(Value * name, tracer.Realize(wanted[i]));
    auto* constant = As<ConstantValue>(name);
    if (constant == nullptr) return GraphBreak("a match of such a class");
    DYNACC_ASSIGN_OR_RETURN(Value * value, AttributeIfAny(tracer, subject, constant->object.get()));
    all = value != nullptr;
    values.push_back(value);
  }
  tracer.Push(all ? static_cast<Value*>(tracer.trace().New<TupleValue>(std::move(values)))
                  : tracer.None());
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc
