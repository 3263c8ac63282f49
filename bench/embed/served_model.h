// What bench/embed's programs serve: a transformer of two layers, a scoring function, and a
// function that fails; and the way to it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/embed/checked.h"
#include "dynacc/embed.h"

namespace dynacc {

// With COMPILED set before: True for functions under dynacc.compile, False for plain ones.
constexpr char kServedModel[] = R"(
import dynacc
import numpy as np

served = dynacc.compile if COMPILED else lambda function: function

rng = np.random.default_rng(0)
N, D, H = 32, 64, 4

def weights(*shape):
    return (rng.standard_normal(shape) * 0.1).astype(np.float32)

LAYERS = [[weights(D, D) for _ in range(4)] + [weights(D, 4 * D), weights(4 * D, D)] for _ in range(2)]

def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def normal(x):
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(axis=-1, keepdims=True) + np.float32(1e-5))

def heads(x):
    return x.reshape(N, H, D // H).transpose(1, 0, 2)

@served
def transformer(x):
    for q, k, v, o, up, down in LAYERS:
        y = normal(x)
        scores = softmax(heads(y @ q) @ heads(y @ k).transpose(0, 2, 1) * np.float32(0.25))
        x = x + (scores @ heads(y @ v)).transpose(1, 0, 2).reshape(N, D) @ o
        x = x + np.maximum(normal(x) @ up, np.float32(0)) @ down
    return x

@served
def score(features, weights):
    z = (features * weights).sum(axis=1)
    return 1.0 / (1.0 + np.exp(-z))

def fails(rows):
    return {"rows": rows}["columns"]
)";

// Writes the model to a file in `folder`; its path.
inline std::string WriteServedModel(const std::string& folder, bool compiled) {
  const std::string path = folder + "/served_model.py";
  std::ofstream(path) << "COMPILED = " << (compiled ? "True" : "False") << "\n" << kServedModel;
  return path;
}

// Arguments of the functions, with the memory that they lend.
struct ServedArguments {
  std::vector<float> x = std::vector<float>(32 * 64, 0.5F);
  std::vector<double> features = std::vector<double>(256 * 16, 0.25);
  std::vector<double> weights = std::vector<double>(16, 0.5);
  std::vector<Value> image = {TensorView::Of(x.data(), {32, 64})};
  std::vector<Value> row = {TensorView::Of(features.data(), {256, 16}),
                            TensorView::Of(weights.data(), {16})};

  ServedArguments() = default;
  ServedArguments(const ServedArguments&) = delete;
  ServedArguments& operator=(const ServedArguments&) = delete;
};

}  // namespace dynacc
