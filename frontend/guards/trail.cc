#include "frontend/guards/trail.h"

namespace dynacc {

void Trail::Reset(size_t num_nodes) {
  *this = Trail();
  strikes_.assign(num_nodes, 0);
  credit_ = kRecordings;
}

bool Trail::Leave(int changed) {
  ready_ = false;
  calm_ = 0;
  if (strikes_[changed] < kStrikes) ++strikes_[changed];
  return false;
}

bool Trail::IsDue(bool matched) {
  calm_ = matched ? calm_ + 1 : 0;
  return calm_ >= kCalmWalks && credit_ > 0;
}

void Trail::Start() {
  --credit_;
  calm_ = 0;
  num_nodes_ = 0;
  reads_ = {};
  detours_.clear();
  slots_.clear();
}

PathReads& Trail::Enter(int node) {
  ++num_nodes_;
  entered_ = reads_.mark();
  reads_.set_owner(node);
  return reads_;
}

void Trail::TakeBack(int node) {
  --num_nodes_;
  strikes_[node] = kStrikes;
  reads_.ReturnTo(entered_);
}

void Trail::AddDetour(int node, BorrowedRef parent) { detours_.push_back({node, parent}); }

void Trail::Finish(uint64_t alive) {
  reads_.Finish();
  alive_ = alive;
  ready_ = alive != 0 && num_nodes_ >= kWorthwhile;
  if (!ready_) credit_ = 0;
}

}  // namespace dynacc
