#include "frontend/tracer/looks_at_locals.h"

#include "absl/algorithm/container.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::tracer {
namespace {

constexpr const char* kBuiltins[] = {"locals", "vars", "dir", "eval", "exec"};
constexpr const char* kFrameNames[] = {"_getframe", "currentframe", "f_locals"};

// Names need not be ones that UTF-8 can write.
bool Is(BorrowedRef name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

template <size_t n>
bool IsOneOf(BorrowedRef name, const char* const (&texts)[n]) {
  return absl::c_any_of(texts, [name](const char* text) { return Is(name, text); });
}

// Whether the global is that module, by whatever name.
bool IsModule(BorrowedRef name, BorrowedRef globals, const char* module_name) {
  BorrowedRef value = PyDict_GetItemWithError(globals, name);
  if (value == nullptr) PyErr_Clear();
  if (value == nullptr || !PyModule_CheckExact(value)) return false;
  static PyObject* const key = PyUnicode_InternFromString("__name__");
  BorrowedRef own_name = DictGetStr(PyModule_GetDict(value), key);
  return own_name != nullptr && PyUnicode_CheckExact(own_name) && Is(own_name, module_name);
}

// What has been found on the way through the instructions.
class Search {
 public:
  explicit Search(BorrowedRef globals) : globals_(globals) {}

  void NoteGlobal(BorrowedRef name) {
    found_ = found_ || IsOneOf(name, kBuiltins) || IsOneOf(name, kFrameNames) || Is(name, "stack");
    has_inspect_ = has_inspect_ || IsModule(name, globals_, "inspect");
    has_builtins_ = has_builtins_ || IsModule(name, globals_, "builtins");
  }
  void NoteImport(BorrowedRef name) {
    has_inspect_ = has_inspect_ || Is(name, "inspect");
    has_builtins_ = has_builtins_ || Is(name, "builtins");
  }
  void NoteAttribute(BorrowedRef name) {
    found_ = found_ || IsOneOf(name, kFrameNames);
    has_stack_ = has_stack_ || Is(name, "stack");
    has_builtin_name_ = has_builtin_name_ || IsOneOf(name, kBuiltins);
  }
  bool Found() const {
    return found_ || (has_stack_ && has_inspect_) || (has_builtin_name_ && has_builtins_);
  }

 private:
  BorrowedRef globals_;
  bool found_ = false;
  bool has_inspect_ = false, has_stack_ = false;
  bool has_builtins_ = false, has_builtin_name_ = false;
};

}  // namespace

bool MayLookAtLocals(const bytecode::DecodedCode& code, BorrowedRef globals) {
  Search search(globals);
  BorrowedRef names = code.code()->co_names;
  for (const bytecode::Instruction& at : code.instructions()) {
    switch (at.opcode) {
      case LOAD_GLOBAL:
        search.NoteGlobal(PyTuple_GET_ITEM(names, at.arg >> 1));
        break;
      case LOAD_NAME:
        search.NoteGlobal(PyTuple_GET_ITEM(names, at.arg));
        break;
      case IMPORT_NAME:
        search.NoteImport(PyTuple_GET_ITEM(names, at.arg));
        break;
      case IMPORT_FROM:
      case LOAD_ATTR:
      case LOAD_METHOD:
        search.NoteAttribute(PyTuple_GET_ITEM(names, at.arg));
        break;
      case LOAD_SUPER_ATTR:
        search.NoteAttribute(PyTuple_GET_ITEM(names, at.arg >> 2));
        break;
      default:
        break;
    }
  }
  return search.Found();
}

}  // namespace dynacc::tracer
