//===- SafetensorsReader.cpp - Reads safetensors files --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/SafetensorsReader.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace ingot;
using nlohmann::json;

namespace {

constexpr uint64_t sizeBytes = 8;
// The largest header that the safetensors format allows, in bytes.
constexpr uint64_t largestHeader = 100'000'000;
// The size of the buffer for reading a part of a tensor. It is a multiple of
// every element size, so no element is split.
constexpr uint64_t chunkSize = 256 * 1024;

/// A type of TensorFlow and its name in safetensors files.
struct SafetensorsTypeName {
  int32_t dtype;
  const char *name;
};

constexpr SafetensorsTypeName typeNames[] = {
    {INGOT_FLOAT, "F32"},     {INGOT_DOUBLE, "F64"},
    {INGOT_HALF, "F16"},      {INGOT_INT64, "I64"},
    {INGOT_BFLOAT16, "BF16"}, {INGOT_INT32, "I32"},
    {INGOT_INT16, "I16"},     {INGOT_INT8, "I8"},
    {INGOT_UINT64, "U64"},    {INGOT_UINT32, "U32"},
    {INGOT_UINT16, "U16"},    {INGOT_UINT8, "U8"},
    {INGOT_BOOL, "BOOL"},     {8, "C64"},
    {24, "F8_E5M2"},          {25, "F8_E4M3"},
};

} // namespace

const char *ingot::safetensorsName(int32_t dtype) {
  for (const SafetensorsTypeName &type : typeNames)
    if (type.dtype == dtype)
      return type.name;
  return nullptr;
}

/// Parses the header as a stream of JSON events. An event handler returns false
/// to end the parsing, and puts the reason into `problem`.
class SafetensorsReader::HeaderParser final : public json::json_sax_t {
public:
  explicit HeaderParser(SafetensorsReader &reader) : reader(reader) {}

  std::string problem;
  size_t problemAt = 0;

  bool start_object(size_t) override {
    ++depth;
    if (depth == 1 || inMetadata)
      return depth <= 2 || fail("expected a map from strings to strings, found "
                                "a nested object");
    return (depth == 2 && field.empty()) ||
           fail("expected " + expected() + ", found an object");
  }
  bool end_object() override {
    --depth;
    if (depth == 1 && !inMetadata)
      return finishTensor();
    inMetadata = false;
    return true;
  }
  bool key(std::string &name) override {
    if (inMetadata)
      return true;
    if (depth == 2) {
      field = name;
      if (field == "dtype" || field == "shape" || field == "data_offsets")
        return true;
      return fail("unknown field '" + field +
                  "', expected dtype, shape or data_offsets");
    }
    field.clear();
    tensor = name;
    inMetadata = name == "__metadata__";
    entry = SafetensorsEntry();
    hasType = false;
    shape.reset();
    offsets.reset();
    return inMetadata || !reader.entries.contains(name) ||
           fail("the header lists this tensor twice");
  }
  bool string(std::string &text) override {
    if (inMetadata)
      return depth == 2 || fail("expected a map from strings to strings, found "
                                "a string");
    if (depth != 2 || field != "dtype" || numbers)
      return fail("expected " + expected() + ", found the string '" + text +
                  "'");
    for (const SafetensorsTypeName &type : typeNames)
      if (text == type.name) {
        entry.dtype = type.dtype;
        hasType = true;
      }
    return hasType ||
           fail("element type '" + text +
                "' is not supported, expected F64, F32, F16, BF16, F8_E5M2, "
                "F8_E4M3, C64, I64, I32, I16, I8, U64, U32, U16, U8 or BOOL");
  }
  bool start_array(size_t) override {
    if (depth != 2 || inMetadata || numbers)
      return fail("expected " + expected() + ", found a list");
    std::optional<std::vector<int64_t>> *list = field == "shape" ? &shape
                                                : field == "data_offsets"
                                                    ? &offsets
                                                    : nullptr;
    if (!list || *list)
      return fail(list ? "must be given only once, but is given twice"
                       : "expected " + expected() + ", found a list");
    numbers = &list->emplace();
    return true;
  }
  bool end_array() override {
    numbers = nullptr;
    return true;
  }
  bool number_unsigned(uint64_t value) override {
    if (!numbers)
      return fail("expected " + expected() + ", found the number " +
                  std::to_string(value));
    if (value > INT64_MAX)
      return fail("the number " + std::to_string(value) +
                  " in the header exceeds 2^63 - 1");
    numbers->push_back(static_cast<int64_t>(value));
    return true;
  }
  bool number_integer(int64_t value) override {
    return fail("expected " + expected() + ", found the negative number " +
                std::to_string(value));
  }
  bool number_float(double, const std::string &text) override {
    return fail("expected " + expected() + ", found " + text);
  }
  bool null() override {
    return fail("expected " + expected() + ", found null");
  }
  bool boolean(bool) override {
    return fail("expected " + expected() + ", found a boolean");
  }
  bool binary(json::binary_t &) override {
    return fail("expected " + expected() + ", found a binary value");
  }
  bool parse_error(size_t position, const std::string &,
                   const json::exception &) override {
    problemAt = position;
    problem = "the header isn't JSON";
    return false;
  }

private:
  /// Describes, for error messages, what the header must have at the current
  /// position.
  std::string expected() const {
    if (inMetadata)
      return depth == 2 ? "a string" : "a map from strings to strings";
    if (numbers)
      return "a whole number, 0 or more";
    if (field.empty())
      return "an object with dtype, shape and data_offsets";
    return field == "dtype" ? "a string" : "a list of whole numbers";
  }

  bool fail(const std::string &what) {
    if (problem.empty())
      problem =
          (tensor.empty() ? "the header: "
           : inMetadata   ? "__metadata__: "
                          : "tensor " + quotedKey(tensor) +
                                (field.empty() ? "" : ", " + field) + ": ") +
          what;
    return false;
  }

  bool finishTensor() {
    field.clear();
    if (!hasType || !shape || !offsets)
      return fail(std::string(!hasType ? "dtype"
                              : !shape ? "shape"
                                       : "data_offsets") +
                  " is missing");
    if (offsets->size() != 2)
      return fail("data_offsets must have two numbers, but has " +
                  std::to_string(offsets->size()));
    if ((*offsets)[0] > (*offsets)[1])
      return fail("data_offsets end at " + std::to_string((*offsets)[1]) +
                  ", before they begin at " + std::to_string((*offsets)[0]));
    entry.shape = std::move(*shape);
    entry.offset = static_cast<uint64_t>((*offsets)[0]);
    entry.size = static_cast<uint64_t>((*offsets)[1] - (*offsets)[0]);
    reader.entries.emplace(tensor, std::move(entry));
    return true;
  }

  SafetensorsReader &reader;
  int depth = 0;
  bool inMetadata = false;
  std::string tensor, field;
  SafetensorsEntry entry;
  bool hasType = false;
  std::optional<std::vector<int64_t>> shape, offsets;
  std::vector<int64_t> *numbers = nullptr;
};

Expected<std::unique_ptr<SafetensorsReader>>
SafetensorsReader::open(FileSystem &fileSystem, const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                         fileSystem.openForReading(path));
  std::unique_ptr<SafetensorsReader> reader(
      new SafetensorsReader(path, std::move(file)));
  INGOT_RETURN_IF_ERROR(reader->load());
  return reader;
}

Status SafetensorsReader::damaged(uint64_t offset,
                                  const std::string &what) const {
  return Status(StatusCode::DataLoss, "'" + path + "': damaged at offset " +
                                          std::to_string(offset) + ": " + what);
}

/// Reads and checks the header: its size in the first 8 bytes, little-endian,
/// then the JSON object.
Status SafetensorsReader::load() {
  uint64_t fileSize = file->size(), headerSize = 0;
  if (fileSize < sizeBytes)
    return damaged(0, "the size of the header takes 8 bytes, the file has " +
                          std::to_string(fileSize));
  INGOT_ASSIGN_OR_RETURN(
      size_t found,
      file->read(0, sizeBytes, reinterpret_cast<char *>(&headerSize)));
  if (found != sizeBytes || headerSize > largestHeader ||
      headerSize > fileSize - sizeBytes)
    return damaged(0, "the header's size is " + std::to_string(headerSize) +
                          " bytes, the file has " + std::to_string(fileSize) +
                          " (truncated, or not a safetensors file)");
  std::string text(headerSize, '\0');
  INGOT_ASSIGN_OR_RETURN(found, file->read(sizeBytes, headerSize, text.data()));
  if (found != headerSize)
    return damaged(sizeBytes, "the file ended while it was read");
  HeaderParser parser(*this);
  if (!text.starts_with('{'))
    return damaged(sizeBytes, "the header isn't a JSON object");
  if (!json::sax_parse(text, &parser))
    return damaged(sizeBytes + parser.problemAt, parser.problem);
  return checkEntries(sizeBytes + headerSize);
}

/// Checks that each tensor's size matches its shape, and that the tensors fill
/// the rest of the file without gaps.
Status SafetensorsReader::checkEntries(uint64_t dataStart) {
  uint64_t dataSize = file->size() - dataStart;
  std::vector<std::pair<const std::string *, const SafetensorsEntry *>> order;
  for (auto &[name, entry] : entries) {
    std::optional<int64_t> count = elementCount(entry.shape);
    size_t elementSize = dtypeSize(entry.dtype);
    if (!count || entry.size % elementSize != 0 ||
        entry.size / elementSize != static_cast<uint64_t>(*count))
      return damaged(sizeBytes,
                     "tensor " + quotedKey(name) + " has " +
                         std::to_string(entry.size) +
                         " bytes, which do not match its type and shape, " +
                         dtypeName(entry.dtype) + shapeText(entry.shape));
    names.push_back(name);
    order.emplace_back(&name, &entry);
  }
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return std::pair(a.second->offset, a.second->size) <
           std::pair(b.second->offset, b.second->size);
  });
  uint64_t next = 0;
  for (const auto &[name, entry] : order) {
    if (entry->offset != next || entry->size > dataSize - next)
      return damaged(dataStart + std::min(next, dataSize),
                     "tensor " + quotedKey(*name) + " claims " +
                         std::to_string(entry->size) + " bytes at offset " +
                         std::to_string(entry->offset) + " of the " +
                         std::to_string(dataSize) +
                         " bytes of data, expected offset " +
                         std::to_string(next));
    next += entry->size;
  }
  if (next != dataSize)
    return damaged(dataStart + next, std::to_string(dataSize - next) +
                                         " bytes that belong to no tensor");
  for (auto &[name, entry] : entries)
    entry.offset += dataStart;
  return Status::ok();
}

const CheckpointEntry *SafetensorsReader::find(std::string_view key) const {
  auto found = entries.find(key);
  return found == entries.end() ? nullptr : &found->second;
}

std::vector<TensorLocation>
SafetensorsReader::parts(std::string_view key) const {
  auto found = entries.find(key);
  if (found == entries.end())
    return {};
  return {{TensorSlice(), 0, found->second.offset, found->second.size}};
}

Status SafetensorsReader::readPart(std::string_view key, size_t,
                                   const TensorSlice &from,
                                   const TensorSlice &box,
                                   void *destination) const {
  const SafetensorsEntry &entry = entries.find(key)->second;
  size_t elementSize = dtypeSize(entry.dtype);
  auto *out = static_cast<char *>(destination);
  std::string buffer;
  for (uint64_t done = 0; done < entry.size;) {
    auto size =
        static_cast<size_t>(std::min<uint64_t>(entry.size - done, chunkSize));
    char *to = out + done;
    if (from != box) {
      buffer.resize(size);
      to = buffer.data();
    }
    INGOT_ASSIGN_OR_RETURN(size_t found,
                           file->read(entry.offset + done, size, to));
    if (found != size)
      return damaged(entry.offset + done, "the file ended while tensor " +
                                              quotedKey(key) + " was read");
    if (from != box)
      copySharedElements(from, static_cast<int64_t>(done / elementSize),
                         static_cast<int64_t>(size / elementSize), box,
                         elementSize, buffer.data(), out);
    done += size;
  }
  return Status::ok();
}
