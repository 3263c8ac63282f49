// dynacc's own tensors as an ArrayNamespace, over NumPy's.
//
// What is traced of a tensor is a NumpyTensor whose `is_native` is set, so that all of NumPy's
// machinery (views, writes, sizes) serves both. This class decides by the values whose semantics
// hold: tensors promote by the array API standard and never become array scalars. The namespace's
// functions that are written in Python are inlined by the tracer down to the primitives of
// native_functions.def and to NumPy's functions on views of the tensors.
#pragma once

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/numpy_tensor.h"

namespace dynacc {

class NativeNamespace : public ArrayNamespace {
 public:
  // Registers the checks of array guards.
  explicit NativeNamespace(ArrayNamespace& numpy);

  bool IsArray(BorrowedRef object) const override;
  absl::StatusOr<TensorValue*> Wrap(TraceContext& trace, BorrowedRef object,
                                    const Source* source) override;
  PyTypeObject* TypeOf(const TensorValue& tensor) const override;
  bool KnowsCallable(BorrowedRef callable) const override;
  Ref CallableAttribute(BorrowedRef callable, absl::string_view name) const override;
  bool KnowsMethod(absl::string_view name) const override { return numpy_.KnowsMethod(name); }
  // The Python files of dynacc are inlined where they are called; captured by themselves they would
  // be cut within `with quiet()`.
  bool OwnsModule(BorrowedRef object) const override;
  bool OwnsModuleName(BorrowedRef name) const override;
  Ref Inlined(BorrowedRef function) const override { return numpy_.Inlined(function); }
  absl::StatusOr<Value*> CallOnNumbers(TraceContext& trace, BorrowedRef function,
                                       absl::Span<Value* const> args) override;

  absl::StatusOr<Value*> Call(TraceContext& trace, BorrowedRef callable,
                              const CallArgs& args) override;
  absl::StatusOr<Value*> CallMethod(TraceContext& trace, TensorValue* self, absl::string_view name,
                                    const CallArgs& args) override;
  absl::StatusOr<Value*> Attribute(TraceContext& trace, TensorValue* self,
                                   absl::string_view name) override;
  absl::StatusOr<Value*> Binary(TraceContext& trace, int nb_op, bool in_place, Value* a,
                                Value* b) override;
  absl::StatusOr<Value*> Compare(TraceContext& trace, int compare_op, Value* a, Value* b) override;
  absl::StatusOr<Value*> Unary(TraceContext& trace, int opcode, TensorValue* a) override;
  // Only NumPy has selections, and computes in the memory of operands.
  absl::StatusOr<Value*> UnaryOfSelection(TraceContext& trace, int opcode,
                                          SelectionValue* a) override {
    return numpy_.UnaryOfSelection(trace, opcode, a);
  }
  const Node* InOperandsMemory(const Node* result, bool right, TraceContext& trace) const override {
    return numpy_.InOperandsMemory(result, right, trace);
  }
  bool TakesRightMemory(Value* left) const override { return numpy_.TakesRightMemory(left); }
  absl::StatusOr<Value*> Subscript(TraceContext& trace, TensorValue* a, Value* key) override;
  absl::Status StoreSubscript(TraceContext& trace, TensorValue* a, Value* key,
                              Value* value) override;

  void Read(BorrowedRef object, StridedView* view, void* storage) const override;
  PyObject* NewArray(StridedView& view, bool is_native) const override;
  PyObject* NewScalar(const StridedView& view) const override { return numpy_.NewScalar(view); }
  PyObject* NewView(BorrowedRef base, const StridedView& view, bool is_native) const override;
  uint32_t ReportedFpFlags() const override { return numpy_.ReportedFpFlags(); }
  bool HasUsualBuffers() const override { return numpy_.HasUsualBuffers(); }
  LibraryCaller& library_calls() override { return numpy_.library_calls(); }
  Ref ObjectOf(const LibraryCallResult& result, bool is_native) const override;

 private:
  // NumPy's namespace, for an operation on its arrays: errors of those are reported.
  ArrayNamespace& Numpy(TraceContext& trace);
  // a[key] = value, of which a is an array and key or value may be tensors.
  absl::Status StoreInArray(TraceContext& trace, NumpyTensor* a, Value* key, Value* value);

  ArrayNamespace& numpy_;
};

// The namespace, made at the first call after the program has imported NumPy; null before.
ArrayNamespace* LoadNativeNamespace();

// Nothing but NumPy can keep it from working.
absl::Status CheckNative();

}  // namespace dynacc
