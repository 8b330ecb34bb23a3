import Wire

/// An answer that is made piece by piece while it is sent, so that no memory has all of it, however long it is.
public struct PieceOrder: Sendable {
  public var mediaType: String
  /// Name under which a client is to save the answer.
  public var savedName: String
  /// Returns the next piece; nil behind the last one. Called off the loops, one call at a time, and at most two pieces
  /// ahead of what the client took. An error breaks the connection, so that the client notices what is missing.
  public var next: @Sendable () async throws -> [UInt8]?

  public init(
    mediaType: String, savedName: String, next: @escaping @Sendable () async throws -> [UInt8]?
  ) {
    (self.mediaType, self.savedName, self.next) = (mediaType, savedName, next)
  }

  /// A piece as a chunk (RFC 9112, section 7.1).
  static func chunk(_ piece: [UInt8]) -> [UInt8] {
    Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + "\r\n".utf8
  }

  static let lastChunk = Array("0\r\n\r\n".utf8)
}
