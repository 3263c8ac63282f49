// Calls the functions of model.py on buffers of this program, from several threads.
//
// usage: embed_hello MODEL.PY
#include <cstdio>
#include <thread>
#include <vector>

#include "dynacc/embed.h"

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

double RowSum(const dynacc::Tensor& tensor, int64_t row) {
  double sum = 0;
  const char* base = static_cast<const char*>(tensor.data()) + row * tensor.strides()[0];
  for (int64_t i = 0; i < tensor.shape()[1]; ++i) {
    sum += *reinterpret_cast<const double*>(base + i * tensor.strides()[1]);
  }
  return sum;
}

// Each thread's softmax of its own buffer: every row sums to one.
void CallFromThreads(const dynacc::Function& softmax) {
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([k, &softmax, &sums] {
      std::vector<double> x(6, k * 0.5);
      auto result = softmax.Call({dynacc::TensorView::Of(x.data(), {2, 3})});
      sums[k] = result.ok() ? RowSum(result->tensor(), 1) : -1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("row sums from threads: %.6f %.6f %.6f %.6f\n", sums[0], sums[1], sums[2], sums[3]);
}

absl::Status Run(dynacc::Runtime& runtime, const char* path) {
  auto model = runtime.LoadFile(path);
  if (!model.ok()) return model.status();
  auto softmax = model->Get("softmax");
  auto scale = model->Get("scale_in_place");
  auto greet = model->Get("greet");
  auto fails = model->Get("fails");
  if (!softmax.ok() || !scale.ok() || !greet.ok() || !fails.ok()) return softmax.status();

  std::vector<double> buffer = {1, 2, 3};
  auto done = scale->Call({dynacc::TensorView::Of(buffer.data(), {3}), 10.0});
  if (!done.ok()) return done.status();
  std::printf("scaled in the host's memory: %g %g %g\n", buffer[0], buffer[1], buffer[2]);

  auto greeting = greet->Call({"host", 21});
  if (!greeting.ok()) return greeting.status();
  const auto& parts = greeting->As<std::vector<dynacc::Value>>();
  std::printf("%s, %lld\n", parts[0].As<std::string>().c_str(),
              static_cast<long long>(parts[1].As<int64_t>()));

  CallFromThreads(*softmax);
  const absl::Status error = fails->Call({dynacc::TensorView::Of(buffer.data(), {3})}).status();
  std::printf("an exception: %s", dynacc::PythonErrorOf(error)->traceback.c_str());
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: embed_hello MODEL.PY\n"), 2;
  auto runtime = dynacc::Runtime::Start({});
  if (!runtime.ok()) return Fail(runtime.status());
  const auto second = dynacc::Runtime::Start({});
  std::printf("a second runtime: %s\n", second.ok() ? "started" : "refused");
  const absl::Status status = Run(**runtime, argv[1]);
  return status.ok() ? 0 : Fail(status);
}
