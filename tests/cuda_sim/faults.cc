#include "tests/cuda_sim/faults.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace dynacc::sim {
namespace {

struct Fault {
  std::string function;
  std::string call;  // "*" or the number of the call
  int result = 0;
};

struct Plan {
  Settings settings;
  std::vector<Fault> faults;
  std::set<std::string> lacking;
  std::map<std::string, int> calls;
};

using Variables = std::map<std::string, std::string>;

template <typename Number>
void ReadNumber(Variables& variables, const char* name, Number& value) {
  if (!variables[name].empty() && !absl::SimpleAtoi(variables[name], &value)) std::abort();
}

Plan MakePlan(Variables variables) {
  Plan plan;
  ReadNumber(variables, "DYNACC_SIM_DEVICES", plan.settings.devices);
  ReadNumber(variables, "DYNACC_SIM_MEMORY", plan.settings.memory);
  ReadNumber(variables, "DYNACC_SIM_SLOW", plan.settings.slow_microseconds);
  plan.settings.sources = variables["DYNACC_SIM_SOURCES"];
  for (absl::string_view row :
       absl::StrSplit(variables["DYNACC_SIM_FAIL"], ',', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(row, ':');
    Fault fault;
    if (parts.size() != 3 || !absl::SimpleAtoi(parts[2], &fault.result)) std::abort();
    fault.function = parts[0];
    fault.call = parts[1];
    plan.faults.push_back(fault);
  }
  for (absl::string_view name :
       absl::StrSplit(variables["DYNACC_SIM_LACKS"], ',', absl::SkipEmpty())) {
    plan.lacking.emplace(name);
  }
  return plan;
}

constexpr const char* kVariables[] = {"DYNACC_SIM_FAIL",    "DYNACC_SIM_LACKS",
                                      "DYNACC_SIM_DEVICES", "DYNACC_SIM_MEMORY",
                                      "DYNACC_SIM_SLOW",    "DYNACC_SIM_SOURCES"};

Plan& ThePlan() {
  static Plan& plan = *new Plan([] {
    Variables variables;
    for (const char* name : kVariables) {
      const char* value = std::getenv(name);
      if (value != nullptr) variables[name] = value;
    }
    return MakePlan(variables);
  }());
  return plan;
}

std::mutex& Mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

const Settings& TheSettings() { return ThePlan().settings; }

bool IsLacking(const std::string& function) { return ThePlan().lacking.contains(function); }

int FaultOf(const char* function) {
  const std::lock_guard lock(Mutex());
  Plan& plan = ThePlan();
  const std::string call = std::to_string(++plan.calls[function]);
  for (const Fault& fault : plan.faults) {
    if (fault.function == function && (fault.call == "*" || fault.call == call)) {
      return fault.result;
    }
  }
  return 0;
}

void Configure(const std::string& text) {
  Variables variables;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> row = absl::StrSplit(line, absl::MaxSplits('=', 1));
    variables.insert(row);
  }
  const std::lock_guard lock(Mutex());
  ThePlan() = MakePlan(std::move(variables));
}

}  // namespace dynacc::sim
