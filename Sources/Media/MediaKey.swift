import COpenSSL
import Timeshift
import Wire

extension TrackKey {
  /// The bytes of each piece of audio.
  fileprivate static let pieceBytes = 4096
  /// Pieces: at the beginning, in the middle, at the end; more of what is not compressed, in which silence is the same in
  /// all files.
  fileprivate static let (pieces, plainPieces) = (3, 33)

  fileprivate init(digest message: [UInt8]) {
    let digest = [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      let made = EVP_Digest(message, message.count, digest.baseAddress, nil, EVP_sha256(), nil)
      precondition(made == 1, "SHA-256 is in every OpenSSL")
      count = 32
    }
    self.init(bytes: digest)!
  }

  /// The key of a part of the track that is a track by itself.
  package func part(_ cue: TrackCue) -> TrackKey {
    let bounds = [cue.start, cue.end ?? -1].flatMap { seconds in
      (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (8 * $0)) }
    }
    return TrackKey(digest: bytes + bounds)
  }
}

extension MediaFile {
  /// Returns the key of the track in this file: the first 128 bits of SHA-256 over the audio's length and some pieces
  /// of it. Blocks.
  public func key(_ layout: MediaLayout) throws(StorageError) -> TrackKey {
    let total = layout.bytes
    let piece = UInt64(TrackKey.pieceBytes)
    var message = (0..<8).map { UInt8(truncatingIfNeeded: total >> (8 * $0)) }
    let isPlain = layout.container == .wave || layout.container == .aiff
    let count = UInt64(isPlain ? TrackKey.plainPieces : TrackKey.pieces)
    let starts =
      total <= count * piece
      ? stride(from: 0, to: total, by: TrackKey.pieceBytes).map { $0 }
      : (0..<count).map {
        (total - piece) / (count - 1) * $0 + (total - piece) % (count - 1) * $0 / (count - 1)
      }
    for start in starts {
      message += try audio(at: start, count: TrackKey.pieceBytes, in: layout)
    }
    return TrackKey(digest: message)
  }

  /// Reads audio by its place among all bytes of audio.
  private func audio(
    at start: UInt64, count: Int, in layout: MediaLayout
  ) throws(StorageError) -> [UInt8] {
    var (skip, read): (UInt64, [UInt8]) = (start, [])
    for piece in layout.pieces where read.count < count {
      let length = UInt64(piece.count)
      if skip >= length {
        skip -= length
        continue
      }
      let want = Int(min(UInt64(count - read.count), length - skip))
      read +=
        layout.container == .ogg
        ? try pages(at: piece.lowerBound + skip, count: want, from: piece.lowerBound)
        : try self.piece(at: piece.lowerBound + skip, count: want)
      skip = 0
    }
    return read
  }

  /// Reads a piece of Ogg without what a tagger changes in pages of audio when the comments take more or fewer pages:
  /// their numbers and checksums.
  private func pages(
    at offset: UInt64, count: Int, from start: UInt64
  ) throws(StorageError) -> [UInt8] {
    let lead = Int(min(UInt64(OggPage.headBytes - 1), offset - start))
    // Behind the piece a name may be cut; the three bytes are not hashed.
    var bytes = try piece(at: offset - UInt64(lead), count: lead + count)
    for index in bytes.indices where bytes[index] == UInt8(ascii: "O") {
      guard bytes.starts(with: "OggS", at: index) else { continue }
      for place in index + 18..<index + 26 where place < bytes.count { bytes[place] = 0 }
    }
    return Array(bytes.dropFirst(lead))
  }
}
