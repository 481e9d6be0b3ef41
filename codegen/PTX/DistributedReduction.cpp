//===- DistributedReduction.cpp - Sums of a block's threads ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of a block's threads. The order in which elements are combined
// depends on sizes and the number of threads only, never on timing.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/ThreadDistributedOpLowering.h"
#include "codegen/PTX/WarpShuffles.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

/// The maximum number of summands in a chain of additions. In a tree of chains
/// (sumInChains), the summands are elements at the lowest level, and the
/// results of chains at all other levels. Rounding errors then grow with the
/// length of the longest chain, not with that of the whole sum, as in pairwise
/// summation.
static constexpr int64_t maxChain = 64;

/// Builds a sum as a tree of chains of additions. At the lowest level, each
/// chain adds at most maxChain elements. At each of the next `levels` - 1
/// levels, it adds at most maxChain sums of the level below. The chain at the
/// top adds all sums of the level below, however many there are. If `levels` is
/// 0, the sum is a single chain of elements.
SmallVector<Value>
ThreadDistributedOpLowering::sumInChains(Value from, Value to, int64_t by,
                                         unsigned levels, ValueRange start,
                                         Summand add) {
  int64_t step = by;
  for (unsigned i = 0; i < levels; ++i)
    step *= maxChain;
  auto loop = scf::ForOp::create(b, from, to, at(step), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value here = loop.getInductionVar();
  SmallVector<Value> state(loop.getRegionIterArgs());
  if (levels == 0) {
    state = add(here, state);
  } else {
    SmallVector<Value> part = sumPart(here, to, by, levels, step, add);
    for (auto [output, sum] : llvm::enumerate(part))
      state[output] = combiners.combine(b, output, state[output], sum);
  }
  scf::YieldOp::create(b, state);
  return loop.getResults();
}

/// Builds the sum of the elements with the indices `here`, `here` + `by` and so
/// on, below min(`here` + `step`, `to`), as `levels` levels of chains of
/// additions. If `levels` is 1, these elements are one chain: they are added
/// one after the other. A chain of `maxChain` elements is a loop with a static
/// trip count, which LLVM unrolls. The last chain, which may be shorter because
/// it ends at `to`, is a loop with a dynamic trip count.
SmallVector<Value> ThreadDistributedOpLowering::sumPart(Value here, Value to,
                                                        int64_t by,
                                                        unsigned levels,
                                                        int64_t step,
                                                        Summand add) {
  SmallVector<Value> start = combiners.neutral(b);
  Value end = arith::AddIOp::create(b, here, at(step));
  auto sumToEnd = [&] {
    Value last = arith::MinSIOp::create(b, end, to);
    return sumInChains(here, last, by, levels - 1, start, add);
  };
  if (levels > 1)
    return sumToEnd();
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, to);
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(start)), isWhole,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, sumRounds(here, maxChain, by, start, add));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, sumToEnd());
  return branch.getResults();
}

/// A sum of `count` elements is a tree of chains of additions. Returns the
/// number of levels below the top. If `count` is dynamic, returns 2 for a sum
/// along one dimension, but only 1 for a sum along several dimensions, because
/// the indices of each level take registers.
static unsigned levelsOf(std::optional<int64_t> count, size_t dims) {
  unsigned levels = 0;
  int64_t assumed = maxChain * maxChain * (dims > 1 ? 1 : maxChain);
  for (int64_t rest = count.value_or(assumed); rest > maxChain;
       rest /= maxChain)
    ++levels;
  return levels;
}

SmallVector<Value>
ThreadDistributedOpLowering::sumAlong(ArrayRef<unsigned> dims,
                                      ValueRange start) {
  unsigned dim = dims.front();
  std::optional<int64_t> size;
  if (!ShapedType::isDynamic(ranges[dim]))
    size = ranges[dim];
  return sumInChains(at(0), boundOf(dim), 1, levelsOf(size, reduction.size()),
                     start, [&](Value index, ValueRange state) {
                       position[dim] = index;
                       if (dims.size() == 1)
                         return compute(state);
                       SmallVector<Value> sums =
                           sumAlong(dims.drop_front(), combiners.neutral(b));
                       for (auto [output, sum] : llvm::enumerate(sums))
                         sum = combiners.combine(b, output, state[output], sum);
                       return sums;
                     });
}

SmallVector<Value> ThreadDistributedOpLowering::reduce(Value from, int64_t by) {
  SmallVector<Value> start = combiners.neutral(b);
  if (isLongSum()) {
    std::optional<int64_t> count = reducedCount();
    if (count)
      count = llvm::divideCeil(*count, by);
    return sumInChains(from, total(reduction), by,
                       levelsOf(count, reduction.size()), start,
                       [&](Value index, ValueRange state) {
                         unravel(index, reduction);
                         return compute(state);
                       });
  }
  auto round = [&](Value index, ValueRange state) {
    unravel(index, reduction);
    return compute(state);
  };
  // The loop over the first `whole` elements, `whole` / `by` for each thread,
  // has a static trip count. LLVM unrolls it, so that several loads are in
  // flight at the same time. A second loop adds the remaining elements.
  std::optional<int64_t> count = reducedCount();
  int64_t whole = count ? *count / by * by : 0;
  SmallVector<Value> sums =
      whole == 0 ? start : sumRounds(from, whole / by, by, start, round);
  if (count == whole)
    return sums;
  Value next = arith::AddIOp::create(b, from, at(whole));
  return sumInChains(next, total(reduction), by, 0, sums, round);
}

SmallVector<Value>
ThreadDistributedOpLowering::sumRounds(Value from, int64_t rounds, int64_t by,
                                       ValueRange start, Summand add) {
  auto loop = scf::ForOp::create(b, at(0), at(rounds * by), at(by), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = arith::AddIOp::create(b, from, loop.getInductionVar());
  scf::YieldOp::create(b, add(index, loop.getRegionIterArgs()));
  return loop.getResults();
}

/// Combines the values of a warp's lanes by butterfly shuffles, after which
/// each lane has the combination of all values. As combiners are commutative,
/// all lanes compute the same bits.
SmallVector<Value>
ThreadDistributedOpLowering::reduceWarp(SmallVector<Value> values) {
  int32_t first = INGOT_MUTANT("lost_lanes_of_a_warp") ? 2 : 1;
  for (int32_t distance = first; distance < warpSize; distance *= 2) {
    SmallVector<Value> others;
    for (Value value : values)
      others.push_back(shuffleXor(b, value, distance));
    values = combiners.combine(b, values, others);
  }
  return values;
}

SmallVector<Value> ThreadDistributedOpLowering::reduceWarps(
    ValueRange values, Value warp, Value lane, int64_t warps, unsigned output) {
  SmallVector<Value> places;
  SmallVector<int64_t> starts;
  for (auto [index, value] : llvm::enumerate(values)) {
    places.push_back(team.partials(value.getType()));
    // The partial results of an argmax or argmin are values and indices, each
    // of which takes half of the bytes of this shared memory.
    starts.push_back(
        cast<MemRefType>(places.back().getType()).getNumElements() *
        static_cast<int64_t>(index) / static_cast<int64_t>(values.size()));
  }
  // This barrier waits for warps that are still reading the partial results of
  // an earlier reduction.
  team.barrier(b);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, at(0));
  onlyIf(isFirst, [&] {
    for (auto [value, place, start] : llvm::zip(values, places, starts)) {
      Value index =
          start == 0 ? warp : arith::AddIOp::create(b, warp, at(start));
      memref::StoreOp::create(b, value, place, index);
    }
  });
  team.barrier(b);
  auto partOf = [&](int64_t other) {
    SmallVector<Value> part;
    for (auto [place, start] : llvm::zip(places, starts))
      part.push_back(memref::LoadOp::create(b, place, at(start + other)));
    return part;
  };
  SmallVector<Value> result = partOf(0);
  for (int64_t other = 1; other < warps; ++other)
    result = combiners.isArgReduction()
                 ? combiners.combine(b, result, partOf(other))
                 : SmallVector<Value>{combiners.combine(
                       b, output, result.front(), partOf(other).front())};
  return result;
}

void ThreadDistributedOpLowering::finish(ValueRange sums) {
  store(combiners.combine(b, loadInits(), sums));
}

} // namespace ingot::ptx
