//===- PredictionRowReader.cpp - Reads CSV, JSON lines and TFRecord -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/PredictionRows.h"
#include "runtime/CommandLine/Feeds/CsvHeader.h"

#include "proto/Example.pb.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace ingot;
using nlohmann::json;

std::optional<RowFormat> ingot::findRowFormat(const std::string &name,
                                              const std::string &path) {
  size_t dot = path.rfind('.');
  std::string ending = !name.empty()              ? name
                       : dot == std::string::npos ? ""
                                                  : path.substr(dot + 1);
  if (ending == "csv")
    return RowFormat::Csv;
  for (const char *known : {"jsonl", "json", "ndjson"})
    if (ending == known)
      return RowFormat::JsonLines;
  for (const char *known : {"tfrecord", "tfrecords", "record", "records"})
    if (ending == known)
      return RowFormat::TFRecord;
  return std::nullopt;
}

std::string ingot::columnName(const char *tensor) {
  std::string name = tensor;
  if (name.ends_with(":0"))
    name.resize(name.size() - 2);
  return name;
}

FeedBatchBuilder::FeedBatchBuilder(const ingot_tensor_spec &spec)
    : spec(spec), theName(columnName(spec.name)),
      shape(spec.dims + 1, spec.dims + spec.rank) {
  ingot_tensor_spec row = {spec.name, spec.dtype, spec.rank - 1, spec.dims + 1};
  elements = elementCountOf(row);
}

size_t FeedBatchBuilder::numOpen() const {
  return static_cast<size_t>(
      std::count_if(spec.dims + 1, spec.dims + spec.rank,
                    [](int64_t size) { return size < 0; }));
}

bool FeedBatchBuilder::setRowShape(std::vector<int64_t> newShape) {
  if (newShape.size() != shape.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (spec.dims[i + 1] >= 0 && spec.dims[i + 1] != newShape[i])
      return false;
  shape = std::move(newShape);
  elements =
      elementCountOf({spec.name, spec.dtype,
                      static_cast<uint32_t>(shape.size()), shape.data()});
  return elements >= 0;
}

bool FeedBatchBuilder::setRowSize(int64_t count) {
  std::vector<int64_t> newShape(spec.dims + 1, spec.dims + spec.rank);
  auto open = std::find_if(newShape.begin(), newShape.end(),
                           [](int64_t size) { return size < 0; });
  *open = 1;
  int64_t inner =
      elementCountOf({spec.name, spec.dtype, spec.rank - 1, newShape.data()});
  if (inner <= 0 || count % inner != 0)
    return false;
  *open = count / inner;
  return setRowShape(std::move(newShape));
}

void FeedBatchBuilder::append(const FeedBatchBuilder &other) {
  shape = other.shape;
  elements = other.elements;
  bytes += other.bytes;
  strings.insert(strings.end(), other.strings.begin(), other.strings.end());
  count += other.count;
}

void FeedBatchBuilder::addMissing() {
  for (int64_t i = 0; i < elements; ++i)
    (void)add(whereMissing);
}

bool FeedBatchBuilder::add(std::string_view text) {
  if (text.empty() && hasWhereMissing())
    text = whereMissing;
  if (spec.dtype == INGOT_STRING) {
    strings.emplace_back(text);
    ++count;
    return true;
  }
  size_t size = dtypeSize(spec.dtype);
  bytes.resize(bytes.size() + size);
  if (!parseElement(text, spec.dtype, bytes.data() + bytes.size() - size)) {
    bytes.resize(bytes.size() - size);
    return false;
  }
  ++count;
  return true;
}

void FeedBatchBuilder::clear() {
  bytes.clear();
  strings.clear();
  count = 0;
}

void FeedBatchBuilder::pad(int64_t rows) {
  auto wanted = static_cast<size_t>(rows * elements);
  size_t row = static_cast<size_t>(elements), size = dtypeSize(spec.dtype);
  for (size_t i = count; i < wanted; ++i) {
    if (spec.dtype == INGOT_STRING)
      strings.push_back(strings[i - row]);
    else
      bytes += bytes.substr((i - row) * size, size);
  }
  count = std::max(count, wanted);
}

Expected<ingot_tensor> FeedBatchBuilder::tensor(int64_t rows) {
  bool isString = spec.dtype == INGOT_STRING;
  INGOT_ASSIGN_OR_RETURN(
      buffer, AlignedBuffer::allocate(isString ? count * sizeof(ingot_string)
                                               : bytes.size(),
                                      "a batch of rows"));
  if (!bytes.empty())
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < strings.size(); ++i)
    reinterpret_cast<ingot_string *>(buffer.data())[i] = {strings[i].data(),
                                                          strings[i].size()};
  dims = shape;
  dims.insert(dims.begin(), rows);
  return ingot_tensor{buffer.data(), dims.data(), spec.rank, spec.dtype};
}

namespace {

/// A file, or standard input, that is read from start to end.
class InputFile {
public:
  static Expected<std::unique_ptr<InputFile>> open(FileSystem &fileSystem,
                                                   const std::string &path) {
    auto source = std::make_unique<InputFile>();
    source->name = path == "-" ? "standard input" : "'" + path + "'";
    if (path != "-") {
      INGOT_ASSIGN_OR_RETURN(source->file, fileSystem.openForReading(path));
    }
    return source;
  }

  /// Reads a line into `text`, without its line feed. Returns false at the end
  /// of the file.
  Expected<bool> line(std::string &text) {
    text.clear();
    while (true) {
      size_t end = buffer.find('\n', at);
      if (end != std::string::npos) {
        text.append(buffer, at, end - at);
        at = end + 1;
        return true;
      }
      text.append(buffer, at);
      INGOT_ASSIGN_OR_RETURN(bool more, fill());
      if (!more)
        return !text.empty();
    }
  }
  /// Returns the next `size` bytes, or fewer at the end of the file.
  Expected<std::string> bytes(size_t size) {
    std::string text;
    while (text.size() < size) {
      size_t now = std::min(size - text.size(), buffer.size() - at);
      text.append(buffer, at, now);
      at += now;
      if (text.size() == size)
        break;
      INGOT_ASSIGN_OR_RETURN(bool more, fill());
      if (!more)
        break;
    }
    return text;
  }

  std::string name;

private:
  /// Reads the next bytes into `buffer`. Returns false at the end of the file.
  Expected<bool> fill() {
    buffer.resize(1 << 16);
    at = 0;
    size_t size = 0;
    if (file) {
      INGOT_ASSIGN_OR_RETURN(size,
                             file->read(offset, buffer.size(), buffer.data()));
    } else {
      ssize_t done;
      do
        done = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      while (done < 0 && errno == EINTR);
      if (done < 0)
        return Status(StatusCode::Unknown,
                      "cannot read " + name + ": " + std::strerror(errno));
      size = static_cast<size_t>(done);
    }
    offset += size;
    buffer.resize(size);
    return size > 0;
  }

  std::unique_ptr<RandomAccessFile> file;
  uint64_t offset = 0;
  std::string buffer;
  size_t at = 0;
};

class InputFileRowReader : public PredictionRowReader {
public:
  explicit InputFileRowReader(std::unique_ptr<InputFile> source)
      : source(std::move(source)) {}

protected:
  Status wrong(const std::string &what) const {
    return Status(StatusCode::InvalidArgument,
                  source->name + ", " + unit + " " + std::to_string(number) +
                      ": " + what);
  }
  Status noElement(const FeedBatchBuilder &column,
                   const std::string &text) const {
    return wrong("'" + column.name() + "': expected " +
                 dtypeName(column.dtype()) + ", found '" + text.substr(0, 40) +
                 "'");
  }

  std::unique_ptr<InputFile> source;
  const char *unit = "line";
  int64_t number = 0;
};

class CsvReader final : public InputFileRowReader {
public:
  CsvReader(std::unique_ptr<InputFile> source, SessionLogger *reporter)
      : InputFileRowReader(std::move(source)), reporter(reporter) {}

  Expected<bool> next(std::vector<FeedBatchBuilder> &columns) override {
    std::vector<std::string> fields;
    INGOT_ASSIGN_OR_RETURN(bool more, readFields(fields));
    if (more && columns.size() == 1 && columns.front().numOpen() > 0)
      return addWhole(columns.front(), fields);
    if (more && order.fields.empty()) {
      auto found = findOrder(columns, fields);
      if (!found)
        return wrong(found.status().message());
      order = std::move(*found);
      if (reporter && !order.note.empty())
        reporter->note(source->name + ": " + order.note);
      if (order.isHeader) {
        INGOT_ASSIGN_OR_RETURN(more, readFields(fields));
      }
    }
    if (!more)
      return false;
    if (fields.size() != order.numFields)
      return wrong("expected " + std::to_string(order.numFields) +
                   " fields, found " + std::to_string(fields.size()));
    size_t place = 0;
    for (FeedBatchBuilder &column : columns)
      for (int64_t i = 0; i < column.perRow(); ++i, ++place)
        if (const std::string &field = fields[order.fields[place]];
            !column.add(field))
          return noElement(column, field);
    return true;
  }

private:
  /// Adds a line as a row of `column`, whose rows have one dynamic dimension.
  /// The number of fields in the line determines the size of this dimension.
  Expected<bool> addWhole(FeedBatchBuilder &column,
                          const std::vector<std::string> &fields) {
    if (!column.setRowSize(static_cast<int64_t>(fields.size())))
      return wrong(
          std::to_string(fields.size()) + " fields do not fit the shape of '" +
          column.name() +
          "': the product of its other dimensions must divide this number");
    for (const std::string &field : fields)
      if (!column.add(field))
        return noElement(column, field);
    return true;
  }

  /// Reads the fields of one record. A quoted field may contain line feeds, so
  /// a record may span lines. Returns false at the end of the file.
  Expected<bool> readFields(std::vector<std::string> &fields) {
    fields.clear();
    std::string line;
    do {
      INGOT_ASSIGN_OR_RETURN(bool more, source->line(line));
      if (!more)
        return false;
      ++number;
      if (line.ends_with('\r'))
        line.pop_back();
    } while (line.empty());
    std::string field;
    bool quoted = false;
    for (size_t i = 0;; ++i) {
      if (i == line.size() && quoted) {
        std::string more;
        INGOT_ASSIGN_OR_RETURN(bool any, source->line(more));
        if (!any)
          return wrong("a quoted field does not end");
        ++number;
        line += "\n" + more;
      }
      if (i == line.size()) {
        fields.push_back(std::move(field));
        return true;
      }
      char c = line[i];
      if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
        field += '"';
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.push_back(std::exchange(field, {}));
      } else {
        field += c;
      }
    }
  }

  CsvFieldOrder order;
  SessionLogger *reporter;
};

class JsonReader final : public InputFileRowReader {
public:
  using InputFileRowReader::InputFileRowReader;

  Expected<bool> next(std::vector<FeedBatchBuilder> &columns) override {
    std::string line;
    do {
      INGOT_ASSIGN_OR_RETURN(bool more, source->line(line));
      if (!more)
        return false;
      ++number;
    } while (line.find_first_not_of(" \t\r") == std::string::npos);
    if (size_t depth = nestingOfJson(line); depth > mostJsonLevels)
      return wrong("lists nested " + std::to_string(depth) +
                   " deep, but at most " + std::to_string(mostJsonLevels) +
                   " levels are read");
    json row = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (row.is_discarded())
      return wrong("expected JSON, found '" + line.substr(0, 40) + "'");
    if (!row.is_object()) {
      if (columns.size() != 1)
        return wrong("expected an object with a value for each of " +
                     std::to_string(columns.size()) + " feeds, found '" +
                     line.substr(0, 40) + "'");
      INGOT_RETURN_IF_ERROR(addRow(columns.front(), row));
      return true;
    }
    for (FeedBatchBuilder &column : columns) {
      auto value = row.find(column.name());
      if (value == row.end())
        value = row.find(column.name() + ":0");
      if ((value == row.end() || value->is_null()) &&
          column.hasWhereMissing() && column.numOpen() == 0) {
        column.addMissing();
        continue;
      }
      if (value == row.end())
        return wrong("missing '" + column.name() +
                     "': each row needs a value for this feed");
      INGOT_RETURN_IF_ERROR(addRow(column, *value));
    }
    return true;
  }

private:
  Status addRow(FeedBatchBuilder &column, const json &value) {
    if (column.numOpen() == 0)
      return add(column, value, 0);
    if (!value.is_array())
      return wrong("'" + column.name() + "': expected a list, found '" +
                   value.dump().substr(0, 40) + "'");
    // The row is nested lists. Take the size of each dimension from the first
    // list at its depth.
    std::vector<int64_t> shape;
    for (const json *at = &value;
         at->is_array() && shape.size() < column.rowShape().size();
         at = &at->front()) {
      shape.push_back(static_cast<int64_t>(at->size()));
      if (at->empty())
        break;
    }
    shape.resize(column.rowShape().size());
    if (!column.setRowShape(shape)) {
      std::string text = "[";
      for (int64_t size : shape)
        text += (text.size() > 1 ? "," : "") + std::to_string(size);
      return wrong("'" + column.name() + "': " + text +
                   "] is the shape of this row, which does not match that of "
                   "the feed: run 'PROGRAM info' to list the feeds");
    }
    return add(column, value, 0);
  }

  Status add(FeedBatchBuilder &column, const json &value, size_t dim) {
    if (dim < column.rowShape().size()) {
      auto expected = static_cast<size_t>(column.rowShape()[dim]);
      if (!value.is_array() || value.size() != expected)
        return wrong("'" + column.name() + "': expected a list of " +
                     std::to_string(expected) + ", found " +
                     (value.is_array()
                          ? "one of " + std::to_string(value.size())
                          : "'" + value.dump().substr(0, 40) + "'"));
      for (const json &element : value)
        INGOT_RETURN_IF_ERROR(add(column, element, dim + 1));
      return Status::ok();
    }
    std::string text =
        value.is_string() ? value.get<std::string>() : value.dump();
    bool fits = !value.is_structured() &&
                (column.dtype() != INGOT_STRING || value.is_string());
    return fits && column.add(text) ? Status::ok() : noElement(column, text);
  }
};

class TFRecordRowReader final : public InputFileRowReader {
public:
  explicit TFRecordRowReader(std::unique_ptr<InputFile> source)
      : InputFileRowReader(std::move(source)) {
    unit = "record";
  }

  Expected<bool> next(std::vector<FeedBatchBuilder> &columns) override {
    INGOT_ASSIGN_OR_RETURN(std::string header, source->bytes(12));
    if (header.empty())
      return false;
    ++number;
    uint64_t length = 0;
    uint32_t crc = 0;
    if (header.size() == 12) {
      std::memcpy(&length, header.data(), sizeof(length));
      std::memcpy(&crc, header.data() + 8, sizeof(crc));
    }
    if (header.size() < 12 || crc != maskCrc32c(crc32c(0, header.data(), 8)))
      return damaged();
    INGOT_ASSIGN_OR_RETURN(std::string data, source->bytes(length));
    INGOT_ASSIGN_OR_RETURN(std::string trailer, source->bytes(4));
    if (trailer.size() == 4)
      std::memcpy(&crc, trailer.data(), sizeof(crc));
    if (trailer.size() < 4 ||
        crc != maskCrc32c(crc32c(0, data.data(), data.size())))
      return damaged();
    if (columns.size() == 1 && columns.front().dtype() == INGOT_STRING &&
        columns.front().perRow() == 1) {
      columns.front().add(data);
      return true;
    }
    proto::Example example;
    if (!example.ParseFromString(data))
      return wrong("expected a serialized tf.train.Example, found " +
                   std::to_string(data.size()) + " other bytes");
    for (FeedBatchBuilder &column : columns)
      INGOT_RETURN_IF_ERROR(addFeature(column, example));
    return true;
  }

private:
  Status damaged() const {
    return Status(StatusCode::DataLoss, source->name + ", record " +
                                            std::to_string(number) +
                                            ": truncated or damaged");
  }

  Status addFeature(FeedBatchBuilder &column, const proto::Example &example) {
    const auto &features = example.features().feature();
    auto found = features.find(column.name());
    if (found == features.end() && column.hasWhereMissing() &&
        column.numOpen() == 0) {
      column.addMissing();
      return Status::ok();
    }
    if (found == features.end())
      return wrong("missing feature '" + column.name() + "'");
    const proto::Feature &feature = found->second;
    bool isString = column.dtype() == INGOT_STRING;
    int64_t size = feature.bytes_list().value_size() +
                   feature.float_list().value_size() +
                   feature.int64_list().value_size();
    if (column.numOpen() > 0 && !column.setRowSize(size))
      return wrong(
          std::to_string(size) + " elements do not fit the shape of '" +
          column.name() +
          "': the product of its other dimensions must divide this number");
    if (size != column.perRow() ||
        isString != (feature.kind_case() == proto::Feature::kBytesList))
      return wrong("feature '" + column.name() + "': expected " +
                   std::to_string(column.perRow()) + " of " +
                   dtypeName(column.dtype()) + ", found " +
                   std::to_string(size));
    std::string text;
    for (const std::string &value : feature.bytes_list().value())
      column.add(value);
    for (float value : feature.float_list().value()) {
      text.clear();
      appendElement(text, INGOT_FLOAT, &value);
      if (text.starts_with('"'))
        text = text.substr(1, text.size() - 2);
      if (!column.add(text))
        return noElement(column, text);
    }
    for (int64_t value : feature.int64_list().value())
      if (text = std::to_string(value); !column.add(text))
        return noElement(column, text);
    return Status::ok();
  }
};

} // namespace

Expected<std::unique_ptr<PredictionRowReader>>
PredictionRowReader::open(FileSystem &fileSystem, const std::string &path,
                          RowFormat format, SessionLogger *reporter) {
  INGOT_ASSIGN_OR_RETURN(auto source, InputFile::open(fileSystem, path));
  std::unique_ptr<PredictionRowReader> reader;
  if (format == RowFormat::Csv)
    reader = std::make_unique<CsvReader>(std::move(source), reporter);
  else if (format == RowFormat::JsonLines)
    reader = std::make_unique<JsonReader>(std::move(source));
  else
    reader = std::make_unique<TFRecordRowReader>(std::move(source));
  return reader;
}
