import Foundation

/// Text with certificates between lines of dashes (RFC 7468).
package enum PEMText {
  // The second beginning is OpenSSL's own; after the certificate it says what the certificate is trusted for.
  private static let beginnings = [
    "-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----",
  ]

  package static func certificates(in text: String) -> Int {
    beginnings.map { text.components(separatedBy: $0).count - 1 }.reduce(0, +)
  }
}
