/// What a certificate says of itself, as far as an operator wants to be reminded of it.
public struct TLSCertificate: Hashable, Sendable {
  /// Where it was read from.
  public var file: String
  /// UNIX seconds.
  public var validFrom: Int64
  /// UNIX seconds.
  public var validUntil: Int64

  public init(file: String, validFrom: Int64, validUntil: Int64) {
    self.file = file
    self.validFrom = validFrom
    self.validUntil = validUntil
  }

  public enum Validity: Hashable, Sendable {
    case notYet
    case valid(secondsLeft: Int64)
    case expired
  }

  /// - Parameter now: UNIX seconds.
  public func validity(at now: Int64) -> Validity {
    if now < validFrom { return .notYet }
    return now < validUntil ? .valid(secondsLeft: validUntil - now) : .expired
  }
}

/// Why a certificate and its key cannot be used.
public enum TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(String)
  /// With the kernel's reason.
  case unreadable(String, reason: String)
  case noCertificate(String)
  case noKey(String)
  case keyHasPassword(String)
  case keyDoesNotMatch(key: String, certificate: String)
  /// It is what it should be, but OpenSSL does not take it, for this reason.
  case refused(String, reason: String)

  public var description: String {
    switch self {
    case .missing(let file): "\(file) is not there"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .noCertificate(let file):
      "\(file) holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)"
    case .noKey(let file): "\(file) holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)"
    case .keyHasPassword(let file):
      "\(file) is locked by a password; write it without (openssl pkey -in FILE -out FILE)"
    case .keyDoesNotMatch(let key, let certificate):
      "the key in \(key) is not that of the first certificate in \(certificate)"
    case .refused(let file, let reason): "\(file) is refused by OpenSSL: \(reason)"
    }
  }
}
