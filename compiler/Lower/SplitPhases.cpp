//===- SplitPhases.cpp - Kernels whose phases wait for each other ---------===//
//
// A kernel has no barrier: where a sum over all images stands between two loops
// over them (batch normalization), its grid could only be what both share,
// which are few channels. As kernels of their own each of them has the images.
// What is computed, and in which order, stays the same.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/KernelParts.h"
#include "compiler/Lower/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"

namespace ingot::lower {
#define GEN_PASS_DEF_SPLITPHASESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;

namespace {

/// Fewer elements are not worth a kernel.
constexpr int64_t minElements = 64 * 1024;
/// So many channels are grid enough.
constexpr int64_t enoughChannels = 256;

/// The elements that the op looks at; none where that is not known.
std::optional<int64_t> elementsOf(linalg::LinalgOp op) {
  int64_t elements = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    elements *= range;
  }
  return elements;
}

class PhaseSplitter {
public:
  PhaseSplitter(host::LaunchOp launch, func::FuncOp kernel,
                SymbolTable &symbols)
      : launch(launch), kernel(kernel), symbols(symbols) {}

  /// Whether the kernel is split.
  bool run() {
    SmallVector<linalg::GenericOp> large;
    bool waits = false;
    for (auto op : kernel.getBody().getOps<linalg::GenericOp>()) {
      std::optional<int64_t> elements = elementsOf(op);
      if (!elements)
        return false;
      if (*elements < minElements)
        continue;
      waits |= llvm::any_of(large, [&](linalg::GenericOp phase) {
        return isSummedUp(phase) && dependsOn(op, phase);
      });
      large.push_back(op);
    }
    if (!waits)
      return false;
    for (linalg::GenericOp op : large) {
      for (Value input : op.getDpsInputs())
        if (isSmall(input))
          ::ingot::lower::launchBefore(launch, kernel, input, symbols);
      // What is left is the kernel itself.
      if (op != large.back() && op.getNumResults() == 1)
        ::ingot::lower::launchBefore(launch, kernel, op.getResult(0), symbols);
    }
    ::ingot::lower::tidy(launch, kernel);
    return true;
  }

private:
  /// Whether the op leaves a number for each image and channel, of which
  /// another one leaves those of few channels.
  static bool isSummedUp(linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0 || op.getNumResults() != 1)
      return false;
    // Products take what follows them along.
    if (llvm::none_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); }))
      return false;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (type.getRank() < 2 || type.getShape().back() >= enoughChannels)
      return false;
    return llvm::any_of(op->getUses(), [](OpOperand &use) {
      auto sum = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (!sum)
        return false;
      SmallVector<utils::IteratorType> loops = sum.getIteratorTypesArray();
      return llvm::any_of(sum.getMatchingIndexingMap(&use).getResults(),
                          [&](AffineExpr result) {
                            auto dim = dyn_cast<AffineDimExpr>(result);
                            return dim && loops[dim.getPosition()] ==
                                              utils::IteratorType::reduction;
                          });
    });
  }

  /// Whether `op` needs the result of `phase` in any way.
  static bool dependsOn(Operation *op, Operation *phase) {
    SetVector<Operation *> needed;
    needed.insert(op);
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *definition = operand.getDefiningOp()) {
          if (definition == phase)
            return true;
          needed.insert(definition);
        }
    return false;
  }

  /// What the kernel computes of something, and is not worth a kernel of many
  /// blocks.
  static bool isSmall(Value value) {
    auto op = value.getDefiningOp<linalg::GenericOp>();
    return op && elementsOf(op).value_or(minElements) < minElements;
  }

  host::LaunchOp launch;
  func::FuncOp kernel;
  SymbolTable &symbols;
};

struct SplitPhases : ::ingot::lower::impl::SplitPhasesPassBase<SplitPhases> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<host::LaunchOp> launches;
    getOperation().walk(
        [&](host::LaunchOp launch) { launches.push_back(launch); });
    for (host::LaunchOp launch : launches)
      PhaseSplitter(launch, symbols.lookup<func::FuncOp>(launch.getKernel()),
                    symbols)
          .run();
  }
};

} // namespace
