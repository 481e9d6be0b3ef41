//===- TrainerExtension.cpp - Parts that only some trainers have ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/TrainerExtension.h"

#include "runtime/Session/Context.h"

using namespace ingot;

std::vector<FlagSpec> ingot::withOwnFlags(const TrainerExtension &extension,
                                          std::string_view verb,
                                          std::span<const FlagSpec> flags) {
  std::vector<FlagSpec> all(flags.begin(), flags.end());
  std::span<const FlagSpec> own = extension.flags(verb);
  // A verb's last flag is --help. Insert the extension's flags before it, under
  // a heading of their own if the verb's flags have headings.
  std::vector<FlagSpec> added(own.begin(), own.end());
  if (!added.empty() && !all.empty() && !all.front().help)
    added.insert(added.begin(), {"Of searches alone", nullptr, nullptr});
  all.insert(all.empty() ? all.end() : all.end() - 1, added.begin(),
             added.end());
  return all;
}

std::vector<FlagSpec> ingot::flagsOf(const ingot_program &program,
                                     std::string_view verb,
                                     std::span<const FlagSpec> flags) {
  if (const TrainerExtension *extension = extensionOf(program))
    return withOwnFlags(*extension, verb, flags);
  return {flags.begin(), flags.end()};
}

std::function<Status(const std::string &)>
ingot::checkpointCheck(const ingot_program &program, FileSystem &fileSystem) {
  const TrainerExtension *extension = extensionOf(program);
  return extension ? extension->checkpointCheck(program, fileSystem) : nullptr;
}

Status ingot::prepareState(ingot_context &context, FileSystem &fileSystem,
                           const std::string &prefix) {
  const TrainerExtension *extension = extensionOf(*context.program);
  return extension ? extension->prepareState(context, fileSystem, prefix)
                   : Status::ok();
}
