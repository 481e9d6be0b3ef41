//===- GraphFlags.cpp - Flags that choose the parts of a graph ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/GraphFlags/GraphFlags.h"

#include "compiler/Import/Graph/ImportScope.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

cl::OptionCategory ingot::tools::graphFlags("graph options");

using ingot::tools::graphFlags;

static cl::list<std::string>
    step("step",
         cl::desc("run these nodes in a training step (default: all of "
                  "collection train_op)"),
         cl::value_desc("NAME,NAME"), cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string> afterStep(
    "after-step", cl::desc("run these nodes after each step, before hooks"),
    cl::value_desc("NAME,NAME"), cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string>
    observe("observe",
            cl::desc("let the trainer's --fetch read this tensor of a step"),
            cl::value_desc("TENSOR"), cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string>
    feeds("feed", cl::desc("feed this tensor instead of computing it"),
          cl::value_desc("TENSOR"), cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string> iterators(
    "iterator",
    cl::desc("draw from this iterator where the handle of one is fed"),
    cl::value_desc("NODE=ITERATOR"), cl::cat(graphFlags));
static cl::list<std::string> entries("entry",
                                     cl::desc("add this entry to the program"),
                                     cl::value_desc("NAME=feed,..->fetch,.."),
                                     cl::cat(graphFlags));
static cl::list<std::string> only(
    "only", cl::desc("compile only these entries and those that sessions need"),
    cl::value_desc("ENTRY,ENTRY"), cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string> without("without",
                                     cl::desc("leave out these entries"),
                                     cl::value_desc("ENTRY,ENTRY"),
                                     cl::CommaSeparated, cl::cat(graphFlags));
static cl::list<std::string>
    shapes("shape",
           cl::desc("feed this tensor with values of this shape: x=[?,3]"),
           cl::value_desc("TENSOR=[DIM,..]"), cl::cat(graphFlags));
static cl::opt<std::string> saver(
    "saver",
    cl::desc("use the saver in this scope (default: the graph's SaverDef)"),
    cl::value_desc("SCOPE"), cl::cat(graphFlags));
static cl::opt<std::string>
    importScope("import-scope",
                cl::desc("import the graph into this name scope, as "
                         "tf.train.import_meta_graph does"),
                cl::value_desc("SCOPE"), cl::cat(graphFlags));
cl::opt<std::string>
    ingot::tools::tagSet("tag-set",
                         cl::desc("choose a SavedModel's graph by its tags "
                                  "(default: train, else the first)"),
                         cl::value_desc("TAG,TAG"), cl::cat(graphFlags));

cl::opt<std::string> ingot::tools::roles(
    "roles",
    cl::desc("of a step in StableHLO: what its arguments and results are "
             "(default: INPUT with the suffix .json)"),
    cl::value_desc("FILE"), cl::cat(graphFlags));

/// Parses an entry to add, in the form NAME=feed,feed->fetch,fetch.
static bool
parseEntry(StringRef text,
           ingot::importer::ImportOptions::UserDefinedEntry &entry) {
  auto [name, io] = text.split('=');
  auto [feeds, fetches] = io.split("->");
  if (name.empty() || !io.contains("->"))
    return false;
  entry.name = name.str();
  auto parse = [](StringRef list, std::vector<std::string> &names) {
    SmallVector<StringRef> parts;
    list.split(parts, ',', -1, /*KeepEmpty=*/false);
    names.assign(parts.begin(), parts.end());
  };
  parse(feeds, entry.feeds);
  parse(fetches, entry.fetches);
  return true;
}

/// Parses the shape of a feed, in the form TENSOR=[?,3]. A question mark means
/// any size.
static bool parseShape(StringRef text,
                       ingot::importer::ImportOptions::FeedShape &shape) {
  auto [name, list] = text.split('=');
  if (name.empty() || !list.consume_front("[") || !list.consume_back("]"))
    return false;
  shape.tensor = name.str();
  SmallVector<StringRef> parts;
  if (!list.empty())
    list.split(parts, ',');
  for (StringRef part : parts) {
    int64_t dim = -1;
    part = part.trim();
    if (part != "?" && (part.getAsInteger(10, dim) || dim < 0))
      return false;
    shape.dims.push_back(dim);
  }
  return true;
}

bool ingot::tools::readGraphFlags(importer::ImportOptions &options) {
  options.step = step;
  options.afterStep = afterStep;
  options.observe = observe;
  options.only = only;
  options.without = without;
  options.feeds = feeds;
  options.iterators = iterators;
  options.saver = saver;
  options.importScope = importScope;
  if (!importScope.empty() && !importer::isNameScope(importScope)) {
    WithColor::error() << "--import-scope: '" << importScope
                       << "' is not a name scope: expected a letter, digit or "
                          "dot, followed by letters, digits and _./>-\n";
    return false;
  }
  for (const std::string &text : iterators) {
    auto [node, iterator] = StringRef(text).split('=');
    if (node.empty() || iterator.empty()) {
      WithColor::error() << "--iterator " << text
                         << " is not of the form NODE=ITERATOR\n";
      return false;
    }
  }
  for (const std::string &text : entries)
    if (!parseEntry(text, options.entries.emplace_back())) {
      WithColor::error() << "--entry " << text
                         << " is not of the form "
                            "NAME=feed,feed->fetch,fetch\n";
      return false;
    }
  for (const std::string &text : shapes)
    if (!parseShape(text, options.shapes.emplace_back())) {
      WithColor::error() << "--shape " << text
                         << " is not of the form TENSOR=[?,3]\n";
      return false;
    }
  return true;
}
