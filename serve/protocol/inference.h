// A request for an inference and what answers it, whatever carried them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/protocol/tensor.h"

namespace dynacc::protocol {

struct RequestedOutput {
  std::string name;
  bool binary = false;
};

struct InferRequest {
  std::string id;
  std::vector<Tensor> inputs;
  std::vector<RequestedOutput> outputs;  // empty: all
  bool binary_outputs = false;           // of outputs that are not named
  int64_t timeout_microseconds = 0;      // 0: none
  uint32_t priority = 0;                 // 1 first; 0: as the model has it
  std::string traceparent;               // the client's trace, as W3C writes it; empty: none
};

struct InferResponse {
  std::string model;
  std::string version;
  std::string id;
  std::vector<Tensor> outputs;
};

}  // namespace dynacc::protocol
