//===- PredictionRowWriter.cpp - Writes CSV, JSON lines and TFRecord ------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/PredictionRows.h"

#include "proto/Example.pb.h"
#include "runtime/Summary/EventWriter.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace ingot;

namespace {

/// The values of one fetch in one row of the output.
struct OutputColumnValue {
  std::string name;
  ingot_tensor_spec spec; // the fetch's type, and the shape of one row of it
  const char *data;

  int64_t count() const { return elementCountOf(spec); }
  const char *element(int64_t i) const {
    size_t size = spec.dtype == INGOT_STRING ? sizeof(ingot_string)
                                             : dtypeSize(spec.dtype);
    return data + static_cast<size_t>(i) * size;
  }
  std::string_view text(int64_t i) const {
    auto *string = reinterpret_cast<const ingot_string *>(element(i));
    return {string->data, string->size};
  }
};

class BufferedRowWriter : public PredictionRowWriter {
public:
  /// If finish() has not completed the file, removes the temporary file with
  /// the rows so far.
  ~BufferedRowWriter() override {
    if (!file)
      return;
    (void)file->close();
    (void)fileSystem->remove(path + ".tmp");
  }

  Status open(FileSystem &theFileSystem, const std::string &thePath) {
    fileSystem = &theFileSystem;
    path = thePath;
    if (path == "-")
      return Status::ok();
    INGOT_ASSIGN_OR_RETURN(file, createTemporary(*fileSystem, path + ".tmp"));
    return Status::ok();
  }

  Status write(const BoundEntryPoint &bound, int64_t rows,
               int64_t batch) override {
    std::vector<OutputColumnValue> cells(bound.fetches().size());
    for (int64_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < cells.size(); ++i) {
        OutputColumnValue &cell = cells[i];
        ingot_tensor_spec spec = bound.fetchSpec(i);
        cell.name = columnName(spec.name);
        cell.data = static_cast<const char *>(bound.fetch(i));
        cell.spec = spec;
        if (spec.rank > 0 && spec.dims[0] == batch) {
          cell.spec = {spec.name, spec.dtype, spec.rank - 1, spec.dims + 1};
          cell.data = cell.element(row * cell.count());
        }
      }
      addRow(cells);
    }
    return text.size() > (1 << 20) ? flush() : Status::ok();
  }

  Status flush() override {
    std::string now = std::exchange(text, {});
    if (file)
      return file->append(now);
    if (std::fwrite(now.data(), 1, now.size(), stdout) != now.size() ||
        std::fflush(stdout) != 0)
      return Status(StatusCode::Unknown,
                    std::string("cannot write to standard output: ") +
                        std::strerror(errno));
    return Status::ok();
  }

  Status finish() override {
    INGOT_RETURN_IF_ERROR(flush());
    if (!file)
      return Status::ok();
    INGOT_RETURN_IF_ERROR(file->close());
    INGOT_RETURN_IF_ERROR(fileSystem->rename(path + ".tmp", path));
    file.reset();
    return Status::ok();
  }

protected:
  virtual void addRow(const std::vector<OutputColumnValue> &cells) = 0;
  std::string text;

private:
  FileSystem *fileSystem = nullptr;
  std::string path;
  std::unique_ptr<WritableFile> file;
};

class CsvWriter final : public BufferedRowWriter {
  void addRow(const std::vector<OutputColumnValue> &cells) override {
    std::string names, values;
    for (const OutputColumnValue &cell : cells)
      for (int64_t i = 0, e = cell.count(); i < e; ++i) {
        names += names.empty() ? "" : ",";
        quote(names, cell.spec.rank == 0 ? cell.name
                                         : cell.name + "_" + std::to_string(i));
        values += &cell != &cells.front() || i > 0 ? "," : "";
        if (cell.spec.dtype == INGOT_STRING) {
          quote(values, cell.text(i));
          continue;
        }
        std::string number;
        appendElement(number, cell.spec.dtype, cell.element(i));
        // appendElement() quotes NaN and infinities for JSON; CSV needs no
        // quotes.
        values += number.starts_with('"') ? number.substr(1, number.size() - 2)
                                          : number;
      }
    if (!std::exchange(hasHeader, true))
      text += names + "\n";
    text += values + "\n";
  }

  static void quote(std::string &line, std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      line += value;
      return;
    }
    line += '"';
    for (char c : value)
      line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }

  bool hasHeader = false;
};

class JsonWriter final : public BufferedRowWriter {
  void addRow(const std::vector<OutputColumnValue> &cells) override {
    text += '{';
    for (const OutputColumnValue &cell : cells) {
      text += &cell == &cells.front() ? "" : ",";
      appendJsonString(text, cell.name);
      text += ':';
      appendJsonTensor(text, cell.spec, cell.data);
    }
    text += "}\n";
  }
};

class TFRecordRowWriter final : public BufferedRowWriter {
  void addRow(const std::vector<OutputColumnValue> &cells) override {
    proto::Example example;
    auto &features = *example.mutable_features()->mutable_feature();
    for (const OutputColumnValue &cell : cells) {
      proto::Feature &feature = features[cell.name];
      for (int64_t i = 0, e = cell.count(); i < e; ++i) {
        if (cell.spec.dtype == INGOT_STRING)
          feature.mutable_bytes_list()->add_value(std::string(cell.text(i)));
        else if (isFloating(cell.spec.dtype))
          feature.mutable_float_list()->add_value(static_cast<float>(
              elementAsDouble(cell.spec.dtype, cell.element(i))));
        else if (cell.spec.dtype == INGOT_INT64)
          feature.mutable_int64_list()->add_value(
              *reinterpret_cast<const int64_t *>(cell.element(i)));
        else
          feature.mutable_int64_list()->add_value(static_cast<int64_t>(
              elementAsDouble(cell.spec.dtype, cell.element(i))));
      }
    }
    text += frameRecord(example.SerializeAsString());
  }
};

} // namespace

Expected<std::unique_ptr<PredictionRowWriter>>
PredictionRowWriter::create(FileSystem &fileSystem, const std::string &path,
                            RowFormat format) {
  std::unique_ptr<BufferedRowWriter> writer;
  if (format == RowFormat::Csv)
    writer = std::make_unique<CsvWriter>();
  else if (format == RowFormat::JsonLines)
    writer = std::make_unique<JsonWriter>();
  else
    writer = std::make_unique<TFRecordRowWriter>();
  INGOT_RETURN_IF_ERROR(writer->open(fileSystem, path));
  return std::unique_ptr<PredictionRowWriter>(std::move(writer));
}
