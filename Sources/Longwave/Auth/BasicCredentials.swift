import Foundation
import Wire

/// User and password of a request (RFC 7617).
struct BasicCredentials: Sendable {
  var user: String
  var password: [UInt8]

  /// Reads the credentials; nil when there are none, or they are of another scheme.
  init?(_ fields: HTTPFields) {
    guard let value = fields["Authorization"], let blank = value.utf8.firstIndex(of: 0x20),
      value[..<blank].lowercased() == "basic",
      let pair = Data(base64Encoded: String(value[blank...].drop { $0 == " " })),
      let colon = pair.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    user = String(decoding: pair[..<colon], as: UTF8.self)
    password = Array(pair[(colon + 1)...])
  }
}
