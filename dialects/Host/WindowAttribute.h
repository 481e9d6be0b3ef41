//===- WindowAttribute.h - The window of an im2col op ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A linalg op that computes im2col has an attribute with its window, so that a
// GEMM can read the image itself (implicit GEMM).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
#define INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that computes im2col of images with static height, width and
/// channels, [images, rows, columns, taps, channels]: an array of
/// eight numbers, the window's size, stride, dilation and the padding before
/// the image, of its height and then of its width. Padding is 0.
inline constexpr llvm::StringLiteral windowAttrName = "host.window";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
