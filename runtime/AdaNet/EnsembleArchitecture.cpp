//===- EnsembleArchitecture.cpp - Files of finished iterations ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/EnsembleArchitecture.h"

#include "runtime/AdaNet/JsonFile.h"
#include "runtime/Support/ParseNumber.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::adanet;
using nlohmann::json;

int64_t EnsembleArchitecture::firstIteration() const {
  if (members.empty())
    return iteration;
  int64_t newest = 0;
  for (const Member &member : members)
    newest = std::max(newest, member.iteration);
  return newest;
}

std::string EnsembleArchitecture::ensembleName() const {
  return "t" + std::to_string(firstIteration()) + "_" + candidate +
         (ensembler ? "_" + *ensembler : "");
}

std::string adanet::architecturePath(const std::string &directory,
                                     int64_t iteration) {
  return directory + "/architecture-" + std::to_string(iteration) + ".json";
}

namespace {
/// Reads typed fields of a JSON object from file `path`. Errors name the file
/// and the field.
class JsonObjectReader {
public:
  JsonObjectReader(const std::string &path, const json &object)
      : path(path), object(object) {}

  Status wrong(const std::string &what) const {
    return damagedJson(path, 0, what);
  }

  Expected<std::string> text(const char *key) const {
    auto found = object.find(key);
    if (found == object.end())
      return wrong(std::string("key '") + key + "' is missing");
    if (!found->is_string() || found->get_ref<const std::string &>().empty())
      return wrong(std::string("'") + key + "' is " + textOf(*found) +
                   ", expected a name");
    return found->get<std::string>();
  }

  Expected<int64_t> number(const char *key) const {
    auto found = object.find(key);
    if (found == object.end())
      return wrong(std::string("key '") + key + "' is missing");
    return asNumber(*found, key);
  }

  Expected<int64_t> asNumber(const json &value, const char *key) const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)))
      return wrong(std::string("'") + key + "' is " + textOf(value) +
                   ", expected a whole number");
    return value.get<int64_t>();
  }

  static std::string textOf(const json &value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  const json *list(const char *key) const {
    auto found = object.find(key);
    return found == object.end() || !found->is_array() ? nullptr : &*found;
  }
  bool has(const char *key) const { return object.contains(key); }

private:
  const std::string &path;
  const json &object;
};
} // namespace

/// Reads the list `subnetworks`, which names the members and the iterations
/// that added them.
static Status readMembers(const std::string &path,
                          const JsonObjectReader &fields,
                          EnsembleArchitecture &architecture) {
  const json *list = fields.list("subnetworks");
  if (!list)
    return fields.wrong("list 'subnetworks' is missing");
  for (const json &entry : *list) {
    if (!entry.is_object())
      return fields.wrong("'subnetworks' has the element " +
                          JsonObjectReader::textOf(entry) +
                          ", expected an object with 'builder_name' and "
                          "'iteration_number'");
    JsonObjectReader member(path, entry);
    EnsembleArchitecture::Member &added = architecture.members.emplace_back();
    INGOT_ASSIGN_OR_RETURN(added.builder, member.text("builder_name"));
    INGOT_ASSIGN_OR_RETURN(added.iteration, member.number("iteration_number"));
    if (added.iteration < 0 || added.iteration > architecture.iteration)
      return fields.wrong("member '" + added.builder +
                          "' was added by iteration " +
                          std::to_string(added.iteration) +
                          ", but the file is that of iteration " +
                          std::to_string(architecture.iteration));
  }
  return Status::ok();
}

Expected<EnsembleArchitecture>
adanet::readArchitecture(FileSystem &fileSystem, const std::string &directory,
                         int64_t iteration) {
  std::string path = architecturePath(directory, iteration);
  INGOT_ASSIGN_OR_RETURN(json object, readJsonFile(fileSystem, path));
  JsonObjectReader fields(path, object);
  EnsembleArchitecture architecture;
  INGOT_ASSIGN_OR_RETURN(architecture.candidate,
                         fields.text("ensemble_candidate_name"));
  INGOT_ASSIGN_OR_RETURN(architecture.iteration,
                         fields.number("iteration_number"));
  if (architecture.iteration != iteration)
    return fields.wrong("'iteration_number' is " +
                        std::to_string(architecture.iteration) +
                        ", the file's name says " + std::to_string(iteration));
  // EnsembleArchitecture files that older versions of AdaNet wrote lack
  // `ensembler_name`, `global_step` and `replay_indices` (AN-096).
  if (fields.has("ensembler_name")) {
    INGOT_ASSIGN_OR_RETURN(architecture.ensembler,
                           fields.text("ensembler_name"));
  }
  if (fields.has("global_step")) {
    INGOT_ASSIGN_OR_RETURN(architecture.globalStep,
                           fields.number("global_step"));
  }
  if (fields.has("replay_indices")) {
    const json *indices = fields.list("replay_indices");
    if (!indices)
      return fields.wrong("'replay_indices' is not a list of whole numbers");
    for (const json &index : *indices) {
      INGOT_ASSIGN_OR_RETURN(int64_t number,
                             fields.asNumber(index, "replay_indices"));
      architecture.replayIndices.push_back(number);
    }
  }
  INGOT_RETURN_IF_ERROR(readMembers(path, fields, architecture));
  return architecture;
}

Expected<std::vector<EnsembleArchitecture>>
adanet::readArchitectures(FileSystem &fileSystem, const std::string &directory,
                          int64_t iterations) {
  std::vector<EnsembleArchitecture> all;
  for (int64_t i = 0; i < iterations; ++i) {
    auto one = readArchitecture(fileSystem, directory, i);
    // A missing architecture file is an error here (AN-031). AdaNet would skip
    // the file, and build a different ensemble without a message.
    if (!one && one.status().code() == StatusCode::NotFound)
      return Status(StatusCode::NotFound,
                    one.status().message() +
                        ", but the folder is at iteration " +
                        std::to_string(iterations) +
                        ": restore the file from a copy of the model "
                        "directory, as it lists the members that iteration " +
                        std::to_string(i) + " added");
    INGOT_RETURN_IF_ERROR(one.takeStatus());
    all.push_back(std::move(*one));
  }
  return all;
}

Expected<int64_t> adanet::countArchitectures(FileSystem &fileSystem,
                                             const std::string &directory) {
  INGOT_ASSIGN_OR_RETURN(auto names, fileSystem.list(directory));
  int64_t count = 0;
  for (std::string_view name : names) {
    constexpr std::string_view prefix = "architecture-", suffix = ".json";
    if (!name.starts_with(prefix) || !name.ends_with(suffix) ||
        name.size() <= prefix.size() + suffix.size())
      continue;
    std::string_view digits =
        name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    // Skips files whose iteration number has more than 9 digits: AdaNet writes
    // no such file, and std::stoll could overflow.
    if (digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
      continue;
    count = std::max<int64_t>(count, std::stoll(std::string(digits)) + 1);
  }
  for (int64_t i = 0; i < count; ++i)
    if (fileSystem.kindOf(architecturePath(directory, i)) == FileKind::None)
      return Status(StatusCode::NotFound,
                    "'" + architecturePath(directory, i) +
                        "' does not exist, but the file of iteration " +
                        std::to_string(count - 1) +
                        " does: restore the missing file from a copy of the "
                        "model directory");
  return count;
}
