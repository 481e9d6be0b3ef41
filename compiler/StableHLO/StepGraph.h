//===- StepGraph.h - The MetaGraphDef of a StableHLO step -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Variables with their first values, input pipelines, the training step, and
// further entries: what the Python package writes of steps of JAX.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_STEPGRAPH_H
#define INGOT_COMPILER_STABLEHLO_STEPGRAPH_H

#include "compiler/StableHLO/Roles.h"
#include "compiler/StableHLO/Translation.h"
#include "proto/MetaGraph.pb.h"

namespace ingot::stablehlo {

/// The files that the file of roles names. Relative names start at the folder
/// of this file.
class RoleFiles {
public:
  explicit RoleFiles(llvm::StringRef folder) : folder(folder) {}
  std::string path(llvm::StringRef name) const;

private:
  std::string folder;
};

/// Initial values by the names of variables.
class InitialValues {
public:
  /// Opens `file`; "" stands for no values. Returns an error message, or "".
  std::string open(const RoleFiles &files, llvm::StringRef file);
  /// Whether the values are in a checkpoint, which the importer reads.
  const std::string &checkpoint() const { return prefix; }
  /// Finds the value of a variable: null elements for one in a checkpoint. On
  /// failure sets `error`.
  std::shared_ptr<const Elements>
  find(llvm::StringRef name, const TensorType &type, std::string &error) const;
  /// Adds the bytes of the file to a hash, unless it is a checkpoint.
  const std::string &archive() const { return npz; }

private:
  std::string prefix, npz;
};

/// Builds the MetaGraphDef.
class StepGraph {
public:
  StepGraph(const Module &module, const Roles &roles, const RoleFiles &files,
            llvm::StringRef moduleName, proto::MetaGraphDef &meta);

  /// Adds the training step. Problems are collected in `problems`.
  void addStep();
  /// Adds an entry of `function`, which is in `from`.
  void addEntry(const EntryRole &role, const Module &from,
                llvm::StringRef fileName);
  /// Adds the saver and the collections. Nothing can be added after.
  void finish();

  importer::ImportErrors &problems() { return errors; }
  /// The tensors of the step's outputs besides the loss.
  const std::vector<std::string> &observed() const { return metrics; }
  const InitialValues &initialValues() const { return initial; }

private:
  struct Variable {
    std::string name;
    TensorType type;
    Tensor handle;
  };

  // StepGraph.cpp
  const Function *stepFunction();
  bool checkStep(const Function &step);
  Tensor addVariable(llvm::StringRef name, const Tensor &value,
                     bool isTrainable);
  void addState(const Function &step);
  Tensor read(const Variable &variable, llvm::StringRef scope,
              std::string *node = nullptr);
  void endStep(llvm::ArrayRef<Tensor> results,
               std::vector<std::string> assigns);
  void collect(llvm::StringRef collection, llvm::StringRef node);
  int64_t resultOf(size_t state) const;
  void roleProblem(const llvm::Twine &message);

  // StepData.cpp
  Tensors addBatch(const Function &step);
  Tensor addArray(const std::string &name, const TensorType &batch,
                  int64_t &count);
  Tensor addArchived(const std::string &name, const TensorType &example,
                     int64_t &count);
  std::optional<Tensor> addRecords(llvm::ArrayRef<TensorType> batch,
                                   int64_t &count);
  std::string addDecoder(const TensorType &example);
  std::string addParser(llvm::ArrayRef<TensorType> examples,
                        llvm::ArrayRef<std::string> stored);
  Tensor shuffled(const Tensor &dataset, int64_t buffer,
                  const AttributeMap &types);
  Tensor text(llvm::StringRef value);

  const Module &module;
  const Roles &roles;
  const RoleFiles &files;
  std::string moduleName;
  proto::MetaGraphDef &meta;
  GraphBuilder builder;
  Translation translation;
  importer::ImportErrors errors;
  InitialValues initial;
  std::vector<Variable> variables;
  /// Variables that the saver saves.
  std::vector<Variable> saved;
  std::vector<std::string> metrics;
  int64_t stepsPerEpoch = 0;
};

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_STEPGRAPH_H
