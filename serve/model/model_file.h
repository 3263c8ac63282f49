// The files that one version of a model lies in.
#pragma once

#include <string>

namespace dynacc::model {

struct ModelFile {
  std::string path;
  std::string weights;  // a Program's, of the format safetensors, beside it; empty: there is none
};

}  // namespace dynacc::model
