//===- JsonFile.cpp - AdaNet's small JSON files ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/JsonFile.h"

#include "runtime/Support/Json.h"
#include "runtime/Support/ReplaceFile.h"

using namespace ingot;
using namespace ingot::adanet;
using nlohmann::json;

// The largest size of a file, in bytes, that readSmallFile reads. AdaNet writes
// one short line per file, so a larger file is damaged or not AdaNet's.
static constexpr uint64_t mostBytes = 16 << 20;

Status adanet::damagedJson(const std::string &path, size_t offset,
                           const std::string &what) {
  return Status(StatusCode::DataLoss,
                "'" + path + "', offset " + std::to_string(offset) + ": " +
                    what +
                    "; restore the file from a copy of the model directory, or "
                    "remove it and let AdaNet write it again");
}

namespace {
/// Finds the offset at which a text stops being valid JSON.
class JsonErrorOffsetFinder final : public json::json_sax_t {
public:
  size_t offset = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string &) override {
    return true;
  }
  bool string(std::string &) override { return true; }
  bool binary(json::binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(std::string &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string &,
                   const json::exception &) override {
    offset = position > 0 ? position - 1 : 0;
    return false;
  }
};
} // namespace

Expected<std::string> adanet::readSmallFile(FileSystem &fileSystem,
                                            const std::string &path) {
  // Reading a pipe could block for ever, so only regular files are read.
  if (fileSystem.kindOf(path) == FileKind::None)
    return Status(StatusCode::NotFound, "'" + path + "' does not exist");
  if (fileSystem.kindOf(path) != FileKind::Regular)
    return damagedJson(path, 0, "is not a regular file");
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  if (file->size() > mostBytes)
    return damagedJson(path, 0,
                       "has " + std::to_string(file->size()) +
                           " bytes, expected at most " +
                           std::to_string(mostBytes));
  std::string text(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t found, file->read(0, text.size(), text.data()));
  text.resize(found);
  return text;
}

Expected<json> adanet::parseJson(const std::string &path,
                                 const std::string &text, size_t offset) {
  if (nestingOfJson(text) > mostJsonLevels)
    return damagedJson(path, offset,
                       "is nested more than " + std::to_string(mostJsonLevels) +
                           " levels deep");
  JsonErrorOffsetFinder finder;
  if (!json::sax_parse(text, &finder))
    return damagedJson(path, offset + finder.offset,
                       finder.offset >= text.size()
                           ? "the text ends in the middle"
                           : "not valid JSON");
  return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Expected<json> adanet::readJsonFile(FileSystem &fileSystem,
                                    const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(std::string text, readSmallFile(fileSystem, path));
  INGOT_ASSIGN_OR_RETURN(json parsed, parseJson(path, text));
  if (!parsed.is_object())
    return damagedJson(path, 0, "expected a JSON object");
  return parsed;
}

/// Makes a folder and its missing parents, and syncs each parent, so that the
/// new entries survive a crash.
static Status makeDirectory(FileSystem &fileSystem,
                            const std::string &directory) {
  // The current directory always exists, but a file system in memory may not
  // list it.
  if (directory == "." || fileSystem.kindOf(directory) != FileKind::None)
    return Status::ok();
  size_t slash = directory.rfind('/');
  std::string parent =
      slash == std::string::npos ? "." : directory.substr(0, slash);
  if (!parent.empty())
    INGOT_RETURN_IF_ERROR(makeDirectory(fileSystem, parent));
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(directory));
  return parent.empty() ? Status::ok() : fileSystem.syncDirectory(parent);
}

Status adanet::writeSmallFile(FileSystem &fileSystem,
                              const std::string &directory,
                              const std::string &name,
                              const std::string &text) {
  INGOT_RETURN_IF_ERROR(makeDirectory(fileSystem, directory));
  std::string path = directory + "/" + name;
  INGOT_RETURN_IF_ERROR(
      replaceFile(fileSystem, path, path + ".tmp", contentsOf(text)));
  return fileSystem.syncDirectory(directory);
}
