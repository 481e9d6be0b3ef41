//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/Npy.h"

#include "runtime/Formats/NpyFormat.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"
#include "runtime/Support/TensorSpec.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

using namespace ingot;
using namespace ingot::npy;

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Parses the header of a .npy file, the text of a Python dictionary.
class NpyHeaderParser {
public:
  explicit NpyHeaderParser(std::string_view text) : text(text) {}

  bool parse(NpyHeader &header) {
    bool descr = false, order = false, shape = false;
    if (!take('{'))
      return false;
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':'))
        return false;
      if (key == "descr")
        descr = parseString(header.descr);
      else if (key == "fortran_order")
        order = parseBool(header.fortranOrder);
      else if (key == "shape")
        shape = parseTuple(header.shape);
      else
        return false;
      if (!take(',') && !peek('}'))
        return false;
    }
    return descr && order && shape;
  }

private:
  void skipSpace() {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n'))
      text.remove_prefix(1);
  }
  bool peek(char c) {
    skipSpace();
    return text.starts_with(c);
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool parseString(std::string &value) {
    skipSpace();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return false;
    size_t end = text.find(text.front(), 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseBool(bool &value) {
    skipSpace();
    for (bool candidate : {false, true}) {
      std::string_view word = candidate ? "True" : "False";
      if (!text.starts_with(word))
        continue;
      text.remove_prefix(word.size());
      value = candidate;
      return true;
    }
    return false;
  }
  bool parseTuple(std::vector<int64_t> &values) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t value;
      auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || value < 0)
        return false;
      text.remove_prefix(static_cast<size_t>(end - text.data()));
      values.push_back(value);
      if (!take(',') && !peek(')'))
        return false;
    }
    return true;
  }

  std::string_view text;
};

} // namespace

Status npy::badFile(const std::string &path, const std::string &what) {
  return Status(StatusCode::InvalidArgument, "'" + path + "': " + what);
}

/// Returns the name that NumPy gives element type `dtype` with little-endian
/// bytes, such as "<f4", or null if NumPy has no such type.
static const char *descrOf(int32_t dtype) {
  switch (dtype) {
  case INGOT_FLOAT:
  case INGOT_BFLOAT16:
    return "<f4";
  case INGOT_DOUBLE:
    return "<f8";
  case INGOT_HALF:
    return "<f2";
  case INGOT_INT8:
    return "|i1";
  case INGOT_INT16:
    return "<i2";
  case INGOT_INT32:
    return "<i4";
  case INGOT_INT64:
    return "<i8";
  case INGOT_UINT8:
    return "|u1";
  case INGOT_UINT16:
    return "<u2";
  case INGOT_UINT32:
    return "<u4";
  case INGOT_UINT64:
    return "<u8";
  case INGOT_BOOL:
    return "|b1";
  case INGOT_COMPLEX64:
    return "<c8";
  case INGOT_COMPLEX128:
    return "<c16";
  default:
    return nullptr;
  }
}

static std::string tupleText(const std::vector<int64_t> &shape) {
  std::string text = "(";
  for (int64_t dim : shape)
    text += (dim < 0 ? "?" : std::to_string(dim)) + ",";
  if (shape.size() > 1)
    text.pop_back();
  return text + ")";
}

Expected<std::pair<uint64_t, uint64_t>>
npy::headerExtent(std::string_view fixed, const std::string &path) {
  if (fixed.size() < 12 || !fixed.starts_with(magic))
    return badFile(path, "not a .npy file: it does not begin with \\x93NUMPY");
  auto byte = [&](size_t i) {
    return static_cast<uint64_t>(static_cast<unsigned char>(fixed[i]));
  };
  uint64_t version = byte(6);
  if (version < 1 || version > 3)
    return badFile(path, "version " + std::to_string(version) +
                             " of the .npy format; expected 1 to 3");
  // The header's length has two bytes in version 1 and four in later versions.
  uint64_t start = version == 1 ? 10 : 12;
  uint64_t length = byte(8) | byte(9) << 8;
  if (version > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  return std::make_pair(start, length);
}

Expected<NpyHeader> npy::parseHeader(std::string_view text,
                                     const std::string &path) {
  NpyHeader header;
  if (!NpyHeaderParser(text).parse(header))
    return badFile(path, "the header must be a dictionary of descr, "
                         "fortran_order and shape, but is '" +
                             std::string(text) + "'");
  return header;
}

Expected<NpyHeader> npy::readHeader(const RandomAccessFile &file,
                                    const std::string &path) {
  char fixed[12];
  INGOT_ASSIGN_OR_RETURN(size_t size, file.read(0, sizeof(fixed), fixed));
  INGOT_ASSIGN_OR_RETURN(auto extent,
                         headerExtent(std::string_view(fixed, size), path));
  auto [start, length] = extent;
  if (file.size() < start || length > file.size() - start)
    return badFile(path, "the header of " + std::to_string(length) +
                             " bytes does not fit a file of " +
                             std::to_string(file.size()));
  std::string text(length, '\0');
  INGOT_ASSIGN_OR_RETURN(size, file.read(start, length, text.data()));
  INGOT_ASSIGN_OR_RETURN(
      NpyHeader header,
      parseHeader(std::string_view(text).substr(0, size), path));
  header.dataOffset = start + length;
  return header;
}

/// Copies the `count` elements of column-major array `from` to `to`, in
/// row-major order.
static void transpose(const std::vector<int64_t> &shape, size_t elementSize,
                      int64_t count, const char *from, char *to) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t source = 0;
    for (size_t d = shape.size(); d-- > 0;)
      source = source * shape[d] + index[d];
    std::memcpy(to + i * static_cast<int64_t>(elementSize),
                from + source * static_cast<int64_t>(elementSize), elementSize);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

void npy::makeRowMajor(const NpyHeader &header, size_t elementSize,
                       std::vector<char> &elements) {
  if (!header.fortranOrder || elementSize == 0)
    return;
  std::vector<char> ordered(elements.size());
  transpose(header.shape, elementSize,
            static_cast<int64_t>(elements.size() / elementSize),
            elements.data(), ordered.data());
  elements = std::move(ordered);
}

/// Returns true if type `found` in a file equals NumPy's type `descr`. Types of
/// one byte have no byte order; NumPy writes '|' for them, other programs '<'
/// or '='.
static bool isType(std::string_view found, std::string_view descr) {
  return !descr.empty() && found.size() > 2 &&
         found.substr(1) == descr.substr(1) &&
         (found.front() == '<' || found.substr(2) == "1");
}

Expected<NpyTypeAndShape> ingot::readNpyInfo(FileSystem &fileSystem,
                                             const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  INGOT_ASSIGN_OR_RETURN(NpyHeader header, readHeader(*file, path));
  NpyTypeAndShape info = {-1, std::move(header.descr), std::move(header.shape)};
  for (int32_t dtype : {INGOT_FLOAT, INGOT_DOUBLE, INGOT_HALF, INGOT_INT8,
                        INGOT_INT16, INGOT_INT32, INGOT_INT64, INGOT_UINT8,
                        INGOT_UINT16, INGOT_UINT32, INGOT_UINT64, INGOT_BOOL})
    if (isType(info.descr, descrOf(dtype)))
      info.dtype = dtype;
  return info;
}

Expected<std::vector<int64_t>> ingot::readNpyShape(const RandomAccessFile &file,
                                                   const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(NpyHeader header, readHeader(file, path));
  return std::move(header.shape);
}

Status npy::otherArray(const NpyHeader &header, const std::string &path,
                       const ingot_tensor_spec &spec,
                       const std::string &descr) {
  return badFile(path, "found '" + header.descr + "' of shape " +
                           tupleText(header.shape) + ", expected " + descr +
                           " of shape " + tupleText(shapeOf(spec)) + " for '" +
                           spec.name + "'");
}

Status npy::checkArray(const NpyHeader &header, const std::string &path,
                       const ingot_tensor_spec &spec) {
  const char *descr = descrOf(spec.dtype);
  bool sameType = isType(header.descr, descr ? descr : "");
  if (sameType && header.shape == shapeOf(spec))
    return Status::ok();
  return otherArray(header, path, spec,
                    descr ? "'" + std::string(descr) + "'"
                          : dtypeName(spec.dtype) + ", which NumPy lacks,");
}

void npy::decode(const NpyHeader &header, const ingot_tensor_spec &spec,
                 std::span<const char> contents, void *data) {
  bool widened = spec.dtype == INGOT_BFLOAT16;
  size_t elementSize = widened ? sizeof(float) : dtypeSize(spec.dtype);
  int64_t count = elementCountOf(spec);
  std::vector<char> ordered;
  if (header.fortranOrder) {
    ordered.assign(contents.begin(), contents.end());
    makeRowMajor(header, elementSize, ordered);
    contents = ordered;
  }
  if (!widened) {
    std::copy(contents.begin(), contents.end(), static_cast<char *>(data));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, contents.data() + i * sizeof(value), sizeof(value));
    static_cast<uint16_t *>(data)[i] = floatToBfloat16(value);
  }
}

Expected<std::vector<char>> npy::readElements(const RandomAccessFile &file,
                                              const std::string &path,
                                              const NpyHeader &header,
                                              uint64_t size) {
  if (file.size() - header.dataOffset != size)
    return badFile(path, "found " +
                             std::to_string(file.size() - header.dataOffset) +
                             " bytes of data from offset " +
                             std::to_string(header.dataOffset) + ", expected " +
                             std::to_string(size));
  std::vector<char> contents(size);
  INGOT_ASSIGN_OR_RETURN(size_t found,
                         file.read(header.dataOffset, size, contents.data()));
  if (found != size)
    return badFile(path, "the file ends early");
  return contents;
}

Status ingot::readNpy(FileSystem &fileSystem, const std::string &path,
                      const ingot_tensor_spec &spec, void *data) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  return readNpy(*file, path, spec, data);
}

Status ingot::readNpy(const RandomAccessFile &file, const std::string &path,
                      const ingot_tensor_spec &spec, void *data) {
  INGOT_ASSIGN_OR_RETURN(NpyHeader header, readHeader(file, path));
  INGOT_RETURN_IF_ERROR(checkArray(header, path, spec));
  bool widened = spec.dtype == INGOT_BFLOAT16;
  size_t elementSize = widened ? sizeof(float) : dtypeSize(spec.dtype);
  int64_t count = elementCountOf(spec);
  INGOT_ASSIGN_OR_RETURN(
      std::vector<char> contents,
      readElements(file, path, header,
                   static_cast<uint64_t>(count) * elementSize));
  decode(header, spec, contents, data);
  return Status::ok();
}

std::string ingot::npyHeader(int32_t dtype, const std::vector<int64_t> &shape) {
  const char *descr = descrOf(dtype);
  return descr ? npyHeader(std::string(descr), shape) : "";
}

std::string ingot::npyHeader(const std::string &descr,
                             const std::vector<int64_t> &shape) {
  std::string header =
      "{'descr': '" + descr +
      "', 'fortran_order': False, 'shape': " + tupleText(shape) + ", }";
  // The format requires that the elements start at a multiple of 64 bytes, and
  // that the header ends in a newline.
  size_t unpadded = magic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string contents(magic);
  contents += '\1'; // the format's version: 1.0
  contents += '\0';
  contents += static_cast<char>(header.size() & 0xff);
  contents += static_cast<char>(header.size() >> 8);
  return contents + header;
}

Status ingot::writeNpy(FileSystem &fileSystem, const std::string &path,
                       const ingot_tensor_spec &spec, const void *data) {
  std::string contents = npyHeader(spec.dtype, shapeOf(spec));
  if (contents.empty())
    return badFile(path, "'" + std::string(spec.name) + "' is " +
                             typeText(spec) + ", which .npy files cannot hold");
  int64_t count = elementCountOf(spec);
  if (spec.dtype == INGOT_BFLOAT16) {
    for (int64_t i = 0; i < count; ++i) {
      float value = bfloat16ToFloat(static_cast<const uint16_t *>(data)[i]);
      contents.append(reinterpret_cast<const char *>(&value), sizeof(value));
    }
  } else {
    contents.append(static_cast<const char *>(data),
                    static_cast<size_t>(count) * dtypeSize(spec.dtype));
  }
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.create(path));
  INGOT_RETURN_IF_ERROR(file->append(contents));
  return file->close();
}
