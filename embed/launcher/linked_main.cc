// dynacc-python as one program with the interpreter in it, for builds with sanitizers, whose
// run-time library must come first in a process.
#include <optional>
#include <string>

#include "embed/launcher/python_main.h"
#include "embed/launcher/virtual_env.h"

int main(int argc, char** argv) {
  static const std::string launcher = dynacc::OwnPath();
  static const std::optional<std::string> python = dynacc::ActivePython(argv[0]);
  static const dynacc::Launch launch = {launcher.c_str(), python ? python->c_str() : nullptr,
                                        DynaccCore, [] { return "the core is linked in"; }};
  return dynacc::RunPython(argc, argv, launch);
}
