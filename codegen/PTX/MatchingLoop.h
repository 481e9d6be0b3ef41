//===- MatchingLoop.h - Loops that find their work by index -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A row-sparse update looks at all indices in order, and does something only
// for those of its block's rows, which are few. The threads of a block look at
// many indices at once and then run the matching iterations, in order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_MATCHINGLOOP_H
#define INGOT_CODEGEN_PTX_MATCHINGLOOP_H

#include "codegen/PTX/DistributedOp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::ptx {

/// The number of 32-bit masks in which the warps of a block note which
/// iterations match: one for each lane of a warp.
inline constexpr int64_t matchMasks = 32;

/// A loop whose iterations have an effect only in one branch. Whether an
/// iteration takes the branch depends on nothing that the loop writes.
class MatchingLoop {
public:
  /// Returns the loop as a matching loop, if it is one.
  static std::optional<MatchingLoop> of(mlir::scf::ForOp loop);

  /// Replaces the loop. `masks` is shared memory for `matchMasks` masks.
  /// `distribute` distributes the ops of a matching iteration.
  void emit(const ThreadBlock &team, mlir::Value masks,
            llvm::function_ref<void(mlir::Block &)> distribute);

private:
  MatchingLoop(mlir::scf::ForOp loop, mlir::scf::IfOp branch)
      : loop(loop), branch(branch) {}
  mlir::Value matches(mlir::ImplicitLocOpBuilder &b, mlir::Value index);
  void search(mlir::ImplicitLocOpBuilder &b, const ThreadBlock &team,
              mlir::Value masks, mlir::Value first, int64_t rounds);
  void runIteration(mlir::ImplicitLocOpBuilder &b, mlir::Value index);

  mlir::scf::ForOp loop;
  mlir::scf::IfOp branch;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_MATCHINGLOOP_H
