//===- PlanArena.cpp - Plan an arena for an entry's buffers ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/Passes.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_PLANARENAPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-plan-arena"

using namespace mlir;

namespace {

constexpr int64_t alignment = INGOT_ALIGNMENT;

/// A buffer and its lifetime: the indices, in program order, of the first and
/// the last op that may access it.
struct Lifetime {
  memref::AllocOp allocation;
  unsigned first, last;
  int64_t size, offset = 0;
  /// Whether host code accesses the buffer, in an entry point whose kernels may
  /// run on a device.
  bool isTouchedByHost = false;
};

/// Whether `user` accesses its buffers on the host if kernels run on a device.
/// Copies and summaries do not: the runtime executes a copy on the side, host
/// or device, that has the newest bytes, and copies a summary's value to the
/// host itself.
bool touchesOnHost(Operation *user) {
  return !isa<host::LaunchOp, memref::CopyOp, host::ScalarSummaryOp,
              ViewLikeOpInterface>(user);
}

/// Returns the size of an element in bytes. It is 8 for the type `index`, which
/// has no width of its own.
int64_t bytesOf(Type element) {
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Plans the arena of one function: collects the lifetimes of its buffers of
/// static size, places them and replaces them by slices.
class ArenaPlan {
public:
  ArenaPlan(func::FuncOp function, int64_t bytesApart)
      : function(function), body(function.getBody().front()),
        bytesApart(bytesApart),
        isOnDevice(function->hasAttr(::ingot::hostgen::onDeviceAttrName)) {}

  /// Places every buffer in the arena. Returns the arena's size in bytes.
  int64_t run() {
    number();
    collect();
    // First fit by decreasing size: each buffer goes to the lowest offset
    // without a conflict, so that small buffers fill gaps between large ones.
    llvm::stable_sort(lifetimes, [](const Lifetime &a, const Lifetime &b) {
      return a.size > b.size;
    });
    if (bytes() <= bytesApart)
      return placeApart();
    int64_t total = 0;
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      lifetimes[i].offset = lowestOffset(i);
      total = std::max(total, lifetimes[i].offset + lifetimes[i].size);
    }
    return total;
  }

  size_t numBuffers() const { return lifetimes.size(); }

  /// Returns the sum of the buffers' sizes in bytes: the size that the arena
  /// would have if no buffers shared memory.
  int64_t bytes() const {
    int64_t total = 0;
    for (const Lifetime &lifetime : lifetimes)
      total += lifetime.size;
    return total;
  }

  void rewrite(Value arena) {
    for (const Lifetime &lifetime : lifetimes) {
      memref::AllocOp allocation = lifetime.allocation;
      OpBuilder builder(allocation);
      allocation.replaceAllUsesWith(
          host::SliceOp::create(builder, allocation.getLoc(),
                                allocation.getType(), arena,
                                builder.getI64IntegerAttr(lifetime.offset))
              .getBuffer());
      allocation.erase();
    }
  }

private:
  /// Assigns each op a number (`order`), in program order; ops in the regions
  /// of an op come after it. For each op, `end` is the highest number of the op
  /// itself and of the ops in its regions.
  void number() {
    unsigned next = 0;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { order[op] = next++; });
    function.walk<WalkOrder::PostOrder>([&](Operation *op) {
      unsigned &last = end[op] = order[op];
      for (Region &region : op->getRegions())
        for (Block &block : region)
          last = std::max(last, end[&block.back()]);
    });
  }

  /// Extends a buffer's lifetime by its use in `user`. If `user` is in a loop
  /// and the buffer is allocated outside, the lifetime lasts until the loop
  /// ends. If `user` is outside of the block that contains the allocation, the
  /// lifetime covers the two top-level ops of the function that contain the
  /// allocation and `user`.
  void extend(Lifetime &lifetime, Operation *user) {
    Operation *at =
        lifetime.allocation->getBlock()->findAncestorOpInBlock(*user);
    if (!at) {
      extendTo(lifetime, body.findAncestorOpInBlock(*user));
      at = body.findAncestorOpInBlock(*lifetime.allocation);
    }
    extendTo(lifetime, at);
  }
  void extendTo(Lifetime &lifetime, Operation *at) {
    lifetime.first = std::min(lifetime.first, order[at]);
    lifetime.last = std::max(lifetime.last, end[at]);
  }

  /// Collects the buffers of static size and their lifetimes. A use of an alias
  /// counts as a use of the buffer.
  void collect() {
    BufferViewFlowAnalysis views(function);
    SmallVector<memref::AllocOp> allocations;
    function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp allocation : allocations) {
      MemRefType type = allocation.getType();
      if (!type.hasStaticShape())
        continue;
      // The lifetime is empty at first and does not include the allocation,
      // because a buffer is live only from its first use on.
      Lifetime lifetime{allocation, std::numeric_limits<unsigned>::max(), 0, 0};
      lifetime.size = llvm::alignTo(
          type.getNumElements() * bytesOf(type.getElementType()), alignment);
      for (Value alias : views.resolve(allocation))
        for (Operation *user : alias.getUsers()) {
          extend(lifetime, user);
          lifetime.isTouchedByHost |= isOnDevice && touchesOnHost(user);
        }
      lifetimes.push_back(lifetime);
    }
  }

  /// Places all buffers one after the other, so that none shares addresses with
  /// another. Returns the arena's size in bytes.
  int64_t placeApart() {
    int64_t total = 0;
    for (Lifetime &lifetime : lifetimes) {
      lifetime.offset = total;
      total += lifetime.size;
    }
    return total;
  }

  /// Returns the lowest offset at which buffer `index` fits among the buffers
  /// with smaller indices, which are placed already. It must not overlap a
  /// buffer whose lifetime overlaps its own. A buffer that the host accesses
  /// and one that only kernels access never overlap, even if their lifetimes
  /// are disjoint: the runtime copies the bytes that the host accesses between
  /// host and device, and would copy the other buffer's bytes with them.
  int64_t lowestOffset(size_t index) {
    const Lifetime &self = lifetimes[index];
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (const Lifetime &other : ArrayRef(lifetimes).take_front(index))
      if ((other.first <= self.last && self.first <= other.last) ||
          other.isTouchedByHost != self.isTouchedByHost)
        taken.push_back({other.offset, other.offset + other.size});
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [begin, end] : taken) {
      if (begin - offset >= self.size)
        break;
      offset = std::max(offset, end);
    }
    return offset;
  }

  func::FuncOp function;
  Block &body;
  int64_t bytesApart;
  bool isOnDevice;
  DenseMap<Operation *, unsigned> order, end;
  SmallVector<Lifetime> lifetimes;
};

/// Makes the runtime allocate the buffers of dynamic size, and free them after
/// their last use. A buffer that the function returns, or that a region yields,
/// is only freed after the entry has run. Returns the number of these buffers.
size_t allocateDynamicBuffers(func::FuncOp function) {
  BufferViewFlowAnalysis views(function);
  SmallVector<memref::AllocOp> allocations;
  function.walk([&](memref::AllocOp allocation) {
    if (!allocation.getType().hasStaticShape())
      allocations.push_back(allocation);
  });
  for (memref::AllocOp allocation : allocations) {
    Block *block = allocation->getBlock();
    Operation *last = allocation;
    bool escapes = false;
    for (Value alias : views.resolve(allocation))
      for (Operation *user : alias.getUsers()) {
        Operation *at = block->findAncestorOpInBlock(*user);
        escapes |= !at || isa<host::FetchOp>(user) ||
                   at->hasTrait<OpTrait::IsTerminator>();
        if (at && last->isBeforeInBlock(at))
          last = at;
      }
    OpBuilder builder(allocation);
    Value buffer = host::AllocateOp::create(builder, allocation.getLoc(),
                                            allocation.getType(),
                                            allocation.getDynamicSizes());
    if (!escapes) {
      builder.setInsertionPointAfter(last);
      host::ReleaseOp::create(builder, allocation.getLoc(), buffer);
    }
    allocation.replaceAllUsesWith(buffer);
    allocation.erase();
  }
  return allocations.size();
}

struct PlanArena : ::ingot::hostgen::impl::PlanArenaPassBase<PlanArena> {
  using PlanArenaPassBase::PlanArenaPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(host::kernelAttrName) || function.isExternal())
        continue;
      Block &body = function.getBody().front();
      numDynamic += allocateDynamicBuffers(function);
      ArenaPlan plan(function, bytesApart);
      int64_t size = plan.run();
      LLVM_DEBUG(llvm::dbgs()
                 << "arena of " << function.getName() << ": "
                 << plan.numBuffers() << " buffers of " << plan.bytes()
                 << " bytes in " << size << " bytes\n");
      numBuffers += plan.numBuffers();
      bufferBytes += plan.bytes();
      arenaBytes += size;
      Builder builder(&getContext());
      function->setAttr(host::arenaAttrName, builder.getI64IntegerAttr(size));
      auto pointer = LLVM::LLVMPointerType::get(&getContext());
      (void)function.insertArgument(body.getNumArguments(), pointer,
                                    DictionaryAttr(), function.getLoc());
      plan.rewrite(body.getArguments().back());
    }
  }
};

} // namespace
