// The file of DYNACC_REPORT: all that is known of a process's captured code, when it ends.
#pragma once

#include <Python.h>

namespace dynacc::capture {

// Keeps `code` until the report is written, if there is to be one: a program's body is gone before.
void KeepForReport(PyCodeObject* code);

// This process, and not what it forks later, is to write the file.
void OwnReport();

// Writes one JSON object: "clock" (nanoseconds of the monotonic clock, as the times of
// DYNACC_TRACE), "counters" (runtime/base/stats.h) and "functions", an object of explanation.h for
// each that has been looked at. Nothing if the option is not set, or in a forked child. What goes
// wrong is warned about. Needs the GIL, and all segments.
void WriteReportOfProcess();

}  // namespace dynacc::capture
