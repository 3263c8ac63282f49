// Module: the names of a Python module.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynacc/export.h"
#include "dynacc/function.h"
#include "dynacc/value.h"

namespace dynacc {

// Of the library itself.
class ObjectAccess;

inline namespace v0 {

// A Python module, or a file that was run as one. Copies refer to the same one. Every function may
// be called from any thread, and fails with FAILED_PRECONDITION once the Runtime is gone.
class DYNACC_EXPORT Module {
 public:
  // The callable of that name: a function, a class, an object with __call__. NOT_FOUND if there is
  // no such name, INVALID_ARGUMENT if it is not callable.
  absl::StatusOr<Function> Get(const std::string& name) const;
  // The value of that name. NOT_FOUND without one.
  absl::StatusOr<Value> GetValue(const std::string& name) const;
  // Gives `name` a value, as an assignment in the module would.
  absl::Status Set(const std::string& name, const Value& value) const;

 private:
  friend class dynacc::ObjectAccess;
  std::shared_ptr<void> handle_;
};

}  // namespace v0
}  // namespace dynacc
