import Media
import Timeshift
import Wire

/// Frames of one end of an MP3 file, as they are sent, and where they stand in it.
struct SeamEnd: Sendable {
  var piece: MPEGSplice.Piece
  /// Position of each frame in the file; the last is where the last frame ends.
  var places: [UInt64]
  /// Whether it is known which of its samples are heard.
  var isTrimmed = true
  /// Samples of frames at its beginning that do not go out: a decoder hears them first.
  var before = 0

  /// Why a file has no end of which a seam can be made.
  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  /// Average of the frames in kbit/s.
  var bitrate: Int {
    let bytes = piece.frames.reduce(0) { $0 + $1.count }
    guard let header = piece.frames.first.flatMap({ MPEGHeader(in: $0.span) }) else { return 0 }
    let seconds = Double(piece.frames.count * header.samples) / Double(header.sampleRate)
    return Int(bounded: Double(bytes) * 8 / 1000 / max(0.001, seconds), in: 0...1000)
  }

  /// Reads the last frames of a file: at most so many. Blocks.
  ///
  /// - Parameter cut: what is played of it; nil: all.
  static func tail(
    of file: MediaFile, _ cut: MediaCut? = nil, frames: Int, gain steps: Int
  ) throws -> SeamEnd {
    let audio = try Extent(of: file, cut)
    let bytes = UInt64(frames.saturatingMultiply(audio.frameBytesMax))
    let from = max(audio.range.lowerBound, audio.range.upperBound.saturatingSubtract(bytes))
    let found = try audio.frames(from..<audio.range.upperBound, isStart: false)
    var end = audio.end(found.suffix(frames), trim: audio.back, gain: steps)
    end.isTrimmed = audio.isTrimmed || cut?.last != nil
    return end
  }

  /// Reads the first frames of a file: at most so many. Blocks.
  static func head(
    of file: MediaFile, _ cut: MediaCut? = nil, frames: Int, gain steps: Int
  ) throws -> SeamEnd {
    let audio = try Extent(of: file, cut)
    let frames = frames + (cut?.warmUp == nil ? 0 : MPEGSplice.warmUp)
    let bytes = UInt64(frames.saturatingMultiply(audio.frameBytesMax))
    let to = min(audio.range.upperBound, audio.range.lowerBound.saturatingAdd(bytes))
    let found = try audio.frames(audio.range.lowerBound..<to, isStart: true)
    var end = audio.end(found.prefix(frames), trim: audio.front, gain: steps)
    end.isTrimmed = audio.isTrimmed || cut?.first != nil
    end.before = cut?.warmUp?.samples ?? 0
    return end
  }

  /// Reads frames up to a place in a file at which it is cut, `ahead` frames behind `position`. Blocks.
  static func around(
    _ position: UInt64, of file: MediaFile, _ cut: MediaCut? = nil, ahead: Int, gain steps: Int
  ) throws -> SeamEnd {
    let audio = try Extent(of: file, cut)
    // A seam needs 2 s before it, which are 167 frames at most.
    let before = 170
    func bytes(_ frames: Int) -> UInt64 { UInt64(frames.saturatingMultiply(audio.frameBytesMax)) }
    let from = max(audio.range.lowerBound, position.saturatingSubtract(bytes(before)))
    let to = min(audio.range.upperBound, position.saturatingAdd(bytes(ahead + 1)))
    guard from < to else { throw Refusal(description: "it is over") }
    let found = try audio.frames(from..<to, isStart: false)
    let next = found.firstIndex { $0.place.saturatingAdd(UInt64($0.bytes.count)) > position }
    guard let next else { throw Refusal(description: "it is over") }
    let range = max(0, next - before)..<min(found.count, next + ahead)
    return audio.end(found[range], trim: 0, gain: steps)
  }

  private struct Frame {
    var place: UInt64
    var bytes: [UInt8]
  }

  /// Where a file's frames are, and what is not heard of them.
  private struct Extent {
    let file: MediaFile
    /// From the first frame to the end of the audio.
    let range: Range<UInt64>
    /// Samples of that which are not heard.
    let (front, back): (Int, Int)
    /// Whether the file says so.
    let isTrimmed: Bool
    /// The largest frame that everybody plays.
    let frameBytesMax: Int

    init(of file: MediaFile, _ cut: MediaCut?) throws {
      self.file = file
      guard let layout = try file.layout(), let audio = layout.pieces.first,
        let summary = try file.summary(layout), summary.codec == .mp3, audio.contains(summary.start)
      else { throw Refusal(description: "it is no MP3") }
      let begin = cut?.warmUp?.from ?? summary.start
      range = begin..<max(begin, cut?.last?.packet.upperBound ?? audio.upperBound)
      let gap = summary.gap
      isTrimmed = gap != nil
      if let first = cut?.first, let warmUp = cut?.warmUp {
        front = warmUp.samples.saturatingAdd(first.into)
      } else {
        front = gap.map { $0.delay.saturatingAdd(MPEGInfo.decoderDelay) } ?? 0
      }
      back =
        cut?.last.map { $0.samples - $0.into }
        ?? gap.map { max(0, $0.padding.saturatingSubtract(MPEGInfo.decoderDelay)) } ?? 0
      let rate = min(48_000, max(8_000, summary.sampleRate))
      frameBytesMax = (rate >= 32_000 ? 1152 / 8 * 320_000 : 576 / 8 * 160_000) / rate + 1
    }

    func end(_ found: ArraySlice<Frame>, trim: Int, gain steps: Int) -> SeamEnd {
      var places = found.map(\.place)
      if let last = found.last { places.append(last.place.saturatingAdd(UInt64(last.bytes.count))) }
      let frames = found.map { frame in
        guard steps != 0 else { return frame.bytes }
        var changed = frame.bytes
        var span = changed.mutableSpan
        MPEGGain.change(&span, by: steps)
        return changed
      }
      return SeamEnd(
        piece: .init(frames: frames, trim: trim), places: places, isTrimmed: isTrimmed)
    }

    /// Returns frames that follow each other without anything between them: the first ones, or the last.
    func frames(_ range: Range<UInt64>, isStart: Bool) throws -> [Frame] {
      let bytes = try file.piece(at: range.lowerBound, count: range.count)
      let isWhole = range.upperBound == self.range.upperBound
      var (scanner, place, found) = (PacketScanner(hint: .mp3), 0, [Frame]())
      var end = 0
      while let finding = scanner.next(in: bytes.span, from: place, atEnd: isWhole) {
        place = finding.range.upperBound
        guard case .packet(let packet) = finding else { continue }
        if !found.isEmpty, packet.range.lowerBound != end {
          if isStart { break }
          found = []
        }
        let at = range.lowerBound + UInt64(packet.range.lowerBound)
        found.append(Frame(place: at, bytes: Array(bytes[packet.range])))
        end = packet.range.upperBound
      }
      return found
    }
  }
}
