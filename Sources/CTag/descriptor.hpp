#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include <taglib/tiostream.h>

namespace {

using namespace TagLib;

#if TAGLIB_MAJOR_VERSION >= 2
using Offset = offset_t;
using Start = offset_t;
using Size = size_t;
#else
using Offset = long;
using Start = unsigned long;
using Size = unsigned long;
#endif

/// A file by its descriptor, read where TagLib asks and never changed.
///
/// It remembers what it handed out. TagLib's vectors share their memory, so a picture that was not decoded lies inside
/// of one of them, which tells its place in the file.
class Descriptor : public IOStream {
 public:
  explicit Descriptor(int fd) : fd(fd) {
    struct stat status;
    bytes = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
  }

  /// Everything before this place is as if it were not there.
  void begin(Offset offset) {
    start = offset;
    place = 0;
  }

  ByteVector readBlock(Size wanted) override {
    if (place < 0 || place >= length()) return ByteVector();
    const Size count = std::min<Size>(wanted, static_cast<Size>(length() - place));
    ByteVector data(static_cast<unsigned int>(std::min<Size>(count, UINT32_MAX)), 0);
    char *into = data.data();
    Size filled = 0;
    while (filled < data.size()) {
      const ssize_t got = pread(fd, into + filled, data.size() - filled, start + place + static_cast<Offset>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      filled += static_cast<Size>(got);
    }
    if (filled < data.size()) data.resize(static_cast<unsigned int>(filled));
    // Searches read 1,024 bytes at a time.
    if (wanted != 1024 && filled > 32 && handed.size() < handed_max) handed.emplace_back(start + place, data);
    place += static_cast<Offset>(filled);
    return data;
  }

  /// Where these bytes stand in the file; -1 where they were decoded.
  int64_t offset_of(const ByteVector &part) const {
    for (const auto &one : handed) {
      const char *first = one.second.data();
      if (part.size() && part.data() >= first && part.data() + part.size() <= first + one.second.size())
        return one.first + (part.data() - first);
    }
    return -1;
  }

  void seek(Offset offset, Position from) override {
    place = from == Beginning ? offset : (from == Current ? place : length()) + offset;
  }
  Offset tell() const override { return place; }
  Offset length() override { return bytes - start; }
  FileName name() const override { return ""; }
  bool readOnly() const override { return true; }
  bool isOpen() const override { return true; }
  void writeBlock(const ByteVector &) override {}
  void insert(const ByteVector &, Start, Size) override {}
  void removeBlock(Start, Size) override {}
  void truncate(Offset) override {}

 private:
  static constexpr size_t handed_max = 256;
  const int fd;
  Offset bytes = 0, start = 0, place = 0;
  std::vector<std::pair<Offset, ByteVector>> handed;
};

}  // namespace
