import Audio
import Server
import Synchronization
import Timeshift
import Wire

/// A station's samples from one place on, decoded where they are asked for.
///
/// A client that does not ask falls behind as any listener does; what has left the window meanwhile is skipped.
///
/// Unchecked: what is not behind a lock is touched by a step alone, and one task at a time asks for a step.
final class SampleTap: SampleSource, @unchecked Sendable {
  /// The answer at the end.
  struct Told: Sendable {
    var seconds = 0.0
    /// Seconds that had left the window before they were asked for.
    var missed = 0.0
  }

  /// Seconds of audio in front: a frame may need what frames before it left.
  private static let leadIn = 0.5
  /// Seconds of samples in a block, about.
  private static let blockSeconds = 0.1
  /// Seconds for which the log's disk may fetch.
  private static let patience = 5.0

  private let order: SampleOrder
  private let pool: SoundPool
  private let whenOver: @Sendable (Told?) -> Void
  private let tap: Tap
  private let isEnded = Mutex(false)

  private(set) var format = SampleFormat(sampleRate: 44_100, channels: 2, encoding: .s16le)
  private(set) var offset = 0.0
  /// Whether its beginning was told, so that its end has to be.
  var isTold = false
  private var start: LogPoint?
  private var decoder: PacketDecoder
  private var converter: SampleConverter?
  private var frames = 0

  init(
    _ order: SampleOrder, on pool: SoundPool, makeDecoder: @escaping PacketDecoder.Make,
    whenOver: @escaping @Sendable (Told?) -> Void
  ) {
    (self.order, self.pool, self.whenOver) = (order, pool, whenOver)
    decoder = PacketDecoder(makeDecoder)
    tap = Tap(order.log, from: .oldest, delay: order.delay)
  }

  deinit {
    let told = Told(seconds: media(frames).seconds, missed: tap.losses.all.seconds)
    whenOver(isTold ? told : nil)
  }

  /// Ends the tap: no more samples come.
  func end() { isEnded.withLock { $0 = true } }

  // MARK: Steps

  /// Finds the place where the samples begin.
  func begin() async throws(SampleRefusal) {
    let result = await pool.answer { [self] in find($0) }
    try (result ?? .failure(.undecodable("the decoder hangs"))).get()
  }

  func next() async -> SampleBlock? {
    // Without an answer the decoder hangs, or the pool is stopped.
    await pool.answer { [self] _ in read() } ?? nil
  }

  // MARK: On a thread of the pool

  /// - Parameter waited: seconds since the first question.
  /// - Returns: nil while something is being fetched, or the station is being woken.
  private func find(_ waited: Double) -> Result<Void, SampleRefusal>? {
    tap.refresh()
    let reader = tap.reader
    let isEmpty = reader.edge.position == reader.oldest.position
    if isEmpty || reader.isPast(at: Moment.now().wall), waited < order.patience { return nil }
    if isEmpty { return .failure(.nothing) }
    let late: Result<Void, SampleRefusal>? = waited > Self.patience ? .failure(.slowDisk) : nil
    guard let start = order.start(reader), let lead = leadPoint(to: start) else { return late }
    let first = min(start.position, reader.edge.position - 1)
    guard let said = reader.format(at: first) else { return late }
    do throws(AudioError) {
      try decoder.begin(said.codec, headers: reader.headers(at: first))
    } catch {
      return .failure(.undecodable(error.reason))
    }
    guard let own = heard(said, from: lead) else { return late }
    let rates = SampleFormat.rates
    format = SampleFormat(
      sampleRate: order.sampleRate
        ?? min(rates.upperBound, max(rates.lowerBound, own.sampleRate)),
      channels: order.channels ?? (own.channels == 1 ? 1 : 2), encoding: order.encoding)
    converter = SampleConverter(to: format)
    offset = max(0, (reader.edge.media - start.media).seconds)
    self.start = start
    tap.go(to: lead)
    return .success(())
  }

  /// Most packets that are decoded before it is known what comes out.
  private static let trialPackets = 32

  /// The format that comes out of the decoder: HE-AAC's packets say that of their core.
  ///
  /// - Returns: nil while something is being fetched.
  private func heard(_ said: AudioFormat, from lead: LogPoint) -> AudioFormat? {
    guard said.codec == .aac else { return said }
    tap.go(to: lead)
    for _ in 0..<Self.trialPackets where decoder.format == nil {
      switch tap.read() {
      case .item(.packet(let packet)): decoder.decode(packet) { _, _, _ in }
      case .item: continue
      case .loading: return nil
      case .liveEdge, .suspended, .over: return said
      }
    }
    return decoder.format ?? said
  }

  /// - Returns: false for packets that cannot be decoded.
  private func begin(_ mark: FormatMark) -> Bool {
    (try? decoder.begin(mark.format.codec, headers: mark.headers)) != nil
  }

  private func leadPoint(to start: LogPoint) -> LogPoint? {
    let from = start.media - MediaTime(seconds: Self.leadIn)
    let oldest = tap.reader.oldest
    return from <= oldest.media ? oldest : tap.reader.point(atOrBefore: from)
  }

  /// - Returns: nil while something is being fetched; no block at the end; an empty one where nothing came of the step.
  private func read() -> SampleBlock?? {
    if isEnded.withLock({ $0 }) { return .some(nil) }
    tap.refresh()
    var bytes: [UInt8] = []
    let enough = Int(bounded: Double(format.sampleRate * format.frameBytes) * Self.blockSeconds)
    var budget = StepBudget()
    while bytes.count < enough, budget.spendPacket() {
      switch tap.read() {
      case .item(.format(let mark)):
        // A codec that cannot be decoded is the end; the client asks again and hears why.
        guard begin(mark) else { return .some(nil) }
      case .item(.packet(let packet)): decode(packet, into: &bytes)
      case .item: continue
      case .loading:
        if bytes.isEmpty { return nil }
        return block(bytes)
      case .liveEdge, .suspended: return block(bytes)
      case .over: return bytes.isEmpty ? .some(nil) : block(bytes)
      }
    }
    return block(bytes)
  }

  private func decode(_ packet: TapPacket, into bytes: inout [UInt8]) {
    guard let start, let converter else { return }
    decoder.decode(packet) { samples, from, _ in
      guard packet.start.media >= start.media else { return }
      // Samples that cannot be converted are left out.
      try? converter.convert(
        samples, rate: from.sampleRate, channels: from.channels, into: &bytes)
    }
  }

  private func block(_ bytes: [UInt8]) -> SampleBlock {
    let before = media(frames)
    frames = frames.saturatingAdd(bytes.count / format.frameBytes)
    return SampleBlock(bytes: bytes, length: media(frames) - before)
  }

  private func media(_ frames: Int) -> MediaTime {
    MediaTime(seconds: Double(frames) / Double(format.sampleRate))
  }
}
