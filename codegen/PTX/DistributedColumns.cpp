//===- DistributedColumns.cpp - Sums of columns, and lookups --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// In two kinds of reductions, the lanes of a warp should compute different
// elements of the result, instead of sharing the summands of one element. The
// first kind is a reduction along an outer dimension: neighbouring elements of
// the result have neighbouring operands in memory. The second kind is a lookup,
// which only picks one element of its operand.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/ThreadDistributedOpLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of neighbouring 32-bit elements in a sector, the unit of 32 bytes
/// in which a GPU reads its memory.
static constexpr int64_t sectorElements = 8;
/// If several threads reduce one element of the result, the minimum number of
/// summands that each of them should add.
static constexpr int64_t minSummands = 4;

/// Whether the op reduces along an outer dimension of its operands, as a sum of
/// columns does. Threads that compute neighbouring elements of the result then
/// read neighbouring addresses.
bool ThreadDistributedOpLowering::addsAlongColumns() {
  if (parallel.empty() || combiners.isArgReduction())
    return false;
  unsigned last = parallel.back();
  if (ShapedType::isDynamic(ranges[last]) || ranges[last] < sectorElements)
    return false;
  bool isFound = false;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!isa<MemRefType>(operand->get().getType()) || map.getNumResults() == 0)
      continue;
    AffineExpr inner = map.getResults().back();
    if (llvm::any_of(reduction,
                     [&](unsigned dim) { return inner.isFunctionOfDim(dim); }))
      return false;
    isFound |= inner == b.getAffineDimExpr(last) &&
               kernels::isContiguousInside(operand->get()) &&
               llvm::any_of(reduction, [&](unsigned dim) {
                 return map.isFunctionOfDim(dim);
               });
  }
  return isFound;
}

/// A block's threads form a matrix in which each column of threads computes one
/// element of the result at a time (emitByColumn). Returns the number of
/// columns, a power of two.
int64_t ThreadDistributedOpLowering::columnsOf() const {
  int64_t elements = 1, summands = 1;
  for (unsigned dim : parallel)
    elements *= std::max<int64_t>(1, kernels::estimated(ranges[dim]));
  for (unsigned dim : reduction)
    summands *= std::max<int64_t>(1, kernels::estimated(ranges[dim]));
  elements = llvm::divideCeil(elements, parts);
  int64_t groups =
      llvm::bit_floor<uint64_t>(std::max<int64_t>(1, summands / minSummands));
  int64_t columns = std::min(
      team.threads, static_cast<int64_t>(llvm::PowerOf2Ceil(elements)));
  return std::max(columns, team.threads / std::min(groups, team.threads));
}

/// Emits code in which a block's threads form a matrix with one column per
/// element of the result and `groups` rows. Row i of the threads reduces the
/// summands i, i + `groups`, i + 2 * `groups` and so on. Then the threads of
/// each column combine their partial results, the first row first.
void ThreadDistributedOpLowering::emitByColumn() {
  int64_t columns = columnsOf(), groups = team.threads / columns;
  Value column = arith::RemUIOp::create(b, team.thread, at(columns));
  Value group = arith::DivUIOp::create(b, team.thread, at(columns));
  Value end = total(parallel);
  // Every thread runs this loop over all elements, so that all threads reach
  // the barriers in it.
  Value first = at(0);
  if (parts != 1)
    first = arith::MulIOp::create(b, team.part(parts), at(columns));
  forEach(first, end, parts * columns, [&](Value start) {
    Value element = arith::AddIOp::create(b, start, column);
    Value isInside =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, element, end);
    SmallVector<Value> neutral = combiners.neutral(b);
    auto branch = scf::IfOp::create(b, TypeRange(ValueRange(neutral)), isInside,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      unravel(element, parallel);
      scf::YieldOp::create(b, reduce(group, groups));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, neutral);
    }
    SmallVector<Value> sums;
    for (auto [output, sum] : llvm::enumerate(branch.getResults()))
      sums.push_back(sumOfColumn(sum, column, columns, output));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group, at(0));
    onlyIf(arith::AndIOp::create(b, isFirst, isInside), [&] {
      unravel(element, parallel);
      finish(sums);
    });
  });
}

/// Emits code that combines the partial results of a column's threads through
/// shared memory, the first row first. `sum` is the partial result of the
/// current thread.
Value ThreadDistributedOpLowering::sumOfColumn(Value sum, Value column,
                                               int64_t columns,
                                               unsigned output) {
  Value place = team.partialsOfThreads(sum.getType());
  // This barrier waits for threads that are still reading the partial results
  // of an earlier reduction.
  team.barrier(b);
  memref::StoreOp::create(b, sum, place, team.thread);
  team.barrier(b);
  Value result = memref::LoadOp::create(b, place, column);
  for (int64_t from = columns; from < team.threads; from += columns) {
    Value index = arith::AddIOp::create(b, column, at(from));
    Value other = memref::LoadOp::create(b, place, index);
    result = combiners.combine(b, output, result, other);
  }
  return result;
}

OpOperand *ThreadDistributedOpLowering::lookedUp() {
  if (reduction.size() != 1)
    return nullptr;
  unsigned dim = reduction.front();
  Value condition;
  for (auto [argument, yielded] :
       llvm::zip(op.getRegionOutputArgs(),
                 op.getBlock()->getTerminator()->getOperands())) {
    auto choice = yielded.getDefiningOp<arith::SelectOp>();
    if (!choice || choice.getFalseValue() != argument ||
        !argument.hasOneUse() ||
        (condition && condition != choice.getCondition()))
      return nullptr;
    condition = choice.getCondition();
  }
  auto compare = condition ? condition.getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return nullptr;
  for (auto [one, other] : {std::pair(compare.getLhs(), compare.getRhs()),
                            std::pair(compare.getRhs(), compare.getLhs())}) {
    auto cast = one.getDefiningOp<arith::IndexCastOp>();
    auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : nullptr;
    auto place = dyn_cast<BlockArgument>(other);
    if (!index || index.getDim() != dim || !place ||
        place.getOwner() != op.getBlock() ||
        place.getArgNumber() >= op.getNumDpsInputs())
      continue;
    // The loop picks the iteration whose index equals `place`. If the type of
    // `place` could not represent every index, the cast would truncate indices,
    // and more than one iteration could match.
    unsigned bits = place.getType().getIntOrFloatBitWidth();
    OpOperand *operand = op.getDpsInputOperand(place.getArgNumber());
    if (!op.getMatchingIndexingMap(operand).isFunctionOfDim(dim) &&
        !ShapedType::isDynamic(ranges[dim]) &&
        (bits >= 64 || ranges[dim] <= int64_t(1) << (bits - 1)))
      return operand;
  }
  return nullptr;
}

/// Emits code for a reduction that only picks one element, the one whose index
/// is the value of the operand `place` (lookedUp). Instead of the loop over all
/// elements, each thread runs only the iteration with this index, or none if
/// the index is out of bounds.
void ThreadDistributedOpLowering::emitLookup(OpOperand &place) {
  Value first = amongParts(team.thread, team.threads);
  forEach(first, total(parallel), parts * team.threads, [&](Value element) {
    unravel(element, parallel);
    SmallVector<Value> held = loadInits();
    Value index = arith::IndexCastOp::create(b, b.getIndexType(), load(place));
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                                          boundOf(reduction.front()));
    auto branch = scf::IfOp::create(b, TypeRange(ValueRange(held)), isThere,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      position[reduction.front()] = index;
      scf::YieldOp::create(b, compute(held));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, held);
    }
    store(branch.getResults());
  });
}

} // namespace ingot::ptx
