// dynacc_status of dynacc.h.
#include "embed/host/c/handles.h"

namespace dynacc {

dynacc_status* NewStatus(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new dynacc_status{status, std::string(status.message()), PythonErrorOf(status)};
}

}  // namespace dynacc

const char* dynacc_version(void) { return DYNACC_VERSION; }

dynacc_status* dynacc_status_new(dynacc_code code, const char* message) {
  return dynacc::NewStatus(
      absl::Status(static_cast<absl::StatusCode>(code), message == nullptr ? "" : message));
}

dynacc_code dynacc_status_code(const dynacc_status* status) {
  return status == nullptr ? DYNACC_OK : static_cast<dynacc_code>(status->held.code());
}

const char* dynacc_status_message(const dynacc_status* status) {
  return status == nullptr ? "" : status->message.c_str();
}

const char* dynacc_status_python_type(const dynacc_status* status) {
  return status == nullptr || !status->error ? nullptr : status->error->type.c_str();
}

const char* dynacc_status_python_message(const dynacc_status* status) {
  return status == nullptr || !status->error ? nullptr : status->error->message.c_str();
}

const char* dynacc_status_python_traceback(const dynacc_status* status) {
  return status == nullptr || !status->error ? nullptr : status->error->traceback.c_str();
}

void dynacc_status_free(dynacc_status* status) { delete status; }
