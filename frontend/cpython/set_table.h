// The hash table of a set: which member lies in which slot. It decides the order in which the set
// is iterated and what becomes of that order by each later change, so a set that has the table of
// another one behaves like it for good.
//
// All need the GIL. Where nothing else is said, members are plain constants, classes and the like:
// their comparison runs no code of the program's.
#pragma once

#include <Python.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"

namespace dynacc {

// A table without its members, as a bytes object.
Ref ShapeOfSet(BorrowedRef set);
// The members, borrowed, in the order of their slots: that of iteration.
std::vector<BorrowedRef> MembersOfSet(BorrowedRef set);

// A new set of that shape, with the members in the order of their slots. Null with an exception set
// if there is no memory.
Ref SetOfShape(BorrowedRef shape, absl::Span<const BorrowedRef> members);
// A new set with the table of `set`, which may be a frozenset.
Ref CopyOfSet(BorrowedRef set);

// Whether `key`, a plain constant or an object for which IsIdentityKey or IsIntMember once held, is
// in the set, which may hold members of any kind; nothing where only code of the program's can
// tell.
std::optional<bool> IsInSet(BorrowedRef set, BorrowedRef key);

// Whether the tables are the same, slot by slot, as far as `same_member` tells members apart.
bool HaveSameTable(BorrowedRef a, BorrowedRef b, bool (*same_member)(BorrowedRef, BorrowedRef));

// `set` gets the table of `from`, and `from` that of `set`. A member that both have stays the
// object that `set` had.
void ExchangeTables(BorrowedRef set, BorrowedRef from);

}  // namespace dynacc
