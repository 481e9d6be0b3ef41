//===- Effects.h - Control edges that keep the order of effects -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Our ops run in program order; nodes of a graph run in any order that data and
// control edges allow. This computes the control edges that keep the order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_EFFECTS_H
#define INGOT_COMPILER_EXPORT_EFFECTS_H

#include <map>
#include <string>
#include <vector>

namespace ingot::exporter {

class Effects {
public:
  using Nodes = std::vector<std::string>;

  /// The control inputs of a node that reads or writes a resource.
  Nodes before(const std::string &resource, bool writes) const;
  /// The control inputs of a node with unknown effects.
  Nodes beforeAll() const;

  /// A node that reads or writes a resource.
  void note(const std::string &resource, bool writes, const std::string &node);
  /// A node with unknown effects.
  void noteAll(const std::string &node);

  /// The nodes that must run, whether or not their outputs are used.
  const Nodes &required() const { return nodes; }

private:
  struct Access {
    std::string written;
    Nodes read;
  };
  std::map<std::string, Access> resources;
  std::string barrier;
  Nodes nodes;
};

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_EFFECTS_H
