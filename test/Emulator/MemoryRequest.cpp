//===- MemoryRequest.cpp - Sectors and wavefronts of a request ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/MemoryRequest.h"

#include <algorithm>
#include <vector>

namespace ingot::emulator {

static constexpr uint64_t sectorBytes = 32, wordBytes = 4;
static constexpr unsigned numBanks = 32, numLanes = 32;

SectorCount countSectors(const MemoryRequest &request) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    if (request.has(lane) && request.bytes[lane] != 0)
      ranges.push_back({request.addresses[lane],
                        request.addresses[lane] + request.bytes[lane]});
  std::sort(ranges.begin(), ranges.end());
  SectorCount count;
  // In ascending order, a byte or sector is new if it lies after all others.
  uint64_t byteEnd = 0, sectorEnd = 0;
  for (auto [begin, end] : ranges) {
    uint64_t first = std::max(begin, byteEnd);
    if (first < end)
      count.bytes += end - first;
    byteEnd = std::max(byteEnd, end);
    uint64_t firstSector = std::max(begin / sectorBytes, sectorEnd);
    uint64_t lastSector = (end - 1) / sectorBytes + 1;
    if (firstSector < lastSector)
      count.sectors += lastSector - firstSector;
    sectorEnd = std::max(sectorEnd, lastSector);
  }
  count.ideal = (count.bytes + sectorBytes - 1) / sectorBytes;
  return count;
}

/// How many words of one bank the lanes from `first` to `end` access at most.
static uint64_t countConflicts(const MemoryRequest &request, unsigned first,
                               unsigned end) {
  std::array<std::vector<uint64_t>, numBanks> banks;
  for (unsigned lane = first; lane < end; ++lane) {
    if (!request.has(lane) || request.bytes[lane] == 0)
      continue;
    uint64_t begin = request.addresses[lane];
    uint64_t last = (begin + request.bytes[lane] - 1) / wordBytes;
    for (uint64_t word = begin / wordBytes; word <= last; ++word) {
      auto &words = banks[word % numBanks];
      if (request.isAtomic ||
          std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(word);
    }
  }
  size_t most = 0;
  for (const auto &words : banks)
    most = std::max(most, words.size());
  return most;
}

WavefrontCount countWavefronts(const MemoryRequest &request) {
  WavefrontCount count;
  uint32_t largest = 0;
  for (unsigned lane = 0; lane < numLanes; ++lane)
    if (request.has(lane)) {
      largest = std::max(largest, request.bytes[lane]);
      count.bytes += request.bytes[lane];
    }
  unsigned lanes = largest <= 4 ? 32 : largest <= 8 ? 16 : 8;
  for (unsigned first = 0; first < numLanes; first += lanes) {
    uint64_t wavefronts = countConflicts(request, first, first + lanes);
    count.wavefronts += wavefronts;
    count.ideal += wavefronts != 0;
  }
  return count;
}

} // namespace ingot::emulator
