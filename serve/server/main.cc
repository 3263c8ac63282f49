// dynacc-serve: starts the service and its protocols, and ends them at SIGTERM or SIGINT.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/status_macros.h"
#include "serve/http/http_server.h"
#include "serve/http/routes.h"
#include "serve/http/trace_sender.h"
#include "serve/log/log.h"
#include "serve/metrics/metrics.h"
#include "serve/model/folder.h"
#include "serve/model/program_model.h"
#include "serve/server/options.h"
#include "serve/service/service.h"
#include "serve/trace/tracer.h"
#ifdef DYNACC_GRPC
#include "serve/rpc/rpc_server.h"
#endif

namespace dynacc::server {
namespace {

using std::chrono::milliseconds;

constexpr int kStopped = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;

http::HttpOptions HttpOptionsOf(const Options& options) {
  http::HttpOptions http;
  http.host = options.host;
  http.port = static_cast<uint16_t>(options.port);
  http.threads = static_cast<int>(options.io_threads);
  http.max_connections = options.max_connections;
  http.max_body = static_cast<uint64_t>(options.max_body);
  http.max_bodies = static_cast<uint64_t>(options.max_bodies);
  http.max_header = static_cast<uint32_t>(options.max_header);
  http.idle_timeout = milliseconds(options.idle_timeout_ms);
  http.request_timeout = milliseconds(options.request_timeout_ms);
  http.write_timeout = milliseconds(options.write_timeout_ms);
  return http;
}

// The protocols that clients speak to.
struct Fronts {
  std::unique_ptr<http::HttpServer> http;
#ifdef DYNACC_GRPC
  std::unique_ptr<rpc::RpcServer> rpc;
#endif
};

absl::StatusOr<Fronts> StartFronts(const Options& options, service::Service& service) {
  const bool controls =
      options.control == "on" || (options.control == "auto" && IsLoopback(options.host));
  Fronts fronts;
  DYNACC_ASSIGN_OR_RETURN(
      fronts.http,
      http::HttpServer::Start(
          HttpOptionsOf(options), http::MakeRoutes(service, {controls}),
          [&metrics = service.metrics()](int64_t open) { metrics.SetConnections(open); }),
      "HTTP");
  Json listening = {{"host", options.host}, {"http", fronts.http->port()}};
#ifdef DYNACC_GRPC
  if (options.grpc_port >= 0) {
    DYNACC_ASSIGN_OR_RETURN(
        fronts.rpc,
        rpc::RpcServer::Start(service, {options.host, static_cast<uint16_t>(options.grpc_port),
                                        options.max_body, controls}),
        "gRPC");
    listening["grpc"] = fronts.rpc->port();
  }
#endif
  log::Write(log::Level::kInfo, "listening", listening);
  return fronts;
}

// Whether everything was finished in time.
bool Drain(const Options& options, service::Service& service, Fronts& fronts) {
  service.BeginDrain();
  std::this_thread::sleep_for(milliseconds(options.drain_delay_ms));
  const auto deadline = model::Clock::now() + milliseconds(options.drain_timeout_ms);
  fronts.http->BeginDrain();
#ifdef DYNACC_GRPC
  if (fronts.rpc) fronts.rpc->Stop(deadline);
#endif
  bool is_done = service.WaitUntilIdle(deadline);
  is_done = fronts.http->WaitUntilClosed(deadline) && is_done;
  return service.Stop(deadline) && is_done;
}

// Null: nothing is traced.
absl::StatusOr<std::unique_ptr<trace::Tracer>> TracerFor(const Options& options) {
  if (options.trace_endpoint.empty()) return nullptr;
  trace::Send send = [](const std::vector<trace::Span>& spans) {
    for (const trace::Span& span : spans) {
      log::Write(log::Level::kInfo, "span", trace::SpanFields(span));
    }
    return absl::OkStatus();
  };
  if (options.trace_endpoint != "log") {
    DYNACC_ASSIGN_OR_RETURN(send, http::SendToCollector(options.trace_endpoint, DYNACC_VERSION));
  }
  return std::make_unique<trace::Tracer>(static_cast<int>(options.trace_percent), std::move(send));
}

absl::StatusOr<std::string> ReadKey(const std::string& path) {
  std::optional<std::string> text = ReadWholeFile(path);
  if (!text || text->empty()) {
    return absl::InvalidArgumentError(absl::StrCat("trusted_key: ", path, " cannot be read"));
  }
  if (const absl::Status status = model::CheckTrustedKey(*text); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("trusted_key: ", path, ": ", status.message()));
  }
  return *std::move(text);
}

int Serve(const Options& options) {
  // Before any thread starts, so that all of them leave the signals to sigwait.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  signal(SIGPIPE, SIG_IGN);
  log::SetLevel(*log::ParseLevel(options.log_level));  // ReadOptions has checked it

  const auto fail = [](const absl::Status& status) {
    log::Write(log::Level::kError, "cannot start", {{"reason", std::string(status.message())}});
    return kFailed;
  };
  const absl::StatusOr<model::Folder> folder = model::Folder::Open(options.models);
  if (!folder.ok()) return fail(folder.status());
  const absl::StatusOr<std::unique_ptr<trace::Tracer>> tracer = TracerFor(options);
  if (!tracer.ok()) return fail(tracer.status());
  model::Settings defaults = options.defaults;
  if (!options.trusted_key.empty()) {
    const absl::StatusOr<std::string> key = ReadKey(options.trusted_key);
    if (!key.ok()) return fail(key.status());
    defaults.trusted_key = *key;
  }
  metrics::Metrics metrics;
  service::Service service(*folder, defaults, metrics, tracer->get());
  absl::StatusOr<Fronts> fronts = StartFronts(options, service);
  if (!fronts.ok()) {
    fail(fronts.status());
    _exit(kFailed);  // models are being loaded
  }

  int signal = 0;
  sigwait(&ends, &signal);
  log::Write(log::Level::kInfo, "draining", {{"signal", signal}});
  const bool is_done = Drain(options, service, *fronts);
  log::Write(is_done ? log::Level::kInfo : log::Level::kError,
             is_done ? "stopped" : "stopped with requests unfinished");
  // Threads that are still in a model use what would be destroyed.
  if (!is_done) _exit(kFailed);
  return kStopped;
}

int Main(int argc, char** argv) {
  const absl::Span<char* const> arguments(argv + 1, argc - 1);
  for (const absl::string_view argument : arguments) {
    if (argument == "--help" || argument == "--version") {
      std::fputs(argument == "--help" ? HelpText().c_str() : DYNACC_VERSION "\n", stdout);
      return kStopped;
    }
  }
  const absl::StatusOr<Options> options = ReadOptions(arguments);
  if (!options.ok()) {
    std::fprintf(stderr, "dynacc-serve: %s\n", std::string(options.status().message()).c_str());
    return kUsage;
  }
  return Serve(*options);
}

}  // namespace
}  // namespace dynacc::server

int main(int argc, char** argv) { return dynacc::server::Main(argc, argv); }
