import Audio
import Threads
import Timeshift
import Wire

/// The sound of a station's window, decoded where it is asked for. Each request blocks: on the log's disk and on the
/// processor, some 10 ms for a chunk.
public struct StationSound: Sendable {
  let log: PacketLog
  let delay: MediaTime
  /// The station's format when it was asked for.
  public let format: AudioFormat
  let makeDecoder: PacketDecoder.Make

  /// A decoder in the middle of a stream is silent until it has the bytes that earlier frames left to it.
  private static let leadIn = 0.5
  /// Seconds for which the log's disk may fetch.
  private static let patience = 3.0

  /// Media seconds of the newest chunk that is whole; 0 before there is one.
  public var newest: Int64 {
    let edge = (delay == .zero ? log.snapshot() : log.snapshot(delay: delay, at: .now())).edge
    let chunks = Int64(bounded: edge.media.seconds / Double(SoundChunk.seconds))
    return max(0, chunks - 1) * Int64(SoundChunk.seconds)  // bounded: an Int that is 10
  }

  /// Returns the chunk that begins at a media time, a multiple of ten seconds.
  ///
  /// Audio that the window no longer has, does not have yet or cannot decode is 0, as is the rest when the time is
  /// over.
  ///
  /// - Parameters:
  ///   - workSeconds: Seconds of a processor that decoding may take.
  ///   - isWanted: Whether anybody still waits for it.
  public func chunk(
    at media: Int64, within workSeconds: Double = 1, while isWanted: () -> Bool
  ) -> SoundChunk {
    let end = SystemThread.worked() + workSeconds
    let (from, to) = (Double(media), Double(media) + Double(SoundChunk.seconds))
    let channels = min(2, max(1, format.channels))
    let empty = SoundChunk(
      media: media, channels: channels,
      data: Array(repeating: 0, count: SoundChunk.columns * (2 * channels + SoundChunk.bands)),
      isWhole: false)
    var decoder = PacketDecoder(makeDecoder)
    let margin = 0.1
    // The chunk has the first format that is heard in it, which HE-AAC does not say before.
    var stretch: SoundStretch?
    let isThere = read(from: max(0, from - Self.leadIn), to: to + margin) { item in
      guard isWanted(), SystemThread.worked() < end else { return false }
      switch item {
      case .format(let mark): try? decoder.begin(mark.format.codec, headers: mark.headers)
      case .packet(let packet) where packet.end.media.seconds > from - margin:
        decoder.decode(packet) { samples, found, place in
          if stretch == nil {
            stretch = SoundStretch(
              found, from: from - margin, seconds: Double(SoundChunk.seconds) + 2 * margin)
          }
          if stretch?.format == found { stretch?.put(samples, at: place) }
        }
      case .packet(let packet): decoder.decode(packet) { _, _, _ in }
      default: break
      }
      return true
    }
    return (try? stretch?.chunk(at: media, isWhole: isThere)) ?? empty
  }

  /// Hands on the packets of a stretch of media time, and their formats, until one is not taken.
  /// - Returns: Whether the window has all of them, and all were taken.
  private func read(
    from: Double, to: Double, _ take: (TapItem) -> Bool
  ) -> Bool {
    let begin = MediaTime(seconds: from)
    let oldest = log.snapshot().oldest
    let tap = Tap(log, from: .oldest, delay: delay)
    let found = tap.answer(within: Self.patience) { reader -> LogPoint? in
      begin <= oldest.media ? oldest : reader.point(atOrBefore: begin)
    }
    guard let found else { return false }
    tap.go(to: found)
    let start = MonotonicTime.now()
    var isWhole = found.media <= begin
    while true {
      switch tap.read() {
      case .item(.packet(let packet)):
        if packet.start.media.seconds >= to { return isWhole }
        guard take(.packet(packet)) else { return false }
      case .item(.missed): isWhole = false
      case .item(let item): guard take(item) else { return false }
      case .loading:
        if MonotonicTime.now().seconds(since: start) > Self.patience { return false }
        tap.wait()
      case .liveEdge, .suspended, .over: return false
      }
    }
  }
}
