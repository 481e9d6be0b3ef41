//===- TensorValues.cpp - Elements in a TensorProto's fields --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TensorValues.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ProtoWireReader.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

namespace {

// DataTypes of TensorFlow that checkpoints may contain but compiled programs do
// not.
enum { Complex64 = 8, Complex128 = 18 };

// The highest number of the TensorProto fields that describe the tensor: dtype,
// tensor_shape, version_number. Fields with higher numbers hold elements.
constexpr uint32_t lastDescribingField = 3;

/// The field of a TensorProto that holds elements of some type.
struct TensorProtoValueField {
  uint32_t number = 0; // field number; 0: no such field
  WireType type = Varint;
  bool isSigned = false;
};

/// Returns the field of TensorProto in which TensorFlow stores elements of a
/// type.
TensorProtoValueField fieldOf(int32_t dtype) {
  switch (dtype) {
  case INGOT_FLOAT:
    return {5, Fixed32};
  case INGOT_DOUBLE:
    return {6, Fixed64};
  case INGOT_STRING:
    return {8, Delimited};
  case Complex64: // pairs of floats
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

/// Returns true if the value of a varint fits into an integer of `size` bytes.
/// Protobuf sign-extends varints of signed types to 64 bits.
bool fits(uint64_t value, size_t size, bool isSigned) {
  if (size == 8)
    return true;
  if (!isSigned)
    return value >> (8 * size) == 0;
  auto number = static_cast<int64_t>(value);
  int64_t limit = int64_t(1) << (8 * size - 1);
  return -limit <= number && number < limit;
}

// Decoded elements are passed to `destination.run` in batches of about this
// number of bytes.
constexpr size_t runSize = 64 * 1024;

/// Decodes the elements of one TensorProto from a stream.
class TensorProtoDecoder {
public:
  TensorProtoDecoder(TableRecordByteStream &stream, int32_t dtype,
                     int64_t count, const TensorValueSink &destination)
      : stream(stream), field(fieldOf(dtype)), elementSize(dtypeSize(dtype)),
        bytesLeft(static_cast<uint64_t>(count) * elementSize),
        numStrings(count), destination(destination),
        out(static_cast<char *>(destination.whole)) {}

  std::string decode(uint64_t size);

private:
  bool takeValues(uint32_t type, uint64_t end);
  bool takePacked(uint64_t end);
  bool takeVarints(uint64_t end);
  bool takeVarint(uint64_t value);
  bool takeBytes(uint64_t size);
  bool takeString(uint64_t size);
  bool takeSize(uint64_t &size, uint64_t end);
  bool skipField(uint32_t type, uint64_t end);
  void addBytes(const char *bytes, size_t size);
  void handOn();

  TableRecordByteStream &stream;
  TensorProtoValueField field;
  size_t elementSize;
  uint64_t bytesLeft;
  int64_t nextString = 0, numStrings;
  const TensorValueSink &destination;
  char *out;
  // `pending` has the decoded elements that handOn() has not yet passed to
  // `destination.run`; `numHandedOn` counts those that it has passed.
  std::string pending;
  int64_t numHandedOn = 0;
};

void TensorProtoDecoder::handOn() {
  auto count = static_cast<int64_t>(pending.size() / elementSize);
  destination.run(numHandedOn, count, pending.data());
  numHandedOn += count;
  pending.erase(0, static_cast<size_t>(count) * elementSize);
}

/// Appends `size` bytes of decoded elements to the destination. The caller has
/// checked that they do not exceed `bytesLeft`.
void TensorProtoDecoder::addBytes(const char *bytes, size_t size) {
  bytesLeft -= size;
  if (out) {
    std::memcpy(out, bytes, size);
    out += size;
  } else if (destination.run) {
    pending.append(bytes, size);
    if (pending.size() >= runSize || bytesLeft == 0)
      handOn();
  }
}

/// Copies the next `size` bytes of the stream as elements, for types whose
/// bytes in the stream are the same as in memory. Returns false if these are
/// more elements than expected or the stream ends.
bool TensorProtoDecoder::takeBytes(uint64_t size) {
  if (size > bytesLeft)
    return false;
  while (size > 0) {
    std::string_view piece = stream.peek();
    if (piece.empty())
      return false;
    size_t run = std::min<uint64_t>(piece.size(), size);
    addBytes(piece.data(), run);
    stream.advance(run);
    size -= run;
  }
  return true;
}

bool TensorProtoDecoder::takeVarint(uint64_t value) {
  // Takes the first `elementSize` bytes of the number, which are its low bytes
  // on a little-endian machine.
  char bytes[8];
  std::memcpy(bytes, &value, sizeof(bytes));
  if (!fits(value, elementSize, field.isSigned) || elementSize > bytesLeft)
    return false;
  addBytes(bytes, elementSize);
  return true;
}

bool TensorProtoDecoder::takeVarints(uint64_t end) {
  while (stream.position() < end) {
    uint64_t value;
    // Decodes varints of a single byte directly from the buffer, because most
    // values are that short.
    std::string_view piece = stream.peek();
    piece = piece.substr(0, end - stream.position());
    size_t taken = 0;
    while (taken < piece.size() &&
           static_cast<unsigned char>(piece[taken]) < 0x80)
      if (!takeVarint(static_cast<unsigned char>(piece[taken++])))
        return false;
    stream.advance(taken);
    if (taken == piece.size() && !piece.empty())
      continue;
    if (!stream.readVarint(value) || stream.position() > end ||
        !takeVarint(value))
      return false;
  }
  return true;
}

bool TensorProtoDecoder::takePacked(uint64_t end) {
  if (field.type == Varint)
    return takeVarints(end);
  uint64_t size = end - stream.position();
  return size % (field.type == Fixed32 ? 4 : 8) == 0 && takeBytes(size);
}

bool TensorProtoDecoder::takeString(uint64_t size) {
  if (nextString == numStrings)
    return false;
  int64_t index = nextString++;
  if (!destination.whole && !destination.text)
    return stream.skip(size);
  std::string text;
  while (size > 0) {
    std::string_view piece = stream.peek().substr(0, size);
    if (piece.empty())
      return false;
    text.append(piece);
    stream.advance(piece.size());
    size -= piece.size();
  }
  if (destination.whole)
    static_cast<std::string *>(destination.whole)[index] = std::move(text);
  else
    destination.text(index, std::move(text));
  return true;
}

/// Reads the size of a length-delimited field. Returns false if the field would
/// extend beyond `end`.
bool TensorProtoDecoder::takeSize(uint64_t &size, uint64_t end) {
  return stream.readVarint(size) && stream.position() <= end &&
         size <= end - stream.position();
}

/// Decodes one occurrence of the field that contains elements: a single element
/// or a packed list. Returns false if it is malformed or there are more
/// elements than expected.
bool TensorProtoDecoder::takeValues(uint32_t type, uint64_t end) {
  uint64_t value;
  if (type == Delimited) {
    if (!takeSize(value, end))
      return false;
    return field.type == Delimited ? takeString(value)
                                   : takePacked(stream.position() + value);
  }
  if (type != field.type)
    return false;
  if (type == Varint)
    return stream.readVarint(value) && takeVarint(value);
  return takeBytes(type == Fixed32 ? 4 : 8);
}

/// Skips a field. Returns false for groups, which a TensorProto does not have.
bool TensorProtoDecoder::skipField(uint32_t type, uint64_t end) {
  uint64_t value;
  switch (type) {
  case Varint:
    return stream.readVarint(value);
  case Fixed64:
    return stream.skip(8);
  case Fixed32:
    return stream.skip(4);
  case Delimited:
    return takeSize(value, end) && stream.skip(value);
  default:
    return false;
  }
}

std::string TensorProtoDecoder::decode(uint64_t size) {
  if (field.number == 0)
    return "V1 checkpoints have no field for its type";
  uint64_t end = stream.position() + size;
  while (stream.position() < end) {
    uint64_t tag;
    if (!stream.readVarint(tag) || tag > UINT32_MAX || tag >> 3 == 0)
      return "its elements can't be parsed";
    uint64_t number = tag >> 3;
    uint32_t type = tag & 7;
    if (number == field.number) {
      if (!takeValues(type, end))
        return "it has more elements than its shape, or elements of another "
               "type";
    } else if (number > lastDescribingField || !skipField(type, end)) {
      return "its elements can't be parsed, or are of another type";
    }
    if (stream.position() > end)
      return "its elements run past the end of its record";
  }
  if (field.type == Delimited ? nextString != numStrings : bytesLeft != 0)
    return "it has fewer elements than its shape";
  return "";
}

} // namespace

std::string ingot::decodeTensorValues(TableRecordByteStream &message,
                                      uint64_t size, int32_t dtype,
                                      int64_t count,
                                      const TensorValueSink &destination) {
  return TensorProtoDecoder(message, dtype, count, destination).decode(size);
}

/// Appends elements of type `Integer` as varints. Negative ones are
/// sign-extended to 64 bits, as protobuf does.
template <typename Integer>
static void appendVarints(std::string &out, const void *data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Integer element;
    std::memcpy(&element, static_cast<const char *>(data) + i * sizeof(Integer),
                sizeof(Integer));
    auto value = static_cast<uint64_t>(static_cast<int64_t>(element));
    for (; value >= 0x80; value >>= 7)
      out.push_back(static_cast<char>(value | 0x80));
    out.push_back(static_cast<char>(value));
  }
}

static void appendVarints(std::string &out, const TensorProtoValueField &field,
                          size_t elementSize, const void *data, int64_t count) {
  switch (elementSize) {
  case 1:
    return field.isSigned ? appendVarints<int8_t>(out, data, count)
                          : appendVarints<uint8_t>(out, data, count);
  case 2:
    return field.isSigned ? appendVarints<int16_t>(out, data, count)
                          : appendVarints<uint16_t>(out, data, count);
  case 4:
    return field.isSigned ? appendVarints<int32_t>(out, data, count)
                          : appendVarints<uint32_t>(out, data, count);
  default:
    return appendVarints<int64_t>(out, data, count);
  }
}

bool ingot::appendTensorValues(std::string &out, int32_t dtype, int64_t count,
                               const void *data) {
  TensorProtoValueField field = fieldOf(dtype);
  size_t elementSize = dtypeSize(dtype);
  if (field.number == 0 || (elementSize == 0 && dtype != INGOT_STRING))
    return false;
  auto appendField = [&](std::string_view bytes) {
    for (uint64_t left : {uint64_t(field.number) << 3 | Delimited,
                          static_cast<uint64_t>(bytes.size())}) {
      for (; left >= 0x80; left >>= 7)
        out.push_back(static_cast<char>(left | 0x80));
      out.push_back(static_cast<char>(left));
    }
    out += bytes;
  };
  if (dtype == INGOT_STRING) {
    auto *texts = static_cast<const std::string *>(data);
    for (int64_t i = 0; i < count; ++i)
      appendField(texts[i]);
    return true;
  }
  if (count == 0)
    return true;
  if (field.type != Varint) {
    appendField({static_cast<const char *>(data),
                 static_cast<size_t>(count) * elementSize});
    return true;
  }
  std::string packed;
  appendVarints(packed, field, elementSize, data, count);
  appendField(packed);
  return true;
}
