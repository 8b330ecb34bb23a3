// Hot: walked once per turn.

import Timeshift
import Wire

/// One listener's place and state, as a flat value: nothing in it is counted or allocated. What is known of the person
/// besides (address, player) is with the connection.
struct Listener {
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The socket took less than it was offered; nothing is written until it is writable.
    static let blocked = Flags(rawValue: 1)
    /// Bytes in the side table go out before anything else.
    static let hasRest = Flags(rawValue: 2)
    /// To be closed as soon as the rest is out.
    static let ending = Flags(rawValue: 4)
    /// Ogg: a new title is told by a new link with other comments.
    static let chainsTitles = Flags(rawValue: 8)
    /// By remote control: nothing of the log goes out.
    static let paused = Flags(rawValue: 16)
    /// A newer connection takes up its session: it gets nothing more.
    static let replaced = Flags(rawValue: 32)
    /// What goes out goes through a TLS stream.
    static let encrypted = Flags(rawValue: 64)
    /// Ogg: it went back, to where it may have had the log's own streams before.
    static let wentBack = Flags(rawValue: 128)
  }

  /// No ICY block was sent yet: neither a position nor `noTitle`.
  static let noBlockYet = UInt64.max - 1

  /// It has the headers of none.
  static let noLink = UInt64.max

  var fd: Int32
  /// Its connection in the loop's table.
  var slot: UInt32
  /// The next byte of the log to send; always a packet boundary between two turns.
  var cursor: UInt64
  /// Where its stream last began or jumped to: nothing before it in the log came before its bytes.
  var runStart: UInt64
  var icy: ICYInterleaver
  /// What its decoder was set up for.
  var codec: Codec
  /// The position of the format mark whose headers it has.
  var link = Listener.noLink
  /// The position of the title mark that was told last: by an ICY block, or by headers.
  var titleSent = Listener.noBlockYet
  var pace: Pace
  /// When the socket last took a byte, monotonic nanoseconds.
  var takenAt: Int64
  /// A placed listener is served at this time again, not before.
  var due: Int64 = 0
  /// Wire bytes the socket took.
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
