import Library
import Media
import Wire

/// A picture of a track's record, from its file or from beside it.
package struct TrackPicture: Hashable, Sendable {
  /// PNG, JPEG, GIF, WebP or AVIF, by its bytes.
  package var mediaType: String
  package var bytes: [UInt8]

  /// Blocks. Nil where there is no picture.
  init?(of file: LibraryFile, in root: String) {
    if let span = file.picture,
      let found = Self.read(file.path, in: root, at: span.offset, bytes: span.bytes)
    {
      self = found
      return
    }
    let end = file.path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    let folder = Array(file.path[..<end])
    for name in CoverNames.all {
      guard let found = Self.read(folder + Array(name.utf8), in: root, at: 0, bytes: nil) else {
        continue
      }
      self = found
      return
    }
    return nil
  }

  private init(mediaType: String, bytes: [UInt8]) {
    (self.mediaType, self.bytes) = (mediaType, bytes)
  }

  /// - Parameter bytes: nil: all of the file.
  private static func read(
    _ path: [UInt8], in root: String, at offset: UInt64, bytes: UInt64?
  ) -> TrackPicture? {
    guard let file = try? MediaFolder.open(bytes: path, in: root), offset < file.bytes else {
      return nil
    }
    let bytes = bytes ?? file.bytes - offset
    guard (1...CoverNames.bytesMax).contains(bytes),
      let picture = try? file.piece(at: offset, count: Int(bytes)), picture.count == Int(bytes)
    else { return nil }
    return PictureType.of(picture).map { TrackPicture(mediaType: $0, bytes: picture) }
  }
}
