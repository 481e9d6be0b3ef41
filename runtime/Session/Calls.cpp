//===- Calls.cpp - What compiled code asks of the runtime -----------------===//
//
// Thin: each call finds the room that does the work, and leaves a failure in
// the error slot for whoever started the compiled code.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Calls.h"

#include "runtime/Device/Parallel.h"
#include "runtime/Input/ParseExample.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/SavedState.h"
#include "runtime/Summary/SummaryCollector.h"
#include "runtime/Support/ErrorSlot.h"
#include "runtime/Support/RunMemory.h"

using namespace ingot;

int32_t ingot_rt_iterator_next(ingot_context *ctx, uint32_t iterator,
                               const void **components) {
  IteratorSlot &slot = ctx->iterators[iterator];
  if (slot.pending) {
    Status status = makeIterator(*ctx, iterator);
    if (!status.isOk())
      return recordError(std::move(status));
  }
  return recordError(slot.iterator->next(components));
}

int32_t ingot_rt_iterator_make(ingot_context *ctx, uint32_t iterator) {
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
  if (ctx->summaries)
    ctx->summaries->addScalar(tag, dtype, value);
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

void ingot_rt_parallel(ingot_context *ctx, ingot_kernel kernel, int64_t count,
                       void *const *arguments) {
  parallelFor(ctx->threads, kernel, count, arguments);
}

void *ingot_rt_allocate(ingot_context *ctx, int64_t size) {
  Expected<void *> memory = RunMemory::current()->allocate(size);
  if (memory)
    return *memory;
  recordError(memory.takeStatus());
  return nullptr;
}

void ingot_rt_release(ingot_context *ctx, void *memory) {
  RunMemory::current()->release(memory);
}
