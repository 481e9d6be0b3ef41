//===- ShardedVariables.cpp - Variables divided among ranks ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ShardedVariables.h"

#include "runtime/Collective/BatchSliceReductionTree.h"
#include "runtime/Session/SavedVariables.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>

using namespace ingot;

// The flags by which rank 0 asks all ranks to gather. DistributedSave has the
// lower bits.
static constexpr uint8_t onWriters = 16, onFirst = 32;

/// Returns the part of a divided variable that `rank` of `size` ranks has.
static std::span<std::byte> partOf(const ingot_context &context, uint32_t index,
                                   unsigned rank, unsigned size) {
  const ingot_variable &variable = context.program->variables[index];
  BatchSliceRange run =
      BatchSliceReductionTree(variable.shards, size).runOf(rank);
  size_t bytes = variable.byte_size / variable.shards;
  return {static_cast<std::byte *>(context.variables[index]) +
              run.first * bytes,
          run.size() * bytes};
}

static void dropOtherParts(const RankGroup &ranks, const ingot_context &context,
                           uint32_t index) {
  std::span<std::byte> part =
      partOf(context, index, ranks.rank(), ranks.size());
  auto *begin = static_cast<uint8_t *>(context.variables[index]);
  auto *own = reinterpret_cast<uint8_t *>(part.data());
  context.storage.forget(begin, own);
  context.storage.forget(own + part.size(),
                         begin + context.program->variables[index].byte_size);
}

void ingot::dropOtherParts(const RankGroup &ranks,
                           const ingot_context &context) {
  for (uint32_t i = 0; i < context.program->num_variables; ++i)
    if (context.program->variables[i].shards != 0)
      ::dropOtherParts(ranks, context, i);
}

bool ShardedVariables::existIn(const ingot_program &program) {
  return std::any_of(
      program.variables, program.variables + program.num_variables,
      [](const ingot_variable &variable) { return variable.shards != 0; });
}

ShardedVariables::ShardedVariables(RankGroup &ranks, ingot_context &context,
                                   bool savesByRank)
    : theRanks(ranks), context(context) {
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    writers.push_back(
        program.variables[i].shards == 0 ? std::optional<unsigned>() : 0);
  std::vector<SavedVariableOrSlice> items =
      variableItems(program, sessionSaver(program));
  std::vector<uint32_t> shards = shardsOfItems(program, items, ranks.size());
  for (size_t i = 0; savesByRank && i < items.size(); ++i)
    if (std::optional<unsigned> &writer = writers[items[i].variable])
      writer = shards[i];
  ranks.observeVotes(this);
}

ShardedVariables::~ShardedVariables() { theRanks.stopObserving(this); }

std::optional<unsigned> ShardedVariables::writerOf(uint32_t index) const {
  return writers[index];
}

Status ShardedVariables::ask(uint8_t flag) {
  asked = flag;
  return theRanks.voteBetween();
}

Status ShardedVariables::gatherOnFirst() { return ask(onFirst); }

Status ShardedVariables::gatherOnWriters() { return ask(onWriters); }

/// Tells rank 0 which variables still have their initial values, which only
/// their writers can see.
Status ShardedVariables::shareInitial() {
  std::vector<std::byte> answers(writers.size() * theRanks.size());
  std::span own = std::span(answers).subspan(writers.size() * theRanks.rank(),
                                             writers.size());
  for (uint32_t i = 0; i < writers.size(); ++i)
    own[i] =
        std::byte(writers[i] == theRanks.rank() && hasInitialValue(context, i));
  INGOT_RETURN_IF_ERROR(theRanks.engine().gather(
      answers, std::vector<size_t>(theRanks.size(), writers.size())));
  for (uint32_t i = 0; theRanks.isFirst() && i < writers.size(); ++i)
    if (unsigned writer = writers[i].value_or(0))
      setHasInitialValue(context, i,
                         answers[writer * writers.size() + i] != std::byte());
  return Status::ok();
}

void ShardedVariables::release() {
  isGathered = false;
  ingot::dropOtherParts(theRanks, context);
}

uint8_t ShardedVariables::flags() { return asked; }

Status ShardedVariables::voted(std::span<const uint8_t> flags) {
  if (isGathered && !theRanks.isFirst())
    release();
  if ((flags[0] & (onWriters | onFirst)) == 0)
    return Status::ok();
  asked = 0;
  isGathered = true;
  ThreadActivity::ActivityScope activity("gathers optimizer state", nullptr);
  for (uint32_t i = 0; i < writers.size(); ++i)
    if (writers[i])
      INGOT_RETURN_IF_ERROR(
          gatherVariable(i, flags[0] & onFirst ? 0 : *writers[i]));
  return flags[0] & onWriters ? shareInitial() : Status::ok();
}

Status ShardedVariables::gatherVariable(uint32_t index, unsigned writer) {
  unsigned size = theRanks.size();
  std::vector<Collective::ConstBytes> send(size);
  std::vector<Collective::Bytes> receive(size);
  if (theRanks.rank() == writer) {
    for (unsigned rank = 0; rank < size; ++rank)
      receive[rank] = partOf(context, index, rank, size);
  } else {
    send[writer] = partOf(context, index, theRanks.rank(), size);
  }
  return theRanks.engine().exchange(send, receive);
}
