//===- CsvHeader.cpp - Assigns CSV fields to elements of feeds ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/CsvHeader.h"

#include "runtime/ABI/Tensor.h"

#include <algorithm>

using namespace ingot;

/// Returns the column names by which a CSV header may call element `i` of
/// `column`. The first one is for messages.
static std::vector<std::string> namesOf(const FeedBatchBuilder &column,
                                        int64_t i) {
  const std::string &name = column.name();
  if (column.rowShape().empty())
    return {name};
  std::string index = std::to_string(i);
  std::vector<std::string> names = {name + "_" + index,
                                    name + "[" + index + "]"};
  if (column.perRow() == 1)
    names.push_back(name);
  return names;
}

/// Returns the first few of `names` as a list.
static std::string listOf(const std::vector<std::string> &names) {
  constexpr size_t most = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  return names.size() > most ? text + ", ..." : text;
}

/// Returns true if `field` cannot be the value of an element: no feed has
/// strings, and `field` looks like a name rather than a number.
static bool isWord(const std::vector<FeedBatchBuilder> &columns,
                   const std::string &field) {
  if (std::any_of(columns.begin(), columns.end(),
                  [](const FeedBatchBuilder &column) {
                    return column.dtype() == INGOT_STRING;
                  }))
    return false;
  return !field.empty() &&
         (std::isalpha(static_cast<unsigned char>(field[0])) ||
          field[0] == '_') &&
         field != "nan" && field != "NaN" && field != "inf" &&
         field != "Infinity" && field != "true" && field != "false";
}

/// Returns the note for the user about a file without a header, whose fields
/// must be in the order of the feeds.
static std::string noteOfOrder(const std::vector<FeedBatchBuilder> &columns) {
  if (columns.size() < 2)
    return "";
  std::vector<std::string> names;
  for (const FeedBatchBuilder &column : columns)
    names.push_back(column.perRow() == 1
                        ? column.name()
                        : column.name() + " (" +
                              std::to_string(column.perRow()) + " fields)");
  return "has no header: its fields are taken as " + listOf(names) +
         ", in this order";
}

Expected<CsvFieldOrder>
ingot::findOrder(const std::vector<FeedBatchBuilder> &columns,
                 const std::vector<std::string> &first) {
  CsvFieldOrder order;
  order.numFields = first.size();
  std::vector<bool> isUsed(first.size());
  std::vector<std::string> missing;
  for (const FeedBatchBuilder &column : columns) {
    // Instead of numbering the elements of a vector, a header may give all of
    // them the vector's own name.
    bool isRepeated = column.perRow() > 1 &&
                      std::count(first.begin(), first.end(), column.name()) ==
                          column.perRow();
    for (int64_t i = 0; i < column.perRow(); ++i) {
      std::vector<std::string> names = namesOf(column, i);
      if (isRepeated)
        names = {column.name()};
      size_t at = 0;
      while (at < first.size() &&
             (isUsed[at] ||
              std::find(names.begin(), names.end(), first[at]) == names.end()))
        ++at;
      if (at == first.size()) {
        missing.push_back(names.front());
        continue;
      }
      isUsed[at] = true;
      order.fields.push_back(at);
    }
  }
  size_t numElements = order.fields.size() + missing.size();
  bool namesSome = !order.fields.empty();
  bool isAllWords =
      std::all_of(first.begin(), first.end(), [&](const std::string &field) {
        return isWord(columns, field);
      });
  if (missing.empty()) {
    order.isHeader = true;
    std::vector<std::string> ignored;
    for (size_t i = 0; i < first.size(); ++i)
      if (!isUsed[i])
        ignored.push_back(first[i]);
    if (!ignored.empty())
      order.note = "columns that are not fed are ignored: " + listOf(ignored);
    return order;
  }
  if (isAllWords ||
      (namesSome && missing.size() < numElements && order.fields.size() > 1))
    return Status(StatusCode::InvalidArgument, "the header lacks " +
                                                   listOf(missing) +
                                                   "; it has " + listOf(first));
  if (first.size() != numElements)
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(numElements) +
                      " fields, found " + std::to_string(first.size()) +
                      (columns.size() > 1 || first.size() > numElements
                           ? "; a header line may name the columns to read"
                           : ""));
  order.fields.clear();
  for (size_t i = 0; i < numElements; ++i)
    order.fields.push_back(i);
  order.note = noteOfOrder(columns);
  return order;
}
