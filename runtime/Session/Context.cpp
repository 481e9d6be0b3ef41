//===- Context.cpp - State of a running program ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Context.h"

#include "runtime/Session/Program.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/AsanPoison.h"
#include "runtime/Support/ThreadStopRequest.h"

#include <chrono>
#include <unistd.h>

using namespace ingot;

static uint64_t roundUp(uint64_t size) {
  return (size + INGOT_ALIGNMENT - 1) & ~uint64_t(INGOT_ALIGNMENT - 1);
}

/// The size of the gap after each variable. Under AddressSanitizer the gap may
/// not be accessed, so a write beyond the end of a variable is reported.
#ifdef __SANITIZE_ADDRESS__
static constexpr uint64_t redZone = INGOT_ALIGNMENT;
#else
static constexpr uint64_t redZone = 0;
#endif

/// Returns the number of bytes that a variable takes in the block of all
/// variables, including padding and red zone.
static uint64_t placeOf(const ingot_variable &variable) {
  return roundUp(variable.byte_size) + redZone;
}

/// Allocates all variables in one block of memory.
static Status allocateVariables(ingot_context &context) {
  const ingot_program &program = *context.program;
  uint64_t total = 0;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    uint64_t size = program.variables[i].byte_size;
    if (size > INT64_MAX / 2 - total)
      return Status(StatusCode::ResourceExhausted,
                    "out of memory: the variables up to '" +
                        std::string(program.variables[i].spec.name) +
                        "' exceed the address space");
    total += placeOf(program.variables[i]);
  }
  INGOT_ASSIGN_OR_RETURN(context.storage,
                         AlignedBuffer::allocate(total, "the variables"));
  uint64_t offset = 0;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    uint8_t *data = context.storage.data() + offset;
    context.variables.push_back(data);
    poison(data, placeOf(program.variables[i]));
    unpoison(data, program.variables[i].byte_size);
    offset += placeOf(program.variables[i]);
  }
  for (uint32_t i = 0; i < program.num_variables; ++i)
    context.initialized.push_back(
        isRandomState(program.variables[i]) ||
        (program.variables[i].flags & INGOT_VARIABLE_TEMPORARY) != 0);
  context.strings.resize(program.num_variables);
  return Status::ok();
}

void ingot::setRandomSeed(ingot_context &context, std::optional<int64_t> seed) {
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    if (!(program.variables[i].flags & INGOT_VARIABLE_RANDOM_SEED))
      continue;
    if (!seed) {
      int64_t drawn = 0;
      // getentropy() fails on old kernels that lack it. Then the time serves as
      // the seed.
      if (::getentropy(&drawn, sizeof(drawn)) != 0)
        drawn = std::chrono::system_clock::now().time_since_epoch().count();
      seed = drawn;
    }
    *static_cast<int64_t *>(changeVariable(context, i)) = *seed;
  }
}

/// Returns the host's copy of a variable, for a function of a dataset that
/// reads it. Implements InputPipelineOptions::readVariable.
static Expected<const void *> readForFunction(ingot_context *context,
                                              uint32_t variable) {
  std::string name = context->program->variables[variable].spec.name;
  if (!context->initialized[variable])
    return Status(StatusCode::FailedPrecondition,
                  "its function reads variable '" + name +
                      "', which has no value: initialize or restore it before "
                      "the iterator is used");
  if (context->device)
    INGOT_RETURN_IF_ERROR(context->device->readVariable(variable));
  return {context->variables[variable]};
}

Expected<std::unique_ptr<ingot_context>>
ingot::createContext(const ingot_program &program, uint32_t target,
                     unsigned threads, FileSystem &fileSystem,
                     const std::string &dataDirectory, const DataMap &dataMap) {
  auto context = std::make_unique<ingot_context>();
  context->program = &program;
  context->target = target;
  context->threads = threads;
  context->kernels = planKernels(program, target, threads);
  context->fileSystem = &fileSystem;
  context->dataDirectory = dataDirectory;
  context->dataMap = dataMap;
  context->exchanges = std::make_unique<BatchSliceExchanges>();
  INGOT_RETURN_IF_ERROR(allocateVariables(*context));
  context->tables.create(program);

  InputPipelineOptions options;
  options.fileSystem = &fileSystem;
  options.dataDirectory = dataDirectory;
  options.dataMap = dataMap;
  options.context = context.get();
  options.readVariable = readForFunction;
  options.stopped = [] {
    return StopSignals::interrupting() != 0 || ThreadStopRequest::requested();
  };
  for (uint32_t i = 0; i < program.num_iterators; ++i) {
    SessionDatasetIterator slot;
    INGOT_ASSIGN_OR_RETURN(slot.iterator,
                           Iterator::create(program, i, options));
    context->iterators.push_back(std::move(slot));
  }
  return context;
}

void *ingot::readVariable(const ingot_context &context, uint32_t variable) {
  // This function returns no Status: if the copy from the device fails,
  // deviceStatus() of the session returns the error.
  if (context.device)
    (void)context.device->readVariable(variable);
  return context.variables[variable];
}

void *ingot::changeVariable(ingot_context &context, uint32_t variable) {
  void *data = readVariable(context, variable);
  if (context.device)
    context.device->wroteVariable(variable);
  return data;
}

std::optional<int64_t> ingot::globalStepOf(const ingot_context &context) {
  int32_t index = context.program->global_step;
  if (index < 0)
    return std::nullopt;
  const void *data = readVariable(context, static_cast<uint32_t>(index));
  return context.program->variables[index].spec.dtype == INGOT_INT64
             ? *static_cast<const int64_t *>(data)
             : *static_cast<const int32_t *>(data);
}

Status ingot::makeIterator(ingot_context &context, uint32_t iterator) {
  SessionDatasetIterator &slot = context.iterators[iterator];
  slot.pending = false;
  if (slot.state.empty())
    return slot.iterator->make(slot.pipeline);
  // Take the restored position out of `slot`: if the program makes the iterator
  // again later, the iterator must start at its first element.
  std::string state = std::exchange(slot.state, std::string());
  return slot.iterator->restore(state).withContext(
      "iterator '" + std::string(context.program->iterators[iterator].name) +
      "'");
}
