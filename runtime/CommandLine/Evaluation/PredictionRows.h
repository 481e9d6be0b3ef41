//===- PredictionRows.h - Reads and writes examples as rows -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The rows that the verb predict reads and writes. A row is one example: the
// slices of all tensors at one index of their first dimension. If the shape of
// an example has dynamic dimensions, each row has a shape of its own. In JSON,
// the nested lists show this shape. In a feature of a tf.train.Example, and in
// a CSV line of one tensor, the shape follows from the number of elements, so
// only one dimension may be dynamic.
//
// Tensors have the names of feeds and fetches in all formats:
//
//   csv       a column for each element of a row: "x", or "x_0", "x_1" ... The
//             first line may contain these names, in the order of the columns.
//   jsonl     one object per line, such as {"x": [1, 2], "name": "a"}. If there
//             is only one tensor, a line may be its value alone.
//   tfrecord  tf.train.Example with a feature for each tensor. If the only feed
//             is a string, a record may be its value alone.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_EVALUATION_PREDICTIONROWS_H
#define INGOT_RUNTIME_COMMANDLINE_EVALUATION_PREDICTIONROWS_H

#include "runtime/CommandLine/Flags.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/SessionLogger.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ingot {

enum class RowFormat { Csv, JsonLines, TFRecord };

/// Returns the format called `name` ("csv", "jsonl", "tfrecord"), or, if `name`
/// is "", the format of the suffix of `path`. Returns std::nullopt for any
/// other name or suffix.
std::optional<RowFormat> findRowFormat(const std::string &name,
                                       const std::string &path);

/// Returns the tensor's name without ":0": the name of its columns, or of its
/// key in a JSON line or an Example.
std::string columnName(const char *tensor);

/// The rows of one feed that are gathered for a batch. All rows have the same
/// shape.
class FeedBatchBuilder {
public:
  /// Creates an empty column for feed `spec`, whose first dimension must be the
  /// batch dimension.
  explicit FeedBatchBuilder(const ingot_tensor_spec &spec);

  const std::string &name() const { return theName; }
  int32_t dtype() const { return spec.dtype; }
  /// The number of elements of a row, and the row's shape. If the feed has
  /// dynamic dimensions, the shape is that of the last setRowShape().
  int64_t perRow() const { return elements; }
  std::span<const int64_t> rowShape() const { return shape; }
  /// Returns the number of dynamic dimensions of a row.
  size_t numOpen() const;
  /// Sets the shape of the rows to be added. Returns false if it does not match
  /// the static dimensions of the feed.
  bool setRowShape(std::vector<int64_t> newShape);
  /// Sets the size of the one dynamic dimension of the rows so that a row has
  /// `count` elements. Returns false if there is no such size.
  bool setRowSize(int64_t count);
  /// Appends the rows of `other`, which have the same shape.
  void append(const FeedBatchBuilder &other);

  /// Parses `text` and appends it as an element; for strings, appends the bytes
  /// themselves. Returns false if `text` is not a valid element of the feed's
  /// type.
  bool add(std::string_view text);
  /// Sets the text that is parsed for each element that a row lacks
  /// (--missing).
  void setWhereMissing(std::string text) { whereMissing = std::move(text); }
  bool hasWhereMissing() const { return !whereMissing.empty(); }
  /// Appends a row, all of whose elements have the text of setWhereMissing().
  void addMissing();
  size_t numElements() const { return count; }
  void clear();
  /// Appends copies of the last row until there are `rows` rows.
  void pad(int64_t rows);

  /// Returns a tensor of all `rows` rows. It is valid until the column changes.
  Expected<ingot_tensor> tensor(int64_t rows);

private:
  ingot_tensor_spec spec;
  std::string theName;
  std::string whereMissing;
  std::vector<int64_t> shape;
  int64_t elements;
  std::string bytes; // elements of numeric types
  std::deque<std::string> strings;
  size_t count = 0;
  std::vector<int64_t> dims;
  AlignedBuffer buffer;
};

/// Reads rows from a file, or from standard input for "-".
class PredictionRowReader {
public:
  virtual ~PredictionRowReader() = default;
  /// Notes about the file, such as ignored columns, go to `reporter`, if it is
  /// not null.
  static Expected<std::unique_ptr<PredictionRowReader>>
  open(FileSystem &fileSystem, const std::string &path, RowFormat format,
       SessionLogger *reporter = nullptr);

  /// Appends one row to `columns`. Returns false at the end of the input.
  /// Errors name the file, the line or record, and what was expected and found.
  virtual Expected<bool> next(std::vector<FeedBatchBuilder> &columns) = 0;
};

/// Writes rows to standard output for "-", or to a file, which appears only
/// when it is complete.
class PredictionRowWriter {
public:
  virtual ~PredictionRowWriter() = default;
  static Expected<std::unique_ptr<PredictionRowWriter>>
  create(FileSystem &fileSystem, const std::string &path, RowFormat format);

  /// Writes the first `rows` rows of the values that `bound` fetched last. A
  /// fetch whose first dimension is not `batch` has no rows; its whole value
  /// goes into every row.
  virtual Status write(const BoundEntryPoint &bound, int64_t rows,
                       int64_t batch) = 0;
  /// Passes buffered bytes on to the file or to standard output.
  virtual Status flush() = 0;
  virtual Status finish() = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_EVALUATION_PREDICTIONROWS_H
