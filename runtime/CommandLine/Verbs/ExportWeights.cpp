//===- ExportWeights.cpp - trainer export --weights -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/ExportWeights.h"

#include "runtime/Checkpoint/KerasWeights.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/CommandLine/Verbs/SaverFlags.h"
#include "runtime/Formats/OutputFile.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/Session.h"
#include "runtime/Support/DType.h"

#include <map>

using namespace ingot;

static constexpr std::string_view kerasSuffix = ".weights.h5",
                                  safetensorsSuffix = ".safetensors",
                                  npzSuffix = ".npz";

std::optional<UsageError> ingot::checkWeightsFile(const std::string &path) {
  for (std::string_view suffix : {kerasSuffix, safetensorsSuffix, npzSuffix})
    if (path.ends_with(suffix))
      return std::nullopt;
  return UsageError{"--weights: '" + path +
                        "' must end in .weights.h5, .npz or .safetensors",
                    ""};
}

namespace {

/// The variables of a checkpoint, looked up by their names in the graph.
class SavedVariables {
public:
  static Expected<SavedVariables> open(const CommandContext &command,
                                       const std::string &prefix);

  const ingot_program &program() const { return *owner; }
  const CheckpointReader &reader() const { return *file; }
  /// Returns the checkpoint key under which variable `name` is stored.
  Expected<std::string> keyOf(const std::string &name) const;
  /// Returns variable `name` as an item that is saved under the name `path`.
  /// Returns NotFound if the checkpoint lacks the variable.
  Expected<TensorToSave> item(const std::string &name, std::string path) const;

private:
  Expected<TensorToSave> initial(const std::string &name,
                                 TensorToSave item) const;

  const ingot_program *owner = nullptr;
  std::string prefix;
  std::unique_ptr<CheckpointReader> file;
  ObjectCheckpointNames objects;
  // The checkpoint key of each variable, keyed by the variable's name, as the
  // program's saver states it.
  std::map<std::string, std::string> keys;
};

Expected<SavedVariables> SavedVariables::open(const CommandContext &command,
                                              const std::string &prefix) {
  SavedVariables variables;
  variables.owner = &command.program;
  variables.prefix = prefix;
  INGOT_ASSIGN_OR_RETURN(variables.file,
                         CheckpointReader::open(command.fileSystem, prefix));
  INGOT_ASSIGN_OR_RETURN(variables.objects,
                         ObjectCheckpointNames::read(*variables.file));
  for (uint32_t i = 0; i < command.program.num_variables; ++i)
    variables.keys.emplace(command.program.variables[i].spec.name,
                           variableKey(command.program, i));
  return variables;
}

Expected<std::string> SavedVariables::keyOf(const std::string &name) const {
  auto saved = keys.find(name);
  if (saved != keys.end() &&
      (file->find(saved->second) || saved->second.starts_with("ingot/")))
    return saved->second;
  return objects.keyOf(*file, name);
}

Expected<TensorToSave> SavedVariables::item(const std::string &name,
                                            std::string path) const {
  INGOT_ASSIGN_OR_RETURN(std::string key, keyOf(name));
  const CheckpointEntry *entry = file->find(key);
  TensorToSave item;
  item.key = std::move(path);
  if (!entry)
    return initial(name, std::move(item));
  item.dtype = entry->dtype;
  item.shape = entry->shape;
  item.load = [this, key] { return readTensor(*file, key); };
  return item;
}

/// Completes `item` for a variable that the checkpoint lacks. A checkpoint
/// omits a variable that still has its initial value, if this value is the same
/// in every run (collectState()); `item` then gets the initial value. Returns
/// NotFound for any other variable.
Expected<TensorToSave> SavedVariables::initial(const std::string &name,
                                               TensorToSave item) const {
  const ingot_entry *init = findEntry(*owner, INGOT_ROLE_INIT);
  for (uint32_t i = 0; i < owner->num_variables; ++i) {
    const ingot_variable &variable = owner->variables[i];
    if (name != variable.spec.name || !init || init->num_feeds != 0 ||
        !(variable.flags & INGOT_VARIABLE_CONSTANT_INIT) ||
        variable.spec.dtype == INGOT_STRING)
      continue;
    SessionOptions options;
    options.threads = 1;
    options.device = "cpu";
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                           Session::create(*owner, options));
    INGOT_RETURN_IF_ERROR(session->runOnce(*init));
    item.dtype = variable.spec.dtype;
    item.shape = shapeOf(variable.spec);
    item.load = [bytes = std::string(static_cast<const char *>(
                                         readVariable(session->context(), i)),
                                     variable.byte_size)]() {
      return Expected<TensorData>(TensorData{bytes, {}});
    };
    return item;
  }
  return Status(StatusCode::NotFound,
                "'" + prefix + "' has no variable '" + name + "'");
}

} // namespace

/// Returns all saved variables except optimizers' slots, the global step and
/// states of random ops: the weights of a graph that does not come from Keras.
static Expected<std::vector<TensorToSave>>
allWeights(const SavedVariables &variables) {
  const ingot_program &program = variables.program();
  std::vector<TensorToSave> items;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if ((variable.flags & (INGOT_VARIABLE_LOCAL | INGOT_VARIABLE_TEMPORARY)) ||
        isRandomState(variable) ||
        static_cast<int32_t>(i) == program.global_step)
      continue;
    std::string name = variable.spec.name;
    INGOT_ASSIGN_OR_RETURN(std::string key, variables.keyOf(name));
    if (isOptimizerSlot(variables.reader(), key) ||
        isOptimizerSlot(variables.reader(), name))
      continue;
    INGOT_ASSIGN_OR_RETURN(TensorToSave item, variables.item(name, name));
    items.push_back(std::move(item));
  }
  return items;
}

Expected<size_t> ingot::exportWeights(const CommandContext &command,
                                      const std::string &path,
                                      const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(std::string metaGraph,
                         embeddedMetaGraph(command.program));
  INGOT_ASSIGN_OR_RETURN(KerasWeights keras, kerasWeightsOf(metaGraph));
  INGOT_ASSIGN_OR_RETURN(SavedVariables variables,
                         SavedVariables::open(command, prefix));
  bool isKerasFile = path.ends_with(kerasSuffix);
  if (isKerasFile && keras.empty())
    return Status(StatusCode::InvalidArgument,
                  "the graph does not name Keras's weights; only graphs that "
                  "ingot.export() makes of Keras models do: write .npz or "
                  ".safetensors");
  std::vector<TensorToSave> items;
  if (keras.empty()) {
    INGOT_ASSIGN_OR_RETURN(items, allWeights(variables));
  }
  for (const auto &[place, name] : keras.arrays) {
    if (!isKerasFile && KerasWeights::isOfTraining(place))
      continue;
    INGOT_ASSIGN_OR_RETURN(TensorToSave item,
                           variables.item(name, isKerasFile ? place : name));
    items.push_back(std::move(item));
  }
  FileSystem &fileSystem = command.fileSystem;
  auto leaveOut = [&](const TensorToSave &item, const std::string &why) {
    command.console.warning("'" + item.key + "' " + why + "; left out");
  };
  if (path.ends_with(npzSuffix))
    return writeNpz(fileSystem, path, /*force=*/false, items, leaveOut);
  if (isKerasFile) {
    INGOT_RETURN_IF_ERROR(writeH5(fileSystem, path, keras.groups, items));
    return items.size();
  }
  std::erase_if(items, [&](const TensorToSave &item) {
    bool fits = fitsSafetensors(item.dtype);
    if (!fits)
      leaveOut(item, "is " + dtypeName(item.dtype) +
                         ", which safetensors files cannot hold");
    return !fits;
  });
  INGOT_RETURN_IF_ERROR(
      writeSafetensors(fileSystem, path, /*force=*/false, items));
  return items.size();
}
