#include "serve/http/routes.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "runtime/base/json_text.h"
#include "serve/http/status_page.h"
#include "serve/log/log.h"
#include "serve/protocol/generation.h"
#include "serve/protocol/json_codec.h"

namespace dynacc::http {
namespace {

using protocol::InferRequest;
using protocol::InferResponse;
using service::Service;

constexpr char kJsonSize[] = "Inference-Header-Content-Length";
constexpr size_t kMaxControlBody = 64 << 10;

HttpResponse JsonResponse(const Json& json) {
  HttpResponse response;
  response.body = JsonText(json);
  return response;
}

HttpResponse ErrorResponse(int status, absl::string_view message) {
  HttpResponse response;
  response.status = status;
  response.body = protocol::ErrorBody(message);
  return response;
}

HttpResponse ErrorResponse(const absl::Status& status) {
  return ErrorResponse(HttpStatusOf(status.code()), status.message());
}

// What a path says to a method that it does not take. `taken`: those that it takes, as the header
// Allow lists them.
HttpResponse WrongMethod(const std::string& taken) {
  HttpResponse response = ErrorResponse(405, absl::StrCat("this path takes the methods ", taken));
  response.headers.emplace_back("Allow", taken);
  return response;
}

HttpResponse Answer(bool is_good) {
  HttpResponse response;
  response.status = is_good ? 200 : 503;
  return response;
}

// "%41" as "A". Nothing if a percent sign is not followed by two digits.
std::optional<std::string> Decoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || !absl::ascii_isxdigit(text[i + 1]) ||
        !absl::ascii_isxdigit(text[i + 2])) {
      return std::nullopt;
    }
    decoded += absl::HexStringToBytes(text.substr(i + 1, 2));
    i += 2;
  }
  return decoded;
}

// The parts of a path, decoded one by one: a "%2F" does not divide. Nothing for a bad path.
std::optional<std::vector<std::string>> PathParts(absl::string_view target) {
  target = target.substr(0, target.find('?'));
  if (!absl::ConsumePrefix(&target, "/")) return std::nullopt;
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(target, '/')) {
    const auto decoded = Decoded(part);
    if (!decoded) return std::nullopt;
    parts.push_back(*decoded);
  }
  return parts;
}

Json SpecsJson(const std::vector<model::TensorSpec>& specs) {
  Json list = Json::array();
  for (const model::TensorSpec& spec : specs) {
    list.push_back({{"name", spec.name},
                    {"datatype", std::string(protocol::DataTypeName(spec.type))},
                    {"shape", spec.shape}});
  }
  return list;
}

class Routes {
 public:
  Routes(Service& service, const RouteOptions& options) : service_(service), options_(options) {}

  void Handle(const HttpRequest& request, const Reply& reply) {
    const auto parts = PathParts(request.target);
    if (!parts) return reply(ErrorResponse(400, "that is no path"));
    // A page that a browser shows must not use a server on this machine, whatever its name is.
    if (request.Header("Origin") != nullptr) {
      return reply(ErrorResponse(403, "requests of web pages are not answered"));
    }
    if (const PostHandler post = FindPost(*parts)) {
      return request.method == "POST" ? post(request, reply) : reply(WrongMethod("POST"));
    }
    if (const GetHandler get = FindGet(*parts)) {
      const bool gets = request.method == "GET" || request.method == "HEAD";
      return reply(gets ? get() : WrongMethod("GET, HEAD"));
    }
    reply(ErrorResponse(404, "there is nothing at this path"));
  }

 private:
  using Parts = std::vector<std::string>;

  // What stands behind /v2/models: a name, a version or "", and the rest.
  struct ModelPath {
    std::string name;
    std::string version;
    std::string verb;
  };
  static std::optional<ModelPath> ReadModelPath(const Parts& parts) {
    if (parts.size() < 3 || parts[0] != "v2" || parts[1] != "models") return std::nullopt;
    ModelPath path = {parts[2], "", ""};
    size_t next = 3;
    if (parts.size() > 4 && parts[3] == "versions") {
      path.version = parts[4];
      next = 5;
    }
    if (next < parts.size()) path.verb = parts[next++];
    if (next != parts.size()) return std::nullopt;
    return path;
  }

  // What answers GET and HEAD at a path; null: the path is not there for them.
  using GetHandler = std::function<HttpResponse()>;
  GetHandler FindGet(const Parts& parts) const {
    if (parts == Parts{""}) return [this] { return Page(); };
    if (parts == Parts{"metrics"}) return [this] { return Metrics(); };
    if (parts == Parts{"v2"}) return [] { return JsonResponse(ServerMetadata()); };
    if (parts == Parts{"v2", "health", "live"}) return [] { return Answer(true); };
    if (parts == Parts{"v2", "health", "ready"}) {
      return [this] { return Answer(service_.IsReady()); };
    }
    const auto path = ReadModelPath(parts);
    if (path && path->verb.empty()) return [this, path] { return ModelMetadata(*path); };
    if (path && path->verb == "ready") {
      return [this, path] { return Answer(service_.IsModelReady(path->name, path->version)); };
    }
    return nullptr;
  }

  HttpResponse Page() const {
    HttpResponse page;
    page.content_type = "text/html; charset=utf-8";
    page.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; style-src 'unsafe-inline'");
    page.body = StatusPage(service_);
    return page;
  }

  HttpResponse Metrics() const {
    HttpResponse text;
    text.content_type = "text/plain; version=0.0.4; charset=utf-8";
    text.body = service_.metrics().Text();
    return text;
  }

  static Json ServerMetadata() {
    return {{"name", service::kServerName},
            {"version", DYNACC_VERSION},
            {"extensions", service::kExtensions}};
  }

  HttpResponse ModelMetadata(const ModelPath& path) const {
    const auto model = service_.Describe(path.name, path.version);
    if (!model.ok()) return ErrorResponse(model.status());
    return JsonResponse({{"name", model->name},
                         {"versions", model->versions},
                         {"platform", model->signature.platform},
                         {"inputs", SpecsJson(model->signature.inputs)},
                         {"outputs", SpecsJson(model->signature.outputs)}});
  }

  // What answers POST at a path; null: the path is not there for it.
  using PostHandler = std::function<void(const HttpRequest& request, const Reply& reply)>;
  PostHandler FindPost(const Parts& parts) {
    using Request = HttpRequest;
    if (parts == Parts{"v2", "repository", "index"}) {
      return [this](const Request& request, const Reply& reply) { reply(Index(request)); };
    }
    if (parts.size() == 5 && parts[0] == "v2" && parts[1] == "repository" && parts[2] == "models" &&
        (parts[4] == "load" || parts[4] == "unload")) {
      return
          [this, name = parts[3], loads = parts[4] == "load"](
              const Request& request, const Reply& reply) { Control(name, loads, request, reply); };
    }
    const auto path = ReadModelPath(parts);
    if (!path) return nullptr;
    constexpr std::pair<absl::string_view,
                        void (Routes::*)(const ModelPath&, const Request&, const Reply&)>
        kVerbs[] = {{"infer", &Routes::Infer},
                    {"generate", &Routes::Generate},
                    {"generate_stream", &Routes::GenerateStream}};
    for (const auto& [verb, answer] : kVerbs) {
      if (path->verb != verb) continue;
      return [this, path, answer](const Request& request, const Reply& reply) {
        (this->*answer)(*path, request, reply);
      };
    }
    return nullptr;
  }

  // An object in the body, which may be empty.
  static std::optional<nlohmann::json> Body(const HttpRequest& request) {
    if (request.body->empty()) return nlohmann::json::object();
    if (request.body->size() > kMaxControlBody) return std::nullopt;
    auto body = nlohmann::json::parse(*request.body, nullptr, /*allow_exceptions=*/false);
    if (!body.is_object()) return std::nullopt;
    return body;
  }

  HttpResponse Index(const HttpRequest& request) const {
    const auto body = Body(request);
    if (!body) return ErrorResponse(400, "the request is no JSON object");
    const auto ready = body->find("ready");
    const bool only_ready = ready != body->end() && *ready == true;
    Json list = Json::array();
    for (const service::IndexEntry& entry : service_.Index()) {
      if (only_ready && !entry.is_ready) continue;
      list.push_back({{"name", entry.name},
                      {"version", entry.version},
                      {"state", entry.is_ready ? "READY" : "UNAVAILABLE"},
                      {"reason", entry.reason}});
    }
    return JsonResponse(list);
  }

  void Control(const std::string& name, bool loads, const HttpRequest& request,
               const Reply& reply) {
    if (!options_.controls) {
      return reply(ErrorResponse(403, "this server's models are not to be changed by clients"));
    }
    const auto body = Body(request);
    if (!body) return reply(ErrorResponse(400, "the request is no JSON object"));
    const auto parameters = body->find("parameters");
    if (loads && parameters != body->end() && !parameters->empty()) {
      return reply(ErrorResponse(501, "models and their settings are not taken from requests"));
    }
    const auto done = [reply](const absl::Status& status) {
      reply(status.ok() ? HttpResponse() : ErrorResponse(status));
    };
    loads ? service_.Load(name, done) : service_.Unload(name, done);
  }

  void Infer(const ModelPath& path, const HttpRequest& http, const Reply& reply) {
    std::optional<size_t> json_size;
    if (const std::string* const text = http.Header(kJsonSize)) {
      uint64_t size = 0;
      if (!absl::SimpleAtoi(*text, &size)) {
        return reply(ErrorResponse(400, absl::StrCat(kJsonSize, " is no number")));
      }
      json_size = size;
    }
    absl::StatusOr<InferRequest> decoded = protocol::DecodeRequest(http.body, json_size);
    if (!decoded.ok()) return reply(ErrorResponse(decoded.status()));
    const auto request = std::make_shared<InferRequest>(*std::move(decoded));
    if (const std::string* const parent = http.Header("traceparent"))
      request->traceparent = *parent;
    service_.Infer(
        path.name, path.version, *request,
        [this, request, reply, name = path.name](absl::StatusOr<InferResponse> response) {
          Respond(name, *request, std::move(response), reply);
        });
  }

  void Respond(const std::string& name, const InferRequest& request,
               absl::StatusOr<InferResponse> response, const Reply& reply) const {
    absl::StatusOr<protocol::EncodedResponse> encoded =
        response.ok() ? protocol::EncodeResponse(request, *response)
                      : absl::StatusOr<protocol::EncodedResponse>(response.status());
    if (!encoded.ok()) {
      log::Write(log::Level::kDebug, "inference failed",
                 {{"model", name},
                  {"id", request.id},
                  {"reason", std::string(encoded.status().message())}});
      return reply(ErrorResponse(encoded.status()));
    }
    HttpResponse answer;
    answer.body = std::move(encoded->body);
    if (encoded->json_size) {
      answer.content_type = "application/octet-stream";
      answer.headers.emplace_back(kJsonSize, absl::StrCat(*encoded->json_size));
    }
    reply(std::move(answer));
  }

  // All tokens at once.
  void Generate(const ModelPath& path, const HttpRequest& http, const Reply& reply) {
    const auto request = protocol::DecodeGenerateRequest(*http.body);
    if (!request.ok()) return reply(ErrorResponse(request.status()));
    const auto tokens = std::make_shared<std::vector<int64_t>>();
    service::GenerateEvents events;
    events.on_token = [tokens](const protocol::GeneratedBy&, int64_t token) {
      tokens->push_back(token);
      return true;
    };
    events.on_end = [tokens, reply](const protocol::GeneratedBy& by,
                                    absl::StatusOr<protocol::FinishReason> reason) {
      if (!reason.ok()) return reply(ErrorResponse(reason.status()));
      HttpResponse response;
      response.body = protocol::EncodeGenerated(by, *tokens, *reason);
      reply(std::move(response));
    };
    const absl::Status status = service_.Generate(path.name, path.version, *request, events);
    if (!status.ok()) reply(ErrorResponse(status));
  }

  // Each token as it is made, as a server-sent event.
  void GenerateStream(const ModelPath& path, const HttpRequest& http, const Reply& reply) {
    const auto request = protocol::DecodeGenerateRequest(*http.body);
    if (!request.ok()) return reply(ErrorResponse(request.status()));
    const auto parts = std::make_shared<BodyParts>();
    const auto send = [parts](absl::string_view json) {
      return parts->Send(absl::StrCat("data: ", json, "\n\n"));
    };
    service::GenerateEvents events;
    events.on_token = [send](const protocol::GeneratedBy& by, int64_t token) {
      return send(protocol::EncodeGenerated(by, {token}, std::nullopt));
    };
    events.on_end = [send, parts](const protocol::GeneratedBy& by,
                                  absl::StatusOr<protocol::FinishReason> reason) {
      send(reason.ok() ? protocol::EncodeGenerated(by, {}, *reason)
                       : protocol::ErrorBody(reason.status().message()));
      parts->End();
    };
    const absl::Status status = service_.Generate(path.name, path.version, *request, events);
    if (!status.ok()) return reply(ErrorResponse(status));
    HttpResponse response;
    response.content_type = "text/event-stream";
    response.headers.emplace_back("Cache-Control", "no-cache");
    response.parts = parts;
    reply(std::move(response));
  }

  Service& service_;
  const RouteOptions options_;
};

}  // namespace

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

Handler MakeRoutes(Service& service, const RouteOptions& options) {
  return [routes = std::make_shared<Routes>(service, options)](
             const HttpRequest& request, const Reply& reply) { routes->Handle(request, reply); };
}

}  // namespace dynacc::http
