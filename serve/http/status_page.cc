#include "serve/http/status_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace dynacc::http {
namespace {

constexpr absl::string_view kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    "<title>dynacc-serve</title><style>"
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;"
    "color:#222;background:#fff}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.35rem .7rem;border-bottom:1px solid #ddd;vertical-align:top}"
    "td.number,th.number{text-align:right}code{font-size:.9em}"
    ".bad{color:#a00}.good{color:#060}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}"
    "th,td{border-color:#444}.bad{color:#f88}.good{color:#8d8}}"
    "</style></head><body><h1>dynacc-serve</h1>\n";

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string Specs(const std::vector<model::TensorSpec>& specs) {
  return absl::StrJoin(specs, "<br>", [](std::string* out, const model::TensorSpec& spec) {
    absl::StrAppend(out, "<code>", Escaped(spec.name), " ", protocol::DataTypeName(spec.type), "[",
                    absl::StrJoin(spec.shape, ", ",
                                  [](std::string* size, int64_t number) {
                                    number < 0 ? absl::StrAppend(size, "any")
                                               : absl::StrAppend(size, number);
                                  }),
                    "]</code>");
  });
}

std::string Row(const service::ModelStatus& model) {
  const std::string state =
      model.entry.is_ready ? "<span class=\"good\">ready</span>" : "<span class=\"bad\">no</span>";
  const std::string batches = model.batches ? absl::StrCat(model.settings.max_batch, " rows, ",
                                                           model.settings.batch_window_us, " us")
                                            : "none";
  return absl::StrCat(
      "<tr><td>", Escaped(model.entry.name), "</td><td>", Escaped(model.entry.version), "</td><td>",
      state, model.entry.reason.empty() ? "" : "<br>", Escaped(model.entry.reason), "</td><td>",
      Specs(model.signature.inputs), "</td><td>", Specs(model.signature.outputs), "</td><td>",
      batches, "</td><td class=\"number\">", model.totals.requests, "</td><td class=\"number\">",
      model.totals.failures, "</td><td class=\"number\">", model.totals.runs,
      "</td><td class=\"number\">", model.totals.queued, "</td></tr>\n");
}

}  // namespace

std::string StatusPage(const service::Service& service) {
  std::string page(kHead);
  absl::StrAppend(&page, "<p>Version ", DYNACC_VERSION, ". The server is ",
                  service.IsReady() ? "<span class=\"good\">ready</span>"
                                    : "<span class=\"bad\">not ready</span>",
                  ". <a href=\"/metrics\">Metrics</a></p>\n<table><tr><th>model</th>"
                  "<th>version</th><th>state</th><th>inputs</th><th>outputs</th><th>batches</th>"
                  "<th class=\"number\">requests</th><th class=\"number\">failed</th>"
                  "<th class=\"number\">runs</th><th class=\"number\">waiting</th></tr>\n");
  for (const service::ModelStatus& model : service.Status()) page += Row(model);
  page += "</table></body></html>\n";
  return page;
}

}  // namespace dynacc::http
