// Handlers of match statements.
#include "absl/algorithm/container.h"
#include "frontend/cpython/abstract_classes.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/objects.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// Requires the class of the value to have the flag, or not, at every call. Of an object made here
// abstract classes decide, which all would have to stay as they are.
absl::Status GuardFlag(Tracer& tracer, symbolic::Value* subject, symbolic::ConstantValue* cls,
                       unsigned long flag, bool has) {
  if (subject->source() != nullptr) {
    tracer.trace().AddGuard(guards::GuardKind::kTypeFlags, subject->source(), nullptr,
                            static_cast<int64_t>(flag), has ? static_cast<int64_t>(flag) : 0);
    return absl::OkStatus();
  }
  const int64_t token = AbstractClassesToken();
  if (token < 0) return symbolic::GraphBreak("a match of an object made here");
  const sources::Source* source =
      tracer.sources().Intern(sources::SourceKind::kPinned, nullptr, 0, cls->object.get());
  tracer.trace().AddGuard(guards::GuardKind::kAbstractClasses, source, nullptr, token);
  return absl::OkStatus();
}

// Pushes whether the class of the value on top has the flag.
absl::Status PushTypeFlag(Tracer& tracer, unsigned long flag) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * subject, tracer.Materialize(tracer.Peek(0)));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ConstantValue * cls, ClassOf(tracer, subject));
  if (cls == nullptr) return symbolic::GraphBreak("a match of such a value");
  auto* type = reinterpret_cast<PyTypeObject*>(cls->object.get());
  const bool has = PyType_HasFeature(type, flag);
  // register() of an abstract class changes the flags of others.
  if (!PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE)) {
    DYNACC_RETURN_IF_ERROR(GuardFlag(tracer, subject, cls, flag, has));
  }
  tracer.Push(tracer.Constant(has ? Py_True : Py_False));
  return absl::OkStatus();
}

// Whether the class takes one positional pattern for the subject itself if it has no
// __match_args__.
bool MatchesSelf(symbolic::ConstantValue* cls) {
  return PyType_HasFeature(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                           1UL << 22);  // _Py_TPFLAGS_MATCH_SELF
}

// Whether it is a builtin type, none of which that matches itself has __match_args__.
bool NeverChanges(symbolic::ConstantValue* cls) {
  return PyType_HasFeature(reinterpret_cast<PyTypeObject*>(cls->object.get()),
                           Py_TPFLAGS_IMMUTABLETYPE);
}

// The attribute, or null if the subject has none of that name.
absl::StatusOr<symbolic::Value*> AttributeIfAny(Tracer& tracer, symbolic::Value* subject,
                                                BorrowedRef name) {
  absl::StatusOr<symbolic::Value*> value = LoadAttribute(tracer, subject, name);
  DYNACC_ASSIGN_OR_RETURN(const bool missing, RaisedAttributeError(tracer, value.status()));
  return missing ? absl::StatusOr<symbolic::Value*>(nullptr) : value;
}

// The names that the class gives its first `count` positional patterns; none if the first pattern
// is for the subject itself.
absl::StatusOr<std::vector<symbolic::Value*>> MatchArgs(Tracer& tracer,
                                                        symbolic::ConstantValue* cls,
                                                        size_t count) {
  std::vector<symbolic::Value*> all;
  if (count == 1 && MatchesSelf(cls) && NeverChanges(cls)) return all;
  Ref name = Ref::Steal(PyUnicode_InternFromString("__match_args__"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * names, AttributeIfAny(tracer, cls, name.get()));
  if (names != nullptr) {
    DYNACC_ASSIGN_OR_RETURN(names, tracer.Materialize(names));
    if (!IsPlainTuple(names)) return symbolic::GraphBreak("__match_args__ that is no tuple");
    DYNACC_ASSIGN_OR_RETURN(all, Drain(tracer, names));
  } else if (count == 1 && MatchesSelf(cls)) {
    return all;
  }
  if (all.size() < count) return symbolic::RaisingBreak("a pattern with too many arguments");
  all.resize(count);
  return all;
}

// The names of attributes as what they must be: strs, each there once.
absl::StatusOr<std::vector<BorrowedRef>> DistinctNames(
    Tracer& tracer, const std::vector<symbolic::Value*>& values) {
  std::vector<BorrowedRef> names;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
    auto* constant = symbolic::As<symbolic::ConstantValue>(value);
    if (constant == nullptr || !PyUnicode_CheckExact(constant->object.get()) ||
        !PyUnicode_CHECK_INTERNED(constant->object.get())) {
      return symbolic::GraphBreak("__match_args__ of what are no names");
    }
    BorrowedRef name = constant->object.get();
    if (absl::c_linear_search(names, name))
      return symbolic::RaisingBreak("two patterns for one attribute");
    names.push_back(name);
  }
  return names;
}

}  // namespace

namespace handlers {

absl::Status MatchSequence(Tracer& tracer, const bytecode::Instruction&) {
  return PushTypeFlag(tracer, Py_TPFLAGS_SEQUENCE);
}

absl::Status MatchMapping(Tracer& tracer, const bytecode::Instruction&) {
  return PushTypeFlag(tracer, Py_TPFLAGS_MAPPING);
}

// [subject][keys]: pushes the tuple of the values, or None.
absl::Status MatchKeys(Tracer& tracer, const bytecode::Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * subject, tracer.Materialize(tracer.Peek(1)));
  auto* dict = symbolic::As<symbolic::DictValue>(subject);
  if (dict == nullptr) return symbolic::GraphBreak("a match of such a mapping");
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> keys, Drain(tracer, tracer.Peek(0)));
  std::vector<symbolic::Value*> values;
  Ref seen = Ref::Steal(PySet_New(nullptr));
  for (symbolic::Value* key : keys) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef name, DictKey(tracer, key));
    if (PySet_Contains(seen.get(), name) == 1)
      return symbolic::RaisingBreak("two patterns for one key");
    PySet_Add(seen.get(), name);
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, DictItem(tracer, dict, name));
    if (value == nullptr) {
      tracer.Push(tracer.None());
      return absl::OkStatus();
    }
    values.push_back(value);
  }
  tracer.Push(tracer.trace().New<symbolic::TupleValue>(std::move(values)));
  return absl::OkStatus();
}

// [subject][class][names]: replaced by the tuple of the attributes, or None.
absl::Status MatchClass(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> names, Drain(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * classes, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * subject, tracer.Materialize(tracer.Pop()));
  auto* cls = symbolic::As<symbolic::ConstantValue>(classes);
  if (cls == nullptr || !PyType_Check(cls->object.get()))
    return symbolic::GraphBreak("a match of such a class");
  DYNACC_ASSIGN_OR_RETURN(const bool fits, IsInstanceOf(tracer, subject, cls->object.get()));
  std::vector<symbolic::Value*> values;
  std::vector<symbolic::Value*> wanted;
  if (fits && instruction.arg > 0) {
    DYNACC_ASSIGN_OR_RETURN(wanted, MatchArgs(tracer, cls, instruction.arg));
    if (wanted.empty()) values.push_back(subject);
  }
  wanted.insert(wanted.end(), names.begin(), names.end());
  DYNACC_ASSIGN_OR_RETURN(const std::vector<BorrowedRef> attributes, DistinctNames(tracer, wanted));
  bool all = fits;
  for (size_t i = 0; all && i < attributes.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value,
                            AttributeIfAny(tracer, subject, attributes[i]));
    all = value != nullptr;
    values.push_back(value);
  }
  tracer.Push(all ? static_cast<symbolic::Value*>(
                        tracer.trace().New<symbolic::TupleValue>(std::move(values)))
                  : tracer.None());
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
