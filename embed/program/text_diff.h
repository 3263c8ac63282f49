// The lines in which two texts differ.
#pragma once

#include <string>
#include <vector>

namespace dynacc::program {

// "- " and the line for each of `a` that `b` lacks, "+ " for each that it has besides, in order, so
// that as many lines as possible stay (a longest common subsequence); nothing if they are the same.
// Of texts of many thousand lines of which most differ, all lines between the first difference and
// the last are given.
std::vector<std::string> DiffLines(const std::vector<std::string>& a,
                                   const std::vector<std::string>& b);

}  // namespace dynacc::program
