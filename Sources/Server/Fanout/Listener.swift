// Hot: walked once per turn.

import Timeshift
import Wire

/// One listener's place and state, as a flat value: nothing in it is counted or allocated. Its address and player are
/// with the connection.
struct Listener {
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The socket took less than it was offered; nothing is written until it is writable.
    static let blocked = Flags(rawValue: 1)
    /// The rest in its `LineState` goes out before anything else.
    static let hasRest = Flags(rawValue: 2)
    /// The listener is closed as soon as the rest is out.
    static let ending = Flags(rawValue: 4)
    /// Ogg: a new title is told by a new link with other comments.
    static let chainsTitles = Flags(rawValue: 8)
    /// Paused by remote control: nothing of the log goes out.
    static let paused = Flags(rawValue: 16)
    /// A newer connection takes up the session: the listener gets nothing more.
    static let replaced = Flags(rawValue: 32)
    /// Bytes go out through a TLS stream.
    static let encrypted = Flags(rawValue: 64)
    /// Ogg: the listener went back, to where it may have had the log's own streams before.
    static let wentBack = Flags(rawValue: 128)
  }

  /// No title was sent yet; no mark has this position.
  static let noBlockYet = UInt64.max - 1

  /// The listener has no link's headers.
  static let noLink = UInt64.max

  var fd: Int32
  /// Slot of the listener's connection in the loop's table.
  var slot: UInt32
  /// The next byte of the log to send; always a packet boundary between two turns.
  var cursor: UInt64
  /// Where the stream last began or jumped to: no byte of the log before this position went out before the stream's
  /// bytes.
  var runStart: UInt64
  var icy: ICYInterleaver
  /// Codec that the player's decoder was set up for.
  var codec: Codec
  /// Position of the format mark whose headers the listener has.
  var link = Listener.noLink
  /// Position of the title mark that was told last, by an ICY block or by headers.
  var titleSent = Listener.noBlockYet
  var pace: Pace
  /// Time when the socket last took a byte, monotonic nanoseconds.
  var takenAt: Int64
  /// Time before which a placed or stalled listener is not looked at again, monotonic nanoseconds.
  var due: Int64 = 0
  /// Wire bytes that the socket took.
  var bytes: UInt64 = 0
  var flags: Flags = []

  init(
    fd: Int32, slot: UInt32, cursor: UInt64, icy: ICYInterleaver, codec: Codec, pace: Pace,
    takenAt: Int64
  ) {
    self.fd = fd
    self.slot = slot
    self.cursor = cursor
    runStart = cursor
    self.icy = icy
    self.codec = codec
    self.pace = pace
    self.takenAt = takenAt
  }
}
