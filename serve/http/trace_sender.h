// Spans to an OpenTelemetry collector: OTLP over HTTP, in JSON.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "serve/trace/tracer.h"

namespace dynacc::http {

// What sends spans to `endpoint`, "http://127.0.0.1:4318/v1/traces", and gives up after some
// seconds. INVALID_ARGUMENT for another kind of address. Its errors are UNAVAILABLE.
absl::StatusOr<trace::Send> SendToCollector(const std::string& endpoint,
                                            const std::string& version);

}  // namespace dynacc::http
