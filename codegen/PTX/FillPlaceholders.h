//===- FillPlaceholders.h - Text of IR with placeholders --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_FILLPLACEHOLDERS_H
#define INGOT_CODEGEN_PTX_FILLPLACEHOLDERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace ingot::ptx {

/// Returns `text` with each <name> replaced by the value for this name.
inline std::string fillPlaceholders(
    std::string text,
    llvm::ArrayRef<std::pair<llvm::StringRef, std::string>> values) {
  for (const auto &[name, value] : values) {
    std::string place = ("<" + name + ">").str();
    for (size_t at = 0; (at = text.find(place, at)) != std::string::npos;
         at += value.size())
      text.replace(at, place.size(), value);
  }
  return text;
}

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_FILLPLACEHOLDERS_H
