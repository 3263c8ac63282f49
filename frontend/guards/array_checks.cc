#include "frontend/guards/array_checks.h"

namespace dynacc::guards {
namespace {

constexpr ArrayChecks kNoArrays = {
    .check_array = [](BorrowedRef, DType, int) { return false; },
    .check_tensor = [](BorrowedRef, DType, int) { return false; },
    .check_scalar = [](BorrowedRef, DType) { return false; },
    .read_array = [](BorrowedRef, ReadSet&) { return false; },
    .dim = [](BorrowedRef, int) -> int64_t { return -1; },
    .is_contiguous = [](BorrowedRef) { return false; },
    .is_writable = [](BorrowedRef) { return false; },
    .scalar_class = [](BorrowedRef) { return -1; },
    .error_state = [] { return 0; },
    .device_of = [](BorrowedRef) { return 0; },
    .describe = [](BorrowedRef) { return std::string(); },
};

const ArrayChecks* registered_checks = &kNoArrays;

}  // namespace

void RegisterArrayChecks(const ArrayChecks* checks) { registered_checks = checks; }

const ArrayChecks& RegisteredArrayChecks() { return *registered_checks; }

}  // namespace dynacc::guards
