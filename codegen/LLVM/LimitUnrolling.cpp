//===- LimitUnrolling.cpp - Choose factors of loop unrolling --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/LimitUnrolling.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace ingot::llvmgen {

/// The maximum number of instructions of a loop that is unrolled completely.
constexpr unsigned maxWhole = 64;

/// The maximum number of instructions of an iteration after partial unrolling.
/// Several such iterations fit into a core's reorder buffer.
constexpr unsigned maxPart = 64;

/// The maximum number of instructions by which all loops of a function together
/// may grow.
constexpr unsigned maxGrowth = 512;

/// The maximum number of iterations of an outer loop that LoopUnroll may unroll
/// (`full-unroll-max` of the pipeline in EmitObject.cpp). To find out that it
/// may not unroll a loop with more iterations, it would add up the costs of all
/// instructions of the nest.
constexpr unsigned maxOuterTrips = 8;

/// Whether an instruction costs nothing, because instruction selection folds it
/// into another one: an address computation, or the broadcast of a loaded
/// value.
static bool isFree(const Instruction &instruction) {
  return isa<PHINode, GetElementPtrInst, InsertElementInst, ShuffleVectorInst>(
      instruction);
}

/// Counts the instructions of a loop that cost something.
static unsigned instructionsOf(const Loop &loop) {
  unsigned count = 0;
  for (const BasicBlock *block : loop.blocks())
    count += count_if(*block, [](const Instruction &instruction) {
      return !isFree(instruction);
    });
  return count;
}

/// Whether accumulators of the loop would have to move between registers if it
/// were unrolled. An FMA overwrites an operand, and LLVM prefers one with no
/// other use. If that is a broadcast value, the sum is in another register than
/// the accumulator. In a loop that is not unrolled, LLVM sees that the sum is
/// the accumulator of the next iteration, and overwrites that.
static bool movesAccumulators(const Loop &loop,
                              const TargetTransformInfo &target) {
  unsigned moves = 0, registers = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::fma ||
          !call->getType()->isVectorTy() ||
          !isa<PHINode>(call->getArgOperand(2)))
        continue;
      registers = target.getNumberOfRegisters(
          target.getRegisterClassForType(/*Vector=*/true, call->getType()));
      moves += any_of(make_range(call->arg_begin(), call->arg_begin() + 2),
                      [](const Use &factor) {
                        return isSplatValue(factor) && factor->hasOneUse();
                      });
    }
  // Both the accumulators and the sums, and some operands.
  constexpr unsigned operands = 2;
  return moves != 0 && 2 * moves + operands > registers;
}

/// Returns the unroll factor of a loop with `size` instructions and `trips`
/// iterations (0 if dynamic). 1 means that the loop is not unrolled. A factor
/// divides the trip count, so that no remainder loop is needed.
static unsigned iterationsAtOnce(unsigned trips, unsigned size) {
  if (trips != 0 && trips * size <= maxWhole)
    return trips;
  unsigned count = 4;
  while (count > 1 &&
         (trips == 0 || trips % count != 0 || count * size > maxPart))
    count /= 2;
  return count;
}

PreservedAnalyses LimitUnrollingPass::run(Function &function,
                                          FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &target = analyses.getResult<TargetIRAnalysis>(function);
  unsigned growth = 0;
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost()) {
      unsigned trips = evolution.getSmallConstantTripCount(loop);
      if (trips == 0 || trips > maxOuterTrips)
        addStringMetadataToLoop(loop, "llvm.loop.unroll.disable");
      continue;
    }
    unsigned size = instructionsOf(*loop);
    unsigned count =
        iterationsAtOnce(evolution.getSmallConstantTripCount(loop), size);
    if (growth + (count - 1) * size > maxGrowth ||
        movesAccumulators(*loop, target))
      count = 1;
    growth += (count - 1) * size;
    if (count == 1)
      addStringMetadataToLoop(loop, "llvm.loop.unroll.disable");
    else
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", count);
  }
  return PreservedAnalyses::all();
}

} // namespace ingot::llvmgen
