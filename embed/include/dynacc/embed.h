// DynaCC inside a C++ program: start CPython with array capture, call Python functions on host
// buffers.
//
//   auto runtime = dynacc::Runtime::Start({});
//   auto module = (*runtime)->LoadFile("model.py");
//   auto forward = module->Get("forward");
//   std::vector<float> x(64);
//   auto y = forward->Call({dynacc::TensorView::Of(x.data(), {8, 8})});
//   const float* result = static_cast<const float*>(y->tensor().data());
//
// No header of CPython is needed. Every function may be called from any thread of the host: it
// takes the GIL itself and gives it back. Nothing throws; errors are absl::Status (errors.h).
// dynacc.h is the same for C.
#pragma once

#include "dynacc/errors.h"
#include "dynacc/function.h"
#include "dynacc/module.h"
#include "dynacc/runtime.h"
#include "dynacc/tensor.h"
#include "dynacc/value.h"
