//===- ControlDependencies.h - Order of side effects ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// ingot ops run in program order, but the nodes of a graph run in any order
// that data and control edges allow. This class computes the control edges that
// keep the order of side effects: as in a reader-writer lock, a read follows
// the last write of the resource, and a write follows all reads since then.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_CONTROLDEPENDENCIES_H
#define INGOT_COMPILER_EXPORT_CONTROLDEPENDENCIES_H

#include <map>
#include <string>
#include <vector>

namespace ingot::exporter {

/// Records which nodes of one block read and write each resource, and returns
/// the control inputs that a later node needs to run in the order of the
/// block's ops.
class ControlDependencies {
public:
  using Nodes = std::vector<std::string>;

  /// Returns the control inputs of a node that reads or writes `resource`.
  Nodes before(const std::string &resource, bool writes) const;
  /// Returns the control inputs of a node with unknown effects: such a node
  /// must run after all earlier accesses of resources.
  Nodes beforeAll() const;

  /// Records that `node` reads or writes `resource`.
  void note(const std::string &resource, bool writes, const std::string &node);
  /// Records that `node` has unknown effects, so that each node that accesses a
  /// resource later gets a control input from `node`.
  void noteAll(const std::string &node);

  /// Returns the nodes that must run even if their outputs are unused: those
  /// that write a resource or have unknown effects.
  const Nodes &required() const { return nodes; }

private:
  /// The last node that wrote a resource or had unknown effects, and the nodes
  /// that have read the resource since then.
  struct LatestResourceAccesses {
    std::string written;
    Nodes read;
  };
  std::map<std::string, LatestResourceAccesses> resources;
  std::string barrier;
  Nodes nodes;
};

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_CONTROLDEPENDENCIES_H
