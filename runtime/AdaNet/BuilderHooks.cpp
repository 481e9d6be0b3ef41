//===- BuilderHooks.cpp - Hooks of an iteration's builders ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/BuilderHooks.h"

#include "runtime/AdaNet/JsonFile.h"

using namespace ingot;
using namespace ingot::adanet;

Expected<std::vector<std::string>>
adanet::readBuilderHooks(FileSystem &fileSystem, const std::string &path,
                         bool isChief) {
  auto object = readJsonFile(fileSystem, path);
  if (!object && object.status().code() == StatusCode::NotFound)
    return std::vector<std::string>();
  if (!object)
    return object.takeStatus();
  auto list = object->find("hooks");
  if (list == object->end() || !list->is_array())
    return damagedJson(path, 0, "expected an object with a list 'hooks'");
  std::vector<std::string> hooks;
  for (const auto &hook : *list) {
    auto textOf = [&](const char *key) {
      return hook.is_object() && hook.contains(key) && hook[key].is_string()
                 ? hook[key].get<std::string>()
                 : std::string();
    };
    std::string library = textOf("library"), arguments = textOf("arguments");
    if (library.empty())
      return damagedJson(path, 0,
                         "an element of 'hooks' has no text 'library'");
    auto chiefOnly = hook.find("chief_only");
    if (!isChief && chiefOnly != hook.end() && *chiefOnly == true)
      continue;
    hooks.push_back(library + (arguments.empty() ? "" : ":" + arguments));
  }
  return hooks;
}
