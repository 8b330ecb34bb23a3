import Foundation
import Wire

/// User and password of a request (RFC 7617).
package struct BasicCredentials: Hashable, Sendable {
  package var user: String
  package var password: [UInt8]

  package init(user: String, password: [UInt8]) { (self.user, self.password) = (user, password) }

  /// The value of `Authorization`.
  package var field: String {
    "Basic " + Data(Array(user.utf8) + [UInt8(ascii: ":")] + password).base64EncodedString()
  }

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
