//===- ControlFlowContexts.cpp - Names in contexts of control flow --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/ControlFlowContexts.h"
#include "runtime/Checkpoint/MetaGraphWire.h"

#include <algorithm>
#include <iterator>

using namespace ingot;
using namespace ingot::wire;

namespace {

/// The numbers of those fields that contain names of nodes in a message of
/// control_flow.proto or queue_runner.proto. 0 means that the message has no
/// such field.
struct ControlFlowContextFields {
  std::string_view collection;
  uint32_t names[7];
  uint32_t values; // the field with a ValuesDef
  uint32_t nested; // the field with nested ControlFlowContextDefs
};

constexpr ControlFlowContextFields conditional = {
    "cond_context", {1, 2, 3}, 5, 6};
constexpr ControlFlowContextFields loop = {
    "while_context", {1, 5, 6, 7, 8, 10, 11}, 9, 12};
constexpr ControlFlowContextFields runner = {
    "queue_runners", {1, 2, 3, 4}, 0, 0};
constexpr const ControlFlowContextFields *all[] = {&conditional, &loop,
                                                   &runner};

// Field numbers: `values` and `external_values` of ValuesDef, then `cond_ctxt`
// and `while_ctxt` of ControlFlowContextDef.
constexpr uint32_t value = 1, externalValue = 2, ofConditional = 1, ofLoop = 2;

// No program nests its conditionals and loops deeper than this; a deeper
// message is damaged.
constexpr int maxDepth = 64;

class NodeRenamer {
public:
  NodeRenamer(const std::function<std::string(std::string_view)> &rename,
              bool &broken)
      : rename(rename), broken(broken) {}

  std::string context(const ControlFlowContextFields &fields,
                      std::string_view message, int depth);

private:
  void name(const WireField &field, std::string &out) const {
    appendMessage(out, field.number, rename(field.payload));
  }
  std::string values(std::string_view message);
  std::string nested(std::string_view message, int depth);

  const std::function<std::string(std::string_view)> &rename;
  bool &broken;
};

std::string NodeRenamer::values(std::string_view message) {
  auto editEntry = [&](const WireField &field, std::string &out) {
    name(field, out);
    return true;
  };
  auto edit = [&](const WireField &field, std::string &out) {
    if (field.number == value)
      name(field, out);
    else if (field.number == externalValue)
      appendMessage(out, field.number,
                    rewrite(field.payload, editEntry, broken));
    return field.number == value || field.number == externalValue;
  };
  return rewrite(message, edit, broken);
}

std::string NodeRenamer::nested(std::string_view message, int depth) {
  auto edit = [&](const WireField &field, std::string &out) {
    if (field.number != ofConditional && field.number != ofLoop)
      return false;
    const ControlFlowContextFields &fields =
        field.number == ofLoop ? loop : conditional;
    appendMessage(out, field.number, context(fields, field.payload, depth));
    return true;
  };
  return rewrite(message, edit, broken);
}

std::string NodeRenamer::context(const ControlFlowContextFields &fields,
                                 std::string_view message, int depth) {
  if (depth > maxDepth) {
    broken = true;
    return "";
  }
  auto edit = [&](const WireField &field, std::string &out) {
    if (field.number == 0)
      return false;
    if (std::find(std::begin(fields.names), std::end(fields.names),
                  field.number) != std::end(fields.names))
      name(field, out);
    else if (field.number == fields.values)
      appendMessage(out, field.number, values(field.payload));
    else if (field.number == fields.nested)
      appendMessage(out, field.number, nested(field.payload, depth + 1));
    else
      return false;
    return true;
  };
  return rewrite(message, edit, broken);
}

using VisitLoop = std::function<void(std::string_view,
                                     const std::vector<std::string_view> &)>;

void visitLoops(const ControlFlowContextFields &fields,
                std::string_view message, int depth, const VisitLoop &visit) {
  if (depth > maxDepth)
    return;
  if (&fields == &loop) {
    std::vector<std::string_view> tensors;
    forEach(fieldOf(message, fields.values), value,
            [&](std::string_view tensor) { tensors.push_back(tensor); });
    visit(fieldOf(message, 1), tensors);
  }
  if (fields.nested == 0)
    return;
  forEach(message, fields.nested, [&](std::string_view context) {
    forEach(context, ofConditional, [&](std::string_view inner) {
      visitLoops(conditional, inner, depth + 1, visit);
    });
    forEach(context, ofLoop, [&](std::string_view inner) {
      visitLoops(loop, inner, depth + 1, visit);
    });
  });
}

const ControlFlowContextFields *fieldsOf(std::string_view key) {
  for (const ControlFlowContextFields *fields : all)
    if (fields->collection == key)
      return fields;
  return nullptr;
}

} // namespace

bool ingot::isContextCollection(std::string_view key) {
  return fieldsOf(key) != nullptr;
}

std::string_view ingot::contextName(std::string_view element) {
  return fieldOf(element, 1);
}

std::string
ingot::renameContext(std::string_view key, std::string_view element,
                     const std::function<std::string(std::string_view)> &rename,
                     bool &broken) {
  const ControlFlowContextFields *fields = fieldsOf(key);
  return fields ? NodeRenamer(rename, broken).context(*fields, element, 0)
                : std::string(element);
}

void ingot::forEachLoop(std::string_view key, std::string_view element,
                        const VisitLoop &visit) {
  if (const ControlFlowContextFields *fields = fieldsOf(key))
    visitLoops(*fields, element, 0, visit);
}
