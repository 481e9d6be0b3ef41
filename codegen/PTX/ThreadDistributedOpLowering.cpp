//===- ThreadDistributedOpLowering.cpp - A linalg op on threads -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits an op as code that the threads of a block run. The code has barriers
// only if threads of different warps together reduce one element of the result.
// All threads of the block reach these barriers.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/DeviceConstants.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/WarpShuffles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// The estimated cost of combining the values of a warp's lanes by shuffles, in
/// units of one iteration of a sequential loop.
static constexpr int64_t shuffleSteps = 8;
/// If a thread has at least this number of summands, a second thread for the
/// same element saves time.
static constexpr int64_t minSummands = 4;

/// Returns the number of blocks that share the op's elements: the value of its
/// attribute `host.blocks`, or 1 if it has none.
static int64_t partsOf(linalg::GenericOp op) {
  auto parts = op->getAttrOfType<IntegerAttr>(blocksAttrName);
  return parts ? parts.getInt() : 1;
}

ThreadDistributedOpLowering::ThreadDistributedOpLowering(
    linalg::GenericOp op, const ThreadBlock &team)
    : op(op), team(team), b(op.getLoc(), op), parts(partsOf(op)),
      ranges(op.getStaticLoopRanges()), combiners(op), position(ranges.size()) {
  op.getParallelDims(parallel);
  op.getReductionDims(reduction);
  chooseTile();
}

/// Returns the product of the trip counts of the loops `dims`. A dynamic trip
/// count is estimated.
static int64_t product(ArrayRef<int64_t> ranges, ArrayRef<unsigned> dims) {
  int64_t result = 1;
  for (unsigned dim : dims)
    result *= std::max<int64_t>(1, kernels::estimated(ranges[dim]));
  return result;
}

/// A reduction of dynamic size is assumed to have at least this number of
/// elements. A sum of more floats than this is split into several chains of
/// additions (isLongSum()).
static constexpr int64_t assumedSum = 1024;

static bool isDynamic(ArrayRef<int64_t> ranges, ArrayRef<unsigned> dims) {
  return llvm::any_of(
      dims, [&](unsigned dim) { return ShapedType::isDynamic(ranges[dim]); });
}

/// Returns the number of elements that a reduction combines. If it is dynamic,
/// it is estimated.
static int64_t assumedReduced(ArrayRef<int64_t> ranges,
                              ArrayRef<unsigned> dims) {
  int64_t known = product(ranges, dims);
  return isDynamic(ranges, dims) ? std::max(assumedSum, known) : known;
}

int64_t ThreadDistributedOpLowering::usefulThreads(linalg::GenericOp op) {
  SmallVector<unsigned> parallel, reduction;
  op.getParallelDims(parallel);
  op.getReductionDims(reduction);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t elements = llvm::divideCeil(
      product(kernels::boundedRanges(op), parallel), partsOf(op));
  // Limit the numbers of elements and of summands, so that their product does
  // not overflow. Larger numbers would not change the number of threads.
  elements = std::min<int64_t>(elements, INT32_MAX);
  int64_t reduced =
      std::min<int64_t>(assumedReduced(ranges, reduction), INT32_MAX);
  return kernels::isProduct(op)
             ? elements
             : std::max(elements, elements * reduced / minSummands);
}

bool ThreadDistributedOpLowering::isLongSum() {
  return combiners.addFloats() && !kernels::isProduct(op) &&
         (!reducedCount() || *reducedCount() > assumedSum);
}

std::optional<int64_t> ThreadDistributedOpLowering::reducedCount() const {
  if (isDynamic(ranges, reduction))
    return std::nullopt;
  return product(ranges, reduction);
}

ThreadDistributedOpLowering::ThreadGroup
ThreadDistributedOpLowering::chooseThreadGroup() {
  // One thread computes each element of a GEMM: to have the same bits on every
  // target, the element must be a single chain of FMAs in ascending K.
  if (reduction.empty() || !combiners.areKnown() || kernels::isProduct(op))
    return ThreadGroup::Thread;
  if (addsAlongColumns())
    return columnsOf() < team.threads ? ThreadGroup::Column
                                      : ThreadGroup::Thread;
  int64_t elements = llvm::divideCeil(product(ranges, parallel), parts);
  int64_t reduced = assumedReduced(ranges, reduction);
  int64_t warps = team.threads / warpSize;
  // Returns the estimated time of the op, in units of one loop iteration of a
  // thread, if `teams` teams of `members` threads compute one element at a time
  // each. This is the number of rounds times the time of a round. `extra` is
  // the time for combining the partial results of a team's threads.
  auto times = [&](int64_t teams, int64_t members, int64_t extra) {
    return llvm::divideCeil(elements, teams) *
           (llvm::divideCeil(reduced, members) + extra);
  };
  int64_t byThread = times(team.threads, 1, 0);
  int64_t byWarp = times(warps, warpSize, shuffleSteps);
  int64_t byBlock = times(1, team.threads, shuffleSteps + warps);
  if (byThread <= byWarp && byThread <= byBlock)
    return ThreadGroup::Thread;
  return byWarp <= byBlock || warps == 1 ? ThreadGroup::Warp
                                         : ThreadGroup::Block;
}

void ThreadDistributedOpLowering::emit() {
  if (OpOperand *place = lookedUp())
    return emitLookup(*place);
  switch (chooseThreadGroup()) {
  case ThreadGroup::Thread:
    return tile ? emitByTile() : emitByThread();
  case ThreadGroup::Warp:
    return emitByWarp();
  case ThreadGroup::Block:
    return emitByBlock();
  case ThreadGroup::Column:
    return emitByColumn();
  }
}

/// Whether each thread computes `batchedElements` elements at a time. The op
/// must be elementwise, and the number of its elements must be a multiple of
/// `batchedElements` times the number of threads of all blocks that share the
/// op. A thread must need only a few registers for each element.
bool ThreadDistributedOpLowering::canBatchElements() {
  constexpr int64_t maxLoads = 3, maxOps = 16;
  if (!reduction.empty() || isDynamic(ranges, parallel) ||
      product(ranges, parallel) % (parts * team.threads * batchedElements) != 0)
    return false;
  int64_t loads = 0, ops = 0;
  for (OpOperand &operand : op->getOpOperands())
    loads += isa<MemRefType>(operand.get().getType()) &&
             !op.getMatchingBlockArgument(&operand).use_empty();
  for (Operation &member : *op.getBlock()) {
    if (!isMemoryEffectFree(&member) || member.getNumRegions() != 0)
      return false;
    ops += !member.hasTrait<OpTrait::ConstantLike>();
  }
  return loads != 0 && loads <= maxLoads && ops <= maxOps;
}

/// Emits code in which each thread computes `batchedElements` elements of an
/// elementwise op at a time, and loads the operands of all of them before it
/// stores any result. The compiler must not move a load across a store to
/// memory that may alias, so with one element at a time, only the loads of one
/// element would be in flight. Loading first is legal even if the op works in
/// place, because no element depends on the result of another element.
void ThreadDistributedOpLowering::emitElementBatches() {
  int64_t all = parts * team.threads;
  Value first = amongParts(team.thread, team.threads);
  forEach(first, total(parallel), all * batchedElements, [&](Value element) {
    SmallVector<SmallVector<Value>> positions, results;
    SmallVector<IRMapping> loaded;
    for (int64_t i = 0; i < batchedElements; ++i) {
      unravel(arith::AddIOp::create(b, element, at(i * all)), parallel);
      positions.push_back(position);
      loaded.push_back(loadOperands(loadInits()));
    }
    for (int64_t i = 0; i < batchedElements; ++i) {
      position = positions[i];
      results.push_back(compute(loaded[i]));
    }
    for (int64_t i = 0; i < batchedElements; ++i) {
      position = positions[i];
      store(results[i]);
    }
  });
}

/// Emits code in which each thread computes elements by itself. A long sum
/// becomes a tree of chains of additions (sumAlong), which keeps rounding
/// errors small.
void ThreadDistributedOpLowering::emitByThread() {
  if (canBatchElements())
    return emitElementBatches();
  Value first = amongParts(team.thread, team.threads);
  forEach(first, total(parallel), parts * team.threads, [&](Value element) {
    unravel(element, parallel);
    SmallVector<Value> state = loadInits();
    if (reduction.empty())
      return store(compute(state));
    if (isLongSum())
      return store(sumAlong(reduction, state));
    SmallVector<scf::ForOp> loops;
    for (unsigned dim : reduction) {
      auto loop = scf::ForOp::create(b, at(0), boundOf(dim), at(1), state);
      if (!loops.empty())
        scf::YieldOp::create(b, loop.getResults());
      loops.push_back(loop);
      b.setInsertionPointToStart(loop.getBody());
      position[dim] = loop.getInductionVar();
      state.assign(loop.getRegionIterArgs().begin(),
                   loop.getRegionIterArgs().end());
    }
    scf::YieldOp::create(b, compute(state));
    b.setInsertionPointAfter(loops.front());
    store(loops.front().getResults());
    unroll(loops.back());
  });
}

/// Unrolls a long loop over summands by a larger factor than LLVM would. No
/// load depends on a sum, so all loads of an unrolled iteration are in flight
/// at the same time. A shorter loop is left to LLVM: if it were unrolled here,
/// it would have so few iterations left that LLVM would then unroll it
/// completely. A loop with a complicated body is left to LLVM, too, because it
/// would take too many registers.
void ThreadDistributedOpLowering::unroll(scf::ForOp loop) {
  constexpr int64_t factor = 16, minTrips = 32 * factor;
  constexpr int64_t maxLoads = 2, maxOps = 12;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getSExtValue() < minTrips ||
      trips->getSExtValue() % factor != 0)
    return;
  int64_t loads = 0, ops = 0, branches = 0;
  loop.getBody()->walk([&](Operation *inner) {
    loads += isa<memref::LoadOp>(inner);
    branches += inner->getNumRegions() != 0;
    ops += !inner->hasTrait<OpTrait::ConstantLike>();
  });
  if (branches == 0 && loads <= maxLoads && ops <= maxOps)
    (void)loopUnrollByFactor(loop, factor);
}

/// Emits code in which each warp computes an element at a time. Each lane
/// reduces every 32nd of the summands, and the first lane stores the result.
void ThreadDistributedOpLowering::emitByWarp() {
  Value warp = arith::DivUIOp::create(b, team.thread, at(warpSize));
  Value lane = arith::RemUIOp::create(b, team.thread, at(warpSize));
  int64_t warps = team.threads / warpSize;
  Value first = amongParts(warp, warps);
  forEach(first, total(parallel), parts * warps, [&](Value element) {
    unravel(element, parallel);
    SmallVector<Value> sums = reduceWarp(reduce(lane, warpSize));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, at(0));
    onlyIf(isFirst, [&] { finish(sums); });
  });
}

/// Emits code in which the whole block computes one element after the other.
/// Threads reduce first within their warps, then across warps through shared
/// memory. The first thread stores the result.
void ThreadDistributedOpLowering::emitByBlock() {
  int64_t warps = team.threads / warpSize;
  Value warp = arith::DivUIOp::create(b, team.thread, at(warpSize));
  Value lane = arith::RemUIOp::create(b, team.thread, at(warpSize));
  // Every thread runs this loop over all elements, so that all threads reach
  // the barriers in it.
  forEach(amongParts(at(0), 1), total(parallel), parts, [&](Value element) {
    unravel(element, parallel);
    SmallVector<Value> sums = reduceWarp(reduce(team.thread, team.threads));
    // An argmax or argmin has one combiner for its two results, the value and
    // the index, so these are reduced together.
    if (combiners.isArgReduction())
      sums = reduceWarps(sums, warp, lane, warps);
    else
      for (auto [output, sum] : llvm::enumerate(sums))
        sum = reduceWarps(sum, warp, lane, warps, output).front();
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, team.thread, at(0));
    onlyIf(isFirst, [&] { finish(sums); });
  });
}

Value ThreadDistributedOpLowering::amongParts(Value member, int64_t count) {
  if (parts == 1)
    return member;
  Value before = arith::MulIOp::create(b, team.part(parts), at(count));
  return arith::AddIOp::create(b, before, member);
}

void ThreadDistributedOpLowering::unravel(Value linear,
                                          ArrayRef<unsigned> dims) {
  // If indices fit into 32 bits, they are divided in 32 bits: that takes a
  // fraction of the time of a 64-bit division.
  bool isNarrow =
      !isDynamic(ranges, dims) && product(ranges, dims) <= INT32_MAX;
  Type i32 = b.getI32Type(), index = b.getIndexType();
  if (dims.size() == 1) {
    position[dims[0]] = linear;
    return;
  }
  Value rest =
      isNarrow ? Value(arith::IndexCastUIOp::create(b, i32, linear)) : linear;
  for (size_t i = dims.size(); i-- > 0;) {
    unsigned dim = dims[i];
    Value here = rest;
    if (i != 0) {
      Value size =
          isNarrow ? Value(arith::ConstantIntOp::create(b, i32, ranges[dim]))
                   : boundOf(dim);
      here = arith::RemUIOp::create(b, rest, size);
      rest = arith::DivUIOp::create(b, rest, size);
    }
    position[dim] =
        isNarrow ? Value(arith::IndexCastUIOp::create(b, index, here)) : here;
  }
}

Value ThreadDistributedOpLowering::total(ArrayRef<unsigned> dims) {
  int64_t known = 1;
  Value result;
  for (unsigned dim : dims) {
    if (!ShapedType::isDynamic(ranges[dim])) {
      known *= ranges[dim];
      continue;
    }
    Value size = boundOf(dim);
    result = result ? Value(arith::MulIOp::create(b, result, size)) : size;
  }
  if (!result)
    return at(known);
  return known == 1 ? result
                    : Value(arith::MulIOp::create(b, result, at(known)));
}

Value ThreadDistributedOpLowering::boundOf(unsigned dim) {
  if (!ShapedType::isDynamic(ranges[dim]))
    return at(ranges[dim]);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expression] : llvm::enumerate(map.getResults()))
      if (expression == b.getAffineDimExpr(dim))
        return memref::DimOp::create(b, operand.get(), index);
  }
  llvm_unreachable("every loop of a linalg op has an operand's size");
}

/// Keeps LLVM from unrolling a loop.
static void keepRolled(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {},
                    /*mustProgress=*/{}, {}, {}, {}, {}));
}

void ThreadDistributedOpLowering::forEach(
    Value from, Value to, int64_t by, llvm::function_ref<void(Value)> body) {
  std::optional<int64_t> end = getConstantIntValue(to);
  std::optional<int64_t> begin = getConstantIntValue(from);
  if (end && begin && *end - *begin == 1)
    return body(from);
  // If each thread has at most one iteration (`end` <= `by`), no loop is
  // needed. If all threads have exactly one, no condition is needed either.
  if (end && !begin && *end <= by) {
    if (*end == by)
      return body(from);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, from, to);
    return onlyIf(isHere, [&] { body(from); });
  }
  auto loop = scf::ForOp::create(b, from, to, at(by));
  // An iteration for a tile has several elements already. Unrolled, their
  // addresses would only take registers.
  if (tile)
    keepRolled(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void ThreadDistributedOpLowering::onlyIf(Value condition,
                                         llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value ThreadDistributedOpLowering::at(int64_t index) {
  return arith::ConstantIndexOp::create(b, index);
}

SmallVector<Value> ThreadDistributedOpLowering::indicesOf(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
      indices.push_back(position[dim.getPosition()]);
      continue;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
      indices.push_back(at(constant.getValue()));
      continue;
    }
    auto one = AffineMap::get(map.getNumDims(), 0, expression);
    SmallVector<OpFoldResult> operands(position.begin(), position.end());
    indices.push_back(getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), one, operands)));
  }
  return indices;
}

Value ThreadDistributedOpLowering::load(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(b, operand.get(), indicesOf(operand));
}

SmallVector<Value> ThreadDistributedOpLowering::loadInits() {
  SmallVector<Value> values;
  auto starts = op->getAttrOfType<ArrayAttr>(startsAttrName);
  for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    if (auto start = starts ? dyn_cast<TypedAttr>(starts[index]) : TypedAttr();
        start && !isa<UnitAttr>(start)) {
      values.push_back(arith::ConstantOp::create(b, start));
      continue;
    }
    bool isRead = !op.getMatchingBlockArgument(&init).use_empty();
    // The result of an elementwise op is loaded only if the body reads it.
    values.push_back(isRead || !reduction.empty() ? load(init) : Value());
  }
  return values;
}

void ThreadDistributedOpLowering::store(ValueRange values) {
  for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(b, value, init.get(), indicesOf(init));
}

IRMapping ThreadDistributedOpLowering::loadOperands(ValueRange carried) {
  IRMapping mapping;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(operand);
        !argument.use_empty()) {
      Value copied = loadFromTile(argument);
      mapping.map(argument, copied ? copied : load(*operand));
    }
  for (auto [init, value] : llvm::zip(op.getDpsInitsMutable(), carried))
    if (value)
      mapping.map(op.getMatchingBlockArgument(&init), value);
  return mapping;
}

SmallVector<Value> ThreadDistributedOpLowering::compute(ValueRange carried) {
  IRMapping mapping = loadOperands(carried);
  // The product and the sum become one FMA, as on every target that has FMAs,
  // so that all compute the same bits.
  if (kernels::isProduct(op)) {
    Block *body = op.getBlock();
    Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
    Operation *multiply = add->getOperand(1).getDefiningOp();
    return {math::FmaOp::create(b, mapping.lookup(multiply->getOperand(0)),
                                mapping.lookup(multiply->getOperand(1)),
                                carried.front())};
  }
  return compute(mapping);
}

SmallVector<Value> ThreadDistributedOpLowering::compute(IRMapping &operands) {
  for (Operation &member : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(member))
      operands.map(index.getResult(), position[index.getDim()]);
    else if (Value copied = member.getNumResults() == 1
                                ? loadFromTile(member.getResult(0))
                                : Value())
      operands.map(member.getResult(0), copied);
    else
      b.clone(member, operands);
  }
  SmallVector<Value> results;
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    results.push_back(operands.lookupOrDefault(value));
  return results;
}

} // namespace ingot::ptx
