#include "CTag.h"

#include "descriptor.hpp"

#include <new>
#include <string>

#include <taglib/aifffile.h>
#include <taglib/apetag.h>
#include <taglib/attachedpictureframe.h>
#include <taglib/chapterframe.h>
#include <taglib/commentsframe.h>
#include <taglib/flacfile.h>
#include <taglib/flacpicture.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2framefactory.h>
#include <taglib/id3v2tag.h>
#include <taglib/mp4file.h>
#include <taglib/mpegfile.h>
#include <taglib/oggflacfile.h>
#include <taglib/opusfile.h>
#include <taglib/speexfile.h>
#include <taglib/synchronizedlyricsframe.h>
#include <taglib/textidentificationframe.h>
#include <taglib/unsynchronizedlyricsframe.h>
#include <taglib/vorbisfile.h>
#include <taglib/wavfile.h>
#include <taglib/xiphcomment.h>

namespace {

using namespace TagLib;

#if TAGLIB_MAJOR_VERSION >= 2
#define FACTORY
#else
#define FACTORY ID3v2::FrameFactory::instance(),
#endif

class Reader {
 public:
  Reader(Descriptor &stream, const ctag_visitor &visitor) : stream(stream), visitor(visitor) {}

  bool read() {
    const ByteVector head = stream.readBlock(64);
    stream.seek(0, IOStream::Beginning);
    if (head.startsWith("ID3") || head.startsWith("fLaC")) return read_flac_or_frames(head);
    if (head.startsWith("OggS")) return read_ogg(head);
    if (head.containsAt("ftyp", 4)) return read_mp4();
    if (head.startsWith("RIFF") && head.containsAt("WAVE", 8)) return read_wave();
    if (head.startsWith("FORM") && head.containsAt("AIF", 8)) return read_aiff();
    // Samples have bytes like those of frames, and TagLib would look for a tag through the whole file.
    if (head.startsWith("RF64")) return false;
    return read_frames();
  }

 private:
  Descriptor &stream;
  const ctag_visitor &visitor;

  bool read_flac_or_frames(const ByteVector &head) {
    Offset flac = 0;
    if (head.startsWith("ID3") && head.size() >= 10) {
      for (int i = 6; i < 10; i++) flac = flac << 7 | (head[i] & 0x7f);
      flac += head[5] & 0x10 ? 20 : 10;
    }
    stream.seek(flac, IOStream::Beginning);
    const bool is_flac = stream.readBlock(4) == "fLaC";
    stream.seek(0, IOStream::Beginning);
    if (!is_flac) return read_mpeg();
    FLAC::File file(&stream, FACTORY false);
    if (!file.isValid()) return false;
    if (file.hasXiphComment()) xiph(file.xiphComment());
    for (const FLAC::Picture *picture : file.pictureList()) flac_picture(*picture);
    if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag());
    if (file.hasID3v1Tag()) id3v1(file.ID3v1Tag());
    return true;
  }

  bool read_mpeg() {
    MPEG::File file(&stream, FACTORY false);
    if (!file.isValid()) return false;
    if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag());
    if (file.hasAPETag()) ape(file.APETag());
    if (file.hasID3v1Tag()) id3v1(file.ID3v1Tag());
    return true;
  }

  /// Frames that begin somewhere behind the beginning. TagLib would look for a tag through the whole file.
  bool read_frames() {
    const ByteVector head = stream.readBlock(64 * 1024);
    for (unsigned int i = 0; i + 1 < head.size(); i++) {
      const auto first = static_cast<uint8_t>(head[i]), second = static_cast<uint8_t>(head[i + 1]);
      if (first != 0xff || second < 0xe0 || second == 0xff) continue;
      stream.begin(i);
      return read_mpeg();
    }
    return false;
  }

  bool read_ogg(const ByteVector &head) {
    // The first page has one packet, in one segment.
    if (head.containsAt("\x01vorbis", 28)) return read_pages<Ogg::Vorbis::File>();
    if (head.containsAt("OpusHead", 28)) return read_pages<Ogg::Opus::File>();
    if (head.containsAt("\x7f" "FLAC", 28)) return read_pages<Ogg::FLAC::File>();
    if (head.containsAt("Speex   ", 28)) return read_pages<Ogg::Speex::File>();
    return false;
  }

  template <typename File> bool read_pages() {
    File file(&stream, false);
    if (!file.isValid()) return false;
    const Ogg::XiphComment *comment = file.tag();
    if (!comment) return true;
    xiph(comment);
    for (const FLAC::Picture *picture : const_cast<Ogg::XiphComment *>(comment)->pictureList()) flac_picture(*picture);
    return true;
  }

  bool read_wave() {
    RIFF::WAV::File file(&stream, false);
    if (!file.isValid()) return false;
    if (file.hasID3v2Tag()) id3v2(file.ID3v2Tag());
    return true;
  }

  bool read_aiff() {
    RIFF::AIFF::File file(&stream, false);
    if (!file.isValid()) return false;
    if (file.hasID3v2Tag()) id3v2(file.tag());
    return true;
  }

  bool read_mp4() {
    MP4::File file(&stream, false);
    if (!file.isValid()) return false;
    if (!file.tag()) return true;
    for (const auto &one : file.tag()->itemMap()) {
      const std::string name = one.first.to8Bit(true);
      if (name == "covr") {
        // A single picture is the front.
        for (const auto &cover : one.second.toCoverArtList()) picture(CTAG_CONTAINER, 3, cover.data());
      } else if (name == "trkn" || name == "disk") {
        const auto pair = one.second.toIntPair();
        std::string text = std::to_string(pair.first);
        if (pair.second > 0) text += "/" + std::to_string(pair.second);
        field(CTAG_CONTAINER, name, String(text), false);
      } else if (name == "cpil") {
        field(CTAG_CONTAINER, name, one.second.toBool() ? "1" : "0", false);
      } else {
        for (const auto &value : one.second.toStringList()) field(CTAG_CONTAINER, name, value, false);
      }
    }
    return true;
  }

  void xiph(const Ogg::XiphComment *comment) {
    for (const auto &one : comment->fieldListMap())
      for (const auto &value : one.second) field(CTAG_CONTAINER, one.first.to8Bit(true), value, false);
  }

  void ape(const APE::Tag *tag) {
    for (const auto &one : tag->itemListMap()) {
      const APE::Item &item = one.second;
      const std::string name = one.first.to8Bit(true);
      if (item.type() == APE::Item::Text) {
        for (const auto &value : item.values()) field(CTAG_APE, name, value, false);
      } else if (name.compare(0, 9, "COVER ART") == 0) {
        // A name of the picture, and the picture.
        const ByteVector data = item.binaryData();
        const int end = data.find('\0');
        if (end >= 0) picture(CTAG_APE, name == "COVER ART (BACK)" ? 4 : 3, data.mid(end + 1));
      }
    }
  }

  void id3v1(const ID3v1::Tag *tag) {
    field(CTAG_ID3V1, "title", tag->title(), true);
    field(CTAG_ID3V1, "artist", tag->artist(), true);
    field(CTAG_ID3V1, "album", tag->album(), true);
    field(CTAG_ID3V1, "comment", tag->comment(), true);
    field(CTAG_ID3V1, "genre", tag->genre(), false);
    if (tag->year()) field(CTAG_ID3V1, "year", String::number(tag->year()), false);
    if (tag->track()) field(CTAG_ID3V1, "track", String::number(tag->track()), false);
  }

  void id3v2(const ID3v2::Tag *tag) {
    for (const ID3v2::Frame *frame : tag->frameList()) {
      const std::string id(frame->frameID().data(), frame->frameID().size());
      if (auto *text = as<ID3v2::TextIdentificationFrame>(frame)) {
        text_frame(id, *text);
      } else if (auto *comment = as<ID3v2::CommentsFrame>(frame)) {
        const std::string name = comment->description().to8Bit(true);
        field(CTAG_ID3V2, name.empty() ? id : id + ":" + name, comment->text(), is_latin1(*comment));
      } else if (auto *lyrics = as<ID3v2::UnsynchronizedLyricsFrame>(frame)) {
        field(CTAG_ID3V2, id, lyrics->text(), is_latin1(*lyrics));
      } else if (auto *timed = as<ID3v2::SynchronizedLyricsFrame>(frame)) {
        if (timed->timestampFormat() != ID3v2::SynchronizedLyricsFrame::AbsoluteMilliseconds) continue;
        for (const auto &line : timed->synchedText())
          tell(line.text, is_latin1(*timed),
               [&](ctag_text text) { visitor.line(visitor.context, line.time, text); });
      } else if (auto *cover = as<ID3v2::AttachedPictureFrame>(frame)) {
        picture(CTAG_ID3V2, cover->type(), cover->picture());
      } else if (auto *chapter = as<ID3v2::ChapterFrame>(frame)) {
        const auto &inside = chapter->embeddedFrameListMap()["TIT2"];
        auto *title = inside.isEmpty() ? nullptr : as<ID3v2::TextIdentificationFrame>(inside.front());
        tell(title ? title->toString() : String(), title && is_latin1(*title), [&](ctag_text text) {
          visitor.chapter(visitor.context, chapter->startTime(), chapter->endTime(), text);
        });
      }
    }
  }

  void text_frame(const std::string &id, const ID3v2::TextIdentificationFrame &frame) {
    std::string name = id;
    StringList values = frame.fieldList();
    if (as<ID3v2::UserTextIdentificationFrame>(&frame) && !values.isEmpty()) {
      // The first of them is the description.
      name += ":" + values.front().to8Bit(true);
      values.erase(values.begin());
    }
    for (const auto &value : values) {
      bool is_number = false;
      const int genre = id == "TCON" ? value.toInt(&is_number) : 0;
      const String known = is_number && genre >= 0 && genre < 256 ? ID3v1::genre(genre) : String();
      field(CTAG_ID3V2, name, known.isEmpty() ? value : known, known.isEmpty() && is_latin1(frame));
    }
  }

  template <typename Kind> static const Kind *as(const ID3v2::Frame *frame) { return dynamic_cast<const Kind *>(frame); }

  template <typename Frame> static bool is_latin1(const Frame &frame) {
    return frame.textEncoding() == String::Latin1;
  }

  void field(int source, const std::string &name, const String &value, bool is_latin1) {
    if (value.isEmpty()) return;
    tell(value, is_latin1, [&](ctag_text text) { visitor.field(visitor.context, source, name.c_str(), text); });
  }

  void flac_picture(const FLAC::Picture &one) { picture(CTAG_CONTAINER, one.type(), one.data()); }

  void picture(int source, int type, const ByteVector &data) {
    visitor.picture(visitor.context, source, type, stream.offset_of(data), data.size());
  }

  template <typename Take> static void tell(const String &value, bool is_latin1, Take take) {
    const std::string bytes = value.to8Bit(!is_latin1);
    take(ctag_text{bytes.data(), bytes.size(), is_latin1});
  }
};

}  // namespace

int ctag_read(int descriptor, const ctag_visitor *visitor) {
  try {
    Descriptor stream(descriptor);
    return Reader(stream, *visitor).read() ? CTAG_READ : CTAG_UNKNOWN;
  } catch (const std::bad_alloc &) {
    return CTAG_TOO_LARGE;
  } catch (...) {
    return CTAG_FAILED;
  }
}
