//===- WireFormatCheck.cpp - Locates damage in protocol buffers -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/WireFormatCheck.h"

#include "llvm/Support/JSON.h"

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace ingot::importer {

// The maximum nesting depth of messages that protobuf's parser accepts.
static constexpr int maxDepth = 100;

namespace {
/// Walks the fields of a message in protobuf's wire format. Stops at the first
/// error, which it keeps in `error`.
class WireFormatWalker {
public:
  explicit WireFormatWalker(llvm::StringRef bytes) : bytes(bytes) {}

  // Walks one message in the bytes from `position` to `end`. Returns false once
  // `error` is set.
  bool walk(size_t end, const Descriptor *message, int depth);

  std::optional<WireFormatError> error;

private:
  bool fail(size_t offset, const llvm::Twine &message) {
    error = WireFormatError{offset, message.str()};
    return false;
  }
  bool readVarint(size_t end, uint64_t &value);
  bool walkField(size_t end, const Descriptor *message, int depth);
  bool walkBytes(size_t start, size_t end, const FieldDescriptor *field,
                 int depth);

  llvm::StringRef bytes;
  size_t position = 0;
};
} // namespace

bool WireFormatWalker::readVarint(size_t end, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position == end)
      return false;
    uint8_t byte = bytes[position++];
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

static std::string nameOf(const Descriptor *message,
                          const FieldDescriptor *field, uint32_t number) {
  std::string text = field ? "field '" + field->name() + "'"
                           : "field " + std::to_string(number);
  return message ? text + " of " + message->name() : text;
}

bool WireFormatWalker::walkBytes(size_t start, size_t end,
                                 const FieldDescriptor *field, int depth) {
  if (!field)
    return true;
  if (field->type() == FieldDescriptor::TYPE_MESSAGE)
    return walk(end, field->message_type(), depth + 1);
  if (field->type() == FieldDescriptor::TYPE_STRING &&
      !llvm::json::isUTF8(bytes.slice(position, end)))
    return fail(start, nameOf(field->containing_type(), field, 0) +
                           " is not valid UTF-8");
  return true;
}

bool WireFormatWalker::walkField(size_t end, const Descriptor *message,
                                 int depth) {
  size_t start = position;
  uint64_t tag = 0;
  if (!readVarint(end, tag) || tag > UINT32_MAX || tag >> 3 == 0)
    return fail(start, "expected the tag of a field");
  auto number = static_cast<uint32_t>(tag >> 3);
  const FieldDescriptor *field =
      message ? message->FindFieldByNumber(number) : nullptr;
  std::string name = nameOf(message, field, number);
  size_t left = 0;
  uint64_t value = 0;
  switch (tag & 7) {
  case 0:
    return readVarint(end, value) ||
           fail(start, name + " has an unterminated varint");
  case 1:
  case 5:
    left = end - position;
    if (left < ((tag & 7) == 1 ? 8u : 4u))
      return fail(start, name + " is truncated");
    position += (tag & 7) == 1 ? 8 : 4;
    return true;
  case 2: {
    if (!readVarint(end, value))
      return fail(start, name + " has a length that is an unterminated varint");
    left = end - position;
    if (value > left)
      return fail(start, name + " has length " + llvm::Twine(value) +
                             ", but only " + llvm::Twine(left) +
                             " bytes are left");
    size_t fieldEnd = position + value;
    if (!walkBytes(start, fieldEnd, field, depth))
      return false;
    position = fieldEnd;
    return true;
  }
  default:
    return fail(start, name + " has wire type " + llvm::Twine(tag & 7) +
                           ", which is invalid");
  }
}

bool WireFormatWalker::walk(size_t end, const Descriptor *message, int depth) {
  if (depth > maxDepth)
    return fail(position, "messages are nested more than " +
                              llvm::Twine(maxDepth) + " levels deep");
  while (position < end)
    if (!walkField(end, message, depth))
      return false;
  return true;
}

std::optional<WireFormatError> checkWireFormat(llvm::StringRef bytes,
                                               const Descriptor &message) {
  WireFormatWalker walker(bytes);
  walker.walk(bytes.size(), &message, 0);
  return walker.error;
}

} // namespace ingot::importer
