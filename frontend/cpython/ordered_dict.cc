#include "frontend/cpython/ordered_dict.h"

#include "runtime/base/check.h"

namespace dynacc {
namespace {

// struct _odictnode and the beginning of struct _odictobject of Objects/odictobject.c, the same in
// CPython 3.11 and 3.13.
struct Node {
  PyObject* key;
  Py_hash_t hash;
  Node* next;
  Node* prev;
};

struct OrderedDict {
  PyDictObject dict;
  Node* first;
  Node* last;
  Node** fast_nodes;
  Py_ssize_t fast_nodes_size;
  void* resize_sentinel;
  size_t state;
  PyObject* instance_dict;
  PyObject* weak_references;
};

}  // namespace

OrderedKeys::OrderedKeys(BorrowedRef ordered_dict) {
  DYNACC_CHECK(PyODict_Type.tp_basicsize == static_cast<Py_ssize_t>(sizeof(OrderedDict)))
      << "an OrderedDict of another layout than CPython 3.11's and 3.13's";
  PyObject* const object = ordered_dict;
  node_ = reinterpret_cast<const OrderedDict*>(object)->first;
}

BorrowedRef OrderedKeys::Next() {
  if (node_ == nullptr) return nullptr;
  const auto* node = static_cast<const Node*>(node_);
  node_ = node->next;
  return node->key;
}

}  // namespace dynacc
