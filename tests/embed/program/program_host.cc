// A host of programs, written against the installed headers alone: what program_host_test.py
// compiles and runs. usage: program_host FOLDER NAME...
//
// FOLDER has for each name NAME.dynacc, and NAME.case with a line for each array:
//   in|out ELEMENT FILE SIZE...      FILE: the elements in C order
//   num f|i VALUE                    a number besides
// Prints a line for each thing that is wrong, and ends with 1 if there is one.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "dynacc/program.h"

namespace {

std::atomic<int> failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("%s\n", what.c_str());
}

std::vector<char> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Array {
  int32_t element;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  dynacc::ProgramArray View() const {
    dynacc_program_array array = {};
    array.struct_size = sizeof array;
    array.data = const_cast<char*>(bytes.data());
    array.element = element;
    array.rank = static_cast<int32_t>(shape.size());
    int64_t stride = dynacc_element_bytes();
    for (size_t i = shape.size(); i-- > 0;) {
      array.shape[i] = shape[i];
      array.strides[i] = stride;
      stride *= shape[i];
    }
    return dynacc::ProgramArray::Over(array);
  }
  int64_t dynacc_element_bytes() const {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return count == 0 ? 8 : static_cast<int64_t>(bytes.size()) / count;
  }
};

struct Case {
  std::string name;
  std::vector<Array> inputs, outputs;
  std::vector<dynacc_program_number> numbers;

  dynacc::ProgramRunOptions Options() const { return {.numbers = numbers}; }

  std::vector<dynacc::ProgramArray> Inputs() const {
    std::vector<dynacc::ProgramArray> views;
    for (const Array& input : inputs) views.push_back(input.View());
    return views;
  }
};

Case ReadCase(const std::string& folder, const std::string& name) {
  Case read = {name, {}, {}, {}};
  std::ifstream file(folder + "/" + name + ".case");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, path;
    Array array = {};
    words >> kind;
    if (kind == "num") {
      dynacc_program_number& number = read.numbers.emplace_back();
      words >> path;
      path == "f" ? words >> number.f : words >> number.i;
      continue;
    }
    words >> array.element >> path;
    for (int64_t size; words >> size;) array.shape.push_back(size);
    array.bytes = ReadFile(folder + "/" + path);
    (kind == "in" ? read.inputs : read.outputs).push_back(std::move(array));
  }
  return read;
}

// Elements in C order, whatever the strides.
std::vector<char> Dense(const dynacc::ProgramArray& array, size_t item) {
  std::vector<char> bytes;
  std::vector<int64_t> index(array.shape().size(), 0);
  for (;;) {
    const char* at = static_cast<const char*>(array.data());
    for (size_t i = 0; i < index.size(); ++i) {
      if (array.shape()[i] == 0) return {};
      at += index[i] * array.strides()[i];
    }
    bytes.insert(bytes.end(), at, at + item);
    size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == array.shape()[axis - 1]) index[--axis] = 0;
    if (axis == 0) return bytes;
  }
}

bool Matches(const Case& expected, const std::vector<dynacc::ProgramArray>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    const Array& array = expected.outputs[i];
    if (!std::equal(array.shape.begin(), array.shape.end(), results[i].shape().begin(),
                    results[i].shape().end()) ||
        Dense(results[i], static_cast<size_t>(array.dynacc_element_bytes())) != array.bytes) {
      return false;
    }
  }
  return true;
}

void RunInLibrarysMemory(const dynacc::Program& program, const Case& expected) {
  const auto inputs = expected.Inputs();
  std::vector<dynacc::ProgramArray> results(program.output_count());
  for (int i = 0; i < 3; ++i) {  // the second and third time into the first one's memory
    const auto status = program.Run(inputs, results, expected.Options());
    Expect(status.ok(), expected.name + ": " + status.message);
    if (!status.ok()) return;
    Expect(Matches(expected, results), expected.name + ": other bytes in memory of the library's");
  }
}

void RunInBuffers(const dynacc::Program& program, const Case& expected) {
  std::vector<Array> buffers = expected.outputs;
  for (Array& buffer : buffers) std::memset(buffer.bytes.data(), 0x55, buffer.bytes.size());
  std::vector<dynacc::ProgramArray> results;
  for (const Array& buffer : buffers) results.push_back(buffer.View());
  const auto status = program.Run(expected.Inputs(), results, expected.Options());
  Expect(status.ok(), expected.name + ": " + status.message);
  for (size_t i = 0; i < buffers.size(); ++i) {
    Expect(buffers[i].bytes == expected.outputs[i].bytes,
           expected.name + ": other bytes in a buffer");
  }
}

// The first output over the first input, where they are alike.
void RunInPlace(const dynacc::Program& program, const Case& expected) {
  Case own = expected;
  if (own.outputs[0].shape != own.inputs[0].shape ||
      own.outputs[0].bytes.size() != own.inputs[0].bytes.size() || own.outputs.size() != 1) {
    return;
  }
  std::vector<dynacc::ProgramArray> results;
  results.push_back(own.inputs[0].View());
  const auto status = program.Run(own.Inputs(), results, own.Options());
  Expect(status.ok(), own.name + ": " + status.message);
  Expect(own.inputs[0].bytes == expected.outputs[0].bytes, own.name + ": other bytes in place");
}

void RunOnThreads(const dynacc::Program& program, const Case& expected) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      const auto inputs = expected.Inputs();
      std::vector<dynacc::ProgramArray> results(program.output_count());
      for (int i = 0; i < 200; ++i) {
        const bool ok =
            program.Run(inputs, results, expected.Options()).ok() && Matches(expected, results);
        if (!ok) return Expect(false, expected.name + ": other bytes on a thread");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void RefuseBadCalls(const dynacc::Program& program, const Case& expected) {
  std::vector<dynacc::ProgramArray> results(program.output_count());
  Expect(!program.Run({}, results).ok(), expected.name + ": took no arrays");
  Expect(!program.Run(expected.Inputs(), {}).ok(), expected.name + ": gave no arrays");
  auto other = expected.inputs;
  other[0].shape.push_back(1);
  auto inputs = expected.Inputs();
  inputs[0] = other[0].View();
  const auto status = program.Run(inputs, results, expected.Options());
  Expect(status.code == DYNACC_INVALID_ARGUMENT &&
             status.message.find("input " + program.input_name(0)) != std::string::npos,
         expected.name + ": names no input: " + status.message);
  std::vector<dynacc::ProgramArray> buffers;
  double one = 0;
  for (size_t i = 0; i < program.output_count(); ++i) {
    buffers.push_back(dynacc::ProgramArray::Of(&one, {1, 1, 1, 1, 1, 1, 1, 1}));
  }
  const auto refused = program.Run(expected.Inputs(), buffers, expected.Options());
  Expect(refused.message.find("output " + program.output_name(0)) != std::string::npos,
         expected.name + ": names no output: " + refused.message);
  dynacc::ProgramRunOptions options = expected.Options();
  options.stop = [](void*) { return 0; };
  options.timeout_nanoseconds = int64_t{3600} * 1'000'000'000;
  Expect(program.Run(expected.Inputs(), results, options).ok(), expected.name + ": stopped");
}

int64_t ResidentKilobytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atoll(line.c_str() + 6);
  }
  return 0;
}

// The file of the arrays outside of a program; "" if all are inside.
std::string WeightsOf(const std::string& path) {
  const std::string weights = path.substr(0, path.rfind('.')) + ".safetensors";
  return std::ifstream(weights) ? weights : "";
}

void LeaksNothing(const std::string& path, const Case& expected) {
  const auto inputs = expected.Inputs();
  int64_t before = 0;
  for (int round = 0; round < 300; ++round) {
    if (round == 100) before = ResidentKilobytes();
    const auto program = dynacc::Program::Load(path, WeightsOf(path));
    for (int i = 0; i < 50; ++i) {
      std::vector<dynacc::ProgramArray> results(program->output_count());
      Expect(program->Run(inputs, results, expected.Options()).ok(),
             expected.name + ": a run failed");
      Expect(!program->Run({}, results).ok(), expected.name + ": took no arrays");
    }
  }
  const int64_t grown = ResidentKilobytes() - before;
  Expect(grown < 512, expected.name + ": grew by " + std::to_string(grown) + " kB");
}

void RefuseBadFiles(const std::string& path, const std::string& folder) {
  Expect(dynacc::Program::Load(folder + "/missing").status().code == DYNACC_NOT_FOUND,
         "loaded a missing file");
  auto bytes = ReadFile(path);
  const bool has_all = WeightsOf(path).empty();
  const auto whole = dynacc::Program::LoadBytes(bytes);
  Expect(whole.ok() == has_all, "bytes of a file are no program, or need no weights");
  if (!has_all) {
    Expect(whole.status().message.find("weights are outside") != std::string::npos,
           "missing weights are not named: " + whole.status().message);
    Expect(dynacc::Program::Load(path, folder + "/missing").status().code == DYNACC_NOT_FOUND,
           "loaded missing weights");
    Expect(dynacc::Program::Load(path, path).status().code == DYNACC_INVALID_ARGUMENT,
           "took a program for weights");
  }
  bytes[bytes.size() / 2] ^= 1;
  const auto damaged = dynacc::Program::LoadBytes(bytes);
  Expect(damaged.status().message.find("damaged") != std::string::npos,
         "damage is not named: " + damaged.status().message);
}

void Test(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name + ".dynacc";
  const auto program = dynacc::Program::Load(path, WeightsOf(path));
  Expect(program.ok(), program.status().message);
  if (!program.ok()) return;
  const Case expected = ReadCase(folder, name);
  RunInLibrarysMemory(*program, expected);
  RunInBuffers(*program, expected);
  RunInPlace(*program, expected);
  RunOnThreads(*program, expected);
  RefuseBadCalls(*program, expected);
  RefuseBadFiles(path, folder);
  LeaksNothing(path, expected);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  for (int i = 2; i < argc; ++i) Test(argv[1], argv[i]);
  std::printf("%d failures\n", failures.load());
  return failures == 0 ? 0 : 1;
}
