//===- TestMoves.cpp - A pass that makes mistakes on request --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A pass that plants faults which the buffer verifier has to find. Attributes
// in the tests say how it changes ops and buffers.
//
//===----------------------------------------------------------------------===//

#include "tools/ingot-opt/TestMoves.h"

#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace {

/// Changes the ops of a function that have one of these attributes:
///
/// - `test.name = NAME`: names the op.
/// - `test.before = NAME`: moves the op before the named one.
/// - `test.like = NAME`: replaces the op's results by those of the named one.
/// - `test.to = NUMBER`: moves the buffer of a host.slice to this offset in the
///   arena.
/// - `test.grid`: marks an scf.for loop as the grid of its kernel.
void makeMistakes(func::FuncOp function) {
  llvm::StringMap<Operation *> named;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    ops.push_back(op);
    if (auto name = op->getAttrOfType<StringAttr>("test.name"))
      named[name.getValue()] = op;
  });
  auto find = [&](Operation *op, StringRef attribute) -> Operation * {
    auto name = op->getAttrOfType<StringAttr>(attribute);
    return name ? named.lookup(name.getValue()) : nullptr;
  };
  for (Operation *op : ops) {
    if (Operation *place = find(op, "test.before"))
      op->moveBefore(place);
    if (Operation *other = find(op, "test.like"))
      op->replaceAllUsesWith(other->getResults());
    if (auto offset = op->getAttrOfType<IntegerAttr>("test.to"))
      cast<host::SliceOp>(op).setOffset(offset.getInt());
    if (op->hasAttr("test.grid")) {
      OpBuilder builder(op);
      auto loop = cast<scf::ForOp>(op);
      auto grid =
          scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(),
                             loop.getUpperBound(), loop.getStep());
      grid->setAttr(::ingot::kernels::gridLoopAttrName, builder.getUnitAttr());
      grid.getBody()->erase();
      grid.getRegion().takeBody(loop.getRegion());
      loop.erase();
    }
  }
}

/// The passes ingot-test-moves and ingot-test-bufferize. Both plant faults
/// according to the attributes of ops (`makeMistakes`), which the verifier of
/// buffers has to find. If `bufferizes` is true, One-Shot Bufferize runs first.
template <bool bufferizes>
struct BufferVerifierTestPass
    : PassWrapper<BufferVerifierTestPass<bufferizes>, OperationPass<ModuleOp>> {
  StringRef getArgument() const final {
    return bufferizes ? "ingot-test-bufferize" : "ingot-test-moves";
  }
  StringRef getDescription() const final {
    return "Test the verifier of buffers by faults that ops' attributes ask "
           "for";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry
        .insert<bufferization::BufferizationDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    bufferization::BufferizationState state;
    if (bufferizes && failed(bufferization::runOneShotModuleBufferize(
                          this->getOperation(), options, state)))
      return this->signalPassFailure();
    for (auto function : this->getOperation().template getOps<func::FuncOp>())
      makeMistakes(function);
  }
};

} // namespace

void ingot::registerTestMoves() {
  PassRegistration<BufferVerifierTestPass<false>>();
  PassRegistration<BufferVerifierTestPass<true>>();
}
