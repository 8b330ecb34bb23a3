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
    /// Ogg: its pages are in a logical stream of its own.
    static let relinked = Flags(rawValue: 8)
    /// Ogg: a new title is told by a new link with other comments.
    static let chainsTitles = Flags(rawValue: 16)
  }

  /// No ICY block was sent yet: neither a position nor `noTitle`.
  static let noBlockYet = UInt64.max - 1

  var fd: Int32
  /// Its connection in the loop's table.
  var slot: UInt32
  /// The next byte of the log to send; always a packet boundary between two turns.
  var cursor: UInt64
  var icy: ICYInterleaver
  /// What its decoder was set up for.
  var codec: Codec
  /// The position of the format mark whose headers it has.
  var link = UInt64.max
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
}
