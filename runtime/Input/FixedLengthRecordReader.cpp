//===- FixedLengthRecordReader.cpp - Records of one length ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/FixedLengthRecordReader.h"

namespace ingot::input {

Status FixedLengthRecordReader::look(bool &end) {
  uint64_t skipped = 0;
  if (stream->offset() == 0)
    INGOT_RETURN_IF_ERROR(stream->skip(sizes.header, skipped));
  std::string_view rest;
  INGOT_RETURN_IF_ERROR(stream->peek(sizes.record + sizes.footer, rest));
  end = rest.size() <= sizes.footer;
  if (stream->offset() < sizes.header || rest.size() < sizes.footer ||
      (!end && rest.size() < sizes.record + sizes.footer))
    return Status(StatusCode::DataLoss,
                  describe(numRead, stream->offset()) +
                      ", is truncated: expected a record of " +
                      std::to_string(sizes.record) + " bytes and a footer of " +
                      std::to_string(sizes.footer) + ", found " +
                      std::to_string(rest.size()) + " bytes");
  return Status::ok();
}

Status FixedLengthRecordReader::next(std::string_view &record, bool &end) {
  INGOT_RETURN_IF_ERROR(look(end));
  if (end)
    return Status::ok();
  ++numRead;
  return stream->read(sizes.record, record);
}

Status FixedLengthRecordReader::skip(bool &end) {
  std::string_view record;
  return next(record, end);
}

} // namespace ingot::input
