// Instances of subclasses of dict (collections.defaultdict and Counter, classes of the program's
// own): an object with attributes and a dict in one. Its entries are a DictValue of their own, its
// `part`. An OrderedDict keeps an order besides and is left alone.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// The entries of a dict or of an instance of such a subclass, its class guarded; null for any other
// value.
absl::StatusOr<symbolic::DictValue*> EntriesOf(Tracer& tracer, symbolic::Value* value);

// Likewise of such an instance whose class has dict's own special method `name`; else null.
absl::StatusOr<symbolic::DictValue*> EntriesBy(Tracer& tracer, symbolic::Value* value,
                                               const char* name);

// Whether instances of the class keep entries that the tracer knows.
bool HasEntries(PyTypeObject* type);

// container[key] where the class has dict's own look-up: what __missing__ gives for a key that is
// not there.
absl::StatusOr<symbolic::Value*> EntrySubscript(Tracer& tracer, symbolic::Value* container,
                                                symbolic::DictValue* entries, symbolic::Value* key);

}  // namespace dynacc::tracer
