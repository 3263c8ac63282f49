// Python models. They need CPython, so that what runs them is a module of its own,
// libdynacc_serve_python.so, which a server opens when it meets the first one.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "serve/model/model.h"
#include "serve/model/model_file.h"
#include "serve/model/settings.h"

namespace dynacc::model {

class PythonModels {
 public:
  virtual ~PythonModels() = default;
  // Runs the file as a module and takes its function. An error has the traceback.
  virtual absl::StatusOr<std::unique_ptr<Model>> Load(const std::string& file,
                                                      const Settings& settings) = 0;
};

// What the module exports: starts the interpreter, once in a process, and never ends.
using StartPythonModels = absl::StatusOr<PythonModels*> (*)();
constexpr char kStartPythonModels[] = "dynacc_serve_start_python_models";

// A Program or a Python model, as `settings` say. The module is opened when it is needed:
// UNAVAILABLE if it is not installed.
absl::StatusOr<std::unique_ptr<Model>> LoadModel(const ModelFile& file, const Settings& settings);

}  // namespace dynacc::model
