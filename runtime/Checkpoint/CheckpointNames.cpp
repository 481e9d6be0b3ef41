//===- CheckpointNames.cpp - The names of a checkpoint's files ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointNames.h"

#include <cinttypes>
#include <cstdio>
#include <sys/random.h>
#include <time.h>

using namespace ingot;

namespace {

bool isDigits(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Removes the suffix of unfinished files from `name`: ".tempstate", and the
/// digits that TensorFlow appends to it. Returns false if `name` has no such
/// suffix.
bool consumeTemporarySuffix(std::string_view &name) {
  size_t at = name.rfind(temporarySuffix);
  if (at == std::string_view::npos)
    return false;
  std::string_view digits = name.substr(at + temporarySuffix.size());
  if (!digits.empty() && !isDigits(digits))
    return false;
  name = name.substr(0, at);
  return true;
}

/// Removes a shard suffix such as ".data-00000-of-00001". Returns false if
/// `name` has none.
bool consumeShardSuffix(std::string_view &name) {
  constexpr std::string_view marker = ".data-";
  size_t at = name.rfind(marker);
  if (at == std::string_view::npos)
    return false;
  std::string_view rest = name.substr(at + marker.size());
  size_t of = rest.find("-of-");
  if (of == std::string_view::npos || !isDigits(rest.substr(0, of)) ||
      !isDigits(rest.substr(of + 4)))
    return false;
  name = name.substr(0, at);
  return true;
}

bool consumeSuffix(std::string_view &name, std::string_view suffix) {
  if (!name.ends_with(suffix))
    return false;
  name.remove_suffix(suffix.size());
  return true;
}

std::string shardSuffix(const char *format, uint32_t shard,
                        uint32_t numShards) {
  char buffer[48];
  int size = std::snprintf(buffer, sizeof(buffer), format, shard, numShards);
  return std::string(buffer, static_cast<size_t>(size));
}

} // namespace

std::string ingot::indexPath(const std::string &prefix) {
  return prefix + ".index";
}

std::string ingot::metaGraphPath(const std::string &prefix,
                                 const std::string &suffix) {
  return std::string(withoutV1Shards(prefix)) + "." + suffix;
}

std::string ingot::shardPath(const std::string &prefix, uint32_t shard,
                             uint32_t numShards) {
  return prefix + shardSuffix(".data-%05u-of-%05u", shard, numShards);
}

std::string ingot::temporaryIndexPath(const std::string &prefix) {
  return indexPath(prefix) + std::string(temporarySuffix);
}

std::string ingot::temporaryMetaGraphPath(const std::string &prefix) {
  return metaGraphPath(prefix) + std::string(temporarySuffix);
}

std::string ingot::partDirectory(const std::string &prefix,
                                 const std::string &id) {
  return prefix + "_temp_" + id;
}

std::string ingot::newSaveId() {
  uint64_t words[2];
  // getrandom() fails only early in boot, when the kernel has not gathered
  // entropy yet. Then the time serves as the id.
  if (::getrandom(words, sizeof(words), GRND_NONBLOCK) != sizeof(words)) {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    words[0] = static_cast<uint64_t>(now.tv_sec);
    words[1] = static_cast<uint64_t>(now.tv_nsec);
  }
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016" PRIx64 "%016" PRIx64, words[0],
                words[1]);
  return digits;
}

std::string ingot::temporaryShardPath(const std::string &prefix, uint32_t shard,
                                      uint32_t numShards,
                                      const std::string &directory) {
  if (directory.empty())
    return shardPath(prefix, shard, numShards) + std::string(temporarySuffix);
  return shardPath(directory + "/part" +
                       shardSuffix("-%05u-of-%05u", shard, numShards),
                   0, 1);
}

std::string ingot::directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string ingot::baseOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::optional<int64_t> ingot::stepOf(std::string_view prefix) {
  prefix = withoutV1Shards(prefix);
  size_t dash = prefix.rfind('-');
  if (dash == std::string_view::npos)
    return std::nullopt;
  std::string_view digits = prefix.substr(dash + 1);
  // Accepts at most 18 digits, because any such number fits into an int64_t.
  if (!isDigits(digits) || digits.size() > 18)
    return std::nullopt;
  int64_t step = 0;
  for (char digit : digits)
    step = step * 10 + (digit - '0');
  return step;
}

std::string ingot::stepName(const std::string &basename, int64_t step,
                            bool padded) {
  char digits[24];
  std::snprintf(digits, sizeof(digits), padded ? "%08" PRId64 : "%" PRId64,
                step);
  return basename + "-" + digits;
}

std::optional<CheckpointFileName> ingot::parseFileName(std::string_view name) {
  std::string_view base = name;
  bool temporary = consumeTemporarySuffix(base);
  if (consumeSuffix(base, ".index") && !base.empty())
    return CheckpointFileName{std::string(base), temporary
                                                     ? FileRole::TemporaryIndex
                                                     : FileRole::Index};
  if (consumeShardSuffix(base) && !base.empty())
    return CheckpointFileName{std::string(base), temporary
                                                     ? FileRole::TemporaryData
                                                     : FileRole::Data};
  if (consumeSuffix(base, ".meta") && !base.empty())
    return CheckpointFileName{std::string(base),
                              temporary ? FileRole::TemporaryMetaGraph
                                        : FileRole::MetaGraph};
  if (temporary)
    return std::nullopt;
  constexpr std::string_view marker = "_temp";
  size_t at = name.rfind(marker);
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  std::string_view rest = name.substr(at + marker.size());
  if (!rest.empty() && rest.front() != '_')
    return std::nullopt;
  return CheckpointFileName{std::string(name.substr(0, at)),
                            FileRole::PartDirectory};
}

std::string_view ingot::withoutV1Shards(std::string_view prefix) {
  const std::string marker = "-" + std::string(5, '?') + "-of-";
  size_t at = prefix.rfind(marker);
  if (at == std::string_view::npos ||
      !isDigits(prefix.substr(at + marker.size())))
    return prefix;
  return prefix.substr(0, at);
}

std::string ingot::v1ShardPath(const std::string &prefix,
                               std::optional<uint32_t> shard,
                               uint32_t numShards) {
  if (shard)
    return prefix + shardSuffix("-%05u-of-%05u", *shard, numShards);
  return prefix + "-" + std::string(5, '?') +
         shardSuffix("-of-%05u", numShards, 0);
}

std::optional<V1ShardName> ingot::parseV1ShardName(std::string_view name) {
  // Searches for the suffix of a V1 shard, such as "-00000-of-00001". Its
  // numbers have five digits, or more if a number needs more.
  size_t of = name.rfind("-of-");
  if (of == std::string_view::npos || of == 0)
    return std::nullopt;
  size_t dash = name.rfind('-', of - 1);
  if (dash == std::string_view::npos || dash == 0)
    return std::nullopt;
  std::optional<int64_t> shard = stepOf(name.substr(dash, of - dash));
  std::optional<int64_t> numShards = stepOf(name.substr(of + 3));
  std::string_view base = name.substr(0, dash);
  if (!shard || !numShards || *shard >= *numShards || *numShards > 99999 ||
      of - dash < 6 || base.ends_with(".data"))
    return std::nullopt;
  return V1ShardName{std::string(base), static_cast<uint32_t>(*shard),
                     static_cast<uint32_t>(*numShards)};
}
