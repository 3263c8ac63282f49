/* What of libdynacc_embed a host may link to: everything else in the library is hidden. */
#pragma once

#define DYNACC_EXPORT __attribute__((visibility("default")))
