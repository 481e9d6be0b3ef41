//===- WireFormatCheck.h - Locates damage in protocol buffers ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds where and why a protocol buffer does not parse, since protobuf's own
// parsers report only that it does not.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_WIREFORMATCHECK_H
#define INGOT_COMPILER_IMPORT_GRAPH_WIREFORMATCHECK_H

#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <optional>
#include <string>

namespace ingot::importer {

/// A violation of protobuf's wire format in the bytes of a message.
struct WireFormatError {
  size_t offset; // offset in the file of the field with the violation
  std::string message;
};

/// Walks the fields of a message and of its sub-messages. In protobuf's wire
/// format, a field is a tag, followed either by a number, or by a length and
/// that many bytes. Returns the first error, or std::nullopt if the bytes are
/// well-formed.
std::optional<WireFormatError>
checkWireFormat(llvm::StringRef bytes,
                const google::protobuf::Descriptor &message);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_WIREFORMATCHECK_H
