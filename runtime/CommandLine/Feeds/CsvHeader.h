//===- CsvHeader.h - Assigns CSV fields to elements -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H

#include "runtime/CommandLine/Evaluation/PredictionRows.h"

namespace ingot {

/// Maps each element of the feeds to the field of a CSV line that has its
/// value. Elements are listed feed by feed.
struct CsvFieldOrder {
  std::vector<size_t> fields; // the index of each element's field
  size_t numFields = 0;       // number of fields of a line
  bool isHeader = false;      // the first line names the fields
  std::string note;           // a note for the user, or ""
};

/// Reads the order of fields from `first`, the fields of a file's first line.
///
/// A header names every element, in any order; other names in it are ignored. A
/// feed x of one element is called x. The elements of a vector x are called
/// x_0, x_1, ... or x[0], x[1], ...; or all are called x, in the order of the
/// elements. If no field is such a name, there is no header, and the elements
/// are in the order of the feeds. A header that lacks elements is an error, and
/// so are words where numbers are expected. The error does not name the file.
Expected<CsvFieldOrder> findOrder(const std::vector<FeedBatchBuilder> &columns,
                                  const std::vector<std::string> &first);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_CSVHEADER_H
