//===- MetaGraphWire.h - A graph's bytes, field by field --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and edits serialized MetaGraphDefs in protobuf's wire format. Fields
// are identified by their numbers only.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_METAGRAPHWIRE_H
#define INGOT_RUNTIME_CHECKPOINT_METAGRAPHWIRE_H

#include "runtime/Support/ProtoWireReader.h"

#include <functional>
#include <string>
#include <string_view>

namespace ingot::wire {

/// One field of a message in protobuf's wire format.
struct WireField {
  uint32_t number;
  std::string_view whole;   // all bytes, tag included
  std::string_view payload; // contents of a string or message; else ""
};

/// Iterates over the fields of a serialized message.
class WireFieldIterator {
public:
  explicit WireFieldIterator(std::string_view bytes)
      : bytes(bytes), reader(bytes) {}

  /// Reads the next field. Returns false at the end, or if the bytes are not a
  /// valid message; isBroken() tells the two apart.
  bool next(WireField &field) {
    if (broken || reader.atEnd())
      return false;
    size_t start = bytes.size() - reader.left();
    uint32_t type = 0;
    field.payload = {};
    broken = !reader.readTag(field.number, type) ||
             !(type == Delimited ? reader.readDelimited(field.payload)
                                 : reader.skip(field.number, type));
    field.whole = bytes.substr(start, bytes.size() - reader.left() - start);
    return !broken;
  }
  bool isBroken() const { return broken; }

private:
  std::string_view bytes;
  ProtoWireReader reader;
  bool broken = false;
};

inline void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void appendMessage(std::string &out, uint32_t number,
                          std::string_view payload) {
  appendVarint(out, number << 3 | 2);
  appendVarint(out, payload.size());
  out += payload;
}

/// Returns the last value of string or message field `number`; "" if the field
/// is missing.
inline std::string_view fieldOf(std::string_view message, uint32_t number) {
  std::string_view value;
  WireFieldIterator fields(message);
  for (WireField field; fields.next(field);)
    if (field.number == number)
      value = field.payload;
  return value;
}

/// Calls `visit` with each occurrence of string or message field `number` in
/// `message`.
inline void forEach(std::string_view message, uint32_t number,
                    const std::function<void(std::string_view)> &visit) {
  WireFieldIterator fields(message);
  for (WireField field; fields.next(field);)
    if (field.number == number)
      visit(field.payload);
}

/// Copies a message field by field and returns the copy. Calls `edit` with each
/// field and the output. If `edit` returns true, the field is not copied: bytes
/// that `edit` has appended to the output replace it. If `edit` returns false,
/// the field is copied unchanged. Sets `broken` if the bytes are not a valid
/// message.
inline std::string
rewrite(std::string_view message,
        const std::function<bool(const WireField &, std::string &)> &edit,
        bool &broken) {
  std::string out;
  WireFieldIterator fields(message);
  for (WireField field; fields.next(field);)
    if (!edit(field, out))
      out += field.whole;
  broken |= fields.isBroken();
  return out;
}

// The field numbers of TensorFlow's graph messages. Each message has a
// namespace.
namespace metaGraphDef {
constexpr uint32_t info = 1, graph = 2, saver = 3, collection = 4;
} // namespace metaGraphDef
namespace infoDef {
constexpr uint32_t opList = 2, strippedDefaultAttrs = 7;
} // namespace infoDef
namespace graphDef {
constexpr uint32_t node = 1, library = 2, debugInfo = 5;
} // namespace graphDef
namespace nodeDef {
constexpr uint32_t name = 1, op = 2, input = 3, device = 4, attr = 5;
} // namespace nodeDef
namespace attrValue {
constexpr uint32_t list = 1, s = 2, listS = 2;
} // namespace attrValue
namespace functionDef {
constexpr uint32_t signature = 1, node = 3;
} // namespace functionDef
namespace opDef {
constexpr uint32_t name = 1, attr = 4, attrName = 1, attrDefault = 3;
} // namespace opDef
namespace saverDef {
constexpr uint32_t filenameTensor = 1, saveTensor = 2, restoreOp = 3;
} // namespace saverDef
namespace variableDef {
constexpr uint32_t variable = 1, initializer = 2, snapshot = 3, slice = 4,
                   initialValue = 6, sliceFullName = 1;
} // namespace variableDef
namespace collectionDef {
constexpr uint32_t nodeList = 1, bytesList = 2, value = 1;
} // namespace collectionDef
// Field numbers of map entries, of OpList, and of FunctionDefLibrary.
constexpr uint32_t mapKey = 1, mapValue = 2, listOp = 1, libraryFunction = 1;

} // namespace ingot::wire

#endif // INGOT_RUNTIME_CHECKPOINT_METAGRAPHWIRE_H
