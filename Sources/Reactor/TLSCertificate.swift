/// The facts about a certificate of which an operator wants to be reminded.
public struct TLSCertificate: Hashable, Sendable {
  /// The file from which the certificate was read.
  public var file: String
  /// The begin of the validity, in Unix seconds.
  public var validFrom: Int64
  /// The end of the validity, in Unix seconds.
  public var validUntil: Int64
  /// The hosts that the certificate is for, in lower case; `*.example.org` stands for one level.
  public var names: [String]

  public init(file: String, validFrom: Int64, validUntil: Int64, names: [String] = []) {
    self.file = file
    self.validFrom = validFrom
    self.validUntil = validUntil
    self.names = names
  }

  public enum Validity: Hashable, Sendable {
    case notYet
    case valid(secondsLeft: Int64)
    case expired
  }

  /// - Parameter now: The current time in Unix seconds.
  public func validity(at now: Int64) -> Validity {
    if now < validFrom { return .notYet }
    return now < validUntil ? .valid(secondsLeft: validUntil - now) : .expired
  }
}

/// The files of one certificate.
public struct TLSPair: Hashable, Sendable {
  /// A PEM file with the server's certificate first, then the certificates that lead to the root.
  public var certificate: String
  /// A PEM file.
  public var key: String

  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// The reason why a certificate and its key cannot be used.
public enum TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(String)
  /// The file exists but cannot be read, for the kernel's reason.
  case unreadable(String, reason: String)
  case noCertificate(String)
  case noKey(String)
  case keyHasPassword(String)
  case keyDoesNotMatch(key: String, certificate: String)
  /// The file is well-formed, but OpenSSL rejects it for this reason.
  case refused(String, reason: String)

  /// Returns the error with other names of its files.
  public func naming(_ name: (String) -> String) -> TLSFileError {
    switch self {
    case .missing(let file): .missing(name(file))
    case .unreadable(let file, let reason): .unreadable(name(file), reason: reason)
    case .noCertificate(let file): .noCertificate(name(file))
    case .noKey(let file): .noKey(name(file))
    case .keyHasPassword(let file): .keyHasPassword(name(file))
    case .keyDoesNotMatch(let key, let certificate):
      .keyDoesNotMatch(key: name(key), certificate: name(certificate))
    case .refused(let file, let reason): .refused(name(file), reason: reason)
    }
  }

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
