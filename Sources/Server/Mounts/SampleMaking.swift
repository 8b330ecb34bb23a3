import Timeshift
import Wire

/// Decodes a station for clients that want its samples. The part above the server does that, off the loops.
public protocol SampleMaking: Sendable {
  /// Begins a stream of samples. It ends with the last reference to what is returned.
  func open(_ order: SampleOrder) async -> Result<any SampleSource, SampleRefusal>

  /// Begins to play packets backwards. It ends with the last reference to what is returned.
  func reverse(_ order: ReverseOrder) async -> Result<any ReverseSource, SampleRefusal>
}

/// A client's wish for samples.
public struct SampleOrder: Sendable {
  public var station: String
  public var log: PacketLog
  public var delay: MediaTime
  /// Hz; nil for the station's.
  public var sampleRate: Int?
  /// 1 or 2; nil for the station's.
  public var channels: Int?
  public var encoding: SampleFormat.Encoding
  /// Seconds for which a station that is being woken may have nothing yet; 0 for one that is not.
  public var patience = 0.0
  /// Address of the client; nil for a part of this process.
  public var client: String?
  /// Returns where the samples begin; nil while an index is being fetched. Called on one thread at a time.
  public var start: @Sendable (LogReader) -> LogPoint?

  public init(
    station: String, log: PacketLog, delay: MediaTime, sampleRate: Int? = nil,
    channels: Int? = nil, encoding: SampleFormat.Encoding = .s16le, client: String? = nil,
    start: @escaping @Sendable (LogReader) -> LogPoint?
  ) {
    (self.station, self.log, self.delay) = (station, log, delay)
    (self.sampleRate, self.channels, self.encoding) = (sampleRate, channels, encoding)
    (self.client, self.start) = (client, start)
  }
}

/// Why there are no samples.
public enum SampleRefusal: Error, Hashable, Sendable {
  /// The station has no audio there yet.
  case nothing
  /// No packet begins in what is to be played backwards.
  case nothingThere
  /// - Parameter reason: for people.
  case undecodable(String)
  /// So many streams of samples are made at once that no more are begun.
  case full
  /// So much is played backwards at once that no more is begun.
  case fullBackwards
  case slowDisk
}

/// A stream of samples that are made where they are asked for. One task at a time asks.
public protocol SampleSource: AnyObject, Sendable {
  var format: SampleFormat { get }
  /// Media seconds behind live at which it begins.
  var offset: Double { get }

  /// Returns the next samples; empty ones where nothing is there yet; nil at the end.
  func next() async -> SampleBlock?
}

/// Samples one after the other, or what was encoded of them.
public struct SampleBlock: Sendable {
  public var bytes: [UInt8]
  public var length: MediaTime

  public init(bytes: [UInt8] = [], length: MediaTime = .zero) {
    (self.bytes, self.length) = (bytes, length)
  }
}
