//===- Im2colBlock.cpp - A block of im2col that may span images -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Im2colBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::cpu {

Value im2colFrom(ImplicitLocOpBuilder &b, linalg::GenericOp patches,
                 ArrayRef<int64_t> block, Value row, Value element) {
  auto empty = patches.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
  SmallVector<Value> sizes;
  for (OpFoldResult size : empty.getMixedSizes())
    sizes.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  Value inImage = arith::MulIOp::create(b, sizes[1], sizes[2]);
  Value last =
      arith::SubIOp::create(b, arith::MulIOp::create(b, sizes[0], inImage),
                            arith::ConstantIndexOp::create(b, 1));
  Value channels =
      arith::ConstantIndexOp::create(b, patches.getStaticLoopRanges().back());
  Value firstTap = arith::DivUIOp::create(b, element, channels);
  Value firstChannel = arith::RemUIOp::create(b, element, channels);
  Value own = tensor::EmptyOp::create(
      b, block, getElementTypeOrSelf(patches.getResult(0).getType()));
  SmallVector<utils::IteratorType> loops(3, utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      b, own.getType(), ValueRange(), own, b.getMultiDimIdentityMap(3), loops,
      [&](OpBuilder &inner, Location loc, ValueRange) {
        ImplicitLocOpBuilder body(loc, inner);
        auto from = [&](Value first, int64_t dim) -> Value {
          return arith::AddIOp::create(
              body, first, linalg::IndexOp::create(body, dim).getResult());
        };
        // The last block may have rows after the last patch. They repeat the
        // last patch, so that no image is read out of bounds.
        Value number = arith::MinUIOp::create(body, from(row, 0), last);
        Value rest = arith::RemUIOp::create(body, number, inImage);
        Value place[] = {arith::DivUIOp::create(body, number, inImage),
                         arith::DivUIOp::create(body, rest, sizes[2]),
                         arith::RemUIOp::create(body, rest, sizes[2]),
                         from(firstTap, 1), from(firstChannel, 2)};
        IRMapping mapping;
        for (Operation &op : *patches.getBlock())
          if (auto index = dyn_cast<linalg::IndexOp>(op))
            mapping.map(index.getResult(), place[index.getDim()]);
          else
            body.clone(op, mapping);
      });
  return made.getResult(0);
}

} // namespace ingot::cpu
