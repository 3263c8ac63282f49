// Exceptions inside a trace: raising, and finding the handler.
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// The exception that Python has set, normalized and cleared: its class and args.
struct Fetched {
  Ref type, value, traceback;

  Fetched() {
    PyObject *t, *v, *tb;
    PyErr_Fetch(&t, &v, &tb);
    PyErr_NormalizeException(&t, &v, &tb);
    type = Ref::Steal(t);
    value = Ref::Steal(v);
    traceback = Ref::Steal(tb);
  }
};

// The row of the exception table that holds for the instruction at `offset`, or null.
const bytecode::HandlerRange* HandlerOf(const bytecode::DecodedCode& code, int offset) {
  for (const bytecode::HandlerRange& range : code.handlers()) {
    if (offset >= range.start && offset < range.end) return &range;
  }
  return nullptr;
}

}  // namespace

absl::Status Tracer::Raise(symbolic::InstanceValue* exception, absl::string_view reason) {
  exception->raised = true;
  raised_ = exception;
  return absl::AbortedError(reason);
}

absl::Status Tracer::Raise(PyObject* type, absl::string_view message, absl::string_view reason) {
  auto* exception = trace_.New<symbolic::InstanceValue>(Constant(type));
  symbolic::Value* text =
      ConstantSteal(PyUnicode_FromStringAndSize(message.data(), message.size()));
  exception->args = trace_.New<symbolic::TupleValue>(std::vector<symbolic::Value*>{text});
  return Raise(exception, reason);
}

absl::Status Tracer::RaiseCurrent(absl::string_view reason) {
  const Fetched fetched;
  Ref args = Ref::Steal(PyObject_GetAttrString(fetched.value.get(), "args"));
  if (!args || !PyTuple_CheckExact(args.get())) {
    PyErr_Clear();
    return symbolic::RaisingBreak(reason);
  }
  auto* exception = trace_.New<symbolic::InstanceValue>(Constant(fetched.type.get()));
  std::vector<symbolic::Value*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i) {
    items.push_back(Constant(PyTuple_GET_ITEM(args.get(), i)));
  }
  exception->args = trace_.New<symbolic::TupleValue>(std::move(items));
  return Raise(exception, reason);
}

bool Tracer::EnterHandler(SymbolicFrame& frame) {
  const bytecode::HandlerRange* range = HandlerOf(*frame.code, frame.at);
  if (range == nullptr) return false;
  frame.stack.resize(range->depth);
  if (outermost()) {
    untouched_depth_ = std::min(untouched_depth_, range->depth);
    if (handled_ == nullptr) handler_steps_ = steps_;
  }
  // Nobody sees it: a handler that is left by another exception goes back to it by itself.
  if (range->push_lasti) frame.stack.push_back(Constant(PlaceOfRaise(frame.at).get()));
  frame.stack.push_back(raised_);
  frame.pc = range->target;
  ++handlers_entered_;
  return true;
}

absl::Status Tracer::Unwind(size_t depth, const absl::Status& raised) {
  while (frames_.size() > depth) {
    if (EnterHandler(frame())) return absl::OkStatus();
    if (outermost()) return symbolic::RaisingBreak(raised.message());
    if (symbolic::GeneratorValue* generator = frame().generator) {
      generator->yielded = generator->returned = nullptr;
      // An iterator of CPython's that has raised goes on; a generator has ended.
      if (polyfills::IsPolyfillNamespace(frame().globals))
        return symbolic::RaisingBreak("an exception in an iterator of a C function");
      auto* type = reinterpret_cast<PyTypeObject*>(raised_->cls->object.get());
      if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_StopIteration))) {
        return symbolic::GraphBreak("a generator that raises StopIteration");
      }
    }
    frames_.pop_back();
  }
  return raised;
}

}  // namespace dynacc::tracer
