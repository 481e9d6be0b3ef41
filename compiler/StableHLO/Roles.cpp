//===- Roles.cpp - The names and roles of a step's values -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Roles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

/// Reads fields of JSON objects, and collects what is wrong with them.
class RolesReader {
public:
  explicit RolesReader(std::vector<std::string> &problems)
      : problems(problems) {}

  void problem(const Twine &path, const Twine &what) {
    problems.push_back((path + ": " + what).str());
  }

  /// Reports fields of an object that have no meaning.
  void checkNames(const json::Object &object, ArrayRef<StringRef> known,
                  const Twine &path) {
    for (const auto &[key, value] : object)
      if (!is_contained(known, StringRef(key)))
        problem(path.str() + StringRef(key).str(),
                "there is no such field; there are " + join(known, ", "));
  }

  void text(const json::Object &object, StringRef key, const Twine &path,
            std::string &out) {
    if (const json::Value *value = object.get(key)) {
      if (auto string = value->getAsString())
        out = string->str();
      else
        problem(path + key, "expected a string");
    }
  }

  void boolean(const json::Object &object, StringRef key, const Twine &path,
               bool &out) {
    if (const json::Value *value = object.get(key)) {
      if (auto boolean = value->getAsBoolean())
        out = *boolean;
      else
        problem(path + key, "expected true or false");
    }
  }

  std::optional<int64_t> integer(const json::Object &object, StringRef key,
                                 const Twine &path) {
    const json::Value *value = object.get(key);
    if (!value)
      return std::nullopt;
    auto number = value->getAsInteger();
    if (!number || *number < 0)
      problem(path + key, "expected an integer of 0 or more");
    return number;
  }

  void texts(const json::Object &object, StringRef key, const Twine &path,
             std::vector<std::string> &out) {
    const json::Value *value = object.get(key);
    if (!value)
      return;
    const json::Array *array = value->getAsArray();
    if (!array) {
      problem(path + key, "expected a list of strings");
      return;
    }
    for (auto [index, one] : enumerate(*array)) {
      auto string = one.getAsString();
      if (!string)
        problem(path + key + "[" + Twine(index) + "]", "expected a string");
      out.push_back(string ? string->str() : "");
    }
  }

  StateRole state(const json::Value &value, const std::string &path) {
    StateRole role;
    if (auto name = value.getAsString()) {
      role.name = name->str();
      return role;
    }
    const json::Object *object = value.getAsObject();
    if (!object) {
      problem(path, "expected a name, or an object with a name");
      return role;
    }
    checkNames(*object, {"name", "result", "initial", "trainable"}, path + ".");
    text(*object, "name", path + ".", role.name);
    boolean(*object, "trainable", path + ".", role.isTrainable);
    role.result = integer(*object, "result", path + ".").value_or(-1);
    if (const json::Value *initial = object->get("initial")) {
      role.initial = initial->getAsNumber();
      if (!role.initial)
        problem(path + ".initial", "expected a number");
    }
    return role;
  }

  void data(const json::Object &object, DataRole &role) {
    checkNames(object, {"arrays", "records", "shuffle", "seed"}, "data.");
    texts(object, "arrays", "data.", role.arrays);
    text(object, "records", "data.", role.records);
    boolean(object, "shuffle", "data.", role.shuffles);
    role.seed = integer(object, "seed", "data.");
    if (role.arrays.empty() == role.records.empty())
      problem("data", "expected either arrays or records");
  }

  void entries(const json::Object &object, std::vector<EntryRole> &roles) {
    for (const auto &[key, value] : object) {
      std::string path = "entries." + StringRef(key).str();
      EntryRole &role = roles.emplace_back();
      role.name = StringRef(key).str();
      const json::Object *entry = value.getAsObject();
      if (!entry) {
        problem(path, "expected an object");
        continue;
      }
      path += ".";
      checkNames(*entry, {"file", "function", "state", "inputs", "outputs"},
                 path);
      text(*entry, "file", path, role.file);
      text(*entry, "function", path, role.function);
      texts(*entry, "state", path, role.state);
      texts(*entry, "inputs", path, role.inputs);
      texts(*entry, "outputs", path, role.outputs);
    }
    // JSON objects have no order; entries have that of their names.
    sort(roles, [](const EntryRole &one, const EntryRole &other) {
      return one.name < other.name;
    });
  }

  void read(const json::Object &object, Roles &roles) {
    checkNames(object,
               {"function", "state", "initial", "batch", "outputs", "loss",
                "arguments", "data", "max_to_keep", "entries"},
               "");
    text(object, "function", "", roles.function);
    text(object, "initial", "", roles.initial);
    text(object, "loss", "", roles.loss);
    texts(object, "batch", "", roles.batch);
    texts(object, "outputs", "", roles.outputs);
    texts(object, "arguments", "", roles.arguments);
    roles.maxToKeep = integer(object, "max_to_keep", "").value_or(5);
    if (const json::Array *state = object.getArray("state"))
      for (auto [index, value] : enumerate(*state))
        roles.state.push_back(
            this->state(value, "state[" + std::to_string(index) + "]"));
    else
      problem("state", "expected a list of variables");
    if (const json::Value *value = object.get("data")) {
      if (const json::Object *found = value->getAsObject())
        data(*found, roles.data);
      else
        problem("data", "expected an object");
    }
    if (const json::Value *value = object.get("entries")) {
      if (const json::Object *found = value->getAsObject())
        entries(*found, roles.entries);
      else
        problem("entries", "expected an object");
    }
  }

private:
  std::vector<std::string> &problems;
};

} // namespace

// Returns whether brackets are nested so deeply that LLVM's parser, which calls
// itself for each, could overflow the stack.
static bool isTooDeep(StringRef text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > 100)
      return true;
  }
  return false;
}

// Whether a name can be that of a variable, and so of a node.
static bool isName(StringRef name) {
  return !name.empty() && (isAlnum(name[0]) || name[0] == '.') &&
         all_of(name, [](char c) {
           return isAlnum(c) || StringRef("_./-").contains(c);
         });
}

Roles parseRoles(StringRef text, std::vector<std::string> &problems) {
  Roles roles;
  RolesReader reader(problems);
  if (isTooDeep(text)) {
    problems.push_back("the JSON is nested too deeply");
    return roles;
  }
  Expected<json::Value> value = json::parse(text);
  if (!value) {
    problems.push_back(toString(value.takeError()));
    return roles;
  }
  const json::Object *object = value->getAsObject();
  if (!object) {
    problems.push_back("expected a JSON object");
    return roles;
  }
  reader.read(*object, roles);
  StringSet<> names;
  for (auto [index, state] : enumerate(roles.state)) {
    std::string path = "state[" + std::to_string(index) + "]";
    if (!isName(state.name))
      reader.problem(path, "'" + state.name +
                               "' is no name of a variable: expected a letter "
                               "or digit, then letters, digits and _./-");
    else if (!names.insert(StringRef(state.name).lower()).second)
      reader.problem(path, "there are two variables '" + state.name + "'");
  }
  for (const std::vector<std::string> *list : {&roles.batch, &roles.outputs}) {
    StringSet<> seen;
    StringRef field = list == &roles.batch ? "batch" : "outputs";
    for (const std::string &name : *list)
      if (!isName(name) || !seen.insert(name).second)
        reader.problem(field, "'" + name + "' is no name, or comes twice");
  }
  for (const EntryRole &entry : roles.entries)
    if (!isName(entry.name) || !all_of(entry.inputs, isName) ||
        !all_of(entry.outputs, isName))
      reader.problem("entries." + entry.name,
                     "the names of the entry, its inputs and its outputs are "
                     "letters, digits and _./-");
  return roles;
}

} // namespace ingot::stablehlo
