#include "serve/trace/span.h"

#include <algorithm>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace dynacc::trace {
namespace {

// "version-trace-parent-flags", in lower-case hexadecimal digits.
constexpr size_t kTraceAt = 3, kSpanAt = 36, kFlagsAt = 53, kLength = 55;

template <typename Id>
std::string Hex(const Id& id) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(id.data()), id.size()});
}

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
  });
}

// False for zeros alone, which are no id.
template <typename Id>
bool ReadId(absl::string_view digits, Id& id) {
  if (!IsHex(digits)) return false;
  const std::string bytes = absl::HexStringToBytes(digits);
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id != Id();
}

template <typename Id>
Id NewId() {
  static thread_local std::mt19937_64 random{[] {
    std::random_device device;
    std::seed_seq seed = {device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }()};
  Id id;
  do {
    for (uint8_t& byte : id) byte = static_cast<uint8_t>(random());
  } while (id == Id());
  return id;
}

Json AttributesOf(const Span& span) {
  Json attributes = Json::array();
  for (const auto& [key, text] : span.texts) {
    attributes.push_back({{"key", key}, {"value", {{"stringValue", text}}}});
  }
  for (const auto& [key, number] : span.numbers) {
    attributes.push_back({{"key", key}, {"value", {{"intValue", absl::StrCat(number)}}}});
  }
  return attributes;
}

Json OtlpSpan(const Span& span) {
  constexpr int kInternal = 1, kServer = 2, kError = 2;  // of SpanKind, of StatusCode
  Json json = {{"traceId", Hex(span.context.trace)},
               {"spanId", Hex(span.context.span)},
               {"name", span.name},
               {"kind", span.is_server ? kServer : kInternal},
               {"startTimeUnixNano", absl::StrCat(span.start)},
               {"endTimeUnixNano", absl::StrCat(span.end)},
               {"attributes", AttributesOf(span)}};
  if (span.parent) json["parentSpanId"] = Hex(*span.parent);
  if (span.error) json["status"] = {{"code", kError}, {"message", *span.error}};
  return json;
}

}  // namespace

std::optional<Context> ParseTraceparent(absl::string_view header) {
  header = absl::StripAsciiWhitespace(header);
  // A later version may have more behind a further hyphen.
  const bool is_long_enough =
      header.size() == kLength ||
      (header.size() > kLength && header.substr(0, 2) != "00" && header[kLength] == '-');
  if (!is_long_enough || header[2] != '-' || header[kSpanAt - 1] != '-' ||
      header[kFlagsAt - 1] != '-' || !IsHex(header.substr(0, 2)) || header.substr(0, 2) == "ff" ||
      !IsHex(header.substr(kFlagsAt, 2))) {
    return std::nullopt;
  }
  Context context;
  const std::string flags = absl::HexStringToBytes(header.substr(kFlagsAt, 2));
  context.is_sampled = (flags[0] & 1) != 0;
  const bool fits = ReadId(header.substr(kTraceAt, 2 * sizeof(TraceId)), context.trace) &&
                    ReadId(header.substr(kSpanAt, 2 * sizeof(SpanId)), context.span);
  return fits ? std::optional(context) : std::nullopt;
}

TraceId NewTraceId() { return NewId<TraceId>(); }
SpanId NewSpanId() { return NewId<SpanId>(); }

Json OtlpBody(const std::vector<Span>& spans, absl::string_view version) {
  constexpr char kName[] = "dynacc-serve";
  Json list = Json::array();
  for (const Span& span : spans) list.push_back(OtlpSpan(span));
  const Json service = {{"key", "service.name"}, {"value", {{"stringValue", kName}}}};
  const Json scope = {{"scope", {{"name", kName}, {"version", std::string(version)}}},
                      {"spans", std::move(list)}};
  const Json resource = {{"resource", {{"attributes", Json::array({service})}}},
                         {"scopeSpans", Json::array({scope})}};
  return {{"resourceSpans", Json::array({resource})}};
}

Json SpanFields(const Span& span) {
  Json fields = {{"trace", Hex(span.context.trace)},
                 {"span", Hex(span.context.span)},
                 {"name", span.name},
                 {"start_ns", span.start},
                 {"nanoseconds", span.end - span.start}};
  if (span.parent) fields["parent"] = Hex(*span.parent);
  for (const auto& [key, text] : span.texts) fields[key] = text;
  for (const auto& [key, number] : span.numbers) fields[key] = number;
  if (span.error) fields["error"] = *span.error;
  return fields;
}

}  // namespace dynacc::trace
