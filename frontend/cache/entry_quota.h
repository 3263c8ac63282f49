// The bound on entries of all code objects together (DYNACC_MAX_ENTRIES).
//
// An entry has its graph, its guards and its compiled graph, some tens of kilobytes. Where a trace
// would make one more than there may be, those go that ran least recently, an eighth of all at a
// time, by whole segments. Segments of code that a frame is running stay. Everything under the GIL.
#pragma once

#include <cstdint>

namespace dynacc::cache {

// A member of each entry; counts those that exist, retired ones included.
class EntryTally {
 public:
  EntryTally();
  ~EntryTally();
  EntryTally(const EntryTally&) = delete;
  EntryTally& operator=(const EntryTally&) = delete;

  // Entries made so far: the clock by which a segment's last use is known.
  static uint64_t made() { return made_; }
  static int64_t alive() { return alive_; }

 private:
  static uint64_t made_;
  static int64_t alive_;
};

// Whether there may be one more entry, after dropping some if need be. False where frames are
// running too many. Runs finalisers of what only dropped entries kept alive.
bool MakeRoomForEntry();

}  // namespace dynacc::cache
