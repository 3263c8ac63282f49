// How often this thread asks for memory by operator new. A program that is linked with this has the
// operators of its own, which libdynacc_embed uses, too.
#pragma once

namespace dynacc {

// Since the thread began.
int TimesAllocated();

}  // namespace dynacc
