// Spans: what a request did and when, under the ids that the client's own trace has for it.
//
// Contexts are W3C's (https://www.w3.org/TR/trace-context/), spans are OpenTelemetry's, as OTLP has
// them in JSON (https://opentelemetry.io/docs/specs/otlp/).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"

namespace dynacc::trace {

using TraceId = std::array<uint8_t, 16>;
using SpanId = std::array<uint8_t, 8>;

struct Context {
  TraceId trace = {};
  SpanId span = {};
  bool is_sampled = false;
};

// What a header `traceparent` says; nothing if it is not well formed, as W3C has it: then a trace
// begins here.
std::optional<Context> ParseTraceparent(absl::string_view header);

// Random ids, none of zeros alone.
TraceId NewTraceId();
SpanId NewSpanId();

struct Span {
  std::string name;
  Context context;
  std::optional<SpanId> parent;
  bool is_server = false;                                  // of a request; else of something inside
  int64_t start = 0, end = 0;                              // nanoseconds since 1970
  std::vector<std::pair<std::string, std::string>> texts;  // attributes
  std::vector<std::pair<std::string, int64_t>> numbers;    // attributes
  std::optional<std::string> error;
};

// The body of a request to a collector.
Json OtlpBody(const std::vector<Span>& spans, absl::string_view version);

// One span, for the log.
Json SpanFields(const Span& span);

}  // namespace dynacc::trace
