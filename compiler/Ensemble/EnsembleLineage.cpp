//===- EnsembleLineage.cpp - The ensemble's members over iterations -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/EnsembleLineage.h"

#include "compiler/Ensemble/SearchFile.h"

#include <algorithm>

using namespace ingot::adanet;

namespace ingot::ensemble {

using Builders = std::vector<std::shared_ptr<const Builder>>;

static std::string quoted(const std::string &text) { return "'" + text + "'"; }

static std::string namesOf(const Builders &builders) {
  std::string text;
  for (const auto &builder : builders)
    text += (text.empty() ? "" : ", ") + quoted(builder->name());
  return text;
}

/// Checks that builder names are unique (AN-033) and valid in the names of
/// files and variables (AN-174).
static bool checkNames(const Builders &builders, int64_t iteration,
                       std::string &error) {
  std::string of = " of iteration " + std::to_string(iteration);
  if (builders.empty()) {
    error = "the search's generators have no builder for iteration " +
            std::to_string(iteration);
    return false;
  }
  std::vector<std::string> seen;
  for (const auto &builder : builders) {
    std::string name = builder->name();
    if (!isPlainName(name)) {
      error =
          "builder " + quoted(name) + of +
          ": expected a name of at most 128 letters, digits, '_', '.' and '-'";
      return false;
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      error = "duplicate builder name" + of + ": " + quoted(name) +
              "; give each builder a name of its own";
      return false;
    }
    seen.push_back(name);
  }
  return true;
}

/// Calls all generators of the search for iteration `iteration`, and returns
/// their builders. `lineage` has the previous ensemble, and `weights` has the
/// norms of the mixture weights of that ensemble's members. If a builder's name
/// is invalid, sets `error` and returns std::nullopt.
static std::optional<Builders>
generate(const Search &search, int64_t iteration,
         const EnsembleLineage &lineage, const std::vector<double> &weights,
         const std::vector<MemberReport> &reports, std::string &error) {
  // Pass the generators only reports of iterations before `iteration` (AN-198).
  std::vector<MemberReport> earlier;
  for (const MemberReport &report : reports)
    if (report.iteration < iteration)
      earlier.push_back(report);
  Builders builders;
  for (const auto &generator : search.generators) {
    Builders some = generator->generate(
        {iteration, lineage.members, earlier,
         lineage.previous ? lineage.previous->name() : "", weights});
    builders.insert(builders.end(), some.begin(), some.end());
  }
  if (!checkNames(builders, iteration, error))
    return std::nullopt;
  return builders;
}

/// Returns the members of the ensemble that the finished iteration `iteration`
/// has selected. If a member is neither in the previous ensemble nor built by
/// one of the iteration's builders, sets `error` and returns std::nullopt.
static std::optional<std::vector<Member>>
follow(const FinishedIteration &finished, int64_t iteration,
       const std::vector<Member> &previous, const Builders &builders,
       std::string &error) {
  std::vector<Member> members;
  for (const auto &[born, name] : finished.members) {
    std::string wanted = "t" + std::to_string(born) + "_" + name;
    auto old = std::find_if(
        previous.begin(), previous.end(),
        [&](const Member &member) { return member.name() == wanted; });
    auto added = std::find_if(
        builders.begin(), builders.end(),
        [&](const auto &builder) { return builder->name() == name; });
    if (old != previous.end()) {
      members.push_back(*old);
    } else if (born == iteration && added != builders.end()) {
      members.push_back({born, *added});
    } else {
      // No builder of this search has the member's name, so another search has
      // trained the model directory (AN-251).
      error = "the ensemble of iteration " + std::to_string(iteration) +
              " has member " + quoted(wanted) +
              ", which this search does not build (its builders: " +
              namesOf(builders) +
              "); the model directory belongs to another search";
      return std::nullopt;
    }
  }
  if (members.empty())
    error = "the ensemble of iteration " + std::to_string(iteration) +
            " has no members";
  return members.empty() ? std::nullopt : std::optional(members);
}

/// Returns the ensembles in `selected` except the last one. Omits an ensemble
/// if one of its members is not in `members`: the ensemble cannot be built
/// again, because the lineage lacks that member's builder.
static std::vector<EnsembleLineage::EarlierEnsemble>
earlierEnsembles(const std::vector<std::vector<Member>> &ensembles,
                 const std::vector<EnsembleLineage::EnsembleName> &selected,
                 const std::vector<Member> &members) {
  std::vector<EnsembleLineage::EarlierEnsemble> earlier;
  for (size_t i = 0; i + 1 < selected.size(); ++i) {
    // If iteration i + 1 has selected the same ensemble again (AN-095), leave
    // out iteration i, so that the ensemble is listed only once.
    if (selected[i].name() == selected[i + 1].name())
      continue;
    EnsembleLineage::EarlierEnsemble one = {selected[i], {}};
    for (const Member &member : ensembles[i])
      for (size_t k = 0; k < members.size(); ++k)
        if (members[k].name() == member.name())
          one.members.push_back(k);
    if (one.members.size() == ensembles[i].size())
      earlier.push_back(std::move(one));
  }
  return earlier;
}

std::string nameOfMember(const EnsembleLineage &lineage, size_t index) {
  if (index < lineage.members.size())
    return lineage.members[index].name();
  return Member{lineage.iteration,
                lineage.builders[index - lineage.members.size()]}
      .name();
}

std::optional<EnsembleLineage>
traceLineage(const Search &search,
             const std::vector<FinishedIteration> &finished,
             const std::vector<MemberReport> &reports, std::string &error) {
  EnsembleLineage lineage;
  std::vector<std::vector<Member>> ensembles;
  std::vector<EnsembleLineage::EnsembleName> selected;
  for (size_t i = 0; i <= finished.size(); ++i) {
    auto iteration = static_cast<int64_t>(i);
    auto builders =
        generate(search, iteration, lineage,
                 i > 0 ? finished[i - 1].weights : std::vector<double>(),
                 reports, error);
    if (!builders)
      return std::nullopt;
    lineage.iteration = iteration;
    lineage.builders = std::move(*builders);
    if (i == finished.size())
      break;
    auto members = follow(finished[i], iteration, lineage.members,
                          lineage.builders, error);
    if (!members)
      return std::nullopt;
    lineage.members = std::move(*members);
    // The name of an ensemble contains the iteration that selected it first,
    // which is the iteration of its newest member (AN-095).
    int64_t newest = 0;
    for (const Member &member : lineage.members)
      newest = std::max(newest, member.iteration);
    lineage.previous = {newest, finished[i].candidate, finished[i].ensembler};
    lineage.firstStep = finished[i].globalStep;
    ensembles.push_back(lineage.members);
    selected.push_back(*lineage.previous);
  }
  lineage.earlier = earlierEnsembles(ensembles, selected, lineage.members);
  for (size_t i = 0; i < ensembles.size(); ++i) {
    EnsembleLineage::SelectedEnsemble &one = lineage.history.emplace_back();
    one.ensemble = selected[i];
    for (const Member &member : ensembles[i]) {
      one.members.push_back(member.name());
      auto isSame = [&](const Member &other) {
        return other.name() == member.name();
      };
      if (std::none_of(lineage.members.begin(), lineage.members.end(),
                       isSame) &&
          std::none_of(lineage.gone.begin(), lineage.gone.end(), isSame))
        lineage.gone.push_back(member);
    }
  }
  return lineage;
}

} // namespace ingot::ensemble
