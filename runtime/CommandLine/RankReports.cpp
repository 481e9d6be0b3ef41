//===- RankReports.cpp - Where each rank of a training is -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/RankReports.h"

#include "runtime/Support/ReplaceFile.h"

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

struct Report {
  unsigned rank = 0;
  std::string host, doing;
  int64_t step = 0;
  double time = 0;
};

} // namespace

static std::optional<Report> readReport(FileSystem &fileSystem,
                                        const std::string &directory,
                                        unsigned rank) {
  auto file = fileSystem.openForReading(reportOf(directory, rank));
  constexpr uint64_t most = 1 << 16;
  if (!file || (*file)->size() > most)
    return std::nullopt;
  std::string text((*file)->size(), '\0');
  auto length = (*file)->read(0, text.size(), text.data());
  if (!length)
    return std::nullopt;
  json value = json::parse(text.substr(0, *length), nullptr,
                           /*allow_exceptions=*/false);
  if (!value.is_object() || !value.contains("host") ||
      !value["host"].is_string() || !value.contains("doing") ||
      !value["doing"].is_string() || !value.contains("step") ||
      !value["step"].is_number_integer() || !value.contains("time") ||
      !value["time"].is_number())
    return std::nullopt;
  return Report{rank, value["host"].get<std::string>(),
                value["doing"].get<std::string>(), value["step"].get<int64_t>(),
                value["time"].get<double>()};
}

std::string ingot::describeLateRank(FileSystem &fileSystem,
                                    const std::string &directory, unsigned self,
                                    unsigned ranks, double now,
                                    double secondsBetween) {
  std::optional<Report> late;
  // A rank that no longer reports is stopped or gone. Else the last one that
  // does not wait itself holds the others up.
  auto isSilent = [&](const Report &report) {
    return now - report.time > 2.5 * secondsBetween;
  };
  auto isWaiting = [](const Report &report) {
    return report.doing.find("waits for other ranks") != std::string::npos;
  };
  for (unsigned rank = 0; rank < ranks; ++rank) {
    std::optional<Report> report =
        rank == self ? std::nullopt : readReport(fileSystem, directory, rank);
    if (!report || (!isSilent(*report) && isWaiting(*report)))
      continue;
    bool isLater =
        !late || isSilent(*report) > isSilent(*late) ||
        (isSilent(*report) == isSilent(*late) && report->step < late->step);
    if (isLater)
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

RankReports::RankReports(FileSystem &fileSystem, std::string directory,
                         const Ranks &ranks, std::string host,
                         double secondsBetween)
    : fileSystem(fileSystem), directory(std::move(directory)),
      host(std::move(host)), ranks(ranks), watched(Activity::current()),
      secondsBetween(secondsBetween) {
  // A report is a help: whatever fails, the training goes on without it.
  if (ranks.isFirst()) {
    removeOthers();
    (void)fileSystem.createDirectories(this->directory);
  }
  thread = std::thread([this] { writeUntilEnd(); });
}

RankReports::~RankReports() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  ends.notify_all();
  thread.join();
  (void)fileSystem.remove(reportOf(directory, ranks.rank()));
  // The last one that ends removes the folder, which is empty then.
  (void)fileSystem.removeDirectory(directory);
}

/// Removes the reports of a run that was killed, of more ranks perhaps.
void RankReports::removeOthers() {
  auto names = fileSystem.list(directory);
  if (!names)
    return;
  for (const std::string &name : *names) {
    size_t end = name.find_first_not_of("0123456789");
    std::string_view rest =
        std::string_view(name).substr(std::min(end, name.size()));
    if (end > 0 && (rest == ".json" || rest == ".json.new"))
      (void)fileSystem.remove(directory + "/" + name);
  }
}

void RankReports::writeUntilEnd() {
  std::unique_lock lock(mutex);
  while (!isEnding) {
    lock.unlock();
    write();
    lock.lock();
    ends.wait_for(lock, std::chrono::duration<double>(secondsBetween),
                  [this] { return isEnding; });
  }
}

void RankReports::write() {
  if (fileSystem.kindOf(directory) != FileKind::Directory)
    return;
  const char *what = watched.what.load(), *node = watched.node.load();
  std::string doing = what ? what : "computes";
  if (node)
    doing += std::string(" '") + node + "'";
  json report = {{"host", host},
                 {"pid", ::getpid()},
                 {"step", ranks.lastStep()},
                 {"doing", doing},
                 {"time", secondsNow()}};
  std::string path = reportOf(directory, ranks.rank());
  std::string text =
      report.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  (void)replaceFile(fileSystem, path, path + ".new", contentsOf(text));
}
