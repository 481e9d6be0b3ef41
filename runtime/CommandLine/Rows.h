//===- Rows.h - Examples from and to CSV, JSON lines, TFRecord --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What predict reads and writes: a row is one example, the index of a tensor's
// first dimension. In all formats tensors go by the names of feeds and fetches.
//
//   csv       a column for each element of a row: "x", or "x_0", "x_1" ...; a
//             first line with these names may say in which order they stand
//   jsonl     {"x": [1, 2], "name": "a"} a line; where there is one tensor, its
//             value alone will do
//   tfrecord  tf.train.Example with a feature for each tensor; where there is
//             one feed of strings, the record itself
//
// Where the shape of an example is open, each row has its own: nested lists say
// it; of a feature, and of a line of csv that is one tensor, the number of its
// elements does, where one dimension is open.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COMMANDLINE_ROWS_H
#define INGOT_RUNTIME_COMMANDLINE_ROWS_H

#include "runtime/CommandLine/Flags.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/Session.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ingot {

enum class RowFormat { Csv, JsonLines, TFRecord };

/// By `name` ("csv", "jsonl", "tfrecord"), or if that is "" by the suffix of
/// `path`; nothing for others.
std::optional<RowFormat> findRowFormat(const std::string &name,
                                       const std::string &path);

/// A name without ":0", as rows have it.
std::string columnName(const char *tensor);

/// The rows of one feed, gathered for a batch: all of one shape.
class Column {
public:
  /// `spec` has a first dimension.
  explicit Column(const ingot_tensor_spec &spec);

  const std::string &name() const { return theName; }
  int32_t dtype() const { return spec.dtype; }
  /// Elements of one row, and the shape of one; where it is open, of the rows
  /// that setRowShape() has told of last.
  int64_t perRow() const { return elements; }
  std::span<const int64_t> rowShape() const { return shape; }
  /// Dimensions of a row that the feed leaves open.
  size_t numOpen() const;
  /// The shape of the rows that follow; false where it does not fit the feed's.
  bool setRowShape(std::vector<int64_t> newShape);
  /// Makes the one open dimension that of rows of `count` elements; false where
  /// they make no such row.
  bool setRowSize(int64_t count);
  /// Appends the rows of `other`, which have the same shape.
  void append(const Column &other);

  /// Appends an element from its text; a string from its bytes. False where the
  /// text is not an element of the type.
  bool add(std::string_view text);
  size_t numElements() const { return count; }
  void clear();
  /// Makes the last row `rows` times there, by repeating it.
  void pad(int64_t rows);

  /// The tensor of all `rows` rows, until the column changes.
  Expected<ingot_tensor> tensor(int64_t rows);

private:
  ingot_tensor_spec spec;
  std::string theName;
  std::vector<int64_t> shape;
  int64_t elements;
  std::string bytes; // of numbers
  std::deque<std::string> strings;
  size_t count = 0;
  std::vector<int64_t> dims;
  AlignedBuffer buffer;
};

/// Reads rows from a file, or from standard input for "-".
class RowReader {
public:
  virtual ~RowReader() = default;
  static Expected<std::unique_ptr<RowReader>>
  open(FileSystem &fileSystem, const std::string &path, RowFormat format);

  /// Appends one row to `columns`; false at the end. Failures name the file,
  /// the line or record, and what was expected and found.
  virtual Expected<bool> next(std::vector<Column> &columns) = 0;
};

/// Writes rows to a file, which appears whole or not at all, or to standard
/// output for "-".
class RowWriter {
public:
  virtual ~RowWriter() = default;
  static Expected<std::unique_ptr<RowWriter>>
  create(FileSystem &fileSystem, const std::string &path, RowFormat format);

  /// Writes rows 0 to `rows` - 1 of the last fetches of `bound`; a fetch whose
  /// first dimension is not `batch` goes into every row.
  virtual Status write(const BoundEntry &bound, int64_t rows,
                       int64_t batch) = 0;
  /// Passes the written bytes on.
  virtual Status flush() = 0;
  virtual Status finish() = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_ROWS_H
