//===- TableRecordByteStream.cpp - Reads a record's bytes in pieces -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TableRecordByteStream.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

Status TableRecordByteStream::fill(std::string_view &) {
  return Status(StatusCode::DataLoss, "a record has fewer bytes than its "
                                      "fields say: the checkpoint is damaged");
}

std::string_view TableRecordByteStream::peek() {
  if (at == end) {
    if (left() == 0 || !why.isOk())
      return {};
    std::string_view piece;
    why = fill(piece);
    if (!why.isOk())
      return {};
    at = piece.data();
    end = at + piece.size();
  }
  return {at, static_cast<size_t>(end - at)};
}

bool TableRecordByteStream::read(void *to, uint64_t size) {
  auto *out = static_cast<char *>(to);
  while (size > 0) {
    std::string_view piece = peek();
    if (piece.empty())
      return false;
    size_t run = std::min<uint64_t>(piece.size(), size);
    std::memcpy(out, piece.data(), run);
    advance(run);
    out += run;
    size -= run;
  }
  return true;
}

bool TableRecordByteStream::skip(uint64_t size) {
  while (size > 0) {
    std::string_view piece = peek();
    if (piece.empty())
      return false;
    size_t run = std::min<uint64_t>(piece.size(), size);
    advance(run);
    size -= run;
  }
  return true;
}

bool TableRecordByteStream::readVarint(uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::string_view piece = peek();
    if (piece.empty())
      return false;
    auto byte = static_cast<unsigned char>(piece.front());
    advance(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}
