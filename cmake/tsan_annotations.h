// Included before everything else in a build with ThreadSanitizer: CPython's and Abseil's headers
// then both declare AnnotateBenignRaceSized, with different types. Nothing of ours calls CPython's.
#pragma once

#ifdef DYNACC_PYTHON_ANNOTATIONS  // where CPython has that header
#define AnnotateBenignRaceSized PythonsAnnotateBenignRaceSized
#include DYNACC_PYTHON_ANNOTATIONS
#undef AnnotateBenignRaceSized
#endif
