// NumPy as an ArrayNamespace.
#pragma once

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/numpy_library_caller.h"

namespace dynacc::numpy {

class NumpyNamespace : public arrays::ArrayNamespace {
 public:
  // `numpy_module`: the module, with its C API imported. Fills the tables of this folder, registers
  // NumPy's inner loops and the checks of array guards. Once a process.
  explicit NumpyNamespace(BorrowedRef numpy_module);

  bool IsArray(BorrowedRef object) const override;
  absl::StatusOr<symbolic::TensorValue*> Wrap(symbolic::TraceContext& trace, BorrowedRef object,
                                              const sources::Source* source) override;
  PyTypeObject* TypeOf(const symbolic::TensorValue& tensor) const override;
  bool KnowsCallable(BorrowedRef callable) const override;
  Ref CallableAttribute(BorrowedRef callable, absl::string_view name) const override;
  bool KnowsMethod(absl::string_view name) const override;
  bool OwnsModule(BorrowedRef object) const override;
  bool OwnsModuleName(BorrowedRef name) const override;
  bool LacksAttribute(BorrowedRef module, BorrowedRef name) const override;
  Ref Inlined(BorrowedRef function) const override;

  absl::StatusOr<symbolic::Value*> Call(symbolic::TraceContext& trace, BorrowedRef callable,
                                        const arrays::CallArgs& args) override;
  absl::StatusOr<symbolic::Value*> CallOnNumbers(symbolic::TraceContext& trace,
                                                 BorrowedRef function,
                                                 absl::Span<symbolic::Value* const> args) override;
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
  bool IsSingleton(BorrowedRef object) const override;
  Ref EqualToSingleton(symbolic::TraceContext& trace, symbolic::Value* a,
                       symbolic::Value* b) override;
  absl::StatusOr<symbolic::Value*> Unary(symbolic::TraceContext& trace, int opcode,
                                         symbolic::TensorValue* a) override;
  absl::StatusOr<symbolic::Value*> UnaryOfSelection(symbolic::TraceContext& trace, int opcode,
                                                    symbolic::SelectionValue* a) override;
  const ir::Node* InOperandsMemory(const ir::Node* result, bool right,
                                   symbolic::TraceContext& trace) const override;
  bool ComputesInTemporaries() const override;
  bool TakesRightMemory(symbolic::Value* left) const override;
  absl::StatusOr<symbolic::Value*> Subscript(symbolic::TraceContext& trace,
                                             symbolic::TensorValue* a,
                                             symbolic::Value* key) override;

  absl::Status StoreSubscript(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                              symbolic::Value* key, symbolic::Value* value) override;
  void Read(BorrowedRef object, StridedView* view, void* storage) const override;
  PyObject* NewArray(StridedView& view, bool is_native, bool keeps_memory) const override;
  PyObject* NewScalar(const StridedView& view) const override;
  PyObject* NewView(BorrowedRef base, const StridedView& view, bool is_native) const override;
  uint32_t ReportedFpFlags() const override;
  bool HasUsualBuffers() const override;
  executor::LibraryCaller& library_calls() override { return TheNumpyLibraryCaller(); }
  Ref ObjectOf(const executor::LibraryCallResult& result, bool) const override {
    return NumpyLibraryCaller::ObjectOf(result);
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
arrays::ArrayNamespace* LoadNumpyNamespace();

}  // namespace dynacc::numpy
