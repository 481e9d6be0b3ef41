//===- Collections.cpp - A MetaGraphDef's collections ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Collections.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ingot::importer {

static const proto::CollectionDef *find(const proto::MetaGraphDef &graph,
                                        llvm::StringRef collection) {
  auto it = graph.collection_def().find(collection.str());
  return it == graph.collection_def().end() ? nullptr : &it->second;
}

std::vector<std::string> getNames(const proto::MetaGraphDef &graph,
                                  llvm::StringRef collection) {
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  if (const proto::CollectionDef *def = find(graph, collection))
    for (const std::string &name : def->node_list().value())
      if (seen.insert(name).second)
        names.push_back(name);
  return names;
}

template <typename Message>
static void check(const proto::MetaGraphDef &graph, llvm::StringRef collection,
                  ImportErrors &problems) {
  const proto::CollectionDef *def = find(graph, collection);
  if (!def)
    return;
  for (auto [index, bytes] : llvm::enumerate(def->bytes_list().value()))
    if (Message message; !message.ParseFromString(bytes))
      problems.malformed("collection '" + collection + "': element " +
                         llvm::Twine(index) + " is not a " +
                         message.GetDescriptor()->name());
}

void checkCollections(const proto::MetaGraphDef &graph,
                      ImportErrors &problems) {
  for (llvm::StringRef collection :
       {"variables", "trainable_variables", "local_variables",
        "metric_variables", "global_step"})
    check<proto::VariableDef>(graph, collection, problems);
  check<proto::SaverDef>(graph, "savers", problems);
  auto checkSaver = [&](const proto::SaverDef &saver,
                        const llvm::Twine &which) {
    if (saver.save_tensor_name().empty())
      problems.malformed(which + " has no save_tensor_name");
    else if (saver.restore_op_name().empty())
      problems.malformed(which + " has no restore_op_name");
  };
  if (graph.has_saver_def())
    checkSaver(graph.saver_def(), "the graph's SaverDef");
  if (const proto::CollectionDef *def = find(graph, "savers"))
    for (auto [index, bytes] : llvm::enumerate(def->bytes_list().value()))
      if (proto::SaverDef saver; saver.ParseFromString(bytes))
        checkSaver(saver, "collection 'savers': the SaverDef of element " +
                              llvm::Twine(index));
}

std::vector<proto::VariableDef> getVariables(const proto::MetaGraphDef &graph,
                                             llvm::StringRef collection) {
  std::vector<proto::VariableDef> variables;
  if (const proto::CollectionDef *def = find(graph, collection))
    for (const std::string &bytes : def->bytes_list().value()) {
      proto::VariableDef variable;
      if (variable.ParseFromString(bytes))
        variables.push_back(std::move(variable));
    }
  return variables;
}

std::vector<proto::SaverDef> getSavers(const proto::MetaGraphDef &graph) {
  std::vector<proto::SaverDef> savers;
  llvm::StringSet<> seen;
  auto add = [&](const proto::SaverDef &saver) {
    if (!saver.save_tensor_name().empty() &&
        seen.insert(saver.save_tensor_name()).second)
      savers.push_back(saver);
  };
  if (graph.has_saver_def())
    add(graph.saver_def());
  if (const proto::CollectionDef *def = find(graph, "savers"))
    for (const std::string &bytes : def->bytes_list().value()) {
      proto::SaverDef saver;
      if (saver.ParseFromString(bytes))
        add(saver);
    }
  return savers;
}

llvm::StringRef scopeOf(const proto::SaverDef &saver) {
  llvm::StringRef name = saver.save_tensor_name();
  return name.contains('/') ? name.rsplit('/').first : name.split(':').first;
}

bool moveToFront(std::vector<proto::SaverDef> &savers, llvm::StringRef asked) {
  auto found = llvm::find_if(savers, [&](const proto::SaverDef &saver) {
    llvm::StringRef tensor = saver.save_tensor_name();
    return asked == scopeOf(saver) || asked == tensor ||
           asked == tensor.split(':').first;
  });
  if (found == savers.end())
    return false;
  std::rotate(savers.begin(), found, std::next(found));
  return true;
}

std::vector<std::string> getNodeCollections(const proto::MetaGraphDef &graph) {
  std::vector<std::string> names;
  for (const auto &[name, def] : graph.collection_def())
    if (def.has_node_list())
      names.push_back(name);
  llvm::sort(names);
  return names;
}

} // namespace ingot::importer
