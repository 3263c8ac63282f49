// 64 threads that call a served model while it is loaded anew several times a second.
//
// usage: soak_host MODEL.PY EXPECTED RESULT SECONDS
//
// Of each thread's calls most are of `forward`, and compared byte for byte with EXPECTED
// (expected_results.py); the others never return by themselves and are stopped by a deadline or by
// another thread, or raise an exception. RESULT receives a JSON object: what went wrong, counts,
// and the latencies of each kind by quarters of the time, in the buckets of sampling.py. Prints
// "ready" once all threads run.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/embed.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 64;
constexpr int kInputs = 8;
constexpr int kVersions = 8;
constexpr int kElements = 64;
constexpr int kBucketsPerOctave = 16;  // as in sampling.py
constexpr int kBuckets = kBucketsPerOctave * 44;
constexpr std::chrono::milliseconds kBetweenLoads(200);

struct Histogram {
  std::array<std::atomic<uint64_t>, kBuckets> counts = {};

  void Add(int64_t nanoseconds) {
    const uint64_t value = static_cast<uint64_t>(std::max<int64_t>(1, nanoseconds));
    const int octave = 63 - __builtin_clzll(value);
    const uint64_t part = octave >= 4 ? value >> (octave - 4) : value << (4 - octave);
    const int index = octave * kBucketsPerOctave + static_cast<int>(part) - kBucketsPerOctave;
    ++counts[std::min(index, kBuckets - 1)];
  }
};

using Quarters = std::array<Histogram, 4>;

struct Model {
  int version = 0;
  dynacc::Function forward, endless, fails;
};

// What all threads share.
struct Soak {
  std::unique_ptr<dynacc::Runtime> runtime;
  std::string path, text;
  std::vector<double> expected;  // by version, input, element
  Clock::time_point start;
  std::chrono::duration<double> length{};
  std::atomic<bool> stop = false;
  std::mutex mutex;  // of the next three
  std::shared_ptr<const Model> model;
  std::vector<std::pair<Clock::time_point, dynacc::Cancellation>> to_cancel;
  std::vector<std::string> wrong;
  Quarters forward, deadline, cancelled, failing, load;
  std::atomic<uint64_t> models_made = 0, models_released = 0;

  Histogram& Now(Quarters& quarters) const {
    const double share = std::chrono::duration<double>(Clock::now() - start) / length;
    return quarters[std::min(3, static_cast<int>(4 * share))];
  }
  void Wrong(std::string what) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (wrong.size() < 20) wrong.push_back(std::move(what));
  }
  std::shared_ptr<const Model> Current() {
    const std::lock_guard<std::mutex> lock(mutex);
    return model;
  }
};

double InputElement(int k, int i) {
  return (std::fmod(static_cast<double>(i) * (2 * k + 3), 11.0) - 5.0) / 2.0;
}

int64_t Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// Writes the next version's file and loads it. Its module has an array whose end says that it died.
// No two files that are written within a second have the same length.
absl::Status LoadModel(Soak& soak, int version) {
  std::string text = soak.text;
  const std::string mark = "VERSION = 0";
  text.replace(text.find(mark), mark.size(), "VERSION = " + std::to_string(version));
  text += "# " + std::string(version % 100, '.') + "\n";
  {
    std::ofstream file(soak.path + ".new");
    file << text;
  }
  std::filesystem::rename(soak.path + ".new", soak.path);
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<dynacc::Module> module = soak.runtime->LoadFile(soak.path);
  if (!module.ok()) return module.status();
  auto memory = std::make_shared<std::vector<double>>(4096, version);
  ++soak.models_made;
  const dynacc::TensorView view = dynacc::TensorView::Of(memory->data(), {4096});
  const absl::Status set =
      module->Set("kept", dynacc::Tensor::Adopt(view, [memory, &soak] { ++soak.models_released; }));
  if (!set.ok()) return set;
  auto model = std::make_shared<Model>();
  model->version = version;
  for (const auto& [name, function] :
       {std::pair<const char*, dynacc::Function*>{"forward", &model->forward},
        {"endless", &model->endless},
        {"fails", &model->fails}}) {
    const absl::StatusOr<dynacc::Function> found = module->Get(name);
    if (!found.ok()) return found.status();
    *function = *found;
  }
  soak.Now(soak.load).Add(Since(start));
  const std::lock_guard<std::mutex> lock(soak.mutex);
  soak.model = std::move(model);
  return absl::OkStatus();
}

// Which result of python3's, if any, these elements are.
std::string WhoseBytes(const Soak& soak, const void* data) {
  for (int i = 0; i < kVersions * kInputs; ++i) {
    if (std::memcmp(data, soak.expected.data() + i * kElements, kElements * sizeof(double)) == 0) {
      return "the result of version " + std::to_string(i / kInputs) + ", input " +
             std::to_string(i % kInputs);
    }
  }
  double largest = 0;
  const double* elements = static_cast<const double*>(data);
  for (int i = 0; i < kElements; ++i) largest = std::max(largest, std::abs(elements[i]));
  return "a result that is none of python3's, its largest element " + std::to_string(largest);
}

void Forward(Soak& soak, const Model& model, int k) {
  std::vector<double> x(kElements);
  for (int i = 0; i < kElements; ++i) x[i] = InputElement(k, i);
  const double* expected =
      soak.expected.data() + (model.version % kVersions * kInputs + k) * kElements;
  const Clock::time_point start = Clock::now();
  const auto result = model.forward.Call({dynacc::TensorView::Of(x.data(), {8, 8})});
  soak.Now(soak.forward).Add(Since(start));
  if (!result.ok()) return soak.Wrong("forward: " + result.status().ToString());
  const void* data = result->tensor().data();
  if (std::memcmp(data, expected, kElements * sizeof(double)) != 0) {
    soak.Wrong("forward of version " + std::to_string(model.version) + ", input " +
               std::to_string(k) + " has " + WhoseBytes(soak, data));
  }
}

// How long after its deadline a call comes back.
void Deadline(Soak& soak, const Model& model, std::chrono::microseconds time) {
  const std::vector<double> x(kElements, 1.0);
  dynacc::CallOptions options;
  options.deadline = absl::Now() + absl::FromChrono(time);
  const Clock::time_point end = Clock::now() + time;
  const auto result = model.endless.Call({dynacc::TensorView::Of(x.data(), {kElements})}, options);
  soak.Now(soak.deadline).Add(Since(end));
  if (result.status().code() != absl::StatusCode::kDeadlineExceeded) {
    soak.Wrong("deadline: " + result.status().ToString());
  }
}

// How long after Cancel a call comes back.
void Cancelled(Soak& soak, const Model& model, std::chrono::microseconds time) {
  const std::vector<double> x(kElements, 1.0);
  const dynacc::Cancellation cancellation;
  dynacc::CallOptions options;
  options.cancellation = &cancellation;
  const Clock::time_point end = Clock::now() + time;
  {
    const std::lock_guard<std::mutex> lock(soak.mutex);
    soak.to_cancel.emplace_back(end, cancellation);
  }
  const auto result = model.endless.Call({dynacc::TensorView::Of(x.data(), {kElements})}, options);
  soak.Now(soak.cancelled).Add(Since(end));
  if (result.status().code() != absl::StatusCode::kCancelled) {
    soak.Wrong("cancel: " + result.status().ToString());
  }
}

void Fails(Soak& soak, const Model& model) {
  const std::vector<double> x(kElements, 1.0);
  const Clock::time_point start = Clock::now();
  const auto result = model.fails.Call({dynacc::TensorView::Of(x.data(), {kElements})});
  soak.Now(soak.failing).Add(Since(start));
  const auto error = dynacc::PythonErrorOf(result.status());
  if (!error.has_value() || error->type != "ValueError" ||
      error->message.find("could not be broadcast") == std::string::npos) {
    soak.Wrong("fails: " + result.status().ToString());
  }
}

void CallFrom(Soak& soak, int thread) {
  std::mt19937 random(thread);
  while (!soak.stop) {
    const std::shared_ptr<const Model> model = soak.Current();
    const std::chrono::microseconds time(500 + random() % 4000);
    const uint32_t kind = random() % 1000;
    if (kind < 10) {
      Deadline(soak, *model, time);
    } else if (kind < 20) {
      Cancelled(soak, *model, time);
    } else if (kind < 50) {
      Fails(soak, *model);
    } else {
      Forward(soak, *model, static_cast<int>(random() % kInputs));
    }
  }
}

void CancelWhenDue(Soak& soak) {
  while (!soak.stop) {
    {
      const std::lock_guard<std::mutex> lock(soak.mutex);
      const auto now = Clock::now();
      std::erase_if(soak.to_cancel, [now](auto& row) {
        if (row.first > now) return false;
        row.second.Cancel();
        return true;
      });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const std::lock_guard<std::mutex> lock(soak.mutex);
  for (auto& row : soak.to_cancel) row.second.Cancel();
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return quoted + '"';
}

void WriteLatencies(std::ofstream& file, const char* name, const Quarters& quarters) {
  file << ",\n\"" << name << "\": [";
  for (size_t q = 0; q < quarters.size(); ++q) {
    file << (q > 0 ? ",[" : "[");
    for (int i = 0; i < kBuckets; ++i) file << (i > 0 ? "," : "") << quarters[q].counts[i];
    file << "]";
  }
  file << "]";
}

void WriteResult(const Soak& soak, const char* path) {
  std::ofstream file(path);
  file << "{\"wrong\": [";
  for (size_t i = 0; i < soak.wrong.size(); ++i) {
    file << (i > 0 ? "," : "") << Quoted(soak.wrong[i]);
  }
  file << "], \"loads\": " << soak.models_made << ", \"released\": " << soak.models_released;
  file << ", \"counters\": {";
  bool first = true;
  for (const auto& [name, count] : dynacc::Runtime::Stats()) {
    file << (first ? "" : ",") << Quoted(name) << ":" << count;
    first = false;
  }
  file << "}";
  WriteLatencies(file, "forward", soak.forward);
  WriteLatencies(file, "deadline", soak.deadline);
  WriteLatencies(file, "cancelled", soak.cancelled);
  WriteLatencies(file, "failing", soak.failing);
  WriteLatencies(file, "load", soak.load);
  file << "}\n";
}

void Run(Soak& soak) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&soak, i] { CallFrom(soak, i); });
  std::thread canceller([&soak] { CancelWhenDue(soak); });
  std::printf("ready\n");
  std::fflush(stdout);
  for (int version = 1; Clock::now() - soak.start < soak.length; ++version) {
    std::this_thread::sleep_for(kBetweenLoads);
    const absl::Status status = LoadModel(soak, version);
    if (!status.ok()) soak.Wrong("load: " + status.ToString());
  }
  soak.stop = true;
  canceller.join();
  // Calls that began after the canceller's last look.
  std::thread rest([&soak] {
    for (int i = 0; i < 50; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::lock_guard<std::mutex> lock(soak.mutex);
      for (auto& row : soak.to_cancel) row.second.Cancel();
    }
  });
  for (std::thread& thread : threads) thread.join();
  rest.join();
  // A module dies at the load after its last handle is gone.
  if (soak.models_made > soak.models_released + 4) {
    const absl::Status status = LoadModel(soak, 0);
    if (!status.ok()) soak.Wrong("load: " + status.ToString());
  }
  if (soak.models_made > soak.models_released + 4) {
    soak.Wrong(std::to_string(soak.models_made) + " models were loaded, but only " +
               std::to_string(soak.models_released) + " have died");
  }
}

std::string Contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: soak_host MODEL.PY EXPECTED RESULT SECONDS\n");
    return 2;
  }
  Soak soak;
  soak.path = argv[1];
  soak.text = Contents(argv[1]);
  const std::string expected = Contents(argv[2]);
  if (soak.text.find("VERSION = 0") == std::string::npos ||
      expected.size() != sizeof(double) * kVersions * kInputs * kElements) {
    std::fprintf(stderr, "%s or %s is not what this program needs\n", argv[1], argv[2]);
    return 2;
  }
  soak.expected.resize(expected.size() / sizeof(double));
  std::memcpy(soak.expected.data(), expected.data(), expected.size());
  auto runtime = dynacc::Runtime::Start({});
  if (!runtime.ok()) {
    std::fprintf(stderr, "%s\n", runtime.status().ToString().c_str());
    return 1;
  }
  soak.runtime = *std::move(runtime);
  soak.length = std::chrono::duration<double>(std::atof(argv[4]));
  soak.start = Clock::now();
  const absl::Status status = LoadModel(soak, 0);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  Run(soak);
  WriteResult(soak, argv[3]);
  soak.model.reset();
  soak.runtime.reset();
  return soak.wrong.empty() ? 0 : 1;
}
