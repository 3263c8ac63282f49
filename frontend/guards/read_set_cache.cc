#include "frontend/guards/read_set_cache.h"

namespace dynacc::guards {

void ReadSetCache::Reset(size_t num_nodes) {
  *this = ReadSetCache();
  strikes_.assign(num_nodes, 0);
  credit_ = kRecordings;
}

bool ReadSetCache::Leave(int changed) {
  ready_ = false;
  calm_ = 0;
  if (strikes_[changed] < kStrikes) ++strikes_[changed];
  return false;
}

bool ReadSetCache::IsDue(bool matched) {
  calm_ = matched ? calm_ + 1 : 0;
  return calm_ >= kCalmWalks && credit_ > 0;
}

void ReadSetCache::Start() {
  --credit_;
  calm_ = 0;
  num_nodes_ = 0;
  reads_ = {};
  detours_.clear();
  slots_.clear();
}

sources::PathReads& ReadSetCache::Enter(int node) {
  ++num_nodes_;
  entered_ = reads_.mark();
  reads_.set_owner(node);
  return reads_;
}

void ReadSetCache::TakeBack(int node) {
  --num_nodes_;
  strikes_[node] = kStrikes;
  reads_.ReturnTo(entered_);
}

void ReadSetCache::AddDetour(int node, BorrowedRef parent) { detours_.push_back({node, parent}); }

void ReadSetCache::Finish(uint64_t alive) {
  reads_.Finish();
  alive_ = alive;
  ready_ = alive != 0 && num_nodes_ >= kWorthwhile;
  if (!ready_) credit_ = 0;
}

}  // namespace dynacc::guards
