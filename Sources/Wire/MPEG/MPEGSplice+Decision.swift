extension MPEGSplice {
  /// Decides where to leave A and where to enter B.
  ///
  /// - Parameters:
  ///   - a: The end of A; `framesOfA` says how much is enough.
  ///   - b: The beginning of B; `framesOfB` says how much is enough.
  ///   - until: Samples of B, from its first that is heard, that belong into the seam at least: as long as a fade.
  ///   - bitrate: kbit/s of the seam, one of the version's.
  public init(
    from a: Piece, to b: Piece, _ begins: Start, until: Int = 0, bitrate: Int
  ) throws(Refusal) {
    guard let header = a.frames.last.flatMap({ MPEGHeader(in: $0.span) }), header.layer == 3,
      Self.isAlike(header, a.frames), Self.isAlike(header, b.frames)
    else { throw .notOneFormat }
    let samples = header.samples
    let ends = a.frames.count * samples - min(max(0, a.trim), Self.trimMax)
    let first = min(max(0, b.trim), Self.trimMax)
    let least = Self.secondsMin * header.sampleRate
    guard ends >= least else { throw .tooShort(.before) }
    guard b.frames.count * samples - first >= least else { throw .tooShort(.behind) }

    var start = ends
    var shift = 0
    // B's frames keep their places on the grid of A's: the nearest to where B should begin.
    let early = if case .before(let count) = begins { min(max(0, count), ends) } else { 0 }
    start -= early
    let grid = Self.nearest(start - first, to: samples)
    if case .exact = begins { shift = grid - (start - first) } else { start = grid + first }

    let kept = try Self.leaving(a.frames, before: start - Self.reach, samples)
    let entry = try Self.entering(
      b.frames, header, from: first, shift: shift, until: min(max(0, until), Self.trimMax),
      bitrate: bitrate)
    self.kept = kept
    resumed = entry.frame
    count = grid / samples + entry.frame - kept
    end = ends - kept * samples
    self.start = start - kept * samples
    self.shift = shift
    sureBitrate = entry.sureBitrate
    frameSamples = samples
    reservoir = entry.reservoir
  }

  /// Samples of a trim: far more than any encoder's.
  private static let trimMax = 1 << 24

  private static func isAlike(_ header: MPEGHeader, _ frames: [[UInt8]]) -> Bool {
    frames.allSatisfy { frame in
      guard let other = MPEGHeader(in: frame.span) else { return false }
      // Free format is a stream of its own, and cannot have frames of other lengths.
      return other.layer == 3 && other.bitrate > 0 && other.version == header.version
        && other.sampleRate == header.sampleRate && other.channels == header.channels
        && frame.count >= other.mainDataOffset
    }
  }

  private static func nearest(_ place: Int, to samples: Int) -> Int {
    let from = place + samples / 2
    return (from >= 0 ? from / samples : (from - samples + 1) / samples) * samples
  }

  /// Returns the last place between two frames of A, at `place` or before it, that can be a border.
  private static func leaving(
    _ frames: [[UInt8]], before place: Int, _ samples: Int
  ) throws(Refusal) -> Int {
    let last = min(place / samples, frames.count - 1)
    guard place >= 0, last > warmUp else { throw .tooShort(.before) }
    for isStrict in [true, false] {
      for kept in stride(from: last, to: max(warmUp, last - searchMax), by: -1)
      where isBorder(frames[kept - 1], frames[kept], isStrict) { return kept }
    }
    throw .noPlace(.before)
  }

  /// Whether windows are long on both sides of the border between two frames. Strictly, all of both frames: then an
  /// encoder most likely finds nothing there either that needs short ones.
  private static func isBorder(_ before: [UInt8], _ behind: [UInt8], _ isStrict: Bool) -> Bool {
    guard let first = MPEGSideInfo(in: before.span), let second = MPEGSideInfo(in: behind.span)
    else { return false }
    return isStrict ? first.isLong && second.isLong : first.endsLong && second.beginsLong
  }

  private struct Entry {
    var frame: Int
    var sureBitrate: Int
    var reservoir: [UInt8]
  }

  /// Returns the first frame of B, behind what is stretched or shared, that can be entered.
  private static func entering(
    _ frames: [[UInt8]], _ header: MPEGHeader, from first: Int, shift: Int, until: Int,
    bitrate: Int
  ) throws(Refusal) -> Entry {
    let samples = header.samples
    // The last frame hears what is behind it: nothing is stretched there.
    func frame(behind place: Int) -> Int { (first + place + reach) / samples + 1 }
    let most = frames.count - lookAhead
    var from = frame(
      behind: max(until, abs(shift) * stretchShare, header.sampleRate / 2))
    if from > most {
      // A short B is stretched more.
      from = max(frame(behind: max(until, abs(shift) * stretchShareMin)), most - searchMax / 4)
    }
    guard from <= most else { throw .tooShort(.behind) }
    for isStrict in [true, false] {
      for index in from..<min(from + searchMax, most + 1)
      where isBorder(frames[index - 1], frames[index], isStrict) {
        let frame = frames[index]
        let need = MPEGLeadIn.reservoirNeed(of: frame.span)
        let preceding = Array(frames[max(0, index - MPEGLeadIn.precedingMax)..<index])
        guard
          let reservoir = MPEGLeadIn.reservoir(bytes: need, header: header, preceding: preceding),
          let rate = header.rate(atMost: bitrate, besides: need)
        else { continue }
        return Entry(frame: index, sureBitrate: rate, reservoir: reservoir)
      }
    }
    throw .noPlace(.behind)
  }
}

extension MPEGHeader {
  /// kbit/s of the largest frame of layer III that everybody plays.
  fileprivate var bitrateMax: Int { Self.bitrate(version, layer: 3, index: 14) }

  /// Returns the highest bit rate in kbit/s, at most that one, whose frames are so many bytes smaller than the largest;
  /// nil where there is none.
  fileprivate func rate(atMost bitrate: Int, besides bytes: Int) -> Int? {
    // One byte more, as frames may be padded.
    let room = frameBytes(bitrate: bitrateMax) - bytes - 1
    return (1...14).reversed().map { Self.bitrate(version, layer: 3, index: $0) }.first {
      $0 <= bitrate && (bytes == 0 || frameBytes(bitrate: $0) <= room)
    }
  }
}
