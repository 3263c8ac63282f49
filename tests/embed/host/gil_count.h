// How often this thread takes the GIL. A program that is linked with this has the two functions of
// CPython by which libdynacc_embed takes it before libpython's.
#pragma once

namespace dynacc {

// Since the thread began.
int TimesGilTaken();

}  // namespace dynacc
