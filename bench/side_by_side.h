// A reporter that sets variants of one program side by side, for a reader who wants ratios.
//
// Benchmarks are named "program/variant" or "program/variant/size". When all have run one table is
// printed: a row a program and size, a column a variant with its median processor time (wall time
// says little on a machine that does other work), and after each column but the first the first
// one's time over it: below 1.00 the first variant is the faster one.
#pragma once

#include <string>
#include <vector>

#include "benchmark/benchmark.h"

namespace dynacc {

class SideBySide : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Cell {
    int64_t order = 0;    // in which it was registered
    std::string program;  // with its size
    std::string variant;
    double nanoseconds = 0;
  };
  // The median of that cell; 0 if it was left out by a filter or failed.
  double MedianOf(const std::string& program, const std::string& variant) const;

  std::vector<Cell> cells_;
};

// Runs what is registered, each benchmark several times in random order so that what else the
// machine does hits all variants alike, and prints the table. Flags of the command line win.
void RunSideBySide(int argc, char** argv);

}  // namespace dynacc
