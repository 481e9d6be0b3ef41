//===- BufferVerifier.cpp - Verify accesses after a pass ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/BufferVerifier.h"

#include "codegen/ReachingWrites.h"
#include "codegen/TensorProducerOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace ingot::codegen {

namespace {

/// Where an op's operands came from before bufferization: the ops that computed
/// these tensors. After bufferization, the op must read buffers that the same
/// ops have written.
struct ExpectedOperandProducers {
  TensorProducerOps origins;
  /// Whether the op also reads the initial contents of its destinations
  /// (linalg's `outs`). False if a destination was a tensor.empty, whose
  /// contents are undefined.
  bool readsResults = true;
};

/// The memory accesses of a function before a pass and, for each op that reads
/// tensors, the ops that computed these tensors.
struct BufferAccessSnapshot {
  explicit BufferAccessSnapshot(func::FuncOp function) : trace(function) {
    for (const TracedOpAccesses &event : trace.events)
      expect(event);
  }

  MemoryAccessTrace trace;
  /// For each op, keyed by its number, the ops that computed the tensors that
  /// it reads.
  std::map<int64_t, ExpectedOperandProducers> expected;

private:
  /// Records which ops computed the tensors that the event's op reads.
  void expect(const TracedOpAccesses &event) {
    ExpectedOperandProducers result;
    SmallVector<Value> tensors;
    for (const MemoryAccess &access : event.accesses) {
      if (!access.operand || !isa<TensorType>(access.view().getType()))
        continue;
      tensors.push_back(access.view());
      result.readsResults &=
          !access.writes || !access.view().getDefiningOp<tensor::EmptyOp>();
    }
    if (tensors.empty())
      return;
    result.origins = producersOfElements(tensors);
    expected.emplace(event.number, std::move(result));
  }
};

/// Compares a function after a pass with `BufferAccessSnapshot`, its state
/// before the pass.
class BufferAccessTranslationValidator {
public:
  BufferAccessTranslationValidator(const BufferAccessSnapshot &before,
                                   func::FuncOp function)
      : before(before), after(function) {}

  /// Returns an op that may read other data than before the pass, because other
  /// writes reach it or because it races with the iterations of a grid loop.
  /// Returns null if there is no such op.
  Operation *run() {
    if (!before.expected.empty())
      return findUnexpected();
    llvm::BitVector had = numbersOf(before.trace, /*grids=*/false);
    llvm::BitVector alive = numbersOf(after, /*grids=*/false);
    had.resize(std::max(had.size(), alive.size()));
    alive.resize(had.size());
    alive &= had;
    llvm::BitVector loops(alive);
    if (copiesInLoops(before.trace, alive) || copiesInLoops(after, alive))
      loops.reset();
    loops.reset(numbersOf(before.trace, /*grids=*/true));
    loops.reset(numbersOf(after, /*grids=*/true));
    ReachingWrites saw = reachingWritesOf(before.trace, alive, loops);
    ReachingWrites sees = reachingWritesOf(after, alive, loops);
    if (isUnbound())
      return nullptr;
    for (const TracedOpAccesses &event : after.events)
      if (event.number >= 0 && alive.test(event.number) &&
          saw[event.number] != sees[event.number])
        return event.op;
    if (Operation *op = findClobbered(after))
      return op;
    return findShared(after);
  }

private:
  /// Returns the numbers of all ops and loops in a trace as a bit set. With
  /// `grids`, returns only the numbers of its grid loops.
  static llvm::BitVector numbersOf(const MemoryAccessTrace &trace, bool grids) {
    llvm::BitVector numbers;
    auto add = [&](int64_t number) {
      if (number >= static_cast<int64_t>(numbers.size()))
        numbers.resize(number + 1);
      if (number >= 0)
        numbers.set(number);
    };
    for (const TracedOpAccesses &event : trace.events) {
      if (!grids)
        add(event.number);
      for (const EnclosingLoopOrBranch &scope : event.scopes)
        if (!grids || scope.isGrid)
          add(scope.number);
    }
    return numbers;
  }

  /// Whether the function has fewer buffers as arguments than before the pass.
  /// The function's return op, which counts as a read of all arguments, then
  /// reads fewer buffers, so that the reaching writes before and after the pass
  /// are not comparable.
  bool isUnbound() const {
    return after.events.back().accesses.size() <
           before.trace.events.back().accesses.size();
  }

  /// Returns the first op that reads a buffer whose last writer is not the op
  /// that computed the corresponding tensor before bufferization. Returns null
  /// if there is no such op.
  Operation *findUnexpected() const {
    for (size_t index = 0; index < after.events.size(); ++index) {
      const TracedOpAccesses &event = after.events[index];
      auto found = before.expected.find(event.number);
      if (found == before.expected.end() || !found->second.origins.isKnown)
        continue;
      const ExpectedOperandProducers &expected = found->second;
      for (const MemoryAccess &access : event.accesses) {
        if (!access.reads || (access.writes && !expected.readsResults) ||
            !access.operand || isa<TensorType>(access.view().getType()))
          continue;
        int64_t writer = writerOf(access, index, expected.origins.ops);
        if (writer >= 0 && !expected.origins.ops.contains(writer))
          return event.op;
      }
    }
    return nullptr;
  }

  /// Returns the number of the last op, before the event with the index
  /// `reader`, that wrote the memory of `read`. If this op is a copy that the
  /// pass inserted, returns the number of the op that wrote the copy's source
  /// instead. Returns -1 if there is no such op. Also returns -1 if one of
  /// `origins`, the expected writers, wrote only a part of the memory, because
  /// other ops may have written the rest: each operand of a concatenation, for
  /// example, is written by a different op.
  int64_t writerOf(const MemoryAccess &read, size_t reader,
                   const std::set<int64_t> &origins) const {
    llvm::ArrayRef<size_t> earlier = writers[read.buffer];
    earlier = earlier.take_until([&](size_t index) { return index >= reader; });
    for (size_t index : llvm::reverse(earlier)) {
      const TracedOpAccesses &event = after.events[index];
      if (areExclusive(event, after.events[reader]))
        continue;
      for (const MemoryAccess &access : event.accesses) {
        if (!access.writes || access.buffer != read.buffer ||
            !access.bytes.overlap(read.bytes))
          continue;
        bool isCopy = event.number < 0 && event.isCopy;
        int64_t writer =
            isCopy ? writerOf(event.accesses[0], index, origins) : event.number;
        if (covers(access.view(), read.view()) ||
            covers(read.view(), access.view()))
          return writer;
        if (origins.count(writer))
          return -1;
      }
    }
    return -1;
  }

  /// For each buffer of `after`, the indices of the events that write it.
  std::vector<std::vector<size_t>> findWriters() const {
    std::vector<std::vector<size_t>> found(after.buffers.size());
    for (auto [index, event] : llvm::enumerate(after.events))
      for (const MemoryAccess &access : event.accesses)
        if (access.writes && (found[access.buffer].empty() ||
                              found[access.buffer].back() != index))
          found[access.buffer].push_back(index);
    return found;
  }

  const BufferAccessSnapshot &before;
  MemoryAccessTrace after;
  std::vector<std::vector<size_t>> writers = findWriters();
};

/// Whether the pass with the argument `pass` must be verified, because it may
/// bufferize, move ops or place buffers. This is assumed of each of Ingot's
/// passes, except those whose names contain one of the words below.
bool mayMove(StringRef pass) {
  return pass.starts_with("ingot-") &&
         llvm::none_of(ArrayRef<StringRef>{"-convert-", "-expand-", "-find-",
                                           "-keep-", "-lower-", "-estimate-",
                                           "-provide-", "-simplify-",
                                           "-widen-"},
                       [&](StringRef other) { return pass.contains(other); });
}

/// Whether an op of the function has a tensor as an operand. If so, the
/// function is not completely bufferized.
bool usesTensors(func::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns a hash of the addresses of a function's ops, blocks and operands,
/// and of the ops' properties. If the hash is the same before and after a pass,
/// the pass has changed nothing, and the two states need not be compared.
size_t printOf(func::FuncOp function) {
  llvm::hash_code print(0);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    print = llvm::hash_combine(print, op, op->getName().getAsOpaquePointer(),
                               op->getBlock(), op->hashProperties());
    for (Value operand : op->getOperands())
      print = llvm::hash_combine(print, operand.getAsOpaquePointer());
  });
  return print;
}

/// Compares the accesses to buffers before and after each pass of a pipeline.
class BufferVerifier : public PassInstrumentation {
public:
  explicit BufferVerifier(std::shared_ptr<bool> isWrong)
      : isWrong(std::move(isWrong)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    isFollowed = mayMove(pass->getArgument());
    if (!isFollowed)
      return;
    bool bufferizes = pass->getArgument().contains("bufferize");
    forFunctions(op, [&](func::FuncOp function) {
      FunctionStateBeforePass &known = past[function.getName()];
      known.isFollowed = bufferizes || !usesTensors(function);
      // While a function still has ops on tensors, only the pass that
      // bufferizes it is checked: in other passes, the def-use chains of
      // tensors determine what each op reads.
      if (!known.isFollowed)
        return;
      numberAccesses(function);
      size_t print = printOf(function);
      if (known.before && known.print == print)
        return;
      known.before = std::make_unique<BufferAccessSnapshot>(function);
      known.print = print;
    });
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (!isFollowed)
      return;
    forFunctions(op, [&](func::FuncOp function) {
      auto known = past.find(function.getName());
      if (known == past.end() || !known->second.isFollowed)
        return;
      if (printOf(function) != known->second.print) {
        if (Operation *reader = BufferAccessTranslationValidator(
                                    *known->second.before, function)
                                    .run())
          report(*pass, function, reader);
        known->second.before.reset();
      }
      dropNumbers(function);
    });
  }

  void runAfterPassFailed(Pass *, Operation *op) override {
    forFunctions(op, [](func::FuncOp function) { dropNumbers(function); });
  }

private:
  static void forFunctions(Operation *op,
                           llvm::function_ref<void(func::FuncOp)> visit) {
    if (auto module = dyn_cast<ModuleOp>(op))
      for (auto function : module.getOps<func::FuncOp>())
        if (!function.isExternal())
          visit(function);
  }

  void report(Pass &pass, func::FuncOp function, Operation *reader) {
    *isWrong = true;
    reader->emitOpError("reads a buffer that another op has overwritten, in '")
        << function.getName() << "' after pass '" << pass.getArgument()
        << "': this is a bug in Ingot, not in the graph";
  }

  /// The state of a function before the running pass: its trace, and its hash
  /// from `printOf`.
  struct FunctionStateBeforePass {
    std::unique_ptr<BufferAccessSnapshot> before;
    size_t print = 0;
    bool isFollowed = false;
  };

  std::shared_ptr<bool> isWrong;
  bool isFollowed = false;
  llvm::StringMap<FunctionStateBeforePass> past;
};

} // namespace

std::shared_ptr<bool> verifyBuffers(PassManager &manager) {
  auto isWrong = std::make_shared<bool>(false);
  manager.addInstrumentation(std::make_unique<BufferVerifier>(isWrong));
  return isWrong;
}

} // namespace ingot::codegen
