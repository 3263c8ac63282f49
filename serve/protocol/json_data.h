// `data` of a JSON input: numbers in an array, or in arrays in arrays, as elements of a tensor.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "serve/protocol/tensor.h"
#include "simdjson.h"

namespace dynacc::protocol {

// The elements of `tensor`, whose type and shape are set. `text_size` is the request's: no data has
// more elements than characters, so no memory is taken for a shape that lies. INVALID_ARGUMENT says
// what is wrong.
absl::Status ReadData(simdjson::ondemand::array data, size_t text_size, Tensor& tensor);

}  // namespace dynacc::protocol
