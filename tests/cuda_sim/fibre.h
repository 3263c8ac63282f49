// Fibre: a stack of its own, on which a function runs until it gives control back.
#pragma once

#include <cstddef>
#include <functional>

namespace dynacc::sim {

class Fibre {
 public:
  Fibre();
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Sets what runs at the next Resume; what ran before is forgotten where it stood.
  void Start(std::function<void()> body);

  // Runs the body until it yields or returns; true once it has returned.
  bool Resume();

  // Called by the body: goes back to where Resume was called.
  void Yield();

 private:
  static void Main(Fibre* self);

  char* stack_;
  void* own_ = nullptr;            // stack pointers: of the body, while it waits ...
  void* caller_ = nullptr;         // ... and of Resume, while it runs
  void* calls_;                    // the body's and ...
  void* callers_calls_ = nullptr;  // ... Resume's, as ThreadSanitizer knows them
  std::function<void()> body_;
  bool done_ = true;
};

}  // namespace dynacc::sim
