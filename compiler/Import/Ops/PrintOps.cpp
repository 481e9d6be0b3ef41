//===- PrintOps.cpp - Prints the table of supported ops -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Import.h"
#include "compiler/Import/ImportErrors.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"

#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace ingot::importer {

// Returns the restriction of an op as Markdown: the text in its row, or the
// attribute values that the importer rejects, such as "not with `transposed =
// true`". Returns "" for an op without restrictions.
static std::string restrictionsOf(const OpTableRow &info) {
  std::string text;
  if (!info.compute)
    return info.restriction.str();
  for (const AttributeSpec &attribute : info.compute->attributes) {
    if (attribute.kind == AttributeSpec::MustBeFalse)
      text += (text.empty() ? "`" : ", `") + attribute.name.str() + " = true`";
  }
  return text.empty() ? "" : "not with " + text;
}

static StringRef describe(Effect effect) {
  switch (effect) {
  case Effect::Pure:
    return "";
  case Effect::Reads:
    return "reads a variable";
  case Effect::Consumes:
    return "has a side effect";
  case Effect::Writes:
    return "changes state";
  case Effect::Called:
    return "does what its functions do";
  }
  return "";
}

void printOps(raw_ostream &os) {
  std::map<StringRef, const OpTableRow *> supported;
  for (const auto &row : getOpTable())
    if (!row.getKey().starts_with("_"))
      supported[row.getKey()] = &row.getValue();
  os << "# TensorFlow's ops\n\n"
        "Written by `ingot-translate --list-ops`: the importer's table of ops, "
        "and what it refuses by name.\n\n"
        "## Supported ("
     << supported.size() << ")\n\n| op | |\n|---|---|\n";
  for (const auto &[op, info] : supported) {
    std::string notes = describe(info->effect).str();
    std::string restrictions = restrictionsOf(*info);
    if (!notes.empty() && !restrictions.empty())
      notes += "; ";
    os << "| " << op << " | " << notes << restrictions << " |\n";
  }
  os << "\n## Refused by name\n\n"
        "`ingotc` lists these, and every op that is not above, with the nodes "
        "and entries that need them, and exits with 3.\n\n"
        "| op | why |\n|---|---|\n";
  std::map<std::string, std::string> refused;
  forEachRefused([&](StringRef op, StringRef why) {
    refused.try_emplace(op.str(), why.str());
  });
  for (const auto &[op, why] : refused)
    os << "| " << op << " | " << why << " |\n";
}

} // namespace ingot::importer
