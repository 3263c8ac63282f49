// Handlers of opcodes that move values about: the stack, constants, locals, globals, cells.
#include "absl/strings/str_cat.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/tracer/handlers/handlers.h"

namespace dynacc {
namespace {

BorrowedRef Name(Tracer& tracer, int index) {
  return PyTuple_GET_ITEM(tracer.frame().raw_code()->co_names, index);
}

// The value of global `name` as the running frame sees it.
absl::StatusOr<Value*> FindGlobal(Tracer& tracer, BorrowedRef name) {
  SymbolicFrame& frame = tracer.frame();
  SourceTable& sources = tracer.sources();
  const SourceKind kind =
      frame.globals_of == nullptr ? SourceKind::kGlobal : SourceKind::kFunctionGlobal;
  const Source* global = sources.Intern(kind, frame.globals_of, 0, name);
  if (BorrowedRef object = DictGetStr(frame.globals, name)) return tracer.Lazy(object, global);
  BorrowedRef builtin = DictGetStr(frame.builtins, name);
  if (builtin == nullptr || frame.builtins != tracer.root().roots.builtins) {
    return RaisingBreak("a global name that is not defined");
  }
  tracer.trace().AddGuard(GuardKind::kAbsent, global);
  return tracer.Lazy(builtin, sources.Intern(SourceKind::kBuiltin, nullptr, 0, name));
}

// The cell in a slot of the running frame. In the outermost frame it may be a real one.
absl::StatusOr<CellValue*> FindCell(Tracer& tracer, int index) {
  SymbolicFrame& frame = tracer.frame();
  if (auto* cell = As<CellValue>(frame.locals[index])) return cell;
  if (!tracer.outermost() || frame.locals[index] != nullptr) return GraphBreak("a missing cell");
  BorrowedRef object = tracer.root().roots.localsplus[index];
  if (object == nullptr || !PyCell_Check(object)) return GraphBreak("a missing cell");
  BorrowedRef name = PyTuple_GET_ITEM(frame.raw_code()->co_localsplusnames, index);
  const Source* source = tracer.sources().Intern(SourceKind::kLocalCell, nullptr, index, name);
  BorrowedRef content = PyCell_GET(object);
  auto* cell = tracer.trace().New<CellValue>(
      content == nullptr ? nullptr : tracer.Lazy(content, source), source);
  // Not a change of the frame: the real cell stays in its slot.
  frame.locals[index] = cell;
  return cell;
}

}  // namespace

namespace handlers {

absl::Status Nop(Tracer&, const Instruction&) { return absl::OkStatus(); }

absl::Status PopTop(Tracer& tracer, const Instruction&) {
  tracer.Pop();
  return absl::OkStatus();
}

absl::Status PushNull(Tracer& tracer, const Instruction&) {
  tracer.Push(tracer.Null());
  return absl::OkStatus();
}

absl::Status Copy(Tracer& tracer, const Instruction& instruction) {
  tracer.Push(tracer.Peek(instruction.arg - 1));
  return absl::OkStatus();
}

absl::Status Swap(Tracer& tracer, const Instruction& instruction) {
  Value* top = tracer.Peek(0);
  tracer.Put(0, tracer.Peek(instruction.arg - 1));
  tracer.Put(instruction.arg - 1, top);
  return absl::OkStatus();
}

absl::Status LoadConst(Tracer& tracer, const Instruction& instruction) {
  tracer.Push(
      tracer.Constant(PyTuple_GET_ITEM(tracer.frame().raw_code()->co_consts, instruction.arg)));
  return absl::OkStatus();
}

absl::Status LoadFast(Tracer& tracer, const Instruction& instruction) {
  Value* value = tracer.Local(instruction.arg);
  if (value == nullptr) return RaisingBreak("a local variable without a value");
  tracer.Push(value);
  return absl::OkStatus();
}

absl::Status StoreFast(Tracer& tracer, const Instruction& instruction) {
  tracer.SetLocal(instruction.arg, tracer.Pop());
  return absl::OkStatus();
}

absl::Status DeleteFast(Tracer& tracer, const Instruction& instruction) {
  if (tracer.Local(instruction.arg) == nullptr) {
    return RaisingBreak("a local variable without a value");
  }
  tracer.SetLocal(instruction.arg, nullptr);
  return absl::OkStatus();
}

absl::Status LoadGlobal(Tracer& tracer, const Instruction& instruction) {
  absl::StatusOr<Value*> value = FindGlobal(tracer, Name(tracer, instruction.arg >> 1));
  if (!value.ok()) return value.status();
  if (instruction.arg & 1) tracer.Push(tracer.Null());
  tracer.Push(*value);
  return absl::OkStatus();
}

// Only bodies whose names are their globals are traced.
absl::Status LoadName(Tracer& tracer, const Instruction& instruction) {
  absl::StatusOr<Value*> value = FindGlobal(tracer, Name(tracer, instruction.arg));
  if (!value.ok()) return value.status();
  tracer.Push(*value);
  return absl::OkStatus();
}

absl::Status MakeCell(Tracer& tracer, const Instruction& instruction) {
  Value* content = tracer.Local(instruction.arg);
  tracer.SetLocal(instruction.arg, tracer.trace().New<CellValue>(content));
  return absl::OkStatus();
}

absl::Status CopyFreeVars(Tracer& tracer, const Instruction& instruction) {
  SymbolicFrame& frame = tracer.frame();
  const int first = static_cast<int>(frame.locals.size()) - instruction.arg;
  if (!tracer.outermost()) {
    for (int i = 0; i < instruction.arg; ++i) tracer.SetLocal(first + i, frame.closure[i]);
    return absl::OkStatus();
  }
  const Source* function = tracer.sources().Intern(SourceKind::kFunction, nullptr);
  PyObject* closure = PyFunction_GET_CLOSURE(tracer.root().roots.function);
  for (int i = 0; i < instruction.arg; ++i) {
    const Source* source = tracer.sources().Intern(SourceKind::kFunctionClosure, function, i);
    BorrowedRef content = PyCell_GET(PyTuple_GET_ITEM(closure, i));
    Value* value = content == nullptr ? nullptr : tracer.Lazy(content, source);
    tracer.SetLocal(first + i, tracer.trace().New<CellValue>(value, source, i));
  }
  return absl::OkStatus();
}

absl::Status LoadClosure(Tracer& tracer, const Instruction& instruction) {
  absl::StatusOr<CellValue*> cell = FindCell(tracer, instruction.arg);
  if (!cell.ok()) return cell.status();
  tracer.Push(*cell);
  return absl::OkStatus();
}

absl::Status LoadDeref(Tracer& tracer, const Instruction& instruction) {
  absl::StatusOr<CellValue*> cell = FindCell(tracer, instruction.arg);
  if (!cell.ok()) return cell.status();
  if ((*cell)->content == nullptr) return GraphBreak("an empty cell");
  tracer.Push((*cell)->content);
  return absl::OkStatus();
}

absl::Status StoreDeref(Tracer& tracer, const Instruction& instruction) {
  absl::StatusOr<CellValue*> cell = FindCell(tracer, instruction.arg);
  if (!cell.ok()) return cell.status();
  if ((*cell)->source() != nullptr) return GraphBreak("a store into a closure's cell");
  (*cell)->content = tracer.Pop();
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc
