/// The server's own figures, summed over its loops.
public struct ServerFigures: Sendable {
  public var loops = 0
  public var listeners = 0
  public var listenersMax = 0
  public var connections = 0
  /// Most connections over the network.
  public var connectionsMax = 0
  /// Connections that are told of events.
  public var watchers = 0
  public var watchersMax = 0
  public var blocked = 0
  public var accepted: UInt64 = 0
  public var refused: UInt64 = 0
  public var bytesSent: UInt64 = 0
  /// Clips that are being sent now, and all there were.
  public var clips = 0
  public var clipsTotal: UInt64 = 0
  public var clipBytes: UInt64 = 0
  /// Files on demand that are open, each for all its listeners.
  public var filesOpen = 0
  public var filesOpenMax = 0
  /// Slots of 25 ms in which a loop's clips and files in their burst had to wait for each other.
  public var promptSlotsFull: UInt64 = 0
  public var writes: UInt64 = 0
  public var wouldBlocks: UInt64 = 0
  public var skips: UInt64 = 0
  public var overruns: UInt64 = 0
  /// Listeners of HLS, who have no connection; they are not among `listeners`.
  public var hlsListeners = 0
  /// Requests for a playlist that wait for a segment.
  public var hlsWaiting = 0
  public var hlsPlaylistsMade = 0
  /// Bytes of segments of HLS.
  public var hlsBytes = 0
  /// How often HLS was answered, by kind and status.
  public var hlsAnswers: [HLSFigures.Answer: Int] = [:]
  public var handshakes = HandshakeFigures()

  public init() {}
}
