//===- FeedFiles.cpp - Reads feeds from files -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedFiles.h"

#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/FeedDefaults.h"
#include "runtime/Session/Program.h"

#include <algorithm>
#include <cctype>
#include <charconv>

using namespace ingot;

static std::string rowShapeText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (int64_t dim : dims)
    text += (text.size() > 1 ? "," : "") + std::to_string(dim);
  return text + "]";
}

/// Returns true if `text` starts with "NAME=@". Does not check that a feed NAME
/// exists; the lookup of the feed does.
static bool startsFeedOfFile(std::string_view text) {
  size_t equals = text.find('=');
  auto isOfName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_.\\/>-:").find(c) != std::string_view::npos;
  };
  return equals != std::string_view::npos && equals > 0 &&
         text.substr(equals).starts_with("=@") &&
         std::all_of(text.begin(), text.begin() + equals, isOfName);
}

std::vector<std::string>
ingot::splitFeeds(const std::vector<std::string> &texts,
                  std::span<const ingot_tensor_spec> feeds) {
  std::vector<std::string> split;
  for (const std::string &text : texts) {
    // Only a text that names a file, NAME=@FILE, is split. FILE may contain
    // commas too, so a comma separates feeds only if the name of a feed and "="
    // follow it.
    bool isFile = text.find("=@") == text.find('=');
    size_t begin = 0;
    for (size_t comma = text.find(','); isFile && comma != std::string::npos;
         comma = text.find(',', comma + 1)) {
      size_t equals = text.find('=', comma);
      if (equals == std::string::npos ||
          (findTensor(feeds, text.substr(comma + 1, equals - comma - 1)) < 0 &&
           !startsFeedOfFile(std::string_view(text).substr(comma + 1))))
        continue;
      split.push_back(text.substr(begin, comma - begin));
      begin = comma + 1;
    }
    split.push_back(text.substr(begin));
  }
  return split;
}

/// Returns true if `names` contains the name of `feed`, with or without ":0".
static bool isAmong(const std::vector<std::string> &names,
                    const ingot_tensor_spec &feed) {
  return std::any_of(names.begin(), names.end(), [&](const std::string &name) {
    return findTensor({&feed, 1}, name) == 0;
  });
}

std::vector<std::string> ingot::feedsGivenAlone(const CommandContext &command,
                                                const ingot_entry &entry) {
  std::vector<std::string> names;
  for (const std::string &text :
       splitFeeds(command.flags.all("--feed"), feedsOf(entry)))
    if (!isFeedFile(text))
      names.push_back(text.substr(0, text.find('=')));
  for (const ingot_tensor_spec &feed : feedsOf(entry))
    if (hasDefault(command.program, entry, feed.name))
      names.emplace_back(feed.name);
  return names;
}

Expected<std::vector<FeedValueSchedule>>
ingot::loadSchedules(const CommandContext &command, const ingot_entry &entry) {
  std::vector<FeedValueSchedule> schedules;
  for (const std::string &text :
       splitFeeds(command.flags.all("--feed"), feedsOf(entry))) {
    size_t equals = text.find('=');
    if (isFeedFile(text) || equals == std::string::npos ||
        !isSchedule(std::string_view(text).substr(equals + 1)))
      continue;
    int index = findTensor(feedsOf(entry), text.substr(0, equals));
    if (index < 0)
      continue;
    INGOT_ASSIGN_OR_RETURN(FeedValueSchedule schedule,
                           FeedValueSchedule::read(command.fileSystem,
                                                   text.substr(equals + 2),
                                                   entry.feeds[index]));
    schedules.push_back(std::move(schedule));
  }
  return schedules;
}

Status ExamplesFromFeedFlags::loadArchive(const CommandContext &command,
                                          const std::string &path,
                                          const ingot_entry &entry,
                                          bool dynamicBatch) {
  const std::vector<std::string> given = feedsGivenAlone(command, entry);
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    if (isAmong(given, entry.feeds[i]))
      continue;
    NamedFeed &feed = arrays.emplace_back();
    feed.name = entry.feeds[i].name;
    INGOT_RETURN_IF_ERROR(feed.value.read(command.fileSystem, path,
                                          entry.feeds[i], dynamicBatch));
  }
  return Status::ok();
}

Status ExamplesFromFeedFlags::loadRows(
    const CommandContext &command, const std::string &path,
    const ingot_entry &entry, std::vector<std::optional<ingot_tensor>> &found) {
  std::vector<FeedBatchBuilder> row;
  std::vector<size_t> feeds;
  const std::vector<std::string> given = feedsGivenAlone(command, entry);
  for (uint32_t i = 0; i < entry.num_feeds; ++i) {
    if (isAmong(given, entry.feeds[i]))
      continue;
    if (entry.feeds[i].rank == 0)
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "' has a row for each example, but '" +
                        entry.feeds[i].name +
                        "' is a scalar: give it with --feed " +
                        entry.feeds[i].name + "=VALUE");
    row.emplace_back(entry.feeds[i]);
    columns.emplace_back(entry.feeds[i]);
    feeds.push_back(i);
  }
  auto format = findRowFormat("", path);
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         PredictionRowReader::open(command.fileSystem, path,
                                                   *format, &command.console));
  int64_t rows = 0;
  for (;; ++rows) {
    for (FeedBatchBuilder &column : row)
      column.clear();
    INGOT_ASSIGN_OR_RETURN(bool more, reader->next(row));
    if (!more)
      break;
    for (size_t i = 0; i < row.size(); ++i) {
      if (rows > 0 &&
          !std::ranges::equal(row[i].rowShape(), columns[i].rowShape()))
        return Status(StatusCode::InvalidArgument,
                      "'" + path + "': example " + std::to_string(rows + 1) +
                          " has shape " + rowShapeText(row[i].rowShape()) +
                          " for '" + row[i].name() +
                          "', earlier examples have " +
                          rowShapeText(columns[i].rowShape()) +
                          ": all examples of a file must have the same shape");
      columns[i].append(row[i]);
    }
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(found[feeds[i]], columns[i].tensor(rows));
  }
  return Status::ok();
}

Expected<std::unique_ptr<ExamplesFromFeedFlags>>
ExamplesFromFeedFlags::load(const CommandContext &command,
                            const ingot_entry &entry, bool dynamicBatch) {
  std::unique_ptr<ExamplesFromFeedFlags> examples(new ExamplesFromFeedFlags);
  INGOT_ASSIGN_OR_RETURN(examples->arrays,
                         loadFeeds(command, entry, "--feed", dynamicBatch));
  std::vector<std::optional<ingot_tensor>> found(entry.num_feeds);
  for (const std::string &text : command.flags.all("--feed"))
    if (isFeedFile(text) && !isFrames(text))
      INGOT_RETURN_IF_ERROR(
          isArchive(text)
              ? examples->loadArchive(command, text.substr(1), entry,
                                      dynamicBatch)
              : examples->loadRows(command, text.substr(1), entry, found));
  for (NamedFeed &feed : examples->arrays)
    found[static_cast<size_t>(findTensor(feedsOf(entry), feed.name))] =
        feed.value.tensor();
  // Feeds to which --feed gives no value are omitted from `examples`: hooks
  // supply them.
  for (uint32_t i = 0; i < entry.num_feeds; ++i)
    if (found[i]) {
      examples->specs.push_back(entry.feeds[i]);
      examples->values.push_back(*found[i]);
    }
  return examples;
}

Expected<FeedBatches>
ExamplesFromFeedFlags::cut(const FeedBatchOptions &options) const {
  return FeedBatches::create(specs, values, options);
}

Status FeedBatchesHook::beforeRun(SessionRunContext &,
                                  SessionRunArgs &request) {
  INGOT_ASSIGN_OR_RETURN(std::span<const ingot_tensor> batch, batches.batch());
  if (batch.empty())
    return Status(StatusCode::OutOfRange, "all epochs of the feeds have ended");
  for (size_t i = 0; i < batch.size(); ++i)
    request.feeds.push_back({examples->feeds()[i].name, batch[i]});
  return Status::ok();
}

Status FeedBatchesHook::afterRun(SessionRunContext &,
                                 const SessionRunValues &) {
  batches.advance();
  return Status::ok();
}

Status FeedBatchesHook::restoreState(std::string_view state) {
  if (!batches.restore(state))
    reporter.warning("the checkpoint was trained on other feeds, or in another "
                     "order (epoch, example, order and seed are '" +
                     std::string(state) + "' in the checkpoint, but '" +
                     batches.state() +
                     "' here): starting at the first example");
  return Status::ok();
}
