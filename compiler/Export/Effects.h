//===- Effects.h - The order of what has effects ----------------*- C++ -*-===//
//
// Ops of ours run in the order in which they stand; nodes of a graph in any
// that data and control edges allow. Says which control edges keep the order.
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

  /// What a node has to wait for that reads or writes a resource.
  Nodes before(const std::string &resource, bool writes) const;
  /// What one has to wait for that may touch anything.
  Nodes beforeAll() const;

  /// A node that reads or writes a resource.
  void note(const std::string &resource, bool writes, const std::string &node);
  /// A node that may have touched anything.
  void noteAll(const std::string &node);

  /// The nodes that have to run, whether or not anything uses what they give.
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
