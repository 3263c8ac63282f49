#include "serve/http/trace_sender.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "boost/asio/io_context.hpp"
#include "boost/asio/ip/tcp.hpp"
#include "boost/beast/core.hpp"
#include "boost/beast/http.hpp"
#include "runtime/base/json_text.h"

namespace dynacc::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{5};

struct Endpoint {
  std::string host, port, path;
};

std::optional<Endpoint> EndpointOf(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "http://")) return std::nullopt;
  const size_t slash = url.find('/');
  absl::string_view place = url.substr(0, slash);
  Endpoint endpoint;
  endpoint.path = slash == url.npos ? "/v1/traces" : std::string(url.substr(slash));
  const size_t colon = place.rfind(':');
  const bool has_port = colon != place.npos && !absl::EndsWith(place, "]");
  endpoint.port = has_port ? std::string(place.substr(colon + 1)) : "4318";
  if (has_port) place = place.substr(0, colon);
  if (absl::ConsumePrefix(&place, "[")) absl::ConsumeSuffix(&place, "]");
  endpoint.host = std::string(place);
  int port = 0;
  const bool fits = !place.empty() && absl::SimpleAtoi(endpoint.port, &port) && port > 0 &&
                    port < 1 << 16 && endpoint.path.find_first_of(" \r\n") == std::string::npos;
  return fits ? std::optional(endpoint) : std::nullopt;
}

// One request: connects, sends, reads the answer.
class Post {
 public:
  Post(const Endpoint& endpoint, std::string body)
      : endpoint_(endpoint), resolver_(context_), stream_(context_) {
    request_.method(beast::http::verb::post);
    request_.target(endpoint.path);
    request_.version(11);
    request_.set(beast::http::field::host, endpoint.host);
    request_.set(beast::http::field::content_type, "application/json");
    request_.body() = std::move(body);
    request_.prepare_payload();
  }

  absl::Status Run() {
    stream_.expires_after(kPatience);
    resolver_.async_resolve(endpoint_.host, endpoint_.port, [this](auto error, auto addresses) {
      if (Failed(error)) return;
      stream_.async_connect(addresses, [this](auto connect_error, const auto&) {
        if (Failed(connect_error)) return;
        beast::http::async_write(stream_, request_, [this](auto write_error, size_t) {
          if (!Failed(write_error)) Read();
        });
      });
    });
    context_.run_for(kPatience);
    if (!is_done_ && error_.empty()) error_ = "no answer in time";
    if (error_.empty() && response_.result_int() / 100 != 2) {
      error_ = absl::StrCat("the collector answers ", response_.result_int());
    }
    return error_.empty() ? absl::OkStatus() : absl::UnavailableError(error_);
  }

 private:
  void Read() {
    beast::http::async_read(stream_, buffer_, response_, [this](auto error, size_t) {
      if (!Failed(error)) is_done_ = true;
    });
  }

  bool Failed(const beast::error_code& error) {
    if (error) error_ = error.message();
    return static_cast<bool>(error);
  }

  const Endpoint& endpoint_;
  asio::io_context context_;
  tcp::resolver resolver_;
  beast::tcp_stream stream_;
  beast::http::request<beast::http::string_body> request_;
  beast::flat_buffer buffer_{1 << 20};
  beast::http::response<beast::http::string_body> response_;
  std::string error_;
  bool is_done_ = false;
};

}  // namespace

absl::StatusOr<trace::Send> SendToCollector(const std::string& endpoint,
                                            const std::string& version) {
  const std::optional<Endpoint> parsed = EndpointOf(endpoint);
  if (!parsed) {
    return absl::InvalidArgumentError(absl::StrCat(
        "trace_endpoint is 'log' or like http://127.0.0.1:4318/v1/traces, not '", endpoint, "'"));
  }
  return trace::Send([to = *parsed, version](const std::vector<trace::Span>& spans) {
    return Post(to, JsonText(trace::OtlpBody(spans, version))).Run();
  });
}

}  // namespace dynacc::http
