// TargetTraits: what others must know of a target (target.h), so that nobody compares its name.
#pragma once

namespace dynacc::targets {

struct TargetTraits {
  // It interprets graphs and makes no kernels: there is nothing to compile or to tune.
  bool interprets_graphs = false;
  // Its kernels run on a device; CompileForDevice is about one, which is then there if the target
  // is available.
  bool has_device = false;
  // To make its kernels takes milliseconds, and memory that may be short: worth it for what runs
  // often.
  bool has_compiler = false;
  // Loops over single elements can be compiled beside its kernels
  // (codegen/targets/cpu/loop_compiler.h).
  bool compiles_loops = false;
  // Products whose rows are whole multiples of 16 bytes are so much faster that it pays to copy the
  // operands for it (codegen/passes/pad_products.cc).
  bool has_good_sizes = false;
};

}  // namespace dynacc::targets
