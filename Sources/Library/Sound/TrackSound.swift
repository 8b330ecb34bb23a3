import Audio
import Media
import Timeshift
import Wire

/// Why a file's sound cannot be had.
public struct TrackSoundError: Error, Hashable, Sendable, CustomStringConvertible {
  /// In words that follow the file's name.
  public var description: String
  /// Whether the file's content is at fault; a disk or a machine may do better another time.
  public var isOfFile: Bool

  public init(_ description: String, isOfFile: Bool = true) {
    (self.description, self.isOfFile) = (description, isOfFile)
  }
}

/// The sound of a whole file, from the first sample that is heard to the last: what encoders added is left out.
///
/// It is used on one thread, which it blocks. Memory is that of a decoder and of a piece of the file, whatever the file
/// is. What is damaged in it is left out, as players do.
public final class TrackSound {
  /// Gets interleaved samples, valid during the call, their rate in Hz, and 1 or 2 channels. False: no more is wanted.
  public typealias Take = (UnsafeBufferPointer<Int16>, _ rate: Int, _ channels: Int) -> Bool

  private typealias Hand = FileDecoder.Take

  private let file: MediaFile
  private let layout: MediaLayout
  let summary: MediaSummary
  private let coding: MusicCoding
  /// Packets that could not be decoded, of all.
  private var (damaged, packets) = (0, 0)
  /// Why the first of them could not.
  private var firstError: AudioError?
  private var isWanted = true
  private let goesOn: () -> Bool
  /// Whether `goesOn` said no.
  private(set) var wasEnded = false
  /// Bytes that were read since there was sound.
  private var silentBytes = 0
  private var hasSound = false
  private var trim = SampleTrim()

  /// Damaged packets after which a file in which nothing could be decoded is given up.
  private static let damagedMax = 2000
  /// Bytes without sound after which the rest is left: a file that was not loaded whole ends in zeros.
  private static let silentMax = 64 << 20
  /// The most sound that a packet may hold; the longest is one of FLAC, of 65,535 samples at 8 kHz.
  private static let packetSeconds = 10.0

  /// - Parameter goesOn: asked for each piece of the file and of sound; false ends it.
  public init(
    _ file: MediaFile, goesOn: @escaping () -> Bool = { true }
  ) throws(TrackSoundError) {
    self.goesOn = goesOn
    let found: (MediaLayout, MediaSummary)?
    do throws(StorageError) {
      let layout = try file.layout()
      let summary = try layout.flatMap { layout throws(StorageError) in
        try file.summary(layout)
      }
      found = layout.flatMap { layout in summary.map { (layout, $0) } }
    } catch {
      throw TrackSoundError("cannot be read: \(error.reason)", isOfFile: false)
    }
    guard let (layout, summary) = found else {
      throw TrackSoundError("has no audio of a known format")
    }
    guard let coding = MusicCoding(layout, summary) else {
      throw TrackSoundError("has audio of a codec that is not decoded")
    }
    (self.file, self.layout, self.summary, self.coding) = (file, layout, summary, coding)
  }

  /// Decodes the file.
  public func decode(_ take: Take) throws(TrackSoundError) {
    func hand(_ samples: UnsafeBufferPointer<Int16>, _ rate: Int, _ channels: Int) {
      guard isWanted else { return }
      (silentBytes, hasSound) = (0, true)
      guard goesOn() else {
        (wasEnded, isWanted) = (true, false)
        return
      }
      trim.pass(samples, rate: rate, channels: channels) {
        if isWanted, !take($0, $1, $2) { isWanted = false }
      }
    }
    do {
      switch coding {
      case .packets where layout.container == .ogg: try decodePages(hand)
      case .packets, .free: try decodeFrames(hand)
      case .flac: try decodeFLAC(hand)
      case .aac, .alac: try decodeMP4(hand)
      case .pcm: try decodeSamples(hand)
      }
    } catch let error as TrackSoundError {
      throw error
    } catch let error as StorageError {
      throw TrackSoundError("cannot be read: \(error.reason)", isOfFile: false)
    } catch let error as AudioError {
      throw TrackSoundError("cannot be decoded: \(error.reason)", isOfFile: error.code != 0)
    } catch {
      throw TrackSoundError("cannot be decoded: \(error)")
    }
    if wasEnded { return }
    if !hasSound, silentBytes > Self.silentMax {
      throw TrackSoundError("has no sound in its first \(Self.silentMax >> 20) MiB")
    }
    if packets > 0, damaged == packets {
      let reason = firstError.map { ": \($0.reason)" } ?? ""
      throw TrackSoundError("cannot be decoded\(reason)")
    }
  }

  /// Counts a piece of the file; false: no more of it is read.
  private func reads(_ count: Int) -> Bool {
    silentBytes += count
    if !goesOn() { wasEnded = true }
    if wasEnded || silentBytes > Self.silentMax { isWanted = false }
    return isWanted
  }

  /// Counts a packet; false: the file is given up.
  private func count(_ body: () throws(AudioError) -> Void) -> Bool {
    packets += 1
    do throws(AudioError) {
      try body()
    } catch {
      damaged += 1
      if firstError == nil { firstError = error }
    }
    return isWanted && (damaged < packets || damaged < Self.damagedMax)
  }

  // MARK: Frames

  private func decodeFrames(_ hand: Hand) throws {
    if let gap = summary.gap, summary.codec == .mp3 {
      trim = SampleTrim(
        front: gap.delay + MPEGInfo.decoderDelay,
        held: max(0, gap.padding - MPEGInfo.decoderDelay))
    }
    guard let audio = layout.pieces.first else { return }
    let isMPEG = summary.codec?.isMPEGAudio ?? true
    var decoder: any SoundDecoder = isMPEG ? try Mpg123Decoder() : try AvDecoder(.aac)
    var scanner = PacketScanner()
    try file.walk(from: audio.lowerBound) { bytes, base, atEnd in
      guard reads(bytes.count) else { return nil }
      var place = 0
      while let found = scanner.next(in: bytes, from: place, atEnd: atEnd) {
        place = found.range.upperBound
        guard case .packet(let packet) = found else { continue }
        if base + UInt64(packet.range.lowerBound) >= audio.upperBound { return nil }
        let isFine = count { () throws(AudioError) in
          try Self.decode(bytes.extracting(packet.range), decoder, hand)
        }
        if !isFine { return nil }
        // A decoder that has failed is not used again.
        if damaged > 0, damaged % 16 == 0,
          let new: any SoundDecoder = isMPEG ? try? Mpg123Decoder() : try? AvDecoder(.aac)
        {
          decoder = new
        }
      }
      return place
    }
  }

  private static func decode(
    _ bytes: Span<UInt8>, _ decoder: any SoundDecoder,
    _ hand: Hand
  ) throws(AudioError) {
    let result = bytes.bytes.withUnsafeBytes { raw in
      Result { () throws(AudioError) in
        try decoder.decode(raw, atMost: packetSeconds) {
          if let format = decoder.format { hand($0, format.sampleRate, format.channels) }
        }
      }
    }
    try result.get()
  }

  // MARK: Ogg

  private func decodePages(_ hand: Hand) throws {
    var demuxer = OggDemuxer()
    var decoder: AvDecoder?
    var made: [UInt8] = []
    var failure: AudioError?
    try file.walk(from: 0) { bytes, _, atEnd in
      guard reads(bytes.count) else { return nil }
      var place = 0
      while let found = demuxer.next(in: bytes, from: place, atEnd: atEnd, into: &made) {
        place = found.end
        for item in found.items {
          switch item {
          case .headers(let headers):
            do throws(AudioError) {
              decoder = try AvDecoder(headers.format.codec, headers: headers.pages(serial: 0))
            } catch {
              failure = error
              return nil
            }
            trim = SampleTrim(front: 0, held: 0, heard: 0)
          case .packet(let packet):
            guard let decoder else { continue }
            let (front, back) = (packet.trim.front, packet.trim.back)
            trim.add(front: front, heard: packet.samples - front - back)
            let isFine = count { () throws(AudioError) in
              // A decoder believes no page without its checksum.
              var page = Array(made[packet.range])
              var span = page.mutableSpan
              OggPage.stamp(&span, serial: 0, sequence: 0, granule: 0)
              try Self.decode(page.span, decoder, hand)
            }
            if !isFine { return nil }
          case .lost: continue
          }
        }
        made.removeAll(keepingCapacity: true)
      }
      return place
    }
    if let failure { throw failure }
  }

  // MARK: FLAC

  private func decodeFLAC(_ hand: Hand) throws {
    guard let audio = layout.pieces.first else { return }
    let decoder = try FileDecoder(.flac(layout.setup))
    if let heard = summary.samples { trim = SampleTrim(front: 0, held: 0, heard: heard) }
    func found(_ samples: UnsafeBufferPointer<Int16>, _ rate: Int, _ channels: Int) {
      packets += 1
      hand(samples, rate, channels)
    }
    try file.walk(from: audio.lowerBound) { bytes, at, _ in
      guard reads(bytes.count), !decoder.isLost else { return nil }
      let count = Int(min(UInt64(bytes.count), audio.upperBound.saturatingSubtract(at)))
      let failed = decoder.decode(file: bytes.extracting(0..<count), found)
      damaged += failed
      packets += failed
      return isWanted && count == bytes.count ? count : nil
    }
    if isWanted { decoder.finish(found) }
    if packets == 0, !wasEnded {
      throw TrackSoundError("cannot be decoded: it has no whole frame of FLAC")
    }
  }

  // MARK: MP4

  private func decodeMP4(_ hand: Hand) throws {
    guard var samples = try file.samples() else {
      throw TrackSoundError("is an MP4 file whose packets are not listed")
    }
    guard samples.isCredible else { throw Self.tooMany(samples) }
    guard let setup = samples.setup.setup else {
      throw TrackSoundError("is an MP4 file without the setup of its codec")
    }
    let decoder =
      switch setup {
      case .aac(let config): try FileDecoder(.aac(config))
      case .alac(let box): try FileDecoder(.alac(box))
      }
    // In the track's units; HE-AAC is decoded at twice its core's rate.
    trim = SampleTrim(
      front: summary.gap?.delay ?? 0, held: 0, heard: summary.gap?.samples ?? summary.samples,
      scale: summary.sampleRate)
    while isWanted, let range = try samples.next(in: file), reads(range.count) {
      let bytes = try file.piece(at: range.lowerBound, count: range.count)
      guard bytes.count == range.count else { break }
      guard count({ () throws(AudioError) in try decoder.decode(packet: bytes, hand) }) else {
        break
      }
    }
    if packets == 0, !wasEnded {
      throw TrackSoundError("is an MP4 file whose packets are not listed")
    }
  }

  // MARK: Samples

  private func decodeSamples(_ hand: Hand) throws {
    guard let audio = layout.pieces.first else { return }
    var reader: PCMReader
    do throws(PCMReader.Failure) {
      reader = try Self.reader(layout)
    } catch {
      throw TrackSoundError(error.reason)
    }
    try file.walk(from: audio.lowerBound) { bytes, base, _ in
      guard reads(bytes.count) else { return nil }
      let count = Int(min(UInt64(bytes.count), audio.upperBound.saturatingSubtract(base)))
      // A reader of samples alone refuses nothing.
      try? reader.read(bytes.extracting(0..<count)) { samples, rate, channels in
        samples.withUnsafeBufferPointer { hand($0, rate, channels) }
      }
      return isWanted && count == bytes.count ? count : nil
    }
  }

  static func reader(_ layout: MediaLayout) throws(PCMReader.Failure) -> PCMReader {
    if let common = AIFFCommon(in: layout.setup.span), layout.container == .aiff {
      return try PCMReader(common)
    }
    return try PCMReader(waveFormat: layout.setup)
  }
}

extension MediaSummary {
  /// The number of samples that its head counts; nil where it counts none.
  fileprivate var samples: Int64? {
    isExact ? Int64(duration.samples(rate: sampleRate)) : nil
  }
}
