#include "frontend/frame/entry_run.h"

#include "boost/container/small_vector.hpp"
#include "frontend/cpython/evaluator.h"
#include "runtime/base/log.h"

namespace dynacc {
namespace {

template <typename T, size_t kInline>
using SmallVector = boost::container::small_vector<T, kInline>;

// Results become objects of the array library as soon as their memory is asked for.
class ArraySink : public OutputSink {
 public:
  ArraySink(const ArrayNamespace& arrays, const std::vector<bool>& is_scalar)
      : arrays_(arrays), is_scalar_(is_scalar) {
    objects_.resize(is_scalar.size());
    scalars_.resize(is_scalar.size());
  }

  absl::Status Allocate(int index, StridedView& view) override {
    if (is_scalar_[index]) {
      Scalar& scalar = scalars_[index];
      view.data = scalar.bytes;
      scalar.view = view;
      return absl::OkStatus();
    }
    objects_[index] = Ref::Steal(arrays_.NewArray(view));
    if (objects_[index]) return absl::OkStatus();
    PyErr_Clear();
    return absl::ResourceExhaustedError("no memory for a result");
  }

  // After the run: scalar objects from the bytes that were written.
  bool Finish() {
    for (size_t i = 0; i < objects_.size(); ++i) {
      if (is_scalar_[i]) objects_[i] = Ref::Steal(arrays_.NewScalar(scalars_[i].view));
      if (!objects_[i]) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }

  absl::Span<const Ref> objects() const { return {objects_.data(), objects_.size()}; }

 private:
  struct Scalar {
    alignas(16) char bytes[16];
    StridedView view;
  };

  const ArrayNamespace& arrays_;
  const std::vector<bool>& is_scalar_;
  SmallVector<Ref, 4> objects_;
  SmallVector<Scalar, 1> scalars_;
};

struct Inputs {
  SmallVector<StridedView, 6> views;
  SmallVector<std::array<char, 16>, 6> storage;
  SmallVector<ScalarValue, 32> scalars;
};

void ReadArrays(const Entry& entry, absl::Span<const BorrowedRef> slots,
                const ArrayNamespace& arrays, Inputs& inputs) {
  inputs.views.resize(entry.array_slots.size());
  inputs.storage.resize(entry.array_slots.size());
  for (size_t i = 0; i < entry.array_slots.size(); ++i) {
    arrays.Read(slots[entry.array_slots[i]], &inputs.views[i], inputs.storage[i].data());
  }
}

// The numbers and sizes that the scalar program starts from.
void ReadScalars(const Entry& entry, absl::Span<const BorrowedRef> slots,
                 const ArrayNamespace& arrays, SmallVector<ScalarValue, 8>& values) {
  values.resize(entry.scalar_bindings.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Entry::ScalarBinding& binding = entry.scalar_bindings[i];
    BorrowedRef object = slots[binding.slot];
    if (binding.from == ScalarInput::From::kFloat) {
      values[i].f = PyFloat_AS_DOUBLE(object);
    } else if (binding.from == ScalarInput::From::kInt) {
      values[i].i = PyLong_AsLongLong(object);  // the IntFits guard held
    } else {
      StridedView view;
      alignas(16) char storage[16];
      arrays.Read(object, &view, storage);
      values[i].i = view.shape[binding.axis];
    }
  }
}

bool EvaluateScalars(const Entry& entry, absl::Span<const BorrowedRef> slots,
                     const ArrayNamespace& arrays, Inputs& inputs) {
  const ScalarProgram& program = entry.graph->scalars();
  SmallVector<ScalarValue, 8> values;
  ReadScalars(entry, slots, arrays, values);
  inputs.scalars.resize(program.size());
  return program.Evaluate({values.data(), values.size()},
                          {inputs.scalars.data(), inputs.scalars.size()});
}

bool ConditionsHold(const Entry& entry, const Inputs& inputs) {
  for (const ScalarId condition : entry.conditions) {
    if (inputs.scalars[condition].i == 0) return false;
  }
  return true;
}

bool IdentitiesHold(const Entry& entry, absl::Span<const BorrowedRef> slots) {
  for (const Entry::IdentityCheck& check : entry.identities) {
    if ((slots[check.slot_a] == slots[check.slot_b]) != check.same) return false;
  }
  return true;
}

}  // namespace

EntryOutcome RunEntryGraph(const Entry& entry, absl::Span<const BorrowedRef> slots,
                           BorrowedRef function, ArrayNamespace& arrays, bool interruptible,
                           RecipeResults& results) {
  if (!IdentitiesHold(entry, slots)) return EntryOutcome::kMismatch;
  Inputs inputs;
  if (!EvaluateScalars(entry, slots, arrays, inputs)) return EntryOutcome::kMismatch;
  if (!ConditionsHold(entry, inputs)) return EntryOutcome::kMismatch;
  if (entry.needs_usual_buffers && !arrays.HasUsualBuffers()) return EntryOutcome::kPlain;
  ReadArrays(entry, slots, arrays, inputs);
  ArraySink sink(arrays, entry.output_is_scalar);
  RunArguments run;
  run.inputs = {inputs.views.data(), inputs.views.size()};
  run.scalars = {inputs.scalars.data(), inputs.scalars.size()};
  run.sink = &sink;
  run.externs = &arrays.externs();
  run.stop = interruptible ? SignalsWait : nullptr;
  absl::StatusOr<uint32_t> flags = entry.compiled->Run(run);
  if (absl::IsCancelled(flags.status())) return EntryOutcome::kInterrupted;
  if (!flags.ok()) {
    // Without memory for a result NumPy will say so itself, in its own words.
    if (!absl::IsResourceExhausted(flags.status())) {
      WarnOnce(absl::StrCat("run:", flags.status().message()),
               absl::StrCat("a compiled segment could not run (", flags.status().message(),
                            "); CPython ran it instead"));
    }
    return EntryOutcome::kPlain;
  }
  if (*flags != 0 && (*flags & arrays.ReportedFpFlags()) != 0) return EntryOutcome::kPlain;
  if (!sink.Finish()) return EntryOutcome::kPlain;
  RecipeInputs recipe;
  recipe.slots = slots;
  recipe.outputs = sink.objects();
  recipe.scalars = run.scalars;
  recipe.function = function;
  recipe.arrays = &arrays;
  return RunRecipe(entry.recipe, recipe, results) ? EntryOutcome::kDone : EntryOutcome::kPlain;
}

}  // namespace dynacc
