#include "frontend/cpython/lru_cache.h"

#include <cstring>

#include "frontend/cpython/name_lookup.h"

namespace dynacc {
namespace {

// struct lru_list_elem and the beginning of struct lru_cache_object of Modules/_functoolsmodule.c,
// the same in CPython 3.11 and 3.13.
struct Link {
  PyObject ob_base;
  Link *prev, *next;
  Py_hash_t hash;
  PyObject *key, *result;
};

struct LruCache {
  Link root;
  void* wrapper;
  int typed;
  PyObject* cache;  // of results; of links where the cache has a bound
  Py_ssize_t hits;
  PyObject* function;
  Py_ssize_t bound;  // negative: none
  Py_ssize_t misses;
  PyObject *keyword_mark, *link_type, *info_type, *dict, *weak_references;
};

}  // namespace

bool IsLruCache(BorrowedRef object) {
  const PyTypeObject* type = Py_TYPE(object);
  return type->tp_basicsize == static_cast<Py_ssize_t>(sizeof(LruCache)) &&
         (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE) != 0 &&
         std::strcmp(type->tp_name, "functools._lru_cache_wrapper") == 0;
}

Ref LruCacheKey(BorrowedRef args) {
  if (PyTuple_GET_SIZE(args) != 1) return Ref::New(args);
  BorrowedRef only = PyTuple_GET_ITEM(args, 0);
  return Ref::New(PyUnicode_CheckExact(only) || PyLong_CheckExact(only) ? only : args);
}

BorrowedRef CachedResult(BorrowedRef cache, BorrowedRef key) {
  const auto* const lru = reinterpret_cast<const LruCache*>(cache);
  if (lru->typed != 0 || lru->cache == nullptr || !PyDict_CheckExact(lru->cache)) return nullptr;
  BorrowedRef found = LookupPlainKey(lru->cache, key);
  if (found == nullptr || found == Unreadable() || lru->bound < 0) return found;
  return Py_TYPE(found) == reinterpret_cast<PyTypeObject*>(lru->link_type)
             ? reinterpret_cast<const Link*>(found)->result
             : nullptr;
}

}  // namespace dynacc
