import Glibc
import Media
import Reactor
import Timeshift

/// State of a file at one moment. A file that was written or replaced has another stamp.
struct FileStamp: Hashable, Sendable {
  private let file: MediaFile.Identity
  /// Nanoseconds since 1970. A program may set the time of modification, but not this.
  private let changed: Int64

  /// Nil when there is no such file. Blocks.
  init?(_ path: String) {
    PathLook.at(path)
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    file = MediaFile.Identity(status)
    changed = Moment.nanoseconds(of: status.st_ctim)
  }
}

extension TLSSettings {
  /// The present state of the certificates' files. Blocks.
  var stamps: [FileStamp?] {
    pairs.flatMap { [FileStamp($0.certificate), FileStamp($0.key)] }
  }
}

/// Decides when the certificates' files are read again: when they have changed, and then stayed as they are from one
/// look to the next. Who renews a certificate writes two files, one after the other.
struct CertificateWatch: Sendable {
  /// Seconds between two looks. What has changed is noticed in two of them.
  static let pause = 15.0

  private var seen: [FileStamp?]?
  private var refused: [FileStamp?]?

  /// Whether to read the files, which have these stamps now.
  ///
  /// - Parameter taken: the stamps of the files that were taken last.
  mutating func look(_ stamps: [FileStamp?], taken: [FileStamp?]) -> Bool {
    defer { seen = stamps }
    return stamps != taken && stamps == seen && stamps != refused
  }

  /// Notes that files of these stamps cannot be used; they are read again when they have changed.
  mutating func refuse(_ stamps: [FileStamp?]) { refused = stamps }
}

/// Decides when to tell that a certificate ends: each time that it has less than some number of days left.
struct ExpiryWatch: Sendable {
  static let days = [14, 7, 3, 1, 0]

  /// Fewest days that were told of, by certificate.
  private var told: [TLSCertificate: Int] = [:]

  /// Returns the certificates to tell of now, at a time in Unix seconds.
  mutating func news(of certificates: [TLSCertificate], at now: Int64) -> [TLSCertificate] {
    told = told.filter { certificates.contains($0.key) }
    return certificates.filter { certificate in
      guard let level = Self.level(of: certificate, at: now),
        level < told[certificate, default: .max]
      else { return false }
      told[certificate] = level
      return true
    }
  }

  /// Days of which a certificate has less left; nil for one that is good for longer. One that is not good yet counts
  /// as more than all of them: its end is still told of.
  private static func level(of certificate: TLSCertificate, at now: Int64) -> Int? {
    switch certificate.validity(at: now) {
    case .notYet: days[0] + 1
    case .expired: 0
    case .valid(let left): days.last { $0 > 0 && left < Int64($0) * 86400 }
    }
  }
}
