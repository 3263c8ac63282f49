// What dynacc-python tells libdynacc_start.so through the environment. They are gone before any of
// the program's code runs.
#pragma once

namespace dynacc {

inline constexpr char kLauncherPath[] = "_DYNACC_LAUNCHER";
inline constexpr char kEnvironmentPython[] = "_DYNACC_ENVIRONMENT_PYTHON";
inline constexpr char kUsersPreload[] = "_DYNACC_USERS_PRELOAD";  // LD_PRELOAD as it was, if set

}  // namespace dynacc
