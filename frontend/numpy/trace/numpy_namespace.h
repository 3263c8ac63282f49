// NumPy as an ArrayNamespace.
#pragma once

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/library_calls.h"

namespace dynacc {

class NumpyNamespace : public ArrayNamespace {
 public:
  // `numpy_module`: the module, with its C API imported. Fills the tables of this folder, registers
  // NumPy's inner loops and the checks of array guards. Once a process.
  explicit NumpyNamespace(BorrowedRef numpy_module);

  bool IsArray(BorrowedRef object) const override;
  absl::StatusOr<TensorValue*> Wrap(TraceContext& trace, BorrowedRef object,
                                    const Source* source) override;
  PyTypeObject* TypeOf(const TensorValue& tensor) const override;
  bool KnowsCallable(BorrowedRef callable) const override;
  Ref CallableAttribute(BorrowedRef callable, absl::string_view name) const override;
  bool KnowsMethod(absl::string_view name) const override;
  bool OwnsModule(BorrowedRef object) const override;
  bool OwnsModuleName(BorrowedRef name) const override;
  Ref Inlined(BorrowedRef function) const override;

  absl::StatusOr<Value*> Call(TraceContext& trace, BorrowedRef callable,
                              const CallArgs& args) override;
  absl::StatusOr<Value*> CallOnNumbers(TraceContext& trace, BorrowedRef function,
                                       absl::Span<Value* const> args) override;
  absl::StatusOr<Value*> CallMethod(TraceContext& trace, TensorValue* self, absl::string_view name,
                                    const CallArgs& args) override;
  absl::StatusOr<Value*> Attribute(TraceContext& trace, TensorValue* self,
                                   absl::string_view name) override;
  absl::StatusOr<Value*> Binary(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                Value* b) override;
  absl::StatusOr<Value*> Compare(TraceContext& trace, int compare_op, Value* a, Value* b) override;
  absl::StatusOr<Value*> Unary(TraceContext& trace, int opcode, TensorValue* a) override;
  absl::StatusOr<Value*> UnaryOfSelection(TraceContext& trace, int opcode,
                                          SelectionValue* a) override;
  const Node* InOperandsMemory(const Node* result, bool right, TraceContext& trace) const override;
  bool TakesRightMemory(Value* left) const override;
  absl::StatusOr<Value*> Subscript(TraceContext& trace, TensorValue* a, Value* key) override;

  absl::Status StoreSubscript(TraceContext& trace, TensorValue* a, Value* key,
                              Value* value) override;
  void Read(BorrowedRef object, StridedView* view, void* storage) const override;
  PyObject* NewArray(StridedView& view, bool is_native) const override;
  PyObject* NewScalar(const StridedView& view) const override;
  PyObject* NewView(BorrowedRef base, const StridedView& view, bool is_native) const override;
  uint32_t ReportedFpFlags() const override;
  bool HasUsualBuffers() const override;
  LibraryCaller& library_calls() override { return TheNumpyLibraryCalls(); }
  Ref ObjectOf(const LibraryCallResult& result, bool) const override {
    return NumpyLibraryCalls::ObjectOf(result);
  }

 private:
  // Fills the tables of functions of submodules that NumPy 2 imports when they are first asked for,
  // once they are there.
  void LoadImported() const;

  BorrowedRef module_;
  mutable bool has_transforms_ = false;
  mutable bool has_sampling_ = false;
};

// The namespace, made at the first call after the program has imported NumPy; null before.
ArrayNamespace* LoadNumpyNamespace();

}  // namespace dynacc
