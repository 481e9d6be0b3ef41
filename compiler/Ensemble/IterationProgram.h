//===- IterationProgram.h - The program of one iteration --------*- C++ -*-===//
//
// What an iteration runs, under the names that AdaNet gives to it: the entries
// of docs/guide/adanet.md, and the variables of AdaNet's checkpoints.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAM_H
#define INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAM_H

#include "compiler/Ensemble/Candidates.h"
#include "compiler/Ensemble/Mixtures.h"
#include "compiler/Ensemble/Predictor.h"

namespace ingot::ensemble {

/// The element's components by name.
adanet::Columns columnsOf(const graph::Element &element);

class IterationProgram {
public:
  /// `previous`: the ensemble so far, where there is one.
  IterationProgram(graph::Graph &graph, const adanet::Search &search,
                   const Lineage &lineage, std::optional<Candidate> previous);

  /// Adds all entries; those of `processes`, where there are several.
  void build(int64_t processes);
  /// Adds nothing but the predictions of one candidate, and what `signatures`
  /// asks for.
  void buildPredictor(const Candidate &best, const Signatures &signatures);

private:
  /// A member in the entry that is open.
  struct Built {
    std::string name, scope;
    int64_t born;
    adanet::Subnetwork network;
  };
  /// A member or ensemble, as it is trained.
  struct Trained {
    std::string scope;
    const graph::Optimizer *optimizer; // null: it stays as it is
    std::vector<graph::Variable> variables;
    graph::Tensor loss; // that variables go down on
  };
  using Component = adanet::Search::FedColumn;
  /// What an entry computes of a batch.
  struct Networks {
    std::vector<Built> members;    // of the ensemble so far, then new ones
    std::vector<Mixture> mixtures; // the ensemble so far, then new ones
  };

  std::string iterationScope() const;
  /// The columns of an element that networks see; heads see the others.
  adanet::Columns inputs(const adanet::Columns &columns) const;
  bool isLabel(const std::string &column) const;
  /// What an entry is fed in place of an element's columns, but for labels.
  adanet::Columns feed(graph::Entry &entry) const;
  std::vector<Component> fedColumns() const;
  Built buildMember(size_t index, const adanet::Features &features,
                    const std::vector<adanet::PreviousMember> &previous,
                    bool training);
  void checkParts(const Built &member) const;
  Mixture mix(const std::vector<Built> &all, const Candidate &candidate);
  Networks buildNetworks(const adanet::Columns &columns, bool training);

  void addStep();
  void keepEarlier(const Networks &networks);
  using Fetches = std::vector<std::pair<std::string, graph::Tensor>>;
  Fetches summarize(const Networks &networks,
                    const std::vector<Trained> &trained,
                    const std::vector<graph::Tensor> &losses) const;
  std::vector<Trained> addLosses(const Networks &networks,
                                 const adanet::Columns &columns,
                                 std::vector<graph::Tensor> &losses,
                                 std::vector<graph::Tensor> &adanetLosses);
  void train(const std::vector<Trained> &trained);
  bool hasOwnInput(const std::string &scope) const;
  void addOwnInput(size_t index);
  void addFirstBatch();
  void addCounters(const Networks &networks);
  void addAfterStep();
  void addGrow();
  void
  addEvaluation(const std::string &name,
                const std::function<adanet::Columns(graph::Entry &)> &read);
  void addPrediction();
  std::vector<graph::Tensor> averages();

  std::vector<Built> buildMembers(const adanet::Columns &columns,
                                  const std::vector<size_t> &wanted);
  std::vector<adanet::Figure> predict(const adanet::Columns &columns,
                                      const Candidate &best);
  std::optional<adanet::Columns> parseColumns(graph::Entry &entry,
                                              const std::string &feed) const;
  void addHeadSignature(const std::string &name, const std::string &figure,
                        const Candidate &best);
  void addMemberSignature(const std::string &name, bool ofLogits);

  graph::Graph &graph;
  const adanet::Search &search;
  const Lineage &lineage;
  /// The ensemble so far in front, where there is one.
  std::vector<Candidate> candidates;
  bool hasPrevious;
  graph::Iterator input, evaluation;
  std::vector<Component> components; // of an element of `input`
  /// Optimizers live as long as what they train is built.
  std::vector<std::unique_ptr<graph::Optimizer>> optimizers;
};

/// Adds entries `state/NAME` to a program that has `step`. They do nothing:
/// what one assigns, as it is, is what the training of that member or ensemble
/// changes, and what stays once it is done (AN-040). `owners`: their names and
/// the scopes of their variables.
void addTrainedState(
    graph::Graph &graph,
    const std::vector<std::pair<std::string, std::string>> &owners);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAM_H
