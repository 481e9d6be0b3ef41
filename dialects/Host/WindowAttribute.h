//===- WindowAttribute.h - What patches are patches of ----------*- C++ -*-===//
//
// A linalg op that computes patches says with an attribute which window sees
// them, so that who tiles a product of patches can read the image itself.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
#define INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::host {

/// On a linalg op that computes all patches of images whose height, width and
/// channels are known, [images, rows, columns, taps, channels]: an array of
/// eight numbers, the window's size, stride, dilation and the padding before
/// the image, of its height and then of its width. What lies outside is 0.
inline constexpr llvm::StringLiteral windowAttrName = "host.window";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_WINDOWATTRIBUTE_H
