//===- SearchFile.cpp - Parses search files -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchFile.h"

#include "compiler/Ensemble/SearchChecks.h"

#include "llvm/ADT/StringExtras.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

using namespace llvm;
namespace pb = google::protobuf;

namespace ingot::ensemble {

bool looksLikeSearch(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.consume_front("#"))
      break;
    text = text.substr(text.find('\n'));
  }
  StringRef field =
      text.take_while([](char c) { return isAlnum(c) || c == '_'; });
  return proto::AdaNetSearch::descriptor()->FindFieldByName(field.str()) !=
         nullptr;
}

bool isPlainName(StringRef name) {
  return !name.empty() && name.size() <= 128 && name != "." && name != ".." &&
         all_of(name, [](char c) {
           return isAlnum(c) || c == '_' || c == '.' || c == '-';
         });
}

namespace {
/// Passes the errors of protobuf's text parser, with file name, line and
/// column, to the search's error report.
class ParseErrors final : public pb::io::ErrorCollector {
public:
  ParseErrors(StringRef name, function_ref<void(const std::string &)> report)
      : name(name), report(report) {}

  void AddError(int line, pb::io::ColumnNumber column,
                const std::string &message) override {
    report(placed(name, line, column) + message);
  }

private:
  StringRef name;
  function_ref<void(const std::string &)> report;
};
} // namespace

std::optional<proto::AdaNetSearch>
readSearch(StringRef name, StringRef text,
           function_ref<void(const std::string &)> report) {
  proto::AdaNetSearch search;
  ParseErrors errors(name, report);
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  parser.SetRecursionLimit(32);
  pb::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (text.size() > (64u << 20)) {
    report((name + ": a search file has at most 64 MiB, this one has " +
            Twine(text.size()) + " bytes")
               .str());
    return std::nullopt;
  }
  if (!parser.Parse(&stream, &search))
    return std::nullopt;
  if (!checkSearch(search, places, name, report))
    return std::nullopt;
  return search;
}

} // namespace ingot::ensemble
