//===- BufferVerifier.cpp - Readers see what they saw ---------------------===//

#include "codegen/BufferVerifier.h"

#include "codegen/Sights.h"
#include "codegen/TensorOrigins.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

using namespace mlir;

namespace ingot::codegen {

namespace {

/// What an op read as tensors.
struct Expected {
  Origins origins;
  bool readsResults = true; // what it is told to write has elements before
};

/// A function as it was before a pass.
struct Before {
  explicit Before(func::FuncOp function) : trace(function) {
    for (const AccessEvent &event : trace.events)
      expect(event);
  }

  AccessTrace trace;
  std::map<int64_t, Expected> expected; // of ops on tensors

private:
  void expect(const AccessEvent &event) {
    Expected result;
    SmallVector<Value> tensors;
    for (const Access &access : event.accesses) {
      if (!access.operand || !isa<TensorType>(access.view().getType()))
        continue;
      tensors.push_back(access.view());
      result.readsResults &=
          !access.writes || !access.view().getDefiningOp<tensor::EmptyOp>();
    }
    if (tensors.empty())
      return;
    result.origins = originsOf(tensors);
    expected.emplace(event.number, std::move(result));
  }
};

class Comparison {
public:
  Comparison(const Before &before, func::FuncOp function)
      : before(before), after(function) {}

  /// The op that reads something else than before; null where none does.
  Operation *run() {
    if (!before.expected.empty())
      return findUnexpected();
    std::set<int64_t> had, has, alive, grids;
    for (const AccessEvent &event : before.trace.events)
      addNumbers(event, had, grids);
    for (const AccessEvent &event : after.events)
      addNumbers(event, has, grids);
    std::set_intersection(had.begin(), had.end(), has.begin(), has.end(),
                          std::inserter(alive, alive.end()));
    std::set<int64_t> loops;
    if (!copiesInLoops(before.trace, alive) && !copiesInLoops(after, alive))
      std::set_difference(alive.begin(), alive.end(), grids.begin(),
                          grids.end(), std::inserter(loops, loops.end()));
    Sights saw = sightsOf(before.trace, alive, loops);
    Sights sees = sightsOf(after, alive, loops);
    if (isUnbound())
      return nullptr;
    for (const AccessEvent &event : after.events)
      if (alive.contains(event.number) &&
          saw[event.number] != sees[event.number])
        return event.op;
    if (Operation *op = findClobbered(after))
      return op;
    return findShared(after);
  }

private:
  /// The ops and loops at hand that have numbers, and which of these are a
  /// grid's.
  static void addNumbers(const AccessEvent &event, std::set<int64_t> &numbers,
                         std::set<int64_t> &grids) {
    if (event.number >= 0)
      numbers.insert(event.number);
    for (const Scope &scope : event.scopes)
      if (scope.number >= 0) {
        numbers.insert(scope.number);
        if (scope.isGrid)
          grids.insert(scope.number);
      }
  }

  /// Whether buffers that were arguments come by other ways.
  bool isUnbound() const {
    return after.events.back().accesses.size() <
           before.trace.events.back().accesses.size();
  }

  /// The reader whose buffer was written last by what its tensor did not come
  /// from.
  Operation *findUnexpected() const {
    for (size_t index = 0; index < after.events.size(); ++index) {
      const AccessEvent &event = after.events[index];
      auto found = before.expected.find(event.number);
      if (found == before.expected.end() || !found->second.origins.isKnown)
        continue;
      const Expected &expected = found->second;
      for (const Access &access : event.accesses) {
        if (!access.reads || (access.writes && !expected.readsResults) ||
            !access.operand || isa<TensorType>(access.view().getType()))
          continue;
        int64_t writer = writerOf(access, index);
        if (writer >= 0 && !expected.origins.ops.contains(writer))
          return event.op;
      }
    }
    return nullptr;
  }

  /// The op that certainly wrote what event `reader` reads, and the last one;
  /// -1 where there is none, or it is not known.
  int64_t writerOf(const Access &read, size_t reader) const {
    for (size_t index = reader; index-- > 0;) {
      const AccessEvent &event = after.events[index];
      if (areExclusive(event, after.events[reader]))
        continue;
      for (const Access &access : event.accesses) {
        if (!access.writes || access.buffer != read.buffer ||
            !access.bytes.overlap(read.bytes) ||
            !(covers(access.view(), read.view()) ||
              covers(read.view(), access.view())))
          continue;
        if (event.number >= 0 || !event.isCopy)
          return event.number;
        return writerOf(event.accesses[0], index);
      }
    }
    return -1;
  }

  const Before &before;
  AccessTrace after;
};

bool usesTensors(func::FuncOp function) {
  return function
      ->walk([](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

class BufferVerifier : public PassInstrumentation {
public:
  explicit BufferVerifier(std::shared_ptr<bool> isWrong)
      : isWrong(std::move(isWrong)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    past.clear();
    StringRef name = pass->getArgument();
    if (!name.starts_with("ingot-"))
      return;
    forFunctions(op, [&](func::FuncOp function) {
      // Passes on tensors have no order to keep.
      if (usesTensors(function) && !name.contains("bufferize"))
        return;
      numberAccesses(function);
      past.try_emplace(function.getName(), std::make_unique<Before>(function));
    });
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (past.empty())
      return;
    forFunctions(op, [&](func::FuncOp function) {
      auto before = past.find(function.getName());
      if (before != past.end())
        if (Operation *reader = Comparison(*before->second, function).run())
          report(*pass, function, reader);
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
    reader->emitError("reads what another op has overwritten, in '")
        << function.getName() << "' after " << pass.getArgument()
        << "; this is a bug in Ingot, not in the graph";
  }

  std::shared_ptr<bool> isWrong;
  llvm::StringMap<std::unique_ptr<Before>> past;
};

} // namespace

std::shared_ptr<bool> verifyBuffers(PassManager &manager) {
  auto isWrong = std::make_shared<bool>(false);
  manager.addInstrumentation(std::make_unique<BufferVerifier>(isWrong));
  return isWrong;
}

} // namespace ingot::codegen
