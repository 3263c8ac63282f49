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

namespace dynacc::tensor {

class NativeNamespace : public arrays::ArrayNamespace {
 public:
  // Registers the checks of array guards.
  explicit NativeNamespace(arrays::ArrayNamespace& numpy);

  bool IsArray(BorrowedRef object) const override;
  absl::StatusOr<symbolic::TensorValue*> Wrap(symbolic::TraceContext& trace, BorrowedRef object,
                                              const sources::Source* source) override;
  PyTypeObject* TypeOf(const symbolic::TensorValue& tensor) const override;
  bool KnowsCallable(BorrowedRef callable) const override;
  Ref CallableAttribute(BorrowedRef callable, absl::string_view name) const override;
  bool KnowsMethod(absl::string_view name) const override { return numpy_.KnowsMethod(name); }
  // The Python files of dynacc are inlined where they are called; captured by themselves they would
  // be cut within `with quiet()`.
  bool OwnsModule(BorrowedRef object) const override;
  bool OwnsModuleName(BorrowedRef name) const override;
  bool LacksAttribute(BorrowedRef module, BorrowedRef name) const override {
    return numpy_.LacksAttribute(module, name);
  }
  Ref Inlined(BorrowedRef function) const override { return numpy_.Inlined(function); }
  bool IsSingleton(BorrowedRef object) const override { return numpy_.IsSingleton(object); }
  Ref EqualToSingleton(symbolic::TraceContext& trace, symbolic::Value* a,
                       symbolic::Value* b) override {
    return numpy_.EqualToSingleton(trace, a, b);
  }
  absl::StatusOr<symbolic::Value*> CallOnNumbers(symbolic::TraceContext& trace,
                                                 BorrowedRef function,
                                                 absl::Span<symbolic::Value* const> args) override;

  absl::StatusOr<symbolic::Value*> Call(symbolic::TraceContext& trace, BorrowedRef callable,
                                        const arrays::CallArgs& args) override;
  absl::StatusOr<symbolic::Value*> CallMethod(symbolic::TraceContext& trace,
                                              symbolic::TensorValue* self, absl::string_view name,
                                              const arrays::CallArgs& args) override;
  absl::StatusOr<symbolic::Value*> Attribute(symbolic::TraceContext& trace,
                                             symbolic::TensorValue* self,
                                             absl::string_view name) override;
  absl::StatusOr<symbolic::Value*> Binary(symbolic::TraceContext& trace, int nb_op, bool in_place,
                                          symbolic::Value* a, symbolic::Value* b) override;
  absl::StatusOr<symbolic::Value*> Compare(symbolic::TraceContext& trace, int compare_op,
                                           symbolic::Value* a, symbolic::Value* b) override;
  absl::StatusOr<symbolic::Value*> Unary(symbolic::TraceContext& trace, int opcode,
                                         symbolic::TensorValue* a) override;
  symbolic::TensorValue* NumberAsScalar(symbolic::TraceContext& trace,
                                        symbolic::Value* number) override;
  absl::StatusOr<std::vector<symbolic::Value*>> Branch(symbolic::TraceContext& trace,
                                                       symbolic::TensorValue* condition,
                                                       symbolic::SubgraphValue* taken,
                                                       symbolic::SubgraphValue* other,
                                                       bool are_values) override;
  symbolic::TensorValue* TruthOf(symbolic::TraceContext& trace, symbolic::TensorValue* value,
                                 bool wanted) override;
  symbolic::TensorValue* Carry(symbolic::TraceContext& trace, symbolic::SubgraphValue* body,
                               symbolic::TensorValue* before) override;
  absl::StatusOr<std::vector<symbolic::Value*>> Loop(
      symbolic::TraceContext& trace, absl::Span<symbolic::TensorValue* const> before,
      symbolic::SubgraphValue* body, bool are_values) override;
  // Only NumPy has selections, and computes in the memory of operands.
  absl::StatusOr<symbolic::Value*> UnaryOfSelection(symbolic::TraceContext& trace, int opcode,
                                                    symbolic::SelectionValue* a) override {
    return numpy_.UnaryOfSelection(trace, opcode, a);
  }
  const ir::Node* InOperandsMemory(const ir::Node* result, bool right,
                                   symbolic::TraceContext& trace) const override {
    return numpy_.InOperandsMemory(result, right, trace);
  }
  bool ComputesInTemporaries() const override { return numpy_.ComputesInTemporaries(); }
  bool TakesRightMemory(symbolic::Value* left) const override {
    return numpy_.TakesRightMemory(left);
  }
  absl::StatusOr<symbolic::Value*> Subscript(symbolic::TraceContext& trace,
                                             symbolic::TensorValue* a,
                                             symbolic::Value* key) override;
  absl::Status StoreSubscript(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                              symbolic::Value* key, symbolic::Value* value) override;

  void Read(BorrowedRef object, StridedView* view, void* storage) const override;
  PyObject* NewArray(StridedView& view, bool is_native, bool keeps_memory) const override;
  PyObject* NewScalar(const StridedView& view) const override { return numpy_.NewScalar(view); }
  PyObject* NewView(BorrowedRef base, const StridedView& view, bool is_native) const override;
  uint32_t ReportedFpFlags() const override { return numpy_.ReportedFpFlags(); }
  bool HasUsualBuffers() const override { return numpy_.HasUsualBuffers(); }
  executor::LibraryCaller& library_calls() override { return numpy_.library_calls(); }
  Ref ObjectOf(const executor::LibraryCallResult& result, bool is_native) const override;

 private:
  // NumPy's namespace, for an operation on its arrays: errors of those are reported.
  arrays::ArrayNamespace& Numpy(symbolic::TraceContext& trace);
  // a[key] = value, of which a is an array and key or value may be tensors.
  absl::Status StoreInArray(symbolic::TraceContext& trace, numpy::NumpyTensor* a,
                            symbolic::Value* key, symbolic::Value* value);

  arrays::ArrayNamespace& numpy_;
};

// The namespace, made at the first call after the program has imported NumPy; null before.
arrays::ArrayNamespace* LoadNativeNamespace();

// Nothing but NumPy can keep it from working.
absl::Status CheckNative();

}  // namespace dynacc::tensor
