import Reactor

/// A loop's bodies that are being sent.
struct Sendings {
  /// Most bytes of one body between two looks at other connections.
  static let pieceBytes = 64 * 1024

  /// Times when bodies go on that wait for a time or for the disk, by their connections' tokens.
  var due = Deadlines<UInt64>()
  /// Connections that are being sent a body.
  var slots: Set<UInt32> = []
  /// Number of bodies begun.
  var begun: UInt64 = 0
  var bytes: UInt64 = 0
}
