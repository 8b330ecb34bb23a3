import Timeshift
import Wire

/// Supplies a log without an upstream: with a file's bytes over and over, or with packets that were made.
///
/// Whoever has it gives it pieces for as long as `pause` says nothing, and reads no file here: nothing blocks.
public final class LocalSource {
  /// So much is in the log ahead of real time: where a listener lands, half a second behind the edge, there must be
  /// something, and pieces come a few times a second.
  private static let leadSeconds = 2.0

  private let writer: LogWriter
  private let titles: TitleReader
  private let appender: Appender
  private var pipeline: Pipeline
  /// Packets since the file began.
  private var packets = 0

  public init(writer: LogWriter) {
    self.writer = writer
    var settings = UpstreamSettings(urls: [])
    settings.leadMax = Self.leadSeconds
    titles = TitleReader(settings)
    appender = Appender(writer: writer, settings: settings) { _ in }
    appender.joinsFiles = false
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
    appender.begin()
  }

  /// How long nothing more is to be given, seconds; nil: not at all.
  public func pause(at now: Moment) -> Double? { appender.pause(at: now) }

  /// Takes a piece of a file.
  public func take(_ piece: [UInt8], at now: Moment) {
    let span = piece.span
    take(pipeline.feed(span), at: now)
  }

  /// The file has ended; what comes next is its beginning.
  ///
  /// - Returns: false: there was no audio in it.
  public func fileEnded(at now: Moment) -> Bool {
    take(pipeline.finish(), at: now)
    pipeline = Pipeline(metaint: nil, hint: nil, titles: titles)
    appender.interrupted(at: now)
    appender.fileIsComplete()
    appender.begin()
    defer { packets = 0 }
    // The first packets have not the bit reservoir that the last ones leave.
    if packets > 0 { writer.markGap(seconds: 0, cause: .upstreamJumped) }
    return packets > 0
  }

  /// Takes one packet that was made.
  public func take(_ packet: SilentPacket, at now: Moment) {
    let item = PacketScanner.Packet(
      range: 0..<packet.bytes.count, samples: packet.samples, format: packet.format, bitrate: 0)
    appender.take([.packet(item)], in: packet.bytes, at: now)
  }

  private func take(_ items: [PipelineItem], at now: Moment) {
    packets += items.count {
      if case .packet = $0 { true } else { false }
    }
    appender.take(items, in: pipeline.bytes, at: now)
  }
}

/// What kind of audio bytes are.
public struct FormatProbe {
  private var pipeline: Pipeline

  public init() {
    pipeline = Pipeline(
      metaint: nil, hint: nil, titles: TitleReader(UpstreamSettings(urls: [])))
  }

  /// The format of the first packet, as soon as it is whole. Tags in front may be long.
  public mutating func take(_ piece: [UInt8]) -> AudioFormat? {
    let span = piece.span
    return Self.format(of: pipeline.feed(span))
  }

  public mutating func finish() -> AudioFormat? { Self.format(of: pipeline.finish()) }

  private static func format(of items: [PipelineItem]) -> AudioFormat? {
    for case .packet(let packet) in items { return packet.format }
    return nil
  }
}
