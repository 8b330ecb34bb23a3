/// Tells pictures by their first bytes.
public enum PictureType {
  /// Bytes that suffice to tell a picture.
  public static let bytesMax = 32

  /// Returns the media type of a picture's bytes: PNG, JPEG, GIF, WebP or AVIF; nil for anything else.
  ///
  /// SVG is none of them: it may hold scripts.
  public static func of(_ bytes: some Collection<UInt8>) -> String? {
    let head = Array(bytes.prefix(bytesMax))
    if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if head.starts(with: "GIF87a".utf8) || head.starts(with: "GIF89a".utf8) { return "image/gif" }
    // RIFF (a size of 4 bytes) WEBP.
    if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBP".utf8) {
      return "image/webp"
    }
    // ISO/IEC 14496-12: a size of 4 bytes, `ftyp`, the brand.
    let brand = head.dropFirst(4)
    if brand.starts(with: "ftypavif".utf8) || brand.starts(with: "ftypavis".utf8) {
      return "image/avif"
    }
    return nil
  }
}
