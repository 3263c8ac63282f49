// BoundArgs: the arguments of a call, bound to the parameters of a NumPy function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "frontend/arrays/array_namespace.h"

namespace dynacc::numpy {

class BoundArgs {
 public:
  // `signature`: parameter names in order, separated by blanks; "*" before the first one that is
  // keyword-only; a name that ends in "..." takes all positional arguments from there. `self` is
  // the first argument (of methods), or null. GraphBreak if the call does not fit: then NumPy
  // raises, or knows a parameter that we do not.
  static absl::StatusOr<BoundArgs> Bind(absl::string_view signature, symbolic::Value* self,
                                        const arrays::CallArgs& args);

  // The argument of `name` (of the signature); null if it was left out.
  symbolic::Value* operator[](absl::string_view name) const;
  // The argument of the first parameter; null if it was left out.
  symbolic::Value* First() const { return values_.empty() ? nullptr : values_[0]; }
  // As [], null if it is None too.
  symbolic::Value* GivenOrNull(absl::string_view name) const;
  // The argument of `name`; GraphBreak if it was left out.
  absl::StatusOr<symbolic::Value*> Required(absl::string_view name) const;
  // The tensor of that name; GraphBreak if it is none.
  absl::StatusOr<symbolic::TensorValue*> Tensor(absl::string_view name) const;
  // The positional arguments from a name with "..." on.
  absl::Span<symbolic::Value* const> rest() const { return rest_; }

  // A bool that must be known now; `otherwise` if it was left out.
  absl::StatusOr<bool> Flag(absl::string_view name, bool otherwise) const;
  // GraphBreak if the argument was given as anything but None.
  absl::Status RefuseGiven(absl::string_view name) const;
  // GraphBreak if the argument was given as anything but the str `text`.
  absl::Status RefuseUnlessText(absl::string_view name, absl::string_view text) const;

 private:
  std::vector<std::string> names_;
  std::vector<symbolic::Value*> values_;
  std::vector<symbolic::Value*> rest_;
};

inline bool IsNone(const symbolic::Value* value) {
  return value->kind() == symbolic::ValueKind::kConstant &&
         static_cast<const symbolic::ConstantValue*>(value)->object.get() == Py_None;
}

}  // namespace dynacc::numpy
