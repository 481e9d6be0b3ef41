//===- CheckpointSaveId.cpp - Stamps of states that were saved together ---===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointSaveId.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace ingot;

static constexpr std::string_view mark = "INGOTSET";
static constexpr size_t stampSize = mark.size() + 8 + 4;

std::string CheckpointSaveId::text() const {
  char buffer[100];
  std::snprintf(buffer, sizeof(buffer),
                "step %" PRId64 ", id %08" PRIx32 ", random %08" PRIx32
                " of %" PRIu32,
                step, id, random, numRandom);
  return buffer;
}

std::optional<CheckpointSaveId> CheckpointSaveId::parse(std::string_view text) {
  CheckpointSaveId stamp;
  std::string copy(text);
  if (std::sscanf(
          copy.c_str(),
          "step %" SCNd64 ", id %" SCNx32 ", random %" SCNx32 " of %" SCNu32,
          &stamp.step, &stamp.id, &stamp.random, &stamp.numRandom) != 4 ||
      stamp.text() != text)
    return std::nullopt;
  return stamp;
}

std::string ingot::withStamp(std::string state, const CheckpointSaveId &stamp) {
  char numbers[12];
  std::memcpy(numbers, &stamp.step, 8);
  std::memcpy(numbers + 8, &stamp.id, 4);
  state += mark;
  state.append(numbers, sizeof(numbers));
  return state;
}

std::optional<CheckpointSaveId> ingot::takeStamp(std::string &state) {
  if (state.size() < stampSize ||
      std::string_view(state).substr(state.size() - stampSize, mark.size()) !=
          mark)
    return std::nullopt;
  CheckpointSaveId stamp;
  const char *numbers = state.data() + state.size() - 12;
  std::memcpy(&stamp.step, numbers, 8);
  std::memcpy(&stamp.id, numbers + 8, 4);
  state.resize(state.size() - stampSize);
  return stamp;
}
