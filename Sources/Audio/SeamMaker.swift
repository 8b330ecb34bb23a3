import Wire

/// Makes the frames between two pieces of MP3, so that one follows the other without a gap, or the two overlap.
///
/// Only the sound round the join is decoded and encoded anew (`MPEGSplice`): some 2 s, which cost 30 ms. Frames come in
/// and go out, as they are sent. A maker is a value, and may be used on any thread.
public struct SeamMaker: Sendable {
  /// How B follows A.
  public enum Join: Hashable, Sendable {
    /// B's first sample behind A's last.
    case gapless
    /// A is faded out over so many seconds, under B, which begins at once at its own level.
    ///
    /// It begins so many seconds before A's end, or earlier: where A falls below −30 LUFS for good.
    case fade(Double)
    /// The same, of an A that is cut before its end: B begins so many seconds before that place, however soft A is.
    case blend(Double)
    /// B is laid over the last seconds of A, which keeps its level.
    case over(Double)
  }

  public struct Seam: Sendable {
    /// Frames of A, from its first, that go out as they are.
    public var kept: Int
    /// The frames between.
    public var frames: [[UInt8]]
    /// The first frame of B that goes out as it is.
    public var resumed: Int
    /// Samples from the seam's beginning to B's first that is heard.
    public var start: Int
    /// Samples by which B's part of the seam was made longer, or shorter.
    public var shift: Int
  }

  /// Why there is no seam.
  public enum Failure: Error, CustomStringConvertible {
    case refused(MPEGSplice.Refusal)
    case failed(AudioError)
    /// The encoder could not begin or end the seam with long windows.
    case windows

    public var description: String {
      switch self {
      case .refused(let refusal): refusal.description
      case .failed(let error): error.description
      case .windows: "The seam cannot be encoded without a click at its border: cut."
      }
    }
  }

  /// kbit/s of the seam's frames, one of the layer III bit rates at the pieces' sample rate.
  public var bitrate: Int
  /// LAME's, 0 (the best) to 9.
  public var quality: Int

  /// Seconds of an overlap.
  public static let overlaps = 0.0...30.0

  /// Returns the bit rate in kbit/s of a seam between frames of `bitrate`: half as much again, or the highest, so that
  /// what is encoded twice sounds as what is encoded once.
  public static func bitrate(beside bitrate: Int, sampleRate: Int) -> Int {
    let rates = LameEncoder.bitrates(at: sampleRate) ?? []
    return rates.first { $0 >= bitrate.saturatingAdd(bitrate / 2) } ?? rates.last ?? 128
  }

  public init(bitrate: Int, quality: Int = 3) { (self.bitrate, self.quality) = (bitrate, quality) }

  /// Makes a seam.
  ///
  /// - Parameters:
  ///   - a: The end of what is sent: `MPEGSplice.framesOfA` frames, or all that are left of it. A fade that may begin
  ///     early needs the seconds of a soft end too.
  ///   - b: The beginning of what follows: `MPEGSplice.framesOfB` frames, or all.
  public func seam(
    from a: MPEGSplice.Piece, to b: MPEGSplice.Piece, _ join: Join
  ) throws(Failure) -> Seam {
    guard let header = a.frames.last.flatMap({ MPEGHeader(in: $0.span) }) else {
      throw .refused(.notOneFormat)
    }
    do {
      let overlap = try Self.overlap(join, of: a, header)
      let splice = try MPEGSplice(
        from: a, to: b, overlap.start, until: overlap.shared, bitrate: bitrate)
      let sound = try SeamSound(a, b, splice, fade: overlap.fade)
      let frames = try encode(sound, splice, like: a.frames[splice.kept])
      return Seam(
        kept: splice.kept, frames: frames, resumed: splice.resumed, start: splice.start,
        shift: splice.shift)
    } catch let refusal as MPEGSplice.Refusal {
      throw .refused(refusal)
    } catch let error as AudioError {
      throw .failed(error)
    } catch {
      throw .windows
    }
  }

  /// How two pieces overlap, in samples.
  private struct Overlap {
    var start: MPEGSplice.Start
    /// Samples in which both are heard.
    var shared = 0
    /// Samples over which A is faded out; nil: it keeps its level.
    var fade: Int?
  }

  private static func overlap(
    _ join: Join, of a: MPEGSplice.Piece, _ header: MPEGHeader
  ) throws -> Overlap {
    func samples(_ seconds: Double) -> Int {
      let seconds = min(overlaps.upperBound, max(overlaps.lowerBound, seconds))
      return Int(bounded: seconds * Double(header.sampleRate), in: 0...10_000_000)
    }
    switch join {
    case .gapless: return Overlap(start: .exact)
    case .over(let seconds):
      return Overlap(start: .before(samples(seconds)), shared: samples(seconds))
    case .blend(let seconds):
      let fade = samples(seconds)
      return Overlap(start: .before(fade), shared: fade, fade: fade)
    case .fade(let seconds):
      let fade = samples(seconds)
      // What is soft may be all that is there, and a place to leave it must be left.
      let room = a.frames.count - MPEGSplice.framesOfA(overlap: 0, sampleRate: header.sampleRate)
      let soft = try SeamSound.softEnd(
        of: a, header,
        atMost: min(samples(overlaps.upperBound), max(0, room) * header.samples))
      return Overlap(start: .before(max(fade, soft)), shared: fade, fade: fade)
    }
  }

  /// Frames before the seam that are encoded and thrown away: an encoder begins in silence.
  private static func preroll(_ header: MPEGHeader) -> Int { header.version == .v1 ? 3 : 6 }

  private func encode(
    _ sound: SeamSound, _ splice: MPEGSplice, like neighbour: [UInt8]
  ) throws -> [[UInt8]] {
    guard let header = MPEGHeader(in: neighbour.span) else { throw MPEGSplice.Refusal.notOneFormat }
    let preroll = Self.preroll(header)
    let end = (splice.count + MPEGSplice.lookAhead) * header.samples
    let late = try encoder(header, bitrate, true).delay + MPEGInfo.decoderDelay
    let samples = sound.samples((late - preroll * header.samples)..<end)
    let areLong = try bordersAreLong(samples, splice, header)
    var failure: any Error = Failure.windows
    // Long windows only where a sharp sound at a border would make it begin or end with short ones; fewer bits only where
    // the frames would have no room for what B borrows.
    for (bitrate, usesShortBlocks) in [
      (bitrate, true), (bitrate, false), (splice.sureBitrate, true), (splice.sureBitrate, false),
    ] where areLong || !usesShortBlocks {
      let all = try Self.frames(of: samples, by: encoder(header, bitrate, usesShortBlocks))
      let frames = Array(all.dropFirst(preroll).prefix(splice.count))
      guard splice.fits(frames) else { continue }
      do throws(MPEGSplice.Refusal) {
        return try splice.frames(of: frames, like: neighbour)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func encoder(
    _ header: MPEGHeader, _ bitrate: Int, _ usesShortBlocks: Bool
  ) throws(AudioError) -> LameEncoder {
    try LameEncoder(
      sampleRate: header.sampleRate, channels: header.channels, bitrate: bitrate,
      mode: header.channelMode == 1 ? .joint : .stereo, usesReservoir: false,
      quality: quality, usesShortBlocks: usesShortBlocks)
  }

  /// Frames at the end of a seam by which an encoder finds the windows of the last.
  private static let borderFrames = 8

  /// Whether an encoder that may use short blocks has long windows at both borders, by what is around them alone.
  private func bordersAreLong(
    _ samples: [Int16], _ splice: MPEGSplice, _ header: MPEGHeader
  ) throws(AudioError) -> Bool {
    let (frame, preroll) = (header.samples * header.channels, Self.preroll(header))
    func frames(_ samples: ArraySlice<Int16>) throws(AudioError) -> [[UInt8]] {
      try Self.frames(of: Array(samples), by: encoder(header, bitrate, true))
    }
    let before = preroll + splice.count - Self.borderFrames
    guard before > 0, before * frame < samples.count else { return true }
    let begin = samples.prefix((preroll + 1 + MPEGSplice.lookAhead + 2) * frame)
    let first = try frames(begin).dropFirst(preroll).first
    let last = try frames(samples.dropFirst(before * frame)).prefix(Self.borderFrames).last
    guard let first, let last else { return true }
    return splice.fits([first, last])
  }

  /// Returns all frames that an encoder makes of samples.
  private static func frames(
    of samples: [Int16], by encoder: LameEncoder
  ) throws(AudioError) -> [[UInt8]] {
    let bytes = try encoder.encode(samples) + encoder.finish()
    var frames: [[UInt8]] = []
    var from = 0
    while let length = MPEGHeader(in: bytes.span, at: from)?.frameBytes,
      from + length <= bytes.count
    {
      frames.append(Array(bytes[from..<(from + length)]))
      from += length
    }
    return frames
  }
}
