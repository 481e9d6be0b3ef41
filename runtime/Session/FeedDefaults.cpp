//===- FeedDefaults.cpp - Defaults of feeds -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/FeedDefaults.h"

using namespace ingot;

static const ingot_entry *defaultsOf(const ingot_program &program,
                                     const ingot_entry &entry) {
  return findEntry(program, INGOT_ROLE_DEFAULTS, entry);
}

bool ingot::hasDefault(const ingot_program &program, const ingot_entry &entry,
                       std::string_view feed) {
  const ingot_entry *defaults = defaultsOf(program, entry);
  return defaults && findTensor(fetchesOf(*defaults), feed) >= 0;
}

Expected<FeedDefaults> FeedDefaults::compute(Session &session,
                                             const ingot_entry &entry) {
  FeedDefaults result;
  const ingot_entry *defaults = defaultsOf(session.program(), entry);
  if (!defaults)
    return result;
  INGOT_ASSIGN_OR_RETURN(result.bound, session.bind(*defaults));
  INGOT_RETURN_IF_ERROR(session.run(*result.bound));
  for (size_t i = 0; i < result.bound->fetches().size(); ++i) {
    ingot_tensor_spec spec = result.bound->fetchSpec(i);
    result.tensors.push_back({const_cast<void *>(result.bound->fetch(i)),
                              const_cast<int64_t *>(spec.dims), spec.rank,
                              spec.dtype});
  }
  for (const ingot_tensor_spec &feed : feedsOf(entry))
    result.ofFeed.push_back(findTensor(fetchesOf(*defaults), feed.name));
  return result;
}
