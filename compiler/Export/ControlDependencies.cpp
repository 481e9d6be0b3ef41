//===- ControlDependencies.cpp - Order of side effects --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/ControlDependencies.h"

namespace ingot::exporter {

ControlDependencies::Nodes
ControlDependencies::before(const std::string &resource, bool writes) const {
  Nodes result;
  auto found = resources.find(resource);
  if (found == resources.end()) {
    if (!barrier.empty())
      result.push_back(barrier);
    return result;
  }
  if (!found->second.written.empty())
    result.push_back(found->second.written);
  if (writes)
    result.insert(result.end(), found->second.read.begin(),
                  found->second.read.end());
  return result;
}

ControlDependencies::Nodes ControlDependencies::beforeAll() const {
  Nodes result;
  if (!barrier.empty())
    result.push_back(barrier);
  for (const auto &[name, access] : resources) {
    if (!access.written.empty())
      result.push_back(access.written);
    result.insert(result.end(), access.read.begin(), access.read.end());
  }
  return result;
}

void ControlDependencies::note(const std::string &resource, bool writes,
                               const std::string &node) {
  LatestResourceAccesses &access =
      resources.try_emplace(resource, LatestResourceAccesses{barrier, {}})
          .first->second;
  if (!writes) {
    access.read.push_back(node);
    return;
  }
  access.written = node;
  access.read.clear();
  nodes.push_back(node);
}

void ControlDependencies::noteAll(const std::string &node) {
  resources.clear();
  barrier = node;
  nodes.push_back(node);
}

} // namespace ingot::exporter
