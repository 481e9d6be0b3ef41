//===- IterationProgramBuilder.h - Builds iteration programs ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the program that trains and evaluates one iteration of an AdaNet
// search. docs/guide/adanet.md documents its entries. Its variables have the
// names that AdaNet's checkpoints use. Comments such as "(AN-186)" cite facts
// about AdaNet by their number in test/structure/adanet_facts.md.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAMBUILDER_H
#define INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAMBUILDER_H

#include "compiler/Ensemble/Candidates.h"
#include "compiler/Ensemble/Mixtures.h"
#include "compiler/Ensemble/Predictor.h"

namespace ingot::ensemble {

/// The names of two entries: one evaluates the data of AdaNet's Evaluator, and
/// the other one evaluates the data for member reports. An entry exists only if
/// the search has separate data for its purpose. The plan of the search
/// (SearchPlan.h) passes the names to trainers.
inline constexpr const char *evaluatorEntry = "evaluate/evaluator";
inline constexpr const char *reportEntry = "evaluate/reports";

/// Returns the components of a dataset's element, keyed by column name.
adanet::Columns columnsOf(const graph::Element &element);

/// Builds the program of one iteration of an AdaNet search: adds its entries
/// and variables to a graph.
class IterationProgramBuilder {
public:
  /// Prepares the program of the iteration that `lineage` describes. `previous`
  /// is the ensemble that the previous iteration has selected, or std::nullopt
  /// in iteration 0.
  IterationProgramBuilder(graph::Graph &graph, const adanet::Search &search,
                          const EnsembleLineage &lineage,
                          std::optional<Candidate> previous);

  /// Adds all entries of the program. If `processes` is more than 1, also adds
  /// an entry for each process that trains a part of the members and ensembles.
  /// This entry has only the process's part of the training step.
  void build(int64_t processes);
  /// Adds only the entries that evaluate and predict, for an iteration without
  /// new members.
  void buildFrozen();
  /// Adds only entries that predict: `predict`, which returns the predictions
  /// of candidate `best`, and the entries that `signatures` selects.
  void buildPredictor(const Candidate &best,
                      const PredictionSignatures &signatures);

private:
  /// A member (subnetwork) of an ensemble, with the tensors that its ops in the
  /// current entry compute.
  struct MemberTensors {
    std::string name, scope;
    int64_t born;
    adanet::Subnetwork network;
  };
  /// A member or an ensemble that a step trains: its optimizer, the variables
  /// that the optimizer updates, and its loss.
  struct MemberOrEnsembleToTrain {
    std::string scope;
    const graph::Optimizer *optimizer; // null if nothing trains it
    std::vector<graph::Variable> variables;
    graph::Tensor loss; // the loss to minimize
    /// The builder of the member, if it trains the member itself
    /// (Builder::hasOwnTraining). Null for any other member, and for an
    /// ensemble.
    const adanet::Builder *builder = nullptr;
    adanet::Subnetwork network = {};
  };
  using FeedColumnSpec = adanet::Search::FeedColumnSpec;
  /// All members and ensembles whose ops were added to an entry, with their
  /// outputs for one batch.
  struct MemberAndEnsembleTensors {
    std::vector<MemberTensors>
        members; // the previous ensemble's, then new ones
    // The outputs of the ensembles: first the previous ensemble, if there is
    // one, then the iteration's new candidates.
    std::vector<EnsembleTensors> mixtures;
  };

  std::string iterationScope() const;
  /// Returns the columns that are inputs of networks: all columns except those
  /// that the head reads (such as labels).
  adanet::Columns inputs(const adanet::Columns &columns) const;
  bool isLabel(const std::string &column) const;
  /// Adds a feed to `entry` for each column except labels, and returns the
  /// feeds by column name.
  adanet::Columns feed(graph::Entry &entry) const;
  std::vector<FeedColumnSpec> fedColumns() const;
  static std::string scopeOf(const adanet::Member &member);
  MemberTensors buildMember(const adanet::Member &member,
                            const adanet::Features &features, bool training);
  MemberTensors buildNew(size_t index, const adanet::Features &features,
                         bool training);
  void buildEarlier(const adanet::Features &features, bool training);
  std::vector<adanet::PreviousMember> membersBefore(int64_t iteration);
  void dropGone();
  void checkParts(const MemberTensors &member) const;
  EnsembleTensors mix(const std::vector<MemberTensors> &all,
                      const Candidate &candidate, bool training);
  const adanet::PreviousEnsemble *ensembleBefore(int64_t iteration);
  MemberAndEnsembleTensors buildNetworks(const adanet::Columns &columns,
                                         bool training);

  void addStep();
  void keepEarlier(const MemberAndEnsembleTensors &networks);
  using Fetches = std::vector<std::pair<std::string, graph::Tensor>>;
  Fetches summarize(const MemberAndEnsembleTensors &networks,
                    const std::vector<MemberOrEnsembleToTrain> &trained,
                    const std::vector<graph::Tensor> &losses) const;
  graph::Tensor shouldStop(size_t index, const MemberOrEnsembleToTrain &trained,
                           const MemberTensors &member) const;
  std::vector<MemberOrEnsembleToTrain>
  addLosses(const MemberAndEnsembleTensors &networks,
            const adanet::Columns &columns, std::vector<graph::Tensor> &losses,
            std::vector<graph::Tensor> &adanetLosses);
  void noteInstances(const std::vector<MemberOrEnsembleToTrain> &trained);
  void countUpdates();
  void train(const std::vector<MemberOrEnsembleToTrain> &trained);
  void trainByBuilder(const adanet::Builder &builder,
                      const adanet::Subnetwork &network, graph::Tensor loss,
                      const std::vector<graph::Variable> &variables,
                      graph::Tensor step);
  bool hasOwnInput(const std::string &scope) const;
  void addOwnInput(size_t index);
  void addFirstBatch();
  void addCounters(const MemberAndEnsembleTensors &networks);
  void addAfterStep();
  void addGrow();
  void addNumbers();
  void addEvaluations();
  void addEvaluation(const std::string &name,
                     const std::function<adanet::Columns(graph::Entry &)> &read,
                     bool isFed = false);
  /// A metric of an ensemble or a member, and the variables that hold its sums
  /// over the batches of an evaluation.
  struct MetricAccumulators {
    std::string fetch, prefix; // "ensemble/NAME/METRIC", "ensemble/NAME/"
    adanet::Metric metric;
    std::vector<graph::Variable> variables;
  };
  void addMetrics(const std::string &prefix, graph::Tensor logits,
                  const adanet::Columns &columns,
                  const adanet::Builder *builder,
                  std::vector<MetricAccumulators> &totals);
  void addMetricsEntry(const std::string &name,
                       const std::vector<MetricAccumulators> &totals);
  void addPrediction();
  std::map<std::string, std::vector<std::string>> factsOfOwnCandidates() const;
  std::vector<graph::Tensor> averages();

  std::vector<MemberTensors> buildMembers(const adanet::Columns &columns,
                                          const std::vector<size_t> &wanted);
  /// Returns the predictions that the head computes from the logits of ensemble
  /// `best`. `others`, if not null, receives additional predictions of the
  /// ensembler.
  std::vector<adanet::NamedTensor>
  predict(const adanet::Columns &columns, const Candidate &best,
          std::vector<adanet::NamedTensor> *others = nullptr);
  void addEnsembleSignature(const std::string &name, const Candidate &best);
  std::optional<adanet::Columns> parseColumns(graph::Entry &entry,
                                              const std::string &feed) const;
  void addHeadSignature(const std::string &name, const std::string &figure,
                        const Candidate &best);
  void addMemberSignature(const std::string &name, bool ofLogits);

  graph::Graph &graph;
  const adanet::Search &search;
  const EnsembleLineage &lineage;
  /// The candidate ensembles among which the iteration selects. The first one
  /// is the previous ensemble, if there is one (`hasPrevious`).
  std::vector<Candidate> candidates;
  bool hasPrevious;
  /// The members and ensembles that the entry under construction contains so
  /// far. `members` are those of earlier iterations (`lineage.members`, then
  /// `lineage.gone`). `ensembles` are the earlier ensembles that builders have
  /// requested, keyed by full name.
  struct EntryPointMembersAndEnsembles {
    std::string entry;
    std::vector<MemberTensors> members;
    std::map<std::string, adanet::PreviousEnsemble> ensembles;
  };
  EntryPointMembersAndEnsembles &networksOfEntry();
  EntryPointMembersAndEnsembles openEntry;
  graph::Iterator input, evaluation;
  std::vector<FeedColumnSpec> components; // the columns of `input`
  /// The optimizers that `MemberOrEnsembleToTrain::optimizer` points to. They
  /// must live until the graph has created their slot variables.
  std::vector<std::unique_ptr<graph::Optimizer>> optimizers;
  /// The scopes of all members and ensembles that share an optimizer, keyed by
  /// the optimizer's name (Optimizer::instance).
  std::map<std::string, std::vector<std::string>> trainedByInstance;
};

/// Builds the program of the last iteration in `finished`, which the prune
/// command has made. Such an iteration trains nothing, so the program only
/// evaluates and predicts with the pruned ensemble. `reports` are the member
/// reports of earlier iterations, which generators receive. Returns false on
/// errors, which graph.errors() lists.
bool buildPrunedIteration(
    const adanet::Search &search,
    const std::vector<adanet::FinishedIteration> &finished,
    const std::vector<adanet::MemberReport> &reports, graph::Graph &graph);

/// Adds an entry of role member_state for each of `owners` to a program that
/// has a step. An owner is a member or an ensemble, given by its name and the
/// scope of its variables. For each variable that the owner's training changes,
/// the entry assigns the variable's own value to it. So running the entry has
/// no effect; it only tells the runtime which variables to freeze when the
/// owner has finished training (AN-040).
///
/// `facts` has, keyed by the owner's name, strings that the runtime cannot
/// derive from that name. Each becomes the name of a fetch of the owner's
/// entry, from which the runtime reads the string.
void addMemberStateEntries(
    graph::Graph &graph,
    const std::vector<std::pair<std::string, std::string>> &owners,
    const std::map<std::string, std::vector<std::string>> &facts = {});

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ITERATIONPROGRAMBUILDER_H
