// The protocol's paths: what the server answers to which HTTP request.
#pragma once

#include <memory>

#include "serve/http/http_server.h"
#include "serve/service/service.h"

namespace dynacc::http {

struct RouteOptions {
  bool controls = false;  // whether clients may load and unload models
};

// `service` must outlive the handler.
Handler MakeRoutes(service::Service& service, const RouteOptions& options);

// The HTTP status of an error.
int HttpStatusOf(absl::StatusCode code);

}  // namespace dynacc::http
