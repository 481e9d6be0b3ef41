//===- InspectArtifact.cpp - Inspects artifacts ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The descriptor's leading fields, up to its targets, have the same offsets in
// every version of the ABI. Moving one of them would make artifacts of older
// versions unreadable. The static assertions below, and tests with old
// artifacts in test/data/abi, prevent this.
//
//===----------------------------------------------------------------------===//

#include "compiler/Driver/InspectArtifact.h"

#include "compiler/Driver/ElfImage.h"
#include "runtime/ABI/Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <optional>

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;

namespace ingot::driver {

// Offsets of the leading fields of the descriptor, the struct by which a
// compiled program describes itself. They never change.
static constexpr uint64_t versionAt = 8, sizeAt = 12, compilerAt = 16,
                          sourceAt = 24, sourceHashAt = 32, numTargetsAt = 40,
                          targetsAt = 48, leadingSize = 56;
static_assert(offsetof(ingot_program, abi_version) == versionAt);
static_assert(offsetof(ingot_program, struct_size) == sizeAt);
static_assert(offsetof(ingot_program, compiler) == compilerAt);
static_assert(offsetof(ingot_program, source) == sourceAt);
static_assert(offsetof(ingot_program, source_hash) == sourceHashAt);
static_assert(offsetof(ingot_program, num_targets) == numTargetsAt);
static_assert(offsetof(ingot_program, targets) == targetsAt);

/// The largest counts and string size that a valid descriptor may have. No
/// version of the compiler exceeds them.
static constexpr uint32_t maxTargets = 64, maxImages = 64;
static constexpr uint64_t maxStringSize = 4096;

namespace {

/// Reads the descriptor at `address`. Checks every field, because the bytes
/// there may not be a descriptor at all.
class ProgramDescriptorReader {
public:
  ProgramDescriptorReader(const ElfImage &image, uint64_t address)
      : image(image), address(address), bytes(image.from(address)) {}

  Expected<ArtifactInfo> read() {
    if (bytes.size() < leadingSize)
      return damaged("truncated descriptor: " + Twine(bytes.size()) +
                     " bytes, expected at least " + Twine(leadingSize));
    ArtifactInfo info;
    info.abiVersion = read32le(bytes.data() + versionAt);
    uint32_t size = read32le(bytes.data() + sizeAt);
    if (size < leadingSize)
      return damaged("invalid descriptor size: " + Twine(size) +
                     " bytes, expected at least " + Twine(leadingSize));
    if (size > bytes.size())
      return damaged("invalid descriptor size: " + Twine(size) +
                     " bytes, but only " + Twine(bytes.size()) +
                     " are in the segment");
    if (Error error = string(address + compilerAt, "compiler", info.compiler))
      return error;
    if (Error error = string(address + sourceAt, "source", info.source))
      return error;
    if (Error error =
            string(address + sourceHashAt, "source_hash", info.sourceHash))
      return error;
    uint32_t count = read32le(bytes.data() + numTargetsAt);
    if (count > maxTargets)
      return damaged("descriptor has an invalid count: " + Twine(count) +
                     " targets, expected at most " + Twine(maxTargets));
    std::optional<uint64_t> targets = image.pointer(address + targetsAt);
    if (count > 0 && !targets)
      return damaged("descriptor field targets is not a pointer");
    for (uint32_t i = 0; i < count; ++i)
      if (Error error = string(*targets + uint64_t(8) * i, "targets",
                               info.targets.emplace_back()))
        return error;
    if (info.abiVersion == INGOT_ABI_VERSION && size == sizeof(ingot_program))
      if (Error error = readDevices(info.images))
        return error;
    return info;
  }

private:
  /// Reads the two fields of a struct that describe an array. The struct is at
  /// address `at`; `pointerAt` and `countAt` are the offsets of the fields.
  /// Sets `begin` to the array's address and `count` to the number of its
  /// elements.
  Error table(uint64_t at, uint64_t countAt, uint64_t pointerAt, StringRef what,
              uint64_t &begin, uint32_t &count) {
    StringRef number = image.from(at + countAt);
    if (number.size() < 4)
      return damaged("truncated descriptor: it ends before its count of " +
                     what);
    count = read32le(number.data());
    if (count > maxImages)
      return damaged("descriptor has an invalid count: " + Twine(count) + " " +
                     what + ", expected at most " + Twine(maxImages));
    std::optional<uint64_t> target = image.pointer(at + pointerAt);
    if (count > 0 && !target)
      return damaged("descriptor field " + what + " is not a pointer");
    begin = target.value_or(0);
    return Error::success();
  }

  Error readDevices(std::vector<ArtifactDeviceImage> &images) {
    uint64_t devices = 0, first = 0;
    uint32_t count = 0, numImages = 0;
    if (Error error =
            table(address, offsetof(ingot_program, num_devices),
                  offsetof(ingot_program, devices), "devices", devices, count))
      return error;
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t device = devices + i * sizeof(ingot_device);
      std::string name;
      if (Error error =
              string(device + offsetof(ingot_device, name), "devices", name))
        return error;
      if (Error error =
              table(device, offsetof(ingot_device, num_images),
                    offsetof(ingot_device, images), "images", first, numImages))
        return error;
      for (uint32_t j = 0; j < numImages; ++j)
        if (Error error = readImage(first + j * sizeof(ingot_device_image),
                                    images.emplace_back()))
          return error;
        else
          images.back().device = name;
    }
    return Error::success();
  }

  Error readImage(uint64_t at, ArtifactDeviceImage &result) {
    StringRef fields = image.from(at);
    if (fields.size() < sizeof(ingot_device_image))
      return damaged("truncated descriptor: it ends in an image");
    result.isBinary =
        read32le(fields.data() + offsetof(ingot_device_image, is_binary)) != 0;
    return string(at + offsetof(ingot_device_image, arch), "images",
                  result.arch);
  }

  /// Reads the string that the pointer at address `at` points to. `field` is
  /// the name to use in the error.
  Error string(uint64_t at, StringRef field, std::string &result) {
    std::optional<uint64_t> target = image.pointer(at);
    if (!target)
      return damaged("descriptor field " + field + " is not a pointer");
    StringRef text = image.from(*target).take_front(maxStringSize);
    size_t end = text.find('\0');
    if (end == StringRef::npos)
      return damaged("descriptor field " + field +
                     " does not point to a string");
    result = text.take_front(end).str();
    return Error::success();
  }

  const ElfImage &image;
  uint64_t address;
  StringRef bytes;
};

} // namespace

Expected<ArtifactInfo> readArtifact(StringRef bytes) {
  Expected<ElfImage> image = ElfImage::parse(bytes);
  if (!image)
    return image.takeError();
  // The magic number also occurs in the runtime's code, which is read-only. A
  // descriptor contains pointers that are relocated at load time, so it is
  // always in a writable segment: search writable segments only.
  std::string problem;
  for (const ElfImage::ElfSegment &segment : image->loaded())
    for (uint64_t at = -segment.address % 8;
         segment.isWritable && at < segment.contents.size() &&
         segment.contents.size() - at >= 8;
         at += 8) {
      if (read64le(segment.contents.data() + at) != INGOT_PROGRAM_MAGIC)
        continue;
      Expected<ArtifactInfo> info =
          ProgramDescriptorReader(*image, segment.address + at).read();
      if (info)
        return info;
      problem = toString(info.takeError());
    }
  return createStringError(
      problem.empty()
          ? "not an Ingot executable: the file contains no program descriptor"
          : problem);
}

/// Prints the facts about an artifact as a JSON object. JSON must be UTF-8, but
/// a damaged file's strings may be any bytes: invalid ones are replaced.
static void printJson(const ArtifactInfo &info) {
  auto text = [](StringRef bytes) { return json::fixUTF8(bytes); };
  json::OStream json(outs());
  json.object([&] {
    json.attribute("artifact_format", info.abiVersion);
    json.attribute("compiler", text(info.compiler));
    json.attribute("source", text(info.source));
    json.attribute("source_sha256", text(info.sourceHash));
    json.attributeArray("targets", [&] {
      for (const std::string &target : info.targets)
        json.value(text(target));
    });
    json.attributeArray("images", [&] {
      for (const ArtifactDeviceImage &image : info.images)
        json.object([&] {
          json.attribute("device", text(image.device));
          json.attribute("arch", text(image.arch));
          json.attribute("format", image.isBinary ? "cubin" : "ptx");
        });
    });
    json.attribute("format_of_this_ingot", INGOT_ABI_VERSION);
  });
  outs() << '\n';
}

/// Prints one line per fact about an artifact, in the same form as `trainer
/// info`. Control characters in the file's strings are escaped, as a terminal
/// would obey them.
static void print(const ArtifactInfo &info) {
  auto line = [](StringRef name, StringRef value) {
    outs() << left_justify(name, 11);
    printEscapedString(value, outs());
    outs() << '\n';
  };
  line("format", std::to_string(info.abiVersion));
  line("compiler", info.compiler);
  line("source", info.source);
  line("sha256", info.sourceHash);
  line("targets", join(info.targets, ", "));
  for (const ArtifactDeviceImage &image : info.images)
    line(image.device,
         image.arch + (image.isBinary ? " machine code" : " PTX"));
}

int inspect(StringRef path, bool json) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!file) {
    WithColor::error() << "cannot read '" << path
                       << "': " << file.getError().message() << '\n';
    return 1;
  }
  Expected<ArtifactInfo> info = readArtifact((*file)->getBuffer());
  if (!info) {
    WithColor::error() << "'" << path << "': " << toString(info.takeError())
                       << '\n';
    return 1;
  }
  json ? printJson(*info) : print(*info);
  if (info->abiVersion != INGOT_ABI_VERSION) {
    outs().flush();
    WithColor::note() << "'" << path << "' has artifact format "
                      << info->abiVersion << "; this ingotc writes "
                      << INGOT_ABI_VERSION
                      << ". It still runs, with the runtime linked into it; "
                         "recompile the graph to update it\n";
  }
  return 0;
}

} // namespace ingot::driver
