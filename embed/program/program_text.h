// What is in a program, as lines for people: what `show` prints, and what `diff` compares.
#pragma once

#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace dynacc::program {

// A part of a program, under a title: "inputs".
struct TextPart {
  std::string title;
  std::vector<std::string> lines;
};

// In the order in which people look: function, inputs, guards, outputs, graph, kernels, code,
// arrays, sections. The same titles for every program.
std::vector<TextPart> TextOf(const Program& program);

}  // namespace dynacc::program
