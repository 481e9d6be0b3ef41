//===- MetaGraphText.cpp - A graph in protobuf's text form ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The runtime links protobuf-lite, which cannot print text, and no classes of
// graph messages. So MetaGraphFields.inc lists the names of all fields, and
// this file prints the wire format by that table.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/MetaGraph.h"
#include "runtime/Checkpoint/MetaGraphWire.h"
#include "runtime/Support/ProtoWireReader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

using namespace ingot;

namespace {

/// The type of a field's values, which determines how the field is printed.
enum class Kind : uint8_t {
  Message,
  Enum,
  Bool,
  Text,
  Float,
  Double,
  Int,
  UInt,
  SInt,
  Fixed64
};

/// The message types and enum types that MetaGraphFields.inc lists.
enum class Type : uint8_t {
  None,
#define MESSAGE(name) name,
#define ENUM(name) name,
#define FIELD(message, number, name, kind, type)
#define VALUE(enumeration, number, name)
#include "runtime/Checkpoint/MetaGraphFields.inc"
#undef MESSAGE
#undef ENUM
#undef FIELD
#undef VALUE
};

/// A row of the table of fields: number, name and kind of one field of
/// `message`. `type` is the type of a nested message or an enum.
struct FieldDescriptor {
  Type message;
  uint32_t number;
  const char *name;
  Kind kind;
  Type type;
};

constexpr FieldDescriptor fieldRows[] = {
#define MESSAGE(name)
#define ENUM(name)
#define FIELD(message, number, name, kind, type)                               \
  {Type::message, number, #name, Kind::kind, Type::type},
#define VALUE(enumeration, number, name)
#include "runtime/Checkpoint/MetaGraphFields.inc"
#undef FIELD
#undef VALUE
};

/// A row of the table of enum values: the number and name of one value of
/// `enumeration`.
struct EnumValueDescriptor {
  Type enumeration;
  int64_t number;
  const char *name;
};

constexpr EnumValueDescriptor valueRows[] = {
#define FIELD(message, number, name, kind, type)
#define VALUE(enumeration, number, name) {Type::enumeration, number, #name},
#include "runtime/Checkpoint/MetaGraphFields.inc"
#undef MESSAGE
#undef ENUM
#undef FIELD
#undef VALUE
};

const FieldDescriptor *findField(Type message, uint32_t number) {
  auto row =
      std::find_if(std::begin(fieldRows), std::end(fieldRows),
                   [&](const FieldDescriptor &row) {
                     return row.message == message && row.number == number;
                   });
  return row == std::end(fieldRows) ? nullptr : row;
}

/// Returns true for the messages that are entries of maps.
bool isMapEntry(Type type) {
  switch (type) {
#define MESSAGE(name)                                                          \
  case Type::name:                                                             \
    return std::string_view(#name).ends_with("Entry");
#define ENUM(name)
#define FIELD(message, number, name, kind, type)
#define VALUE(enumeration, number, name)
#include "runtime/Checkpoint/MetaGraphFields.inc"
#undef MESSAGE
#undef ENUM
#undef FIELD
#undef VALUE
  default:
    return false;
  }
}

/// Prints a message from its wire format. A constant of a graph may be large,
/// and its text is four times as long, so the text is handed on in pieces.
class MetaGraphPrinter {
public:
  MetaGraphPrinter(bool writesReprs, const TextSink &sink)
      : writesReprs(writesReprs), sink(sink) {}

  /// Prints the whole message.
  Status print(Type type, std::string_view bytes) {
    INGOT_RETURN_IF_ERROR(message(type, bytes, 0));
    drain(/*least=*/1);
    return failure;
  }

private:
  Status message(Type type, std::string_view bytes, unsigned depth);
  Status field(const FieldDescriptor &row, uint32_t type,
               ProtoWireReader &reader, unsigned depth);
  bool scalar(const FieldDescriptor &row, uint32_t type,
              ProtoWireReader &reader, unsigned depth);
  void start(const FieldDescriptor &row, unsigned depth) {
    text.append(2 * static_cast<size_t>(depth), ' ');
    text += row.name;
  }
  void quote(std::string_view bytes);
  void number(double value, int digits);
  /// Hands the text on if it has at least `least` bytes and none of it may have
  /// to be taken back.
  void drain(size_t least);

  std::string text; // what has not been handed on yet

  /// If true, prints as Python's library does for tf.io.write_graph: numbers
  /// as repr() of the double, and no default values in entries of maps. If
  /// false, prints as protobuf's C++ library does.
  bool writesReprs;
  const TextSink &sink;
  Status failure;           // of the sink
  bool mayTakeBack = false; // the field that is being printed
};

void MetaGraphPrinter::drain(size_t least) {
  if (text.size() < least || mayTakeBack)
    return;
  if (failure.isOk())
    failure = sink(text);
  text.clear();
}

/// The size of the pieces of text.
constexpr size_t pieceSize = size_t{64} * 1024;

/// Returns the shortest decimal text of a finite `value`, in the layout of
/// Python's repr(): "0.0", "1e-05", "1e+16".
std::string reprText(double value) {
  char buffer[40];
  int digits = 1;
  do
    std::snprintf(buffer, sizeof(buffer), "%.*e", digits - 1, value);
  while (std::strtod(buffer, nullptr) != value && ++digits <= 17);
  int exponent = std::atoi(std::strchr(buffer, 'e') + 1);
  if (exponent < -4 || exponent >= 16)
    return buffer;
  int decimals = std::max(digits - 1 - exponent, 1);
  std::snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
  return buffer;
}

/// Prints a quoted string with the escapes of protobuf's CEscape.
void MetaGraphPrinter::quote(std::string_view bytes) {
  text += '"';
  for (char c : bytes) {
    if (c == '\n')
      text += "\\n";
    else if (c == '\r')
      text += "\\r";
    else if (c == '\t')
      text += "\\t";
    else if (c == '"' || c == '\'' || c == '\\')
      (text += '\\') += c;
    else if (c >= 0x20 && c < 0x7f)
      text += c;
    else {
      auto code = static_cast<uint8_t>(c);
      const char octal[] = {'\\', static_cast<char>('0' + (code >> 6)),
                            static_cast<char>('0' + (code >> 3 & 7)),
                            static_cast<char>('0' + (code & 7))};
      text.append(octal, sizeof(octal));
    }
    drain(pieceSize);
  }
  text += '"';
}

void MetaGraphPrinter::number(double value, int digits) {
  char buffer[40];
  if (std::isnan(value))
    text += "nan";
  else if (std::isinf(value))
    text += value > 0 ? "inf" : "-inf";
  else if (writesReprs)
    text += reprText(value);
  else {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    text += buffer;
  }
}

/// Prints a field whose value is not a message. Returns false if the bytes are
/// invalid.
bool MetaGraphPrinter::scalar(const FieldDescriptor &row, uint32_t type,
                              ProtoWireReader &reader, unsigned depth) {
  uint64_t value = 0;
  std::string_view bytes;
  bool read = type == Varint    ? reader.readVarint(value)
              : type == Fixed64 ? reader.readFixed(8, bytes)
              : type == Fixed32 ? reader.readFixed(4, bytes)
                                : reader.readDelimited(bytes);
  uint32_t expected = row.kind == Kind::Text      ? Delimited
                      : row.kind == Kind::Float   ? Fixed32
                      : row.kind == Kind::Double  ? Fixed64
                      : row.kind == Kind::Fixed64 ? Fixed64
                                                  : Varint;
  if (!read || type != expected)
    return false;
  if (type == Fixed64 || type == Fixed32)
    std::memcpy(&value, bytes.data(), bytes.size());
  start(row, depth);
  text += ": ";
  switch (row.kind) {
  case Kind::Text:
    quote(bytes);
    break;
  case Kind::Bool:
    text += value ? "true" : "false";
    break;
  case Kind::Float:
    number(std::bit_cast<float>(static_cast<uint32_t>(value)), 9);
    break;
  case Kind::Double:
    number(std::bit_cast<double>(value), 17);
    break;
  case Kind::UInt:
  case Kind::Fixed64:
    text += std::to_string(value);
    break;
  case Kind::SInt:
    text += std::to_string(static_cast<int64_t>(value >> 1) ^
                           -static_cast<int64_t>(value & 1));
    break;
  case Kind::Enum: {
    auto number = static_cast<int64_t>(value);
    auto name = std::find_if(std::begin(valueRows), std::end(valueRows),
                             [&](const EnumValueDescriptor &known) {
                               return known.enumeration == row.type &&
                                      known.number == number;
                             });
    text += name == std::end(valueRows) ? std::to_string(number) : name->name;
    break;
  }
  case Kind::Int:
  case Kind::Message:
    text += std::to_string(static_cast<int64_t>(value));
    break;
  }
  text += '\n';
  return true;
}

/// Prints all values of one occurrence of a field: a nested message, a scalar,
/// or a packed list of scalars.
Status MetaGraphPrinter::field(const FieldDescriptor &row, uint32_t type,
                               ProtoWireReader &reader, unsigned depth) {
  auto broken = [&] {
    return Status(StatusCode::DataLoss,
                  std::string("cannot print the program's graph as text, as "
                              "the program is damaged and must be compiled "
                              "again: the graph has an invalid field '") +
                      row.name + "'");
  };
  std::string_view bytes;
  bool isMessage = row.kind == Kind::Message;
  if (isMessage) {
    if (type != Delimited || !reader.readDelimited(bytes))
      return broken();
    start(row, depth);
    text += " {\n";
    INGOT_RETURN_IF_ERROR(message(row.type, bytes, depth + 1));
    text.append(2 * static_cast<size_t>(depth), ' ');
    text += "}\n";
    return Status::ok();
  }
  if (type != Delimited || row.kind == Kind::Text)
    return scalar(row, type, reader, depth) ? Status::ok() : broken();
  // Reads a packed field, a list in which the values follow each other without
  // tags.
  if (!reader.readDelimited(bytes))
    return broken();
  uint32_t each = row.kind == Kind::Float ? Fixed32
                  : row.kind == Kind::Double || row.kind == Kind::Fixed64
                      ? Fixed64
                      : Varint;
  for (ProtoWireReader packed(bytes); !packed.atEnd();)
    if (!scalar(row, each, packed, depth))
      return broken();
  return Status::ok();
}

Status MetaGraphPrinter::message(Type type, std::string_view bytes,
                                 unsigned depth) {
  // Limits the recursion to the depth that protobuf's parser allows by default.
  if (depth > 100)
    return Status(StatusCode::DataLoss,
                  "cannot print the program's graph as text: its messages are "
                  "nested more than 100 deep");
  ProtoWireReader reader(bytes);
  while (!reader.atEnd()) {
    uint32_t number = 0, wireType = 0;
    if (!reader.readTag(number, wireType))
      return Status(
          StatusCode::DataLoss,
          "cannot print the program's graph as text, as the program is damaged "
          "and must be compiled again: the graph is not a valid MetaGraphDef");
    const FieldDescriptor *row = findField(type, number);
    if (!row)
      return Status(StatusCode::Unimplemented,
                    "cannot print the program's graph as text: field " +
                        std::to_string(number) +
                        " of one of its messages is unknown to this version" +
                        (writesReprs ? "" : " (omit --as-text)"));
    mayTakeBack = writesReprs && isMapEntry(type) && row->kind != Kind::Message;
    size_t before = text.size();
    INGOT_RETURN_IF_ERROR(field(*row, wireType, reader, depth));
    if (mayTakeBack) {
      auto line = std::string_view(text).substr(before);
      if (line.ends_with(": 0\n") || line.ends_with(": \"\"\n"))
        text.resize(before);
    }
    mayTakeBack = false;
    drain(pieceSize);
  }
  return Status::ok();
}

Expected<std::string> print(Type type, std::string_view bytes) {
  std::string text;
  TextSink keep = [&](std::string_view piece) {
    text += piece;
    return Status::ok();
  };
  INGOT_RETURN_IF_ERROR(
      MetaGraphPrinter(/*writesReprs=*/false, keep).print(type, bytes));
  return text;
}

} // namespace

Expected<std::string> ingot::metaGraphText(std::string_view metaGraph) {
  return print(Type::MetaGraphDef, metaGraph);
}

Status ingot::printGraphDef(std::string_view metaGraph, const TextSink &sink) {
  return MetaGraphPrinter(/*writesReprs=*/true, sink)
      .print(Type::GraphDef,
             wire::fieldOf(metaGraph, wire::metaGraphDef::graph));
}

Expected<std::string> ingot::debugInfoText(std::string_view debugInfo) {
  return print(Type::GraphDebugInfo, debugInfo);
}
