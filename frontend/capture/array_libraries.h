// The array libraries that DynaCC knows (array_libraries.def).
#pragma once

namespace dynacc::capture {

// Tells frontend/arrays of them. May be called again. Needs the GIL.
void RegisterArrayLibraries();

}  // namespace dynacc::capture
