// For code without a trace: which array libraries are there.
#pragma once

namespace dynacc::arrays {

// Whether LoadedArrayNamespace() has a namespace. Needs the GIL; cheap after the first success.
bool ArraysAreLoaded();

}  // namespace dynacc::arrays
