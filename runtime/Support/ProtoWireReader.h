//===- ProtoWireReader.h - Reads protobuf messages in place -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the fields of a protobuf message one after the other, without copying
// or allocating. The bytes need not be a valid message (protobuf.dev,
// "Encoding").
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PROTOWIREREADER_H
#define INGOT_RUNTIME_SUPPORT_PROTOWIREREADER_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ingot {

enum WireType : uint32_t {
  Varint = 0,
  Fixed64 = 1,
  Delimited = 2,
  StartGroup = 3,
  EndGroup = 4,
  Fixed32 = 5
};

/// Reads the bytes of a message from front to back. Each read function consumes
/// the bytes that it reads, and returns false if they are not part of a valid
/// message; the reader must not be used after that.
class ProtoWireReader {
public:
  explicit ProtoWireReader(std::string_view bytes)
      : at(bytes.data()), end(bytes.data() + bytes.size()) {}

  bool atEnd() const { return at == end; }
  size_t left() const { return static_cast<size_t>(end - at); }

  bool readVarint(uint64_t &value) {
    if (at != end && static_cast<uint8_t>(*at) < 0x80) {
      value = static_cast<uint8_t>(*at++);
      return true;
    }
    return readLongVarint(value);
  }

  /// Reads a field's number and wire type.
  bool readTag(uint32_t &field, uint32_t &type) {
    uint64_t tag = 0;
    if (!readVarint(tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return false;
    field = static_cast<uint32_t>(tag >> 3);
    type = tag & 7;
    return true;
  }

  bool readDelimited(std::string_view &bytes) {
    uint64_t size = 0;
    if (!readVarint(size) || size > left())
      return false;
    bytes = {at, static_cast<size_t>(size)};
    at += size;
    return true;
  }

  bool readFloat(float &value) {
    if (left() < sizeof(value))
      return false;
    std::memcpy(&value, at, sizeof(value));
    at += sizeof(value);
    return true;
  }

  /// Reads the bytes of a Fixed32 or Fixed64.
  bool readFixed(size_t size, std::string_view &bytes) {
    if (size > left())
      return false;
    bytes = {at, size};
    at += size;
    return true;
  }

  /// Skips the value of a field whose tag has been read.
  bool skip(uint32_t field, uint32_t type) { return skip(field, type, 0); }

private:
  // The nesting limit of protobuf's own parsers.
  static constexpr int maxDepth = 100;

  bool readLongVarint(uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64 && at != end; shift += 7) {
      auto byte = static_cast<uint8_t>(*at++);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return true;
    }
    return false;
  }

  bool advance(uint64_t size) {
    if (size > left())
      return false;
    at += size;
    return true;
  }

  bool skip(uint32_t field, uint32_t type, int depth) {
    uint64_t value = 0;
    std::string_view bytes;
    switch (type) {
    case Varint:
      return readVarint(value);
    case Fixed64:
      return advance(8);
    case Delimited:
      return readDelimited(bytes);
    case Fixed32:
      return advance(4);
    case StartGroup:
      if (depth >= maxDepth)
        return false;
      while (true) {
        uint32_t inner = 0, innerType = 0;
        if (!readTag(inner, innerType))
          return false;
        if (innerType == EndGroup)
          return inner == field;
        if (!skip(inner, innerType, depth + 1))
          return false;
      }
    default:
      return false;
    }
  }

  const char *at;
  const char *end;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_PROTOWIREREADER_H
