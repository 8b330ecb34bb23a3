import Foundation

/// Text in which certificates stand between lines of dashes (RFC 7468).
enum PEMText {
  // The second is OpenSSL's own, with what the certificate is trusted for behind it.
  private static let beginnings = [
    "-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----",
  ]

  static func certificates(in text: String) -> Int {
    beginnings.map { text.components(separatedBy: $0).count - 1 }.reduce(0, +)
  }
}
