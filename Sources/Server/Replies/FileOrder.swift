import Timeshift
import Wire

/// A file that the relay has named itself, and that an answer sends as it is on the disk.
public struct FileOrder: Hashable, Sendable {
  /// The file's folder, out of which no name leads.
  public var folder: String
  /// Names that the file may have by now; the first that is there counts.
  public var names: [String]
  /// The file's path where it is no name of the relay's own and need be no text; nil: `names` has it.
  public var path: [UInt8]?
  /// Name under which a client is to save the file.
  public var savedName: String
  /// A file as it was left by who wrote it.
  public struct Left: Hashable, Sendable {
    public var bytes: UInt64
    /// When it was last changed, nanoseconds since 1970.
    public var modified: Int64

    public init(bytes: UInt64, modified: Int64) {
      (self.bytes, self.modified) = (bytes, modified)
    }
  }

  /// What the file must still be to be sent; nil: whatever has its name is sent.
  public var left: Left?
  /// Bytes that may be sent of a file that still grows; nil for a whole file.
  public var bytesMax: UInt64?

  public init(folder: String, names: [String], savedName: String, bytesMax: UInt64? = nil) {
    self.folder = folder
    self.names = names
    self.savedName = savedName
    self.bytesMax = bytesMax
  }

  /// Orders a file that others have named.
  public init(folder: String, path: [UInt8], savedName: String) {
    self.init(
      folder: folder, names: [String(decoding: path, as: UTF8.self)], savedName: savedName)
    self.path = path
  }

  /// Time that plays longer than any file, so that all of a file is its burst: who saves a file does not hear it.
  static let unpaced = MediaTime(seconds: 1e8)

  /// `Content-Disposition` with the name twice: for clients that read ASCII only, and as RFC 8187 writes it.
  var disposition: HTTPFields.Field { Self.disposition(savedName) }

  /// `Content-Disposition` with a name under which a client is to save what it is sent.
  static func disposition(_ savedName: String) -> HTTPFields.Field {
    let plain = savedName.unicodeScalars.map { scalar in
      scalar.value < 32 || scalar.value > 126 || "\"\\%/".unicodeScalars.contains(scalar)
        ? "_" : String(scalar)
    }.joined()
    return .init(
      name: "Content-Disposition",
      value: "attachment; filename=\"\(plain)\"; filename*=UTF-8''"
        + URLText.percentEncoded(savedName))
  }
}
