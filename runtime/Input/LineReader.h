//===- LineReader.h - Lines of text -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_LINEREADER_H
#define INGOT_RUNTIME_INPUT_LINEREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// Reads lines as TensorFlow does: without their newlines, and without any
/// carriage return, wherever it is in the line. The text after the last newline
/// is a line unless it is empty.
class LineReader final : public FileReader {
public:
  using FileReader::FileReader;
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  std::string line; // the latest line without its carriage returns, if any
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_LINEREADER_H
