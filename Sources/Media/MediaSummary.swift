import Timeshift
import Wire

/// What a library keeps of a file's audio, found without reading all of it.
public struct MediaSummary: Hashable, Sendable {
  public var container: MediaLayout.Container
  /// Nil where the relay has no packets of that codec.
  public var codec: Codec?
  /// The kind of an MP4 file's sample entry, such as `alac`; 0 elsewhere.
  public var entry: UInt32 = 0
  public var sampleRate: Int
  /// 0 where ADTS leaves it to the stream.
  public var channels: Int
  /// Bits a second, on average.
  public var bitrate: Int
  /// The whole length; samples that the encoder added are in it, but for those that Ogg leaves out.
  public var duration: MediaTime
  /// Whether the length comes from a count of samples; else it is estimated from the first packets.
  public var isExact: Bool
  /// Samples that are not heard, as the file says; a decoder of MP3 adds 529 of its own in front.
  public var gap: SampleGap?
  /// The position of the first packet.
  public var start: UInt64
  /// Whether frames of MPEG audio do not tell their size (free format, ISO 11172-3 2.4.2.3).
  public var isFree = false
}

extension MediaFile {
  /// Returns what is known of the file's audio; nil without any. Blocks.
  public func summary(_ layout: MediaLayout) throws(StorageError) -> MediaSummary? {
    guard let first = layout.pieces.first else { return nil }
    switch layout.container {
    case .frames: return try framesSummary(first)
    case .ogg:
      guard let facts = layout.facts else { return nil }
      return try oggSummary(first, facts)
    case .flac, .mp4, .wave, .aiff:
      guard let head = layout.head else { return nil }
      return Self.summary(of: layout, head, start: first.lowerBound)
    }
  }

  private static func summary(
    of layout: MediaLayout, _ head: MediaLayout.Head, start: UInt64
  ) -> MediaSummary {
    let codec: Codec? =
      switch layout.container {
      case .flac: .flac
      case .mp4: head.codec == MP4Box.kind("mp4a") ? .aac : nil
      case .frames, .ogg, .wave, .aiff: nil
      }
    let samples = min(head.samples ?? guess(layout, head), Bounds.samples)
    let duration = MediaTime(samples: Int(samples), rate: head.sampleRate)
    var gap: SampleGap?
    if head.delay > 0 || head.heard != nil, let delay = Int(exactly: head.delay) {
      let heard = head.heard ?? samples - head.delay
      gap = SampleGap(
        delay: delay, padding: Int(max(0, samples - head.delay - heard)), samples: heard)
    }
    return MediaSummary(
      container: layout.container, codec: codec, entry: head.codec, sampleRate: head.sampleRate,
      channels: head.channels, bitrate: bitrate(layout.bytes, duration), duration: duration,
      isExact: head.samples != nil, gap: gap, start: start)
  }

  /// Samples of a file that does not say how many it has, as encoders to a pipe leave it.
  private static func guess(_ layout: MediaLayout, _ head: MediaLayout.Head) -> Int64 {
    // Of 16 bits; FLAC takes some six tenths of that.
    let share = layout.container == .flac ? 0.6 : 1
    return Int64(bounded: Double(layout.bytes) / (2 * share * Double(max(1, head.channels))))
  }

  private static func bitrate(_ bytes: UInt64, _ duration: MediaTime) -> Int {
    duration > .zero ? Int(bounded: Double(bytes) * 8 / duration.seconds, in: 0...1_000_000_000) : 0
  }

  // MARK: Frames

  private func framesSummary(_ audio: Range<UInt64>) throws(StorageError) -> MediaSummary? {
    guard let facts = try factsOfFrames(from: audio.lowerBound),
      audio.contains(facts.start)
    else { return nil }
    let bytes = audio.upperBound - facts.start
    let info = facts.format.codec == .mp3 ? try infoTable(audio.lowerBound..<facts.start) : nil
    var samples = info.flatMap { Self.samples($0, facts, bytes: bytes) }
    if samples == nil, facts.format.codec.isMPEGAudio {
      samples = try constantSamples(facts.start..<audio.upperBound)
    }
    let rate = facts.format.sampleRate
    let duration =
      samples.map { MediaTime(samples: $0, rate: rate) } ?? facts.media(at: audio.upperBound)
    return MediaSummary(
      container: .frames, codec: facts.format.codec, sampleRate: rate,
      channels: facts.format.channels, bitrate: Self.bitrate(bytes, duration), duration: duration,
      isExact: samples != nil, gap: info?.gap, start: facts.start,
      isFree: facts.isFree)
  }

  /// The table in front of the first packet.
  private func infoTable(_ range: Range<UInt64>) throws(StorageError) -> MPEGInfo? {
    // No frame is longer than its bit rate makes it: 1,441 bytes at 320 kbit/s and 32 kHz, twice as many with free format.
    let bytes = try piece(at: range.lowerBound, count: min(4096, range.count))
    for offset in bytes.indices where bytes[offset] == 0xFF {
      guard let header = MPEGHeader(in: bytes.span, at: offset), let length = header.frameBytes,
        offset + length <= bytes.count,
        let info = MPEGInfo(in: bytes.span.extracting(offset..<offset + length))
      else { continue }
      return info
    }
    return nil
  }

  /// The samples that a table counts; nil where the file is not the one that the table was made for.
  private static func samples(_ info: MPEGInfo, _ facts: MediaFacts, bytes: UInt64) -> Int? {
    guard let frames = info.frames, frames > 0 else { return nil }
    // A cut file keeps the table of the whole one. The table's own frame is among the table's bytes.
    if let whole = info.bytes, abs(Double(whole) - Double(bytes)) > 8192 { return nil }
    let perFrame = facts.format.sampleRate >= 32_000 ? 1152 : 576
    return frames.saturatingMultiply(perFrame)
  }

  /// The samples of a file whose first, middle and last frames have one bit rate.
  private func constantSamples(_ audio: Range<UInt64>) throws(StorageError) -> Int? {
    let length = UInt64(audio.count)
    let middle = audio.lowerBound + length / 2
    let last = audio.upperBound - min(length, Self.searchBytes)
    guard let first = try frames(at: audio.lowerBound).first,
      let inside = try frames(at: middle).first, let end = try frames(at: last).last,
      first.bitrate > 0, first.bitrate == inside.bitrate, first.bitrate == end.bitrate,
      first.sampleRate == end.sampleRate
    else { return nil }
    let perFrame =
      Double(first.samples) / 8 * Double(first.bitrate) * 1000 / Double(first.sampleRate)
    // Padding keeps the sum of all frames within a byte of this.
    return Int(bounded: (Double(length) + 1) / perFrame, in: 0...Int(Bounds.samples) / 1152)
      .saturatingMultiply(first.samples)
  }

  private static let searchBytes: UInt64 = 16 * 1024

  private func frames(at offset: UInt64) throws(StorageError) -> [MPEGHeader] {
    let bytes = try piece(at: offset, count: Int(Self.searchBytes))
    var (scanner, place, headers) = (PacketScanner(), 0, [MPEGHeader]())
    while let found = scanner.next(in: bytes.span, from: place, atEnd: true) {
      if case .packet = found, let header = MPEGHeader(in: bytes.span, at: found.range.lowerBound) {
        headers.append(header)
      }
      place = found.range.upperBound
    }
    return headers
  }

  // MARK: Ogg

  private func oggSummary(
    _ audio: Range<UInt64>, _ facts: MediaFacts
  ) throws(StorageError) -> MediaSummary? {
    guard let first = try firstPage() else { return nil }
    let rate = facts.format.sampleRate
    var summary = MediaSummary(
      container: .ogg, codec: facts.format.codec, sampleRate: rate, channels: facts.format.channels,
      bitrate: 0, duration: facts.media(at: audio.upperBound), isExact: false,
      gap: first.preSkip > 0 ? SampleGap(delay: first.preSkip, padding: 0) : nil,
      start: audio.lowerBound)
    // In a chain the last page counts from its own link's beginning.
    if let last = try lastPage(audio), last.serial == first.serial {
      let samples = last.granule.saturatingSubtract(
        first.begin.saturatingAdd(UInt64(first.preSkip)))
      if samples <= UInt64(Bounds.samples) {
        summary.duration = MediaTime(samples: Int(samples), rate: rate)
        summary.isExact = true
      }
    }
    summary.bitrate = Self.bitrate(UInt64(audio.count), summary.duration)
    return summary
  }

  /// The first page with audio: its stream, and the granule position at which it begins.
  func firstPage() throws(StorageError) -> (serial: UInt32, begin: UInt64, preSkip: Int)? {
    var (demuxer, made, preSkip) = (OggDemuxer(), [UInt8](), 0)
    var first: (UInt32, UInt64, Int)?
    try walk(from: 0) { bytes, base, atEnd in
      var place = 0
      while let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made) {
        place = found.end
        made.removeAll(keepingCapacity: true)
        guard let page = demuxer.page else { continue }
        if page.flags.contains(.first), let found = page.preSkip(in: bytes) { preSkip = found }
        let samples = found.items.reduce(0) { $0 + $1.samples }
        guard samples > 0, page.granule != .max else { continue }
        // A first page that counts fewer samples than it has begins before zero; they are not heard.
        let begin =
          page.flags.contains(.last) ? 0 : page.granule.saturatingSubtract(UInt64(samples))
        first = (page.serial, page.granule < UInt64(samples) ? 0 : begin, preSkip)
        return nil
      }
      return base < MediaFacts.probedMax ? place : nil
    }
    return first.map { (serial: $0.0, begin: $0.1, preSkip: $0.2) }
  }

  /// The last page that counts samples, among the file's last 128 KiB.
  func lastPage(_ audio: Range<UInt64>) throws(StorageError) -> OggPage? {
    let count = min(UInt64(audio.count), 2 * UInt64(OggPage.bytesMax))
    let bytes = try piece(at: audio.upperBound - count, count: Int(count))
    var last: OggPage?
    Self.pages(in: bytes) { page, _ in
      if page.granule != .max { last = page }
      return true
    }
    return last
  }

  /// Calls `take` with each whole page in some bytes, and its place, until that is false.
  static func pages(in bytes: [UInt8], _ take: (OggPage, Int) -> Bool) {
    // Each wrong checksum has cost a page's time.
    var (place, damagesLeft) = (0, 16)
    while place < bytes.count, damagesLeft > 0 {
      switch OggPage.read(in: bytes.span, at: place) {
      case .page(let page):
        guard take(page, place) else { return }
        place = page.range.upperBound
      case .damaged:
        damagesLeft -= 1
        place += 1
      case .none, .needMore: place += 1
      }
    }
  }
}
