//===- LoopWithConditionalBody.h - Loops that skip iterations ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// In a row-sparse update, each block of threads has a range of rows. Its loop
// goes through all indices of rows in order, and updates a row only if the row
// is in the block's range. Most indices select other rows. So the threads of a
// block first test many indices at once, and then run only the iterations with
// rows in the block's range, in order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_LOOPWITHCONDITIONALBODY_H
#define INGOT_CODEGEN_PTX_LOOPWITHCONDITIONALBODY_H

#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ingot::ptx {

/// The number of 32-bit masks in which a block's warps record for which
/// iterations the condition of the scf.if is true. It is the number of lanes of
/// a warp, so that one ballot finds the masks that are not 0.
inline constexpr int64_t matchMasks = 32;

/// A loop whose iterations have an effect only inside of one scf.if. An
/// iteration *matches* if it takes this branch. Which iterations match does not
/// depend on memory that the loop writes, so a block can test many iterations
/// at once, and then run only the matching ones.
class LoopWithConditionalBody {
public:
  /// Returns `loop` as a LoopWithConditionalBody, or std::nullopt if it has
  /// another form or few iterations.
  static std::optional<LoopWithConditionalBody> of(mlir::scf::ForOp loop);

  /// Replaces the loop by code in which all threads of the block test
  /// iterations, and then run the matching ones together, in order. `masks` is
  /// shared memory for `matchMasks` masks. `distribute` distributes the ops of
  /// a matching iteration over the threads.
  void emit(const ThreadBlock &team, mlir::Value masks,
            llvm::function_ref<void(mlir::Block &)> distribute);

private:
  LoopWithConditionalBody(mlir::scf::ForOp loop, mlir::scf::IfOp branch)
      : loop(loop), branch(branch) {}
  mlir::Value matches(mlir::ImplicitLocOpBuilder &b, mlir::Value index);
  void search(mlir::ImplicitLocOpBuilder &b, const ThreadBlock &team,
              mlir::Value masks, mlir::Value first, int64_t rounds);
  void runIteration(mlir::ImplicitLocOpBuilder &b, mlir::Value index);

  mlir::scf::ForOp loop;
  mlir::scf::IfOp branch;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_LOOPWITHCONDITIONALBODY_H
