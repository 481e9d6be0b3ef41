//===- Hash.h - FarmHash, SipHash and MurmurHash ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_HASH_H
#define INGOT_RUNTIME_OPS_HASH_H

#include <cstdint>
#include <string_view>

namespace ingot::ops {

/// FarmHash's Fingerprint64 (G. Pike, farmhashna), for StringToHashBucketFast.
uint64_t farmFingerprint64(std::string_view text);

/// SipHash-2-4 (J.-P. Aumasson, D. J. Bernstein) with a key of two words, for
/// StringToHashBucketStrong.
uint64_t sipHash(std::string_view text, uint64_t key0, uint64_t key1);

/// MurmurHash64A (A. Appleby) with TensorFlow's seed, for StringToHashBucket.
uint64_t murmurHash64(std::string_view text);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_HASH_H
