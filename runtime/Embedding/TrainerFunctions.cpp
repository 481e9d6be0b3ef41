//===- TrainerFunctions.cpp - The functions of ingot/trainer.h ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Embedding/TrainerFunctions.h"

#include "runtime/Device/FlushDenormals.h"
#include "runtime/Embedding/ProgramDescription.h"
#include "runtime/Embedding/Trainer.h"

#include <cstring>

using namespace ingot;
using namespace ingot::embedding;

static_assert(INGOT_TRAINER_END == static_cast<int>(StatusCode::OutOfRange) &&
              INGOT_TRAINER_INVALID_ARGUMENT ==
                  static_cast<int>(StatusCode::InvalidArgument) &&
              INGOT_TRAINER_DATA_LOSS ==
                  static_cast<int>(StatusCode::DataLoss));

namespace {

/// The C++ object that implements a trainer of the C interface. Callers have a
/// pointer to its base class ingot_trainer.
struct TrainerHandle : ingot_trainer {
  std::unique_ptr<Trainer> trainer;
  std::string error; // message of the last call's failure; "" if it was ok

  /// Stores the message of a call's status in `error`, and returns the status
  /// code for the caller.
  int32_t keep(Status status) {
    if (status.isOk())
      error.clear();
    else
      error = status.message();
    return static_cast<int32_t>(status.code());
  }
};

} // namespace

static TrainerHandle &handleOf(ingot_trainer *trainer) {
  return *static_cast<TrainerHandle *>(trainer);
}

static Status nullArgument(const char *what) {
  return Status(StatusCode::InvalidArgument, std::string(what) + " is null");
}

/// Implements a function of the C interface: calls `function` with the trainer,
/// stores its status, and returns the status code. Denormals are flushed during
/// the call as in compiled code.
template <typename FunctionT>
static int32_t call(ingot_trainer *trainer, FunctionT function) {
  ScopedFlushDenormals scope;
  TrainerHandle &handle = handleOf(trainer);
  return handle.keep(function(*handle.trainer));
}

/// Stores a tensor in the caller's `value`. Returns the error if there is no
/// tensor.
static Status give(Expected<ingot_trainer_tensor> tensor,
                   ingot_trainer_tensor &value) {
  if (!tensor)
    return tensor.takeStatus();
  value = *tensor;
  return Status::ok();
}

static Status checkFeeds(const ingot_trainer_tensor *feeds, size_t count) {
  return feeds || count == 0
             ? Status::ok()
             : Status(StatusCode::InvalidArgument,
                      std::to_string(count) + " feeds are given, but the "
                                              "pointer to their array is null");
}

static Expected<TrainerOptions>
readOptions(const ingot_trainer_options *given) {
  TrainerOptions options;
  if (!given) {
    options.readOnly = true;
    return options;
  }
  // Rejects version 0, which means that the caller has not initialized the
  // options, and newer versions, whose options may have members unknown here.
  if (given->version == 0 || given->version > INGOT_TRAINER_VERSION)
    return Status(StatusCode::InvalidArgument,
                  "options.version is " + std::to_string(given->version) +
                      ", expected 1 to " +
                      std::to_string(INGOT_TRAINER_VERSION) +
                      ": initialize options with INGOT_TRAINER_OPTIONS");
  options.readOnly = given->read_only != 0;
  options.modelDirectory = given->model_dir ? given->model_dir : "";
  if (!given->flags && given->num_flags != 0)
    return nullArgument("options.flags");
  for (size_t i = 0; i < given->num_flags; ++i) {
    if (!given->flags[i])
      return nullArgument(("options.flags[" + std::to_string(i) + "]").c_str());
    options.flags.emplace_back(given->flags[i]);
  }
  if (given->log)
    options.log = [log = given->log, state = given->log_state](
                      Console::Kind kind, const std::string &message) {
      log(state, static_cast<int32_t>(kind), message.c_str());
    };
  return options;
}

/// Calls the caller's init function with `handle`. If the function fails and
/// its last call with `handle` has failed, too, returns the message of that
/// call.
static Status callInit(const ingot_trainer_options &given,
                       TrainerHandle &handle) {
  int32_t code = given.init_fn(&handle, given.init_state);
  if (code == INGOT_TRAINER_OK)
    return Status::ok();
  bool isKnown = code > 0 && code <= INGOT_TRAINER_DATA_LOSS;
  return Status(isKnown ? static_cast<StatusCode>(code) : StatusCode::Unknown,
                handle.error.empty() ? "returned " + std::to_string(code)
                                     : handle.error);
}

/// Opens the trainer of `handle`, which the init function receives as its
/// argument.
static Status open(const ingot_program &program, FileSystem &fileSystem,
                   const ingot_trainer_options *given, bool recovers,
                   TrainerHandle &handle) {
  INGOT_ASSIGN_OR_RETURN(TrainerOptions options, readOptions(given));
  options.recovers = recovers;
  // Copy the caller's struct, which may be gone when a later call, such as
  // ingot_trainer_restore(), initializes the model again.
  if (given && given->version >= 2 && given->init_fn)
    options.initFunction = [given = *given, &handle] {
      return callInit(given, handle);
    };
  handle.functions = &embedding::trainerFunctions;
  handle.trainer =
      std::make_unique<Trainer>(program, fileSystem, std::move(options));
  return handle.trainer->open();
}

int32_t embedding::openTrainer(const ingot_program &program,
                               FileSystem &fileSystem,
                               const ingot_trainer_options *options,
                               ingot_trainer **trainer, char *message,
                               size_t messageSize, int32_t *initialized) {
  ScopedFlushDenormals scope;
  auto handle = std::make_unique<TrainerHandle>();
  Status status =
      open(program, fileSystem, options, initialized != nullptr, *handle);
  if (!status.isOk()) {
    (void)ingot_trainer_refuse_(message, messageSize, status.message().c_str());
    return static_cast<int32_t>(status.code());
  }
  handle->error.clear();
  if (initialized)
    *initialized = handle->trainer->isInitialized();
  *trainer = handle.release();
  return INGOT_TRAINER_OK;
}

static int32_t openLibrary(const ingot_trainer_library *library,
                           const ingot_trainer_options *options,
                           ingot_trainer **trainer, char *message,
                           size_t messageSize) {
  return openTrainer(*static_cast<const ingot_program *>(library->program),
                     FileSystem::posix(), options, trainer, message,
                     messageSize);
}

static int32_t recoverLibrary(const ingot_trainer_library *library,
                              const ingot_trainer_options *options,
                              ingot_trainer **trainer, int32_t *initialized,
                              char *message, size_t messageSize) {
  int32_t flag = 0;
  return openTrainer(*static_cast<const ingot_program *>(library->program),
                     FileSystem::posix(), options, trainer, message,
                     messageSize, initialized ? initialized : &flag);
}

static void closeTrainer(ingot_trainer *trainer) {
  ScopedFlushDenormals scope;
  delete &handleOf(trainer);
}

static const ingot_trainer_program *
describeLibrary(const ingot_trainer_library *library) {
  return &describeProgram(
      *static_cast<const ingot_program *>(library->program));
}

static const char *errorOf(const ingot_trainer *trainer) {
  return static_cast<const TrainerHandle *>(trainer)->error.c_str();
}

static int64_t stepsOf(const ingot_trainer *trainer) {
  return static_cast<const TrainerHandle *>(trainer)->trainer->globalStep();
}

static int32_t step(ingot_trainer *trainer, const ingot_trainer_tensor *feeds,
                    size_t count) {
  return call(trainer, [&](Trainer &run) -> Status {
    INGOT_RETURN_IF_ERROR(checkFeeds(feeds, count));
    INGOT_ASSIGN_OR_RETURN(bool goesOn, run.step({feeds, count}));
    return goesOn ? Status::ok()
                  : Status(StatusCode::OutOfRange,
                           "the run has ended at step " +
                               std::to_string(run.globalStep()));
  });
}

static int32_t runEntry(ingot_trainer *trainer, const char *entry,
                        const ingot_trainer_tensor *feeds, size_t count) {
  return call(trainer, [&](Trainer &run) -> Status {
    INGOT_RETURN_IF_ERROR(checkFeeds(feeds, count));
    return entry ? run.run(entry, {feeds, count}) : nullArgument("the entry");
  });
}

static int32_t fetch(ingot_trainer *trainer, const char *name,
                     ingot_trainer_tensor *value) {
  return call(trainer, [&](Trainer &run) {
    return !name    ? nullArgument("the name")
           : !value ? nullArgument("the pointer to the result")
                    : give(run.fetch(name), *value);
  });
}

static int32_t copyFetch(ingot_trainer *trainer, size_t index,
                         void *destination, uint64_t size) {
  return call(trainer, [&](Trainer &run) -> Status {
    INGOT_ASSIGN_OR_RETURN(ingot_trainer_tensor value, run.fetch(index));
    if (size != value.size)
      return Status(StatusCode::InvalidArgument,
                    "fetch '" + std::string(value.name) + "' has " +
                        std::to_string(value.size) +
                        " bytes, but the size of the buffer is " +
                        std::to_string(size));
    if (size != 0 && !destination)
      return nullArgument("the destination");
    if (size != 0)
      std::memcpy(destination, value.data, size);
    return Status::ok();
  });
}

static int32_t readVariableOf(ingot_trainer *trainer, const char *name,
                              ingot_trainer_tensor *value) {
  return call(trainer, [&](Trainer &run) {
    return !name    ? nullArgument("the name")
           : !value ? nullArgument("the pointer to the result")
                    : give(run.read(name), *value);
  });
}

static int32_t writeVariable(ingot_trainer *trainer,
                             const ingot_trainer_tensor *value) {
  return call(trainer, [&](Trainer &run) {
    return value ? run.write(*value) : nullArgument("the value");
  });
}

static int32_t save(ingot_trainer *trainer) {
  return call(trainer, [](Trainer &run) { return run.save(); });
}

static int32_t restore(ingot_trainer *trainer, const char *checkpoint) {
  return call(trainer, [&](Trainer &run) {
    return run.restore(checkpoint ? checkpoint : "");
  });
}

static int32_t evaluateEntry(ingot_trainer *trainer, const char *entry,
                             int64_t batches,
                             const ingot_trainer_metric **metrics,
                             size_t *count) {
  return call(trainer, [&](Trainer &run) -> Status {
    INGOT_RETURN_IF_ERROR(run.evaluate(entry ? entry : "", batches));
    if (metrics)
      *metrics = run.metrics().data();
    if (count)
      *count = run.metrics().size();
    return Status::ok();
  });
}

const ingot_trainer_functions embedding::trainerFunctions = {
    .open = openLibrary,
    .close = closeTrainer,
    .describe = describeLibrary,
    .error = errorOf,
    .global_step = stepsOf,
    .step = step,
    .run = runEntry,
    .fetch = fetch,
    .copy = copyFetch,
    .read = readVariableOf,
    .write = writeVariable,
    .save = save,
    .restore = restore,
    .evaluate = evaluateEntry,
    .recover = recoverLibrary,
};
