//===- RankReports.cpp - Step and activity of each rank -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/RankReports.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

using namespace ingot;
using nlohmann::json;

static double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

static std::string reportOf(const std::string &directory, unsigned rank) {
  return directory + "/" + std::to_string(rank) + ".json";
}

namespace {

struct RankReport {
  unsigned rank = 0;
  std::string host, phase, doing;
  int64_t step = 0;
  double time = 0;
};

} // namespace

static const char *nameOf(RankPhase phase) {
  switch (phase) {
  case RankPhase::BetweenSteps:
    return "between steps";
  case RankPhase::Step:
    return "step";
  case RankPhase::Waiting:
    return "waiting";
  }
  return "";
}

static std::optional<RankReport> readReport(const RankReportReader &place,
                                            unsigned rank) {
  auto file = place.fileSystem.openForReading(reportOf(place.directory, rank));
  constexpr uint64_t most = 1 << 16;
  if (!file || (*file)->size() > most)
    return std::nullopt;
  std::string text((*file)->size(), '\0');
  auto length = (*file)->read(0, text.size(), text.data());
  if (!length)
    return std::nullopt;
  json value = json::parse(text.substr(0, *length), nullptr,
                           /*allow_exceptions=*/false);
  if (!value.is_object())
    return std::nullopt;
  for (const char *name : {"host", "phase", "doing"})
    if (!value.contains(name) || !value[name].is_string())
      return std::nullopt;
  if (!value.contains("step") || !value["step"].is_number_integer() ||
      !value.contains("time") || !value["time"].is_number())
    return std::nullopt;
  return RankReport{rank,
                    value["host"].get<std::string>(),
                    value["phase"].get<std::string>(),
                    value["doing"].get<std::string>(),
                    value["step"].get<int64_t>(),
                    value["time"].get<double>()};
}

/// Returns true if a rank has written no report for so long that it must have
/// stopped or ended.
static bool isSilent(const RankReportReader &place, const RankReport &report,
                     double now) {
  return now - report.time > 2.5 * place.secondsBetween;
}

std::string RankReportReader::describeLate(unsigned self, unsigned ranks,
                                           double now) const {
  std::optional<RankReport> late;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    std::optional<RankReport> report =
        rank == self ? std::nullopt : readReport(*this, rank);
    if (!report)
      continue;
    // Find the rank that is furthest behind. Skip ranks that still report and
    // are waiting for others. Of the remaining ranks, one that has stopped
    // reporting counts as behind one that still reports. If both have stopped
    // or both still report, the one at the lower step counts as behind.
    bool silent = isSilent(*this, *report, now);
    if (!silent && report->phase == nameOf(RankPhase::Waiting))
      continue;
    bool lateSilent = late && isSilent(*this, *late, now);
    if (!late || silent > lateSilent ||
        (silent == lateSilent && report->step < late->step))
      late = std::move(report);
  }
  if (!late)
    return "";
  return "rank " + std::to_string(late->rank) + " (" + late->host +
         ") was last at step " + std::to_string(late->step) + ", where it " +
         late->doing + ", " +
         std::to_string(static_cast<int64_t>(std::round(now - late->time))) +
         " s ago";
}

bool RankReportReader::isFirstAlive(double now) const {
  std::optional<RankReport> first = readReport(*this, 0);
  return first && !isSilent(*this, *first, now);
}

bool RankReportReader::isFirstBetweenSteps(double now) const {
  std::optional<RankReport> first = readReport(*this, 0);
  return first && !isSilent(*this, *first, now) &&
         first->phase == nameOf(RankPhase::BetweenSteps);
}

RankReportWriter::RankReportWriter(const RankReportReader &place,
                                   const RankGroup &ranks, std::string host)
    : place(place), ranks(ranks), host(std::move(host)),
      watched(ThreadActivity::current()) {
  // Ignore all failures: training does not depend on reports.
  if (ranks.isFirst()) {
    removeOthers();
    (void)place.fileSystem.createDirectories(place.directory);
  }
  write();
  if (auto started = Thread::start("reports", [this] { writeUntilEnd(); }))
    thread = std::move(*started);
}

RankReportWriter::~RankReportWriter() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  ends.notify_all();
  thread.join();
  (void)place.fileSystem.remove(reportOf(place.directory, ranks.rank()));
  // The folder cannot be removed as long as it has reports of other ranks, so
  // the last rank that ends removes it.
  (void)place.fileSystem.removeDirectory(place.directory);
}

/// Removes all reports that an earlier, killed run has left. That run may have
/// had more ranks than this one.
void RankReportWriter::removeOthers() {
  auto names = place.fileSystem.list(place.directory);
  if (!names)
    return;
  for (const std::string &name : *names) {
    size_t end = name.find_first_not_of("0123456789");
    std::string_view rest =
        std::string_view(name).substr(std::min(end, name.size()));
    if (end > 0 && (rest == ".json" || rest == ".json.new"))
      (void)place.fileSystem.remove(place.directory + "/" + name);
  }
}

void RankReportWriter::writeUntilEnd() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    lock.unlock();
    write();
    lock.lock();
    ends.wait_for(lock, std::chrono::duration<double>(place.secondsBetween),
                  [this] { return isEnding; });
  }
}

void RankReportWriter::write() {
  if (place.fileSystem.kindOf(place.directory) != FileKind::Directory)
    return;
  const char *what = watched.what.load(), *node = watched.node.load();
  std::string doing = what ? what : "computes";
  if (node)
    doing += std::string(" '") + node + "'";
  json report = {{"host", host},
                 {"pid", ::getpid()},
                 {"step", ranks.lastStep()},
                 {"phase", nameOf(ranks.phase())},
                 {"doing", doing},
                 {"time", secondsNow()}};
  std::string path = reportOf(place.directory, ranks.rank());
  std::string text =
      report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  // Do not sync the file: a report is useless after a crash of the machine, and
  // a sync to a busy disk takes long.
  auto file = place.fileSystem.create(path + ".new");
  if (file && (*file)->append(text).isOk() && (*file)->close().isOk())
    (void)place.fileSystem.rename(path + ".new", path);
}
