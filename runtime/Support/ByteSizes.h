//===- ByteSizes.h - Numbers of bytes in flags and messages -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_BYTESIZES_H
#define INGOT_RUNTIME_SUPPORT_BYTESIZES_H

#include <cstdint>
#include <optional>
#include <string>

namespace ingot {

/// What a flag that takes a size expects, for messages.
inline constexpr const char byteSizeSyntax[] =
    "a number of bytes, or one with K, M or G";

/// Parses a number of bytes, or of KiB, MiB or GiB with a suffix K, M or G.
/// Returns std::nullopt if `text` is no such number, or if it is too large.
std::optional<uint64_t> parseByteSize(const std::string &text);

/// Returns a size for the user: "1.5 MiB".
std::string byteSizeText(uint64_t bytes);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_BYTESIZES_H
