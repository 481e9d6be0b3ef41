//===- LoopWithConditionalBody.cpp - Loops with few active iterations -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/LoopWithConditionalBody.h"

#include "codegen/PTX/BufferAccesses.h"
#include "codegen/PTX/DeviceConstants.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ingot::ptx {

/// A loop whose trip count is static and at most this number is left as it is:
/// every thread runs all of its iterations.
static constexpr int64_t minIterations = 8;
/// The maximum number of iterations whose condition each thread evaluates
/// before the block runs the iterations that match. The loads of these
/// evaluations are in flight at the same time, which hides their latency.
static constexpr int64_t maxRounds = 4;

std::optional<LoopWithConditionalBody>
LoopWithConditionalBody::of(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (loop.getNumResults() != 0 || step != 1)
    return std::nullopt;
  if (std::optional<APInt> trips = loop.getStaticTripCount();
      trips && trips->getSExtValue() <= minIterations)
    return std::nullopt;
  auto ops = loop.getBody()->without_terminator();
  auto branch =
      ops.empty() ? scf::IfOp() : dyn_cast<scf::IfOp>(std::prev(ops.end()));
  if (!branch || branch.getNumResults() != 0 || !branch.getElseRegion().empty())
    return std::nullopt;
  BufferAccesses own;
  own.add(branch);
  for (Operation &op : ops) {
    if (&op == branch)
      break;
    BufferAccesses read;
    read.add(&op);
    if (op.getNumRegions() != 0 || own.conflictsWith(read) ||
        !(isMemoryEffectFree(&op) || isa<memref::LoadOp>(op)))
      return std::nullopt;
  }
  return LoopWithConditionalBody(loop, branch);
}

/// Clones the ops that compute the condition of the loop's scf.if, for the
/// iteration with the given index. Returns the condition: whether the iteration
/// takes the branch.
Value LoopWithConditionalBody::matches(ImplicitLocOpBuilder &b, Value index) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != branch)
      b.clone(op, mapping);
  return mapping.lookupOrDefault(branch.getCondition());
}

/// Clones the ops of an iteration that takes the branch, with `index` as the
/// loop's index.
void LoopWithConditionalBody::runIteration(ImplicitLocOpBuilder &b,
                                           Value index) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  for (Operation &op : loop.getBody()->without_terminator())
    if (&op != branch)
      b.clone(op, mapping);
  for (Operation &op : branch.thenBlock()->without_terminator())
    b.clone(op, mapping);
}

static Value ballot(ImplicitLocOpBuilder &b, Value condition) {
  Value all = arith::ConstantIntOp::create(b, b.getI32Type(), -1);
  return NVVM::VoteSyncOp::create(b, b.getI32Type(), all, condition,
                                  NVVM::VoteSyncKind::ballot);
}

/// Evaluates the conditions of the iterations from `first` on, `rounds` of them
/// per thread, and stores the results to `masks`: bit j of mask i is set if
/// iteration `first` + 32 * i + j takes the branch.
void LoopWithConditionalBody::search(ImplicitLocOpBuilder &b,
                                     const ThreadBlock &team, Value masks,
                                     Value first, int64_t rounds) {
  auto at = [&](int64_t n) { return arith::ConstantIndexOp::create(b, n); };
  Value last = arith::SubIOp::create(b, loop.getUpperBound(), at(1));
  SmallVector<Value> found;
  for (int64_t round = 0; round < rounds; ++round) {
    Value index = arith::AddIOp::create(
        b, arith::AddIOp::create(b, first, at(round * team.threads)),
        team.thread);
    // A thread whose iteration is past the end tests the last iteration instead
    // and discards the result. As the test then needs no branch around it, the
    // loads of all rounds are in flight at the same time.
    Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index,
                                           loop.getUpperBound());
    Value takes = matches(b, arith::MinSIOp::create(b, index, last));
    found.push_back(arith::AndIOp::create(b, isInside, takes));
  }
  Value lane = arith::RemUIOp::create(b, team.thread, at(warpSize));
  Value warp = arith::DivUIOp::create(b, team.thread, at(warpSize));
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, at(0));
  for (auto [round, takes] : llvm::enumerate(found)) {
    Value mask = ballot(b, takes);
    auto store = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(store.thenBlock());
    Value place = arith::AddIOp::create(
        b, warp, at(static_cast<int64_t>(round) * (team.threads / warpSize)));
    memref::StoreOp::create(b, mask, masks, place);
  }
}

/// Emits a loop that runs `body` for the index of each bit that is set in
/// `bits`, from the lowest bit to the highest.
static void forEachBit(ImplicitLocOpBuilder &b, Value bits,
                       llvm::function_ref<void(Value)> body) {
  Type i32 = b.getI32Type();
  auto loop = scf::WhileOp::create(
      b, i32, bits,
      [&](OpBuilder &nested, Location loc, ValueRange rest) {
        Value zero = arith::ConstantIntOp::create(nested, loc, i32, 0);
        Value isAny = arith::CmpIOp::create(
            nested, loc, arith::CmpIPredicate::ne, rest[0], zero);
        scf::ConditionOp::create(nested, loc, isAny, rest);
      },
      [&](OpBuilder &nested, Location loc, ValueRange rest) {
        Value one = arith::ConstantIntOp::create(nested, loc, i32, 1);
        Value less = arith::SubIOp::create(nested, loc, rest[0], one);
        Value next = arith::AndIOp::create(nested, loc, rest[0], less);
        scf::YieldOp::create(nested, loc, next);
      });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getAfterBody()->getTerminator());
  Value lowest = math::CountTrailingZerosOp::create(
      b, loop.getAfterBody()->getArgument(0));
  body(arith::IndexCastUIOp::create(b, b.getIndexType(), lowest));
}

void LoopWithConditionalBody::emit(
    const ThreadBlock &team, Value masks,
    llvm::function_ref<void(Block &)> distribute) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  auto at = [&](int64_t n) { return arith::ConstantIndexOp::create(b, n); };
  int64_t warps = team.threads / warpSize;
  int64_t rounds = std::min(maxRounds, matchMasks / warps);
  auto chunks = scf::ForOp::create(
      b, loop.getLowerBound(), loop.getUpperBound(), at(rounds * team.threads));
  b.setInsertionPointToStart(chunks.getBody());
  Value first = chunks.getInductionVar();
  search(b, team, masks, first, rounds);
  team.barrier(b);
  // Each warp determines by itself which masks are not 0: lane i loads mask i,
  // and a ballot collects the answers.
  Value used = at(rounds * warps);
  Value lane = arith::RemUIOp::create(b, team.thread, at(warpSize));
  Value isUsed =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, used);
  Value place = arith::SelectOp::create(b, isUsed, lane, at(0));
  Value own = memref::LoadOp::create(b, masks, place);
  Value isSet =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, own,
                            arith::ConstantIntOp::create(b, b.getI32Type(), 0));
  Value any = ballot(b, arith::AndIOp::create(b, isUsed, isSet));
  forEachBit(b, any, [&](Value number) {
    Value mask = memref::LoadOp::create(b, masks, number);
    Value start = arith::AddIOp::create(
        b, first, arith::MulIOp::create(b, number, at(warpSize)));
    forEachBit(b, mask, [&](Value bit) {
      runIteration(b, arith::AddIOp::create(b, start, bit));
      distribute(*b.getInsertionBlock());
    });
  });
  // No thread may write the masks of the next chunk of iterations before all
  // threads have read those of this chunk.
  team.barrier(b);
  loop.erase();
}

} // namespace ingot::ptx
