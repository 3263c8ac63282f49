#!/usr/bin/env bash
# The executor's and the loader's tests under Valgrind's memcheck. usage: valgrind.sh BUILD
#
# Left out, because Valgrind's own machine differs there:
#   ProtectsItsPagesAndUnmapsThem   Valgrind's translations lie in pages that are writable and executable
#   ReportsFlags..., ReportsWhat... Valgrind computes no floating-point exception flags
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export GTEST_FILTER='-*ProtectsItsPagesAndUnmapsThem*:*ReportsFlags*:*ReportsWhat*'
passed=0
for test in kernel_file_test object_loader_test flat_program_test bound_program_test reduce_step_test copy_step_test rows_test; do
  valgrind -q --error-exitcode=9 --suppressions="$here/valgrind.supp" "$1/tests/$test"
  passed=$((passed + 1))
done
echo "$passed test programs under Valgrind: no errors"
