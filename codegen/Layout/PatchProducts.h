//===- PatchProducts.h - What convolutions become products with -*- C++ -*-===//
//
// Images, patches and filters as matrices, and what follows a product on its
// tiles.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_PATCHPRODUCTS_H
#define INGOT_CODEGEN_LAYOUT_PATCHPRODUCTS_H

#include "dialects/Ingot/ConvolutionOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::layout {

mlir::RankedTensorType typeOf(mlir::Value value);

/// `value` in another shape. Where more than one of its sizes is not known, the
/// first three are those of `like`.
mlir::Value reshape(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape, mlir::Value like = {});

/// `value` as a matrix whose columns are its last `inner` dimensions.
mlir::Value flatten(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    unsigned inner);

/// The product of two matrices, in which `convolution` multiplies its factors.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &b,
                     mlir::Operation *convolution, mlir::Value x, mlir::Value y,
                     bool transposeX, bool transposeY);

/// The patches of an image of the same sizes that has no channels: nothing but
/// their number, batch, height and width.
mlir::Value patchesWithoutChannels(mlir::ImplicitLocOpBuilder &b,
                                   mlir::ingot::ExtractPatchesOp patches);

/// An image that is a product in another shape.
struct ProductImage {
  mlir::Value product, image;
};

/// Whether `user`, an elementwise op on an image, can as well be computed on
/// the product that the image is, in whose tiles it then takes part.
bool mayComputeOnProduct(mlir::Operation *user, mlir::Value image);

/// What `user` computes of `image`, computed of the product that `of` is.
ProductImage computeOnProduct(mlir::Operation *user, mlir::Value image,
                              const ProductImage &of);

/// Moves the elementwise ops that follow the product, up to where more than one
/// op uses a result.
void moveOntoProduct(ProductImage of);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_PATCHPRODUCTS_H
