//===- CsvHeader.h - Assigns CSV fields to elements -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H

#include "runtime/CommandLine/Evaluation/PredictionRows.h"

namespace ingot {

/// For each element of the feeds, column by column, the index of the field of a
/// line that has the element's value.
struct CsvFieldOrder {
  std::vector<size_t> fields; // the index of each element's field
  size_t numFields = 0;       // number of fields of a line
  bool isHeader = false;      // the first line names the fields
  std::string note;           // a note for the user, or ""
};

/// Reads the order of fields from `first`, the fields of a file's first line.
///
/// A header names every element, in any order and among other names, which are
/// ignored: a feed of one element by its name, x; the elements of a vector by
/// x_0, x_1, ... or x[0], x[1], ..., or all by x, in their order. If no field
/// is such a name, there is no header, and the elements are in the order of the
/// feeds. A header that lacks elements is an error, as are names instead of
/// numbers; the error does not name the file.
Expected<CsvFieldOrder> findOrder(const std::vector<FeedColumn> &columns,
                                  const std::vector<std::string> &first);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H
