//===- WindowAttribute.h - The window of an im2col op -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The attribute with the window of a linalg op that computes im2col. With it, a
// GEMM can read the image itself (implicit GEMM).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
#define INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that computes im2col, [images, rows, columns, taps,
/// channels], of images with static height, width and channels: an array of
/// eight integers. They are the window's size, stride, dilation and the padding
/// before the image, first for the height and then for the width. Elements in
/// the padding are 0.
inline constexpr llvm::StringLiteral windowAttrName = "host.window";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
