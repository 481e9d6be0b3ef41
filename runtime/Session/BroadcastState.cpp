//===- BroadcastState.cpp - Gives all ranks the state of rank 0 -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CheckpointContents.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/ShardedVariables.h"
#include "runtime/Support/TensorSpec.h"

#include <algorithm>

using namespace ingot;

// Rank 0 broadcasts the state of its session to the other ranks (processes that
// train together). Numeric variables are sent one by one; everything else is
// packed into one string, with these parts: the global step; which variables
// are initialized; for each iterator whether it is made (or will be at its
// first element), its pipeline and its position; the elements of each string
// variable; the contents of each lookup table.
static constexpr size_t partsBefore = 2, partsOfIterator = 3;
static constexpr const char *made = "made", *pending = "pending";

static Expected<std::string> describeState(Session &session) {
  ingot_context &context = session.context();
  const ingot_program &program = *context.program;
  std::vector<std::string> parts = {std::to_string(session.globalStep()), ""};
  for (bool isInitialized : context.initialized)
    parts[1] += isInitialized ? '1' : '0';
  for (SessionDatasetIterator &slot : context.iterators) {
    bool isMade = slot.iterator->isMade();
    std::string position = slot.state;
    if (isMade) {
      INGOT_ASSIGN_OR_RETURN(position, slot.iterator->save());
    }
    parts.insert(parts.end(),
                 {isMade         ? made
                  : slot.pending ? pending
                                 : "",
                  std::to_string(slot.pipeline), std::move(position)});
  }
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    if (spec.dtype != INGOT_STRING)
      continue;
    std::vector<std::string> elements;
    auto *data = static_cast<const ingot_string *>(context.variables[i]);
    for (int64_t at = 0, e = elementCountOf(spec); at < e; ++at)
      elements.emplace_back(data[at].data ? data[at].data : "", data[at].size);
    parts.push_back(packTexts(elements));
  }
  for (size_t i = 0; i < context.tables.size(); ++i)
    parts.push_back(context.tables[i].state());
  return packTexts(parts);
}

static Status takeIterator(ingot_context &context, uint32_t iterator,
                           std::span<std::string> parts) {
  SessionDatasetIterator &slot = context.iterators[iterator];
  slot.pipeline = static_cast<uint32_t>(std::stoul(parts[1]));
  slot.state = std::move(parts[2]);
  slot.pending = parts[0] == pending;
  return parts[0] == made ? makeIterator(context, iterator) : Status::ok();
}

/// Restores the state that rank 0 has packed into `text` (describeState()).
static Status takeState(Session &session, std::string_view text) {
  ingot_context &context = session.context();
  const ingot_program &program = *context.program;
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> parts, unpackTexts(text));
  size_t numStrings = 0, next = partsBefore;
  for (uint32_t i = 0; i < program.num_variables; ++i)
    numStrings += program.variables[i].spec.dtype == INGOT_STRING;
  if (parts.size() != partsBefore + partsOfIterator * context.iterators.size() +
                          numStrings + context.tables.size() ||
      parts[1].size() != context.initialized.size())
    return Status(StatusCode::Internal,
                  "rank 0 runs another program than this rank, with other "
                  "variables, iterators or lookup tables: start all ranks with "
                  "the same executable");
  session.setGlobalStep(std::stoll(parts[0]));
  for (size_t i = 0; i < context.initialized.size(); ++i)
    context.initialized[i] = parts[1][i] == '1';
  std::span<std::string> all(parts);
  // Restore iterators last, as functions of datasets may read variables and
  // tables.
  size_t iterators = next;
  next += partsOfIterator * context.iterators.size();
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_tensor_spec &spec = program.variables[i].spec;
    if (spec.dtype != INGOT_STRING)
      continue;
    INGOT_ASSIGN_OR_RETURN(std::vector<std::string> elements,
                           unpackTexts(parts[next++]));
    if (static_cast<int64_t>(elements.size()) != elementCountOf(spec))
      return Status(StatusCode::Internal,
                    "rank 0 runs another program than this rank: variable '" +
                        std::string(spec.name) + "' has " +
                        std::to_string(elements.size()) +
                        " elements there, but is " + typeText(spec) +
                        " here: start all ranks with the same executable");
    setStrings(context, i, std::move(elements));
  }
  for (size_t i = 0; i < context.tables.size(); ++i)
    INGOT_RETURN_IF_ERROR(context.tables[i].setState(parts[next++]));
  for (uint32_t i = 0; i < context.iterators.size(); ++i)
    INGOT_RETURN_IF_ERROR(takeIterator(
        context, i,
        all.subspan(iterators + i * partsOfIterator, partsOfIterator)));
  context.deferIterators = std::any_of(
      context.iterators.begin(), context.iterators.end(),
      [](const SessionDatasetIterator &slot) { return slot.pending; });
  return Status::ok();
}

Status ingot::broadcastState(RankGroup &ranks, Session &session) {
  ingot_context &context = session.context();
  const ingot_program &program = *context.program;
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    if (variable.spec.dtype == INGOT_STRING)
      continue;
    void *data =
        ranks.isFirst() ? readVariable(context, i) : changeVariable(context, i);
    INGOT_RETURN_IF_ERROR(ranks.engine().broadcast(
        {static_cast<std::byte *>(data), variable.byte_size}, 0));
  }
  std::string text;
  if (ranks.isFirst()) {
    INGOT_ASSIGN_OR_RETURN(text, describeState(session));
  }
  INGOT_ASSIGN_OR_RETURN(text, ranks.share(std::move(text)));
  if (!ranks.isFirst())
    INGOT_RETURN_IF_ERROR(takeState(session, text));
  dropOtherParts(ranks, context);
  return Status::ok();
}
