// Included before everything else in a build with ThreadSanitizer: CPython's and Abseil's headers
// then both declare AnnotateBenignRaceSized, with different types. Nothing of ours calls CPython's.
#pragma once

#define AnnotateBenignRaceSized PythonsAnnotateBenignRaceSized
#include <python3.11/dynamic_annotations.h>
#undef AnnotateBenignRaceSized
