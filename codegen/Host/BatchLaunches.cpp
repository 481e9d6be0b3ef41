//===- BatchLaunches.cpp - Batch identical launches -----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Batches launches of the same kernel into one launch. The members of an
// ensemble have layers of equal shapes, and so the same kernels, but share no
// data that they write, so their launches are independent.
//
//===----------------------------------------------------------------------===//

#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/LaunchBatchScheduling.h"
#include "codegen/Host/LaunchSequences.h"
#include "codegen/Host/Passes.h"
#include "codegen/Host/SplitEntryModule.h"
#include "runtime/ABI/Mutants.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Debug.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_BATCHLAUNCHESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-batch-launches"

using namespace mlir;
using namespace ::ingot::hostgen;

namespace {

/// The maximum number of successive launches among which batches are formed. It
/// bounds compile time: dependences are found by comparing all pairs of
/// launches.
constexpr size_t maxLaunches = 256;

/// A buffer that a launch reads or writes, and whether the launch writes it.
struct LaunchBufferAccess {
  BufferMemory memory;
  bool isWritten;
};

/// Returns the total size of a launch's buffers in bytes, or std::nullopt if
/// one of them has a dynamic size.
std::optional<int64_t> bytesOf(host::LaunchOp launch) {
  int64_t sum = 0;
  for (Type type : launch->getOperandTypes()) {
    std::optional<int64_t> bytes =
        ::ingot::hostgen::bytesOf(cast<MemRefType>(type));
    if (!bytes)
      return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

/// Returns the buffers that a launch accesses. Leaves out inputs that no launch
/// writes, such as feeds and constants, because they cannot cause a dependence.
SmallVector<LaunchBufferAccess> usesOf(host::LaunchOp launch) {
  SmallVector<LaunchBufferAccess> uses;
  for (Value input : launch.getInputs())
    if (!isOnlyRead(input))
      uses.push_back({BufferMemory(input), false});
  for (Value output : launch.getOutputs())
    uses.push_back({BufferMemory(output), true});
  return uses;
}

/// Whether two launches with the uses `first` and `second` are dependent (RAW,
/// WAR or WAW), so that their order matters.
bool haveOrder(ArrayRef<LaunchBufferAccess> first,
               ArrayRef<LaunchBufferAccess> second) {
  return llvm::any_of(first, [&](const LaunchBufferAccess &a) {
    return llvm::any_of(second, [&](const LaunchBufferAccess &b) {
      return (a.isWritten || b.isWritten) && !a.memory.isApartFrom(b.memory);
    });
  });
}

/// Returns, for each launch, the indices of the earlier launches on which it
/// depends.
LaunchEdges edgesOf(ArrayRef<host::LaunchOp> launches) {
  std::vector<SmallVector<LaunchBufferAccess>> uses;
  LaunchEdges before(launches.size());
  for (auto [index, launch] : llvm::enumerate(launches)) {
    uses.push_back(usesOf(launch));
    for (size_t other = 0; other < index; ++other)
      if (haveOrder(uses[other], uses[index]) &&
          !(INGOT_MUTANT("lost_dependency") && other % 2 == 0))
        before[index].push_back(other);
  }
  return before;
}

/// Forms the batches of one function, and collects the remarks on them.
class LaunchBatcher {
public:
  LaunchBatcher(func::FuncOp function, int64_t bytesOfBatch)
      : function(function), builder(function.getContext()),
        bytesOfBatch(bytesOfBatch) {}

  void run() {
    function.walk([&](Block *block) {
      for (ArrayRef<host::LaunchOp> launches : collectRuns(*block))
        for (; !launches.empty(); launches = launches.drop_front(
                                      std::min(launches.size(), maxLaunches)))
          group(launches.take_front(maxLaunches));
    });
    if (!words.empty())
      function->setAttr(batchesAttrName,
                        builder.getArrayAttr(words.getArrayRef()));
  }

private:
  /// The launches of one kernel in a sequence of consecutive launches: `count`
  /// is their number, and `most` the maximum number of them in a batch. A
  /// kernel is identified by its index in `kinds`.
  struct KernelLaunchCounts {
    size_t count = 0, most = 1;
  };

  /// Forms the batches of `launches`, a sequence of consecutive launches.
  void group(ArrayRef<host::LaunchOp> launches) {
    llvm::MapVector<Attribute, KernelLaunchCounts> kinds;
    SmallVector<unsigned> kernels;
    for (host::LaunchOp launch : launches) {
      int64_t bytes = bytesOf(launch).value_or(bytesOfBatch);
      int64_t most = bytesOfBatch / std::max<int64_t>(bytes, 1);
      // A launch whose buffers are too large is not batched: it is treated as
      // if it were the only launch of its kernel.
      Attribute kernel = launch.getKernelAttr();
      if (most < 2) {
        noteLarge(launch, kernel);
        kernel = builder.getIndexAttr(static_cast<int64_t>(kernels.size()));
      }
      auto *found = kinds.insert({kernel, {}}).first;
      ++found->second.count;
      found->second.most = std::max<int64_t>(most, 1);
      kernels.push_back(found - kinds.begin());
    }
    if (kinds.size() == launches.size())
      return;
    LaunchEdges before = edgesOf(launches);
    LaunchBatches batches;
    for (ArrayRef<unsigned> batch : orderInBatches(kernels, before)) {
      size_t most = (kinds.begin() + kernels[batch.front()])->second.most;
      for (; !batch.empty(); batch = batch.drop_front(batches.back().size()))
        batches.push_back(llvm::to_vector(batch.take_front(most)));
    }
    if (batches.size() < launches.size())
      place(launches, batches);
    explain(launches, kernels, before, batches);
  }

  /// Moves all launches to the position of the last one, in the order of the
  /// batches, so that the launches of a batch are adjacent.
  void place(ArrayRef<host::LaunchOp> launches, const LaunchBatches &batches) {
    Operation *next = launches.back()->getNextNode();
    for (ArrayRef<unsigned> batch : batches) {
      for (unsigned index : batch)
        launches[index]->moveBefore(next);
      if (batch.size() > 1)
        launches[batch.front()]->setAttr(
            membersAttrName,
            builder.getI64IntegerAttr(static_cast<int64_t>(batch.size())));
    }
    note("batched " + std::to_string(launches.size()) + " launches into " +
         std::to_string(batches.size()));
  }

  /// Adds remarks that tell which launches are batched, and why others are not.
  void explain(ArrayRef<host::LaunchOp> launches, ArrayRef<unsigned> kernels,
               const LaunchEdges &before, const LaunchBatches &batches) {
    auto nameOf = [&](unsigned index) {
      return "'" + nodesOf(launches[index]) + "'";
    };
    DenseMap<unsigned, ArrayRef<unsigned>> last; // each kernel's last batch
    for (ArrayRef<unsigned> batch : batches) {
      if (batch.size() > 1)
        note("one batch of " + std::to_string(batch.size()) +
             " launches: " + llvm::join(llvm::map_range(batch, nameOf), ", "));
      unsigned first = batch.front();
      ArrayRef<unsigned> earlier = std::exchange(last[kernels[first]], batch);
      auto *waited = llvm::find_if(earlier, [&](unsigned other) {
        return waitsFor(before, first, other);
      });
      if (waited != earlier.end())
        note(nameOf(first) + " is not batched with " + nameOf(*waited) +
             " of the same kernel, because the former depends on the latter");
    }
  }

  /// Adds a remark that a kernel's launches are not batched because their
  /// buffers are too large. Does so at the kernel's second launch: a single
  /// launch could not be batched anyway.
  void noteLarge(host::LaunchOp launch, Attribute kernel) {
    std::optional<int64_t> bytes = bytesOf(launch);
    size_t count = ++large[kernel];
    if (count != 2)
      return;
    note("launches of kernel '" + launch.getKernel().str() +
         "' are not batched: " +
         (bytes ? "each accesses " + std::to_string(*bytes) +
                      " bytes, and a batch may access at most " +
                      std::to_string(bytesOfBatch)
                : "their sizes are dynamic"));
  }

  void note(const std::string &text) {
    LLVM_DEBUG(llvm::dbgs() << function.getName() << ": " << text << '\n');
    words.insert(builder.getStringAttr(text));
  }

  func::FuncOp function;
  Builder builder;
  int64_t bytesOfBatch;
  DenseMap<Attribute, size_t> large; // number of too large launches, by kernel
  llvm::SetVector<Attribute> words;
};

struct BatchLaunches
    : ::ingot::hostgen::impl::BatchLaunchesPassBase<BatchLaunches> {
  using BatchLaunchesPassBase::BatchLaunchesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(host::arenaAttrName))
        LaunchBatcher(function, bytesOfBatch).run();
    getOperation().walk([&](host::LaunchOp launch) {
      if (auto members = launch->getAttrOfType<IntegerAttr>(membersAttrName)) {
        ++numBatches;
        numMembers += members.getInt();
      }
    });
  }
};

} // namespace
