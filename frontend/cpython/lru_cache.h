// What functools.lru_cache makes: which calls its cache would answer, read without making them.
#pragma once

#include "frontend/cpython/ref.h"

namespace dynacc {

// Whether `object` is a function's cache made by functools.lru_cache or functools.cache.
bool IsLruCache(BorrowedRef object);

// The key under which a call with these positional arguments, plain constants, is remembered by a
// cache that does not look at their types.
Ref LruCacheKey(BorrowedRef args);

// What such a call would give from the cache, which keeps it; null if it would have to be made, or
// if only Python code could tell. Counts nothing.
BorrowedRef CachedResult(BorrowedRef cache, BorrowedRef key);

}  // namespace dynacc
