//===- WireCheck.h - Where the bytes of a message are damaged ---*- C++ -*-===//
//
// Protocol buffers' parsers say that a message does not parse; this says where
// and why.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_WIRECHECK_H
#define INGOT_COMPILER_IMPORT_WIRECHECK_H

#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <optional>
#include <string>

namespace ingot::importer {

struct WireError {
  size_t offset; // of the field that is wrong, from the file's beginning
  std::string message;
};

/// Walks the bytes of a message by its wire format (the tag, then a number, or
/// a length and so many bytes), into its sub-messages, and returns what is
/// first wrong; nothing where the bytes are well formed.
std::optional<WireError>
checkWireFormat(llvm::StringRef bytes,
                const google::protobuf::Descriptor &message);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_WIRECHECK_H
