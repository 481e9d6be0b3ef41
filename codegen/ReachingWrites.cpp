//===- ReachingWrites.cpp - Writes that may reach each access -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/ReachingWrites.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Hashing.h"

#include <map>

using namespace mlir;

namespace ingot::codegen {

namespace {

/// A write to bytes of a buffer, by the op with the number `number`. If the
/// elements were written to another buffer and then copied to this one, `bytes`
/// and `event` are those of the last copy.
struct BufferWrite {
  int64_t number;
  ByteInterval bytes;
  size_t event;
};

/// Walks a trace in program order, collects the writes of each buffer, and
/// computes the reaching writes of each access.
class ReachingWritesAnalysis {
public:
  ReachingWritesAnalysis(const MemoryAccessTrace &trace,
                         const llvm::BitVector &alive,
                         const llvm::BitVector &loops)
      : trace(trace), alive(alive), loops(loops), writes(trace.buffers.size()),
        all(trace.buffers.size()), sights(alive.size()) {
    for (size_t index = 0; index < trace.events.size(); ++index)
      if (isAlive(trace.events[index]))
        for (const MemoryAccess &access : trace.events[index].accesses)
          if (access.writes)
            all[access.buffer].push_back(
                {trace.events[index].number, access.bytes, index});
  }

  ReachingWrites run() {
    for (size_t index = 0; index < trace.events.size(); ++index) {
      const TracedOpAccesses &event = trace.events[index];
      if (isAlive(event)) {
        for (const MemoryAccess &access : event.accesses)
          see(event, index, access);
        for (const MemoryAccess &access : event.accesses)
          if (access.writes)
            writes[access.buffer].push_back(
                {event.number, access.bytes, index});
      } else if (event.isCopy) {
        copy(event, index);
      }
    }
    for (auto &seen : sights) {
      llvm::sort(seen);
      seen.erase(llvm::unique(seen), seen.end());
    }
    return std::move(sights);
  }

private:
  bool isAlive(const TracedOpAccesses &event) const {
    return event.number >= 0 && alive.test(event.number);
  }

  /// Adds the reaching writes of `access`: all writes that overlap its bytes
  /// and come before it in the program, or come after it but in the same loop,
  /// so that they reach the access in the next iteration.
  void see(const TracedOpAccesses &event, size_t index,
           const MemoryAccess &access) {
    SmallVector<int64_t, 8> before, carried;
    for (const BufferWrite &write : writes[access.buffer])
      if (write.bytes.overlap(access.bytes) &&
          !areExclusive(trace.events[write.event], event))
        before.push_back(write.number);
    if (!event.scopes.empty())
      for (const BufferWrite &write : all[access.buffer])
        if (write.event >= index && write.bytes.overlap(access.bytes) &&
            shareIterations(trace.events[write.event], event, access.buffer))
          carried.push_back(write.number);
    // An access that no write reaches imposes no order on its op, so nothing is
    // recorded for it.
    if (!before.empty() || !carried.empty())
      sights[event.number].push_back(
          llvm::hash_combine(hashOf(before), hashOf(carried)));
  }

  static llvm::hash_code hashOf(SmallVectorImpl<int64_t> &numbers) {
    llvm::sort(numbers);
    numbers.erase(llvm::unique(numbers), numbers.end());
    return llvm::hash_combine_range(numbers.begin(), numbers.end());
  }

  /// Whether both events are in a loop that carries the buffer's contents from
  /// one iteration to the next, so that an earlier iteration's write may reach
  /// a read.
  bool shareIterations(const TracedOpAccesses &one,
                       const TracedOpAccesses &other, unsigned buffer) const {
    for (auto [a, b] : llvm::zip(one.scopes, other.scopes)) {
      if (a.op != b.op)
        return false;
      if (a.isLoop && a.number >= 0 && loops.test(a.number) &&
          !isOnlyIn(buffer, a.op))
        return true;
    }
    return false;
  }

  /// Whether only ops in the loop access the buffer. Then the buffer's contents
  /// are undefined at the start of each iteration, as they are in the first
  /// one. Ignores ops that exist only before or only after the checked pass,
  /// unless they are copies: a copy outside of the loop moves contents into the
  /// loop or out of it.
  bool isOnlyIn(unsigned buffer, const void *loop) const {
    if (trace.buffers[buffer].isArgument)
      return false;
    return llvm::all_of(trace.events, [&](const TracedOpAccesses &event) {
      return (!isAlive(event) && !event.isCopy) ||
             llvm::none_of(event.accesses,
                           [&](const MemoryAccess &access) {
                             return access.buffer == buffer;
                           }) ||
             llvm::any_of(event.scopes,
                          [&](const EnclosingLoopOrBranch &scope) {
                            return scope.op == loop;
                          });
    });
  }

  /// Handles a copy that only one of the compared programs has: the writes to
  /// its source count as writes to its target, too.
  void copy(const TracedOpAccesses &event, size_t index) {
    const MemoryAccess &from = event.accesses[0], &to = event.accesses[1];
    SmallVector<BufferWrite> read;
    for (const BufferWrite &write : writes[from.buffer])
      if (write.bytes.overlap(from.bytes))
        read.push_back({write.number, to.bytes, index});
    llvm::append_range(writes[to.buffer], read);
  }

  const MemoryAccessTrace &trace;
  const llvm::BitVector &alive, &loops;
  /// For each buffer, the writes to it before the current event.
  std::vector<SmallVector<BufferWrite, 2>> writes;
  /// For each buffer, all writes to it in the function.
  std::vector<SmallVector<BufferWrite, 2>> all;
  ReachingWrites sights;
};

} // namespace

ReachingWrites reachingWritesOf(const MemoryAccessTrace &trace,
                                const llvm::BitVector &alive,
                                const llvm::BitVector &loops) {
  return ReachingWritesAnalysis(trace, alive, loops).run();
}

bool copiesInLoops(const MemoryAccessTrace &trace,
                   const llvm::BitVector &alive) {
  return llvm::any_of(trace.events, [&](const TracedOpAccesses &event) {
    return event.isCopy && (event.number < 0 || !alive.test(event.number)) &&
           llvm::any_of(event.scopes, [](const EnclosingLoopOrBranch &scope) {
             return scope.isLoop;
           });
  });
}

namespace {

/// Finds buffers that overlap because they are parts of one block of memory,
/// and reads of a buffer whose bytes were overwritten through another buffer.
class OverlappingBuffers {
public:
  explicit OverlappingBuffers(const MemoryAccessTrace &trace)
      : trace(trace), writes(trace.buffers.size()),
        neighbours(trace.buffers.size()) {
    std::map<const void *, SmallVector<unsigned>> blocks;
    for (auto [number, buffer] : llvm::enumerate(trace.buffers))
      if (buffer.shared && buffer.place.begin < buffer.place.end)
        blocks[buffer.shared].push_back(number); // empty buffers share no bytes
    for (auto &[block, buffers] : blocks) {
      auto begins = [&](unsigned a, unsigned b) {
        return trace.buffers[a].place.begin < trace.buffers[b].place.begin;
      };
      llvm::stable_sort(buffers, begins);
      for (size_t i = 0; i < buffers.size(); ++i)
        for (size_t j = i + 1; j < buffers.size(); ++j) {
          if (trace.buffers[buffers[j]].place.begin >=
              trace.buffers[buffers[i]].place.end)
            break;
          neighbours[buffers[i]].push_back(buffers[j]);
          neighbours[buffers[j]].push_back(buffers[i]);
        }
    }
    for (size_t index = 0; index < trace.events.size(); ++index)
      for (const MemoryAccess &access : trace.events[index].accesses)
        if (access.writes)
          writes[access.buffer].push_back(index);
  }

  Operation *findClobbered() const {
    for (size_t index = 0; index < trace.events.size(); ++index)
      for (const MemoryAccess &access : trace.events[index].accesses)
        if (access.reads && isClobbered(index, access.buffer))
          return trace.events[index].op;
    return nullptr;
  }

private:
  /// Whether the contents of `buffer` were overwritten through an overlapping
  /// buffer, after the first write to `buffer` and before event `reader` reads
  /// it.
  bool isClobbered(size_t reader, unsigned buffer) const {
    ArrayRef<size_t> own = writes[buffer];
    if (neighbours[buffer].empty() || own.empty() || own.front() >= reader)
      return false;
    size_t last = *std::prev(llvm::lower_bound(own, reader));
    for (unsigned other : neighbours[buffer])
      for (size_t write : writes[other])
        if (areExclusive(trace.events[write], trace.events[reader]))
          continue;
        else if ((own.front() < write && write < reader) ||
                 comesBetween(write, last, reader))
          return true;
    return false;
  }

  /// Whether an iteration of a loop runs `write` before a later iteration runs
  /// `reader`, but after `last`, the last write of the memory that is read.
  /// This is so if the loop contains `write` and `reader`, in any order, but
  /// not `last`.
  bool comesBetween(size_t write, size_t last, size_t reader) const {
    for (auto [a, b] :
         llvm::zip(trace.events[write].scopes, trace.events[reader].scopes)) {
      if (a.op != b.op)
        return false;
      if (a.isLoop && llvm::none_of(trace.events[last].scopes,
                                    [&](const EnclosingLoopOrBranch &scope) {
                                      return scope.op == a.op;
                                    }))
        return true;
    }
    return false;
  }

  const MemoryAccessTrace &trace;
  /// For each buffer, the indices of the events that write it.
  std::vector<SmallVector<size_t, 2>> writes;
  std::vector<SmallVector<unsigned, 2>> neighbours;
};

} // namespace

Operation *findClobbered(const MemoryAccessTrace &trace) {
  return OverlappingBuffers(trace).findClobbered();
}

/// Whether `value` is computed from the loop's induction variable.
static bool dependsOn(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isProperAncestor(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOn(operand, loop); });
}

/// Whether the elements that an op accesses depend on the loop's iteration,
/// because each iteration accesses a row of its own, for example.
static bool isOfIteration(const MemoryAccess &access, scf::ForOp loop) {
  Operation *user = access.operand->getOwner();
  // The indices of a load or store choose the element. Other ops access all
  // elements of their view, so the view must depend on the iteration.
  bool choosesElement = isa<memref::LoadOp, memref::StoreOp>(user);
  return choosesElement
             ? llvm::any_of(user->getOperands(),
                            [&](Value value) { return dependsOn(value, loop); })
             : dependsOn(access.view(), loop);
}

/// Whether the op is in a branch whose condition depends on the loop's
/// iteration. Then it is assumed that only one iteration runs it.
static bool isOfOneIteration(Operation *op, scf::ForOp loop) {
  for (; op != loop.getOperation(); op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
        branch && dependsOn(branch.getCondition(), loop))
      return true;
  return false;
}

Operation *findShared(const MemoryAccessTrace &trace) {
  llvm::BitVector written(trace.buffers.size());
  auto newGridOf = [](const TracedOpAccesses &event) {
    auto *scope =
        llvm::find_if(event.scopes, [](const EnclosingLoopOrBranch &scope) {
          return scope.isGrid && scope.number < 0;
        });
    return scope == event.scopes.end()
               ? scf::ForOp()
               : dyn_cast<scf::ForOp>(
                     static_cast<Operation *>(const_cast<void *>(scope->op)));
  };
  for (const TracedOpAccesses &event : trace.events)
    if (scf::ForOp grid = newGridOf(event))
      for (const MemoryAccess &access : event.accesses)
        if (access.writes &&
            llvm::none_of(trace.buffers[access.buffer].scopes,
                          [&](const EnclosingLoopOrBranch &scope) {
                            return scope.op == grid;
                          }))
          written.set(access.buffer);
  for (const TracedOpAccesses &event : trace.events) {
    scf::ForOp grid = newGridOf(event);
    for (const MemoryAccess &access : event.accesses)
      if (written.test(access.buffer) && !isa<func::ReturnOp>(event.op) &&
          (!grid ||
           (!isOfIteration(access, grid) && !isOfOneIteration(event.op, grid))))
        return event.op;
  }
  return nullptr;
}

} // namespace ingot::codegen
