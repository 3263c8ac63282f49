// Functions of CPython's that its libraries export and its public headers do not declare. They are
// the same in all versions that DynaCC knows.
#pragma once

#include <Python.h>

#include "frontend/cpython/ref.h"

extern "C" {
int _PyObject_GetMethod(PyObject* object, PyObject* name, PyObject** method);
PyObject* _PyObject_FunctionStr(PyObject* callable);
PyObject* _PyList_Extend(PyListObject* list, PyObject* iterable);
int _PyDict_MergeEx(PyObject* dict, PyObject* other, int override);
PyObject* _PyUnicode_JoinArray(PyObject* separator, PyObject* const* items, Py_ssize_t count);
int _PySet_Update(PyObject* set, PyObject* iterable);
extern PyObject* _PySet_Dummy;  // the key of an entry that was a member
int _PySet_NextEntry(PyObject* set, Py_ssize_t* position, PyObject** key, Py_hash_t* hash);
}

namespace dynacc {

// The attribute, or empty: without an exception if there is none.
Ref FindAttribute(BorrowedRef object, BorrowedRef name);

// Whether the step of `from module import name` can raise CPython's ImportError: where it cannot,
// CPython makes the step.
bool KnowsImportErrors();

// Whether a classmethod around a descriptor (a property) asks that for the attribute; otherwise it
// binds the class to whatever it is around.
bool ClassMethodsAskDescriptors();

// Whether unpacking a tuple, list or dict that is too long says how long it is.
bool UnpackingTellsSizes();

// Whether a tuple that is made of an iterable asks it for its length first, as a list does.
bool TuplesAskLengths();

// How list.sort finds the run that a list begins with: whether a descending run takes in equal
// items and, once it is turned round, what follows it in order.
bool RunsOfSortHoldEquals();

// The arguments with which CPython itself has raised the exception that PyErr_Fetch gave as its
// value; empty where it was another who raised.
Ref ArgumentsOfRaised(BorrowedRef fetched);

// Where a Python function keeps what makes its annotations; null in versions that have none.
PyObject** PlaceOfAnnotate(BorrowedRef function);

// What the instruction LOAD_COMMON_CONSTANT pushes.
BorrowedRef CommonConstant(int number);

// Whether CPython's loop has instructions of its own for calls of `callable` (len, isinstance,
// list.append), after which it does not poll.
bool HasCallOfItsOwn(const PyThreadState* thread, BorrowedRef callable);

}  // namespace dynacc
