// Moves between strided memory and tile buffers, for emitted kernels (prelude/tiles.h declares the
// same functions). They are here, and not in the prelude, because every module would have to
// compile them anew.
//
// `size` is an element's bytes: a power of two up to 16. Nothing need be aligned.
#pragma once

#include <cstdint>

extern "C" {

// Copies `count` elements, `stride` bytes apart, to `buffer`, and fills that up to a multiple of
// 16 elements with copies of the first.
void DynaccGather(char* buffer, const char* from, int64_t stride, int64_t count, int64_t size);

// Copies `count` elements from `buffer` to places `stride` bytes apart.
void DynaccScatter(char* to, int64_t stride, const char* buffer, int64_t count, int64_t size);

// Fills `buffer`, which holds `count` elements, up to a multiple of 16 with copies of the first.
void DynaccPad(char* buffer, int64_t count, int64_t size);

// As the two, for modules of wider vectors: up to a multiple of 64 elements.
void DynaccGatherWide(char* buffer, const char* from, int64_t stride, int64_t count, int64_t size);
void DynaccPadWide(char* buffer, int64_t count, int64_t size);

}  // extern "C"
