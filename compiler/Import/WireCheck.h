//===- WireCheck.h - Locates damage in protocol buffers ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The parsers of protocol buffers report only that a message does not parse;
// this reports where and why.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_WIRECHECK_H
#define INGOT_COMPILER_IMPORT_WIRECHECK_H

#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <optional>
#include <string>

namespace ingot::importer {

/// An error in the wire format of a message.
struct WireError {
  size_t offset; // of the field that is wrong, from the file's beginning
  std::string message;
};

/// Walks the bytes of a message by its wire format (the tag, then a number, or
/// a length and that many bytes), including sub-messages, and returns the first
/// error; std::nullopt if the bytes are well-formed.
std::optional<WireError>
checkWireFormat(llvm::StringRef bytes,
                const google::protobuf::Descriptor &message);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_WIRECHECK_H
