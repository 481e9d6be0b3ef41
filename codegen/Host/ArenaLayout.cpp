//===- ArenaLayout.cpp - Lifetimes and places of an entry's buffers -------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/ArenaLayout.h"

#include "codegen/Host/HostAccesses.h"
#include "dialects/Host/HostDialect.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;

namespace ingot::hostgen {

namespace {

/// Whether `user` accesses its buffers on the host if kernels run on a device.
/// Copies and summaries do not: the runtime executes a copy on the side, host
/// or device, that has the newest bytes, and copies a summary's value to the
/// host itself. A copy of a strided buffer is lowered to a loop on the host
/// (LowerStridedCopiesToLoops.cpp), before or after this is asked.
bool touchesOnHost(Operation *user) {
  if (auto copy = dyn_cast<memref::CopyOp>(user))
    return !host::isDense(cast<MemRefType>(copy.getSource().getType())) ||
           !host::isDense(cast<MemRefType>(copy.getTarget().getType()));
  return !isa<host::LaunchOp, host::ScalarSummaryOp, ViewLikeOpInterface>(user);
}

/// Returns the size of an element in bytes. It is 8 for the type `index`, which
/// has no width of its own.
int64_t bytesOf(Type element) {
  return element.isIndex()
             ? 8
             : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Collects the buffers of one function, and finds their lifetimes.
class LifetimeAnalysis {
public:
  explicit LifetimeAnalysis(func::FuncOp function)
      : function(function), body(function.getBody().front()), views(function),
        isOnDevice(function->hasAttr(onDeviceAttrName)) {}

  std::vector<ArenaBuffer> run() {
    number();
    std::vector<ArenaBuffer> buffers;
    function.walk([&](memref::AllocOp allocation) {
      if (allocation.getType().hasStaticShape())
        buffers.push_back(lifetimeOf(allocation));
    });
    return buffers;
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

  ArenaBuffer lifetimeOf(memref::AllocOp allocation) {
    MemRefType type = allocation.getType();
    // The lifetime is empty at first and does not include the allocation,
    // because a buffer is live only from its first use on.
    ArenaBuffer buffer{allocation, std::numeric_limits<unsigned>::max(), 0, 0};
    buffer.size = llvm::alignTo(
        type.getNumElements() * bytesOf(type.getElementType()), alignment);
    auto aliases = views.resolve(allocation);
    auto isAlias = [&](Value value) { return aliases.contains(value); };
    for (Value alias : aliases)
      for (Operation *user : alias.getUsers()) {
        // A view accesses nothing itself.
        if (isa<ViewLikeOpInterface>(user) &&
            llvm::all_of(user->getResults(), isAlias))
          continue;
        extend(buffer, user);
        buffer.isTouchedByHost |= isOnDevice && touchesOnHost(user);
      }
    return buffer;
  }

  /// Extends a buffer's lifetime by its use in `user`. If `user` is in a loop
  /// and the buffer is allocated outside, the lifetime lasts until the loop
  /// ends. If `user` is outside of the block that contains the allocation, the
  /// lifetime covers the two top-level ops of the function that contain the
  /// allocation and `user`.
  void extend(ArenaBuffer &buffer, Operation *user) {
    Operation *at = buffer.allocation->getBlock()->findAncestorOpInBlock(*user);
    if (!at) {
      extendTo(buffer, body.findAncestorOpInBlock(*user));
      at = body.findAncestorOpInBlock(*buffer.allocation);
    }
    extendTo(buffer, at);
  }
  void extendTo(ArenaBuffer &buffer, Operation *at) {
    buffer.first = std::min(buffer.first, order[at]);
    buffer.last = std::max(buffer.last, end[at]);
  }

  static constexpr int64_t alignment = INGOT_ALIGNMENT;
  func::FuncOp function;
  Block &body;
  BufferViewFlowAnalysis views;
  bool isOnDevice;
  DenseMap<Operation *, unsigned> order, end;
};

} // namespace

std::vector<ArenaBuffer> arenaBuffersOf(func::FuncOp function) {
  return LifetimeAnalysis(function).run();
}

int64_t bytesOf(ArrayRef<ArenaBuffer> buffers) {
  int64_t total = 0;
  for (const ArenaBuffer &buffer : buffers)
    total += buffer.size;
  return total;
}

int64_t liveBytesOf(ArrayRef<ArenaBuffer> buffers) {
  std::map<unsigned, int64_t> changes;
  for (const ArenaBuffer &buffer : buffers)
    if (buffer.first <= buffer.last) {
      changes[buffer.first] += buffer.size;
      changes[buffer.last + 1] -= buffer.size;
    }
  int64_t live = 0, most = 0;
  for (auto [place, change] : changes)
    most = std::max(most, live += change);
  return most;
}

/// Places all buffers one after the other, so that none shares addresses with
/// another. Returns the arena's size in bytes.
static int64_t placeApart(MutableArrayRef<ArenaBuffer> buffers) {
  int64_t total = 0;
  for (ArenaBuffer &buffer : buffers) {
    buffer.offset = total;
    total += buffer.size;
  }
  return total;
}

/// Returns the lowest offset at which `self` fits among the buffers in
/// `placed`. It must not overlap a buffer whose lifetime overlaps its own. A
/// buffer that the host accesses and one that only kernels access never
/// overlap, even if their lifetimes are disjoint: the runtime copies the bytes
/// that the host accesses between host and device, and would copy the other
/// buffer's bytes with them.
static int64_t lowestOffset(ArrayRef<ArenaBuffer> placed,
                            const ArenaBuffer &self) {
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (const ArenaBuffer &other : placed)
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

int64_t layOutArena(std::vector<ArenaBuffer> &buffers, int64_t bytesApart) {
  // First fit by decreasing size: each buffer goes to the lowest offset without
  // a conflict, so that small buffers fill gaps between large ones.
  llvm::stable_sort(buffers, [](const ArenaBuffer &a, const ArenaBuffer &b) {
    return a.size > b.size;
  });
  if (bytesOf(buffers) <= bytesApart)
    return placeApart(buffers);
  int64_t total = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i].offset =
        lowestOffset(ArrayRef(buffers).take_front(i), buffers[i]);
    total = std::max(total, buffers[i].offset + buffers[i].size);
  }
  return total;
}

int64_t argumentTableBytesOf(func::FuncOp function) {
  int64_t slots = 0;
  function.walk([&](host::LaunchOp launch) {
    for (Type type : launch->getOperandTypes())
      slots += 1 + cast<MemRefType>(type).getNumDynamicDims();
  });
  return slots * argumentSlotBytes;
}

} // namespace ingot::hostgen
