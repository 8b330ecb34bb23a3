import Timeshift
import Wire

/// Where a file's audio stands, apart from its tags.
public struct MediaLayout: Hashable, Sendable {
  public enum Container: Hashable, Sendable {
    /// MPEG audio or ADTS, frame by frame.
    case frames
    case ogg
    /// FLAC without Ogg.
    case flac
    case mp4
    case wave
    case aiff
  }

  public var container: Container
  /// The bytes of audio, ascending; MP4 may have several pieces.
  public var pieces: [Range<UInt64>]
  /// What the container's head says of the track; nil in frames and Ogg.
  var head: Head?
  /// What the first packets of an Ogg file show; nil elsewhere.
  var facts: MediaFacts?

  /// What a container says of its track.
  struct Head: Hashable, Sendable {
    var sampleRate: Int
    var channels: Int
    /// Samples at the sample rate; nil where the file does not say.
    var samples: Int64?
    /// Samples at the beginning that are not heard.
    var delay: Int64 = 0
    /// The samples that are heard; nil: all.
    var heard: Int64?
    /// The MP4 sample entry's kind; 0 elsewhere.
    var codec: UInt32 = 0
    /// What a decoder is told: STREAMINFO of FLAC, `fmt ` of WAV, `COMM` of AIFF.
    var setup: [UInt8] = []
  }

  /// What a decoder is told of FLAC, WAV and AIFF; empty elsewhere.
  package var setup: [UInt8] { head?.setup ?? [] }

  /// The number of audio bytes.
  public var bytes: UInt64 { pieces.reduce(0) { $0.saturatingAdd(UInt64($1.count)) } }

  /// The most tags at one end, blocks of FLAC, and boxes or chunks on one level.
  static let partsMax = 4096
  /// The most boxes of MP4 on a level below the first, and the most tracks that are looked into.
  static let (innerBoxesMax, tracksMax) = (256, 64)
  static let tagsMax = 16
}

extension MediaFile {
  /// Finds the file's audio; nil where its container is unknown or damaged. Blocks.
  public func layout() throws(StorageError) -> MediaLayout? {
    let start = try endOfTags()
    let head = try piece(at: start, count: 12)
    if head.starts(with: "fLaC") { return try flac(at: start) }
    if head.starts(with: "OggS") { return try ogg() }
    if head.starts(with: "ftyp", at: 4) { return try mp4() }
    if head.starts(with: "RIFF") || head.starts(with: "RF64"), head.starts(with: "WAVE", at: 8) {
      return try wave(at: start)
    }
    if head.starts(with: "FORM"),
      head.starts(with: "AIFF", at: 8) || head.starts(with: "AIFC", at: 8)
    {
      return try aiff(at: start)
    }
    let end = try startOfTags(from: start)
    return end > start ? MediaLayout(container: .frames, pieces: [start..<end]) : nil
  }

  /// Returns up to `count` bytes; fewer only at the file's end. Blocks.
  package func piece(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    let count = Int(min(UInt64(count), bytes.saturatingSubtract(offset)))
    var failure: StorageError?
    let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(StorageError) {
        filled = try read(UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return piece
  }

  /// Reads a value from a piece.
  func parsed<Value>(
    at offset: UInt64, count: Int, _ parse: (Span<UInt8>) -> Value?
  ) throws(StorageError) -> Value? {
    let bytes = try piece(at: offset, count: count)
    return parse(bytes.span)
  }

  /// The end of the ID3v2 tags in front.
  private func endOfTags() throws(StorageError) -> UInt64 {
    var place: UInt64 = 0
    for _ in 0..<MediaLayout.tagsMax {
      guard let tag = try parsed(at: place, count: 10, TagHeader.id3v2Bytes) else { break }
      place = place.saturatingAdd(UInt64(tag))
    }
    return min(place, bytes)
  }

  /// Where the tags at the end begin.
  private func startOfTags(from start: UInt64) throws(StorageError) -> UInt64 {
    var end = bytes
    for _ in 0..<MediaLayout.tagsMax {
      let count = min(UInt64(TagTail.lookMax), end.saturatingSubtract(start))
      let tag = UInt64(try parsed(at: end - count, count: Int(count), TagTail.bytes) ?? 0)
      guard tag > 0, tag <= end.saturatingSubtract(start) else { break }
      end -= tag
    }
    return end
  }

  // MARK: FLAC

  /// Reads the metadata blocks (RFC 9639 §8.1): the last one is marked, and frames follow it.
  private func flac(at start: UInt64) throws(StorageError) -> MediaLayout? {
    var place = start.saturatingAdd(4)
    var head: MediaLayout.Head?
    for _ in 0..<MediaLayout.partsMax {
      let block = try piece(at: place, count: 4)
      guard block.count == 4 else { return nil }
      let length = UInt64(block[1]) << 16 | UInt64(block[2]) << 8 | UInt64(block[3])
      if block[0] & 0x7F == 0 {
        head = Self.streamInfo(try piece(at: place.saturatingAdd(4), count: 34))
      }
      place = place.saturatingAdd(4 + length)
      guard block[0] & 0x80 == 0 else {
        let end = try startOfTags(from: min(place, bytes))
        guard let head, place < end else { return nil }
        return MediaLayout(container: .flac, pieces: [place..<end], head: head)
      }
    }
    return nil
  }

  /// Reads STREAMINFO (RFC 9639 §8.2): 20 bits of sample rate, 3 of channels, 5 of depth, 36 of samples from byte 10 on.
  private static func streamInfo(_ bytes: [UInt8]) -> MediaLayout.Head? {
    guard bytes.count == 34 else { return nil }
    let rate = Int(bytes[10]) << 12 | Int(bytes[11]) << 4 | Int(bytes[12]) >> 4
    guard Bounds.sampleRates.contains(rate) else { return nil }
    let samples = bytes[14...17].reduce(Int64(bytes[13] & 15)) { $0 << 8 | Int64($1) }
    return .init(
      sampleRate: rate, channels: Int(bytes[12] >> 1 & 7) + 1, samples: samples > 0 ? samples : nil,
      setup: bytes)
  }

  // MARK: Ogg

  private func ogg() throws(StorageError) -> MediaLayout? {
    // The first page with audio begins anew behind the headers.
    guard let facts = try facts(), facts.format.codec.isOgg, facts.start < bytes else { return nil }
    return MediaLayout(container: .ogg, pieces: [facts.start..<bytes], facts: facts)
  }

  // MARK: WAVE

  private func wave(at start: UInt64) throws(StorageError) -> MediaLayout? {
    var place = start.saturatingAdd(12)
    var head: (track: MediaLayout.Head, blockBytes: Int)?
    for _ in 0..<MediaLayout.partsMax {
      let chunk = try piece(at: place, count: 8)
      guard chunk.count == 8 else { return nil }
      let length = UInt64(chunk.span.littleEndian32(at: 4))
      let content = place.saturatingAdd(8)
      if chunk.starts(with: "fmt ") {
        head = Self.waveFormat(try piece(at: content, count: Int(min(max(length, 16), 40))))
      } else if chunk.starts(with: "data") {
        // A program that could not go back left a length of 0 or all ones.
        let isEndless = length == 0 || length == 0xFFFF_FFFF
        let end = isEndless ? bytes : min(content.saturatingAdd(length), bytes)
        guard let head, content < end else { return nil }
        var track = head.track
        track.samples = Int64(clamping: (end - content) / UInt64(head.blockBytes))
        return MediaLayout(container: .wave, pieces: [content..<end], head: track)
      }
      place = content.saturatingAdd(length.saturatingAdd(length & 1))
    }
    return nil
  }

  private static func waveFormat(_ bytes: [UInt8]) -> (track: MediaLayout.Head, blockBytes: Int)? {
    guard bytes.count >= 16 else { return nil }
    let channels = Int(bytes[2]) | Int(bytes[3]) << 8
    let rate = Int(bytes.span.littleEndian32(at: 4))
    let block = Int(bytes[12]) | Int(bytes[13]) << 8
    guard Bounds.channels.contains(channels), Bounds.sampleRates.contains(rate), block > 0 else {
      return nil
    }
    return (.init(sampleRate: rate, channels: channels, setup: bytes), block)
  }

  // MARK: AIFF

  private func aiff(at start: UInt64) throws(StorageError) -> MediaLayout? {
    var place = start.saturatingAdd(12)
    var (common, sound): (AIFFCommon?, Range<UInt64>?)
    var setup: [UInt8] = []
    for _ in 0..<MediaLayout.partsMax where common == nil || sound == nil {
      let chunk = try piece(at: place, count: 8)
      guard chunk.count == 8 else { break }
      let length = chunk[4...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let content = place.saturatingAdd(8)
      if chunk.starts(with: "COMM") {
        setup = try piece(at: content, count: Int(min(length, UInt64(AIFFCommon.bytesMax))))
        common = AIFFCommon(in: setup.span)
      } else if chunk.starts(with: "SSND") {
        // Samples begin behind an offset, the offset itself and a block size.
        let offset = try piece(at: content, count: 4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let end = min(content.saturatingAdd(length), bytes)
        let from = content.saturatingAdd(8).saturatingAdd(offset)
        if from < end { sound = from..<end }
      }
      place = content.saturatingAdd(length.saturatingAdd(length & 1))
    }
    guard let common, let sound else { return nil }
    return MediaLayout(
      container: .aiff, pieces: [sound],
      head: .init(
        sampleRate: common.sampleRate, channels: common.channels,
        samples: common.frames > 0 ? common.frames : nil, setup: setup))
  }
}

extension [UInt8] {
  func starts(with text: StaticString, at offset: Int = 0) -> Bool {
    guard count >= offset + text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { self[offset..<offset + $0.count].elementsEqual($0) }
  }
}

extension Span<UInt8> {
  /// Four bytes, least significant first.
  func littleEndian32(at offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(self[offset + $1]) << UInt32(8 * $1) }
  }

}
