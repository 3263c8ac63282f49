/* What of libdynacc_embed a host may link to: everything else in the library is hidden.
 *
 * In C++ the names are those of the inline namespace dynacc::v0, written dynacc::Value and the
 * like. Its number is the library's SOVERSION, so that programs of two versions do not mix; and
 * none of the names can be taken for one of the library's own, which has a dynacc::Value, too. */
#pragma once

#define DYNACC_EXPORT __attribute__((visibility("default")))
