//===- TensorValues.cpp - Elements in a TensorProto's fields --------------===//

#include "runtime/Checkpoint/TensorValues.h"
#include "runtime/ABI/Program.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/WireReader.h"

#include <cstring>

using namespace ingot;

namespace {

// TensorFlow's numbers of types that compiled programs don't have.
enum { Complex64 = 8, Complex128 = 18 };

// Fields of a TensorProto that say nothing about elements: dtype,
// tensor_shape, version_number.
constexpr uint32_t lastDescribingField = 3;

/// Where a TensorProto keeps the elements of a type.
struct ValueField {
  uint32_t number = 0; // 0: nowhere
  WireType type = Varint;
  bool isSigned = false;
};

ValueField fieldOf(int32_t dtype) {
  switch (dtype) {
  case INGOT_FLOAT:
    return {5, Fixed32};
  case INGOT_DOUBLE:
    return {6, Fixed64};
  case INGOT_STRING:
    return {8, Delimited};
  case Complex64: // pairs
    return {9, Fixed32};
  case Complex128:
    return {12, Fixed64};
  case INGOT_INT64:
    return {10, Varint, true};
  case INGOT_BOOL:
    return {11, Varint};
  case INGOT_HALF:
  case INGOT_BFLOAT16:
    return {13, Varint};
  case INGOT_UINT32:
    return {16, Varint};
  case INGOT_UINT64:
    return {17, Varint};
  case INGOT_UINT8:
  case INGOT_UINT16:
  case 12: // quint8
  case 16: // quint16
    return {7, Varint};
  case INGOT_INT8:
  case INGOT_INT16:
  case INGOT_INT32:
  case 11: // qint8
  case 13: // qint32
  case 15: // qint16
    return {7, Varint, true};
  default:
    return {};
  }
}

/// True if a varint, which for signed types is that of 64 bits, is the code of
/// a number of `size` bytes.
bool fits(uint64_t value, size_t size, bool isSigned) {
  if (size == 8)
    return true;
  if (!isSigned)
    return value >> (8 * size) == 0;
  auto number = static_cast<int64_t>(value);
  int64_t limit = int64_t(1) << (8 * size - 1);
  return -limit <= number && number < limit;
}

class Decoder {
public:
  Decoder(int32_t dtype, int64_t count, void *destination)
      : field(fieldOf(dtype)), elementSize(dtypeSize(dtype)),
        bytesLeft(static_cast<uint64_t>(count) * elementSize),
        stringsLeft(count), out(static_cast<char *>(destination)),
        strings(static_cast<std::string *>(destination)) {}

  std::string decode(std::string_view message);

private:
  bool takeValues(WireReader &reader, uint32_t type);
  bool takePacked(std::string_view values);
  bool takeVarint(uint64_t value);
  bool takeBytes(std::string_view bytes);

  ValueField field;
  size_t elementSize;
  uint64_t bytesLeft;
  int64_t stringsLeft;
  char *out;
  std::string *strings;
};

bool Decoder::takeBytes(std::string_view bytes) {
  if (bytes.size() > bytesLeft)
    return false;
  bytesLeft -= bytes.size();
  if (out) {
    std::memcpy(out, bytes.data(), bytes.size());
    out += bytes.size();
  }
  return true;
}

bool Decoder::takeVarint(uint64_t value) {
  // Little-endian: a small number is the first bytes of a large one.
  char bytes[8];
  std::memcpy(bytes, &value, sizeof(bytes));
  return fits(value, elementSize, field.isSigned) &&
         takeBytes({bytes, elementSize});
}

bool Decoder::takePacked(std::string_view values) {
  if (field.type != Varint)
    return values.size() % (field.type == Fixed32 ? 4 : 8) == 0 &&
           takeBytes(values);
  WireReader reader(values);
  uint64_t value;
  while (!reader.atEnd())
    if (!reader.readVarint(value) || !takeVarint(value))
      return false;
  return true;
}

/// The value of the field with elements: one of them, or a packed list.
bool Decoder::takeValues(WireReader &reader, uint32_t type) {
  std::string_view bytes;
  if (type == Delimited) {
    if (!reader.readDelimited(bytes))
      return false;
    if (field.type != Delimited)
      return takePacked(bytes);
    if (stringsLeft-- == 0)
      return false;
    if (strings)
      strings++->assign(bytes);
    return true;
  }
  if (type != field.type)
    return false;
  uint64_t value;
  if (type == Varint)
    return reader.readVarint(value) && takeVarint(value);
  return reader.readFixed(type == Fixed32 ? 4 : 8, bytes) && takeBytes(bytes);
}

std::string Decoder::decode(std::string_view message) {
  if (field.number == 0)
    return "elements of its type have no place in a V1 checkpoint";
  WireReader reader(message);
  while (!reader.atEnd()) {
    uint32_t number, type;
    if (!reader.readTag(number, type))
      return "its elements can't be parsed";
    if (number == field.number) {
      if (!takeValues(reader, type))
        return "it has more elements than its shape, or other ones than its "
               "type";
    } else if (number > lastDescribingField || !reader.skip(number, type)) {
      return "its elements can't be parsed, or are of another type";
    }
  }
  if (field.type == Delimited ? stringsLeft != 0 : bytesLeft != 0)
    return "it has fewer elements than its shape";
  return "";
}

} // namespace

std::string ingot::decodeTensorValues(std::string_view message, int32_t dtype,
                                      int64_t count, void *destination) {
  return Decoder(dtype, count, destination).decode(message);
}
