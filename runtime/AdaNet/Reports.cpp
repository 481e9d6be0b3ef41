//===- Reports.cpp - AdaNet's file of reports on builders -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/Reports.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/Support/Json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

using namespace ingot;
using namespace ingot::adanet;
using Json = nlohmann::ordered_json;
using nlohmann::json;

static constexpr const char *fileName = "iteration_reports.json";

std::string adanet::reportDirectory(const std::string &modelDirectory) {
  return modelDirectory + "/report";
}

/// Prints the shortest decimal number that reads back as the same double, in
/// the format of Python's repr().
static std::string printNumber(double value) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value,
                                    std::chars_format::scientific);
  std::string digits(text, end);
  size_t e = digits.find('e');
  int exponent = std::atoi(digits.c_str() + e + 1);
  if (exponent < -4 || exponent >= 16)
    return digits;
  auto [fixed, failed] =
      std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed);
  digits.assign(text, fixed);
  return digits.find('.') == std::string::npos ? digits + ".0" : digits;
}

std::string adanet::printReportValue(const ReportValue &value) {
  if (const bool *truth = std::get_if<bool>(&value))
    return *truth ? "true" : "false";
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  if (const double *number = std::get_if<double>(&value))
    return std::isfinite(*number) ? printNumber(*number) : "null";
  std::string text;
  appendJsonString(text, std::get<std::string>(value));
  return text;
}

static void appendValues(std::string &text, const char *key,
                         const ReportValues &values) {
  text += std::string(", \"") + key + "\": {";
  for (size_t i = 0; i < values.size(); ++i) {
    text += i ? ", " : "";
    appendJsonString(text, values[i].first);
    text += ": " + printReportValue(values[i].second);
  }
  text += "}";
}

// Prints the keys in the order in which AdaNet writes them (AN-193).
static std::string print(const IterationReport &report) {
  std::string text =
      "{\"iteration_number\": " + std::to_string(report.iteration) +
      ", \"subnetwork_reports\": [";
  for (size_t i = 0; i < report.subnetworks.size(); ++i) {
    const SubnetworkReport &one = report.subnetworks[i];
    text += i ? ", {\"name\": " : "{\"name\": ";
    appendJsonString(text, one.name);
    appendValues(text, "hparams", one.hparams);
    appendValues(text, "attributes", one.attributes);
    appendValues(text, "metrics", one.metrics);
    text += std::string(", \"included_in_final_ensemble\": ") +
            (one.isIncluded ? "true}" : "false}");
  }
  return text + "]}";
}

std::string adanet::printReports(const std::vector<IterationReport> &reports) {
  std::string text = "[";
  for (size_t i = 0; i < reports.size(); ++i)
    text += (i ? ", " : "") + print(reports[i]);
  return text + "]";
}

namespace {

/// Reads the report of one iteration from its JSON text, which starts at byte
/// `offset` of the report file. Error messages state the error's offset in the
/// file.
class IterationReportReader {
public:
  IterationReportReader(const std::string &path, size_t offset)
      : path(path), offset(offset) {}

  Expected<IterationReport> read(const Json &entry) const;

private:
  Status wrong(const std::string &what) const {
    return damagedJson(path, offset, "in the report that starts here, " + what);
  }
  Expected<const Json *> field(const Json &object, const char *key,
                               bool (*isRight)(const Json &),
                               const char *what) const;
  Status readValues(const Json &subnetwork, const char *key,
                    ReportValues &values) const;
  Expected<SubnetworkReport> readSubnetwork(const Json &subnetwork) const;

  const std::string &path;
  size_t offset;
};

} // namespace

Expected<const Json *>
IterationReportReader::field(const Json &object, const char *key,
                             bool (*isRight)(const Json &),
                             const char *what) const {
  if (!object.is_object())
    return wrong("expected an object, found " + object.dump());
  auto found = object.find(key);
  if (found == object.end())
    return wrong(std::string("'") + key + "' is missing");
  if (!isRight(*found))
    return wrong(std::string("'") + key + "' is not " + what);
  return &*found;
}

static bool isText(const Json &value) {
  return value.is_string() && !value.get_ref<const std::string &>().empty();
}
static bool isObject(const Json &value) { return value.is_object(); }
static bool isList(const Json &value) { return value.is_array(); }
static bool isTruth(const Json &value) { return value.is_boolean(); }
static bool isCount(const Json &value) {
  return value.is_number_unsigned() &&
         value.get<uint64_t>() <=
             static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

/// Converts a JSON value to a report's value. Returns std::nullopt for lists
/// and objects, and for integers beyond int64_t.
static std::optional<ReportValue> valueOf(const Json &value) {
  if (value.is_boolean())
    return value.get<bool>();
  if (value.is_number_integer() &&
      (!value.is_number_unsigned() || isCount(value)))
    return value.get<int64_t>();
  if (value.is_number())
    return value.get<double>();
  if (value.is_null())
    return std::numeric_limits<double>::quiet_NaN();
  if (value.is_string())
    return value.get<std::string>();
  return std::nullopt;
}

Status IterationReportReader::readValues(const Json &subnetwork,
                                         const char *key,
                                         ReportValues &values) const {
  INGOT_ASSIGN_OR_RETURN(const Json *object,
                         field(subnetwork, key, isObject, "an object"));
  for (const auto &[name, value] : object->items()) {
    auto read = valueOf(value);
    if (!read)
      return wrong(std::string("'") + key + "' has '" + name +
                   "', which is neither a number, a boolean nor a string");
    values.emplace_back(name, std::move(*read));
  }
  return Status::ok();
}

Expected<SubnetworkReport>
IterationReportReader::readSubnetwork(const Json &subnetwork) const {
  SubnetworkReport report;
  INGOT_ASSIGN_OR_RETURN(const Json *name,
                         field(subnetwork, "name", isText, "a name"));
  report.name = name->get<std::string>();
  INGOT_RETURN_IF_ERROR(readValues(subnetwork, "hparams", report.hparams));
  INGOT_RETURN_IF_ERROR(
      readValues(subnetwork, "attributes", report.attributes));
  INGOT_RETURN_IF_ERROR(readValues(subnetwork, "metrics", report.metrics));
  INGOT_ASSIGN_OR_RETURN(
      const Json *included,
      field(subnetwork, "included_in_final_ensemble", isTruth, "a boolean"));
  report.isIncluded = included->get<bool>();
  return report;
}

Expected<IterationReport> IterationReportReader::read(const Json &entry) const {
  IterationReport report;
  INGOT_ASSIGN_OR_RETURN(
      const Json *number,
      field(entry, "iteration_number", isCount, "an iteration number"));
  report.iteration = number->get<int64_t>();
  INGOT_ASSIGN_OR_RETURN(const Json *list,
                         field(entry, "subnetwork_reports", isList, "a list"));
  for (const Json &subnetwork : *list) {
    INGOT_ASSIGN_OR_RETURN(SubnetworkReport one, readSubnetwork(subnetwork));
    report.subnetworks.push_back(std::move(one));
  }
  return report;
}

/// Replaces NaN, Infinity and -Infinity, which Python writes but JSON does not
/// have, by null. Keeps the length of the text, so that the offsets in error
/// messages are offsets in the file: adds blanks after null if the replaced
/// word is longer than null, and removes the blank before NaN, which is
/// shorter.
static std::string withoutNaN(const std::string &text) {
  std::string clean;
  clean.reserve(text.size());
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (inString && c == '\\' && at + 1 < text.size()) {
      clean += c;
      clean += text[++at];
      continue;
    }
    inString ^= c == '"';
    std::string_view rest = std::string_view(text).substr(at);
    std::string_view found;
    for (std::string_view word : {"NaN", "Infinity", "-Infinity"})
      if (!inString && rest.starts_with(word))
        found = word;
    if (found.empty()) {
      clean += c;
      continue;
    }
    if (found.size() < 4 && clean.ends_with(' '))
      clean.pop_back();
    clean += "null";
    clean.resize(clean.size() + std::max<size_t>(found.size(), 4) - 4, ' ');
    at += found.size() - 1;
  }
  return clean;
}

/// Returns the begin and end offsets of the elements of the JSON array in
/// `text`.
static std::vector<std::pair<size_t, size_t>>
findEntries(const std::string &text) {
  std::vector<std::pair<size_t, size_t>> entries;
  int level = 0;
  bool inString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (inString) {
      at += c == '\\';
      inString = c != '"';
      continue;
    }
    inString = c == '"';
    if (c == '{' || c == '[') {
      if (level++ == 1)
        entries.push_back({at, text.size()});
    } else if (c == '}' || c == ']') {
      if (--level == 1 && !entries.empty())
        entries.back().second = at + 1;
    }
  }
  return entries;
}

Expected<std::vector<IterationReport>>
adanet::readReports(FileSystem &fileSystem, const std::string &directory) {
  std::vector<IterationReport> reports;
  std::string path = directory + "/" + fileName;
  auto text = readSmallFile(fileSystem, path);
  if (!text)
    return text.status().code() == StatusCode::NotFound
               ? Expected<std::vector<IterationReport>>(std::move(reports))
               : text.takeStatus();
  std::string clean = withoutNaN(*text);
  INGOT_ASSIGN_OR_RETURN(json whole, parseJson(path, clean));
  if (!whole.is_array())
    return damagedJson(path, 0, "expected a list of reports");
  std::vector<std::pair<size_t, size_t>> entries = findEntries(clean);
  if (entries.size() != whole.size())
    return damagedJson(path, 0,
                       "each element of the list must be a report, a JSON "
                       "object, but one is not");
  std::map<int64_t, IterationReport> byNumber;
  for (auto [begin, end] : entries) {
    Json entry = Json::parse(clean.substr(begin, end - begin), nullptr,
                             /*allow_exceptions=*/false);
    INGOT_ASSIGN_OR_RETURN(IterationReport report,
                           IterationReportReader(path, begin).read(entry));
    byNumber[report.iteration] = std::move(report);
  }
  for (auto &[number, report] : byNumber)
    reports.push_back(std::move(report));
  return reports;
}

Status adanet::writeReport(FileSystem &fileSystem, const std::string &directory,
                           const IterationReport &report) {
  INGOT_ASSIGN_OR_RETURN(auto reports, readReports(fileSystem, directory));
  auto at = std::find_if(reports.begin(), reports.end(),
                         [&](const IterationReport &other) {
                           return other.iteration >= report.iteration;
                         });
  if (at != reports.end() && at->iteration == report.iteration)
    *at = report;
  else
    reports.insert(at, report);
  return writeSmallFile(fileSystem, directory, fileName, printReports(reports));
}

Expected<BuilderFacts> adanet::readFacts(FileSystem &fileSystem,
                                         const std::string &path) {
  auto wrong = [&](const std::string &what) {
    return Status(StatusCode::InvalidArgument, "'" + path + "': " + what);
  };
  INGOT_ASSIGN_OR_RETURN(std::string text, readSmallFile(fileSystem, path));
  INGOT_RETURN_IF_ERROR(parseJson(path, text).takeStatus());
  // Parses the text a second time because nlohmann::json sorts keys, and
  // ordered_json keeps their order.
  Json builders = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!builders.is_object())
    return wrong("expected an object with builders' names as keys");
  BuilderFacts facts;
  for (const auto &[name, builder] : builders.items()) {
    if (!builder.is_object())
      return wrong("builder '" + name + "' is not an object");
    SubnetworkReport &report = facts[name];
    report.name = name;
    for (const auto &[key, values] : builder.items()) {
      if ((key != "hparams" && key != "attributes") || !values.is_object())
        return wrong("builder '" + name + "' has '" + key +
                     "', expected objects 'hparams' and 'attributes'");
      for (const auto &[field, value] : values.items()) {
        auto read = valueOf(value);
        if (!read)
          return wrong("builder '" + name + "', '" + key + "': '" + field +
                       "' is neither a number, a boolean nor a string");
        (key == "hparams" ? report.hparams : report.attributes)
            .emplace_back(field, std::move(*read));
      }
    }
  }
  return facts;
}
