//===- RuntimeCalls.cpp - Calls of compiled code --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The functions that compiled code calls. Each one calls the library that does
// the work, and stores a failure in the thread's error slot, from which the
// caller of the compiled code takes it.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Calls.h"

#include "runtime/Input/ParseExample.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/RunObserver.h"
#include "runtime/Summary/SummaryCollector.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ErrorSlot.h"
#include "runtime/Support/RunArena.h"
#include "runtime/Support/ThreadActivity.h"

#include <chrono>
#include <cstring>

using namespace ingot;
using input::shapeText;

/// Passes the current element of an iterator to compiled code. Checks the
/// element's shapes first, because compiled code relies on the static
/// dimensions.
static Status describeElement(const ingot_iterator &program,
                              const Iterator &iterator, const void **data,
                              ingot_tensor *components) {
  for (uint32_t i = 0; i < program.num_components; ++i) {
    const ingot_tensor_spec &spec = program.components[i];
    std::span<const int64_t> shape = iterator.shape(i);
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      if (shape.size() != spec.rank ||
          (spec.dims[dim] >= 0 && spec.dims[dim] != shape[dim]))
        return Status(StatusCode::InvalidArgument,
                      "component " + std::to_string(i) + " of iterator '" +
                          program.name + "' is " + typeText(spec) +
                          ", but this element has shape " + shapeText(shape));
    std::copy(shape.begin(), shape.end(), components[i].dims);
    components[i].data = const_cast<void *>(data[i]);
  }
  return Status::ok();
}

/// Calls `wait`, which waits for input. If the running entry is being timed,
/// adds the duration to `waited`: the entry's schedule is chosen by its time,
/// which must not depend on how fast the input is.
template <typename Function>
static Status waitTimed(ingot_context &context, Function wait) {
  using std::chrono::steady_clock;
  if (!context.schedules || !context.schedules->turn.isTimed)
    return wait();
  steady_clock::time_point start = steady_clock::now();
  Status status = wait();
  std::chrono::nanoseconds time = steady_clock::now() - start;
  context.schedules->waited += time.count();
  return status;
}

int32_t ingot_rt_iterator_next(ingot_context *ctx, uint32_t iterator,
                               ingot_tensor *components) {
  SessionDatasetIterator &slot = ctx->iterators[iterator];
  const char *name = ctx->program->iterators[iterator].name;
  ThreadActivity::ActivityScope activity("waits for iterator", name);
  if (ctx->observer)
    ctx->observer->entered(name);
  if (slot.pending) {
    Status status = makeIterator(*ctx, iterator);
    if (!status.isOk())
      return recordError(std::move(status));
  }
  const ingot_iterator &program = ctx->program->iterators[iterator];
  std::vector<const void *> &data = slot.components;
  data.resize(program.num_components);
  Status status =
      waitTimed(*ctx, [&] { return slot.iterator->next(data.data()); });
  if (status.isOk())
    status = describeElement(program, *slot.iterator, data.data(), components);
  for (uint32_t i = 0; ctx->device && status.isOk() && i < data.size(); ++i) {
    const ingot_tensor_spec &spec = program.components[i];
    ingot_tensor held = {components[i].data, components[i].dims, spec.rank,
                         spec.dtype};
    ctx->device->hold({&held, 1});
  }
  ingot_rt_leave(ctx);
  return recordError(std::move(status));
}

int32_t ingot_rt_iterator_make(ingot_context *ctx, uint32_t iterator) {
  uint32_t pipeline = 0;
  if (uint32_t count = ctx->program->num_iterators; iterator >= count) {
    uint32_t alternative = iterator - count;
    iterator = ctx->program->alternatives[alternative].iterator;
    for (uint32_t i = 0; i <= alternative; ++i)
      pipeline += ctx->program->alternatives[i].iterator == iterator;
  }
  ctx->iterators[iterator].pipeline = pipeline;
  if (ctx->deferIterators) {
    ctx->iterators[iterator].pending = true;
    return 0;
  }
  return recordError(makeIterator(*ctx, iterator));
}

int32_t ingot_rt_save(ingot_context *ctx, uint32_t saver,
                      const ingot_string *prefix) {
  return recordError(
      saveState(*ctx, saver, std::string(prefix->data, prefix->size)));
}

int32_t ingot_rt_restore(ingot_context *ctx, uint32_t saver,
                         const ingot_string *prefix) {
  return recordError(
      restoreSaver(*ctx, saver, std::string(prefix->data, prefix->size)));
}

void ingot_rt_scalar_summary(ingot_context *ctx, const char *tag, int32_t dtype,
                             const void *value) {
  if (!ctx->summaries)
    return;
  // This function returns no Status: if the copy from the device fails,
  // deviceStatus() of the session returns the error.
  if (ctx->device)
    (void)ctx->device->readMemory(value, dtypeSize(dtype));
  ctx->summaries->addScalar(tag, dtype, value);
}

void ingot_rt_copy(ingot_context *ctx, void *to, const void *from,
                   int64_t size) {
  if (ctx->device)
    ctx->device->copy(to, from, static_cast<uint64_t>(size));
  else
    std::memmove(to, from, static_cast<size_t>(size));
}

void ingot_rt_enter(ingot_context *ctx, const char *node) {
  ThreadActivity::current().set("computes", node);
  if (ctx->observer)
    ctx->observer->entered(node);
}

void ingot_rt_leave(ingot_context *ctx) {
  if (ctx->observer)
    ctx->observer->left();
}

void ingot_rt_report_uninitialized(ingot_context *ctx, uint32_t num,
                                   const uint32_t *variables) {
  ctx->uninitialized.clear();
  for (uint32_t i = 0; i < num; ++i)
    if (!ctx->initialized[variables[i]])
      ctx->uninitialized.push_back(variables[i]);
}

int32_t ingot_rt_parse_example(ingot_context *ctx, const ingot_parse_spec *spec,
                               const ingot_string *serialized, int64_t count,
                               void *const *outputs) {
  return recordError(parseExamples(*spec, serialized, count, outputs));
}

void *ingot_rt_allocate(ingot_context *ctx, int64_t size) {
  Expected<void *> memory = RunArena::current()->allocate(size);
  if (memory)
    return *memory;
  recordError(memory.takeStatus());
  return nullptr;
}

void ingot_rt_release(ingot_context *ctx, void *memory) {
  RunArena::current()->release(memory);
}

void *ingot_rt_allocate_for_kernels(ingot_context *ctx, int64_t size) {
  void *memory = ingot_rt_allocate(ctx, size);
  if (memory && ctx->device)
    ctx->device->keep(memory, static_cast<uint64_t>(size));
  return memory;
}

void ingot_rt_release_for_kernels(ingot_context *ctx, void *memory) {
  if (ctx->device)
    ctx->device->forget(memory);
  ingot_rt_release(ctx, memory);
}
