//===- InspectArtifactTest.cpp - All versions are recognized --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the frozen artifacts of test/data/abi, undamaged and damaged.
//
//===----------------------------------------------------------------------===//

#include "compiler/Driver/InspectArtifact.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <zlib.h>

using namespace ingot::driver;

static constexpr uint64_t magic = 0x475250544f474e49; // "INGOTPRG"

static std::string unpack(const std::string &name) {
  gzFile file = gzopen((INGOT_TEST_DATA "/abi/" + name).c_str(), "rb");
  std::string bytes;
  char part[1 << 16];
  for (int size; file && (size = gzread(file, part, sizeof(part))) > 0;)
    bytes.append(part, static_cast<size_t>(size));
  if (file)
    gzclose(file);
  return bytes;
}

template <typename T> static T get(const std::string &bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <typename T> static void put(std::string &bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Returns the error message of readArtifact(), or "" if it accepts the bytes.
static std::string refusal(const std::string &bytes) {
  llvm::Expected<ArtifactInfo> info = readArtifact(bytes);
  return info ? "" : llvm::toString(info.takeError());
}

namespace {

class Inspect : public testing::Test {
protected:
  void SetUp() override {
    bytes = unpack("format-6.gz");
    ASSERT_GT(bytes.size(), 2'000'000u);
    // The code of the runtime contains the magic number as well; the descriptor
    // is in the data, which comes later in the file.
    std::string number(8, '\0');
    put(number, 0, magic);
    descriptor = bytes.rfind(number);
    ASSERT_NE(descriptor, std::string::npos);
  }

  /// The offset of the program header of segment `index`.
  size_t header(size_t index) const {
    return get<uint64_t>(bytes, offsetof(llvm::ELF::Elf64_Ehdr, e_phoff)) +
           index * sizeof(llvm::ELF::Elf64_Phdr);
  }

  /// The offset of the first program header of type `kind`.
  size_t headerOf(uint32_t kind) const {
    for (size_t i = 0;; ++i)
      if (get<uint32_t>(bytes, header(i)) == kind)
        return header(i);
  }

  /// The offset of the value of the dynamic section's entry `tag`.
  size_t dynamicValue(uint64_t tag) const {
    size_t at =
        get<uint64_t>(bytes, headerOf(llvm::ELF::PT_DYNAMIC) +
                                 offsetof(llvm::ELF::Elf64_Phdr, p_offset));
    while (get<uint64_t>(bytes, at) != tag)
      at += 16;
    return at + 8;
  }

  std::string bytes;
  size_t descriptor = 0;
};

} // namespace

// The expected values are those in test/data/abi/README.md; the hash is that of
// sha256sum.
TEST_F(Inspect, ReadsAnArtifactOfFormat6) {
  llvm::Expected<ArtifactInfo> info = readArtifact(bytes);
  ASSERT_TRUE(bool(info)) << llvm::toString(info.takeError());
  EXPECT_EQ(info->abiVersion, 6u);
  EXPECT_EQ(info->compiler, "ingotc 0.1.0, LLVM 22.1.8");
  EXPECT_EQ(info->source, "train.meta");
  EXPECT_EQ(info->sourceHash,
            "fcc0b7fe35364c7a0b8b1d518f855696a89707f44cc5124b7bb950c3ab7a1385");
  EXPECT_EQ(info->targets, std::vector<std::string>{"x86-64-v2"});
}

TEST_F(Inspect, TellsAVersionThatItDoesNotKnow) {
  put(bytes, descriptor + 8, uint32_t(4'000'000'000));
  llvm::Expected<ArtifactInfo> info = readArtifact(bytes);
  ASSERT_TRUE(bool(info)) << llvm::toString(info.takeError());
  EXPECT_EQ(info->abiVersion, 4'000'000'000u);
}

TEST_F(Inspect, RefusesWhatIsNoArtifact) {
  EXPECT_NE(refusal("").find("not an ELF file"), std::string::npos);
  EXPECT_NE(refusal("#!/bin/sh\n").find("not an ELF file"), std::string::npos);
  EXPECT_NE(refusal(std::string("\177ELF")).find("truncated ELF header"),
            std::string::npos);
  put(bytes, descriptor, uint64_t(0));
  EXPECT_NE(refusal(bytes).find("no program descriptor"), std::string::npos)
      << "the number is left in the code only";
  put(bytes, offsetof(llvm::ELF::Elf64_Ehdr, e_machine), uint16_t(183));
  EXPECT_NE(refusal(bytes).find("not for x86-64"), std::string::npos);
}

TEST_F(Inspect, NamesTheFieldThatIsDamaged) {
  auto with = [&](size_t at, auto value) {
    std::string copy = bytes;
    put(copy, at, value);
    return refusal(copy);
  };
  EXPECT_EQ(with(descriptor + 12, uint32_t(8)),
            "damaged: invalid descriptor size: 8 bytes, expected at least 56");
  EXPECT_EQ(with(descriptor + 12, uint32_t(0xffffffff))
                .find("damaged: invalid descriptor size: 4294967295 bytes, but "
                      "only "),
            0u);
  EXPECT_EQ(with(descriptor + 16, uint64_t(0xffffffffffffffff)),
            "damaged: descriptor field compiler does not point to a string");
  EXPECT_EQ(with(descriptor + 32, uint64_t(1) << 40),
            "damaged: descriptor field source_hash does not point to a string");
  EXPECT_EQ(with(descriptor + 40, uint32_t(1'000'000'000)),
            "damaged: descriptor has an invalid count: 1000000000 targets, "
            "expected at most 64");
  EXPECT_EQ(with(descriptor + 48, uint64_t(0xfffffffffffffff8)),
            "damaged: descriptor field targets is not a pointer");
}

TEST_F(Inspect, RefusesTablesThatLieOutsideOfTheFile) {
  auto with = [&](size_t at, uint64_t value) {
    std::string copy = bytes;
    put(copy, at, value);
    return refusal(copy);
  };
  uint64_t most = 0xfffffffffffffff0;
  EXPECT_EQ(with(offsetof(llvm::ELF::Elf64_Ehdr, e_phoff), most)
                .find("damaged: program headers are past the end of the file"),
            0u);
  size_t load = headerOf(llvm::ELF::PT_LOAD);
  for (size_t field : {offsetof(llvm::ELF::Elf64_Phdr, p_offset),
                       offsetof(llvm::ELF::Elf64_Phdr, p_filesz)})
    EXPECT_NE(with(load + field, most).find("is past the end of the file"),
              std::string::npos);
  EXPECT_EQ(with(dynamicValue(llvm::ELF::DT_RELRSZ), most),
            "damaged: table DT_RELR is outside all segments");
  EXPECT_EQ(with(dynamicValue(llvm::ELF::DT_RELR), most),
            "damaged: table DT_RELR is outside all segments");
  EXPECT_EQ(with(dynamicValue(llvm::ELF::DT_RELASZ), most),
            "damaged: table DT_RELA is outside all segments");
  // Without relocations the descriptor's fields are no pointers.
  EXPECT_EQ(with(dynamicValue(llvm::ELF::DT_RELRSZ), 0),
            "damaged: descriptor field compiler is not a pointer");
}

// The descriptor is in the third of four segments, whose headers are in the
// file's first page: a file that ends before the last byte of either cannot be
// read.
TEST_F(Inspect, RefusesAFileThatIsCutOff) {
  for (size_t size : {size_t(63), size_t(64), size_t(700), descriptor,
                      descriptor + 55, bytes.size() / 2})
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size << " bytes";
}

// No damage may make it read outside of the file; AddressSanitizer would report
// that.
TEST_F(Inspect, SurvivesAnyDamageToItsTables) {
  size_t dynamic = dynamicValue(llvm::ELF::DT_RELR);
  std::vector<size_t> places;
  for (size_t at = 0; at < header(11); ++at)
    places.push_back(at);
  for (size_t at = dynamic - 200; at < dynamic + 200; ++at)
    places.push_back(at);
  for (size_t at = descriptor; at < descriptor + 56; ++at)
    places.push_back(at);
  for (size_t at : places)
    for (int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      char old = std::exchange(bytes[at], static_cast<char>(value));
      llvm::Expected<ArtifactInfo> info = readArtifact(bytes);
      if (info)
        EXPECT_LE(info->targets.size(), 64u) << "byte " << at;
      else
        EXPECT_NE(llvm::toString(info.takeError()), "") << "byte " << at;
      bytes[at] = old;
    }
}
