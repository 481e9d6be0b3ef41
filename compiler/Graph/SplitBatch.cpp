//===- SplitBatch.cpp - Steps that compute slice by slice -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplit.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SliceRegions.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/ParallelOps.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_SPLITBATCHPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-split-batch"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;

/// Returns the values that may have the batch as their first dimension: the
/// components of elements that the step draws, and its feeds.
static SmallVector<Value> inputsOf(EntryOp step) {
  SmallVector<Value> inputs;
  Block &body = step.getBody().front();
  for (auto next : body.getOps<IteratorNextOp>())
    llvm::append_range(inputs, next.getComponents());
  llvm::append_range(
      inputs, body.getArguments().drop_front(step.getVariables().size()));
  llvm::erase_if(inputs, [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0;
  });
  return inputs;
}

/// Returns the size of the batch: the size that most of `inputs` have along
/// their first dimension. Any choice would give the same results; this one
/// leaves most work to slices.
static int64_t batchSizeOf(ArrayRef<Value> inputs) {
  llvm::MapVector<int64_t, unsigned> counts;
  for (Value input : inputs)
    ++counts[cast<RankedTensorType>(input.getType()).getDimSize(0)];
  return llvm::max_element(
             counts,
             [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

/// Returns the numbers of slices from 2 on that divide a batch of `size`, the
/// largest of which are left out.
static std::string divisorsOf(int64_t size) {
  SmallVector<std::string> divisors;
  for (int64_t slices = 2; slices <= size && divisors.size() < 6; ++slices)
    if (size % slices == 0)
      divisors.push_back(std::to_string(slices));
  return llvm::join(divisors, ", ");
}

/// Reports each value of strings that slices compute and an op reads as a
/// whole. Returns whether there is none.
static LogicalResult checkGathers(Block &body, const BatchSplit &split) {
  LogicalResult result = success();
  for (Operation &op : body)
    for (Value value : op.getResults())
      if (split.isGathered(value) &&
          !getElementTypeOrSelf(value).isIntOrFloat()) {
        op.emitError("cannot be split over the batch: another op needs all of "
                     "its strings");
        result = failure();
      }
  return result;
}

static std::string inUnits(int64_t bytes) {
  if (bytes < 10'000)
    return std::to_string(bytes) + " bytes";
  return bytes < 10'000'000 ? std::to_string(bytes / 1000) + " kB"
                            : std::to_string(bytes / 1'000'000) + " MB";
}

/// Says what is exchanged and gathered in a step, in bytes. Much that is
/// gathered is a warning: all processes then compute what they could share.
static void report(EntryOp step, const SliceRegions &regions, int64_t slices,
                   int64_t batch) {
  const SliceRegions::Traffic &traffic = regions.getTraffic();
  step.emitRemark() << slices << " slices of " << batch / slices << " rows in "
                    << regions.count() << " phases: " << traffic.combined.size()
                    << " exchanges of "
                    << inUnits(traffic.bytesOf(traffic.combined)) << ", "
                    << traffic.gathered.size() << " gathers of "
                    << inUnits(traffic.bytesOf(traffic.gathered));
  bool isMuch = 10 * traffic.bytesOf(traffic.gathered) >
                traffic.bytesOf(traffic.combined);
  for (auto [loc, bytes] : traffic.gathered)
    emitRemark(loc) << "gathered over the batch: " << inUnits(bytes);
  if (isMuch)
    emitWarning(traffic.gathered.front().first)
        << "gathered over the batch with " << traffic.gathered.size() - 1
        << " others: " << inUnits(traffic.bytesOf(traffic.gathered))
        << " a step, beside " << inUnits(traffic.bytesOf(traffic.combined))
        << " of sums; every process computes all that depends on it";
}

namespace {
struct SplitBatch : ::ingot::graph::impl::SplitBatchPassBase<SplitBatch> {
  using SplitBatchPassBase::SplitBatchPassBase;

  void runOnOperation() override {
    auto asked = getOperation()->getAttrOfType<IntegerAttr>(
        ::mlir::ingot::slicesAttrName);
    int64_t count = slices ? int64_t(slices) : asked ? asked.getInt() : 0;
    if (count < 2)
      return;
    SplitRules rules;
    bool failed = false;
    for (auto entry : getOperation().getOps<EntryOp>())
      if (entry.getRole() == Role::step)
        failed |= mlir::failed(split(entry, count, rules));
    if (failed)
      signalPassFailure();
  }

  LogicalResult split(EntryOp step, int64_t count, const SplitRules &rules) {
    SmallVector<Value> inputs = inputsOf(step);
    if (inputs.empty())
      return step.emitError("cannot be split over the batch: it reads no "
                            "input and has no feeds");
    int64_t batch = ::batchSizeOf(inputs);
    if (ShapedType::isDynamic(batch))
      return step.emitError("cannot be split over the batch: its size is not "
                            "known; batch with drop_remainder");
    if (batch % count != 0)
      return step.emitError("cannot be split over the batch: ")
             << count << " slices do not divide " << batch
             << " rows; --slices may be " << divisorsOf(batch);
    llvm::erase_if(inputs, [&](Value value) {
      return cast<RankedTensorType>(value.getType()).getDimSize(0) != batch;
    });
    Block &body = step.getBody().front();
    BatchSplit split(body, inputs, count, rules);
    if (failed(checkGathers(body, split)))
      return failure();
    SliceRegions regions(body, split, count);
    regions.build();
    if (regions.getTraffic().combined.empty())
      return step.emitError("cannot be split over the batch: nothing in it is "
                            "summed over the batch");
    report(step, regions, count, batch);
    numPhases += regions.count();
    numExchanges += regions.getTraffic().combined.size();
    numGathers += regions.getTraffic().gathered.size();
    return success();
  }
};
} // namespace
