//===- LineReader.cpp - Lines of text -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/LineReader.h"

#include <algorithm>

namespace ingot::input {

Status LineReader::next(std::string_view &record, bool &end) {
  INGOT_RETURN_IF_ERROR(stream->readLine(record));
  end = record.empty();
  if (end)
    return Status::ok();
  bool isWhole = record.back() == '\n';
  if (isWhole)
    record.remove_suffix(1);
  if (record.ends_with('\r'))
    record.remove_suffix(1);
  if (record.find('\r') != record.npos) {
    line = record;
    std::erase(line, '\r');
    record = line;
  }
  end = !isWhole && record.empty();
  numRead += !end;
  return Status::ok();
}

Status LineReader::skip(bool &end) {
  std::string_view record;
  return next(record, end);
}

} // namespace ingot::input
