#include "frontend/numpy/trace/error_scope.h"

#include <memory>

#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/bound_args.h"
#include "frontend/numpy/trace/error_state.h"
#include "runtime/base/status_macros.h"

namespace dynacc::numpy {
namespace {

// numpy/_core/_ufunc_config.py. A function to call is left to NumPy.
constexpr char kForms[] = R"(
def __enter__(self):
    if self._token is not None:
        raise TypeError("Cannot enter `np.errstate` twice.")
    if self._call is not _Unspecified:
        enter()
    self._token = enter(all=self._all, divide=self._divide, over=self._over, under=self._under,
                        invalid=self._invalid)

def __exit__(self, *exc_info):
    leave(self._token)
)";

PyObject* OnlyTraced(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError, "a function of captured code alone");
  return nullptr;
}

auto* const only_traced = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&OnlyTraced));
PyMethodDef enter_method = {"enter", only_traced, METH_VARARGS | METH_KEYWORDS, nullptr};
PyMethodDef leave_method = {"leave", only_traced, METH_VARARGS | METH_KEYWORDS, nullptr};

struct Forms {
  Ref real_enter, real_exit;  // errstate's methods
  Ref enter, exit;            // what is traced for them
  Ref set, reset;             // the two functions
};

BorrowedRef CodeOf(BorrowedRef function) {
  return reinterpret_cast<PyFunctionObject*>(function)->func_code;
}

// Whether a method uses just these names, in their order.
bool Names(BorrowedRef function, const char* expected) {
  if (function == nullptr || !PyFunction_Check(function)) return false;
  const Ref names = Ref::Steal(PyObject_GetAttrString(CodeOf(function), "co_names"));
  const Ref blank = Ref::Steal(PyUnicode_FromString(" "));
  const Ref text = names && blank ? Ref::Steal(PyUnicode_Join(blank.get(), names.get())) : Ref();
  return text && PyUnicode_CompareWithASCIIString(text.get(), expected) == 0;
}

bool Define(BorrowedRef globals, const Forms& forms) {
  const Ref code = Ref::Steal(Py_CompileString(kForms, "<np.errstate>", Py_file_input));
  BorrowedRef scope = reinterpret_cast<PyFunctionObject*>(forms.real_enter.get())->func_globals;
  BorrowedRef unspecified = PyDict_GetItemString(scope, "_Unspecified");
  if (!code || unspecified == nullptr) return false;
  PyDict_SetItemString(globals, "__builtins__", PyEval_GetBuiltins());
  PyDict_SetItemString(globals, "__name__", PyDict_GetItemString(scope, "__name__"));
  PyDict_SetItemString(globals, "_Unspecified", unspecified);
  PyDict_SetItemString(globals, "enter", forms.set.get());
  PyDict_SetItemString(globals, "leave", forms.reset.get());
  return static_cast<bool>(Ref::Steal(PyEval_EvalCode(code.get(), globals, globals)));
}

Forms Make() {
  Forms forms;
  const Ref numpy = Ref::Steal(PyImport_ImportModule("numpy"));
  const Ref scope = numpy ? Ref::Steal(PyObject_GetAttrString(numpy.get(), "errstate")) : Ref();
  if (!scope || !PyType_Check(scope.get())) return {};
  PyObject* const members = reinterpret_cast<PyTypeObject*>(scope.get())->tp_dict;
  BorrowedRef enter = PyDict_GetItemString(members, "__enter__");
  BorrowedRef exit = PyDict_GetItemString(members, "__exit__");
  if (!Names(enter,
             "_token TypeError _call _Unspecified _make_extobj _all _divide _over _under "
             "_invalid _extobj_contextvar set") ||
      !Names(exit, "_extobj_contextvar reset _token")) {
    return {};
  }
  forms.real_enter = Ref::New(enter);
  forms.real_exit = Ref::New(exit);
  forms.set = Ref::Steal(PyCFunction_New(&enter_method, nullptr));
  forms.reset = Ref::Steal(PyCFunction_New(&leave_method, nullptr));
  const Ref globals = Ref::Steal(PyDict_New());
  if (!forms.set || !forms.reset || !globals || !Define(globals.get(), forms)) return {};
  forms.enter = Ref::New(PyDict_GetItemString(globals.get(), "__enter__"));
  forms.exit = Ref::New(PyDict_GetItemString(globals.get(), "__exit__"));
  return forms;
}

// Not by a static's initialiser: what is made runs Python code, and so other threads, of which one
// would wait here for that initialiser, with the GIL.
const Forms& TheForms() {
  static const Forms* known = nullptr;  // under the GIL
  if (known == nullptr) {
    auto made = std::make_unique<const Forms>(NumpyMajor() >= 2 ? Make() : Forms());
    PyErr_Clear();
    if (known == nullptr) known = made.release();
  }
  return *known;
}

}  // namespace

Ref ErrorScopeForm(BorrowedRef function) {
  const Forms& forms = TheForms();
  if (!forms.enter) return {};
  if (function == forms.real_enter.get()) return forms.enter;
  if (function == forms.real_exit.get()) return forms.exit;
  return {};
}

bool IsErrorScope(BorrowedRef callable) {
  if (!PyCFunction_Check(callable)) return false;
  PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
  return method == &enter_method || method == &leave_method;
}

absl::StatusOr<symbolic::Value*> CallErrorScope(symbolic::TraceContext& trace, BorrowedRef callable,
                                                const arrays::CallArgs& args) {
  if (callable == TheForms().set.get()) {
    if (args.keywords.empty()) return symbolic::GraphBreak("np.errstate with a function to call");
    DYNACC_ASSIGN_OR_RETURN(const BoundArgs bound,
                            BoundArgs::Bind("* all divide over under invalid", nullptr, args));
    DYNACC_ASSIGN_OR_RETURN(const int before, SetErrorsAs(trace, bound));
    Ref number = Ref::Steal(PyLong_FromLong(before));
    return trace.New<symbolic::SuperValue>(trace.New<symbolic::ConstantValue>(std::move(number)),
                                           nullptr);
  }
  auto* const token = symbolic::As<symbolic::SuperValue>(args.positional[0]);
  if (token == nullptr || token->after == nullptr)
    return symbolic::GraphBreak("the end of np.errstate");
  const auto mask = static_cast<int>(PyLong_AsLong(token->after->object.get()));
  trace.SetErrorState(mask, ReportedByMask(mask));
  return trace.New<symbolic::ConstantValue>(Ref::New(Py_None));
}

}  // namespace dynacc::numpy
