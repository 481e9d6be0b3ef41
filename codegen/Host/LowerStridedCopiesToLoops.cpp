//===- LowerStridedCopiesToLoops.cpp - Lower copies of strided buffers ----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/Passes.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/IR/Builders.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_LOWERSTRIDEDCOPIESTOLOOPSPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

/// Whether the buffer's elements are contiguous, so that a copy is a memcpy.
static bool isDense(Value buffer) {
  return host::isDense(cast<MemRefType>(buffer.getType()));
}

namespace {
struct LowerStridedCopiesToLoops
    : ::ingot::hostgen::impl::LowerStridedCopiesToLoopsPassBase<
          LowerStridedCopiesToLoops> {
  void runOnOperation() override {
    getOperation().walk([&](memref::CopyOp copy) {
      if (isDense(copy.getSource()) && isDense(copy.getTarget()))
        return;
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy.erase();
      ++numExpanded;
    });
  }
};
} // namespace
