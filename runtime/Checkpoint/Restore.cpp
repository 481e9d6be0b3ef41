//===- Restore.cpp - Restores whole checkpoints ---------------------------===//

#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/NameMap.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <algorithm>
#include <set>

using namespace ingot;

namespace {

// Where an object-based checkpoint describes its objects: no variable's.
constexpr std::string_view objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

// Suggestions compare a name with all others, so that a checkpoint of a wholly
// different model gets them for the first names only.
constexpr size_t maxSuggestions = 20;

/// One restore: what is looked for where, and all that doesn't fit.
class Restoring {
public:
  Restoring(const BundleReader &reader, std::span<const RestoreItem> items,
            const RestoreOptions &options)
      : reader(reader), items(items), options(options) {}

  void plan(const NameMap &map);
  void findUnused();
  Status problems(const std::string &prefix) const;
  Status readAll();

  RestoreReport report;

private:
  struct Read {
    size_t item;
    std::string key;
  };

  void addMissing(size_t item, const std::string &key);
  static std::string describe(const RestoreItem &item, const std::string &key);

  const BundleReader &reader;
  std::span<const RestoreItem> items;
  const RestoreOptions &options;
  std::vector<Read> reads;
  std::set<std::string, std::less<>> wanted;
  std::vector<std::string> missing, unfit;
};

std::string Restoring::describe(const RestoreItem &item,
                                const std::string &key) {
  if (key == item.key)
    return "'" + key + "'";
  return "'" + key + "' (for '" + item.key + "')";
}

void Restoring::addMissing(size_t item, const std::string &key) {
  report.missing.push_back(item);
  if (items[item].optional || options.allowMissing)
    return;
  std::string line = describe(items[item], key);
  if (missing.size() < maxSuggestions) {
    std::string names;
    for (const std::string &name : nearestNames(key, reader.keys()))
      names += (names.empty() ? "'" : ", '") + name + "'";
    if (!names.empty())
      line += ", nearest: " + names;
  }
  missing.push_back(std::move(line));
}

/// Looks for every item in the index.
void Restoring::plan(const NameMap &map) {
  for (size_t i = 0; i < items.size(); ++i) {
    const RestoreItem &item = items[i];
    std::string key = map.apply(item.key);
    wanted.insert(key);
    const BundleEntry *entry = reader.find(key);
    if (!entry) {
      addMissing(i, key);
      continue;
    }
    if (item.optional && entry->dtype == INGOT_VARIANT) {
      report.missing.push_back(i);
      report.notes.push_back("'" + key +
                             "' is a variant, which only the program that "
                             "wrote it can read; skipped");
      continue;
    }
    Status status = reader.check(key, item.slice, item.dtype, item.shape);
    if (status.isOk())
      reads.push_back({i, std::move(key)});
    else
      unfit.push_back(describe(item, key) + ": " + status.message());
  }
  // Front to back, whatever the order of the items.
  std::stable_sort(
      reads.begin(), reads.end(), [&](const Read &a, const Read &b) {
        const BundleEntry &x = *reader.find(a.key), &y = *reader.find(b.key);
        return std::pair(x.shard, x.offset) < std::pair(y.shard, y.offset);
      });
}

void Restoring::findUnused() {
  for (const std::string &key : reader.keys()) {
    if (wanted.contains(key) || key == objectGraphKey)
      continue;
    if (reader.find(key)->dtype == INGOT_VARIANT)
      report.notes.push_back("'" + key +
                             "' is a variant, which only the program that "
                             "wrote it can read; skipped");
    else
      report.unused.push_back(key);
  }
}

Status Restoring::problems(const std::string &prefix) const {
  std::string text;
  auto list = [&](const std::string &title,
                  const std::vector<std::string> &lines) {
    if (lines.empty())
      return;
    text += "\n  " + title + ":";
    for (const std::string &line : lines)
      text += "\n    " + line;
  };
  list("not in the checkpoint", missing);
  list("of another type or shape than here", unfit);
  if (!options.allowUnused) {
    std::vector<std::string> lines;
    for (const std::string &key : report.unused)
      lines.push_back("'" + key + "'");
    list("in the checkpoint, but not wanted here", lines);
  }
  if (text.empty())
    return Status::ok();
  return Status(missing.empty() ? StatusCode::InvalidArgument
                                : StatusCode::NotFound,
                "cannot restore '" + prefix + "':" + text);
}

Status Restoring::readAll() {
  for (const Read &read : reads) {
    const RestoreItem &item = items[read.item];
    INGOT_RETURN_IF_ERROR(
        reader.read(read.key, item.slice, item.dtype, item.shape, item.data));
  }
  return Status::ok();
}

} // namespace

Expected<RestoreReport>
ingot::restoreCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                         std::span<const RestoreItem> items,
                         const RestoreOptions &options) {
  INGOT_ASSIGN_OR_RETURN(NameMap map, NameMap::create(options.renames));
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader,
                         BundleReader::open(fileSystem, prefix));
  Restoring restoring(*reader, items, options);
  restoring.plan(map);
  restoring.findUnused();
  INGOT_RETURN_IF_ERROR(restoring.problems(prefix));
  INGOT_RETURN_IF_ERROR(restoring.readAll());
  return std::move(restoring.report);
}
