import Reactor
import Wire

/// State that only some listeners have, kept beside the flat listener, so that the others carry none of it.
struct Sidecar: SlotRecord {
  var pause: Pause?
  /// Place in its own station of a listener that hears a fallback.
  var home: Home?
  /// What a connection with a session was sent.
  var run: Run?
  /// The logical stream of a listener in Ogg.
  var relink: OggRelink?
  /// The stream of a listener over TLS.
  var tls: TLSStream?
  /// Position up to which a relay was told of gaps.
  var toldGaps: UInt64?
  /// Session that the listener gets when it has stayed.
  var promise: SessionToken?

  var isEmpty: Bool {
    relink == nil && tls == nil && run == nil && pause == nil && home == nil && toldGaps == nil
      && promise == nil
  }

  /// Forgets the state that belongs to the station being left.
  mutating func leaveStation() { (pause, home) = (nil, nil) }

  /// Leaves out a standstill of the loop, in nanoseconds.
  mutating func bear(_ nanoseconds: Int64) {
    if let since = pause?.since { pause?.since = since.saturatingAdd(nanoseconds) }
  }
}

extension SlotRecords<Sidecar> {
  /// Leaves out a standstill of the loop, in nanoseconds.
  func bear(_ nanoseconds: Int64) { changeAll { $0.bear(nanoseconds) } }
}
