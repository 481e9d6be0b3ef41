//===- SetCommand.cpp - trainer set ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/Feeds/FeedValue.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/SessionManager.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <cstdio>
#include <cstring>

using namespace ingot;

static constexpr FlagSpec ownSetFlags[] = {
    {"--model-dir", "DIR",
     "restore its newest checkpoint, save the new one there"},
    {"--quiet", nullptr, "print warnings and errors only"},
};
static constexpr FlagSpec helpFlag[] = {{"--help", nullptr, "print this"}};
static constexpr auto setFlags =
    joinFlags(ownSetFlags, directoryFlags, helpFlag);

namespace {

/// A variable's index and its new value.
struct VariableAssignment {
  uint32_t variable;
  FeedValue value;
};

} // namespace

/// Returns true for variables that `set` can change: numeric ones that
/// checkpoints store, other than states of random ops. Only a value from a file
/// (`fromFile`) may have a rank above 0.
static bool canBeSet(const ingot_variable &variable, bool fromFile = false) {
  return (fromFile || variable.spec.rank == 0) &&
         isNumeric(variable.spec.dtype) && !isRandomState(variable) &&
         !(variable.flags & INGOT_VARIABLE_LOCAL);
}

static UsageError unknownVariable(const ingot_program &program,
                                  const std::string &name) {
  std::string list;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if (name == variable.spec.name)
      return {"'" + name + "' is " + typeText(variable.spec) +
                  ": only scalar numbers can be set by VALUE",
              "give numbers of any shape as NAME=@FILE.npy"};
    if (!canBeSet(variable))
      continue;
    names.emplace_back(variable.spec.name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  std::string nearest = nearestName(name, names);
  return {"no variable '" + name + "'",
          !nearest.empty() ? "did you mean '" + nearest + "'?"
          : list.empty()   ? "this program has no scalar variables"
                           : "scalar variables are: " + list};
}

static std::optional<UsageError>
readAssignments(const CommandContext &command,
                std::vector<VariableAssignment> &assignments) {
  const ingot_program &program = command.program;
  if (command.flags.positionals().empty())
    return UsageError{"nothing to set: NAME=VALUE is missing", ""};
  if (!command.flags.has("--model-dir"))
    return UsageError{"--model-dir is missing: it names the folder of "
                      "checkpoints",
                      ""};
  for (const std::string &text : command.flags.positionals()) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return UsageError{"expected NAME=VALUE, found '" + text + "'", ""};
    std::string name = text.substr(0, equals);
    std::string value = text.substr(equals + 1);
    bool fromFile = value.starts_with('@');
    uint32_t index = 0;
    while (index < program.num_variables &&
           (name != program.variables[index].spec.name ||
            !canBeSet(program.variables[index], fromFile)))
      ++index;
    if (index == program.num_variables)
      return unknownVariable(program, name);
    for (const VariableAssignment &other : assignments)
      if (other.variable == index)
        return UsageError{"'" + name + "' is given twice", ""};
    VariableAssignment &assignment = assignments.emplace_back();
    assignment.variable = index;
    const ingot_tensor_spec &spec = program.variables[index].spec;
    if (Status status = fromFile ? assignment.value.read(command.fileSystem,
                                                         value.substr(1), spec)
                                 : assignment.value.parse(value, spec);
        !status.isOk())
      return UsageError{"'" + name + "': " + status.message(), ""};
  }
  return std::nullopt;
}

/// Formats a number for the log: integers in full, floating point numbers with
/// six digits.
static std::string numberText(const ingot_tensor_spec &spec, const void *data) {
  std::string text;
  if (!isFloating(spec.dtype)) {
    appendJsonTensor(text, spec, data);
    return text;
  }
  char number[32];
  std::snprintf(number, sizeof(number), "%.6g",
                elementAsDouble(spec.dtype, data));
  return number;
}

/// Assigns the values of `assignments` to the session's variables, and logs
/// each variable's previous and new value.
static void assign(CommandContext &command, Session &session,
                   const std::vector<VariableAssignment> &assignments) {
  for (const VariableAssignment &assignment : assignments) {
    const ingot_tensor_spec &spec =
        command.program.variables[assignment.variable].spec;
    void *data = changeVariable(session.context(), assignment.variable);
    if (spec.rank > 0) {
      std::memcpy(data, assignment.value.data(),
                  command.program.variables[assignment.variable].byte_size);
      command.console.log(spec.name + (": " + typeText(spec)));
      continue;
    }
    std::string line = spec.name + (": " + numberText(spec, data));
    std::memcpy(data, assignment.value.data(), dtypeSize(spec.dtype));
    command.console.log(line + " -> " + numberText(spec, data));
  }
}

/// Saves the session's state as a checkpoint with the base name `setBasename`.
/// The state includes changed variables and the restored states of hooks.
/// Returns the checkpoint's prefix.
static Expected<std::string> save(CommandContext &command,
                                  SessionManager &manager,
                                  CheckpointManagerOptions folder,
                                  Session &session) {
  std::swap(folder.basename, folder.otherBasenames.front());
  INGOT_ASSIGN_OR_RETURN(HookStates hooks, manager.restoredHookStates(session));
  int64_t step = session.globalStep();
  INGOT_ASSIGN_OR_RETURN(StateToSave state,
                         collectState(session.context(),
                                      sessionSaver(session.program()), step,
                                      std::move(hooks)));
  CheckpointManager checkpoints(command.fileSystem, std::move(folder));
  INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, checkpoints.recover());
  INGOT_ASSIGN_OR_RETURN(std::string prefix,
                         checkpoints.save(step, state.items));
  for (const std::string &warning : checkpoints.takeWarnings())
    command.console.warning(warning);
  return prefix;
}

static int runSet(CommandContext &command) {
  command.console.setQuiet(command.flags.has("--quiet"));
  std::vector<VariableAssignment> assignments;
  std::optional<UsageError> error = readAssignments(command, assignments);
  CheckpointManagerOptions folder = readModelDirectory(command, error);
  SessionOptions options = readSessionOptions(command, error);
  if (error)
    return command.usage(*error);
  if (!command.fileSystem.exists(folder.directory))
    return command.fail(
        Status(StatusCode::NotFound, "no directory '" + folder.directory + "'"),
        ExitNoCheckpoint);
  // Hold the lock from the restore to the save: a checkpoint that another
  // process saved meanwhile would be overwritten by older state.
  auto lock = lockModelDirectory(command, folder.directory);
  if (!lock)
    return command.fail(lock.status());
  auto session = Session::create(command.program, options);
  if (!session)
    return command.fail(session.status());
  CheckpointManager checkpoints(command.fileSystem, folder);
  SessionStateSource source;
  source.checkpoints = &checkpoints;
  source.mustRestore = source.writes = source.lazyIterators = true;
  SessionManager manager(source, command.console);
  if (Status status = manager.prepare(**session); !status.isOk())
    return failSession(command, status, manager.failedOnCheckpoint());
  assign(command, **session, assignments);
  auto prefix = save(command, manager, std::move(folder), **session);
  if (!prefix)
    return command.fail(prefix.status());
  command.console.log("saved '" + *prefix + "'");
  return ExitDone;
}

const TrainerSubcommand ingot::setVerb = {
    "set",
    "NAME=VALUE|@FILE.npy... --model-dir DIR [FLAGS]",
    "set variables in a new checkpoint",
    "learning_rate=0.01 --model-dir run",
    setFlags,
    runSet,
};
