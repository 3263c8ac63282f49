// Propagation of absl::Status with context at each hop.
//
//   DYNACC_RETURN_IF_ERROR(Load(path), "loading the kernel cache");
//   DYNACC_ASSIGN_OR_RETURN(Kernel kernel, Lower(group), "lowering a fusion group");
//
// The context is prepended to the message ("lowering a fusion group: unknown op"), so that a
// status that reaches the user reads as a sentence from the outermost step to the cause.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace dynacc {

// `status` with "context: " put before its message; an ok status is returned unchanged.
inline absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok() || context.empty()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace dynacc

#define DYNACC_STATUS_CONCAT_INNER(a, b) a##b
#define DYNACC_STATUS_CONCAT(a, b) DYNACC_STATUS_CONCAT_INNER(a, b)

// Usage: DYNACC_RETURN_IF_ERROR(expr) or DYNACC_RETURN_IF_ERROR(expr, "context").
#define DYNACC_RETURN_IF_ERROR(expr, ...)                                            \
  do {                                                                               \
    if (absl::Status dynacc_status = (expr); !dynacc_status.ok())                    \
      return ::dynacc::Annotate(dynacc_status, ::absl::string_view("" __VA_ARGS__)); \
  } while (false)

// Usage: DYNACC_ASSIGN_OR_RETURN(lhs, expr) or DYNACC_ASSIGN_OR_RETURN(lhs, expr, "context").
#define DYNACC_ASSIGN_OR_RETURN(lhs, expr, ...)                                             \
  DYNACC_ASSIGN_OR_RETURN_IMPL(DYNACC_STATUS_CONCAT(dynacc_statusor_, __LINE__), lhs, expr, \
                               "" __VA_ARGS__)
#define DYNACC_ASSIGN_OR_RETURN_IMPL(result, lhs, expr, context)         \
  auto result = (expr);                                                  \
  if (!result.ok()) return ::dynacc::Annotate(result.status(), context); \
  lhs = *std::move(result)
